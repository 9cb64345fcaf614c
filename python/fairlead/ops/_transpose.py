"""Transposed copies of matrices, through tiles in shared memory."""

from __future__ import annotations

from typing import Any

from fairlead import cute
from fairlead.ops._arrays import ALL, checked, expect, in_shape, run
from fairlead.ops._autograd import Rule, differentiated, needs_gradient
from fairlead.plans import planned

__all__ = ["transpose"]

_TILE, _ROWS = 32, 8


class _Transpose:
    """A block copies a tile of 32 x 32: rows of it are read, columns of it written as rows."""

    @cute.jit
    def __call__(self, x: cute.Tensor, out: cute.Tensor) -> None:
        batch, m, n = x.shape
        self.kernel(x, out).launch(
            grid=(cute.ceil_div(n, _TILE), cute.ceil_div(m, _TILE), batch),
            block=(_TILE, _ROWS, 1),
        )

    @cute.kernel
    def kernel(self, x: cute.Tensor, out: cute.Tensor) -> None:
        lane, row, _ = cute.arch.thread_idx()
        column_tile, row_tile, batch = cute.arch.block_idx()
        # Rows are one element longer than the tile, so that the elements of a column are in different banks.
        tile = cute.SmemAllocator().allocate_tensor(
            x.element_type, cute.make_layout((_TILE, _TILE), stride=(_TILE + 1, 1)), 16
        )
        _, m, n = x.shape
        first_row, first_column = row_tile * _TILE, column_tile * _TILE
        for step in cute.range_constexpr(_TILE // _ROWS):
            i = row + step * _ROWS
            if (first_row + i < m) & (first_column + lane < n):
                tile[i, lane] = x[batch, first_row + i, first_column + lane]
        cute.arch.sync_threads()
        for step in cute.range_constexpr(_TILE // _ROWS):
            i = row + step * _ROWS
            if (first_column + i < n) & (first_row + lane < m):
                out[batch, first_column + i, first_row + lane] = tile[lane, i]


@planned
def transpose(x: object) -> Any:
    """The last two dimensions exchanged, as a new array in the order of rows.

    Args:
        x: numbers of 8 to 64 bits, of two dimensions or more.

    Raises TypeError, ValueError for other arguments.
    """
    if needs_gradient(x):
        return differentiated(_RULE, (x,))
    matrix = checked(x, "x", dtypes=ALL)
    expect(len(matrix.shape) >= 2, "x", "two dimensions or more", matrix)
    *outer, m, n = matrix.shape
    batch = 1
    for extent in outer:
        batch *= extent
    expect(
        batch < 65536 and m <= 65535 * _TILE,
        "x",
        "less than 65536 matrices of rows up to 2097120",
        matrix,
    )
    matrices = matrix.row_major().reshaped(batch, m, n)

    def fakes() -> list[Any]:
        batches, rows, columns = (cute.sym_int() for _ in range(3))
        return [
            cute.make_fake_compact_tensor(matrix.numeric, shape, stride_order=(2, 1, 0))
            for shape in ((batches, rows, columns), (batches, columns, rows))
        ]

    shape, key = (batch, n, m), ("transpose", matrix.dtype)
    if matrix.framework == "jax":
        done = run(key, _Transpose, fakes, [matrices], matrix.empty(shape))
        return done.reshape((*outer, n, m))
    result = matrix.empty((*outer, n, m))
    return run(key, _Transpose, fakes, [matrices], in_shape(result, shape), result=result)


_RULE = Rule(
    lambda x: (transpose(x), ()),
    lambda wants_gradient, gradient: (transpose(gradient),),
)
