"""Arguments of compile and of calls: structs, None, keywords, shapes, streams; direct calls of each kind."""

import dataclasses
import inspect
import typing

import numpy as np
import pytest
from support.dsl_support import vector

import fairlead
from fairlead import Float32, Int32, Int64, cute, ffi

CPU = "--target cpu"


class Operands(typing.NamedTuple):
    a: cute.Tensor
    scale: Float32
    shift: Float32 | None = None


@dataclasses.dataclass(frozen=True)
class Config:
    operands: Operands
    count: Int32
    repeat: fairlead.Constexpr[int] = 2
    name: str = "config"


@cute.jit
def apply(out: cute.Tensor, config: Config):
    value = config.operands.a[0] * config.operands.scale
    for _ in fairlead.range_constexpr(config.repeat):
        value = value + config.count
    if config.operands.shift is not None:
        value = value + config.operands.shift
    out[0] = value


def example(shift=None, repeat=2):
    return Config(Operands(vector(Float32), 1.0, shift), 3, repeat)


def array(*values, dtype=np.float32):
    return np.array(values, dtype)


def test_nested_structs():
    compiled = cute.compile(apply, vector(Float32), example(), options=CPU)
    assert str(compiled.signature) == (
        "apply(out out: Tensor([n0], float32), config.operands[0]: Tensor([n1], float32), "
        "config.operands[1]: float32, config.count: int32)"
    )
    out = array(0)
    compiled(out, Config(Operands(array(10), 2.0), 5))
    assert out[0] == 30
    compiled(out, ((array(1), 2.0, None), 5, 2, "config"))  # as plain tuples
    assert out[0] == 12
    compiled(config=Config(Operands(array(1), 3.0), 1), out=out)
    assert out[0] == 5


def test_optional_parts():
    compiled = cute.compile(apply, vector(Float32), example(shift=0.5), options=CPU)
    out = array(0)
    compiled(out, Config(Operands(array(1), 1.0, 0.25), 0))
    assert out[0] == 1.25
    with pytest.raises(TypeError, match=r"argument #4|shift|operands\[2\]"):
        compiled(out, Config(Operands(array(1), 1.0, None), 0))


def test_static_parts_are_checked():
    compiled = cute.compile(apply, vector(Float32), example(repeat=3), options=CPU)
    out = array(0)
    compiled(out, Config(Operands(array(1), 1.0), 2, 3))
    assert out[0] == 7
    with pytest.raises(ValueError, match=r"config.repeat on argument #1 .*expected 3.*but got 2"):
        compiled(out, Config(Operands(array(1), 1.0), 2, 2))
    with pytest.raises(TypeError, match=r"config.operands\[2\] .*expected None, but got float"):
        compiled(out, Config(Operands(array(1), 1.0, 0.5), 2, 3))
    assert out[0] == 7


@cute.jit
def masked(a: cute.Tensor, mask: cute.Tensor | None, out: cute.Tensor, *, by: Float32 = 1.0):
    if fairlead.const_expr(mask is None):
        out[0] = a[0] * by
    else:
        out[0] = a[0] * mask[0] * by


def test_none_stays_in_the_call():
    compiled = cute.compile(masked, vector(Float32), None, vector(Float32), by=2.0, options=CPU)
    assert str(compiled.signature).count("Tensor") == 2
    out = array(0)
    compiled(array(3), None, out)
    assert out[0] == 3
    compiled(array(3), None, out, by=4.0)
    assert out[0] == 12
    compiled(out=out, a=array(5), by=1.0, mask=None)
    assert out[0] == 5
    with pytest.raises(TypeError, match="mask .*expected None, but got numpy.ndarray"):
        compiled(array(3), array(1), out)
    with pytest.raises(TypeError, match="at most 3 positional"):
        compiled(array(3), None, out, 1.0)
    full = cute.compile(masked, vector(Float32), vector(Float32), vector(Float32), options=CPU)
    full(array(3), array(7), out)
    assert out[0] == 21
    with pytest.raises(TypeError, match="expected Tensor, but got None"):
        full(array(3), None, out)


@cute.jit
def shaped(shape: cute.Shape, out: cute.Tensor):
    out[0] = shape[0]
    out[1] = shape[1][1] * 10


@pytest.mark.parametrize("entry", [Int32, Int32(7), cute.sym_int()])
def test_shapes(entry):
    compiled = cute.compile(shaped, (entry, (4, 8)), vector(Int32), options=CPU)
    out = array(0, 0, dtype=np.int32)
    compiled((5, (4, 8)), out)
    assert out.tolist() == [5, 80]
    with pytest.raises(ValueError, match=r"shape\[1\]\[0\] .*expected 4.*but got 5"):
        compiled((5, (5, 8)), out)
    with pytest.raises(TypeError, match="length of shape"):
        compiled((5,), out)


def test_flat_shape_of_the_runtime():
    @cute.jit
    def product(shape: cute.Shape, out: cute.Tensor):
        out[0] = shape[0] * shape[1]

    compiled = cute.compile(product, (Int64, Int64), vector(Int64), options=CPU)
    out = array(0, dtype=np.int64)
    compiled(ffi.Shape((6, 7)), out)
    assert out[0] == 42


def test_tuples_of_tensors_and_starred_arguments():
    @cute.jit
    def total(out: cute.Tensor, tensors: tuple, *more):
        value = tensors[0][0]
        for tensor in (*tensors[1:], *more):
            value = value + tensor[0]
        out[0] = value

    fakes = [vector(Float32) for _ in range(4)]
    compiled = cute.compile(total, vector(Float32), tuple(fakes[:2]), *fakes[2:], options=CPU)
    out = array(0)
    compiled(out, (array(1), array(2)), array(3), array(4))
    assert out[0] == 10
    compiled(out, [array(1), array(2)], array(3), array(5))
    assert out[0] == 11
    empty = cute.compile(total, vector(Float32), (fakes[0],), options=CPU)
    empty(out, (array(9),))
    assert out[0] == 9


def test_an_environment_stream_inside_a_tuple():
    @cute.jit
    def first(parts: tuple, out: cute.Tensor):
        out[0] = parts[0][0]

    stream = cute.runtime.make_fake_stream(use_tvm_ffi_env_stream=True)
    compiled = cute.compile(first, (vector(Float32), stream), vector(Float32), options=CPU)
    out = array(0)
    compiled((array(4),), out)
    assert out[0] == 4


def test_empty_dataclass():
    @dataclasses.dataclass(frozen=True)
    class Nothing:
        pass

    @cute.jit
    def fill(out: cute.Tensor, nothing):
        out[0] = 1.0

    out = array(0)
    cute.compile(fill, vector(Float32), Nothing(), options=CPU)(out, Nothing())
    assert out[0] == 1


def test_python_signature():
    compiled = cute.compile(masked, vector(Float32), None, vector(Float32), options=CPU)
    signature = inspect.signature(compiled)
    assert list(signature.parameters) == ["a", "mask", "out", "by"]
    assert signature.parameters["by"].kind is inspect.Parameter.KEYWORD_ONLY
    assert signature.parameters["by"].default == 1.0

    @cute.jit
    def documented(out: cute.Tensor, n: fairlead.Constexpr):
        """Fills."""

    compiled = cute.compile(documented, vector(Float32), 3, options=CPU)
    assert list(inspect.signature(compiled).parameters) == ["out"]
    assert compiled.__doc__ == "Fills." and compiled.__name__ == "documented"
    assert isinstance(compiled, ffi.Function)


def test_registered_and_called_by_name():
    compiled = cute.compile(shaped, (Int32, (4, 8)), vector(Int32), options=CPU)
    ffi.register_global_func("test_arguments.shaped", compiled, override=True)
    out = array(0, 0, dtype=np.int32)
    ffi.get_global_func("test_arguments.shaped")(5, out)  # the ABI takes the parts one by one
    assert out.tolist() == [5, 80]


SIZE_ONE = [
    (np.zeros((1, 5), np.float32)[:, ::1], True),
    (np.lib.stride_tricks.as_strided(np.zeros(5, np.float32), (1, 5), (1234 * 4, 4)), True),
    (np.lib.stride_tricks.as_strided(np.zeros(64, np.float32), (2, 5), (7 * 4, 4)), False),
]


@pytest.mark.parametrize(("tensor", "fits"), SIZE_ONE)
def test_the_stride_of_an_extent_of_one_says_nothing(tensor, fits):
    @cute.jit
    def nothing(a):
        pass

    rows = cute.sym_int()
    fake = cute.runtime.make_fake_compact_tensor(Float32, (rows, 5), stride_order=(1, 0))
    compiled = cute.compile(nothing, fake, options=CPU)
    if fits:
        compiled(tensor)
    else:
        with pytest.raises(ValueError, match=r"Mismatched a.strides\[0\].*expected 5, but got 7"):
            compiled(tensor)


def test_empty_tensors():
    @cute.jit
    def copy(a: cute.Tensor, b: cute.Tensor):
        b[:] = a[:]

    n = cute.sym_int(divisibility=4)
    compiled = cute.compile(copy, vector(Float32, n), vector(Float32, n), options=CPU)
    compiled(np.zeros(0, np.float32), np.zeros(0, np.float32))
    with pytest.raises(ValueError, match="expected to match"):
        compiled(np.zeros(0, np.float32), np.zeros(4, np.float32))


# --- Direct calls.


@cute.jit
def scale(a: cute.Tensor, by, out: cute.Tensor, times: fairlead.Constexpr = 1):
    value = a[0]
    for _ in fairlead.range_constexpr(times):
        value = value * by
    out[0] = value


def kinds(function):
    return len(function.compiled)


def test_direct_calls_specialise_once_for_each_kind():
    scale.forget()
    out = array(0)
    calls = [
        ((array(3), 2, out), {}, 6),
        ((array(3), 2.5, out), {}, 7.5),
        ((array(3), 2, out, 2), {}, 12),
        ((array(3), 2, out), {"times": 3}, 24),
        ((array(3)[::2], 2), {"out": out}, 6),
        ((array(3, dtype=np.float64), 2.0, array(0, dtype=np.float64)), {}, None),
    ]
    for round in range(3):
        for args, keywords, expected in calls:
            out[0] = 0
            scale(*args, **keywords)
            if expected is not None:
                assert out[0] == expected
        if round == 0:
            made = kinds(scale)
    assert kinds(scale) == made <= len(calls)


def test_direct_calls_with_structs():
    out = array(0)
    for factor in (2.0, 3.0):
        apply(out, Config(Operands(array(10), factor), 5))
        assert out[0] == 10 * factor + 10
    assert kinds(apply) == 1
    apply(out, Config(Operands(array(10), 2.0), 5, 4))
    assert out[0] == 40 and kinds(apply) == 2
    masked(array(3), None, out, by=3.0)
    assert out[0] == 9


def test_direct_calls_with_classes():
    """A numeric class that stands for no annotated number is part of the program."""

    @cute.jit
    def convert(out: cute.Tensor, kind, kinds=()):
        out[0] = kind(2.75).to(Float32)
        for index, each in enumerate(kinds):
            out[index + 1] = each(300.0).to(Float32)

    out = np.zeros(3, np.float32)
    convert(out, Int32, (cute.Float16,))
    assert out.tolist() == [2, 300, 0]
    convert(out, Float32, (cute.Float16, Int32))
    convert(out, kind=Float32, kinds=(cute.Float16, Int32))
    assert out.tolist() == [2.75, 300, 300]

    @cute.jit
    def number(out: cute.Tensor, n: Int32):
        out[0] = n

    with pytest.raises(TypeError, match="n"):
        number(np.zeros(3, np.int32), Int32)


def test_direct_calls_of_methods():
    class Adder:
        def __init__(self, amount):
            self.amount = amount

        @cute.jit
        def __call__(self, a: cute.Tensor, out: cute.Tensor):
            out[0] = a[0] + self.amount

        @cute.jit
        def twice(self, a: cute.Tensor, out: cute.Tensor):
            out[0] = a[0] + 2 * self.amount

    out = array(0)
    one, ten = Adder(1), Adder(10)
    for _ in range(2):
        one(array(5), out)
        assert out[0] == 6
        ten(array(5), out)
        assert out[0] == 15
        ten.twice(array(5), out)
        assert out[0] == 25
    compiled = cute.compile(ten.twice, vector(Float32), vector(Float32), options=CPU)
    compiled(array(1), out)
    assert out[0] == 21


def test_mutable_constants_are_looked_at_again():
    @cute.jit
    def pick(out: cute.Tensor, table: fairlead.Constexpr):
        out[0] = table[0]

    out, table = array(0, dtype=np.int32), [1]
    pick(out, table)
    assert out[0] == 1
    table[0] = 2
    pick(out, table)
    assert out[0] == 2


def test_torch_fake_tensors():
    torch = pytest.importorskip("torch")
    from torch._subclasses.fake_tensor import FakeTensorMode

    with FakeTensorMode():
        fake = torch.empty(4, dtype=torch.float32)
    compiled = cute.compile(masked, fake, None, cute.from_dlpack(fake), options=CPU)
    assert str(compiled.signature).startswith(
        "masked(a: Tensor([n0], float32), out out: Tensor([4], float32)"
    )
    a, out = torch.full((4,), 3.0), torch.zeros(4)
    compiled(a, None, out)
    assert out[0] == 3
