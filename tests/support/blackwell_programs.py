"""A product of matrices as programs for compute capability 10.0 write it: one warp loads tiles by TMA and has them
multiplied in tensor memory, all four warps store the result."""

from __future__ import annotations

from fairlead import Float16, Float32, Int32, Int64, cute, pipeline, range, range_constexpr, utils
from fairlead.cute.nvgpu import cpasync, tcgen05
from fairlead.utils import blackwell_helpers as sm100
from fairlead.utils._blackwell_epilogue import epilogue, epilogue_tma_store


class TileGemm:
    """C (M, N) = A (M, K) * B (N, K), a block for each tile of (128, tile_n), 128 bytes of K a step. Blocks of a
    cluster share tiles of A along N, and of B along M."""

    threads = 128
    #: True if the first product adds to the accumulators, which is a mistake.
    accumulates = False

    def __init__(self, tile_n=128, stages=3, columns=128, repetition=None, cluster=(1, 1)):
        self.tile_n, self.stages, self.columns, self.cluster = tile_n, stages, columns, cluster
        self.repetition = repetition or tcgen05.Repetition.x32

    @cute.jit
    def __call__(self, a: cute.Tensor, b: cute.Tensor, c: cute.Tensor):
        self.dtype, self.c_dtype = a.element_type, c.element_type
        self.sum_dtype = Int32 if a.element_type.is_integer else Float32
        majors = [utils.LayoutEnum.from_tensor(each).mma_major_mode() for each in (a, b)]
        one = tcgen05.CtaGroup.ONE
        mma = sm100.make_trivial_tiled_mma(
            a.element_type, *majors, self.sum_dtype, one, (128, self.tile_n)
        )
        self.tile = (128, self.tile_n, 1024 // a.element_type.width)
        a_staged = sm100.make_smem_layout_a(mma, self.tile, a.element_type, self.stages)
        b_staged = sm100.make_smem_layout_b(mma, self.tile, b.element_type, self.stages)
        loads = (
            cpasync.CopyBulkTensorTileG2SOp(one),
            cpasync.CopyBulkTensorTileG2SMulticastOp(one),
        )
        blocks = (1, *self.cluster, 1)
        a_atom, a_coords = cute.nvgpu.make_tiled_tma_atom_A(
            loads[self.cluster[1] > 1],
            a,
            cute.select(a_staged, mode=[0, 1, 2]),
            self.tile,
            mma,
            blocks,
        )
        b_atom, b_coords = cute.nvgpu.make_tiled_tma_atom_B(
            loads[self.cluster[0] > 1],
            b,
            cute.select(b_staged, mode=[0, 1, 2]),
            self.tile,
            mma,
            blocks,
        )

        @cute.struct
        class Storage:
            loads: cute.struct.MemRange[Int64, 2 * self.stages]
            sums: cute.struct.MemRange[Int64, 2]
            place: Int32

        self.storage = Storage
        self.kernel(mma, a_atom, a_coords, b_atom, b_coords, c, a_staged, b_staged).launch(
            grid=cute.ceil_div((*c.layout.shape, 1), self.tile[:2]),
            block=(self.threads, 1, 1),
            cluster=(*self.cluster, 1),
        )

    @cute.kernel
    def kernel(
        self, mma: cute.TiledMma, a_atom: cute.CopyAtom, a: cute.Tensor, b_atom: cute.CopyAtom,
        b: cute.Tensor, c: cute.Tensor, a_staged: cute.ComposedLayout,
        b_staged: cute.ComposedLayout,
    ):  # fmt: skip
        tid, _, _ = cute.arch.thread_idx()
        warp = cute.arch.make_warp_uniform(cute.arch.warp_idx())
        row, column, _ = cute.arch.block_idx()
        place = (row, column, None)
        smem = utils.SmemAllocator()
        storage = smem.allocate(self.storage)
        sa = smem.allocate_tensor(self.dtype, a_staged.outer, 1024, a_staged.inner)
        sb = smem.allocate_tensor(self.dtype, b_staged.outer, 1024, b_staged.inner)
        tmem = utils.TmemAllocator(
            storage.place, barrier_for_retrieve=pipeline.NamedBarrier(1, self.threads)
        )
        tmem.allocate(self.columns)
        bytes_ = sum(
            cute.size_in_bytes(self.dtype, cute.select(staged, mode=[0, 1, 2]))
            for staged in (a_staged, b_staged)
        )
        one = pipeline.CooperativeGroup(pipeline.Agent.Thread)
        blocks = cute.make_layout((1, *self.cluster, 1))
        own = blocks.get_flat_coord(cute.arch.make_warp_uniform(cute.arch.block_idx_in_cluster()))
        sharing = pipeline.CooperativeGroup(pipeline.Agent.Thread, sum(self.cluster) - 1)
        loading, loaded = pipeline.PipelineTmaUmma.create(
            num_stages=self.stages, producer_group=one, consumer_group=sharing, tx_count=bytes_,
            barrier_storage=storage.loads.data_ptr(), cta_layout_vmnk=blocks,
        ).make_participants()  # fmt: skip
        all_threads = pipeline.CooperativeGroup(pipeline.Agent.Thread, self.threads)
        summing, summed = pipeline.PipelineUmmaAsync.create(
            num_stages=1, producer_group=one, consumer_group=all_threads,
            barrier_storage=storage.sums.data_ptr(), cta_layout_vmnk=blocks,
        ).make_participants()  # fmt: skip
        ga = cute.local_tile(a, self.tile, place, proj=(1, None, 1))
        gb = cute.local_tile(b, self.tile, place, proj=(None, 1, 1))
        gc = cute.local_tile(c, self.tile, place, proj=(1, 1, None))
        tile = mma.get_slice(0)
        pa, pb, pc = tile.partition_A(ga), tile.partition_B(gb), tile.partition_C(gc)
        fa, fb = mma.make_fragment_A(sa), mma.make_fragment_B(sb)
        sums = mma.make_fragment_C(mma.partition_shape_C(self.tile[:2]))
        along_m, along_n = cute.make_layout(self.cluster[0]), cute.make_layout(self.cluster[1])
        to_a, from_a = cpasync.tma_partition(
            a_atom, own[2], along_n, cute.group_modes(sa, 0, 3), cute.group_modes(pa, 0, 3)
        )
        to_b, from_b = cpasync.tma_partition(
            b_atom, own[1], along_m, cute.group_modes(sb, 0, 3), cute.group_modes(pb, 0, 3)
        )
        a_more, b_more = {}, {}
        if self.cluster[1] > 1:
            a_more = {"mcast_mask": cpasync.create_tma_multicast_mask(blocks, own, 2)}
        if self.cluster[0] > 1:
            b_more = {"mcast_mask": cpasync.create_tma_multicast_mask(blocks, own, 1)}
        tmem.wait_for_alloc()
        memory = tmem.retrieve_ptr(self.sum_dtype)
        sums = cute.make_tensor(memory, sums.layout)
        tiler = ((128, self.repetition.value),)
        sum_parts, c_parts = cute.zipped_divide(sums, tiler), cute.zipped_divide(pc, tiler)
        atom = cute.make_copy_atom(tcgen05.Ld32x32bOp(self.repetition), self.sum_dtype)
        copy = tcgen05.make_tmem_copy(atom, sum_parts[None, 0])
        mine = copy.get_slice(tid)
        source, target = mine.partition_S(sum_parts), mine.partition_D(c_parts)
        found = cute.make_rmem_tensor(target[None, None, 0].shape, self.sum_dtype)
        result = cute.make_rmem_tensor(target[None, None, 0].shape, self.c_dtype)
        mma.set(tcgen05.Field.ACCUMULATE, self.accumulates)
        if warp == 0:
            empty = summing.acquire_and_advance()
            for _ in range(cute.size(ga, mode=[2])):
                stage = loading.acquire_and_advance()
                at, to, bar = stage.count, stage.index, stage.barrier
                cute.copy(a_atom, from_a[None, at], to_a[None, to], tma_bar_ptr=bar, **a_more)
                cute.copy(b_atom, from_b[None, at], to_b[None, to], tma_bar_ptr=bar, **b_more)
                full = loaded.wait_and_advance()
                for k in range_constexpr(cute.size(fa, mode=[2])):
                    part = (None, None, k, full.index)
                    cute.gemm(mma, sums, fa[part], fb[part], sums)
                    mma.set(tcgen05.Field.ACCUMULATE, True)
                full.release()
            empty.commit()
            loading.tail()  # other blocks arrive at this one's barriers
        tmem.relinquish_alloc_permit()
        done = summed.wait_and_advance()
        for i in range(cute.size(source, mode=[2])):
            cute.copy(copy, source[None, None, i], found)
            result.store(found.load().to(self.c_dtype))
            cute.autovec_copy(result, target[None, None, i])
        done.release()
        pipeline.sync(barrier_id=1)
        tmem.free(memory)


@cute.kernel
def _single_instructions(out: cute.Tensor):
    smem = utils.SmemAllocator()
    place, barrier = smem.allocate(Int32), smem.allocate(Int64)
    if cute.arch.warp_idx() == 0:
        cute.arch.alloc_tmem(64, place)
        cute.arch.relinquish_tmem_alloc_permit()
        with cute.arch.elect_one():
            cute.arch.mbarrier_init(barrier, 1)
    cute.arch.sync_threads()
    memory = cute.arch.retrieve_tmem_ptr(Float32, 16, place)
    layout = cute.make_layout((128, 64), stride=(65536, 1))
    tensor = cute.make_tensor(memory, layout)
    tid = cute.arch.thread_idx()[0]
    registers = cute.make_rmem_tensor(cute.make_layout(((64, 1), 1)), Float32)
    registers.fill(1.0)
    for op in (tcgen05.St32x32bOp, tcgen05.Ld32x32bOp):
        copy = tcgen05.make_tmem_copy(
            cute.make_copy_atom(op(tcgen05.Repetition.x64), Float32), tensor
        )
        mine = copy.get_slice(tid)
        if op is tcgen05.St32x32bOp:
            cute.copy(copy, registers, mine.partition_D(tensor))
            cute.arch.fence_view_async_tmem_store()
        else:
            cute.copy(copy, mine.partition_S(tensor), registers)
            cute.arch.fence_view_async_tmem_load()
    out[tid] = registers[0]
    with cute.arch.elect_one():
        tcgen05.commit(barrier)
        tcgen05.commit(barrier, mask=1)
    cute.arch.sync_threads()
    if cute.arch.warp_idx() == 0:
        cute.arch.dealloc_tmem(memory, 64)


@cute.kernel
def _columns(out: cute.Tensor, first: Int32, second: Int32, freed: Int32):
    smem = utils.SmemAllocator()
    places = [smem.allocate(Int32) for _ in range_constexpr(2)]
    for place, columns in zip(places, (first, second), strict=True):
        cute.arch.alloc_tmem(columns, place)
    cute.arch.relinquish_tmem_alloc_permit()
    memory = [cute.arch.retrieve_tmem_ptr(Float32, 16, place) for place in places]
    if cute.arch.thread_idx()[0] == 0:
        for index, pointer in enumerate(memory):
            out[index] = Int32(pointer.toint())
    cute.arch.dealloc_tmem(memory[0], first)
    if freed != 0:
        cute.arch.dealloc_tmem(memory[1], freed)


@cute.kernel
def _copies(first: Int32, lane: Int32, stopped: Int32):
    smem = utils.SmemAllocator()
    place = smem.allocate(Int32)
    cute.arch.alloc_tmem(64, place)
    memory = cute.arch.retrieve_tmem_ptr(Float32, 16, place)
    tensor = cute.make_tensor(
        memory + (first + lane * 65536), cute.make_layout((128, 32), stride=(65536, 1))
    )
    copy = tcgen05.make_tmem_copy(
        cute.make_copy_atom(tcgen05.St32x32bOp(tcgen05.Repetition.x32), Float32), tensor
    )
    registers = cute.make_rmem_tensor(cute.make_layout(((32, 1), 1)), Float32)
    registers.fill(1.0)
    cute.testing.assert_(stopped == 0, "stopped")
    cute.copy(copy, registers, copy.get_slice(cute.arch.thread_idx()[0]).partition_D(tensor))
    cute.arch.fence_view_async_tmem_store()
    cute.arch.relinquish_tmem_alloc_permit()
    cute.arch.dealloc_tmem(memory, 64)


@cute.jit
def copies(first: Int32, lane: Int32, stopped: Int32):
    """A warp reserves 64 columns, and stores 32 columns from ``first`` on, of 32 lanes from ``lane`` on. An assertion
    ends it before if ``stopped`` is not 0."""
    _copies(first, lane, stopped).launch(grid=(1, 1, 1), block=(32, 1, 1))


@cute.jit
def columns(out: cute.Tensor, first: Int32, second: Int32, freed: Int32):
    """Reserves columns twice, writes their addresses, and frees the first, and ``freed`` of the second."""
    _columns(out, first, second, freed).launch(grid=(1, 1, 1), block=(32, 1, 1))


@cute.jit
def single_instructions(out: cute.Tensor):
    _single_instructions(out).launch(grid=(1, 1, 1), block=(128, 1, 1))


class Epilogues:
    """C (M, N) = 64 row + column of each tile of (128, 64), doubled: accumulators that threads have stored, by the
    epilogues of ``utils.gemm.sm100``, two tiles of a block one after the other."""

    use_2cta_instrs, epilogue_warp_id, epilog_sync_bar_id, num_c_stage = False, (0, 1, 2, 3), 2, 2
    cta_tile_shape_mnk, acc_dtype = (128, 64, 16), Float32
    iter_acc_early_release_in_epilogue = 0

    def __init__(self, by_tma, overlapping=False):
        """``overlapping``: the two accumulators share half of their columns."""
        self.by_tma, self.overlapping = by_tma, overlapping
        self.stages = 1 if overlapping else 2

    @cute.jit
    def __call__(self, c: cute.Tensor):
        self.c_dtype, self.c_layout = c.element_type, utils.LayoutEnum.from_tensor(c)
        k_major = cute.nvgpu.OperandMajorMode.K
        mma = sm100.make_trivial_tiled_mma(
            Float16, k_major, k_major, Float32, tcgen05.CtaGroup.ONE, (128, 64)
        )
        self.epi_tile = sm100.compute_epilogue_tile_shape(
            self.cta_tile_shape_mnk, False, self.c_layout, self.c_dtype
        )
        atom, coords, staged = None, c, None
        if self.by_tma:
            staged = sm100.make_smem_layout_epi(
                self.c_dtype, self.c_layout, self.epi_tile, self.num_c_stage
            )
            atom, coords = cpasync.make_tiled_tma_atom(
                cpasync.CopyBulkTensorTileS2GOp(),
                c,
                cute.select(staged, mode=[0, 1]),
                self.epi_tile,
            )
        rows, columns = cute.ceil_div(c.shape[0], 128), cute.ceil_div(c.shape[1], 128)
        self.kernel(mma, atom, coords, staged).launch(grid=(rows, columns, 1), block=(128, 1, 1))

    @cute.kernel
    def kernel(self, mma: cute.TiledMma, atom: cute.CopyAtom, c: cute.Tensor, staged: cute.ComposedLayout):  # fmt: skip
        tid, warp = cute.arch.thread_idx()[0], cute.arch.make_warp_uniform(cute.arch.warp_idx())
        row, pair, _ = cute.arch.block_idx()
        smem = utils.SmemAllocator()
        place, barriers = smem.allocate(Int32), smem.allocate_array(Int64, 4)
        shared = None
        if self.by_tma:
            shared = smem.allocate_tensor(self.c_dtype, staged.outer, 1024, staged.inner)
        tmem = utils.TmemAllocator(place, barrier_for_retrieve=pipeline.NamedBarrier(1, 128))
        tmem.allocate(128)
        one = pipeline.CooperativeGroup(pipeline.Agent.Thread)
        summing = pipeline.PipelineUmmaAsync.create(
            num_stages=self.stages, producer_group=one, barrier_storage=barriers,
            consumer_group=pipeline.CooperativeGroup(pipeline.Agent.Thread, 4),
        )  # fmt: skip
        storing = pipeline.PipelineTmaStore.create(
            num_stages=self.num_c_stage,
            producer_group=pipeline.CooperativeGroup(pipeline.Agent.Thread, 128),
        )
        tmem.wait_for_alloc()
        memory = tmem.retrieve_ptr(Float32)
        sums = mma.make_fragment_C((*mma.partition_shape_C((128, 64)), 2))
        if self.overlapping:
            sums = cute.make_tensor(
                sums.iterator, cute.make_layout(sums.shape, stride=(*sums.stride[:3], 32))
            )
        sums = cute.make_tensor(memory, sums.layout)
        write = tcgen05.make_tmem_copy(
            cute.make_copy_atom(tcgen05.St32x32bOp(tcgen05.Repetition.x64), Float32),
            sums[None, 0, 0, 0],
        )
        mine = write.get_slice(tid)
        tiles = mma.get_slice(0).partition_C(cute.local_tile(c, (128, 64), (None, None)))
        places = cute.local_tile(cute.make_identity_tensor(c.shape), (128, 64), (None, None))
        places = mma.get_slice(0).partition_C(places)
        filled = pipeline.make_pipeline_state(pipeline.PipelineUserType.Producer, self.stages)
        drained = pipeline.make_pipeline_state(pipeline.PipelineUserType.Consumer, self.stages)
        for tile in range_constexpr(2):
            values = cute.make_rmem_tensor(cute.make_layout(((64, 1), 1)), Float32)
            for column in range_constexpr(64):
                values[column] = Float32(64 * tid + column)
            cute.copy(write, values, mine.partition_D(sums[None, 0, 0, tile]))
            cute.arch.fence_view_async_tmem_store()
            cute.arch.sync_threads()
            if warp == 0:
                summing.producer_acquire(filled)
                summing.producer_commit(filled)
                filled.advance()
            where = (row, 2 * pair + tile)
            if self.by_tma:
                drained = epilogue_tma_store(
                    self, tid, warp, atom, sums, shared, tiles, self.epi_tile, tile, lambda x: x + x,
                    where, drained, summing, storing,
                )  # fmt: skip
            else:
                drained = epilogue(
                    self, tid, sums, tiles, self.epi_tile, lambda x: x + x, where, drained, summing,
                    tCcC_base=places, mC_mnl=c, overlapping_accum=self.overlapping,
                )  # fmt: skip
        if self.by_tma:
            storing.producer_tail()
        cute.arch.sync_threads()
        tmem.relinquish_alloc_permit()
        tmem.free(memory)
