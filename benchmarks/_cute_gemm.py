"""A persistent product of matrices for Hopper in the published names, and a kernel that only takes its descriptors.

A warpgroup loads tiles by TMA into a pipeline, two others multiply them and store results by TMA. Either implementation
compiles it as it stands (`_cute_script.py`).
"""

import cutlass
import cutlass.cute as cute
import cutlass.pipeline as pipeline
import cutlass.utils as utils
import cutlass.utils.hopper_helpers as sm90
from cutlass import Float16, Float32, Int64
from cutlass.cute.nvgpu import cpasync, warpgroup

TILE, STAGES, GROUPS, PART = (128, 128, 64), 4, 2, (128, 32)
BLOCKS = 132


def matrices():
    """A (M, K), B (N, K) and C (M, N) of halves, as (rows, columns, 1) with contiguous columns."""
    times = []
    for _ in range(3):
        shape = tuple(cute.sym_int() for _ in range(3))
        times.append(
            cute.runtime.make_fake_compact_tensor(
                Float16, shape, stride_order=(1, 0, 2), assumed_align=16
            )
        )
    return times


def boxes(a, b, c):
    """The copies of tiles of all three, and their layouts in shared memory."""
    layouts = [utils.LayoutEnum.from_tensor(each) for each in (a, b, c)]
    a_staged = sm90.make_smem_layout_a(layouts[0], TILE, Float16, STAGES)
    b_staged = sm90.make_smem_layout_b(layouts[1], TILE, Float16, STAGES)
    c_staged = sm90.make_smem_layout_epi(Float16, layouts[2], PART, 2)
    load, store = cpasync.CopyBulkTensorTileG2SOp(), cpasync.CopyBulkTensorTileS2GOp()
    times = []
    for op, tensor, staged, tile in (
        (load, a, a_staged, (TILE[0], TILE[2])),
        (load, b, b_staged, (TILE[1], TILE[2])),
        (store, c, c_staged, PART),
    ):
        one = cute.slice_(staged, (None, None, 0))
        copy = cpasync.make_tiled_tma_atom(op, tensor, one, tile)
        times.append((copy[0], copy[1]))
    return times, (a_staged, b_staged, c_staged), layouts


class Gemm:
    @cute.jit
    def __call__(self, a: cute.Tensor, b: cute.Tensor, c: cute.Tensor, stream):
        copies, staged, layouts = boxes(a, b, c)
        mma = sm90.make_trivial_tiled_mma(
            Float16,
            Float16,
            layouts[0].sm90_mma_major_mode(),
            layouts[1].sm90_mma_major_mode(),
            Float32,
            (GROUPS, 1, 1),
            tiler_mn=(64, TILE[1]),
        )
        tiles = cute.ceil_div(c.shape, (TILE[0], TILE[1], 1))
        params = utils.PersistentTileSchedulerParams(tiles, (1, 1, 1))
        grid = utils.StaticPersistentTileScheduler.get_grid_shape(params, BLOCKS)

        @cute.struct
        class Storage:
            barriers: cute.struct.MemRange[Int64, 2 * STAGES]
            a: cute.struct.Align[cute.struct.MemRange[Float16, cute.cosize(staged[0])], 1024]
            b: cute.struct.Align[cute.struct.MemRange[Float16, cute.cosize(staged[1])], 1024]
            c: cute.struct.Align[cute.struct.MemRange[Float16, cute.cosize(staged[2])], 1024]

        self.storage, self.c_layout = Storage, layouts[2]
        (a_atom, a_places), (b_atom, b_places), (c_atom, c_places) = copies
        self.kernel(
            a_atom, a_places, b_atom, b_places, c_atom, c_places, mma, params, *staged
        ).launch(
            grid=grid,
            block=(128 * (GROUPS + 1), 1, 1),
            cluster=(1, 1, 1),
            min_blocks_per_mp=1,
            stream=stream,
        )

    @cute.kernel
    def kernel(
        self,
        a_atom: cute.CopyAtom,
        a: cute.Tensor,
        b_atom: cute.CopyAtom,
        b: cute.Tensor,
        c_atom: cute.CopyAtom,
        c: cute.Tensor,
        mma: cute.TiledMma,
        params: utils.PersistentTileSchedulerParams,
        a_staged: cute.ComposedLayout,
        b_staged: cute.ComposedLayout,
        c_staged: cute.ComposedLayout,
    ):
        thread, _, _ = cute.arch.thread_idx()
        warp = cute.arch.make_warp_uniform(cute.arch.warp_idx())
        group = cute.arch.make_warp_uniform(warp // 4)
        if warp == 0:
            cpasync.prefetch_descriptor(a_atom)
            cpasync.prefetch_descriptor(b_atom)
            cpasync.prefetch_descriptor(c_atom)
        storage = utils.SmemAllocator().allocate(self.storage)
        one = cute.slice_(a_staged, (None, None, 0)), cute.slice_(b_staged, (None, None, 0))
        loads = pipeline.PipelineTmaAsync.create(
            barrier_storage=storage.barriers.data_ptr(),
            num_stages=STAGES,
            producer_group=pipeline.CooperativeGroup(pipeline.Agent.Thread),
            consumer_group=pipeline.CooperativeGroup(pipeline.Agent.Thread, 4 * GROUPS),
            tx_count=cute.size_in_bytes(Float16, one[0]) + cute.size_in_bytes(Float16, one[1]),
            cta_layout_vmnk=cute.make_layout((1, 1, 1, 1)),
        )
        sa = storage.a.get_tensor(a_staged.outer, swizzle=a_staged.inner)
        sb = storage.b.get_tensor(b_staged.outer, swizzle=b_staged.inner)
        sc = storage.c.get_tensor(c_staged.outer, swizzle=c_staged.inner)
        ga = cute.local_tile(a, (TILE[0], TILE[2]), (None, None, None))
        gb = cute.local_tile(b, (TILE[1], TILE[2]), (None, None, None))
        gc = cute.local_tile(c, TILE[:2], (None, None, None))
        alone = cute.make_layout(1)
        to_a, from_a = cpasync.tma_partition(
            a_atom, 0, alone, cute.group_modes(sa, 0, 2), cute.group_modes(ga, 0, 2)
        )
        to_b, from_b = cpasync.tma_partition(
            b_atom, 0, alone, cute.group_modes(sb, 0, 2), cute.group_modes(gb, 0, 2)
        )
        k_tiles = cute.size(ga, mode=[3])
        scheduler = utils.StaticPersistentTileScheduler.create(
            params, cute.arch.block_idx(), cute.arch.grid_dim()
        )
        work = scheduler.initial_work_tile_info()
        if group == 0:
            cute.arch.setmaxregister_decrease(40)
            if warp == 0:
                filled = pipeline.make_pipeline_state(pipeline.PipelineUserType.Producer, STAGES)
                while work.is_valid_tile:
                    m, n, batch = work.tile_idx
                    for k in cutlass.range(k_tiles, unroll=1):
                        loads.producer_acquire(filled)
                        barrier = loads.producer_get_barrier(filled)
                        to = (None, filled.index)
                        cute.copy(
                            a_atom, from_a[(None, m, k, batch)], to_a[to], tma_bar_ptr=barrier
                        )
                        cute.copy(
                            b_atom, from_b[(None, n, k, batch)], to_b[to], tma_bar_ptr=barrier
                        )
                        loads.producer_commit(filled)
                        filled.advance()
                    scheduler.advance_to_next_work()
                    work = scheduler.get_current_work()
                loads.producer_tail(filled)
        if group != 0:
            cute.arch.setmaxregister_increase(232)
            thread = thread - 128
            part = mma.get_slice(cute.arch.make_warp_uniform(thread // 128) * 128)
            ra = mma.make_fragment_A(part.partition_A(sa))
            rb = mma.make_fragment_B(part.partition_B(sb))
            sums = mma.make_fragment_C(mma.partition_shape_C(TILE[:2]))
            store = sm90.sm90_get_smem_store_op(self.c_layout, Float16, Float32)
            copy = cute.make_tiled_copy_S(store, cute.make_tiled_copy_C_atom(store, mma))
            mine = copy.get_slice(thread)
            registers, shared = copy.retile(sums), mine.partition_D(sc)
            half = cute.make_layout(cute.shape(mine.partition_S(sc))[:3])
            read = pipeline.make_pipeline_state(pipeline.PipelineUserType.Consumer, STAGES)
            released = pipeline.make_pipeline_state(pipeline.PipelineUserType.Consumer, STAGES)
            stores = pipeline.PipelineTmaStore.create(
                num_stages=2,
                producer_group=pipeline.CooperativeGroup(pipeline.Agent.Thread, 128 * GROUPS),
            )
            together = pipeline.NamedBarrier(1, 128 * GROUPS)
            while work.is_valid_tile:
                m, n, batch = work.tile_idx
                mma.set(warpgroup.Field.ACCUMULATE, False)
                for k in cutlass.range(k_tiles, unroll=1):
                    loads.consumer_wait(read)
                    warpgroup.fence()
                    for step in cutlass.range_constexpr(cute.size(ra, mode=[2])):
                        at = (None, None, step, read.index)
                        cute.gemm(mma, sums, ra[at], rb[at], sums)
                        mma.set(warpgroup.Field.ACCUMULATE, True)
                    warpgroup.commit_group()
                    warpgroup.wait_group(1)
                    if k > 0:
                        loads.consumer_release(released)
                        released.advance()
                    read.advance()
                warpgroup.wait_group(0)
                loads.consumer_release(released)
                released.advance()
                tile = cute.zipped_divide(gc[(None, None, m, n, batch)], PART)
                from_c, to_c = cpasync.tma_partition(
                    c_atom, 0, alone, cute.group_modes(sc, 0, 2), tile
                )
                for number in cutlass.range_constexpr(TILE[1] // PART[1]):
                    result = cute.make_rmem_tensor(half, Float16)
                    for i in cutlass.range_constexpr(cute.size(half)):
                        result[i] = registers[number * cute.size(half) + i].to(Float16)
                    buffer = number % 2
                    cute.copy(copy, result, shared[(None, None, None, buffer)])
                    cute.arch.fence_proxy("async.shared", space="cta")
                    together.arrive_and_wait()
                    if warp == 4:
                        cute.copy(c_atom, from_c[(None, buffer)], to_c[(None, number)])
                        stores.producer_commit()
                        stores.producer_acquire()
                    together.arrive_and_wait()
                scheduler.advance_to_next_work()
                work = scheduler.get_current_work()
            if warp == 4:
                stores.producer_tail()


@cute.kernel
def device_takes(
    a_atom: cute.CopyAtom,
    a: cute.Tensor,
    b_atom: cute.CopyAtom,
    b: cute.Tensor,
    c_atom: cute.CopyAtom,
    c: cute.Tensor,
):
    if cute.arch.warp_idx() == 0:
        cpasync.prefetch_descriptor(a_atom)
        cpasync.prefetch_descriptor(b_atom)
        cpasync.prefetch_descriptor(c_atom)


@cute.jit
def takes(a: cute.Tensor, b: cute.Tensor, c: cute.Tensor, stream):
    """A launch with three descriptors, whose kernel has nothing to do."""
    ((a_atom, a_places), (b_atom, b_places), (c_atom, c_places)), _, _ = boxes(a, b, c)
    device_takes(a_atom, a_places, b_atom, b_places, c_atom, c_places).launch(
        grid=[1, 1, 1], block=[32, 1, 1], stream=stream
    )


@cute.kernel
def device_plain(a: cute.Tensor, b: cute.Tensor, c: cute.Tensor):
    if cute.arch.thread_idx()[0] == 1024:
        c[0, 0, 0] = a[0, 0, 0] + b[0, 0, 0]


@cute.jit
def plain(a: cute.Tensor, b: cute.Tensor, c: cute.Tensor, stream):
    """Launch the same kernel with tensors alone."""
    device_plain(a, b, c).launch(grid=[1, 1, 1], block=[32, 1, 1], stream=stream)
