"""Conversions between types by inline PTX on the CPU, against NumPy by PTX's documentation."""

import numpy as np
import pytest
from support.ptx_values import HARD, NUMPY, A, F, G, S, W, computed

from fairlead import Float32, Int32, Uint32, Uint64

#: Ties, numbers beside them, subnormals, and numbers that Int32 or Uint32 lacks.
FRACTIONS = np.tile(
    np.array([0.5, -0.5, 1.5, 2.5, -2.5, 0.49999997, -0.49999997, 1e-40, -1e-40, -0.0, 8388607.5, 16777216,
        3e9, -3e9, np.inf, np.nan], np.float32), 2)  # fmt: skip
TO_WHOLE = {"rni": np.rint, "rzi": np.trunc, "rmi": np.floor, "rpi": np.ceil}


@pytest.mark.parametrize("ftz", ["", ".ftz"])
@pytest.mark.parametrize("word", TO_WHOLE)
def test_floats_to_integers(word, ftz):
    """To the nearest integer of the type, and 0 for NaN; float to float keeps signs of zeros."""
    subnormal = np.abs(FRACTIONS) < 2.0**-126
    given = (
        np.where(subnormal, np.copysign(np.float32(0), FRACTIONS), FRACTIONS) if ftz else FRACTIONS
    )
    whole = TO_WHOLE[word](given.astype(np.float64))
    for kind, bits in ((Int32, "s32"), (Uint32, "u32")):
        found = computed(f"cvt.{word}{ftz}.{bits}.f32 $0, $1;", "=r,f", kind, FRACTIONS)
        info = np.iinfo(NUMPY[kind])
        np.testing.assert_array_equal(found, np.clip(np.nan_to_num(whole), info.min, info.max))
    floats = computed(f"cvt.{word}{ftz}.f32.f32 $0, $1;", "=f,f", Float32, FRACTIONS)
    np.testing.assert_array_equal(floats, whole.astype(np.float32))
    is_number = ~np.isnan(whole)
    assert (np.signbit(floats) == np.signbit(whole))[is_number].all()


@pytest.mark.parametrize("word", ["rn", "rz", "rm", "rp"])
@pytest.mark.parametrize("bits, kind", [("s32", Int32), ("u32", Uint32), ("u64", Uint64)])
def test_integers_to_floats(bits, kind, word):
    """The float on the asked side of the integer, by exact arithmetic of Python."""
    edges = [0, 1, 16777217, 16777219, 33554434, 33554435, (1 << 31) - 1]
    numbers = {"s32": S, "u32": A, "u64": W}[bits].copy()
    numbers[: len(edges)] = edges
    if bits == "s32":
        numbers[8 : 8 + len(edges)] = [-edge for edge in edges]
    constraint = "l" if bits == "u64" else "r"
    found = computed(f"cvt.{word}.f32.{bits} $0, $1;", f"=f,{constraint}", Float32, numbers)
    for number, result in zip(map(int, numbers), found, strict=True):
        nearest = np.float32(number)
        side = {"rm": -np.inf, "rp": np.inf, "rz": -np.inf if number > 0 else np.inf}.get(word)
        expected = nearest
        if word != "rn" and (int(nearest) > number) == (side < 0) and int(nearest) != number:
            expected = np.nextafter(nearest, np.float32(side))
        assert result == expected, (number, result, expected)


def test_saturated_conversions():
    np.testing.assert_array_equal(
        computed("cvt.rn.sat.f32.s32 $0, $1;", "=f,r", Float32, S), np.clip(S, 0, 1)
    )
    np.testing.assert_array_equal(
        computed("cvt.sat.f32.f32 $0, $1;", "=f,f", Float32, FRACTIONS),
        np.clip(np.nan_to_num(FRACTIONS), 0, 1),
    )
    np.testing.assert_array_equal(
        computed("cvt.sat.u32.s32 $0, $1;", "=r,r", Uint32, S), np.maximum(S, 0)
    )
    np.testing.assert_array_equal(
        computed("cvt.sat.s32.u32 $0, $1;", "=r,r", Int32, A), np.minimum(A, (1 << 31) - 1)
    )
    narrow = "{ .reg .s16 n; cvt.sat.s16.s32 n, $1; cvt.s32.s16 $0, n; }"
    np.testing.assert_array_equal(computed(narrow, "=r,r", Int32, S), np.clip(S, -32768, 32767))


@pytest.mark.parametrize(
    "word, mantissa, infinity", [("f16x2", 13, 0x7C00), ("bf16x2", 16, 0x7F80)]
)
def test_pairs_rounded_toward_zero(word, mantissa, infinity):
    packed = computed(f"cvt.rz.satfinite.{word}.f32 $0, $1, $2;", "=r,f,f", Uint32, F, HARD)
    plain = computed(f"cvt.rz.{word}.f32 $0, $1, $2;", "=r,f,f", Uint32, F, HARD)
    for upper, low in ((packed >> 16, packed & 0xFFFF), (plain >> 16, plain & 0xFFFF)):
        for bits, numbers in ((upper, F), (low, HARD)):
            is_number = np.isfinite(numbers) & (
                np.abs(numbers) < (65504 if word[0] == "f" else np.inf)
            )
            wide = (
                bits.astype(np.uint16).view(np.float16).astype(np.float32)
                if word[0] == "f"
                else (bits << 16).view(np.float32)
            )
            with np.errstate(invalid="ignore"):  # infinities
                gap = np.abs(numbers) - np.abs(wide)
            one = np.maximum(2.0 ** (mantissa - 23) * np.abs(numbers), 2.0**-24)
            assert (((gap >= 0) & (gap < one)) | ~is_number).all()
            assert (np.signbit(wide) == np.signbit(numbers))[is_number].all()
    exact = packed & 0xFFFF
    assert (exact[np.isnan(HARD)] == 0x7FFF).all()
    assert (exact[HARD == np.inf] == infinity - 1).all()
    assert (exact[HARD == -np.inf] == (infinity - 1 | 0x8000)).all()
    assert ((plain & 0xFFFF)[HARD == np.inf] == infinity).all()
    if word == "f16x2":
        assert (exact[HARD == 7e4] == 0x7BFF).all() and (exact[HARD == -65520] == 0xFBFF).all()


@pytest.mark.parametrize(
    "word, dtype, largest", [("e4m3x2", "e4m3fn", 448), ("e5m2x2", "e5m2", 57344)]
)
def test_pairs_of_eight_bits(word, dtype, largest):
    ml_dtypes = pytest.importorskip("ml_dtypes")
    narrow = getattr(ml_dtypes, f"float8_{dtype}")
    x, y = F * 40, G * 1e6
    bits = [
        np.clip(v, -largest, largest).astype(narrow).view(np.uint8).astype(np.uint32)
        for v in (x, y)
    ]
    to = f"{{ .reg .b16 pair; cvt.rn.satfinite.{word}.f32 pair, $1, $2; cvt.u32.u16 $0, pair; }}"
    packed = computed(to, "=r,f,f", Uint32, x, y)
    np.testing.assert_array_equal(packed, bits[0] << 8 | bits[1])
    back = f"{{ .reg .b16 pair; cvt.u16.u32 pair, $1; cvt.rn.f16x2.{word} $0, pair; }}"
    halves = computed(back, "=r,r", Uint32, packed).view(np.float16).reshape(32, 2)
    numbers = np.stack([bits[1], bits[0]], 1).astype(np.uint8).view(narrow)
    np.testing.assert_array_equal(halves.astype(np.float32), numbers.astype(np.float32))
    positive = computed(to.replace("rn.satfinite", "rn.satfinite.relu"), "=r,f,f", Uint32, x, y)
    assert ((positive >> 8) == np.where(x > 0, bits[0], 0)).all()


def test_pairs_of_floats_of_four_bits():
    ml_dtypes = pytest.importorskip("ml_dtypes")
    numbers = np.array(
        [0, 0.25, 0.26, -0.75, 1.25, 1.75, 2.5, 3.5, -5, 5.1, 7, -99, 0.74], np.float32
    )
    x, y = np.resize(numbers, 32), np.resize(-numbers[::-1], 32)
    text = "{ .reg .b8 a, b; cvt.rn.satfinite.e2m1x2.f32 a, $2, $1; cvt.rn.satfinite.e2m1x2.f32 b, $1, $2;"
    words = computed(text + " mov.b32 $0, {a, b, a, a}; }", "=r,f,f", Uint32, x, y)
    low, high = (v.astype(ml_dtypes.float4_e2m1fn).view(np.uint8) & 15 for v in (x, y))
    a, b = low | high << 4, high | low << 4
    expected = np.stack([a, b, a, a], 1).astype(np.uint8).view(np.uint32)[:, 0]
    np.testing.assert_array_equal(words, expected)
    text = "{ .reg .b8 a, b, c, d; mov.b32 {a, b, c, d}, $1; cvt.rn.f16x2.e2m1x2 $0, a; }"
    halves = computed(text, "=r,r", Uint32, words).view(np.float16).reshape(32, 2)
    for column, v in enumerate((x, y)):
        np.testing.assert_array_equal(
            halves[:, column], v.astype(ml_dtypes.float4_e2m1fn).astype(np.float16)
        )


@pytest.mark.parametrize(
    "name, dtype", [("e3m2", "float6_e3m2fn"), ("e2m3", "float6_e2m3fn")], ids=["e3m2", "e2m3"]
)
def test_pairs_of_floats_of_six_bits(name, dtype):
    """To the nearest, ties to even; NaN is the largest number. Each is in the low bits of a byte."""
    dtype = getattr(pytest.importorskip("ml_dtypes"), dtype)
    grid = np.arange(32, dtype=np.uint8).view(dtype).astype(np.float32)
    between = (grid[1:] + grid[:-1]) / 2
    special = [0.0, -0.0, np.nan, np.inf, -np.inf, 1e9, 1e-9, -1e-9]
    numbers = np.concatenate([grid, -grid, between, -between, special]).astype(np.float32)
    x = np.resize(numbers, (5, 32))
    largest = grid.max()
    for row in x:
        text = "{ .reg .b16 a, zero; cvt.rn.satfinite.NAMEx2.f32 a, $2, $1; mov.u16 zero, 0; mov.b32 $0, {a, zero}; }"
        words = computed(text.replace("NAME", name), "=r,f,f", Uint32, row, -row)
        saturated = np.clip(np.where(np.isnan(row), largest, row), -largest, largest)
        negated = np.clip(np.where(np.isnan(row), largest, -row), -largest, largest)
        low, high = (v.astype(dtype).view(np.uint8).astype(np.uint32) for v in (saturated, negated))
        np.testing.assert_array_equal(words, low | high << 8)
        text = "{ .reg .b16 a, b; mov.b32 {a, b}, $1; cvt.rn.f16x2.NAMEx2 $0, a; }"
        halves = computed(text.replace("NAME", name), "=r,r", Uint32, words)
        expected = np.stack([low, high], 1).astype(np.uint8).view(dtype).astype(np.float16)
        np.testing.assert_array_equal(halves.view(np.float16).reshape(32, 2), expected)


@pytest.mark.parametrize("word", ["rp", "rz"])
def test_scale_factors_above_the_greatest(word):
    """Without satfinite they are NaN, as in CUDA's cuda_fp8.hpp."""
    numbers = np.resize(np.array([np.inf, 3e38, 2.0**127, np.nan, -np.inf], np.float32), 32)
    texts = [f"cvt.{word}{mode}.ue8m0x2.f32 $0, $1, $1;" for mode in ("", ".satfinite")]
    codes = [
        computed(
            f"{{ .reg .b16 pair; {text.replace('$0', 'pair')} cvt.u32.u16 $0, pair; }}",
            "=r,f",
            Uint32,
            numbers,
        )
        for text in texts
    ]
    above = 255 if word == "rp" else 254
    assert [code & 255 for code in codes[0][:5]] == [255, above, 254, 255, 255]
    assert [code >> 8 for code in codes[1][:5]] == [254, 254, 254, 255, 254]


@pytest.mark.parametrize("word", ["rp", "rz"])
def test_floats_as_scale_factors(word):
    """The scale factor is a power of two, from 2^-127 to 2^127."""
    magnitudes = np.float32(2.0) ** np.linspace(-140, 127.9, 28, dtype=np.float32)
    exact = np.array([1.0, 0.75, 0.0, 3e38], np.float32)
    numbers = np.concatenate([magnitudes, exact])
    text = f"""{{
        .reg .b16 pair;
        cvt.{word}.satfinite.ue8m0x2.f32 pair, 0f3F800000, $1;
        cvt.rn.bf16x2.ue8m0x2 $0, pair;
    }}"""
    found = computed(text, "=r,f", Uint32, numbers)
    assert (found >> 16 == 0x3F80).all()
    with np.errstate(divide="ignore"):
        exponents = (np.ceil if word == "rp" else np.floor)(np.log2(numbers.astype(np.float64)))
    expected = 2.0 ** np.clip(exponents, -127, 127)
    np.testing.assert_array_equal((found << 16).view(np.float32), expected.astype(np.float32))
