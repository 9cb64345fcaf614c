"""Bits of integers, and questions of a thread to its processor: on the CPU against Python, and as PTX."""

import numpy as np
import pytest

from fairlead import Int32, Uint32, Uint64, cute

RANDOM = np.random.default_rng(5)
WORDS = np.concatenate([[0, 1, 2**31, 2**32 - 1], RANDOM.integers(0, 1 << 32, 28)])
WORDS = WORDS.astype(np.uint32)
PLACES = np.array([0, 1, 5, 12, 31, 32, 40, 255] * 4, np.uint32)
LENGTHS = np.repeat(np.array([0, 1, 7, 16, 31, 32, 33, 255], np.uint32), 4)


def run(body, out, *arrays, options="--target cpu"):
    @cute.kernel
    def device(out: cute.Tensor, inputs: list):
        body(out, cute.arch.thread_idx()[0], *inputs)

    @cute.jit
    def host(out: cute.Tensor, inputs: list):
        device(out, inputs).launch(grid=1, block=32)

    compiled = cute.compile(host, out, list(arrays), options=options)
    if options == "--target cpu":
        compiled(out, list(arrays))
    return compiled


def text(number, width):
    return format(int(number) & (1 << width) - 1, f"0{width}b")


def counted(out, t, a, wide):
    arch = cute.arch
    out[0, t] = arch.clz(a[t])
    out[1, t] = arch.brev(a[t]).bitcast(Int32)
    out[2, t] = arch.bfind(a[t]).bitcast(Int32)
    out[3, t] = arch.bfind(a[t].bitcast(Int32)).bitcast(Int32)
    out[4, t] = arch.clz(wide[t])
    out[5, t] = (arch.brev(wide[t]) >> 32).to(Int32)


def test_counts_and_reversal():
    wide = RANDOM.integers(0, 1 << 63, 32, dtype=np.uint64) >> RANDOM.integers(
        0, 63, 32, dtype=np.uint64
    )
    out = np.zeros((6, 32), np.int32)
    run(counted, out, WORDS, wide)
    bits = [text(a, 32) for a in WORDS]
    assert out[0].tolist() == [32 if "1" not in b else b.index("1") for b in bits]
    assert out[1].view(np.uint32).tolist() == [int(b[::-1], 2) for b in bits]
    assert out[2].tolist() == [int(a).bit_length() - 1 for a in WORDS]
    signed = [int(a) for a in WORDS.view(np.int32)]
    assert out[3].tolist() == [(a if a >= 0 else ~a).bit_length() - 1 for a in signed]
    bits = [text(a, 64) for a in wide]
    assert out[4].tolist() == [64 if "1" not in b else b.index("1") for b in bits]
    assert out[5].view(np.uint32).tolist() == [int(b[::-1], 2) >> 32 for b in bits]


def fields(out, t, a, place, length):
    arch = cute.arch
    out[0, t] = arch.bfe(a[t], place[t], length[t])
    out[1, t] = arch.bfe(a[t].bitcast(Int32), place[t], length[t]).bitcast(Uint32)
    out[2, t] = arch.bfi(Uint32(0x5A5A5A5A), a[t], place[t], length[t])
    out[3, t] = arch.bfe(a[t].to(Uint64) << 16, place[t], length[t]).to(Uint32)


def field(value, start, length, width, signed):
    """By PTX's documentation."""
    last = min(start + length - 1, width - 1)
    sign = value >> last & 1 if signed and length else 0
    bits = [
        value >> start + i & 1 if i < length and start + i < width else sign for i in range(width)
    ]
    return sum(bit << i for i, bit in enumerate(bits))


def inserted(part, value, start, length):
    for i in range(length):
        if start + i < 32:
            value = value & ~(1 << start + i) | (part >> i & 1) << start + i
    return value


def test_fields():
    out = np.zeros((4, 32), np.uint32)
    run(fields, out, WORDS, PLACES, LENGTHS)
    rows = [tuple(map(int, row)) for row in zip(WORDS, PLACES, LENGTHS, strict=True)]
    assert out[0].tolist() == [field(*row, 32, False) for row in rows]
    assert out[1].tolist() == [field(*row, 32, True) for row in rows]
    assert out[2].tolist() == [inserted(0x5A5A5A5A, *row) for row in rows]
    assert out[3].tolist() == [
        field(a << 16, start, length, 64, False) & 0xFFFFFFFF for a, start, length in rows
    ]


def words(out, t, a, b, count):
    arch = cute.arch
    out[0, t] = arch.lop3(a[t], b[t], count[t], (0xF0 & 0xCC) | 0xAA)
    out[1, t] = arch.shf(a[t], b[t], count[t], "l")
    out[2, t] = arch.shf(a[t], b[t], count[t], "clamp_right")
    out[3, t] = arch.mul24(a[t], b[t])
    out[4, t] = arch.mad24(a[t].bitcast(Int32), b[t].bitcast(Int32), 7, hi=True).bitcast(Uint32)
    out[5, t] = (arch.mul_wide(a[t], b[t]) >> 32).to(Uint32)
    out[6, t] = arch.add_sat_int(a[t].bitcast(Int32), b[t].bitcast(Int32)).bitcast(Uint32)
    out[7, t] = arch.sub_sat_int(a[t].bitcast(Int32), b[t].bitcast(Int32)).bitcast(Uint32)


def low24(value):
    value &= 0xFFFFFF
    return value - (1 << 24) if value >> 23 else value


def test_words():
    b = RANDOM.permutation(WORDS)
    out = np.zeros((8, 32), np.uint32)
    run(words, out, WORDS, b, PLACES)
    rows = [tuple(map(int, row)) for row in zip(WORDS, b, PLACES, strict=True)]
    mask = 0xFFFFFFFF
    assert out[0].tolist() == [x & y | z for x, y, z in rows]
    assert out[1].tolist() == [((y << 32 | x) << (z & 31)) >> 32 & mask for x, y, z in rows]
    assert out[2].tolist() == [(y << 32 | x) >> min(z, 32) & mask for x, y, z in rows]
    assert out[3].tolist() == [(x & 0xFFFFFF) * (y & 0xFFFFFF) & mask for x, y, _ in rows]
    assert out[4].tolist() == [(low24(x) * low24(y) >> 16) + 7 & mask for x, y, _ in rows]
    assert out[5].tolist() == [x * y >> 32 for x, y, _ in rows]
    pairs = list(zip(WORDS.view(np.int32).tolist(), b.view(np.int32).tolist(), strict=True))
    assert out[6].view(np.int32).tolist() == [
        int(np.clip(x + y, -(2**31), 2**31 - 1)) for x, y in pairs
    ]
    assert out[7].view(np.int32).tolist() == [
        int(np.clip(x - y, -(2**31), 2**31 - 1)) for x, y in pairs
    ]


def places(out, t, keys):
    arch = cute.arch
    masks = [arch.lanemask_lt(), arch.lanemask_le(), arch.lanemask_eq(), arch.lanemask_ge()]
    for row, mask in enumerate([*masks, arch.lanemask_gt(), arch.match_sync(-1, keys[t])]):
        out[row, t] = mask
    every, same = arch.match_sync(0xFFFFFFFF, keys[t] & 0, "all")
    out[6, t] = every + same.to(Uint32)
    out[7, t] = arch.smid().bitcast(Uint32) + arch.nsmid().bitcast(Uint32)
    out[8, t] = arch.log2_of_pow2_int(Int32(1) << t).bitcast(Uint32)


def test_places_in_a_warp():
    keys = RANDOM.integers(0, 5, 32, dtype=np.int32)
    out = np.zeros((9, 32), np.uint32)
    run(places, out, keys)
    mask = 0xFFFFFFFF
    assert out[0].tolist() == [(1 << t) - 1 for t in range(32)]
    assert out[1].tolist() == [(2 << t) - 1 for t in range(32)]
    assert out[2].tolist() == [1 << t for t in range(32)]
    assert out[3].tolist() == [mask & ~((1 << t) - 1) for t in range(32)]
    assert out[4].tolist() == [mask & ~((2 << t) - 1) for t in range(32)]
    assert out[5].tolist() == [sum(1 << i for i in range(32) if keys[i] == k) for k in keys]
    assert out[6].tolist() == [0] * 32  # all ones and one more
    assert out[7].tolist() == [1] * 32  # on the CPU
    assert out[8].tolist() == list(range(32))


@pytest.mark.parametrize(
    ("body", "inputs", "instructions"),
    [
        (counted, [WORDS, WORDS.astype(np.uint64)], ["clz.b32", "brev.b64", "bfind.s32"]),
        (fields, [WORDS, PLACES, LENGTHS], ["bfe.u64", "bfi.b32"]),
        (words, [WORDS, WORDS, PLACES], ["lop3.b32", "shf.r.clamp.b32", "mad24.hi.s32"]),
        (places, [WORDS.view(np.int32)], ["match.any.sync.b32", "%smid"]),
    ],
)
def test_as_ptx(body, inputs, instructions, tmp_path, monkeypatch):
    monkeypatch.setenv("CUTE_DSL_DUMP_DIR", str(tmp_path))
    dtype = np.int32 if body is counted else np.uint32
    run(body, np.zeros((9, 32), dtype), *inputs, options="--target cuda:sm_90a --keep-ptx")
    (ptx,) = tmp_path.glob("*.ptx")
    for instruction in instructions:
        assert instruction in ptx.read_text()


def reduced(out, t):
    there = out.iterator
    cute.arch.red(there, t, op="add", dtype="s32")
    cute.arch.red(there + 1, t, op="umax", sem="relaxed", scope="cta")
    cute.arch.red(there + 2, t, op="or", dtype=Uint32)


def test_reductions_in_memory():
    out = np.zeros(3, np.int32)
    run(reduced, out)
    assert out.tolist() == [496, 31, 31]


def test_what_is_refused():
    def wrong(call):
        with pytest.raises((TypeError, ValueError)) as raised:
            run(lambda out, t: call(), np.zeros(1, np.int32))
        return str(raised.value)

    assert "an integer of 32 or 64 bits for clz" in wrong(lambda: cute.arch.clz(1.5))
    assert "a lut from 0 to 255" in wrong(lambda: cute.arch.lop3(1, 2, 3, 256))
    assert "clamp_left" in wrong(lambda: cute.arch.shf(1, 2, 3, "up"))
    assert "vote_ballot_sync" in wrong(cute.arch.activemask)
