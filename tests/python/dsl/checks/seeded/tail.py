"""Every other value of a vector, squared, four a thread; the last thread has fewer."""

import numpy as np

from fairlead import Float32, cute


@cute.kernel
def kernel(a: cute.Tensor, out: cute.Tensor):
    t, _, _ = cute.arch.thread_idx()
    b, _, _ = cute.arch.block_idx()
    base = (b * 32 + t) * 4
    r = cute.make_rmem_tensor(4, Float32)
    for j in range(4):
        if base + j < a.shape[0]:
            r[j] = a[base + j]
    for j in range(4):
        if base + j < out.shape[0]:
            out[base + j] = r[j] * r[j]


@cute.jit
def host(a: cute.Tensor, out: cute.Tensor):
    kernel(a, out).launch(grid=cute.ceil_div(out.shape[0], 128), block=32)


def run():
    whole = np.arange(600, dtype=np.float32)
    a, out = whole[::2], np.zeros(300, np.float32)
    host(a, out)
    np.testing.assert_array_equal(out, a * a)
