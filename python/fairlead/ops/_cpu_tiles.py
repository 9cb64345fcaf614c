"""Tiles of products in the vector registers of a processor, of operands that are packed for its caches."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fairlead import _compiler, cute
from fairlead._compiler import Float32, Int64, Uint16, Uint32

if TYPE_CHECKING:
    from fairlead._compiler import Tensor
    from fairlead.cute.typing import Int

__all__ = ["COLUMNS", "HAS_PAIRS", "ROWS", "add_pairs", "add_product", "pack", "pack_pairs"]

#: Of a tile. Its sums take 24 of 32 registers of AVX-512 or of NEON, or 12 of 16 registers of AVX2.
ROWS, COLUMNS = (8, 48) if _compiler.cpu_level() == 4 else (4, 24)
#: True if the processor multiplies pairs of BFloat16 by one instruction.
HAS_PAIRS = _compiler.cpu_has_dot_pairs()


@cute.jit
def pack(
    source: Tensor, panels: Tensor, contiguous: cute.Constexpr[int], first: Int, step: Int, used: Int, steps: Int
) -> None:  # fmt: skip
    """Copy the part of ``source`` (rows, depth) from row ``first`` and step ``step`` of the depth on as float32.

    Args:
        panels: (rows of a panel, steps, number of panels) in shared memory; ``used`` panels and ``steps`` of their
            depth are written. In the place of rows beyond the last one, that one is repeated.
        contiguous: the contiguous mode of ``source``. If it is 1, panels have a multiple of ``ROWS`` rows.
    """
    width, last = cute.size(panels, mode=[0]), source.shape[0] - 1
    start = source.iterator + Int64(step) * source.stride[1]
    for panel in cute.range(used):
        row = first + panel * width
        if cute.const_expr(contiguous == 0):
            for k in cute.range(steps):
                column = start + Int64(k) * source.stride[1]
                if row + width - 1 <= last:
                    source_row = cute.make_tensor(column + row, cute.make_layout(width))
                    panels[None, k, panel].store(source_row.load().to(Float32))
                else:
                    for i in cute.range(width):
                        panels[i, k, panel] = Float32(
                            (column + cute.math.min(row + i, last)).load()
                        )
        else:
            for part in cute.range(0, width, ROWS):
                rows = [
                    cute.make_tensor(
                        start + Int64(cute.math.min(row + part + i, last)) * source.stride[0],
                        cute.make_layout(cute.size(panels, mode=[1])),
                    )
                    for i in range(ROWS)
                ]
                for k in cute.range(steps):
                    for i in cute.range_constexpr(ROWS):
                        panels[part + i, k, panel] = Float32(rows[i][k])


@cute.jit
def add_product(a: Tensor, b: Tensor, sums: Tensor, begins: object, steps: Int) -> None:
    """Add the product of ``a`` (ROWS, steps) and ``b`` (columns, steps) to ``sums`` (columns, ROWS).

    ``begins``: whether the sums are 0 before. Products are added by their order along the depth.
    """
    private_sums = cute.make_rmem_tensor(sums.shape, Float32)
    private_sums.fill(0.0)
    if not begins:
        for i in cute.range_constexpr(ROWS):
            private_sums[None, i].store(sums[None, i].load())
    for k in cute.range(steps):
        columns = b[None, k].load()
        for i in cute.range_constexpr(ROWS):
            row = cute.full_like(columns, a[i, k])
            private_sums[None, i].store(cute.math.fma(row, columns, private_sums[None, i].load()))
    for i in cute.range_constexpr(ROWS):
        sums[None, i].store(private_sums[None, i].load())


@cute.jit
def pack_pairs(
    source: Tensor, panels: Tensor, contiguous: cute.Constexpr[int], first: Int, step: Int, used: Int, steps: Int
) -> None:  # fmt: skip
    """Copy as pack does, from BFloat16: neighbours along the depth as a pair, the first one in the high half.

    Args:
        panels: of Uint32, (rows of a panel, pairs of steps, number of panels). The last step of an odd number is paired
            with 0.
    """
    width, last = cute.size(panels, mode=[0]), source.shape[0] - 1
    start = source.iterator + Int64(step) * source.stride[1]
    for panel in cute.range(used):
        row = first + panel * width
        if cute.const_expr(contiguous == 0):
            for k in cute.range(0, steps, 2):
                column = cute.recast_ptr(start + Int64(k) * source.stride[1], dtype=Uint16)
                # Beyond the last step comes that one again, times 0.
                factor = Uint32(k + 1 < steps)
                other = column + Int64(factor) * source.stride[1]
                if row + width - 1 <= last:
                    of_first, of_second = (
                        cute.make_tensor(at + row, cute.make_layout(width)).load().to(Uint32)
                        for at in (column, other)
                    )
                    panels[None, k // 2, panel].store((of_first << 16) | (of_second * factor))
                else:
                    for i in cute.range(width):
                        at = cute.math.min(row + i, last)
                        high, low = Uint32((column + at).load()), Uint32((other + at).load())
                        panels[i, k // 2, panel] = (high << 16) | (low * factor)
        else:
            pairs = steps // 2
            for part in cute.range(0, width, ROWS):
                rows = [
                    start + Int64(cute.math.min(row + part + i, last)) * source.stride[0]
                    for i in range(ROWS)
                ]
                words = [
                    cute.make_tensor(
                        cute.recast_ptr(address, dtype=Uint32),
                        cute.make_layout(cute.size(panels, mode=[1])),
                    )
                    for address in rows
                ]
                for k in cute.range(pairs):
                    for i in cute.range_constexpr(ROWS):
                        word = words[i][k]
                        panels[part + i, k, panel] = (word << 16) | (word >> 16)
                if steps % 2 == 1:
                    for i in cute.range_constexpr(ROWS):
                        word = cute.recast_ptr(rows[i] + (steps - 1), dtype=Uint16).load()
                        panels[part + i, pairs, panel] = Uint32(word) << 16


@cute.jit
def add_pairs(a: Tensor, b: Tensor, sums: Tensor, begins: object, steps: Int) -> None:
    """Add a product as add_product does, of pairs of BFloat16 along the depth; ``steps``: number of pairs."""
    private_sums = cute.make_rmem_tensor(sums.shape, Float32)
    private_sums.fill(0.0)
    if not begins:
        for i in cute.range_constexpr(ROWS):
            private_sums[None, i].store(sums[None, i].load())
    for k in cute.range(steps):
        columns = b[None, k].load()
        for i in cute.range_constexpr(ROWS):
            row = a[i, k]
            for j in cute.range_constexpr(cute.size(sums, mode=[0])):
                operands = [row, columns[j], private_sums[j, i]]
                private_sums[j, i] = _compiler.operation("dot_pairs", operands)[0]
    for i in cute.range_constexpr(ROWS):
        sums[None, i].store(private_sums[None, i].load())
