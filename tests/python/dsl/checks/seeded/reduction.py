"""Each block divides its 256 values by their sum."""

import numpy as np

from fairlead import Float32, cute


@cute.kernel
def kernel(a: cute.Tensor, out: cute.Tensor):
    t, _, _ = cute.arch.thread_idx()
    b, _, _ = cute.arch.block_idx()
    mine = a[b * 256 + t]
    value = cute.arch.warp_reduction_sum(mine)
    sums = cute.SmemAllocator().allocate_tensor(Float32, 8)
    if cute.arch.lane_idx() == 0:
        sums[cute.arch.warp_idx()] = value
    cute.arch.sync_threads()
    total = Float32(0.0)
    for w in range(8):
        total = total + sums[w]
    out[b * 256 + t] = mine / total


@cute.jit
def host(a: cute.Tensor, out: cute.Tensor):
    kernel(a, out).launch(grid=a.shape[0] // 256, block=256)


def run():
    a, out = np.arange(1024, dtype=np.float32), np.zeros(1024, np.float32)
    host(a, out)
    np.testing.assert_array_equal(out, a / np.repeat(a.reshape(4, 256).sum(1), 256))
