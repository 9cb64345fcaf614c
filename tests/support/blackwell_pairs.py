"""A product of matrices by pairs of blocks, as programs for compute capability 10.0 write it: a warp loads tiles by
TMA, a warp of each pair's even block has them multiplied in tensor memory, four warps store the result by TMA."""

from __future__ import annotations

from fairlead import (
    Float32,
    Int32,
    Int64,
    TFloat32,
    const_expr,
    cute,
    pipeline,
    range,
    range_constexpr,
    utils,
)
from fairlead.cute.nvgpu import cpasync, tcgen05
from fairlead.utils import blackwell_helpers as sm100
from fairlead.utils._blackwell_epilogue import epilogue_tma_store


class PairGemm:
    """C (M, N) = A (M, K) * B (N, K), a tile of (m, n) for each group of blocks: a pair, or one block. Blocks of a
    cluster share tiles of A along N, and of B along M. Extents need not be multiples of the tile's."""

    epilogue_warp_id, epilog_sync_bar_id, num_c_stage = (0, 1, 2, 3), 2, 2
    load_warp, mma_warp, threads = 4, 5, 192

    def __init__(
        self, m=256, n=128, cluster=(2, 1), stages=3, pair=True, sums=None, whole_steps=False
    ):
        self.m, self.n, self.cluster, self.stages, self.sums = m, n, cluster, stages, sums
        self.use_2cta_instrs, self.whole_steps = pair, whole_steps
        self.group = tcgen05.CtaGroup.TWO if pair else tcgen05.CtaGroup.ONE

    @cute.jit
    def __call__(self, a: cute.Tensor, b: cute.Tensor, c: cute.Tensor):
        self.dtype, self.c_dtype = a.element_type, c.element_type
        self.acc_dtype = self.sums or (Int32 if a.element_type.is_integer else Float32)
        self.c_layout = utils.LayoutEnum.from_tensor(c)
        majors = [utils.LayoutEnum.from_tensor(each).mma_major_mode() for each in (a, b)]
        mma = sm100.make_trivial_tiled_mma(
            a.element_type, *majors, self.acc_dtype, self.group, (self.m, self.n)
        )
        blocks = cute.size(mma.thr_id)
        self.tile = (self.m, self.n, 1024 // a.element_type.width)
        self.cta_tile_shape_mnk = (self.m // blocks, *self.tile[1:])
        cluster = cute.tiled_divide(cute.make_layout((*self.cluster, 1)), (mma.thr_id,))
        a_staged = sm100.make_smem_layout_a(mma, self.tile, a.element_type, self.stages)
        b_staged = sm100.make_smem_layout_b(mma, self.tile, b.element_type, self.stages)
        internal = {"internal_type": TFloat32} if a.element_type is Float32 else {}
        a_atom, a_coords = cute.nvgpu.make_tiled_tma_atom_A(
            sm100.cluster_shape_to_tma_atom_A(self.cluster, mma.thr_id),
            a, cute.slice_(a_staged, (None, None, None, 0)), self.tile, mma, cluster.shape, **internal,
        )  # fmt: skip
        b_atom, b_coords = cute.nvgpu.make_tiled_tma_atom_B(
            sm100.cluster_shape_to_tma_atom_B(self.cluster, mma.thr_id),
            b, cute.slice_(b_staged, (None, None, None, 0)), self.tile, mma, cluster.shape, **internal,
        )  # fmt: skip
        self.epi_tile = sm100.compute_epilogue_tile_shape(
            self.cta_tile_shape_mnk, self.use_2cta_instrs, self.c_layout, self.c_dtype
        )
        c_staged = sm100.make_smem_layout_epi(
            self.c_dtype, self.c_layout, self.epi_tile, self.num_c_stage
        )
        c_atom, c_coords = cpasync.make_tiled_tma_atom(
            cpasync.CopyBulkTensorTileS2GOp(),
            c,
            cute.slice_(c_staged, (None, None, 0)),
            self.epi_tile,
        )

        @cute.struct
        class Storage:
            loads: cute.struct.MemRange[Int64, 2 * self.stages]
            sums: cute.struct.MemRange[Int64, 2]
            freeing: Int64
            place: Int32

        self.storage = Storage
        tiles = cute.ceil_div((*c.layout.shape, 1), (self.cta_tile_shape_mnk[0], self.n, 1))
        self.kernel(
            mma, a_atom, a_coords, b_atom, b_coords, c_atom, c_coords, a_staged, b_staged, c_staged, cluster,
        ).launch(
            grid=cute.round_up(tiles, (*self.cluster, 1)),
            block=(self.threads, 1, 1),
            cluster=(*self.cluster, 1),
        )  # fmt: skip

    @cute.kernel
    def kernel(
        self, mma: cute.TiledMma, a_atom: cute.CopyAtom, a: cute.Tensor, b_atom: cute.CopyAtom,
        b: cute.Tensor, c_atom: cute.CopyAtom, c: cute.Tensor, a_staged: cute.ComposedLayout,
        b_staged: cute.ComposedLayout, c_staged: cute.ComposedLayout, cluster: cute.Layout,
    ):  # fmt: skip
        tid, warp = cute.arch.thread_idx()[0], cute.arch.make_warp_uniform(cute.arch.warp_idx())
        x, y, _ = cute.arch.block_idx()
        blocks = cute.size(mma.thr_id)
        half, place = x % blocks, (x // blocks, y)
        own = cluster.get_flat_coord(cute.arch.make_warp_uniform(cute.arch.block_idx_in_cluster()))
        smem = utils.SmemAllocator()
        storage = smem.allocate(self.storage)
        sa = smem.allocate_tensor(self.dtype, a_staged.outer, 1024, a_staged.inner)
        sb = smem.allocate_tensor(self.dtype, b_staged.outer, 1024, b_staged.inner)
        sc = smem.allocate_tensor(self.c_dtype, c_staged.outer, 1024, c_staged.inner)
        group = pipeline.CooperativeGroup
        sharing = cute.size(cluster, mode=[1]) + cute.size(cluster, mode=[2]) - 1
        one = group(pipeline.Agent.Thread)
        bytes_ = blocks * sum(
            cute.size_in_bytes(self.dtype, cute.slice_(staged, (None, None, None, 0)))
            for staged in (a_staged, b_staged)
        )
        loading, loaded = pipeline.PipelineTmaUmma.create(
            num_stages=self.stages, producer_group=one,
            consumer_group=group(pipeline.Agent.Thread, sharing), tx_count=bytes_,
            barrier_storage=storage.loads.data_ptr(), cta_layout_vmnk=cluster, defer_sync=True,
        ).make_participants()  # fmt: skip
        summing = pipeline.PipelineUmmaAsync.create(
            num_stages=1, producer_group=one,
            consumer_group=group(pipeline.Agent.Thread, len(self.epilogue_warp_id) * blocks),
            barrier_storage=storage.sums.data_ptr(), cta_layout_vmnk=cluster, defer_sync=True,
        )  # fmt: skip
        storing = pipeline.PipelineTmaStore.create(
            num_stages=self.num_c_stage, producer_group=group(pipeline.Agent.Thread, 128)
        )
        tmem = utils.TmemAllocator(
            storage.place, barrier_for_retrieve=pipeline.NamedBarrier(1, self.threads - 32),
            is_two_cta=self.use_2cta_instrs, two_cta_tmem_dealloc_mbar_ptr=storage.freeing,
        )  # fmt: skip
        pipeline.pipeline_init_arrive(cluster_shape_mn=cluster, is_relaxed=True)
        ga = cute.local_tile(a, (self.tile[0], self.tile[2]), (None, None))
        gb = cute.local_tile(b, self.tile[1:], (None, None))
        gc = cute.local_tile(c, self.tile[:2], (None, None))
        part = mma.get_slice(half)
        pa, pb, pc = part.partition_A(ga), part.partition_B(gb), part.partition_C(gc)
        along_m = cute.make_layout(cute.size(cluster, mode=[1]))
        along_n = cute.make_layout(cute.size(cluster, mode=[2]))
        to_a, from_a = cpasync.tma_partition(
            a_atom, own[2], along_n, cute.group_modes(sa, 0, 3), cute.group_modes(pa, 0, 3)
        )
        to_b, from_b = cpasync.tma_partition(
            b_atom, own[1], along_m, cute.group_modes(sb, 0, 3), cute.group_modes(pb, 0, 3)
        )
        a_mask = cpasync.create_tma_multicast_mask(cluster, own, mcast_mode=2)
        b_mask = cpasync.create_tma_multicast_mask(cluster, own, mcast_mode=1)
        fa, fb = mma.make_fragment_A(sa), mma.make_fragment_B(sb)
        sums = mma.make_fragment_C((*mma.partition_shape_C(self.tile[:2]), 1))
        steps = cute.size(ga, mode=[3])
        pipeline.pipeline_init_wait(cluster_shape_mn=cluster)
        if warp == self.load_warp:
            for _ in range(steps):
                stage = loading.acquire_and_advance()
                at, to, bar = stage.count, stage.index, stage.barrier
                cute.copy(
                    a_atom,
                    from_a[None, place[0], at],
                    to_a[None, to],
                    tma_bar_ptr=bar,
                    mcast_mask=a_mask,
                )
                cute.copy(
                    b_atom,
                    from_b[None, place[1], at],
                    to_b[None, to],
                    tma_bar_ptr=bar,
                    mcast_mask=b_mask,
                )
            loading.tail()
        if warp == self.mma_warp:
            tmem.wait_for_alloc()
            memory = tmem.retrieve_ptr(self.acc_dtype)
            sum_ = cute.make_tensor(memory, sums.layout)[None, None, None, 0]
            if half == 0:
                filled = pipeline.make_pipeline_state(pipeline.PipelineUserType.Producer, 1)
                summing.producer_acquire(filled)
                mma.set(tcgen05.Field.ACCUMULATE, False)
                for step in range(steps):
                    full = loaded.wait_and_advance()
                    if const_expr(self.whole_steps):
                        mma.set(tcgen05.Field.ACCUMULATE, step != 0)
                        at = (None, None, None, full.index)
                        cute.gemm(mma, sum_, fa[at], fb[at], sum_)
                    else:
                        for k in range_constexpr(cute.size(fa, mode=[2])):
                            at = (None, None, k, full.index)
                            cute.gemm(mma, sum_, fa[at], fb[at], sum_)
                            mma.set(tcgen05.Field.ACCUMULATE, True)
                    full.release()
                summing.producer_commit(filled)
                filled.advance()
                summing.producer_tail(filled)
        if warp < self.load_warp:
            tmem.allocate(self.columns())
            tmem.wait_for_alloc()
            memory = tmem.retrieve_ptr(self.acc_dtype)
            parts = cute.make_tensor(memory, sums.layout)
            drained = pipeline.make_pipeline_state(pipeline.PipelineUserType.Consumer, 1)
            drained = epilogue_tma_store(
                self, tid, warp, c_atom, parts, sc, pc, self.epi_tile, 0, lambda x: x, place, drained,
                summing, storing,
            )  # fmt: skip
            storing.producer_tail()
            tmem.relinquish_alloc_permit()
            cute.arch.barrier(barrier_id=3, number_of_threads=128)
            tmem.free(memory)

    def columns(self):
        """Columns of tensor memory, a power of two."""
        return max(32, 1 << (self.n - 1).bit_length())
