"""Products of matrices for processors."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from fairlead import cute
from fairlead._compiler import BFloat16, Float32, Uint32
from fairlead.ops._cpu_tiles import (
    COLUMNS,
    HAS_PAIRS,
    ROWS,
    add_pairs,
    add_product,
    pack,
    pack_pairs,
)
from fairlead.ops._epilogue import Epilogue

if TYPE_CHECKING:
    from fairlead._compiler import Tensor

__all__ = ["TILES", "CpuGemm", "tile_of"]

_DEPTH = 256  # that is packed at a time
#: Rows and columns of tiles. Greater ones copy less of A and B.
TILES = (256, 384), (128, 192), (64, 96)
_TILES_EACH = 4  # of a processor at least, so that all end at about the same time


def tile_of(rows: int, columns: int, batch: int = 1) -> tuple[int, int]:
    """Return the tile for a product of so many rows and columns."""
    least = _TILES_EACH * (os.cpu_count() or 1)
    for tile in TILES[:-1]:
        if batch * -(-rows // tile[0]) * -(-columns // tile[1]) >= least:
            return tile
    return TILES[-1]


class CpuGemm:
    """C (M, N, L) = A (M, K, L) * B (N, K, L) by tiles of ``tile`` rows and columns, each by one thread of the pool.

    Parts of the depth are packed in panels of ``ROWS`` rows of A and ``COLUMNS`` columns of B; two panels at a time
    are multiplied. A sum adds its products by their order along K, whatever the tiles are. BFloat16 is multiplied by
    pairs along K if the processor has an instruction for it; otherwise all types as Float32.
    """

    def __init__(self, a_mode: int, b_mode: int, epilogue: Epilogue, tile: tuple[int, int]) -> None:
        """``a_mode``, ``b_mode``: the contiguous mode of the operand, of (M, K) and (N, K)."""
        self.a_mode, self.b_mode, self.epilogue, self.tile = a_mode, b_mode, epilogue, tile

    @cute.jit
    def __call__(self, a: cute.Tensor, b: cute.Tensor, *others: cute.Tensor) -> None:
        c = others[-1]
        grid = (
            cute.ceil_div(c.shape[0], self.tile[0]),
            cute.ceil_div(c.shape[1], self.tile[1]),
            c.shape[2],
        )
        self.kernel(a, b, others).launch(grid=grid, block=(1, 1, 1))

    @cute.kernel
    def kernel(self, a: Tensor, b: Tensor, others: Sequence[Any]) -> None:
        x, y, batch = cute.arch.block_idx()
        first_row, first_column = x * self.tile[0], y * self.tile[1]
        down, along = self.tile[0] // ROWS, self.tile[1] // COLUMNS
        memory = cute.SmemAllocator()
        paired = HAS_PAIRS and a.element_type is BFloat16 and b.element_type is BFloat16
        copy, add, dtype, together = (
            (pack_pairs, add_pairs, Uint32, 2) if paired else (pack, add_product, Float32, 1)
        )
        a_panels, b_panels, sums = (
            memory.allocate_tensor(element, cute.make_layout(shape), 64)
            for element, shape in (
                (dtype, (ROWS, _DEPTH // together, down)),
                (dtype, (COLUMNS, _DEPTH // together, along)),
                (Float32, (COLUMNS, ROWS, down, along)),
            )
        )
        m, n, depth = others[-1].shape[0], others[-1].shape[1], a.shape[1]
        down = cute.math.min(down, cute.ceil_div(m - first_row, ROWS))
        along = cute.math.min(along, cute.ceil_div(n - first_column, COLUMNS))
        for k in cute.range(0, depth, _DEPTH):
            steps = cute.math.min(depth - k, _DEPTH)
            copy(a[None, None, batch], a_panels, self.a_mode, first_row, k, down, steps)
            copy(b[None, None, batch], b_panels, self.b_mode, first_column, k, along, steps)
            added = cute.ceil_div(steps, together)
            for q in cute.range(along):
                for p in cute.range(down):
                    add(
                        a_panels[None, None, p], b_panels[None, None, q], sums[None, None, p, q], k == 0, added
                    )  # fmt: skip
        for p in cute.range(down):
            for q in cute.range(along):
                corner = first_row + p * ROWS, first_column + q * COLUMNS, batch
                self.store(sums[None, None, p, q], others, corner)

    @cute.jit
    def store(self, sums: Tensor, others: Sequence[Any], corner: Sequence[Any]) -> None:
        """Store the elements of a tile of sums that exist."""
        *addends, c = others
        first_row, first_column, batch = corner
        columns = cute.math.min(COLUMNS, c.shape[1] - first_column)
        for i in cute.range(cute.math.min(ROWS, c.shape[0] - first_row)):
            m = first_row + i
            for j in cute.range(columns):
                n = first_column + j
                value = self.epilogue.apply(sums[j, i], addends, m, n, batch)
                c[m, n, batch] = value.to(c.element_type)
