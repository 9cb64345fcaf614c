"""Two tiles of a product in tensor memory: a warp loads, a warp multiplies, four warps store the sums."""

import numpy as np

from fairlead import Float16, Float32, Int32, Int64, cute, pipeline, range, range_constexpr, utils
from fairlead.cute.nvgpu import cpasync, tcgen05
from fairlead.cute.runtime import from_dlpack
from fairlead.utils import blackwell_helpers as sm100

STAGES, TILE, LOADER, MULTIPLIER, THREADS = 2, (128, 64, 64), 4, 5, 192


@cute.struct
class Storage:
    loads: cute.struct.MemRange[Int64, 2 * STAGES]
    sums: cute.struct.MemRange[Int64, 2]
    place: Int32


@cute.kernel
def kernel(
    mma: cute.TiledMma, a_atom: cute.CopyAtom, a: cute.Tensor, b_atom: cute.CopyAtom, b: cute.Tensor,
    c: cute.Tensor, a_staged: cute.ComposedLayout, b_staged: cute.ComposedLayout,
):  # fmt: skip
    t, _, _ = cute.arch.thread_idx()
    warp = cute.arch.make_warp_uniform(cute.arch.warp_idx())
    smem = utils.SmemAllocator()
    storage = smem.allocate(Storage)
    sa = smem.allocate_tensor(Float16, a_staged.outer, 1024, a_staged.inner)
    sb = smem.allocate_tensor(Float16, b_staged.outer, 1024, b_staged.inner)
    tmem = utils.TmemAllocator(
        storage.place, barrier_for_retrieve=pipeline.NamedBarrier(1, THREADS)
    )
    tmem.allocate(64)
    bytes_ = (TILE[0] + TILE[1]) * TILE[2] * 2
    producers = pipeline.CooperativeGroup(pipeline.Agent.Thread)
    products = pipeline.CooperativeGroup(pipeline.Agent.Thread, 1)
    storing = pipeline.CooperativeGroup(pipeline.Agent.Thread, 128)
    loads = pipeline.PipelineTmaUmma.create(
        num_stages=STAGES, producer_group=producers, consumer_group=products, tx_count=bytes_,
        barrier_storage=storage.loads.data_ptr(),
    )  # fmt: skip
    sums = pipeline.PipelineUmmaAsync.create(
        num_stages=1, producer_group=producers, consumer_group=storing,
        barrier_storage=storage.sums.data_ptr(),
    )  # fmt: skip
    tile = mma.get_slice(0)
    ga = cute.local_tile(a, TILE, (0, None, None), proj=(1, None, 1))
    gb = cute.local_tile(b, TILE, (None, None, None), proj=(None, 1, 1))
    gc = cute.local_tile(c, TILE, (0, None, None), proj=(1, 1, None))
    pa, pb, pc = tile.partition_A(ga), tile.partition_B(gb), tile.partition_C(gc)
    fa, fb = mma.make_fragment_A(sa), mma.make_fragment_B(sb)
    one = cute.make_layout(1)
    to_a, from_a = cpasync.tma_partition(
        a_atom, 0, one, cute.group_modes(sa, 0, 3), cute.group_modes(pa, 0, 3)
    )
    to_b, from_b = cpasync.tma_partition(
        b_atom, 0, one, cute.group_modes(sb, 0, 3), cute.group_modes(pb, 0, 3)
    )
    tmem.wait_for_alloc()
    memory = tmem.retrieve_ptr(Float32)
    found = mma.make_fragment_C(mma.partition_shape_C(TILE[:2]))
    found = cute.make_tensor(memory, found.layout)
    steps = cute.size(ga, mode=[2])
    if warp == LOADER:
        filled = pipeline.make_pipeline_state(pipeline.PipelineUserType.Producer, STAGES)
        for n in range(2):
            for k in range(steps):
                loads.producer_acquire(filled)
                bar = loads.producer_get_barrier(filled)
                cute.copy(a_atom, from_a[None, k], to_a[None, filled.index], tma_bar_ptr=bar)
                cute.copy(b_atom, from_b[None, n, k], to_b[None, filled.index], tma_bar_ptr=bar)
                filled.advance()
        loads.producer_tail(filled)
    elif warp == MULTIPLIER:
        read = pipeline.make_pipeline_state(pipeline.PipelineUserType.Consumer, STAGES)
        summed = pipeline.make_pipeline_state(pipeline.PipelineUserType.Producer, 1)
        for _ in range(2):
            sums.producer_acquire(summed)
            mma.set(tcgen05.Field.ACCUMULATE, False)
            for _ in range(steps):
                loads.consumer_wait(read)
                for k in range_constexpr(cute.size(fa, mode=[2])):
                    part = (None, None, k, read.index)
                    cute.gemm(mma, found, fa[part], fb[part], found)
                    mma.set(tcgen05.Field.ACCUMULATE, True)
                loads.consumer_release(read)
                read.advance()
            sums.producer_commit(summed)
            summed.advance()
    else:
        stored = pipeline.make_pipeline_state(pipeline.PipelineUserType.Consumer, 1)
        flat = found[(None, None), 0, 0]
        copy = tcgen05.make_tmem_copy(
            cute.make_copy_atom(tcgen05.Ld32x32bOp(tcgen05.Repetition.x64), Float32), flat
        )
        mine = copy.get_slice(t)
        source = mine.partition_S(flat)
        for n in range(2):
            target = mine.partition_D(pc[(None, None), 0, 0, n])
            values = cute.make_rmem_tensor(target.shape, Float32)
            sums.consumer_wait(stored)
            cute.copy(copy, source, values)
            cute.arch.fence_view_async_tmem_load()
            sums.consumer_release(stored)
            cute.autovec_copy(values, target)
            stored.advance()
    tmem.relinquish_alloc_permit()
    pipeline.sync(barrier_id=2)
    tmem.free(memory)


@cute.jit
def host(a: cute.Tensor, b: cute.Tensor, c: cute.Tensor):
    k_major = cute.nvgpu.OperandMajorMode.K
    group = tcgen05.CtaGroup.ONE
    mma = sm100.make_trivial_tiled_mma(Float16, k_major, k_major, Float32, group, TILE[:2])
    a_staged = sm100.make_smem_layout_a(mma, TILE, Float16, STAGES)
    b_staged = sm100.make_smem_layout_b(mma, TILE, Float16, STAGES)
    op, blocks = cpasync.CopyBulkTensorTileG2SOp(group), (1, 1, 1, 1)
    a_box, b_box = cute.select(a_staged, mode=[0, 1, 2]), cute.select(b_staged, mode=[0, 1, 2])
    a_atom, a_coords = cute.nvgpu.make_tiled_tma_atom_A(op, a, a_box, TILE, mma, blocks)
    b_atom, b_coords = cute.nvgpu.make_tiled_tma_atom_B(op, b, b_box, TILE, mma, blocks)
    kernel(mma, a_atom, a_coords, b_atom, b_coords, c, a_staged, b_staged).launch(
        grid=1, block=THREADS
    )


def run():
    rng = np.random.default_rng(0)
    a = rng.integers(-2, 3, (128, 256)).astype(np.float16)
    b = rng.integers(-2, 3, (128, 256)).astype(np.float16)
    c = np.zeros((128, 128), np.float32)
    host(*(from_dlpack(each, assumed_align=16) for each in (a, b, c)))
    np.testing.assert_array_equal(c, a.astype(np.float32) @ b.astype(np.float32).T)
