"""Products of two extents into the same sums in tensor memory, where threads have stored before."""

import numpy as np

from fairlead import Float16, Float32, Int32, Int64, cute, pipeline, range_constexpr, utils
from fairlead.cute.nvgpu import OperandMajorMode, tcgen05
from fairlead.cute.runtime import from_dlpack
from fairlead.utils import blackwell_helpers as sm100

THREADS, WIDE, NARROW = 128, (128, 64, 16), (128, 32, 16)


def tiled_mma(shape):
    k_major = OperandMajorMode.K
    return sm100.make_trivial_tiled_mma(
        Float16, k_major, k_major, Float32, tcgen05.CtaGroup.ONE, shape[:2]
    )


@cute.kernel
def kernel(
    mma: cute.TiledMma, narrow: cute.TiledMma, c: cute.Tensor,
    a_staged: cute.ComposedLayout, b_staged: cute.ComposedLayout, n_staged: cute.ComposedLayout,
):  # fmt: skip
    t, _, _ = cute.arch.thread_idx()
    warp = cute.arch.make_warp_uniform(cute.arch.warp_idx())
    smem = utils.SmemAllocator()
    place, first, second = (smem.allocate(each) for each in (Int32, Int64, Int64))
    sa = smem.allocate_tensor(Float16, a_staged.outer, 1024, a_staged.inner)
    sb = smem.allocate_tensor(Float16, b_staged.outer, 1024, b_staged.inner)
    tmem = utils.TmemAllocator(place, barrier_for_retrieve=pipeline.NamedBarrier(1, THREADS))
    tmem.allocate(64)
    if t == 0:
        cute.arch.mbarrier_init(first, 1)
        cute.arch.mbarrier_init(second, 1)
    cute.arch.mbarrier_init_fence()
    tmem.wait_for_alloc()
    memory = tmem.retrieve_ptr(Float32)
    sums = cute.make_tensor(memory, mma.make_fragment_C(mma.partition_shape_C(WIDE[:2])).layout)
    left = cute.make_tensor(
        memory, narrow.make_fragment_C(narrow.partition_shape_C(NARROW[:2])).layout
    )
    sn = cute.make_tensor(sb.iterator, n_staged.outer)
    fa, fb, fn = mma.make_fragment_A(sa), mma.make_fragment_B(sb), narrow.make_fragment_B(sn)
    for index in range_constexpr(cute.size(sa) // THREADS):
        sa[index * THREADS + t] = Float16(1.0)
    for index in range_constexpr(cute.size(sb) // THREADS):
        sb[index * THREADS + t] = Float16(2.0)
    cute.arch.fence_proxy("async.shared", space="cta")
    flat = sums[(None, None), 0, 0]
    x64 = tcgen05.Repetition.x64
    storing = tcgen05.make_tmem_copy(cute.make_copy_atom(tcgen05.St32x32bOp(x64), Float32), flat)
    loading = tcgen05.make_tmem_copy(cute.make_copy_atom(tcgen05.Ld32x32bOp(x64), Float32), flat)
    target = loading.get_slice(t).partition_D(mma.get_slice(0).partition_C(c)[(None, None), 0, 0])
    values = cute.make_rmem_tensor(target.shape, Float32)
    values.fill(3.0)
    cute.copy(storing, values, storing.get_slice(t).partition_D(flat))
    cute.arch.fence_view_async_tmem_store()
    pipeline.sync(barrier_id=2)
    if warp == 0:
        mma.set(tcgen05.Field.ACCUMULATE, True)
        narrow.set(tcgen05.Field.ACCUMULATE, True)
        cute.gemm(mma, sums, fa[None, None, 0, 0], fb[None, None, 0, 0], sums)
        with cute.arch.elect_one():
            tcgen05.commit(first)
        cute.arch.mbarrier_wait(first, 0)
        cute.gemm(narrow, left, fa[None, None, 0, 0], fn[None, None, 0, 0], left)
        with cute.arch.elect_one():
            tcgen05.commit(second)
    cute.arch.mbarrier_wait(second, 0)
    cute.copy(loading, loading.get_slice(t).partition_S(flat), values)
    cute.autovec_copy(values, target)
    tmem.relinquish_alloc_permit()
    pipeline.sync(barrier_id=3)
    tmem.free(memory)


@cute.jit
def host(c: cute.Tensor):
    mma, narrow = tiled_mma(WIDE), tiled_mma(NARROW)
    a_staged = sm100.make_smem_layout_a(mma, WIDE, Float16, 1)
    b_staged = sm100.make_smem_layout_b(mma, WIDE, Float16, 1)
    n_staged = sm100.make_smem_layout_b(narrow, NARROW, Float16, 1)
    kernel(mma, narrow, c, a_staged, b_staged, n_staged).launch(grid=1, block=THREADS)


def run():
    c = np.zeros((128, 64), np.float32)
    host(from_dlpack(c, assumed_align=16))
    expected = np.full((128, 64), 3 + 32, np.float32)
    expected[:, :32] += 32
    np.testing.assert_array_equal(c, expected)
