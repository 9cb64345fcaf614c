"""A histogram of 16 bins: atomic additions in shared memory, then in global memory."""

import numpy as np

from fairlead import Int32, cute


@cute.kernel
def kernel(a: cute.Tensor, out: cute.Tensor):
    t, _, _ = cute.arch.thread_idx()
    b, _, _ = cute.arch.block_idx()
    bins = cute.SmemAllocator().allocate_tensor(Int32, 16)
    if t < 16:
        bins[t] = 0
    cute.arch.sync_threads()  # cleared
    bin = a[b * 64 + t]
    cute.arch.atomic_add(bins.iterator + bin, Int32(1))
    cute.arch.sync_threads()  # counted
    if t < 16:
        cute.arch.atomic_add(out.iterator + t, bins[t])


@cute.jit
def host(a: cute.Tensor, out: cute.Tensor):
    kernel(a, out).launch(grid=a.shape[0] // 64, block=64)


def run():
    a, out = np.arange(256, dtype=np.int32) % 16, np.zeros(16, np.int32)
    host(a, out)
    assert out.tolist() == [16] * 16
