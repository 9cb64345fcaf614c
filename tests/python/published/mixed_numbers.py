"""Operators on numbers and elements of several types, with written numbers: Int32, Float32 or Int64 beside narrower
types, and integers as floats of their width."""

import cutlass
import numpy as np
import torch
from cutlass import cute
from cutlass.cute.runtime import from_dlpack

COUNT = 64


@cute.kernel
def kernel(
    codes: cute.Tensor,
    halves: cute.Tensor,
    steps: cute.Tensor,
    whole: cute.Tensor,
    out: cute.Tensor,
):
    thread, _, _ = cute.arch.thread_idx()
    code, half, step, number = codes[thread], halves[thread], steps[thread], whole[thread]
    assert (code - 128).dtype is cutlass.Int32
    assert (half * 0.1).dtype is cutlass.Float32
    assert (half * step).dtype is cutlass.Float32
    assert (half + step.to(cutlass.Int64)).dtype is cutlass.Float64
    assert (half + cutlass.Int8(1)).dtype is half.dtype
    assert (number + 0xBB67AE85).dtype is cutlass.Int64
    assert ((number * 0xD2511F53) >> 32).dtype is cutlass.Int64
    assert (number + (1 << 40)).dtype is cutlass.Int64
    assert cute.round_up(code, 16).dtype is cutlass.Int32
    assert cutlass.max(half, step).dtype is cutlass.Float32
    for function in (
        cute.math.rcp,
        cute.math.round,
        cute.math.roundeven,
        lambda x: cute.math.rem(x, 2.0),
        lambda x: cute.math.fpowi(x, -2),
        lambda x: cute.math.fpowi(x, 0),
        lambda x: cute.math.fpowi(x, step),
    ):
        assert function(half).dtype is half.dtype
    out[thread, 0] = (code - 128).to(cutlass.Float32)
    out[thread, 1] = (code << 4).to(cutlass.Float32)
    out[thread, 2] = half * 0.1
    out[thread, 3] = half * step
    out[thread, 4] = cutlass.Float32(1.0) if half < 0.1 else cutlass.Float32(0.0)
    out[thread, 5] = cutlass.max(code, 300).to(cutlass.Float32)
    out[thread, 7] = ((number * 0xD2511F53) >> 32).to(cutlass.Float32)
    mine = cute.local_tile(codes, (1,), (thread,))
    shifted = mine.load() - 128
    assert shifted.dtype is cutlass.Int32
    out[thread, 6] = (shifted * 2).to(cutlass.Float32)[0]
    assert (mine.load() << 1).dtype is cutlass.Uint8


@cute.jit
def run(
    codes: cute.Tensor,
    halves: cute.Tensor,
    steps: cute.Tensor,
    whole: cute.Tensor,
    out: cute.Tensor,
):
    kernel(codes, halves, steps, whole, out).launch(grid=(1, 1, 1), block=(COUNT, 1, 1))


def main():
    random = np.random.default_rng(0)
    codes = torch.from_numpy(random.integers(0, 256, COUNT).astype(np.uint8))
    halves = torch.from_numpy(random.standard_normal(COUNT)).bfloat16()
    halves[0] = torch.tensor(0.1).bfloat16()
    steps = torch.from_numpy(random.integers(-999, 999, COUNT).astype(np.int32))
    whole = torch.from_numpy(random.integers(0, 1 << 31, COUNT).astype(np.int32))
    out = torch.zeros(COUNT, 8)
    number = from_dlpack(whole)
    number.element_type = cutlass.Uint32
    run(*map(from_dlpack, (codes, halves, steps)), number, from_dlpack(out))
    code, half = codes.int(), halves.float()
    tenth = torch.tensor(0.1)
    expected = [
        code - 128,
        code << 4,
        half * tenth,
        half * steps.float(),
        half < tenth,
        code.clamp(min=300),
        2 * (code - 128),
        (whole.long() * 0xD2511F53) >> 32,
    ]
    for column, values in enumerate(expected):
        assert torch.equal(out[:, column], values.float()), column
    print("PASS")


main()
