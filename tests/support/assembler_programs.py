"""Programs that ptxas assembles wrongly unless the compiler avoids it, and their results."""

import numpy as np

from fairlead import (
    Float16,
    Float32,
    Float64,
    Int16,
    Int32,
    Int64,
    Uint8,
    Uint16,
    cute,
)

LANES = 64


@cute.kernel
def device_negations(
    x: cute.Tensor, half: cute.Tensor, single: cute.Tensor, double: cute.Tensor, rest: cute.Tensor
):
    i = cute.arch.thread_idx()[0]
    positive = x[i] > 0
    half[i] = -positive.to(Float16)
    single[i] = -(positive and x[i] < 1000).to(Float32)
    double[i] = -positive.to(Float64)
    # ptxas finds out late that this is 0, and optimizes once more.
    one = Int64(0)
    if x[i] == 1:
        one = Int64(1)
    rest[i] = one + 7 if one < 0 else one


@cute.jit
def negations(
    x: cute.Tensor, half: cute.Tensor, single: cute.Tensor, double: cute.Tensor, rest: cute.Tensor
):
    device_negations(x, half, single, double, rest).launch(grid=1, block=LANES)


def negation_arrays():
    """Numbers, and memory for the results."""
    x = np.array([0, 1, -1, 2, -7, 999, 1000, 1 << 40], np.int64)
    types = (np.float16, np.float32, np.float64, np.int64)
    return [np.tile(x, LANES // len(x)), *(np.full(LANES, 77, dtype) for dtype in types)]


def expected_negations(x):
    some = np.where((x > 0) & (x < 1000), -1.0, -0.0)
    every = np.where(x > 0, -1.0, -0.0)
    return [
        every.astype(np.float16),
        some.astype(np.float32),
        every,
        (x == 1).astype(np.int64),
    ]


@cute.kernel
def device_extremes(x: cute.Tensor, y: cute.Tensor, out: cute.Tensor):
    i = cute.arch.thread_idx()[0]
    unsigned, other = x[i].to(Uint16), y[i].to(Uint16)
    signed, another = x[i].to(Int16), y[i].to(Int16)
    least, most = min(unsigned, other), max(signed, another)
    bits = Int32(0)
    bits += Int32(1) if min(unsigned, Uint16(255)) == Uint16(255) else Int32(0)
    bits += Int32(2) if least == unsigned else Int32(0)
    bits += Int32(4) if max(signed, Int16(255)) == Int16(255) else Int32(0)
    bits += Int32(8) if most == signed else Int32(0)
    bits += Int32(16) if min(x[i].to(Uint8), y[i].to(Uint8)) == x[i].to(Uint8) else Int32(0)
    chosen = unsigned if unsigned < other else other
    bits += Int32(32) if chosen == unsigned else Int32(0)
    bits += (
        Int32(64) if x[i] < y[i] else Int32(0)
    )  # all bits of both numbers stay in their registers
    out[i] = bits


@cute.jit
def extremes(x: cute.Tensor, y: cute.Tensor, out: cute.Tensor):
    device_extremes(x, y, out).launch(grid=1, block=LANES)


def extreme_arrays():
    """Numbers that lie on both sides of each other by their low halves and by their high halves."""
    some = [0, 0x00FF, 0x0100, 0x7FFF, 0xFFFF, 0x0001_00FE, 0x7FFF_8000, -1]
    pairs = [(a, b) for a in some for b in some]
    x, y = (np.array(part, np.int32) for part in zip(*pairs, strict=True))
    return [x, y, np.full(LANES, 77, np.int32)]


def expected_extremes(x, y):
    unsigned, other = x.astype(np.uint16), y.astype(np.uint16)
    signed, another = x.astype(np.int16), y.astype(np.int16)
    truths = [
        unsigned >= 255,
        unsigned <= other,
        signed <= 255,
        signed >= another,
        x.astype(np.uint8) <= y.astype(np.uint8),
        unsigned <= other,
        x < y,
    ]
    return sum(truth.astype(np.int32) << bit for bit, truth in enumerate(truths))
