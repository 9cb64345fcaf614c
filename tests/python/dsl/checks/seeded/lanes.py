"""Differences of neighbours in a warp, then between warps; pairs of warps vote."""

import numpy as np

from fairlead import Float32, cute


@cute.kernel
def kernel(a: cute.Tensor, out: cute.Tensor, n: cute.Int32):
    t, _, _ = cute.arch.thread_idx()
    s = cute.SmemAllocator().allocate_tensor(Float32, 96)
    value = a[t]
    after = cute.arch.shuffle_sync_down(value, 1)
    s[t] = value
    cute.arch.sync_warp()  # written
    before = s[t ^ 1]
    cute.arch.sync_warp()  # read
    s[t] = cute.math.sqrt(after + before)
    if t < n:
        out[t] = s[t]


@cute.jit
def host(a: cute.Tensor, out: cute.Tensor, n: cute.Int32):
    kernel(a, out, n).launch(grid=1, block=96)


def run():
    a, out = np.ones(96, np.float32), np.zeros(90, np.float32)
    host(a, out, 90)
    np.testing.assert_array_equal(out, np.full(90, np.sqrt(np.float32(2))))
