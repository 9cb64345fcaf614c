"""Operators of whole tensors of different shapes in published programs."""

import numpy as np
import pytest

import fairlead.compat  # noqa: F401  before the names that it defines

# isort: split
import cutlass
import cutlass.cute as cute
from cutlass import Float32


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


@pytest.mark.parametrize("shapes", [((2048,), (2048, 2)), ((2048, 1), (2048,))])
def test_operands_that_are_not_kept_in_registers_have_one_shape(shapes):
    """The operator is refused: the expression would have the first operand's shape."""
    seen = []

    @cute.kernel
    def kernel(a: cute.Tensor):
        parts = [cute.make_tensor(a.iterator, cute.make_layout(shape)) for shape in shapes]
        seen.append((parts[0].load() - parts[1].load()).shape)

    @cute.jit
    def host(a: cute.Tensor):
        kernel(a).launch(grid=(1, 1, 1), block=(1, 1, 1))

    with pytest.raises(ValueError, match="operands of a whole-tensor expression differ in shape"):
        host(np.zeros(4096, np.float32))
    assert not seen
