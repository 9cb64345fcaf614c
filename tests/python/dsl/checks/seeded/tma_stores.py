"""Tiles of 16 rows are written to shared memory, and from there to a result by TMA."""

import numpy as np

from fairlead import Float32, cute


@cute.kernel
def kernel(atom: cute.CopyAtom, out: cute.Tensor, a: cute.Tensor):
    t, _, _ = cute.arch.thread_idx()
    s = cute.SmemAllocator().allocate_tensor(Float32, cute.make_layout((16, 8), stride=(8, 1)), 128)
    for k in range(2):
        s[t // 8, t % 8] = a[k * 16 + t // 8, t % 8]
        cute.arch.fence_view_async_shared()
        cute.arch.sync_threads()  # written
        if t < 32:
            origin, target = cute.nvgpu.cpasync.tma_partition(
                atom,
                0,
                cute.make_layout(1),
                cute.group_modes(s, 0, 2),
                cute.group_modes(cute.local_tile(out, (16, 8), (k, 0)), 0, 2),
            )
            cute.copy(atom, origin, target)
            cute.arch.cp_async_bulk_commit_group()
            cute.arch.cp_async_bulk_wait_group(0, read=True)
        cute.arch.sync_threads()  # stored


@cute.jit
def host(a: cute.Tensor, out: cute.Tensor):
    tile = cute.make_layout((16, 8), stride=(8, 1))
    store = cute.nvgpu.cpasync.CopyBulkTensorTileS2GOp()
    atom, coordinates = cute.nvgpu.cpasync.make_tiled_tma_atom(store, out, tile, (16, 8))
    kernel(atom, coordinates, a).launch(grid=1, block=128)


def run():
    a = np.arange(256, dtype=np.float32).reshape(32, 8)
    out = np.zeros((32, 8), np.float32)
    host(a, out)
    np.testing.assert_array_equal(out, a)
