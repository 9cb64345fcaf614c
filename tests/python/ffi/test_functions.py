"""Functions: their attributes, names, defaults, subclasses and lives."""

import gc
import weakref

import pytest
from support.ffi_support import Refuses, parse

from fairlead import ffi


class Held:
    """Something that a function keeps alive."""


@pytest.fixture
def named(address):
    return ffi.make_function(
        address("describe"),
        name="named",
        signature="named(a: int32, b: int32, c: int32)",
        arg_names=("a", "b", "c"),
        defaults=(20, 30),
        views=True,
    )


def values(text):
    return [seen.bits for seen in parse(text)]


def test_attributes(named):
    assert named.__name__ == "named"
    assert named.signature == named.__signature_text__ == "named(a: int32, b: int32, c: int32)"
    assert named.arg_names == ("a", "b", "c") and named.defaults == (20, 30)
    assert named.views and named.release_gil
    assert repr(named) == "<fairlead._core.Function `named(a: int32, b: int32, c: int32)`>"
    named.extra = 1
    assert named.__dict__ == {"extra": 1}
    named.__name__ = "renamed"
    assert named.__name__ == "renamed"


def test_keywords_and_defaults(named):
    assert values(named(1, 2, 3)) == [1, 2, 3]
    assert values(named(1)) == [1, 20, 30]
    assert values(named(1, c=3)) == [1, 20, 3]
    assert values(named(c=3, a=1, b=2)) == [1, 2, 3]
    assert values(named(**{"a": 1, "".join(["", "b"]): 5})) == [1, 5, 30]
    assert values(named(1, **{})) == [1, 20, 30]


def test_keyword_errors(named, address):
    text = r"`named\(a: int32"
    with pytest.raises(TypeError, match=f"unexpected keyword argument 'd' when calling: {text}"):
        named(1, d=2)
    with pytest.raises(TypeError, match=f"multiple values for argument 'a' when calling: {text}"):
        named(1, a=2)
    with pytest.raises(TypeError, match=rf"missing argument #0 \(`a`\) when calling: {text}"):
        named(b=2)
    with pytest.raises(TypeError, match=f"at most 3 arguments, but got 5 when calling: {text}"):
        named(1, 2, 3, 4, a=5)
    unnamed = ffi.make_function(address("describe"))
    with pytest.raises(TypeError, match="keyword argument 'a' given, but the names"):
        unnamed(a=1)


def test_callee_sees_wrong_counts(named, address):
    # The callee has the better words.
    assert len(parse(named(1, 2, 3, 4))) == 4
    assert named() == ""
    without = ffi.make_function(address("describe"), arg_names=("a", "b"))
    assert len(parse(without(1))) == 1


@pytest.mark.parametrize("count", [15, 16, 17, 100, 300])
def test_many_arguments(named, address, count):
    function = ffi.make_function(address("describe"))
    if count <= 100:
        assert values(function(*range(count))) == list(range(count))
    names = [f"p{i}" for i in range(count)]
    many = ffi.make_function(address("nop"), arg_names=names)
    assert many(**dict.fromkeys(names, "a text that is kept for the call")) is None
    assert many(*["a text that is kept for the call"] * count) is None


def test_changing_types(named):
    torch = pytest.importorskip("torch")
    for _ in range(3):
        for value, kind in ((1, 1), (1.0, 3), (torch.zeros(1), 7), (None, 0), (True, 2)):
            assert parse(named(value, value, value))[1].kind == kind


def test_new_types_at_old_addresses(named):
    for i in range(200):
        if i % 2:
            made = type("Made", (), {"__tvm_ffi_int__": lambda self: 5})
            expected = 1
        else:
            made = type("Made", (), {"__tvm_ffi_float__": lambda self: 5.0})
            expected = 3
        assert parse(named(made(), 0, 0))[0].kind == expected
        del made
        gc.collect(0)  # only the youngest objects: the class is one of them


def test_types_are_not_kept(named):
    class Local:
        def __tvm_ffi_int__(self):
            return 5

    gone = weakref.ref(Local)
    named(Local(), 0, 0)
    del Local
    gc.collect()
    assert gone() is None


def test_subclass(address):
    class Compiled(ffi.Function):
        @property
        def signature(self):
            return "compiled(x)"

        def export(self):
            return "exported"

    function = ffi.make_function(address("describe"), cls=Compiled, views=True, arg_names=("x",))
    function.artifact = 3
    assert isinstance(function, ffi.Function) and function.export() == "exported"
    assert values(function(4)) == values(function(x=4)) == [4]
    with pytest.raises(TypeError, match=r"argument #0 \(`x`\) of `compiled\(x\)`"):
        function(Refuses())

    class Doubled(Compiled):
        def __call__(self, x):
            return super().__call__(2 * x)

    assert values(ffi.make_function(address("describe"), cls=Doubled)(4)) == [8]


def test_bad_descriptions(address):
    with pytest.raises(TypeError, match="cls: expected a subclass of Function, but got int"):
        ffi.make_function(address("nop"), cls=int)
    with pytest.raises(ValueError, match="NULL"):
        ffi.make_function(0)
    with pytest.raises(TypeError, match=r"arg_names\[1\]: expected str, but got int"):
        ffi.make_function(address("nop"), arg_names=("a", 1))
    with pytest.raises(ValueError, match="2 defaults for 1 arguments"):
        ffi.make_function(address("nop"), arg_names=("a",), defaults=(1, 2))
    with pytest.raises(TypeError, match="name: expected str or None, but got int"):
        ffi.make_function(address("nop"), name=3)
    with pytest.raises(TypeError):
        ffi.Function()
    with pytest.raises(TypeError):
        ffi.Tensor()


def test_from_handle(kernels):
    again = ffi.Function._from_handle(kernels.echo.__chandle__())
    assert again(5) == 5 and again == kernels.echo and hash(again) == hash(kernels.echo)
    with pytest.raises(ValueError, match="NULL"):
        ffi.Function._from_handle(0)
    with pytest.raises(TypeError, match="type index 73"):
        ffi.Function._from_handle(kernels.__chandle__())


def test_keep_alive(address, kernels):
    held = Held()
    gone = weakref.ref(held)
    function = ffi.make_function(address("nop"), keep_alive=held)
    del held
    kernels.swap(function)
    del function
    gc.collect()
    # Native code still has the function.
    assert gone() is not None
    kernels.swap(None)
    gc.collect()
    assert gone() is None


def test_cycle_is_collected(address):
    held = Held()
    gone = weakref.ref(held)
    function = ffi.make_function(address("nop"))
    function.me, function.held = function, held
    del function, held
    gc.collect()
    assert gone() is None


def test_dropped_while_called(kernels):
    holder = {}

    def drop():
        holder.clear()
        gc.collect()
        return 7

    holder["f"] = ffi.convert_func(drop)
    assert holder["f"]() == 7


def test_registry():
    name = "fairlead.test.registry"

    @ffi.register_global_func(name)
    def double(x):
        return 2 * x

    try:
        assert isinstance(double, ffi.Function)
        assert ffi.get_global_func(name)(4) == 8
        assert name in ffi.list_global_func_names()
        with pytest.raises(RuntimeError, match="already registered"):
            ffi.register_global_func(name, lambda x: x)
        ffi.register_global_func(name, lambda x: 3 * x, override=True)
        assert ffi.get_global_func(name)(4) == 12
    finally:
        ffi.remove_global_func(name)
    assert ffi.get_global_func(name, allow_missing=True) is None
    with pytest.raises(ValueError, match=f"Cannot find global function {name}"):
        ffi.get_global_func(name)
    with pytest.raises(TypeError, match="expected a callable, but got int .argument `f` of"):
        ffi.register_global_func(name, 3)
