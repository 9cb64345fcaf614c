"""Settings of products that a loop on the run's numbers changes, of an MMA that it also assigns."""

import cutlass
import cutlass.cute as cute
import torch
from cutlass import Float16, Float32, Int32
from cutlass.cute.runtime import from_dlpack
from cutlass.utils import LayoutEnum, hopper_helpers


@cute.jit
def multiply(mma: cute.TiledMma, steps: Int32, sums: cute.Tensor, a: cute.Tensor, b: cute.Tensor):
    """The product of tiles of K, which overwrites the sums."""
    mma.set(cute.nvgpu.warpgroup.Field.ACCUMULATE, False)
    for _ in cutlass.range(steps, unroll=1):
        cute.nvgpu.warpgroup.fence()
        for block in cutlass.range_constexpr(cute.size(a, mode=[2])):
            cute.gemm(mma, sums, a[None, None, block, 0], b[None, None, block, 0], sums)
            mma.set(cute.nvgpu.warpgroup.Field.ACCUMULATE, True)
        cute.nvgpu.warpgroup.commit_group()
        cute.nvgpu.warpgroup.wait_group(0)
    return mma


@cute.kernel
def device_tiles(
    out: cute.Tensor,
    tiles: Int32,
    mma: cute.TiledMma,
    a_layout: cute.ComposedLayout,
    b_layout: cute.ComposedLayout,
):
    thread, _, _ = cute.arch.thread_idx()
    memory = cutlass.utils.SmemAllocator()
    a = memory.allocate_tensor(Float16, a_layout.outer, 1024, swizzle=a_layout.inner)
    b = memory.allocate_tensor(Float16, b_layout.outer, 1024, swizzle=b_layout.inner)
    for i in cutlass.range(thread, 64 * 64, 128):
        a[i // 64, i % 64, 0] = Float16(1.0 if i % 64 == i // 64 else 0.0)
        b[i // 64, i % 64, 0] = Float16(i // 64)
    cute.arch.fence_proxy("async.shared", space="cta")
    cute.arch.sync_threads()
    mine = mma.get_slice(thread)
    a_parts = mma.make_fragment_A(mine.partition_A(a))
    b_parts = mma.make_fragment_B(mine.partition_B(b))
    sums = cute.make_rmem_tensor(mine.partition_shape_C((64, 64)), Float32)
    tile = Int32(0)
    while tile < tiles:
        # Each tile multiplies as often as its number says.
        mma = multiply(mma, tile + 1, sums, a_parts, b_parts)
        part = mine.partition_C(out[None, None, tile])
        for i in cutlass.range_constexpr(cute.size(sums)):
            part[i] = sums[i]
        tile += 1


@cute.jit
def make_tiles(out: cute.Tensor, tiles: Int32):
    major = cute.nvgpu.OperandMajorMode.K
    mma = hopper_helpers.make_trivial_tiled_mma(
        Float16, Float16, major, major, Float32, (1, 1, 1), tiler_mn=(64, 64)
    )
    a, b = (
        make(LayoutEnum.ROW_MAJOR, (64, 64, 64), Float16, 1)
        for make in (hopper_helpers.make_smem_layout_a, hopper_helpers.make_smem_layout_b)
    )
    device_tiles(out, tiles, mma, a, b).launch(grid=(1, 1, 1), block=(128, 1, 1))


def check_settings_in_loops():
    out = torch.full((64, 64, 3), -1.0, device="cuda")
    make_tiles(from_dlpack(out), 3)
    columns = torch.arange(64.0).repeat(64, 1)
    for tile in range(3):
        assert torch.equal(out[..., tile].cpu(), columns * (tile + 1))


if __name__ == "__main__":
    check_settings_in_loops()
    print("PASS")
