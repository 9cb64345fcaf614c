"""Loops over indices that wrap within their rows read what NumPy reads: LLVM 22 takes some of them for consecutive."""

import numpy as np
import pytest

from fairlead import cute


@cute.jit
def rotate(a: cute.Tensor, out: cute.Tensor):
    for r in range(4):
        for c in range(16):
            out[r * 16 + c] = a[r * 16 + (c + 1) % 16]


@cute.jit
def rotate_masked(a: cute.Tensor, out: cute.Tensor):
    for r in range(4):
        for c in range(16):
            out[r * 16 + c] = a[r * 16 + ((c + 5) & 15)]


@cute.jit
def repeat(a: cute.Tensor, out: cute.Tensor):
    for r in range(4):
        for c in range(16):
            out[r * 16 + c] = a[r * 8 + c % 8]


@cute.jit
def padded(a: cute.Tensor, out: cute.Tensor):
    for r in range(4):
        for c in range(16):
            out[r * 16 + c] = a[r * 33 + (c & 3)]


R, C = np.meshgrid(np.arange(4), np.arange(16), indexing="ij")


@pytest.mark.parametrize("level", [1, 2, 3])
@pytest.mark.parametrize(
    ("program", "index"),
    [
        (rotate, R * 16 + (C + 1) % 16),
        (rotate_masked, R * 16 + ((C + 5) & 15)),
        (repeat, R * 8 + C % 8),
        (padded, R * 33 + (C & 3)),
    ],
)
def test_rows(program, index, level):
    a, out = np.arange(128, dtype=np.int32), np.zeros(64, np.int32)
    cute.compile(program, a, out, options=f"--opt-level {level}")(a, out)
    np.testing.assert_array_equal(out, a[index.ravel()])


@cute.jit
def carried(a: cute.Tensor, out: cute.Tensor):
    """Each iteration stores where a later one of the row reads."""
    for r in range(a.shape[0] // 32):
        for c in range(32):
            out[r * 32 + ((c + 1) & 15)] = out[r * 32 + c] + a[r * 32 + c]


@pytest.mark.parametrize("level", [1, 2, 3])
def test_elements_that_earlier_iterations_store(level):
    a, out = np.arange(128, dtype=np.int32), np.arange(128, dtype=np.int32)
    expected = out.copy()
    for r in range(4):
        for c in range(32):
            expected[r * 32 + ((c + 1) & 15)] = expected[r * 32 + c] + a[r * 32 + c]
    cute.compile(carried, a, out, options=f"--opt-level {level}")(a, out)
    np.testing.assert_array_equal(out, expected)


@pytest.mark.parametrize("masked", [False, True])
@pytest.mark.parametrize("shift", range(1, 32, 5))
def test_lanes_rotate_through_shared_memory(shift, masked):
    @cute.kernel
    def device(a: cute.Tensor, out: cute.Tensor):
        t, _, _ = cute.arch.thread_idx()
        s = cute.SmemAllocator().allocate_tensor(cute.Int32, 128)
        s[t] = a[t]
        cute.arch.sync_warp()
        if cute.const_expr(masked):
            out[t] = s[(t & ~31) + ((t + shift) & 31)]
        else:
            out[t] = s[t // 32 * 32 + (t + shift) % 32]

    @cute.jit
    def run(a: cute.Tensor, out: cute.Tensor):
        device(a, out).launch(grid=1, block=128)

    a, out = np.arange(128, dtype=np.int32), np.zeros(128, np.int32)
    run(a, out)
    t = np.arange(128)
    np.testing.assert_array_equal(out, a[t // 32 * 32 + (t + shift) % 32])
