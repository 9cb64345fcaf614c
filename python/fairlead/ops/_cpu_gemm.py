"""Products of matrices for processors: tiles of the result in vector registers, operands packed for the caches."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from fairlead import cute
from fairlead._compiler import Float32, Int32, Int64
from fairlead.ops._epilogue import Epilogue

if TYPE_CHECKING:
    from fairlead._compiler import Tensor

__all__ = ["CpuGemm"]


class CpuGemm:
    """C (M, N, L) = A (M, K, L) * B (N, K, L) by tiles of ``tile`` rows and columns, each by one thread of the pool.

    Parts of the depth, ``DEPTH`` at a time, are packed as float32: of A in panels of ``ROWS`` rows, of B in panels of
    ``COLUMNS`` columns. Two panels at a time are multiplied into ``ROWS`` x ``COLUMNS`` sums, which the vector
    registers of a processor with AVX-512 hold. A sum adds its products by their order along K.
    """

    ROWS, COLUMNS, DEPTH = 8, 48, 256

    def __init__(self, a_mode: int, b_mode: int, epilogue: Epilogue, tile: tuple[int, int]) -> None:
        """``a_mode``, ``b_mode``: the contiguous mode of the operand, of (M, K) and (N, K)."""
        self.a_mode, self.b_mode, self.epilogue = a_mode, b_mode, epilogue
        self.panels = tile[0] // self.ROWS, tile[1] // self.COLUMNS

    @cute.jit
    def __call__(self, a: cute.Tensor, b: cute.Tensor, *others: cute.Tensor) -> None:
        c = others[-1]
        rows, columns = self.ROWS * self.panels[0], self.COLUMNS * self.panels[1]
        grid = (cute.ceil_div(c.shape[0], rows), cute.ceil_div(c.shape[1], columns), c.shape[2])
        self.kernel(a, b, others).launch(grid=grid, block=(1, 1, 1))

    @cute.kernel
    def kernel(self, a: Tensor, b: Tensor, others: Sequence[Any]) -> None:
        x, y, batch = cute.arch.block_idx()
        first_row, first_column = (
            x * (self.ROWS * self.panels[0]),
            y * (self.COLUMNS * self.panels[1]),
        )
        memory = cute.SmemAllocator()
        a_panels = memory.allocate_tensor(
            Float32, cute.make_layout((self.ROWS, self.DEPTH, self.panels[0])), 64
        )
        b_panels = memory.allocate_tensor(
            Float32, cute.make_layout((self.COLUMNS, self.DEPTH, self.panels[1])), 64
        )
        sums = memory.allocate_tensor(
            Float32, cute.make_layout((self.COLUMNS, self.ROWS, *self.panels)), 64
        )
        m, n, depth = others[-1].shape[0], others[-1].shape[1], a.shape[1]
        used = (
            cute.math.min(self.panels[0], cute.ceil_div(m - first_row, self.ROWS)),
            cute.math.min(self.panels[1], cute.ceil_div(n - first_column, self.COLUMNS)),
        )
        for k in cute.range(0, depth, self.DEPTH):
            steps = cute.math.min(depth - k, self.DEPTH)
            self.pack(a, a_panels, self.a_mode, (first_row, k, batch), used[0], steps)
            self.pack(b, b_panels, self.b_mode, (first_column, k, batch), used[1], steps)
            for q in cute.range(used[1]):
                for p in cute.range(used[0]):
                    self.multiply(
                        a_panels[None, None, p], b_panels[None, None, q], sums[None, None, p, q], k == 0, steps
                    )  # fmt: skip
        for p in cute.range(used[0]):
            for q in cute.range(used[1]):
                corner = first_row + p * self.ROWS, first_column + q * self.COLUMNS, batch
                self.store(sums[None, None, p, q], others, corner)

    @cute.jit
    def pack(
        self, source: Tensor, panels: Tensor, mode: int, begin: Sequence[Any], used: Int32, steps: Int32
    ) -> None:  # fmt: skip
        """Copy ``steps`` of the depth of the panels that are used. Beyond the last row, the last one is repeated."""
        width, last = cute.size(panels, mode=[0]), source.shape[0] - 1
        first, k, batch = begin
        start = source.iterator + Int64(batch) * source.stride[2] + Int64(k) * source.stride[1]
        for panel in cute.range(used):
            row = first + panel * width
            if cute.const_expr(mode == 0):
                for step in cute.range(steps):
                    along = start + Int64(step) * source.stride[1]
                    if row + width - 1 <= last:
                        whole = cute.make_tensor(along + row, cute.make_layout(width))
                        panels[None, step, panel].store(whole.load().to(Float32))
                    else:
                        for i in cute.range(width):
                            panels[i, step, panel] = Float32(
                                (along + cute.math.min(row + i, last)).load()
                            )
            else:
                for piece in cute.range(0, width, self.ROWS):
                    rows = [
                        cute.make_tensor(
                            start + Int64(cute.math.min(row + piece + i, last)) * source.stride[0],
                            cute.make_layout(self.DEPTH),
                        )
                        for i in range(self.ROWS)
                    ]
                    for step in cute.range(steps):
                        for i in cute.range_constexpr(self.ROWS):
                            panels[piece + i, step, panel] = Float32(rows[i][step])

    @cute.jit
    def multiply(self, a: Tensor, b: Tensor, sums: Tensor, first: object, steps: Int32) -> None:
        """Add the product of two panels to the sums, which are 0 before the first part of the depth."""
        kept = cute.make_rmem_tensor((self.COLUMNS, self.ROWS), Float32)
        kept.fill(0.0)
        if not first:
            for i in cute.range_constexpr(self.ROWS):
                kept[None, i].store(sums[None, i].load())
        for step in cute.range(steps):
            columns = b[None, step].load()
            for i in cute.range_constexpr(self.ROWS):
                row = cute.full_like(columns, a[i, step])
                kept[None, i].store(cute.math.fma(row, columns, kept[None, i].load()))
        for i in cute.range_constexpr(self.ROWS):
            sums[None, i].store(kept[None, i].load())

    @cute.jit
    def store(self, sums: Tensor, others: Sequence[Any], corner: Sequence[Any]) -> None:
        """Store the elements of a tile of sums that exist."""
        *addends, c = others
        first_row, first_column, batch = corner
        columns = cute.math.min(self.COLUMNS, c.shape[1] - first_column)
        for i in cute.range(cute.math.min(self.ROWS, c.shape[0] - first_row)):
            m = first_row + i
            for j in cute.range(columns):
                n = first_column + j
                value = self.epilogue.apply(sums[j, i], addends, m, n, batch)
                c[m, n, batch] = value.to(c.element_type)
