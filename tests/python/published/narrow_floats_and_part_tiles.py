"""Packed floats by primitives and by vectors, products of tiles that a tensor only fills a part of, divisions that are
not used, settings of products in loops."""

import cutlass
import cutlass.cute as cute
import torch
from cutlass import Float16, Float32, Int16, Int32
from cutlass._mlir.dialects import llvm, vector
from cutlass.cute.nvgpu import warp
from cutlass.cute.runtime import from_dlpack
from cutlass.experimental import primitives as prims
from cutlass.utils import LayoutEnum, hopper_helpers

# --- packed floats


@cute.kernel
def device_pack(numbers: cute.Tensor, words: cute.Tensor):
    thread, _, _ = cute.arch.thread_idx()
    low, high = numbers[thread, 0], numbers[thread, 1]
    kinds = prims.CVTPackFloat
    words[thread, 0] = prims.cvt_packfloat_f32(
        high, low, 0, kinds.BF16X2, rnd=prims.FPRoundingMode.RN
    )
    pair = prims.cvt_packfloat_f32(high, low, Int32(0), kinds.E4M3X2, extract_hi=False)
    words[thread, 1] = prims.cvt_packfloat_f32(low, high, pair, kinds.E4M3X2, extract_hi=True)
    words[thread, 2] = prims.cvt_packfloat_f32(
        high, low, 0, kinds.F16X2, sat=prims.SaturationModeKind.SATFINITE
    )
    words[thread, 3] = cute.arch.cvt_f32_tf32(low)


@cute.jit
def pack(numbers: cute.Tensor, words: cute.Tensor):
    device_pack(numbers, words).launch(grid=(1, 1, 1), block=(numbers.shape[0], 1, 1))


def check_packing():
    numbers = torch.tensor([[1.0, -2.5], [0.3, 300.0], [-1e5, 1e9], [448.0, -0.01]], device="cuda")
    words = torch.zeros((4, 4), dtype=torch.int32, device="cuda")
    pack(from_dlpack(numbers), from_dlpack(words))
    assert torch.equal(words[:, 0].contiguous().view(torch.bfloat16), numbers.bfloat16().flatten())
    codes = numbers.clamp(-448, 448).to(torch.float8_e4m3fn).view(torch.uint8)
    assert torch.equal(
        words[:, 1].contiguous().view(torch.uint8).reshape(4, 4),
        torch.cat([codes, codes.flip(1)], 1),
    )
    halves = numbers.clamp(-65504, 65504).half().flatten()
    assert torch.equal(words[:, 2].contiguous().view(torch.float16), halves)
    rounded = (numbers[:, 0].contiguous().view(torch.int32) + (1 << 12)) & ~((1 << 13) - 1)
    assert torch.equal(words[:, 3], rounded)


@cute.kernel
def device_unpack(words: cute.Tensor, out: cute.Tensor):
    word = words[0]
    eight = cute.arch.cvt_f4e2m1x8_to_f16x8(word.ir_value())
    for i in cutlass.range_constexpr(8):
        out[0, i] = Float16(vector.extract(eight, [], [i]))
    four = cute.arch.cvt_f4e2m1x4_to_f16x4((word >> 16).to(Int16).ir_value())
    for i in cutlass.range_constexpr(4):
        out[1, i] = Float16(vector.extract(four, [], [i]))


@cute.jit
def unpack(words: cute.Tensor, out: cute.Tensor):
    device_unpack(words, out).launch(grid=(1, 1, 1), block=(1, 1, 1))


def check_unpacking():
    codes = [0, 1, 3, 7, 8, 9, 14, 15]
    word = sum(code << (4 * place) for place, code in enumerate(codes))
    words = torch.tensor([word - (1 << 32)], dtype=torch.int32, device="cuda")
    out = torch.full((2, 8), -1.0, dtype=torch.float16, device="cuda")
    unpack(from_dlpack(words), from_dlpack(out))
    magnitudes = [0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0]
    expected = torch.tensor([magnitudes[code & 7] * (-1 if code > 7 else 1) for code in codes])
    assert torch.equal(out[0].float().cpu(), expected)
    assert torch.equal(out[1, :4].float().cpu(), expected[4:]) and (out[1, 4:] == -1).all()


# --- products of a warp, by primitives


@cute.kernel
def device_product(a: cute.Tensor, b: cute.Tensor, c: cute.Tensor):
    """c (16, 8) = 2 + a (16, 16) * b (8, 16)."""
    lane, _, _ = cute.arch.thread_idx()
    row, column = lane // 4, lane % 4 * 2

    def pair(matrix, row, column):
        low, high = (Float32(matrix[row, column + i]) for i in range(2))
        return prims.cvt_packfloat_f32(high, low, 0, prims.CVTPackFloat.BF16X2).ir_value()

    places = [(row, column), (row + 8, column), (row, column + 8), (row + 8, column + 8)]
    result = prims.mma_sync(
        llvm.StructType.get_literal([Float32.mlir_type] * 4),
        shape=(16, 8, 16),
        layout_a=prims.MMALayout.ROW,
        layout_b=prims.MMALayout.COL,
        operand_a=[pair(a, *place) for place in places],
        operand_b=[pair(b, row, column), pair(b, row, column + 8)],
        operand_c=[Float32(2.0).ir_value() for _ in range(4)],
        multiplicand_a_ptx_type=prims.MMAType.BF16,
        multiplicand_b_ptx_type=prims.MMAType.BF16,
    )
    for i in cutlass.range_constexpr(4):
        c[row + i // 2 * 8, column + i % 2] = Float32(
            llvm.extractvalue(Float32.mlir_type, result, [i])
        )


@cute.jit
def product(a: cute.Tensor, b: cute.Tensor, c: cute.Tensor):
    device_product(a, b, c).launch(grid=(1, 1, 1), block=(32, 1, 1))


def check_products():
    a = (torch.arange(256.0) % 7 - 3).reshape(16, 16).bfloat16().cuda()
    b = (torch.arange(128.0) % 5 - 2).reshape(8, 16).bfloat16().cuda()
    c = torch.full((16, 8), -1.0, device="cuda")
    product(*(from_dlpack(tensor) for tensor in (a, b, c)))
    assert torch.equal(c.cpu().double(), 2 + a.cpu().double() @ b.cpu().double().T)


# --- parts of tiles: programs compare coordinates before they touch elements


@cute.kernel
def device_rows(sums: cute.Tensor, mma: cute.TiledMma):
    """A number for each row, which the threads that have the row's first column write."""
    thread, _, _ = cute.arch.thread_idx()
    mine = mma.get_slice(thread)
    rows = sums.shape[0]
    column = cute.make_tensor(sums.iterator, cute.make_layout((16, 1), stride=(1, 0)))
    places = mine.partition_C(cute.make_identity_tensor((16, 1)))
    part = mine.partition_C(column)
    for row in cutlass.range_constexpr(cute.size(part.shape[0][1])):
        place = places[(0, row), 0, 0]
        if place[1] == 0 and cute.elem_less(place[0], rows):
            part[(0, row), 0, 0] = Float32(place[0] + 1)


@cute.jit
def count_rows(sums: cute.Tensor):
    op = warp.MmaF16BF16Op(Float16, Float32, (16, 8, 16))
    mma = cute.make_tiled_mma(op, (1, 4, 1), permutation_mnk=(16, 64, 16))
    device_rows(sums, mma).launch(grid=(1, 1, 1), block=(128, 1, 1))


def check_part_tiles():
    sums = torch.full((16,), -1.0, device="cuda")
    count_rows(from_dlpack(sums[:11]))
    expected = torch.tensor([row + 1.0 if row < 11 else -1.0 for row in range(16)])
    assert torch.equal(sums.cpu(), expected)


# --- a division whose result is not used, of a size that a choice made 0


@cute.kernel
def device_places(places: cute.Tensor, size: cutlass.Constexpr):
    thread, _, _ = cute.arch.thread_idx()
    place = thread % size
    if cutlass.const_expr(size > 0):
        places[thread] = place
    else:
        places[thread] = thread


@cute.jit
def place(places: cute.Tensor, size: cutlass.Constexpr):
    device_places(places, size).launch(grid=(1, 1, 1), block=(places.shape[0], 1, 1))


def check_unused_divisions():
    for size in (4, 0):
        places = torch.full((8,), -1, dtype=torch.int32, device="cuda")
        place(from_dlpack(places), size)
        assert places.tolist() == [thread % size if size else thread for thread in range(8)]


# --- settings of products that a loop on the run's numbers changes, of an MMA that it also assigns


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
    check_packing()
    check_unpacking()
    check_products()
    check_part_tiles()
    check_unused_divisions()
    check_settings_in_loops()
    print("PASS")
