"""Block 0 copies rows to both blocks of a cluster, through two stages. A warp of each block reads them."""

import numpy as np

from fairlead import Float32, Int16, Int64, cute, range
from fairlead.cute.runtime import from_dlpack

STAGES, BYTES = 2, 256 * 4


@cute.kernel
def kernel(a: cute.Tensor, out: cute.Tensor):
    t, _, _ = cute.arch.thread_idx()
    block, _, _ = cute.arch.block_idx()
    warp = cute.arch.make_warp_uniform(cute.arch.warp_idx())
    rank = cute.arch.make_warp_uniform(cute.arch.block_idx_in_cluster())
    memory = cute.SmemAllocator()
    s = memory.allocate_tensor(Float32, cute.make_layout((256, STAGES)), 128)
    full = memory.allocate_array(Int64, STAGES)
    empty = memory.allocate_array(Int64, STAGES)
    if t == 0:
        for stage in range(STAGES):
            cute.arch.mbarrier_init(full + stage, 1)
            cute.arch.mbarrier_init(empty + stage, 64)
    cute.arch.mbarrier_init_fence()
    cute.arch.cluster_arrive()  # begun
    cute.arch.cluster_wait()  # begun
    load = cute.make_copy_atom(
        cute.nvgpu.cpasync.CopyBulkG2SMulticastOp(), Float32, num_bits_per_copy=256 * 32
    )
    if warp == 1:
        for k in range(6):
            stage, phase = k % STAGES, k // STAGES % 2
            cute.arch.mbarrier_wait(empty + stage, phase ^ 1)
            with cute.arch.elect_one():
                cute.arch.mbarrier_arrive_and_expect_tx(full + stage, BYTES)
            if rank == 0:
                to = s[None, stage]
                cute.copy(load, a[None, k], to, mbar_ptr=full + stage, mcast_mask=Int16(3))
    else:
        for k in range(6):
            stage, phase = k % STAGES, k // STAGES % 2
            cute.arch.mbarrier_wait(full + stage, phase)
            out[t, k, block] = s[t, stage]
            cute.arch.mbarrier_arrive(empty + stage, rank)
            cute.arch.mbarrier_arrive(empty + stage, rank ^ 1)
    cute.arch.cluster_arrive()  # read
    cute.arch.cluster_wait()  # read


@cute.jit
def host(a: cute.Tensor, out: cute.Tensor):
    columns = cute.make_tensor(a.iterator, cute.make_layout((256, 6)))
    kernel(columns, out).launch(grid=2, block=64, cluster=(2, 1, 1))


def run():
    a = np.arange(6 * 256, dtype=np.float32).reshape(6, 256)
    out = np.zeros((32, 6, 2), np.float32)
    host(from_dlpack(a, assumed_align=16), out)
    np.testing.assert_array_equal(out, np.repeat(a[:, :32].T[:, :, None], 2, axis=2))
