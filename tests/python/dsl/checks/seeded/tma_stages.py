"""A warp copies tiles by TMA into three stages; two warps read them."""

import numpy as np

from fairlead import Float32, Int64, cute, range

STAGES, READERS, BYTES = 3, 2, 64 * 32 * 4


@cute.kernel
def kernel(atom: cute.CopyAtom, a: cute.Tensor, staged: cute.Layout, out: cute.Tensor):
    t, _, _ = cute.arch.thread_idx()
    warp = cute.arch.make_warp_uniform(cute.arch.warp_idx())
    memory = cute.SmemAllocator()
    s = memory.allocate_tensor(Float32, staged, 128)
    full = memory.allocate_array(Int64, 3)
    empty = memory.allocate_array(Int64, 3)
    if t == 0:
        for stage in range(STAGES):
            cute.arch.mbarrier_init(full + stage, 1)
            cute.arch.mbarrier_init(empty + stage, 64)
    cute.arch.mbarrier_init_fence()
    cute.arch.sync_threads()  # begun
    tiles = cute.local_tile(a, (64, 32), (0, None))
    to, source = cute.nvgpu.cpasync.tma_partition(
        atom, 0, cute.make_layout(1), cute.group_modes(s, 0, 2), cute.group_modes(tiles, 0, 2)
    )
    count = cute.size(tiles, mode=[2])
    if warp == 2:
        for k in range(count):
            stage, phase = k % STAGES, k // STAGES % 2
            cute.arch.mbarrier_wait(empty + stage, phase ^ 1)
            with cute.arch.elect_one():
                cute.arch.mbarrier_arrive_and_expect_tx(full + stage, BYTES)
            cute.copy(atom, source[None, k], to[None, stage], tma_bar_ptr=full + stage)
    else:
        for k in range(count):
            stage, phase = k % STAGES, k // STAGES % 2
            cute.arch.mbarrier_wait(full + stage, phase)
            out[t, k] = s[t, 0, stage]
            cute.arch.mbarrier_arrive(empty + stage)


@cute.jit
def host(a: cute.Tensor, out: cute.Tensor):
    staged = cute.make_layout((64, 32, STAGES), stride=(32, 1, 64 * 32))
    atom, coordinates = cute.nvgpu.cpasync.make_tiled_tma_atom(
        cute.nvgpu.cpasync.CopyBulkTensorTileG2SOp(),
        a,
        cute.slice_(staged, (None, None, 0)),
        (64, 32),
    )
    kernel(atom, coordinates, staged, out).launch(grid=1, block=96)


def arguments():
    a = np.arange(64 * 256, dtype=np.float32).reshape(64, 256)
    return a, np.zeros((64, 8), np.float32)


def run():
    a, out = arguments()
    host(a, out)
    np.testing.assert_array_equal(out, a[:, ::32])
