"""Two warps hand eight rows to two others through two stages, with barriers 1 and 2 for full, and 3 and 4 for empty."""

import numpy as np

from fairlead import Float32, cute, range


@cute.kernel
def kernel(a: cute.Tensor, out: cute.Tensor):
    t, _, _ = cute.arch.thread_idx()
    s = cute.SmemAllocator().allocate_tensor(Float32, cute.make_layout((64, 2)))
    if t < 64:
        for i in range(8):
            if i >= 2:
                cute.arch.barrier(barrier_id=3 + i % 2, number_of_threads=128)  # empty
            s[t, i % 2] = a[t, i]
            cute.arch.barrier_arrive(barrier_id=1 + i % 2, number_of_threads=128)  # filled
    else:
        for i in range(8):
            cute.arch.barrier(barrier_id=1 + i % 2, number_of_threads=128)  # full
            out[t - 64, i] = s[127 - t, i % 2]
            if i < 6:
                cute.arch.barrier_arrive(barrier_id=3 + i % 2, number_of_threads=128)  # read


@cute.jit
def host(a: cute.Tensor, out: cute.Tensor):
    kernel(a, out).launch(grid=1, block=128)


def run():
    a = np.arange(512, dtype=np.float32).reshape(64, 8)
    out = np.zeros((64, 8), np.float32)
    host(a, out)
    np.testing.assert_array_equal(out, a[::-1])
