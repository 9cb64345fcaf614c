"""Arithmetic of published programs on floats of 16 bits, upper bits of products, and types of Boolean operators.
Compared with NumPy."""

import numpy as np
import pytest
import torch

import fairlead.compat  # noqa: F401  before the names that it defines

# isort: split
import cutlass
import cutlass.cute as cute
from cutlass import BFloat16, Boolean, Float16, Float32, Int4, Int8, Int32, Int64, Uint32, Uint64
from support.published_kernels import ptx_of, run

_RANDOM = np.random.default_rng(0)
_NUMBERS = np.concatenate(
    [
        _RANDOM.normal(size=(56, 3)),
        [[1 + 2**-5, 1 + 2**-6, 2**-24], [300, 300, 1], [-300, 300, 0], [0.5, 0.5, -1]],
        [[np.nan, 1, 1], [1, 2**-14, 2**-24], [np.inf, 0, 1], [0.1, 0.2, -0.02]],
    ]
)


def test_fma_of_float16_rounds_once():
    @cute.kernel
    def kernel(x: cute.Tensor, out: cute.Tensor):
        i, _, _ = cute.arch.thread_idx()
        a, b, c = x[i, 0], x[i, 1], x[i, 2]
        result = cute.arch.fma_f16(a, b, c)
        assert result.dtype is Float16
        out[i, 0] = result
        out[i, 1] = cute.arch.fma_f16(a, b, c, sat=True)
        out[i, 2] = cute.arch.fma_f16(a, b, c, relu=True)
        out[i, 3], out[i, 4] = cute.arch.fma_packed_f16x2((a, b), (b, b), (c, 1.0))
        out[i, 5], out[i, 6] = cute.arch.fma_packed_f16x2((a, b), (b, b), (c, 1.0), relu=True)
        out[i, 7], out[i, 8] = cute.arch.add_packed_f16x2((a, b), (b, Float32(c)))
        out[i, 9], out[i, 10] = cute.arch.sub_packed_f16x2((a, b), (b, c), sat=True)

    x = _NUMBERS.astype(np.float16)
    out = np.zeros((64, 11), np.float16)
    run(kernel, x, out, threads=64)
    # Float64 holds every product of two, and rounds sums of these numbers without a change.
    a, b, c = x.astype(np.float64).T
    with np.errstate(all="ignore"):
        total, other = a * b + c, b * b + 1
        expected = [total, np.where(np.isnan(total), 0, np.clip(total, 0, 1)), np.fmax(total, 0)]
        expected[2] = np.where(np.isnan(total), np.nan, expected[2])
        expected += [total, other, expected[2], other, a + b, b + c]
        expected += [np.where(np.isnan(y), 0, np.clip(y, 0, 1)) for y in (a - b, b - c)]
        expected = np.array(expected).astype(np.float16)
    np.testing.assert_array_equal(out.T, expected)


def test_words_of_two_float16():
    @cute.kernel
    def kernel(x: cute.Tensor, out: cute.Tensor):
        i, _, _ = cute.arch.thread_idx()
        a, b = x[i, 0], x[i, 1]
        total = cute.arch.add_packed_f16x2(a, b)
        assert total.dtype is Int32
        out[i, 0] = total
        out[i, 1] = cute.arch.fma_packed_f16x2(a, b, a)

    pairs = _NUMBERS[:56, :2].astype(np.float16).reshape(28, 2, 2)
    x = np.ascontiguousarray(pairs).view(np.int32).reshape(28, 2)
    out = np.zeros((28, 2), np.int32)
    run(kernel, x, out, threads=28)
    a, b = pairs[:, 0].astype(np.float64), pairs[:, 1].astype(np.float64)
    results = out.view(np.float16).reshape(28, 2, 2)
    np.testing.assert_array_equal(results[:, 0], (a + b).astype(np.float16))
    np.testing.assert_array_equal(results[:, 1], (a * b + a).astype(np.float16))


def _bfloat16(numbers):
    """Round Float32 numbers to BFloat16, ties to even."""
    bits = numbers.astype(np.float32).view(np.uint32).astype(np.uint64)
    rounded = (bits + 0x7FFF + ((bits >> 16) & 1)) & 0xFFFF0000
    return rounded.astype(np.uint32).view(np.float32)


def test_arithmetic_of_bfloat16_pairs():
    """Small integers have exact results, which are rounded once."""

    @cute.kernel
    def kernel(x: cute.Tensor, out: cute.Tensor):
        i, _, _ = cute.arch.thread_idx()
        a, b, c = BFloat16(x[i, 0]), BFloat16(x[i, 1]), BFloat16(x[i, 2])
        result = cute.arch.fma_bf16(a, b, c)
        assert result.dtype is BFloat16
        results = [result, cute.arch.fma_bf16(a, b, c, relu=True)]
        results += cute.arch.fma_packed_bf16x2((a, b), (b, b), (c, a))
        results += cute.arch.add_packed_bf16x2((a, b), (b, c))
        results += cute.arch.sub_packed_bf16x2((a, b), (b, c))
        for place in cutlass.range_constexpr(8):
            out[i, place] = Float32(results[place])

    x = _RANDOM.integers(-250, 250, (64, 3)).astype(np.float32)
    out = np.zeros((64, 8), np.float32)
    run(kernel, x, out, threads=64)
    a, b, c = x.T
    expected = [a * b + c, np.maximum(a * b + c, 0), a * b + c, b * b + a, a + b, b + c]
    expected += [a - b, b - c]
    np.testing.assert_array_equal(out.T, _bfloat16(np.array(expected)))


def test_unknown_rounding_is_rejected():
    @cute.kernel
    def kernel(x: cute.Tensor):
        x[0] = cute.arch.fma_f16(x[0], x[1], x[2], rnd="rz")

    with pytest.raises(Exception, match="rn as rnd"):
        run(kernel, np.zeros(3, np.float16))


def test_pairs_use_one_instruction_on_gpus(tmp_path, monkeypatch):
    @cute.kernel
    def kernel(x: cute.Tensor):
        a, b = x[0], x[1]
        x[2] = cute.arch.fma_packed_f16x2(a, b, a, relu=True)
        x[3] = cute.arch.add_packed_f16x2(a, b, ftz=True, sat=True)

    text = ptx_of(kernel, tmp_path, monkeypatch)
    assert "fma.rn.relu.f16x2" in text and "add.rn.ftz.sat.f16x2" in text


@pytest.mark.parametrize("dtype, array_dtype", [(Int64, np.int64), (Uint64, np.uint64)])
def test_upper_bits_of_products(dtype, array_dtype):
    @cute.kernel
    def kernel(x: cute.Tensor, out: cute.Tensor):
        i, _, _ = cute.arch.thread_idx()
        upper = cute.arch.mul_hi(x[i, 0], x[i, 1])
        assert upper.dtype is dtype
        out[i] = upper

    info = np.iinfo(array_dtype)
    x = _RANDOM.integers(info.min, info.max, (32, 2), array_dtype, endpoint=True)
    x[:4] = [[info.min, info.min], [info.max, info.max], [info.min, info.max], [info.max, 1]]
    x[4:6] = np.array([[-1, -1], [-1, 1]]).astype(array_dtype)
    out = np.zeros(32, array_dtype)
    run(kernel, x, out)
    assert out.tolist() == [int(a) * int(b) >> 64 for a, b in x]


def test_operators_of_booleans_give_booleans():
    """A shift by a true count is undefined: only the count 0 is compared."""

    @cute.kernel
    def kernel(x: cute.Tensor, out: cute.Tensor):
        i, _, _ = cute.arch.thread_idx()
        a, zero, one = x[i] > 3, x[i] > 100, x[i] > -100
        results = [a << zero, a >> zero, a // one, a % one]
        for place in cutlass.range_constexpr(4):
            assert results[place].dtype is Boolean
            out[i, place] = Int32(results[place])
        assert (a << 1).dtype is (a // 2).dtype is Int32

    x = np.arange(32, dtype=np.int32)
    out = np.zeros((32, 4), np.int32)
    run(kernel, x, out)
    np.testing.assert_array_equal(out.T, [x > 3, x > 3, x > 3, np.zeros(32)])


def test_remainders_of_written_floats_have_the_sign_of_the_divisor():
    @cute.kernel
    def kernel(x: cute.Tensor, out: cute.Tensor):
        out[0] = Float32(-7) % Float32(3)
        out[1] = Float32(7) % Float32(-3)
        out[2] = x[0] % Float32(3)

    out = np.zeros(3, np.float32)
    run(kernel, np.array([-7.0], np.float32), out)
    assert out.tolist() == [2.0, -2.0, -1.0]


def test_instructions_on_written_numbers_give_run_time_numbers():
    """As on GPUs: the sign of a number that is only known at run time is not extended to an unsigned type."""

    @cute.kernel
    def kernel(out: cute.Tensor):
        word = cute.arch.prmt(Int32(-5), Int32(-5), 0x3210)
        out[0] = Int64(Uint64(word))
        out[1] = Int64(Uint64(Int32(-5)))
        out[2] = Int64(Uint64(Uint32(word)))

    out = np.zeros(3, np.int64)
    run(kernel, out, threads=1)
    assert out.tolist() == [2**32 - 5, -5, 2**32 - 5]


@pytest.mark.parametrize("with_shuffle", [False, True])
def test_vectors_of_narrow_integers(with_shuffle):
    arch = cute.arch

    @cute.kernel
    def kernel(words: cute.Tensor, out: cute.Tensor):
        fours = cute.recast_tensor(words, Int4)
        first = cute.make_rmem_tensor((8,), Int4)
        for i in cutlass.range_constexpr(8):
            first[i] = fours[i]
        vector = first.load().ir_value()
        wide = arch.cvt_i4_bf16_intrinsic(vector, 8, with_shuffle=with_shuffle)
        bytes_ = arch.cvt_i4x8_to_mxf8x8(vector, dst_type=Int8)
        for i in cutlass.range_constexpr(8):
            out[0, i] = wide[i].to(Float32)
            out[1, i] = cute.arch.cvt_i4_bf16(fours[i]).to(Float32)
            out[2, i] = bytes_[i].to(Float32)
        eights = cute.make_rmem_tensor((4,), Int8)
        for i in cutlass.range_constexpr(4):
            eights[i] = cute.recast_tensor(words, Int8)[i]
        numbers = eights.load().ir_value()
        for row, function in ((3, arch.cvt_i8x4_to_bf16x4), (4, arch.cvt_i8x4_to_f32x4)):
            for i in cutlass.range_constexpr(4):
                out[row, i] = function(numbers)[i].to(Float32)
        with pytest.raises(TypeError, match="a vector of 2 Int8"):
            arch.cvt_i8x2_to_bf16x2(numbers)
        with pytest.raises(ValueError, match="a multiple of 8 as length"):
            arch.cvt_i4_mxf8_intrinsic(vector, 8, Float16)

    words = np.array([0x5F3A8127], np.uint32).view(np.int32)
    out = np.zeros((5, 8), np.float32)
    run(kernel, words, out, threads=1)
    digits = [0x5F3A8127 >> 4 * place & 15 for place in range(8)]
    numbers = np.array([digit - 16 * (digit > 7) for digit in digits], np.float32)
    order = [0, 2, 1, 3, 4, 6, 5, 7] if with_shuffle else range(8)
    np.testing.assert_array_equal(out[0], numbers[list(order)])
    np.testing.assert_array_equal(out[1], numbers)
    halves = torch.from_numpy(numbers).to(torch.float8_e4m3fn).view(torch.int8)
    np.testing.assert_array_equal(out[2], halves.to(torch.float32).numpy())
    np.testing.assert_array_equal(out[3, :4], words.view(np.int8))
    np.testing.assert_array_equal(out[4, :4], words.view(np.int8))


def test_pairs_of_different_floats():
    @cute.kernel
    def kernel(out: cute.Tensor):
        pair, wide = (BFloat16(1.5), BFloat16(2.5)), (Float32(1.0), Float32(2.0))
        total = cute.arch.add_packed_f32x2_bf16x2_f32x2(pair, wide, rnd="rn", dtype=BFloat16)
        out[0], out[1] = total
        out[2], out[3] = cute.arch.fma_packed_f32x2_bf16x2_f32x2_f32x2(pair, wide, wide)

    out = np.zeros(4, np.float32)
    run(kernel, out, threads=1)
    assert out.tolist() == [2.5, 4.5, 2.5, 7.0]
