"""Operators of whole tensors in published programs: operands of different shapes, integers."""

import numpy as np
import pytest

import fairlead.compat  # noqa: F401  before the names that it defines

# isort: split
import cutlass
import cutlass.cute as cute
from cutlass import Float32, Uint32


def test_operands_of_whole_tensor_expressions_align_their_first_modes():
    """The first modes meet, unlike in NumPy; CuTe DSL 4.8.1 gives the same shapes."""

    @cute.kernel
    def kernel(a: cute.Tensor, b: cute.Tensor, out: cute.Tensor):
        square, column = (
            cute.make_rmem_tensor((4, 4), Float32),
            cute.make_rmem_tensor((4,), Float32),
        )
        for i in cutlass.range_constexpr(4):
            column[i] = b[i]
            for j in cutlass.range_constexpr(4):
                square[i, j] = a[i, j]
        difference = square.load() - column.load()
        assert difference.shape == (4, 4)
        for shape, other, result in (
            ((16, 1), (16,), (16, 1)),
            ((16,), (16, 1), (16,)),
            ((4, 2), (4,), (4, 2)),
            ((1, 16), (16,), (16, 16)),
            ((16, 1, 1), (16,), (16, 1, 1)),
            (((4, 2), 1), ((4, 2),), ((4, 2), 1)),
            ((4, 2), (1, 2), (4, 2)),
        ):
            parts = [cute.make_rmem_tensor(s, Float32) for s in (shape, other)]
            for part in parts:
                part.fill(0.0)
            assert (parts[0].load() - parts[1].load()).shape == result
        square.store(difference)
        for i in cutlass.range_constexpr(4):
            for j in cutlass.range_constexpr(4):
                out[i, j] = square[i, j]

    @cute.jit
    def host(a: cute.Tensor, b: cute.Tensor, out: cute.Tensor):
        kernel(a, b, out).launch(grid=(1, 1, 1), block=(1, 1, 1))

    a, b = np.arange(16, dtype=np.float32).reshape(4, 4), np.arange(4, dtype=np.float32) * 100
    out = np.zeros((4, 4), np.float32)
    host(a, b, out)
    np.testing.assert_array_equal(out, a - b[:, None])


_NESTED_SHAPES = [
    (((2, 2), 2), ((1, 2), 2), ((2, 2), 2)),
    (((2, 2), 2), ((2, 1), 1), ((2, 2), 2)),
    (((1, 2), 2), ((2, 1), 2), ((2, 2), 2)),
    (((2, 2), 2), ((1, 2), 2, 1), ((2, 2), 2)),
    ((2, (2, 2)), (2, (1, 2)), (2, (2, 2))),
    ((((2, 1), 2), 2), (((2, 2), 1), 2), (((2, 2), 2), 2)),
]
_LONG_SHAPES = [
    ((1200,), (1200, 1), (1200,)),
    ((600, 2), (600,), (600, 2)),
    ((600, 2), (1, 2), (600, 2)),
    (((2, 300), 2), ((1, 300), 2), ((2, 300), 2)),
    ((1, 40), (40,), (40, 40)),
]


def _flat(shape):
    """The extents of a shape, in order."""
    return [e for mode in shape for e in (_flat(mode) if isinstance(mode, tuple) else [mode])]


@pytest.mark.parametrize("a_shape, b_shape, shape", _NESTED_SHAPES + _LONG_SHAPES)
def test_nested_modes_and_long_tensors_repeat(a_shape, b_shape, shape):
    """CuTe DSL 4.8.1 gives the same shapes and numbers."""

    @cute.kernel
    def kernel(a: cute.Tensor, b: cute.Tensor, out: cute.Tensor):
        parts = [
            cute.make_tensor(tensor.iterator, cute.make_layout(of))
            for tensor, of in ((a, a_shape), (b, b_shape))
        ]
        difference = parts[0].load() * 10000.0 - parts[1].load()
        assert difference.shape == shape
        cute.make_tensor(out.iterator, cute.make_layout(shape)).store(difference)

    @cute.jit
    def host(a: cute.Tensor, b: cute.Tensor, out: cute.Tensor):
        kernel(a, b, out).launch(grid=(1, 1, 1), block=(1, 1, 1))

    modes = max(len(_flat(s)) for s in (a_shape, b_shape, shape))
    extents = [_flat(s) + [1] * (modes - len(_flat(s))) for s in (a_shape, b_shape, shape)]
    a, b = (np.arange(np.prod(e), dtype=np.float32) for e in extents[:2])
    out = np.zeros(np.prod(extents[2]), np.float32)
    host(a, b, out)
    wholes = [x.reshape(e, order="F") for x, e in zip((a, b), extents, strict=False)]
    expected = np.broadcast_to(wholes[0] * 10000 - wholes[1], extents[2])
    np.testing.assert_array_equal(out, expected.ravel(order="F"))


@pytest.mark.parametrize("shapes", [((2048,), (1024, 2)), (((2, 2), 2), ((4,), 2))])
def test_shapes_that_do_not_meet_are_refused(shapes):
    @cute.kernel
    def kernel(a: cute.Tensor):
        parts = [cute.make_tensor(a.iterator, cute.make_layout(shape)) for shape in shapes]
        parts[0].load() - parts[1].load()

    @cute.jit
    def host(a: cute.Tensor):
        kernel(a).launch(grid=(1, 1, 1), block=(1, 1, 1))

    with pytest.raises(ValueError, match="operands of a whole-tensor expression differ in shape"):
        host(np.zeros(4096, np.float32))


def test_quotients_and_absolute_values_of_whole_tensors_of_integers():
    """CuTe DSL 4.8.1 divides integers as Float32, and takes unsigned integers for signed ones in `abs`."""

    @cute.kernel
    def kernel(x: cute.Tensor, y: cute.Tensor, out: cute.Tensor):
        dividends, divisors = cute.make_rmem_tensor(8, Uint32), cute.make_rmem_tensor(8, Uint32)
        for i in cutlass.range_constexpr(8):
            dividends[i], divisors[i] = x[i], y[i]
        quotients = dividends.load() / divisors.load()
        for row, values in enumerate(
            (quotients, abs(dividends.load()), cute.math.absi(dividends.load()))
        ):
            assert values.dtype is Uint32
            for i in cutlass.range_constexpr(8):
                out[row, i] = values[i]

    @cute.jit
    def host(x: cute.Tensor, y: cute.Tensor, out: cute.Tensor):
        kernel(x, y, out).launch(grid=(1, 1, 1), block=(1, 1, 1))

    x = np.array([0, 7, 100, 4294967294, 2**31, 123456789, 4294967295 // 3, 5], np.uint32)
    y = np.array([3, 2, 144, 7, 3, 7, 1, 0], np.uint32)
    out = np.zeros((3, 8), np.uint32)
    host(x, y, out)
    with np.errstate(divide="ignore"):
        as_floats = x.astype(np.float32) / y.astype(np.float32)
    assert (as_floats[:7].astype(np.uint32) != x[:7] // y[:7]).any()
    np.testing.assert_array_equal(out[0, :7], as_floats[:7].astype(np.uint32))
    assert out[0, 7] == 2**32 - 1
    signed = np.abs(x.astype(np.int32).astype(np.int64)).astype(np.uint32)
    np.testing.assert_array_equal(out[1:], [signed, signed])
