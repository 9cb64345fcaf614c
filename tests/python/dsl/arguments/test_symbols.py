"""Symbolic integers: among shapes, strides and scalars; their names, widths and divisibility; limits of tensors."""

import numpy as np
import pytest
from support.dsl_support import vector

from fairlead import Float32, Int32, cute

CPU = "--target cpu"


@cute.jit
def fill(n: Int32, out: cute.Tensor):
    out[0] = n


def zeros(n, dtype=np.int32):
    return np.zeros(n, dtype)


def test_a_scalar_is_the_extent():
    n = cute.sym_int(divisibility=4)
    function = cute.compile(fill, n, vector(Int32, n), options=CPU)
    out = zeros(8)
    function(8, out)
    assert out[0] == 8
    with pytest.raises(
        ValueError,
        match=r"Mismatched n on argument #0 when calling: `fill\(n: int32, out: Tensor\(\[n0\], int32\)\)`, symbolic "
        r"constraint violated: expected to match out.shape\[0\] = 8, but got 12",
    ):
        function(12, out)
    with pytest.raises(ValueError, match=r"Invalid out.shape\[0\] .*divisible by 4, but got 6"):
        function(6, zeros(6))


def test_scalars_alone():
    @cute.jit
    def both(x, y, out: cute.Tensor):
        out[0] = x + y

    n = cute.sym_int64(divisibility=16)
    function = cute.compile(both, n, n, vector(cute.Int64), options=CPU)
    out = zeros(1, np.int64)
    function(-(2**40), -(2**40), out)
    assert out[0] == -(2**41)
    with pytest.raises(ValueError, match="Mismatched y on argument #1 .*match x = 16, but got 32"):
        function(16, 32, out)
    with pytest.raises(ValueError, match="Invalid x on argument #0 .*divisible by 16, but got 8"):
        function(8, 8, out)


def test_a_stride_is_a_scalar():
    @cute.jit
    def pick(a: cute.Tensor, pitch, out: cute.Tensor):
        out[0] = a[1, 0] + pitch

    pitch = cute.sym_int64()
    fake = cute.runtime.make_fake_tensor(Int32, (2, 3), (pitch, 1))
    function = cute.compile(pick, fake, pitch, vector(Int32), options=CPU)
    a, out = np.arange(10, dtype=np.int32).reshape(2, 5)[:, :3], zeros(1)
    function(a, 5, out)
    assert out[0] == 10
    with pytest.raises(
        ValueError, match=r"Mismatched a.strides\[0\] .*expected to match pitch = 6, but got 5"
    ):
        function(a, 6, out)


def test_inside_a_shape():
    @cute.jit
    def shaped(shape: cute.Shape, out: cute.Tensor):
        out[0] = shape[0] * shape[1]

    n = cute.sym_int()
    function = cute.compile(shaped, (n, 3), vector(Int32, n), options=CPU)
    out = zeros(5)
    function((5, 3), out)
    assert out[0] == 15
    with pytest.raises(ValueError, match=r"Mismatched shape\[0\] on argument #0 .*match out.shape"):
        function((4, 3), out)


def test_the_program_knows_the_divisibility():
    seen = []

    @cute.jit
    def look(n, out: cute.Tensor):
        seen.append(repr(n))
        seen.append(repr(out.shape[0]))

    n = cute.sym_int(divisibility=16)
    cute.compile(look, n, vector(Int32, n), options=CPU)
    assert seen == ["?{div=16}"] * 2


def test_named_symbols():
    a, b = vector(Float32, cute.SymInt(symbol="rows")), vector(Float32, cute.sym_int(symbol="rows"))

    @cute.jit
    def two(a: cute.Tensor, b: cute.Tensor):
        pass

    function = cute.compile(two, a, b, options=CPU)
    assert str(function.signature) == "two(a: Tensor([rows], float32), b: Tensor([rows], float32))"
    with pytest.raises(
        ValueError, match=r"Mismatched b.shape\[0\] .*match a.shape\[0\] = 2, but got 3"
    ):
        function(zeros(2, np.float32), zeros(3, np.float32))


@pytest.mark.parametrize(
    ("other", "message"),
    [
        (cute.sym_int(divisibility=8, symbol="rows"), "called `rows`, with divisibility 16 and 8"),
        (cute.sym_int64(16, symbol="rows"), "called `rows`, with width 32 and 64"),
    ],
)
def test_one_name_is_one_integer(other, message):
    @cute.jit
    def two(a: cute.Tensor, b: cute.Tensor):
        pass

    first = cute.sym_int(divisibility=16, symbol="rows")
    with pytest.raises(ValueError, match=message):
        cute.compile(two, vector(Float32, first), vector(Float32, other), options=CPU)


def test_symbols_do_not_change():
    n = cute.sym_int(divisibility=4)
    with pytest.raises(AttributeError):
        n.divisibility = 8
    for name in ("", "1n", 3):
        with pytest.raises(ValueError, match="a name that is an identifier"):
            cute.sym_int(symbol=name)
    with pytest.raises(ValueError, match="a divisibility of 1 or more, but got True"):
        cute.sym_int(divisibility=True)


def test_names_of_both_kinds():
    @cute.jit
    def three(a: cute.Tensor, b: cute.Tensor, c: cute.Tensor):
        pass

    named, other = cute.sym_int(symbol="n1"), cute.sym_int()
    function = cute.compile(
        three, vector(Float32, named), vector(Float32, other), vector(Float32), options=CPU
    )
    assert str(function.signature) == (
        "three(a: Tensor([n1], float32), b: Tensor([n1_], float32), c: Tensor([n2], float32))"
    )


@pytest.mark.parametrize("rank", [32, 33, 60])
def test_the_most_modes(rank):
    @cute.jit
    def nothing(a: cute.Tensor):
        pass

    fake = cute.runtime.make_fake_compact_tensor(Float32, (1,) * rank)
    if rank <= 32:
        cute.compile(nothing, fake, options=CPU)(np.zeros((1,) * rank, np.float32))
        return
    with pytest.raises(ValueError, match=f"at most 32 modes, but `a` has {rank}"):
        cute.compile(nothing, fake, options=CPU)


def test_remainders_of_an_examples_extents():
    """Programs ask them before they compile; the compiled function takes other extents all the same."""
    example = cute.runtime.from_dlpack(np.zeros((6, 16), np.float32)).mark_layout_dynamic()
    rows, columns = example.shape
    assert (rows % 4, columns % 8) == (2, 0) and repr(example.shape) == "(?, ?)"
    with pytest.raises(TypeError):
        rows % "4"

    @cute.jit
    def fill(tensor: cute.Tensor):
        tensor[tensor.shape[0] - 1, 0] = 3.0

    larger = np.zeros((9, 5), np.float32)
    cute.compile(fill, example, options="--target cpu")(larger)
    assert larger[8, 0] == 3
