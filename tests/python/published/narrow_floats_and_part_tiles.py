"""Packed floats by primitives and by vectors, and products of tiles that a tensor only fills a part of."""

import cutlass
import cutlass.cute as cute
import torch
from cutlass import Float16, Float32, Int16, Int32
from cutlass._mlir.dialects import vector
from cutlass.cute.nvgpu import warp
from cutlass.cute.runtime import from_dlpack
from cutlass.experimental import primitives as prims

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


if __name__ == "__main__":
    check_packing()
    check_unpacking()
    check_part_tiles()
    print("PASS")
