"""Warps 0 and 1 hand values to warps 2 and 3 by barriers with numbers, and get them back reversed."""

import numpy as np

from fairlead import Float32, cute


@cute.kernel
def kernel(a: cute.Tensor):
    t, _, _ = cute.arch.thread_idx()
    s = cute.SmemAllocator().allocate_tensor(Float32, 64)
    if t < 64:
        s[t] = a[t]
        cute.arch.barrier_arrive(barrier_id=1, number_of_threads=128)
        cute.arch.barrier(barrier_id=2, number_of_threads=128)
        a[t] = s[63 - t] + 1.0
    else:
        cute.arch.barrier(barrier_id=1, number_of_threads=128)
        a[t] = s[127 - t]
        cute.arch.barrier(barrier_id=3, number_of_threads=64)
        s[127 - t] = a[t] * 2.0
        cute.arch.barrier_arrive(barrier_id=2, number_of_threads=128)


@cute.jit
def host(a: cute.Tensor):
    kernel(a).launch(grid=1, block=128)


def run():
    a = np.arange(128, dtype=np.float32)
    host(a)
    expected = np.arange(64, dtype=np.float32)[::-1]
    np.testing.assert_array_equal(a, np.concatenate([expected * 2 + 1, expected]))
