"""Warps with tasks of their own, in the style of published Hopper programs.

A persistent product whose tiles a scheduler deals by swizzled columns; two products in a row, where one warpgroup
multiplies the first and another the second; rows that a cluster loads by bulk copies and normalises by sums that its
blocks send to each other (st.async). Prints PASS. ``--all`` runs every case, ``--assemble`` makes machine code alone.
"""

import sys

import cutlass
import cutlass.cute as cute
import cutlass.pipeline as pipeline
import cutlass.utils as utils
import cutlass.utils.hopper_helpers as sm90_utils
import torch
from cutlass import Float16, Float32, Int32, Int64
from cutlass.cute.nvgpu import OperandMajorMode, cpasync, warpgroup
from cutlass.cute.runtime import from_dlpack


def load_atom(tensor, staged, tile):
    return cpasync.make_tiled_tma_atom(
        cpasync.CopyBulkTensorTileG2SOp(), tensor, cute.slice_(staged, (None, None, 0)), tile
    )


# --- a persistent product


class PersistentGemm:
    """C (M, N, L) = A (M, K, L) B (N, K, L)^T: warp 0 of the first warpgroup loads, the second one multiplies and
    stores."""

    tile, stages = (64, 64, 64), 3

    def __init__(self, most_clusters, swizzle, along_m):
        self.most_clusters, self.swizzle, self.along_m = most_clusters, swizzle, along_m

    @cute.jit
    def __call__(self, a: cute.Tensor, b: cute.Tensor, c: cute.Tensor):
        rows = utils.LayoutEnum.ROW_MAJOR
        mma = sm90_utils.make_trivial_tiled_mma(
            Float16, Float16, OperandMajorMode.K, OperandMajorMode.K, Float32, (1, 1, 1),
            tiler_mn=self.tile[:2],
        )  # fmt: skip
        a_staged = sm90_utils.make_smem_layout_a(rows, self.tile, Float16, self.stages)
        b_staged = sm90_utils.make_smem_layout_b(rows, self.tile, Float16, self.stages)
        c_staged = sm90_utils.make_smem_layout_epi(Float16, rows, self.tile[:2], 2)
        a_atom, a_tensor = load_atom(a, a_staged, (64, 64))
        b_atom, b_tensor = load_atom(b, b_staged, (64, 64))
        c_atom, c_tensor = cpasync.make_tiled_tma_atom(
            cpasync.CopyBulkTensorTileS2GOp(), c, cute.slice_(c_staged, (None, None, 0)), (64, 64)
        )
        tiles = cute.ceil_div(c.shape, (*self.tile[:2], 1))
        params = utils.PersistentTileSchedulerParams(tiles, (1, 1, 1), self.swizzle, self.along_m)
        grid = utils.StaticPersistentTileScheduler.get_grid_shape(params, self.most_clusters)

        @cute.struct
        class SharedStorage:
            barriers: cute.struct.MemRange[Int64, self.stages * 2]
            sA: cute.struct.Align[cute.struct.MemRange[Float16, cute.cosize(a_staged)], 1024]
            sB: cute.struct.Align[cute.struct.MemRange[Float16, cute.cosize(b_staged)], 1024]
            sC: cute.struct.Align[cute.struct.MemRange[Float16, cute.cosize(c_staged)], 1024]

        self.shared_storage = SharedStorage
        self.kernel(
            a_atom, a_tensor, b_atom, b_tensor, c_atom, c_tensor, mma, params, a_staged, b_staged, c_staged
        ).launch(grid=grid, block=[256, 1, 1])  # fmt: skip

    @cute.kernel
    def kernel(
        self, a_atom: cute.CopyAtom, mA: cute.Tensor, b_atom: cute.CopyAtom, mB: cute.Tensor,
        c_atom: cute.CopyAtom, mC: cute.Tensor, mma: cute.TiledMma,
        params: utils.PersistentTileSchedulerParams, a_staged: cute.ComposedLayout,
        b_staged: cute.ComposedLayout, c_staged: cute.ComposedLayout,
    ):  # fmt: skip
        warp = cute.arch.make_warp_uniform(cute.arch.warp_idx())
        tidx, _, _ = cute.arch.thread_idx()
        storage = utils.SmemAllocator().allocate(self.shared_storage)
        loads = pipeline.PipelineTmaAsync.create(
            barrier_storage=storage.barriers.data_ptr(),
            num_stages=self.stages,
            producer_group=pipeline.CooperativeGroup(pipeline.Agent.Thread),
            consumer_group=pipeline.CooperativeGroup(pipeline.Agent.Thread, 4),
            tx_count=2 * 64 * 64 * 2,
            cta_layout_vmnk=cute.make_layout((1, 1, 1, 1)),
        )
        sA = storage.sA.get_tensor(a_staged.outer, swizzle=a_staged.inner)
        sB = storage.sB.get_tensor(b_staged.outer, swizzle=b_staged.inner)
        sC = storage.sC.get_tensor(c_staged.outer, swizzle=c_staged.inner)
        gA, gB, gC = (cute.local_tile(each, (64, 64), (None, None, None)) for each in (mA, mB, mC))
        one = cute.make_layout(1)
        tAsA, tAgA = cpasync.tma_partition(
            a_atom, 0, one, cute.group_modes(sA, 0, 2), cute.group_modes(gA, 0, 2)
        )
        tBsB, tBgB = cpasync.tma_partition(
            b_atom, 0, one, cute.group_modes(sB, 0, 2), cute.group_modes(gB, 0, 2)
        )
        tCsC, tCgC = cpasync.tma_partition(
            c_atom, 0, one, cute.group_modes(sC, 0, 2), cute.group_modes(gC, 0, 2)
        )
        k_tiles = cute.size(gA, mode=[3])
        scheduler = utils.StaticPersistentTileScheduler.create(
            params, cute.arch.block_idx(), cute.arch.grid_dim()
        )
        work = scheduler.initial_work_tile_info()
        if warp < 4:
            cute.arch.setmaxregister_decrease(40)
            if warp == 0:
                state = pipeline.make_pipeline_state(
                    pipeline.PipelineUserType.Producer, self.stages
                )
                while work.is_valid_tile:
                    m, n, batch = work.tile_idx
                    for k in cutlass.range(k_tiles, unroll=1):
                        loads.producer_acquire(state)
                        barrier = loads.producer_get_barrier(state)
                        cute.copy(
                            a_atom, tAgA[(None, m, k, batch)], tAsA[(None, state.index)],
                            tma_bar_ptr=barrier,
                        )  # fmt: skip
                        cute.copy(
                            b_atom, tBgB[(None, n, k, batch)], tBsB[(None, state.index)],
                            tma_bar_ptr=barrier,
                        )  # fmt: skip
                        loads.producer_commit(state)
                        state.advance()
                    scheduler.advance_to_next_work()
                    work = scheduler.get_current_work()
                loads.producer_tail(state)
        else:
            cute.arch.setmaxregister_increase(232)
            tidx = tidx - 128
            thr_mma = mma.get_slice(0)
            tCrA = mma.make_fragment_A(thr_mma.partition_A(sA))
            tCrB = mma.make_fragment_B(thr_mma.partition_B(sB))
            sums = cute.make_rmem_tensor(mma.partition_shape_C((64, 64)), Float32)
            store = sm90_utils.sm90_get_smem_store_op(
                utils.LayoutEnum.ROW_MAJOR, elem_ty_d=Float16, elem_ty_acc=Float32
            )
            tiled_copy = cute.make_tiled_copy_C(store, mma)
            thr_copy = tiled_copy.get_slice(tidx)
            state = pipeline.make_pipeline_state(pipeline.PipelineUserType.Consumer, self.stages)
            stores = pipeline.PipelineTmaStore.create(
                num_stages=2,
                producer_group=pipeline.CooperativeGroup(pipeline.Agent.Thread, 128),
            )
            together = pipeline.NamedBarrier(barrier_id=1, num_threads=128)
            while work.is_valid_tile:
                m, n, batch = work.tile_idx
                mma.set(warpgroup.Field.ACCUMULATE, False)
                for _ in cutlass.range(k_tiles, unroll=1):
                    loads.consumer_wait(state)
                    warpgroup.fence()
                    for block in cutlass.range_constexpr(cute.size(tCrA, mode=[2])):
                        at = (None, None, block, state.index)
                        cute.gemm(mma, sums, tCrA[at], tCrB[at], sums)
                        mma.set(warpgroup.Field.ACCUMULATE, True)
                    warpgroup.commit_group()
                    warpgroup.wait_group(0)
                    loads.consumer_release(state)
                    state.advance()
                buffer = scheduler.num_tiles_executed % 2
                converted = cute.make_rmem_tensor_like(sums, Float16)
                converted.store(sums.load().to(Float16))
                cute.copy(
                    tiled_copy,
                    tiled_copy.retile(converted),
                    thr_copy.partition_D(sC)[(None, None, None, buffer)],
                )
                cute.arch.fence_proxy("async.shared", space="cta")
                together.arrive_and_wait()
                if warp == 4:
                    cute.copy(c_atom, tCsC[(None, buffer)], tCgC[(None, m, n, batch)])
                    stores.producer_commit()
                    stores.producer_acquire()
                together.arrive_and_wait()
                scheduler.advance_to_next_work()
                work = scheduler.get_current_work()
            if warp == 4:
                stores.producer_tail()


def given(*shape, dtype=torch.float16):
    """(rows, columns, batches) of contiguous columns."""
    rows, columns, batches = shape
    return torch.randn(batches, rows, columns, device="cuda").to(dtype).permute(1, 2, 0)


def as_cute(tensor, leading=1):
    return from_dlpack(tensor, assumed_align=16).mark_layout_dynamic(leading_dim=leading)


def run(program, *tensors):
    """Return whether it ran; with ``--assemble`` it does not."""
    if "--assemble" in sys.argv:
        assert cute.compile(program, *tensors, options="--target cuda:sm_90a").__cubin__
        return False
    cute.compile(program, *tensors)(*tensors)
    return True


def close(found, wanted, tolerance=2e-3):
    error = (found.double() - wanted).abs().max() / wanted.abs().max()
    assert error < tolerance, float(error)


def check_persistent(m, n, k, batches, **options):
    a, b = given(m, k, batches), given(n, k, batches)
    c = given(m, n, batches).fill_(float("nan"))
    if run(PersistentGemm(**options), as_cute(a), as_cute(b), as_cute(c)):
        close(c, torch.einsum("mkl,nkl->mnl", a.double(), b.double()))


# --- two products in a row, each of a warpgroup of its own


class ReluAttention:
    """O = relu(Q K^T) V for 64 rows of Q (M, 64, L) in each block; K (N, 64, L), V as (64, N, L)."""

    stages = 2

    @cute.jit
    def __call__(self, q: cute.Tensor, k: cute.Tensor, v: cute.Tensor, o: cute.Tensor):
        rows, columns = utils.LayoutEnum.ROW_MAJOR, utils.LayoutEnum.COL_MAJOR
        tile = (64, 64, 64)

        def make_mma(b_major):
            return sm90_utils.make_trivial_tiled_mma(
                Float16, Float16, OperandMajorMode.K, b_major, Float32, (1, 1, 1), tiler_mn=(64, 64)
            )

        q_staged = sm90_utils.make_smem_layout_a(rows, tile, Float16, 1)
        k_staged = sm90_utils.make_smem_layout_b(rows, tile, Float16, self.stages)
        v_staged = sm90_utils.make_smem_layout_b(columns, tile, Float16, self.stages)
        p_staged = sm90_utils.make_smem_layout_a(rows, tile, Float16, self.stages)
        atoms = [
            load_atom(tensor, staged, (64, 64))
            for tensor, staged in ((q, q_staged), (k, k_staged), (v, v_staged))
        ]

        @cute.struct
        class SharedStorage:
            q_barriers: cute.struct.MemRange[Int64, 2]
            k_barriers: cute.struct.MemRange[Int64, self.stages * 2]
            v_barriers: cute.struct.MemRange[Int64, self.stages * 2]
            p_barriers: cute.struct.MemRange[Int64, self.stages * 2]
            sQ: cute.struct.Align[cute.struct.MemRange[Float16, cute.cosize(q_staged)], 1024]
            sK: cute.struct.Align[cute.struct.MemRange[Float16, cute.cosize(k_staged)], 1024]
            sV: cute.struct.Align[cute.struct.MemRange[Float16, cute.cosize(v_staged)], 1024]
            sP: cute.struct.Align[cute.struct.MemRange[Float16, cute.cosize(p_staged)], 1024]

        self.shared_storage = SharedStorage
        self.kernel(
            atoms[0][0], atoms[0][1], atoms[1][0], atoms[1][1], atoms[2][0], atoms[2][1], o,
            make_mma(OperandMajorMode.K), make_mma(OperandMajorMode.MN),
            q_staged, k_staged, v_staged, p_staged,
        ).launch(grid=[cute.ceil_div(o.shape[0], 64), 1, o.shape[2]], block=[384, 1, 1])  # fmt: skip

    @cute.kernel
    def kernel(
        self, q_atom: cute.CopyAtom, mQ: cute.Tensor, k_atom: cute.CopyAtom, mK: cute.Tensor,
        v_atom: cute.CopyAtom, mV: cute.Tensor, mO: cute.Tensor, first: cute.TiledMma,
        second: cute.TiledMma, q_staged: cute.ComposedLayout, k_staged: cute.ComposedLayout,
        v_staged: cute.ComposedLayout, p_staged: cute.ComposedLayout,
    ):  # fmt: skip
        warp = cute.arch.make_warp_uniform(cute.arch.warp_idx())
        group = cute.arch.make_warp_uniform(warp // 4)
        tidx = cute.arch.thread_idx()[0] % 128
        row, _, batch = cute.arch.block_idx()
        storage = utils.SmemAllocator().allocate(self.shared_storage)
        loader = pipeline.CooperativeGroup(pipeline.Agent.Thread)
        warps = pipeline.CooperativeGroup(pipeline.Agent.Thread, 4)
        threads = pipeline.CooperativeGroup(pipeline.Agent.Thread, 128)

        def loads(barriers, stages):
            return pipeline.PipelineTmaAsync.create(
                barrier_storage=barriers.data_ptr(), num_stages=stages, producer_group=loader,
                consumer_group=warps, tx_count=64 * 64 * 2, defer_sync=True,
            )  # fmt: skip

        q_loads, k_loads = loads(storage.q_barriers, 1), loads(storage.k_barriers, self.stages)
        v_loads = loads(storage.v_barriers, self.stages)
        between = pipeline.PipelineAsync.create(
            barrier_storage=storage.p_barriers.data_ptr(), num_stages=self.stages,
            producer_group=threads, consumer_group=threads, defer_sync=True,
        )  # fmt: skip
        pipeline.pipeline_init_arrive()
        pipeline.pipeline_init_wait()
        sQ = storage.sQ.get_tensor(q_staged.outer, swizzle=q_staged.inner)
        sK = storage.sK.get_tensor(k_staged.outer, swizzle=k_staged.inner)
        sV = storage.sV.get_tensor(v_staged.outer, swizzle=v_staged.inner)
        sP = storage.sP.get_tensor(p_staged.outer, swizzle=p_staged.inner)
        producing, consuming = (
            pipeline.PipelineUserType.Producer,
            pipeline.PipelineUserType.Consumer,
        )
        gQ, gK, gV = (cute.local_tile(each, (64, 64), (None, None, None)) for each in (mQ, mK, mV))
        steps = cute.size(gK, mode=[2])
        if group == 0:
            cute.arch.warpgroup_reg_dealloc(40)
            if warp == 0:
                one = cute.make_layout(1)
                (tQs, tQg), (tKs, tKg), (tVs, tVg) = (
                    cpasync.tma_partition(
                        atom, 0, one, cute.group_modes(s, 0, 2), cute.group_modes(g, 0, 2)
                    )
                    for atom, s, g in ((q_atom, sQ, gQ), (k_atom, sK, gK), (v_atom, sV, gV))
                )
                q_state = pipeline.make_pipeline_state(producing, 1)
                k_state = pipeline.make_pipeline_state(producing, self.stages)
                v_state = pipeline.make_pipeline_state(producing, self.stages)
                q_loads.producer_acquire(q_state)
                cute.copy(
                    q_atom, tQg[(None, row, 0, batch)], tQs[(None, 0)],
                    tma_bar_ptr=q_loads.producer_get_barrier(q_state),
                )  # fmt: skip
                for step in cutlass.range(steps, unroll=1):
                    k_loads.producer_acquire(k_state)
                    cute.copy(
                        k_atom, tKg[(None, step, 0, batch)], tKs[(None, k_state.index)],
                        tma_bar_ptr=k_loads.producer_get_barrier(k_state),
                    )  # fmt: skip
                    k_state.advance()
                    v_loads.producer_acquire(v_state)
                    cute.copy(
                        v_atom, tVg[(None, 0, step, batch)], tVs[(None, v_state.index)],
                        tma_bar_ptr=v_loads.producer_get_barrier(v_state),
                    )  # fmt: skip
                    v_state.advance()
                k_loads.producer_tail(k_state)
                v_loads.producer_tail(v_state)
        elif group == 1:
            # S = Q K^T; its positive part goes to the other warpgroup.
            cute.arch.warpgroup_reg_alloc(232)
            thr_mma = first.get_slice(0)
            tSrQ = first.make_fragment_A(thr_mma.partition_A(sQ))
            tSrK = first.make_fragment_B(thr_mma.partition_B(sK))
            scores = cute.make_rmem_tensor(first.partition_shape_C((64, 64)), Float32)
            store = cute.make_copy_atom(cute.nvgpu.warp.StMatrix8x8x16bOp(False, 4), Float16)
            tiled_copy = cute.make_tiled_copy_C(store, first)
            tPsP = tiled_copy.get_slice(tidx).partition_D(sP)
            k_state = pipeline.make_pipeline_state(consuming, self.stages)
            p_state = pipeline.make_pipeline_state(producing, self.stages)
            q_loads.consumer_wait(pipeline.make_pipeline_state(consuming, 1))
            for _ in cutlass.range(steps, unroll=1):
                k_loads.consumer_wait(k_state)
                first.set(warpgroup.Field.ACCUMULATE, False)
                warpgroup.fence()
                for block in cutlass.range_constexpr(cute.size(tSrQ, mode=[2])):
                    cute.gemm(
                        first, scores, tSrQ[(None, None, block, 0)],
                        tSrK[(None, None, block, k_state.index)], scores,
                    )  # fmt: skip
                    first.set(warpgroup.Field.ACCUMULATE, True)
                warpgroup.commit_group()
                warpgroup.wait_group(0)
                k_loads.consumer_release(k_state)
                k_state.advance()
                positive = cute.make_rmem_tensor_like(scores, Float16)
                for i in cutlass.range_constexpr(cute.size(scores)):
                    positive[i] = cutlass.max(scores[i], Float32(0.0)).to(Float16)
                between.producer_acquire(p_state)
                cute.copy(
                    tiled_copy, tiled_copy.retile(positive), tPsP[(None, None, None, p_state.index)]
                )
                cute.arch.fence_proxy("async.shared", space="cta")
                between.producer_commit(p_state)
                p_state.advance()
            between.producer_tail(p_state)
        else:
            cute.arch.warpgroup_reg_alloc(232)
            thr_mma = second.get_slice(0)
            tOrP = second.make_fragment_A(thr_mma.partition_A(sP))
            tOrV = second.make_fragment_B(thr_mma.partition_B(sV))
            sums = cute.make_rmem_tensor(second.partition_shape_C((64, 64)), Float32)
            v_state = pipeline.make_pipeline_state(consuming, self.stages)
            p_state = pipeline.make_pipeline_state(consuming, self.stages)
            second.set(warpgroup.Field.ACCUMULATE, False)
            for _ in cutlass.range(steps, unroll=1):
                v_loads.consumer_wait(v_state)
                between.consumer_wait(p_state)
                warpgroup.fence()
                for block in cutlass.range_constexpr(cute.size(tOrP, mode=[2])):
                    cute.gemm(
                        second, sums, tOrP[(None, None, block, p_state.index)],
                        tOrV[(None, None, block, v_state.index)], sums,
                    )  # fmt: skip
                    second.set(warpgroup.Field.ACCUMULATE, True)
                warpgroup.commit_group()
                warpgroup.wait_group(0)
                between.consumer_release(p_state)
                p_state.advance()
                v_loads.consumer_release(v_state)
                v_state.advance()
            places = second.get_slice(tidx).partition_C(cute.make_identity_tensor((64, 64)))
            for i in cutlass.range_constexpr(cute.size(sums)):
                m, d = places[i]
                if row * 64 + m < mO.shape[0]:
                    mO[row * 64 + m, d, batch] = sums[i].to(mO.element_type)


def check_attention(m, n, batches):
    q, k, v = given(m, 64, batches), given(n, 64, batches), given(n, 64, batches)
    o = given(m, 64, batches, dtype=torch.float32).fill_(float("nan"))
    turned = v.transpose(0, 1)
    if run(ReluAttention(), as_cute(q), as_cute(k), as_cute(turned, 0), as_cute(o)):
        scores = torch.einsum("mdl,ndl->mnl", q.double(), k.double()).clamp(min=0)
        close(o, torch.einsum("mnl,ndl->mdl", scores, v.double()))


# --- rows of a cluster


class ClusterNorm:
    """y = x / sqrt(mean(x^2) + eps) of rows; each block of a cluster has a part of a row."""

    threads = 128

    def __init__(self, blocks, columns):
        self.blocks, self.part = blocks, columns // blocks

    @cute.jit
    def __call__(self, x: cute.Tensor, y: cute.Tensor):
        self.kernel(x, y).launch(
            grid=[self.blocks, x.shape[0], 1], block=[self.threads, 1, 1], cluster=[self.blocks, 1, 1]
        )  # fmt: skip

    @cute.kernel
    def kernel(self, x: cute.Tensor, y: cute.Tensor):
        tidx, _, _ = cute.arch.thread_idx()
        warp = cute.arch.make_warp_uniform(cute.arch.warp_idx())
        _, row, _ = cute.arch.block_idx()
        rank = cute.arch.make_warp_uniform(cute.arch.block_idx_in_cluster())
        smem = utils.SmemAllocator()
        barriers = smem.allocate_array(Int64, 2)
        values = smem.allocate_tensor(Float32, cute.make_layout(self.part), 128)
        of_warps = smem.allocate_tensor(Float32, cute.make_layout(self.threads // 32), 16)
        of_blocks = smem.allocate_tensor(Float32, cute.make_layout(self.blocks), 16)
        if tidx == 0:
            cute.arch.mbarrier_init(barriers, 1)
            cute.arch.mbarrier_init(barriers + 1, 1)
            cute.arch.mbarrier_arrive_and_expect_tx(barriers, self.part * 4)
            cute.arch.mbarrier_arrive_and_expect_tx(barriers + 1, self.blocks * 4)
        cute.arch.mbarrier_init_fence()
        cute.arch.cluster_arrive()
        cute.arch.cluster_wait()

        tile = (1, self.part)
        source, target = (cute.local_tile(each, tile, (row, rank))[0, None] for each in (x, y))
        if warp == 0:
            load = cute.make_copy_atom(
                cpasync.CopyBulkG2SOp(), Float32, num_bits_per_copy=self.part * 32
            )
            cute.copy(load, source, values, mbar_ptr=barriers)
        cute.arch.mbarrier_wait(barriers, 0)
        total = Float32(0.0)
        for i in cutlass.range(tidx, self.part, self.threads):
            total += values[i] * values[i]
        total = cute.arch.warp_reduction_sum(total)
        if tidx % 32 == 0:
            of_warps[warp] = total
        cute.arch.sync_threads()
        # A thread for each block, its own too.
        if tidx < self.blocks:
            mine = Float32(0.0)
            for i in cutlass.range_constexpr(self.threads // 32):
                mine += of_warps[i]
            cute.arch.store_async_dsmem(of_blocks.iterator + rank, mine, barriers + 1, Int32(tidx))
        cute.arch.mbarrier_wait(barriers + 1, 0)
        squares = Float32(0.0)
        for i in cutlass.range_constexpr(self.blocks):
            squares += of_blocks[i]
        scale = cute.math.rsqrt(squares / (self.part * self.blocks) + 1e-6)
        for i in cutlass.range(tidx, self.part, self.threads):
            values[i] = values[i] * scale
        cute.arch.fence_proxy("async.shared", space="cta")
        cute.arch.sync_threads()
        if warp == 0:
            store = cute.make_copy_atom(
                cpasync.CopyBulkS2GOp(), Float32, num_bits_per_copy=self.part * 32
            )
            cute.copy(store, values, target)
            cute.arch.cp_async_bulk_commit_group()
            cute.arch.cp_async_bulk_wait_group(0)
        # Blocks that still send need the memory of this one.
        cute.arch.cluster_arrive()
        cute.arch.cluster_wait()


def check_norm(rows, columns, blocks):
    x = torch.randn(rows, columns, device="cuda")
    y = torch.full_like(x, float("nan"))
    if run(ClusterNorm(blocks, columns), as_cute(x), as_cute(y)):
        wide = x.double()
        close(y, wide / (wide.square().mean(-1, keepdim=True) + 1e-6).sqrt(), 1e-5)


CASES = [
    # 3 x 5 x 2 tiles for 4 blocks, by 2 columns at a time.
    lambda: check_persistent(192, 320, 128, 2, most_clusters=4, swizzle=2, along_m=True),
    lambda: check_persistent(136, 264, 72, 1, most_clusters=3, swizzle=4, along_m=False),
    lambda: check_attention(100, 256, 1),
    lambda: check_norm(3, 2048, 4),
]
MORE = [
    lambda: check_persistent(2048, 1000, 512, 3, most_clusters=132, swizzle=8, along_m=True),
    lambda: check_attention(1024, 2048, 4),
    lambda: check_norm(300, 16384, 8),
    lambda: check_norm(33, 4096, 2),
]

if __name__ == "__main__":
    torch.manual_seed(0)
    for case in CASES + (MORE if "--all" in sys.argv else []):
        case()
    print("PASS")
