"""Numeric classes: attributes, conversions, numbers outside a trace."""

import numpy as np
import pytest
from support import dsl_support as support

import fairlead
from fairlead import Boolean, Float32, Float64, Int8, Int32, Int64, Uint8, cute

NAMES = [*support.DTYPES, "BFloat16"]


@pytest.mark.parametrize("name", NAMES)
def test_class_attributes(name):
    cls = getattr(fairlead, name)
    assert cls.__name__ == name and fairlead.dtype(name) is cls
    assert fairlead.dtype({"Boolean": "bool"}.get(name, name.lower())) is cls
    assert issubclass(cls, fairlead.Float if cls.is_float else fairlead.Integer)
    assert issubclass(cls, fairlead.Numeric) and getattr(cute, name) is cls
    assert cls.is_float != cls.is_integer
    if name in support.DTYPES and name != "Boolean":
        dtype = np.dtype(support.DTYPES[name])
        assert cls.width == dtype.itemsize * 8 and cls.signed == (dtype.kind != "u")


def test_numbers_outside_a_trace():
    assert repr(Int32(3)) == "3" and repr(Float32(1.5)) == "1.5" and repr(Boolean(0)) == "False"
    assert int(Int32(3) + 4) == 7 and type(Int32(3) + 4) is Int32
    assert type(Int32(3) + Float32(1)) is Float32 and float(Int32(3) + Float32(1)) == 4.0
    assert type(Int32(7) / Int32(2)) is Float32 and float(Int32(7) / 2) == 3.5
    assert int(-Int32(7) // 2) == -4 and int(-Int32(7) % 4) == 1 and int(2 - Int32(5)) == -3
    assert (Int32(3) < 4) is True and bool(Int32(0)) is False
    assert [10, 20, 30][Int32(1)] == 20
    assert int(Int32(300).to(Int8)) == 44 and int(Float32(-2.7).to(Int32)) == -2
    assert int(Uint8(-1)) == 255 and int(~Int32(0)) == -1 and int(Int64(2**40)) == 2**40
    assert float(Float32(0.1)) == np.float32(0.1) and float(Float64(0.1)) == 0.1


CONVERSIONS = [(source, target) for source in support.DTYPES for target in support.DTYPES]


@pytest.mark.parametrize(("source", "target"), CONVERSIONS, ids=lambda name: name)
def test_conversion(source, target):
    generator = np.random.default_rng(9)
    a = support.randoms(
        generator, support.DTYPES[source], 200, *([0, 100] if target.startswith("Float") else [])
    )
    if a.dtype.kind == "f":
        low = 0 if target.startswith("Uint") else -100
        a = generator.uniform(low, 100, 200).astype(a.dtype)
    cls = getattr(fairlead, target)
    got = support.run_map(lambda x: x.to(cls), support.DTYPES[target], a)
    np.testing.assert_array_equal(got, a.astype(support.DTYPES[target]))


def test_constructor_converts():
    a = np.array([-2.7, -0.5, 0.5, 300.9], np.float32)
    np.testing.assert_array_equal(support.run_map(lambda x: Int32(x), np.int32, a), [-2, 0, 0, 300])
    np.testing.assert_array_equal(support.run_map(lambda x: Boolean(x), np.bool_, a), [True] * 4)


def test_module_level_number_is_a_constant_of_the_trace():
    scale = Float32(2.5)
    a = np.arange(5, dtype=np.float32)
    np.testing.assert_array_equal(
        support.run_map(lambda x: x * scale, np.float32, a), a * np.float32(2.5)
    )


def test_repr_while_tracing():
    seen = support.Notes()

    def function(x):
        seen.append([repr(x), repr(x + 1), repr(Int32(3))])
        return x

    support.run_map(function, np.int32, np.zeros(3, np.int32))
    assert seen == [["?", "?", "?"]]


def test_classes_print_their_names(capfd):
    assert [str(Int32), f"{cute.BFloat16}", str(Boolean)] == ["Int32", "BFloat16", "Boolean"]
    assert str(type(Int32(3))) == "Int32" and "class" in str(cute.Tensor)

    @cute.jit
    def host(a: cute.Tensor):
        print(a.element_type, type(a.shape[0]), a.iterator.dtype)
        cute.printf("{} {}", a.element_type, (Float32, 2))
        cute.printf(a.element_type)

    a = cute.runtime.make_fake_compact_tensor(cute.Float16, (cute.sym_int(),))
    function = cute.compile(host, a, options="--target cpu")
    assert capfd.readouterr().out == "Float16 Int32 Float16\n"
    function(np.zeros(2, np.float16))
    assert capfd.readouterr().out == "Float16 (Float32,2)\nFloat16\n"


def test_bfloat16():
    torch = pytest.importorskip("torch")
    a = torch.randn(100).to(torch.bfloat16)
    out = torch.full((100,), float("nan"), dtype=torch.bfloat16)
    n = cute.sym_int()
    compiled = cute.compile(
        support.map1,
        lambda x: x * 2.0 + 1.0,
        support.vector(cute.BFloat16, n),
        support.vector(cute.BFloat16, n),
        options="--target cpu",
    )
    compiled(out, a)
    torch.testing.assert_close(out, a * 2 + 1)


@pytest.mark.parametrize("name", support.DTYPES)
def test_typed_numbers_are_arguments_of_calls(name):
    """Each class for a parameter of its own type, positional, by name and in a struct."""
    kind = getattr(fairlead, name)

    @cute.jit
    def write(x: kind, parts: tuple, out: cute.Tensor):
        out[0], out[1] = x, parts[0]

    compiled = cute.compile(write, kind, (kind,), support.vector(kind), options="--target cpu")
    number = kind(1.5) if kind.is_float else kind(1)
    for call in (compiled, write):
        out = np.zeros(2, support.DTYPES[name])
        call(number, (number,), out)
        assert out.tolist() == [1.5 if kind.is_float else 1] * 2
        out[:] = 0
        call(out=out, parts=(number,), x=number)
        assert out.tolist() == [1.5 if kind.is_float else 1] * 2


def test_floats_are_no_indices():
    assert [10, 20][Int32(1)] == 20
    with pytest.raises(TypeError, match="integer"):
        [10, 20][Float32(1.0)]
