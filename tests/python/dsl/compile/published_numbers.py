"""Numbers of published programs: remainders, conversions, multiply-adds and matches. Compared with NumPy."""

import re

import numpy as np
import pytest

import fairlead.compat  # noqa: F401  before the names that it defines

# isort: split
import cutlass
import cutlass.cute as cute
from cutlass import Float16, Float32, Int32
from cutlass.cute.nvgpu import MmaUniversalOp
from support.published_kernels import ptx_of, run


def test_a_multiply_add_of_float16_rounds_once():
    @cute.kernel
    def kernel(a: cute.Tensor, b: cute.Tensor, c: cute.Tensor):
        mma = cute.make_tiled_mma(MmaUniversalOp(Float16), cute.make_layout((1, 1, 1)))
        parts = [cute.make_rmem_tensor((1, 1, 64), Float16) for _ in range(2)]
        total = cute.make_rmem_tensor((1, 1, 1), Float16)
        total[0] = c[0]
        for k in cutlass.range_constexpr(64):
            parts[0][k], parts[1][k] = a[k], b[k]
        cute.gemm(mma, total, *parts, total)
        c[0] = total[0]

    random = np.random.default_rng(0)
    a, b = random.standard_normal((2, 64)).astype(np.float16)
    c = np.zeros(1, np.float16)
    expected, rounded_twice = np.float16(0), np.float16(0)
    for x, y in zip(a, b):
        expected = np.float16(np.float32(x) * np.float32(y) + np.float32(expected))
        rounded_twice = x * y + rounded_twice
    assert expected != rounded_twice
    run(kernel, a, b, c, threads=1)
    assert c[0] == expected


def test_the_remainder_of_run_time_integers_has_the_sign_of_the_dividend():
    """C's rule, as for `%` of GPUs; `//` rounds down, and numbers that are written follow Python."""

    @cute.kernel
    def kernel(x: cute.Tensor, out: cute.Tensor):
        i, _, _ = cute.arch.thread_idx()
        out[i, 0] = x[i] % 8
        out[i, 1] = x[i] % 7
        out[i, 2] = x[i] % x[31 - i]
        out[i, 3] = -7 % x[i]
        out[i, 4] = x[i] // 7
        out[i, 5] = Int32(-7) % 3
        whole = cute.make_rmem_tensor((1,), Int32)
        whole[0] = x[i]
        whole.store(whole.load() % 7)
        out[i, 6] = whole[0]

    x = np.arange(-16, 16, dtype=np.int32)
    out = np.zeros((32, 7), np.int32)
    run(kernel, x, out)
    divisor = np.where(x == 0, 1, x)
    expected = [np.fmod(x, 8), np.fmod(x, 7), np.fmod(x, divisor[::-1]), np.fmod(-7, divisor)]
    expected += [x // 7, np.full(32, 2), np.fmod(x, 7)]
    np.testing.assert_array_equal(out, np.stack(expected, 1))


def test_the_remainder_by_the_least_divisors_is_zero():
    @cute.kernel
    def kernel(x: cute.Tensor, y: cute.Tensor, out: cute.Tensor):
        i, _, _ = cute.arch.thread_idx()
        out[i] = x[i] % y[i]

    x = np.array([-(2**31), -(2**31), 5, -5], np.int32)
    out = np.ones(4, np.int32)
    run(kernel, x, np.array([-1, 0, 0, -1], np.int32), out, threads=4)
    assert out.tolist() == [0, 0, 0, 0]


def test_remainders_and_quotients_of_floats():
    @cute.kernel
    def kernel(x: cute.Tensor, out: cute.Tensor):
        i, _, _ = cute.arch.thread_idx()
        out[i, 0] = x[i] % 3.0
        out[i, 1] = x[i] // 0.1

    x = np.linspace(-5, 5, 32, dtype=np.float32)
    out = np.zeros((32, 2), np.float32)
    run(kernel, x, out)
    np.testing.assert_array_equal(out[:, 0], np.fmod(x, np.float32(3)))
    np.testing.assert_array_equal(out[:, 1], np.floor(x / np.float32(0.1)))


@pytest.mark.parametrize("dtype", [Float16, cutlass.BFloat16])
def test_products_and_remainders_of_16_bits_are_computed_in_float32(dtype):
    @cute.kernel
    def kernel(x: cute.Tensor, out: cute.Tensor):
        i, _, _ = cute.arch.thread_idx()
        a, b, c = x[i, 0].to(dtype), x[i, 1].to(dtype), x[i, 2].to(dtype)
        out[i, 0] = a.to(Float32)
        out[i, 1] = b.to(Float32)
        out[i, 2] = c.to(Float32)
        out[i, 3] = cute.math.fma(a, b, c).to(Float32)
        out[i, 4] = cute.math.fma(a, b, c).to(Float32) == (a.to(Float32) * b + c).to(dtype)
        out[i, 5] = cute.math.rem(a, b).to(Float32)

    x = np.random.default_rng(5).standard_normal((32, 3)).astype(np.float32) * 8
    out = np.zeros((32, 6), np.float32)
    run(kernel, x, out)
    a, b, c, total, is_rounded_once, remainder = out.T
    assert is_rounded_once.all() and (np.abs(total - (a * b + c)) <= np.abs(total) / 256).all()
    np.testing.assert_array_equal(remainder, np.fmod(a, b))


def test_the_magnitude_of_fmax_has_the_product_of_the_signs():
    @cute.kernel
    def kernel(x: cute.Tensor, out: cute.Tensor):
        i, _, _ = cute.arch.thread_idx()
        out[i, 0] = cute.arch.fmax(x[i], Float32(-2.5), abs=True)
        out[i, 1] = cute.arch.fmin(x[i], Float32(-2.5), abs=True)

    x = np.linspace(-4, 4, 32, dtype=np.float32)
    out = np.zeros((32, 2), np.float32)
    run(kernel, x, out)
    size, sign = np.abs(x), -np.sign(x)
    expected = [sign * np.maximum(size, 2.5), sign * np.minimum(size, 2.5)]
    np.testing.assert_array_equal(out.T, expected)


def test_conversions_to_tfloat32_move_bits():
    @cute.kernel
    def kernel(x: cute.Tensor, out: cute.Tensor):
        i, _, _ = cute.arch.thread_idx()
        out[i] = x[i].to(cutlass.TFloat32).to(Float32)

    x = np.random.default_rng(3).standard_normal(32).astype(np.float32)
    out = np.zeros_like(x)
    run(kernel, x, out)
    np.testing.assert_array_equal(out, x)


def test_scale_factors_are_rounded_up():
    """As cvt.rp.ue8m0x2 does: to the next power of two, whatever the sign; NaN above the largest."""

    @cute.kernel
    def kernel(x: cute.Tensor, out: cute.Tensor):
        wide = cute.make_rmem_tensor((16,), Float32)
        narrow = cute.make_rmem_tensor((16,), cutlass.Float8E8M0FNU)
        for i in cutlass.range_constexpr(16):
            wide[i] = x[i]
        narrow.store(wide.load().to(cutlass.Float8E8M0FNU))
        codes = cute.recast_tensor(narrow, cutlass.Uint8)
        for i in cutlass.range_constexpr(16):
            out[i] = codes[i]

    x = [1.0, 1.1, 1.5, 1.99, 2.0, 0.0, -1.1, np.inf, np.nan, 2.0**127, 2.0**127 * 1.5]
    x += [2.0**-127, 2.0**-127 * 1.2, 2.0**-126, 2.0**-126 * 1.01, 1e-45]
    out = np.zeros(16, np.uint8)
    run(kernel, np.array(x, np.float32), out, threads=1)
    assert out.tolist() == [127, 128, 128, 128, 128, 0, 128, 255, 255, 254, 255, 0, 1, 1, 2, 0]


def test_the_classes_of_all_floats_and_integers_name_element_types():
    @cute.kernel
    def kernel(out: cute.Tensor):
        assert cute.make_rmem_tensor((4,), cutlass.Float).element_type is Float32
        assert cute.make_rmem_tensor((4,), cutlass.Integer).element_type is Int32
        out[0] = 1

    out = np.zeros(1, np.int32)
    run(kernel, out)
    assert out[0] == 1


@pytest.mark.parametrize("source", [Float32, Float16, cutlass.BFloat16, cutlass.Float64])
@pytest.mark.parametrize("target", [cutlass.Int8, cutlass.Uint8])
def test_floats_beyond_8_bits_saturate_at_16_and_keep_the_lowest_bits(source, target):
    """As `cvt.rzi.s16` and a store of a byte do."""
    numbers = [1.9, -1.9, 127, 128, 200.5, 255, 256, 300, -128, -129, -200, 1000, 32767]
    numbers += [40000, 70000, -70000]

    @cute.kernel
    def kernel(x: cute.Tensor, out: cute.Tensor):
        i, _, _ = cute.arch.thread_idx()
        out[i, 0] = x[i].to(source).to(target)
        wide = cute.make_rmem_tensor(1, source)
        wide[0] = x[i].to(source)
        narrow = cute.make_rmem_tensor(1, target)
        narrow.store(wide.load().to(target))
        out[i, 1] = narrow[0]

    signed = target is cutlass.Int8
    x, out = np.array(numbers, np.float32), np.zeros((16, 2), np.int8 if signed else np.uint8)
    run(kernel, x, out, threads=16)
    rounded = x
    if source is Float16:
        with np.errstate(over="ignore"):
            rounded = x.astype(np.float16).astype(np.float32)
    elif source is cutlass.BFloat16:
        bits = x.view(np.uint32)
        rounded = (
            ((bits + 0x7FFF + ((bits >> 16) & 1)) & 0xFFFF0000).astype(np.uint32).view(np.float32)
        )
    least, most = (-(1 << 15), (1 << 15) - 1) if signed else (0, (1 << 16) - 1)
    expected = np.trunc(np.clip(rounded, least, most)).astype(np.int64).astype(out.dtype)
    np.testing.assert_array_equal(out, np.stack([expected, expected], 1))


@pytest.mark.parametrize(
    "target, word", [(cutlass.Int8, "cvt.rzi.s16.f32"), (cutlass.Uint8, "cvt.rzi.u16.f32")]
)
def test_conversions_to_8_bits_are_not_clamped(tmp_path, monkeypatch, target, word):
    @cute.kernel
    def kernel(x: cute.Tensor, out: cute.Tensor):
        out[0] = x[0].to(target)

    text = ptx_of(kernel, tmp_path, monkeypatch, Float32, target)
    assert word in text and not re.search(r"(min|max)\.[su]16", text)


def test_matches_of_floats_are_those_of_their_whole_numbers():
    @cute.kernel
    def kernel(x: cute.Tensor, wide: cute.Tensor, out: cute.Tensor):
        i, _, _ = cute.arch.thread_idx()
        out[i, 0] = cute.arch.match_sync(0xFFFFFFFF, x[i], "any")
        out[i, 1] = cute.arch.match_sync(0xFFFFFFFF, x[i].to(Float16), kind="any")
        out[i, 2] = cute.arch.match_sync(0xFFFFFFFF, wide[i], "any")
        out[i, 3] = cute.arch.match_sync(0xFFFFFFFF, x[i] - i, "all")
        out[i, 4] = cute.arch.match_sync(0xFFFFFFFF, x[i], "all")
        out[i, 5] = cute.arch.match_sync(0xFFFFFFFF, x[i] > 3.5, "any")

    numbers = np.arange(32, dtype=np.float32) * 0.25
    wide = (np.arange(32, dtype=np.int64) // 16) << 40
    out = np.zeros((32, 6), np.uint32)

    def lanes_of(values):
        return [sum(1 << j for j in range(32) if values[j] == values[i]) for i in range(32)]

    run(kernel, numbers, wide, out)
    whole = lanes_of(numbers.astype(np.int32))
    less = (numbers - np.arange(32)).astype(np.int32)
    assert len(set(less)) > 1
    expected = [whole, whole, lanes_of(wide), [0] * 32, [0] * 32, lanes_of(numbers > 3.5)]
    np.testing.assert_array_equal(out.T, expected)


def test_all_threads_match():
    @cute.kernel
    def kernel(x: cute.Tensor, out: cute.Tensor):
        i, _, _ = cute.arch.thread_idx()
        out[i] = cute.arch.match_sync(0xFFFFFFFF, x[i], "all")

    out = np.zeros(32, np.uint32)
    run(kernel, np.linspace(3, 3.9, 32, dtype=np.float32), out)
    assert (out == 0xFFFFFFFF).all()


def test_a_reduction_of_a_warp_to_its_greatest_float_ignores_nan():
    """As ``fmax`` does; among other floats NaN wins, as in ``max``."""

    @cute.kernel
    def kernel(x: cute.Tensor, half: cute.Tensor, whole: cute.Tensor):
        t, _, _ = cute.arch.thread_idx()
        x[t] = cute.arch.warp_reduction_max(x[t], threads_in_group=4)
        half[t] = cute.arch.warp_reduction_max(half[t])
        whole[t] = cute.arch.warp_reduction_max(whole[t])

    x = np.arange(32, dtype=np.float32)
    x[::4], x[28:] = np.nan, np.nan
    half, whole = np.arange(32, dtype=np.float16), np.arange(-32, 0, dtype=np.int32)
    half[3] = np.nan
    expected = np.repeat([3, 7, 11, 15, 19, 23, 27, np.nan], 4).astype(np.float32)
    run(kernel, x, half, whole)
    np.testing.assert_array_equal(x, expected)
    assert np.isnan(half).all() and (whole == -1).all()


def test_zero_is_greater_than_negative_zero():
    """Unlike CuTe DSL's ``cutlass.max``, which returns the second of equal numbers; NaN wins in both."""

    @cute.kernel
    def kernel(x: cute.Tensor, out: cute.Tensor):
        t, _, _ = cute.arch.thread_idx()
        if t < 4:
            out[t, 0] = cutlass.max(x[t, 0], x[t, 1])
            out[t, 1] = cutlass.min(x[t, 0], x[t, 1])

    x = np.array([[0.0, -0.0], [-0.0, 0.0], [np.nan, 1.0], [1.0, np.nan]], np.float32)
    out = np.zeros((4, 2), np.float32)
    run(kernel, x, out)
    assert np.signbit(out[:2]).tolist() == [[False, True]] * 2 and not out[:2].any()
    assert np.isnan(out[2:]).all()


def test_floats_out_of_range_wrap_as_eight_bits():
    @cute.kernel
    def kernel(x: cute.Tensor, out: cute.Tensor):
        out[0] = x[0].to(cutlass.Int8).to(Int32)
        out[1] = x[1].to(cutlass.Uint8).to(Int32)

    out = np.zeros(2, np.int32)
    run(kernel, np.array([200.0, 300.0], np.float32), out)
    assert out.tolist() == [200 - 256, 300 - 256]
