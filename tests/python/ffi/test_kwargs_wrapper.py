"""Keyword arguments for functions that take positional ones."""

import dataclasses
import inspect

import pytest

from fairlead.ffi.utils.kwargs_wrapper import (
    make_kwargs_wrapper,
    make_kwargs_wrapper_from_signature,
)


def target(*args):
    return args


def test_defaults_and_keyword_only():
    default = [1]
    wrapper = make_kwargs_wrapper(target, ["a", "b", "c"], (default,), ["k", "m"], {"k": None})
    assert wrapper(1, 2, m=0) == (1, 2, default, None, 0)
    assert wrapper(1, 2, m=0)[2] is default
    assert wrapper(m=1, c=2, b=3, a=4, k=5) == (4, 3, 2, 5, 1)
    for wrong in (
        lambda: wrapper(1, m=0),
        lambda: wrapper(1, 2),
        lambda: wrapper(1, 2, 3, 4, m=0),
        lambda: wrapper(1, 2, m=0, z=1),
    ):
        with pytest.raises(TypeError):
            wrong()


def test_function_of_the_abi(kernels):
    echo = make_kwargs_wrapper(kernels.echo, ["x"], (7,))
    assert echo() == 7 and echo(3) == 3 and echo(x="text") == "text"


def test_prototype_and_signature():
    def shown(a, b: int = 3, *, c=True):
        """What it does."""

    wrapper = make_kwargs_wrapper_from_signature(target, inspect.signature(shown), shown)
    assert wrapper.__name__ == "shown" and wrapper.__doc__ == "What it does."
    assert wrapper.__annotations__ == shown.__annotations__
    assert wrapper(1) == (1, 3, True) and wrapper(1, c=2, b=4) == (1, 4, 2)
    short = make_kwargs_wrapper_from_signature(
        target, inspect.signature(shown), exclude_arg_names=["a", "none"]
    )
    assert short() == (3, True)
    for bad in (lambda *args: 0, lambda **kwargs: 0):
        with pytest.raises(ValueError, match="args"):
            make_kwargs_wrapper_from_signature(target, inspect.signature(bad))


def test_dataclasses():
    @dataclasses.dataclass
    class Inner:
        x: int

    @dataclasses.dataclass
    class Outer:
        inner: Inner
        many: list

    wrapper = make_kwargs_wrapper(target, ["p", "q"], map_dataclass_to_tuple=["p"])
    value = Outer(Inner(1), [Inner(2), {"k": Inner(3)}])
    assert wrapper(value, value) == (((1,), [(2,), {"k": (3,)}]), value)


@pytest.mark.parametrize(
    "error, text, arguments",
    [
        (ValueError, "twice", (["a", "a"],)),
        (ValueError, "'a b' is not a valid", (["a b"],)),
        (ValueError, "keyword", (["class"],)),
        (ValueError, "__i_", (["__i_target"],)),
        (TypeError, "int: 1", ([1],)),
        (ValueError, "2 values for 1", (["a"], (1, 2))),
        (TypeError, "got list", (["a"], [1])),
        (ValueError, "both", (["a"], (), ["a"])),
        (ValueError, "'q'", (["a"], (), [], {"q": 1})),
        (ValueError, "'q'", (["a"], (), None, None, None, ["q"])),
    ],
)
def test_refused(error, text, arguments):
    with pytest.raises(error, match=text):
        make_kwargs_wrapper(target, *arguments)


def test_target_is_no_function():
    with pytest.raises(TypeError, match="callable.*int"):
        make_kwargs_wrapper(3, ["a"])
