"""Shuffles, votes, matches, elections and reductions of a warp: on the CPU against models, and as PTX."""

import numpy as np
import pytest
from support.functions_support import instructions, ptx, run

from fairlead import Float32, Int32, Int64, cute, primitives
from fairlead.primitives import ReductionKind, Shfl

LANES = np.arange(32)
RANDOM = np.random.default_rng(7)


def shuffled(kind, offset, bounds):
    """The source of each lane and whether it is in bounds, as PTX's shfl.sync has them."""
    clamp, segments = bounds & 31, bounds >> 8 & 31
    least = LANES & segments
    most = least | (clamp & ~segments)
    source = {
        "up": LANES - offset,
        "down": LANES + offset,
        "bfly": LANES ^ offset,
        "idx": least | (offset & ~segments),
    }[kind]
    valid = source >= most if kind == "up" else source <= most
    return np.where(valid, source, LANES), valid


@pytest.mark.parametrize(
    ("kind", "offset", "bounds"),
    [("up", 1, 0), ("up", 3, 0x1800), ("down", 1, 0x181F), ("bfly", 16, 31), ("idx", 5, 31)]
    + [("idx", 3, 0x1807), ("down", 9, 20)],
)
def test_shuffles_are_those_of_the_model(kind, offset, bounds):
    def body(t, out):
        value, valid = primitives.shfl_sync(
            -1, Int32(t) * 10, offset, bounds, kind, return_value_and_is_valid=True
        )
        out[t, 0], out[t, 1] = value, valid.to(Int32)
        out[t, 2] = primitives.shfl_sync(-1, Int32(t) * 10, offset, bounds, kind)

    out = np.zeros((32, 3), np.int32)
    run(body, out)
    source, valid = shuffled(kind, offset, bounds)
    np.testing.assert_array_equal(out, np.stack([source * 10, valid, source * 10], 1))


def test_shuffled_floats_stay_floats():
    def body(t, out):
        out[t] = primitives.shfl_sync(0xFFFFFFFF, t * 0.5, 31, 31, Shfl.BFLY)

    out = np.zeros(32, np.float32)
    run(body, out)
    np.testing.assert_array_equal(out, LANES[::-1] * 0.5)


def test_votes():
    def body(t, out):
        even = t % 2 == 0
        out[t, 0] = primitives.vote_sync(-1, even, "ballot")
        out[t, 1] = primitives.vote_sync(-1, even, "any").to(Int32)
        out[t, 2] = primitives.vote_sync(-1, even, "all").to(Int32)
        out[t, 3] = primitives.vote_sync(-1, t < 32, "uni").to(Int32)

    out = np.zeros((32, 4), np.int32)
    run(body, out)
    np.testing.assert_array_equal(out, [[0x55555555, 1, 0, 1]] * 32)


def test_matches():
    def body(t, out):
        out[t, 0] = primitives.match_sync(-1, Int64(t // 8), "any")
        out[t, 1], every = primitives.match_sync(-1, Int32(3), "all")
        out[t, 2] = every.to(Int32)
        out[t, 3], every = primitives.match_sync(-1, t, "all")
        out[t, 4] = every.to(Int32)

    out = np.zeros((32, 5), np.int32)
    run(body, out)
    groups = np.array([0xFF << (lane // 8 * 8) for lane in LANES], np.uint32).view(np.int32)
    np.testing.assert_array_equal(out[:, 0], groups)
    np.testing.assert_array_equal(out[:, 1:], [[-1, 1, 0, 0]] * 32)


KINDS = {
    "ADD": lambda v: v.sum(dtype=np.int32),
    "MIN": np.min,
    "MAX": np.max,
    "AND": np.bitwise_and.reduce,
    "OR": np.bitwise_or.reduce,
    "XOR": np.bitwise_xor.reduce,
    "UMIN": lambda v: v.view(np.uint32).min().astype(np.int32),
    "UMAX": lambda v: v.view(np.uint32).max().astype(np.int32),
}


@pytest.mark.parametrize("mask", [0xFFFFFFFF, 0x00FF00F0])
@pytest.mark.parametrize("kind", KINDS)
def test_reductions_of_integers(kind, mask):
    values = RANDOM.integers(-(1 << 31), 1 << 31, 32).astype(np.int32)

    def body(t, values, out):
        if ((mask >> t) & 1) != 0:
            out[t] = primitives.redux_sync(values[t], kind, mask)

    out = np.zeros(32, np.int32)
    run(body, values, out)
    chosen = mask >> LANES & 1 != 0
    np.testing.assert_array_equal(out, np.where(chosen, KINDS[kind](values[chosen]), 0))


def test_reductions_of_floats():
    def body(t, out):
        value = t.to(Float32) - 15.5
        out[t, 0] = primitives.redux_sync(value, ReductionKind.FMIN, -1)
        out[t, 1] = primitives.redux_sync(value, ReductionKind.FMAX, -1)
        out[t, 2] = primitives.redux_sync(value, ReductionKind.FMIN, -1, abs=True)
        holed = value
        if t == 3:
            holed = Float32(float("nan"))
        out[t, 3] = primitives.redux_sync(holed, "FMAX", -1)
        out[t, 4] = primitives.redux_sync(holed, "FMAX", -1, nan=True)

    out = np.zeros((32, 5), np.float32)
    run(body, out)
    np.testing.assert_array_equal(out, [[-15.5, 15.5, 0.5, 15.5, np.nan]] * 32)


def test_one_lane_of_the_mask_is_elected():
    def body(t, out):
        out[t, 0] = primitives.elect_sync().to(Int32)
        if t >= 20:
            out[t, 1] = primitives.elect_sync(membermask=0xFFF00000).to(Int32)
        mask = Int32(0x0FF0)
        if (t >= 4) & (t < 12):
            out[t, 2] = primitives.elect_sync(membermask=mask).to(Int32)

    out = np.zeros((32, 3), np.int32)
    run(body, out)
    assert [list(np.flatnonzero(column)) for column in out.T] == [[0], [20], [4]]


def test_lanes_wait_for_those_of_their_mask():
    def body(t, out):
        memory = primitives.Array(Int32, 32, space=primitives.AddressSpace.smem)
        memory[t] = Int32(t)
        if t < 16:
            primitives.bar_warp_sync(0x0000FFFF)
            out[t] = memory[15 - t]
        else:
            primitives.bar_warp_sync(0xFFFF0000)
            out[t] = memory[47 - t]

    out = np.zeros(32, np.int32)
    run(body, out)
    np.testing.assert_array_equal(out, np.r_[LANES[15::-1], LANES[:15:-1]])


def everything(t, out):
    x = Int32(t)
    value, valid = primitives.shfl_sync(-1, x, 1, 0, "up", return_value_and_is_valid=True)
    out[t, 0], out[t, 1] = value, valid.to(Int32)
    out[t, 2] = primitives.shfl_sync(-1, x, 1, 31, "bfly")
    out[t, 3] = primitives.redux_sync(x, "MAX", -1)
    out[t, 4] = primitives.redux_sync(x, "UMIN", 0xFF)
    out[t, 5] = primitives.redux_sync(x, "XOR", -1)
    out[t, 6] = primitives.vote_sync(-1, x > 3, "uni").to(Int32)
    out[t, 7] = primitives.match_sync(-1, x, "any")
    out[t, 8], _ = primitives.match_sync(-1, Int64(x), "all")
    out[t, 9] = primitives.elect_sync(membermask=0xFF).to(Int32)
    primitives.bar_warp_sync(0xF)


def test_instructions(tmp_path):
    text = ptx(everything, np.zeros((32, 10), np.int32), folder=tmp_path)
    names = (
        "shfl.sync.up.b32 shfl.sync.bfly.b32 redux.sync.max.s32 redux.sync.min.u32 redux.sync.xor.b32 "
        "vote.sync.uni.pred match.any.sync.b32 match.all.sync.b64 elect.sync bar.warp.sync"
    )
    for name in names.split():
        assert instructions(text, name), name


def test_reductions_of_floats_on_blackwell(tmp_path):
    def body(t, out):
        out[t] = primitives.redux_sync(out[t], "FMAX", -1, abs=True, nan=True)

    out = np.zeros(32, np.float32)
    assert instructions(ptx(body, out, arch="sm_100a"), "redux.sync.max.abs.NaN.f32")
    for other in ("sm_90a", "sm_110a"):
        with pytest.raises(ValueError, match="supported only for sm_100a, sm_103a and their"):
            ptx(body, out, arch=other)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda x: primitives.shfl_sync(-1, x, 1, 31, "dwn"), ValueError, "did you mean `down`"),
        (lambda x: primitives.shfl_sync(-1, Int64(x), 1, 31, "up"), TypeError, "32 bits as val"),
        (lambda x: primitives.vote_sync(-1, x, 5), TypeError, "member of VoteSync as kind"),
        (lambda x: primitives.redux_sync(x, "FMAX", -1), TypeError, "Float32 as val for FMIN"),
        (lambda x: primitives.redux_sync(0.5, "ADD", -1), TypeError, "Float32 for ADD"),
        (lambda x: primitives.redux_sync(x, "ADD", -1, abs=True), ValueError, "abs and nan only"),
        (lambda x: primitives.match_sync(-1, x.to(cute.Int8), "any"), TypeError, "32 or 64 bits"),
        (lambda x: primitives.elect_sync(membermask=0), ValueError, "1 lane or more"),
        (lambda x: primitives.bar_warp_sync(0.5), TypeError, "integer of 32 bits as mask"),
        (lambda x: primitives.bar_warp_sync(1 << 32), ValueError, "to 4294967295 as mask"),
    ],
)
def test_wrong_operands(call, error, message):
    def body(t, out):
        call(Int32(t))

    with pytest.raises(error, match=message):
        run(body, np.zeros(1, np.int32))
