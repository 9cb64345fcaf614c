"""A transposed matrix, by tiles in shared memory; the last tiles are partial."""

import numpy as np

from fairlead import Float32, cute


@cute.kernel
def kernel(a: cute.Tensor, out: cute.Tensor):
    x, y, _ = cute.arch.thread_idx()
    bx, by, _ = cute.arch.block_idx()
    s = cute.SmemAllocator().allocate_tensor(Float32, cute.make_layout((16, 16), stride=(17, 1)))
    row, column = by * 16 + y, bx * 16 + x
    if row < a.shape[0] and column < a.shape[1]:
        s[y, x] = a[row, column]
    cute.arch.sync_threads()
    to_row, to_column = bx * 16 + y, by * 16 + x
    if to_row < out.shape[0] and to_column < out.shape[1]:
        out[to_row, to_column] = s[x, y]


@cute.jit
def host(a: cute.Tensor, out: cute.Tensor):
    kernel(a, out).launch(
        grid=(cute.ceil_div(a.shape[1], 16), cute.ceil_div(a.shape[0], 16), 1),
        block=(16, 16, 1),
    )


def run():
    a = np.arange(40 * 24, dtype=np.float32).reshape(40, 24)
    out = np.zeros((24, 40), np.float32)
    host(a, out)
    np.testing.assert_array_equal(out, a.T)
