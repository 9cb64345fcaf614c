"""Pairs, bytes of words, products of integers and conversions: results on the CPU against NumPy, and PTX."""

import numpy as np
import pytest
import torch
from support.functions_support import instructions, ptx, run

from fairlead import (
    BFloat16,
    Float4E2M1FN,
    Float8E4M3FN,
    Float16,
    Float32,
    Int16,
    Int32,
    Int64,
    Uint32,
    Uint64,
    primitives,
)
from fairlead.primitives import PermuteMode, Vector

RANDOM = np.random.default_rng(5)
WORDS = RANDOM.integers(0, 1 << 32, 32, dtype=np.uint32)


def test_pairs_of_floats():
    a = RANDOM.standard_normal((32, 2)).astype(np.float32)

    def body(t, a, out):
        x = (a[t, 0], a[t, 1])
        v = Vector.from_elements(x, Float32)
        results = [
            primitives.add_packed_f32x2(x, x),
            primitives.sub_packed_f32x2(x, (1.0, 2.0)),
            primitives.mul_packed_f32x2(v, v, rnd="rn"),
            primitives.fma_packed_f32x2(v, x, (0.5, 0.5)),
        ]
        for i, pair in enumerate(results):
            out[t, i, 0], out[t, i, 1] = pair[0], pair[1]

    out = np.zeros((32, 4, 2), np.float32)
    run(body, a, out)
    expected = np.stack([a + a, a - np.array([1, 2]), a * a, a * a + 0.5], 1)
    np.testing.assert_allclose(out, expected, rtol=1e-5, atol=1e-6)
    assert instructions(ptx(body, a, out, arch="sm_100a"), "fma.rn.f32x2")


BYTES = {
    "f4e": lambda s: [(s + i) % 8 for i in range(4)],
    "b4e": lambda s: [(s - i) % 8 for i in range(4)],
    "rc8": lambda s: [s] * 4,
    "ecl": lambda s: [max(s, i) for i in range(4)],
    "ecr": lambda s: [min(s, i) for i in range(4)],
    "rc16": lambda s: [2 * (s & 1) + i % 2 for i in range(4)],
}


@pytest.mark.parametrize("mode", BYTES)
def test_bytes_of_two_words(mode):
    def body(t, words, out):
        out[t] = primitives.prmt(words[t], t & 3, mode, hi=words[31 - t])

    out = np.zeros(32, np.int32)
    run(body, WORDS, out)
    for lane in range(32):
        eight = WORDS[[lane, 31 - lane]].tobytes()
        expected = bytes(eight[i] for i in BYTES[mode](lane & 3))
        assert out[lane : lane + 1].tobytes() == expected
    assert instructions(ptx(body, WORDS, out), f"prmt.b32.{mode}")


def test_bytes_by_a_selector():
    def body(t, words, out):
        out[t] = primitives.prmt(words[t], 0x0123, PermuteMode.DEFAULT)

    out = np.zeros(32, np.int32)
    run(body, WORDS, out)
    np.testing.assert_array_equal(out.view(np.uint32), WORDS.byteswap())


def test_dot_products_of_bytes():
    other = RANDOM.integers(0, 1 << 32, 32, dtype=np.uint32)

    def body(t, a, b, out):
        out[t, 0] = primitives.dot_accumulate_4way(a[t], "signed", b[t], "unsigned", t)
        out[t, 1] = primitives.dot_accumulate_4way(a[t], "unsigned", b[t], "signed", 1)
        out[t, 2] = primitives.dot_accumulate_2way(a[t], "signed", b[t], "signed", t, False)
        out[t, 3] = primitives.dot_accumulate_2way(a[t], "unsigned", b[t], "signed", t, True)

    out = np.zeros((32, 4), np.int32)
    run(body, WORDS, other, out)
    lanes = np.arange(32)
    s8, u8 = (
        words.view(kind).reshape(32, 4).astype(np.int64)
        for words, kind in ((WORDS, np.int8), (WORDS, np.uint8))
    )
    t8, v8 = (
        words.view(kind).reshape(32, 4).astype(np.int64)
        for words, kind in ((other, np.int8), (other, np.uint8))
    )
    s16, u16 = (WORDS.view(kind).reshape(32, 2).astype(np.int64) for kind in (np.int16, np.uint16))
    expected = [
        (s8 * v8).sum(1) + lanes,
        (u8 * t8).sum(1) + 1,
        (s16 * t8[:, :2]).sum(1) + lanes,
        (u16 * t8[:, 2:]).sum(1) + lanes,
    ]
    np.testing.assert_array_equal(out, np.stack(expected, 1).astype(np.int32))
    text = ptx(body, WORDS, other, out)
    for name in ("dp4a.s32.u32", "dp4a.u32.s32", "dp2a.lo.s32.s32", "dp2a.hi.u32.s32"):
        assert instructions(text, name), name


def test_products_of_integers():
    def body(t, a, out, wide):
        x, y = a[t].bitcast(Int32), a[31 - t].bitcast(Int32)
        out[t, 0] = primitives.mul(x, y, "lo")
        out[t, 1] = primitives.mul(x, y, "hi")
        out[t, 2] = primitives.mul(x, y, "hi", is_signed=False).bitcast(Int32)
        wide[t] = primitives.mul(x, y, "wide")

    out, wide = np.zeros((32, 3), np.int32), np.zeros(32, np.int64)
    run(body, WORDS, out, wide)
    s = WORDS.view(np.int32).astype(object)
    u = WORDS.astype(object)
    product = s * s[::-1]
    np.testing.assert_array_equal(wide, product.astype(np.int64))
    np.testing.assert_array_equal(out[:, 0], wide.astype(np.int32))
    np.testing.assert_array_equal(out[:, 1], (product >> 32).astype(np.int32))
    high = ((u * u[::-1]) >> 32).astype(np.uint32).view(np.int32)
    np.testing.assert_array_equal(out[:, 2], high)


def test_products_of_pairs_of_bfloat16():
    def body(t, out):
        out[0] = primitives.mul_bf16x2(Uint32(0x40003F80), Uint32(0x40404000))

    out = np.zeros(1, np.int32)
    run(body, out, threads=1)
    assert out[0] == 0x40C04000  # (2 * 3, 1 * 2)


def test_bits_of_another_type():
    def body(t, out):
        out[0] = primitives.mov_b32(1.0)
        out[1] = primitives.mov_b32(primitives.mov_b32(0x40000000, target_type=Float32) + 1.0)
        out[2] = primitives.fabs(Float32(-2.0)).to(Int32)
        out[3] = primitives.fmin(Float32(-2.0), Float32(3.0)).to(Int32)

    out = np.zeros(4, np.int32)
    run(body, out, threads=1)
    assert out.tolist() == [0x3F800000, 0x40400000, 2, -2]


@pytest.mark.parametrize("kind", ["u16", "s16", "u8", "s8", "u4", "s2"])
def test_saturated_integers_side_by_side(kind, tmp_path):
    values = np.array([-70000, -200, -3, 0, 1, 5, 300, 70000], np.int32)

    def body(t, a, out):
        rest = None if kind.endswith("16") else 3
        out[t] = primitives.convert_and_pack_integer(a[t], a[7 - t], kind, src_c=rest)

    out = np.zeros(8, np.int32)
    run(body, values, out, threads=8)
    width = int(kind[1:])
    least, most = (
        (0, 2**width - 1) if kind[0] == "u" else (-(2 ** (width - 1)), 2 ** (width - 1) - 1)
    )
    codes = np.clip(values.astype(np.int64), least, most) & (2**width - 1)
    expected = codes << width | codes[::-1]
    if width < 16:
        expected |= 3 << 2 * width
    np.testing.assert_array_equal(out.view(np.uint32), expected.astype(np.uint32))
    text = ptx(body, values, out, threads=8, folder=tmp_path)
    assert instructions(text, f"cvt.pack.sat.{kind}.s32")


def rounded_to_tf32(values, mode):
    bits = values.view(np.uint32).astype(np.uint64)
    added = {"rna": 1 << 12, "rn": (bits >> 13 & 1) + 0xFFF, "rz": 0}[mode]
    return ((bits + added) & ~np.uint64(0x1FFF)).astype(np.uint32).view(np.int32)


@pytest.mark.parametrize("mode", ["rna", "rn", "rz"])
def test_floats_of_ten_bits(mode):
    values = RANDOM.standard_normal(32).astype(np.float32)
    values[:4] = [1 + 2**-11, 1 + 3 * 2**-11, -(1 + 2**-11), np.inf]

    def body(t, values, out):
        out[t] = primitives.convert_float_to_tf32(values[t], rnd=mode)

    out = np.zeros(32, np.int32)
    run(body, values, out)
    np.testing.assert_array_equal(out, rounded_to_tf32(values, mode))
    assert instructions(ptx(body, values, out), f"cvt.{mode}.tf32.f32")


@pytest.mark.parametrize(
    ("mode", "model"), [("rni", np.rint), ("rzi", np.trunc), ("rmi", np.floor), ("rpi", np.ceil)]
)
def test_floats_to_integers(mode, model):
    values = np.array([0.5, 1.5, 2.5, -0.5, -1.5, 2.4, -2.6, 7.0], np.float32)

    def body(t, values, out):
        out[t, 0] = primitives.convert_float_to_integer(values[t], rnd=mode)
        big = primitives.convert_float_to_integer(values[t] * 1e10, result_type=Int64, rnd=mode)
        out[t, 1] = (big // 1000).to(Int32)

    out = np.zeros((8, 2), np.int32)
    run(body, values, out, threads=8)
    np.testing.assert_array_equal(out[:, 0], model(values))
    text = ptx(body, values, out, threads=8)
    assert instructions(text, f"cvt.{mode}.s32.f32") and instructions(text, f"cvt.{mode}.s64.f32")


def test_narrow_floats(tmp_path):
    values = np.array([0, 1, -1.5, 448, 1000, 0.013, -0.02, 3.3], np.float32)

    def body(t, values, out):
        pair = primitives.cvt_f32x2_to_f8x2(values[t], values[7 - t], Float8E4M3FN)
        out[t, 0] = primitives.cvt_e4m3x2_to_bf16x2(pair)
        word = pair.to(Int32) << 8
        out[t, 1] = primitives.cvt_e4m3x2_word_to_bf16x2(word, 8)

    out = np.zeros((8, 2), np.int32)
    run(body, values, out, threads=8)
    both = (out[:, 0].astype(np.int64) & 0xFFFF0000).astype(np.uint32).view(np.float32)
    expected = np.array([0, 1, -1.5, 448, 448, 0.013671875, -0.01953125, 3.25], np.float32)
    np.testing.assert_array_equal(both, expected)
    low = (out[:, 0].astype(np.int64) << 16 & 0xFFFF0000).astype(np.uint32).view(np.float32)
    np.testing.assert_array_equal(low, expected[::-1])
    np.testing.assert_array_equal(out[:, 1], out[:, 0])
    text = ptx(body, values, out, threads=8, folder=tmp_path)
    assert instructions(text, "cvt.rn.satfinite.e4m3x2.f32")


def test_floats_of_four_bits(tmp_path):
    values = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6], np.float32)

    def body(t, values, out):
        pair = primitives.cvt_f32x2_to_f4x2(-values[t], values[7 - t], Float4E2M1FN)
        out[t] = primitives.cvt_e2m1x2_byte_to_bf16x2(pair)

    out = np.zeros(8, np.int32)
    run(body, values, out, threads=8)
    wide = out.astype(np.int64) & 0xFFFFFFFF
    np.testing.assert_array_equal((wide & 0xFFFF0000).astype(np.uint32).view(np.float32), -values)
    low = (wide << 16 & 0xFFFF0000).astype(np.uint32).view(np.float32)
    np.testing.assert_array_equal(low, values[::-1])
    text = ptx(body, values, out, threads=8, arch="sm_100a", folder=tmp_path)
    assert instructions(text, "cvt.rn.satfinite.e2m1x2.f32")


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda x: primitives.add_packed_f32x2((x, x), (x,)), TypeError, "pair of Float32"),
        (lambda x: primitives.add_packed_f32x2((x, x), (x, x), rnd="ru"), ValueError, "as rnd"),
        (lambda x: primitives.prmt(1, 2, "f4"), ValueError, "mean `f4e`"),
        (lambda x: primitives.mul(x, 2, "lo"), TypeError, "integers as a and b"),
        (lambda x: primitives.mul(Uint64(1), Uint64(1), "wide"), TypeError, "16 or 32 bits"),
        (lambda x: primitives.mov_b32(Int16(1)), TypeError, "number of 32 bits as a"),
        (lambda x: primitives.dot_accumulate_4way(1, "int", 2, "signed", 3), ValueError, "signed"),
        (lambda x: primitives.convert_float_to_tf32(x, rnd="rm"), ValueError, "rna, rn or rz"),
        (lambda x: primitives.convert_float_to_integer(Int32(1)), TypeError, "Float32 as src"),
        (lambda x: primitives.cvt_f32x2_to_f8x2(x, x, Float32), ValueError, "e4m3x2 or e5m2x2"),
        (lambda x: primitives.cvt_f32x2_to_f8x2(x, x, "e4m3", sat="sat"), ValueError, "satfinite"),
        (lambda x: primitives.cvt_f32x2_to_f4x2(x, x, rnd="rz"), ValueError, "rn as rnd"),
        (lambda x: primitives.convert(x, Int32, sat="sat"), ValueError, "no options but rnd"),
        (
            lambda x: primitives.convert(x, Int32, result_type=Uint64),
            ValueError,
            "type of dst_dtype as result_type, but got Uint64",
        ),
        (lambda x: primitives.convert_and_pack_integer(1, 2, "s32"), ValueError, "one of u16, s16"),
    ],
)
def test_wrong_operands(call, error, message):
    def body(t, out):
        call(out[0])

    with pytest.raises(error, match=message):
        run(body, np.zeros(1, np.float32), threads=1)


def test_plain_conversions():
    def body(t, out):
        out[0] = primitives.convert(Float32(2.75), Int32)
        both = primitives.convert(Vector.from_elements((1.5, 2.5), Float32), Int32)
        out[1], out[2] = both[0], both[1]

    out = np.zeros(3, np.int32)
    run(body, out, threads=1)
    assert out.tolist() == [2, 1, 2]


_MIXED = """
add_packed_bf16x2_f32x2_f32x2 add_packed_f16x2_f32x2_f32x2 add_packed_f32x2_bf16x2_f32x2 add_packed_f32x2_f16x2_f32x2
sub_packed_bf16x2_f32x2_f32x2 sub_packed_f16x2_f32x2_f32x2 sub_packed_f32x2_bf16x2_f32x2 sub_packed_f32x2_f16x2_f32x2
mul_packed_bf16x2_bf16x2_f16x2 mul_packed_bf16x2_f32x2_f32x2 mul_packed_f16x2_f16x2_bf16x2 mul_packed_f16x2_f32x2_f32x2
fma_packed_f32x2_bf16x2_f32x2_f32x2 fma_packed_f32x2_f16x2_f32x2_f32x2
""".split()


@pytest.mark.parametrize("name", _MIXED)
def test_arithmetic_on_pairs_of_different_floats(name):
    operation, _, types = name.partition("_packed_")
    dtypes = [
        {"f32x2": Float32, "f16x2": Float16, "bf16x2": BFloat16}[each] for each in types.split("_")
    ]
    count = len(dtypes) - 1

    def body(t, x, out):
        pairs = [
            tuple(x[t, 2 * place + half].to(dtype) for half in range(2))
            for place, dtype in enumerate(dtypes[1:])
        ]
        function = getattr(primitives, name)
        numbers = function(*pairs)
        assert isinstance(numbers, tuple) and all(type(each) is dtypes[0] for each in numbers)
        vectors = [Vector.from_elements(pair, each) for pair, each in zip(pairs, dtypes[1:])]
        same = function(*vectors)
        assert same.dtype is dtypes[0]
        for place, number in enumerate((*numbers, *same.to_elements())):
            out[t, place] = number.to(Float32)

    x = np.random.default_rng(5).normal(size=(32, 6)).astype(np.float32)
    out = np.zeros((32, 4), np.float32)
    run(body, x, out)

    def rounded(values, dtype):
        name = {Float32: "float32", Float16: "float16", BFloat16: "bfloat16"}[dtype]
        wanted = torch.from_numpy(np.ascontiguousarray(values, np.float32)).to(getattr(torch, name))
        return wanted.to(torch.float64).numpy()

    a, b, c = (
        rounded(x[:, 2 * place : 2 * place + 2], dtype)
        for place, dtype in enumerate([*dtypes[1:], Float32][:3])
    )
    exact = {"add": a + b, "sub": a - b, "mul": a * b, "fma": a * b + c}[operation]
    expected = rounded(exact.astype(np.float32), dtypes[0])
    np.testing.assert_array_equal(out[:, :2], expected)
    np.testing.assert_array_equal(out[:, 2:], expected)
    assert count == (3 if operation == "fma" else 2)


def test_mixed_pairs_check_their_operands():
    def body(t, x, out):
        with pytest.raises(TypeError, match="a pair of BFloat16 .* as src_a"):
            primitives.add_packed_f32x2_bf16x2_f32x2((x[0], x[1]), (x[0], x[1]))
        with pytest.raises(TypeError, match="a pair of Float32 .* as src_b"):
            primitives.mul_packed_f16x2_f32x2_f32x2((x[0], x[1]), x[0])
        out[0] = 1.0

    run(body, np.zeros(2, np.float32), np.zeros(1, np.float32), threads=1)


def test_a_byte_converted_twice():
    def body(t, out):
        out[t] = primitives.cvt_e4m3x2_byte_to_bf16x2(t)

    out = np.zeros(256, np.int32)
    run(body, out, threads=256)
    codes = np.arange(256, dtype=np.uint8)
    expected = torch.from_numpy(codes).view(torch.float8_e4m3fn).to(torch.bfloat16)
    halves = torch.from_numpy(out).view(torch.bfloat16).reshape(256, 2)
    for half in (0, 1):
        torch.testing.assert_close(halves[:, half], expected, rtol=0, atol=0, equal_nan=True)
