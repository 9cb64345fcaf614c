"""Sums of three neighbours, through a tile with a halo."""

import numpy as np

from fairlead import Float32, cute


@cute.kernel
def kernel(a: cute.Tensor, out: cute.Tensor):
    t, _, _ = cute.arch.thread_idx()
    b, _, _ = cute.arch.block_idx()
    s = cute.SmemAllocator().allocate_tensor(Float32, 66)
    i = b * 64 + t
    s[t + 1] = a[i + 1]
    if t == 0:
        s[0] = a[i]
    if t == 63:
        s[65] = a[i + 2]
    cute.arch.sync_threads()
    total = s[t] + s[t + 1] + s[t + 2]
    out[i] = total


@cute.jit
def host(a: cute.Tensor, out: cute.Tensor):
    kernel(a, out).launch(grid=out.shape[0] // 64, block=64)


def run():
    a, out = np.arange(258, dtype=np.float32), np.zeros(256, np.float32)
    host(a, out)
    np.testing.assert_array_equal(out, a[:-2] + a[1:-1] + a[2:])
