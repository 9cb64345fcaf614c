"""Rows are reversed through a ring of three stages that cp.async fills two rows ahead."""

import numpy as np

from fairlead import Float32, cute, range


@cute.kernel
def kernel(a: cute.Tensor, out: cute.Tensor):
    t, _, _ = cute.arch.thread_idx()
    rows = a.shape[0]
    s = cute.SmemAllocator().allocate_tensor(Float32, cute.make_layout((1, 64, 3)), 16)
    atom = cute.make_copy_atom(cute.nvgpu.cpasync.CopyG2SOp(), Float32, num_bits_per_copy=32)
    tiles = cute.zipped_divide(a, (1, 1))
    for k in range(2, unroll_full=True):
        cute.copy(atom, tiles[None, (k, t)], s[None, t, k])
        cute.arch.cp_async_commit_group()
    for k in range(rows):
        cute.arch.cp_async_wait_group(1)
        cute.arch.sync_threads()
        out[k, t] = s[0, 63 - t, k % 3]
        if k + 2 < rows:
            cute.copy(atom, tiles[None, (k + 2, t)], s[None, t, (k + 2) % 3])
        cute.arch.cp_async_commit_group()  # also of nothing: waits count groups


@cute.jit
def host(a: cute.Tensor, out: cute.Tensor):
    kernel(a, out).launch(grid=1, block=64)


def run():
    a = np.arange(384, dtype=np.float32).reshape(6, 64)
    out = np.zeros((6, 64), np.float32)
    host(a, out)
    np.testing.assert_array_equal(out, a[:, ::-1])
