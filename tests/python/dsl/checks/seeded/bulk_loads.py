"""Columns come to shared memory one after the other by bulk copies, and are written to a result."""

import numpy as np

from fairlead import Float32, Int64, cute


@cute.kernel
def kernel(a: cute.Tensor, out: cute.Tensor):
    t, _, _ = cute.arch.thread_idx()
    memory = cute.SmemAllocator()
    s = memory.allocate_tensor(Float32, 128, 16)
    full = memory.allocate_array(Int64, 1)
    if t == 0:
        cute.arch.mbarrier_init(full, 1)
    cute.arch.mbarrier_init_fence()
    cute.arch.sync_threads()  # begun
    load = cute.make_copy_atom(
        cute.nvgpu.cpasync.CopyBulkG2SOp(), Float32, num_bits_per_copy=128 * 32
    )
    for k in range(2):
        if t < 32:
            with cute.arch.elect_one():
                cute.arch.mbarrier_arrive_and_expect_tx(full, 512)
            cute.copy(load, a[None, k], s, mbar_ptr=full)
        cute.arch.mbarrier_wait(full, k)
        out[k, t] = s[t]
        cute.arch.sync_threads()  # read


@cute.jit
def host(a: cute.Tensor, out: cute.Tensor):
    columns = cute.make_tensor(a.iterator, cute.make_layout((128, 2)))
    kernel(columns, out).launch(grid=1, block=128)


def run():
    a = np.arange(256, dtype=np.float32).reshape(2, 128)
    out = np.zeros((2, 128), np.float32)
    host(a, out)
    np.testing.assert_array_equal(out, a)
