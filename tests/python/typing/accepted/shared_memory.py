from __future__ import annotations

from fairlead import cute, pipeline, utils
from fairlead.cute.nvgpu import CopyUniversalOp, warp


@cute.kernel
def copy_tile(source: cute.Tensor, out: cute.Tensor, tiled: cute.TiledCopy) -> None:
    thread, _, _ = cute.arch.thread_idx()
    allocator = cute.SmemAllocator()
    tile = allocator.allocate_tensor(cute.Float16, cute.make_layout((64, 64)), 128)
    part = tiled.get_slice(thread)
    fragment = cute.make_fragment_like(part.partition_D(tile))
    cute.copy(tiled, part.partition_S(source), fragment)
    cute.copy(tiled, fragment, part.partition_D(tile))
    cute.arch.cp_async_commit_group()
    cute.arch.cp_async_wait_group(0)
    cute.arch.sync_threads()
    total = cute.arch.shuffle_sync_bfly(fragment.load().reduce(cute.ReductionOp.ADD, 0.0), 1)
    if thread == 0 and total > cute.Float32(0):
        cute.printf("{}", total)
    out[thread] = cute.math.exp(total) + cute.arch.fmax(total, 0.0)


@cute.jit
def run(source: cute.Tensor, out: cute.Tensor, rows: cute.Constexpr[int] = 64) -> None:
    atom = cute.make_copy_atom(CopyUniversalOp(), source.element_type, num_bits_per_copy=128)
    threads = cute.make_layout((16, 8), stride=(8, 1))
    tiled = cute.make_tiled_copy_tv(atom, threads, cute.make_layout((1, 8)))
    load = cute.make_copy_atom(warp.LdMatrix8x8x16bOp(False, 4), cute.Float16)
    print(load, rows, utils.LayoutEnum.from_tensor(source), pipeline.Agent.Thread)
    copy_tile(source, out, tiled).launch(
        grid=cute.ceil_div(source.shape[0], rows), block=(128, 1, 1), cluster=[1, 1, 1], smem=0
    )
