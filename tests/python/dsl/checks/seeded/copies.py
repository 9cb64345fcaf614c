"""Tiles come by asynchronous copies, one ahead of the tile that is read."""

import numpy as np

from fairlead import Float32, cute


@cute.kernel
def kernel(a: cute.Tensor, out: cute.Tensor):
    t, _, _ = cute.arch.thread_idx()
    s = cute.SmemAllocator().allocate_tensor(
        Float32, cute.make_layout((4, 64, 2), stride=(1, 4, 256)), 16
    )
    atom = cute.make_copy_atom(cute.nvgpu.cpasync.CopyG2SOp(), Float32, num_bits_per_copy=128)
    cute.copy(atom, a[None, t, 0], s[None, t, 0])
    cute.arch.cp_async_commit_group()
    for i in range(6):
        if i < 5:
            cute.copy(atom, a[None, t, i + 1], s[None, t, (i + 1) % 2])
        cute.arch.cp_async_commit_group()
        cute.arch.cp_async_wait_group(1)
        cute.arch.sync_threads()  # what came is seen
        for j in range(4):
            out[j, t, i] = s[j, 63 - t, i % 2]
        cute.arch.sync_threads()  # the buffer is free


@cute.jit
def host(a: cute.Tensor, out: cute.Tensor):
    kernel(a, out).launch(grid=1, block=64)


def run():
    tensor = cute.make_fake_tensor(Float32, (4, 64, 6), stride=(1, 4, 256), assumed_align=16)
    made = cute.compile(host, tensor, tensor)
    a, out = np.arange(1536, dtype=np.float32).reshape(6, 64, 4), np.zeros((6, 64, 4), np.float32)
    made(a.transpose(2, 1, 0), out.transpose(2, 1, 0))
    np.testing.assert_array_equal(out, a[:, ::-1])
