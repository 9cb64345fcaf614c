"""Packed floats by primitives and by vectors, and products of a warp by primitives."""

import cutlass
import cutlass.cute as cute
import torch
from cutlass import Float16, Float32, Int16, Int32
from cutlass._mlir.dialects import llvm, vector
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


@cute.kernel
def device_signs(unpacked: cute.Tensor, out: cute.Tensor):
    values = unpacked.load()
    signed = cute.arch.sext_unpacked_i4_i8_intrinsic(values.maybe_downcast(), cute.size(unpacked))
    out.store(cute.TensorSSA(signed, unpacked.shape, cutlass.Int8))


@cute.jit
def signs(unpacked: cute.Tensor, out: cute.Tensor):
    device_signs(unpacked, out).launch(grid=(1, 1, 1), block=(1, 1, 1))


def check_signs():
    """Integers of four bits in the low bits of bytes, as ldmatrix unpacks them."""
    unpacked = torch.arange(16, dtype=torch.int8, device="cuda")
    out = torch.zeros_like(unpacked)
    signs(from_dlpack(unpacked), from_dlpack(out))
    assert out.tolist() == [*range(8), *range(-8, 0)]


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


if __name__ == "__main__":
    check_packing()
    check_unpacking()
    check_signs()
    check_products()
    print("PASS")
