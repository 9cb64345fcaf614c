"""Keyword arguments and defaults of functions whose library names their arguments; no wrapper in Python."""

import json

import pytest

from fairlead import ffi


@pytest.fixture(scope="module")
def named(kernels_path):
    return ffi.load_module(kernels_path.with_name("libfairlead_test_named.so"))


@pytest.mark.parametrize("name", ["own", "lists", "texts", "words", "documented"])
def test_keywords(named, name):
    function = named[name]
    assert function.arg_names == ("a", "b", "c") and function.defaults == (2, 3)
    assert function(1, 2, 3) == function(a=1, b=2, c=3) == function(c=3, a=1, b=2) == 123
    assert function(1) == function(a=1) == 123
    assert function(1, c=9) == 129 and function(4, 5) == 453
    for args, words in (((), {}), ((1,), {"a": 1}), ((1,), {"d": 1}), ((1, 2, 3), {"c": 1})):
        with pytest.raises(TypeError):
            function(*args, **words)


def test_unnamed(named):
    """Documentation that does not fit the function's type is no more than text."""
    assert named.prose.arg_names == () and named.prose(1, 2, 3) == 123
    assert named.bad_schema(1, 2, 3) == 123
    with pytest.raises(TypeError, match="'a' given, but the names of the arguments are not known"):
        named.prose(a=1)


WRONG = {
    "too_few": "'too_few' names 1 arguments, but its type has 3",
    "twice": "'twice' has an argument name twice",
    "no_text": "'no_text' has the argument name 1, expected text",
    "no_list": "'no_list' has arg_names 3, expected a JSON list",
    "many_defaults": "'many_defaults' has 2 defaults for 1 arguments",
    "no_json": "'no_json' is no JSON",
    "no_object": "'no_object' is no JSON object",
    "bad_call": "'bad_call' is damaged: a text that describes no call: '{}'",
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_metadata(named, name):
    with pytest.raises(ValueError, match=WRONG[name]):
        named.get_function(name)
    assert named.implements_function(name)


def test_metadata_of_another_format(named):
    with pytest.raises(
        RuntimeError,
        match="'old_format' was exported by Fairlead 0.0.1 for version 1 of .* version 2: export it again",
    ):
        named.get_function("old_format")
    with pytest.raises(
        RuntimeError,
        match="'new_format' was exported by Fairlead 9.0.0 for version 99 of .* version 2: update Fairlead",
    ):
        named.get_function("new_format")


def test_global_functions():
    """The library's own have types but no names."""
    size = ffi.get_global_func("ffi.ArraySize")
    assert size(ffi.Array([1, 2])) == 2 and size.arg_names == ()
    assert ffi.get_global_func("fairlead.test.none", allow_missing=True) is None
    with pytest.raises(ValueError, match="Cannot find global function fairlead.test.none"):
        ffi.get_global_func("fairlead.test.none")


def spread(a, b=2, c="three"):
    """Return the arguments."""
    return [a, b, c]


CALLS = [
    ((1,), {}, [1, 2, "three"]),
    ((), {"a": 1}, [1, 2, "three"]),
    ((1,), {"c": 5}, [1, 2, 5]),
    ((1, 3), {"c": None}, [1, 3, None]),
    ((), {"c": 1, "b": 2, "a": 3}, [3, 2, 1]),
]
WRONG_CALLS = [((), {}), ((), {"b": 1}), ((1,), {"a": 1}), ((1,), {"d": 1}), ((1, 2, 3), {"c": 1})]


@pytest.mark.parametrize("how", ["returned", "fetched", "converted", "method", "object"])
def test_of_python(how):
    """Functions of Python take keywords and have defaults, wherever they come from."""
    name = "fairlead.test.spread"
    if how == "returned":
        function = ffi.register_global_func(name, spread, override=True)
    elif how == "fetched":
        ffi.register_global_func(name, spread, override=True)
        function = ffi.get_global_func(name)
        assert function.arg_names == ("a", "b", "c") and function.defaults == (2, "three")
        assert ffi.get_global_func_metadata(name)["arg_names"] == ["a", "b", "c"]
    elif how == "converted":
        function = ffi.convert_func(spread)
    else:

        class Holder:
            def method(self, a, b=2, c="three"):
                return [a, b, c]

            __call__ = method

        function = ffi.convert_func(Holder().method if how == "method" else Holder())
    for args, words, seen in CALLS:
        assert list(function(*args, **words)) == seen
    for args, words in WRONG_CALLS:
        with pytest.raises(TypeError):
            function(*args, **words)
    ffi.remove_global_func(name) if how in ("returned", "fetched") else None


def test_of_python_without_names():
    """Functions of any number of arguments, or of keywords alone, have no positions for names."""
    for function in (lambda *args: len(args), lambda a, *, b=1: a, print):
        with pytest.raises(TypeError, match="names of the arguments are not known"):
            ffi.convert_func(function)(a=1)
    name = "fairlead.test.default"
    try:
        nothing = object()
        made = ffi.register_global_func(name, lambda a, b=nothing: a, override=True)
        assert made(a=1) == 1  # The function itself knows its defaults,
        fetched = ffi.get_global_func(name)
        assert fetched.arg_names == ()  # metadata has no text for this one.
        ffi.register_global_func(name, lambda a, b=float("inf"): a, override=True)
        assert ffi.get_global_func(name).arg_names == ()
    finally:
        ffi.remove_global_func(name)


def test_keywords_from_other_code():
    """The names cross the ABI: a function that another library registered, seen as any."""
    ffi.register_global_func("fairlead.test.words", spread, override=True)
    text = ffi.get_global_func("ffi.GetGlobalFuncMetadata")("fairlead.test.words")
    assert json.loads(text) == {"arg_names": ["a", "b", "c"], "defaults": [2, "three"]}
    ffi.remove_global_func("fairlead.test.words")
