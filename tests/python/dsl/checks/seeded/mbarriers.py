"""Warp 0 hands eight rows to warp 1, through two stages with a barrier for full and one for empty."""

import numpy as np

from fairlead import Float32, Int64, cute


@cute.kernel
def kernel(a: cute.Tensor, out: cute.Tensor):
    t, _, _ = cute.arch.thread_idx()
    memory = cute.SmemAllocator()
    s = memory.allocate_tensor(Float32, cute.make_layout((32, 2)))
    full = memory.allocate_array(Int64, 2)
    empty = memory.allocate_array(Int64, 2)
    if t == 0:
        for stage in range(2):
            cute.arch.mbarrier_init(full + stage, 32)
            cute.arch.mbarrier_init(empty + stage, 32)
    cute.arch.sync_threads()
    if t < 32:
        for i in range(8):
            stage, phase = i % 2, i // 2 % 2
            cute.arch.mbarrier_wait(empty + stage, phase ^ 1)
            s[t, stage] = a[t, i]
            cute.arch.mbarrier_arrive(full + stage)
    else:
        for i in range(8):
            stage, phase = i % 2, i // 2 % 2
            cute.arch.mbarrier_wait(full + stage, phase)
            out[t - 32, i] = s[63 - t, stage]
            cute.arch.mbarrier_arrive(empty + stage)


@cute.jit
def host(a: cute.Tensor, out: cute.Tensor):
    kernel(a, out).launch(grid=1, block=64)


def run():
    a = np.arange(256, dtype=np.float32).reshape(32, 8)
    out = np.zeros((32, 8), np.float32)
    host(a, out)
    np.testing.assert_array_equal(out, a[::-1])
