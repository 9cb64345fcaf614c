"""Products with scale factors, main loops and epilogues of ``cute.experimental``."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from fairlead import _compiler, range_constexpr
from fairlead import range as run_time_range
from fairlead.compat._experimental_memory import (
    allocate,
    dot,
    make_t2r_rmem_layout,
    partition_and_copy,
)
from fairlead.compat._experimental_pipelines import TMAStorePipeline
from fairlead.compat._parameter_boxes import tma_store
from fairlead.cute import _atoms, _layout, _operations, arch, experimental
from fairlead.cute._jit import jit
from fairlead.cute._types import Int
from fairlead.cute.nvgpu import CopyUniversalOp, tcgen05
from fairlead.pipeline._barriers import when
from fairlead.utils import LayoutEnum, blackwell_helpers

__all__ = ["copy", "dot_block_scaled", "epilogue_tma_store", "mainloop_mma"]


def copy(src: _compiler.Tensor, dst: _compiler.Tensor, *, copy_atom: Any) -> None:
    """Copy as ``fairlead.cute.experimental.copy`` does, or scale factors from shared to tensor memory."""
    if isinstance(getattr(copy_atom, "op", None), tcgen05.Cp4x32x128bOp):
        rows = tcgen05.get_s2t_smem_desc_tensor(copy_atom, src)
        _atoms.copy(copy_atom, rows, dst)
    else:
        experimental.copy(src, dst, copy_atom=copy_atom)


def dot_block_scaled(
    mma_atom: Any,
    a: _compiler.Tensor,
    sfa: _compiler.Tensor,
    b: _compiler.Tensor,
    sfb: _compiler.Tensor,
    acc: _compiler.Tensor,
) -> None:
    """Multiply tiles as ``dot`` does, by their scale factors in tensor memory.

    Args:
        mma_atom: a product with block scaling.
        a, b, acc: as for ``dot``.
        sfa, sfb: the scale factors of the tiles of A and B.
    """
    mma_atom.set(tcgen05.Field.SFA, sfa.iterator)
    mma_atom.set(tcgen05.Field.SFB, sfb.iterator)
    dot(mma_atom, a, b, acc)


@jit
def mainloop_mma(
    tiled_mma: _atoms.TiledMma, a_buffer: _compiler.Tensor, b_buffer: _compiler.Tensor,
    acc: _compiler.Tensor, k_start: Int, k_end: Int, mma_inst_tile_k: int, a_pipe: Any, b_pipe: Any,
    ab_buffer_same_pipeline: bool = True, accumulate_to_acc: bool = False,
) -> Any:  # fmt: skip
    """Multiply the tiles from number ``k_start`` to ``k_end`` along K as they come. All lanes of a warp call it.

    Args:
        tiled_mma: the product.
        a_buffer, b_buffer: shared memory, ((M, K), tiles of M, tiles of K, stages).
        acc: the accumulators of one stage in tensor memory.
        k_start, k_end: numbers of tiles.
        mma_inst_tile_k: products along K of a tile.
        a_pipe, b_pipe: the TMAToUMMAPipeline of each buffer.
        ab_buffer_same_pipeline: whether they are one pipeline, whose stages hold both tiles.
        accumulate_to_acc: whether the first product adds to the accumulators.

    Returns:
        ``a_pipe`` and ``b_pipe``.
    """
    product = _atoms.make_mma_atom(tiled_mma.op)
    product.set(tcgen05.Field.ACCUMULATE, accumulate_to_acc)
    for _ in run_time_range(k_start, k_end):
        a_stage = a_pipe.consumer_wait_and_get_stage()[1]
        b_stage = a_stage
        if not ab_buffer_same_pipeline:
            b_stage = b_pipe.consumer_wait_and_get_stage()[1]
        for block in range_constexpr(mma_inst_tile_k):
            a = _layout.append_ones(a_buffer[None, None, block, a_stage], up_to_rank=3)
            b = _layout.append_ones(b_buffer[None, None, block, b_stage], up_to_rank=3)
            dot(product, a, b, acc)
            product.set(tcgen05.Field.ACCUMULATE, True)
        a_pipe.consumer_release_and_advance()
        if not ab_buffer_same_pipeline:
            b_pipe.consumer_release_and_advance()
    return a_pipe, a_pipe if ab_buffer_same_pipeline else b_pipe


def epilogue_tma_store(
    cta_tile_shape_mnk: Sequence[int],
    use_2cta_instrs: bool,
    acc: _compiler.Tensor,
    gmem_d: _compiler.Tensor,
    cta_tile_coord: Sequence[Int],
    store_pipe: TMAStorePipeline,
    store_warp_id: int,
    epilogue_op: Callable[[Any], Any],
) -> TMAStorePipeline:
    """Store the sums of a block's tile through shared memory, by TMA. The threads of ``store_pipe`` call it.

    Args:
        cta_tile_shape_mnk: the block's tile.
        use_2cta_instrs: whether pairs of blocks compute it.
        acc: the accumulators of the tile in tensor memory, (M, N).
        gmem_d: the result, (M, N, L).
        cta_tile_coord: the tile's place in the result.
        store_pipe: the buffers that are stored.
        store_warp_id: the warp that stores.
        epilogue_op: a function of the values in the result's type.

    Returns:
        ``store_pipe``.
    """
    dtype, layout = gmem_d.element_type, LayoutEnum.from_tensor(gmem_d)
    described: Any = (tuple(cta_tile_shape_mnk), use_2cta_instrs, layout, dtype)
    epi_tile = blackwell_helpers.compute_epilogue_tile_shape(*described)
    staged = blackwell_helpers.make_smem_layout_epi(dtype, layout, epi_tile, store_pipe._stages)
    shared = allocate(dtype, _compiler.AddressSpace.smem, staged, 1024)
    thread = arch.thread_idx()[0]
    parts = _layout.flat_divide(acc, epi_tile)
    atom = blackwell_helpers.get_tmem_load_op(
        described[0], layout, dtype, acc.element_type, epi_tile, use_2cta_instrs
    )
    loading = tcgen05.make_tmem_copy(atom, parts[None, None, 0, 0])
    storing = _atoms.make_tiled_copy_D(_atoms.make_copy_atom(CopyUniversalOp(), dtype), loading)
    tile = _layout.zipped_divide(gmem_d, tuple(cta_tile_shape_mnk[:2]))
    targets = _layout.flat_divide(tile[(None, None), tuple(cta_tile_coord)], epi_tile)
    registers = make_t2r_rmem_layout(loading, targets, thread)
    rmem = _compiler.AddressSpace.rmem
    sums = allocate(acc.element_type, rmem, registers)
    values = allocate(dtype, rmem, registers)
    warp = arch.make_warp_uniform(arch.warp_idx())
    for part in range(_operations.size(parts.shape, mode=[3])):
        partition_and_copy(loading.get_slice(thread), parts[None, None, 0, part], sums)
        values.store(epilogue_op(sums.load().to(dtype)))
        store_pipe.acquire_sync()
        buffer = shared[None, None, store_pipe.get_index()]
        partition_and_copy(storing.get_slice(thread), values, buffer)
        store_pipe.commit_sync()
        target = targets[None, None, 0, part]
        when(warp == store_warp_id, functools.partial(tma_store, buffer, target))
        store_pipe.release_advance()
    store_pipe.tail()
    return store_pipe
