"""Boxes of tensors whose addresses a kernel of ``cute.experimental`` loads: each warp writes the tensor maps of its
copies, for more tensors than it has maps. Prints PASS. ``--assemble`` makes machine code alone.
"""

import sys

import cutlass
import cutlass.cute as cute
import cutlass.cute.experimental as ext
import torch
from cutlass.cute.experimental.host_runtime import QueryDeviceWorkspaceFunc
from cutlass.cute.runtime import from_dlpack

COUNT, ROWS, TILE, STAGES = 40, 40, (16, 32), 4
SMEM = cute.AddressSpace.smem


@ext.jit
def tile_of(addresses: cute.Tensor, number: cutlass.Int32):
    pointer = cute.make_ptr(
        cutlass.Float32, addresses[number], cute.AddressSpace.gmem, assumed_align=16
    )
    matrix = cute.make_tensor(pointer, cute.make_layout((ROWS, TILE[1]), stride=(TILE[1], 1)))
    return cute.zipped_divide(matrix, TILE)[(None, None), (cute.arch.block_idx()[0], 0)]


@ext.kernel
def copy_all(sources: cute.Tensor, targets: cute.Tensor):
    """Warp 0 loads tiles, warp 1 stores them."""
    warp = cute.arch.make_warp_uniform(cute.arch.warp_idx())
    staged = cute.make_layout((*TILE, STAGES), stride=(TILE[1], 1, TILE[0] * TILE[1]))
    tiles = ext.allocate(cutlass.Float32, SMEM, staged, alignment=128)
    full = ext.allocate(cutlass.Int64, SMEM, cute.make_layout(STAGES), alignment=8).iterator
    empty = ext.allocate(cutlass.Int64, SMEM, cute.make_layout(STAGES), alignment=8).iterator
    if warp == 0 and cute.arch.elect_one():
        for stage in cutlass.range_constexpr(STAGES):
            cute.arch.mbarrier_init(full + stage, 1)
            cute.arch.mbarrier_init(empty + stage, 1)
    cute.arch.mbarrier_init_fence()
    cute.arch.sync_threads()
    if warp == 0:
        for number in cutlass.range(COUNT, unroll=1):
            stage, phase = number % STAGES, number // STAGES % 2
            tile = tile_of(sources, number)
            cute.arch.mbarrier_wait(empty + stage, 1 - phase)
            if cute.arch.elect_one():
                cute.arch.mbarrier_arrive_and_expect_tx(full + stage, TILE[0] * TILE[1] * 4)
            ext.tma_load(tile, tiles[None, None, stage], full + stage, update_expect_tx=False)
    else:
        for number in cutlass.range(COUNT, unroll=1):
            stage, phase = number % STAGES, number // STAGES % 2
            tile = tile_of(targets, number)
            cute.arch.mbarrier_wait(full + stage, phase)
            ext.tma_store(tiles[None, None, stage], tile)
            cute.arch.cp_async_bulk_commit_group()
            cute.arch.cp_async_bulk_wait_group(0, read=True)
            cute.arch.sync_warp()
            if cute.arch.elect_one():
                cute.arch.mbarrier_arrive(empty + stage)
        cute.arch.cp_async_bulk_wait_group(0)


@ext.jit
def run(sources: cute.Tensor, targets: cute.Tensor):
    copy_all(sources, targets).launch(
        grid=((ROWS + TILE[0] - 1) // TILE[0], 1, 1), block=(64, 1, 1)
    )


@ext.jit
def run_blocks(sources: cute.Tensor, targets: cute.Tensor, blocks: cutlass.Int32):
    copy_all(sources, targets).launch(grid=(blocks, 1, 1), block=(64, 1, 1))


def refused(call, words):
    try:
        call()
    except ValueError as error:
        assert words in str(error), error
    else:
        raise AssertionError(words)


def main():
    matrices = [torch.rand(ROWS, TILE[1], device="cuda") for _ in range(COUNT)]
    copies = [torch.zeros_like(matrix) for matrix in matrices]
    lists = [
        from_dlpack(torch.tensor([x.data_ptr() for x in each], dtype=torch.int64, device="cuda"))
        for each in (matrices, copies)
    ]
    if "--assemble" in sys.argv:
        compiled = ext.compile(run, *lists, options="--target cuda:sm_90a")
        assert compiled.__cubin__
        for written in (
            "tensormap.replace.tile.global_address",
            "fence.proxy.tensormap::generic.acquire",
        ):
            assert compiled.__ptx__.count(written) == 2
        return
    compiled = ext.compile(run, *lists)
    needed = compiled.get_aux_func(QueryDeviceWorkspaceFunc, kernel=copy_all)(*lists)
    assert needed.size_in_bytes > 2 * 3 * 2 * 32 * 128
    # The workspace may hold anything, at any address.
    workspace = torch.full((needed.size_in_bytes + 1,), 0xA5, dtype=torch.uint8, device="cuda")
    compiled(*lists, from_dlpack(workspace[1:]))
    torch.cuda.synchronize()
    for matrix, copy in zip(matrices, copies, strict=True):
        assert torch.equal(matrix, copy)
    small = from_dlpack(workspace[: needed.size_in_bytes - 1])
    refused(lambda: compiled(*lists, small), f"at least {needed.size_in_bytes} bytes")
    refused(lambda: run(*lists), "whose calls bring a workspace")
    refused(
        lambda: ext.compile(run_blocks, *lists, cutlass.Int32),
        "`grid` of numbers known at compile time",
    )


if __name__ == "__main__":
    main()
    print("PASS")
