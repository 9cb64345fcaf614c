"""A product of matrices as programs for Hopper write it: a warp loads tiles by TMA, warpgroups multiply them, blocks
stay for several tiles."""

from __future__ import annotations

from fairlead import (
    Float32,
    Int32,
    Int64,
    const_expr,
    cute,
    pipeline,
    range,
    range_constexpr,
    utils,
)
from fairlead.cute.nvgpu import cpasync
from fairlead.utils import hopper_helpers as sm90


class PersistentGemm:
    """C (M, N, L) = A (M, K, L) * B (N, K, L). A warpgroup loads, ``groups`` others multiply 64 rows of a tile each."""

    def __init__(self, tile_n=128, groups=2, cluster=(1, 1), stages=4, clusters=4, swizzle=1):
        self.tile_n, self.groups, self.cluster, self.stages = tile_n, groups, cluster, stages
        self.clusters, self.swizzle = clusters, swizzle
        self.threads = 128 * (groups + 1)

    @cute.jit
    def __call__(self, a: cute.Tensor, b: cute.Tensor, c: cute.Tensor):
        a_layout, b_layout = utils.LayoutEnum.from_tensor(a), utils.LayoutEnum.from_tensor(b)
        self.c_layout = utils.LayoutEnum.from_tensor(c)
        self.dtype, self.c_dtype = a.element_type, c.element_type
        mma = sm90.make_trivial_tiled_mma(
            a.element_type,
            b.element_type,
            a_layout.sm90_mma_major_mode(),
            b_layout.sm90_mma_major_mode(),
            Float32,
            (self.groups, 1, 1),
            tiler_mn=(64, self.tile_n),
        )
        self.tile = (64 * self.groups, self.tile_n, 4 * mma.shape_mnk[2])
        a_staged = sm90.make_smem_layout_a(a_layout, self.tile, a.element_type, self.stages)
        b_staged = sm90.make_smem_layout_b(b_layout, self.tile, b.element_type, self.stages)
        self.epi_tile = (64 * self.groups, 32)
        c_staged = sm90.make_smem_layout_epi(c.element_type, self.c_layout, self.epi_tile, 2)

        def load(tensor, staged, extents, shared_by):
            op = cute.nvgpu.cpasync.CopyBulkTensorTileG2SOp()
            if shared_by > 1:
                op = cute.nvgpu.cpasync.CopyBulkTensorTileG2SMulticastOp()
            return cute.nvgpu.cpasync.make_tiled_tma_atom(
                op, tensor, cute.slice_(staged, (None, None, 0)), extents, shared_by
            )

        a_atom, a_coords = load(a, a_staged, (self.tile[0], self.tile[2]), self.cluster[1])
        b_atom, b_coords = load(b, b_staged, (self.tile[1], self.tile[2]), self.cluster[0])
        c_atom, c_coords = cute.nvgpu.cpasync.make_tiled_tma_atom(
            cute.nvgpu.cpasync.CopyBulkTensorTileS2GOp(),
            c,
            cute.slice_(c_staged, (None, None, 0)),
            self.epi_tile,
        )
        tiles = cute.ceil_div(c.shape, (self.tile[0], self.tile[1], 1))
        params = utils.PersistentTileSchedulerParams(tiles, (*self.cluster, 1), self.swizzle)
        grid = utils.StaticPersistentTileScheduler.get_grid_shape(params, self.clusters)

        @cute.struct
        class Storage:
            barriers: cute.struct.MemRange[Int64, 2 * self.stages]
            a: cute.struct.Align[cute.struct.MemRange[a.element_type, cute.cosize(a_staged)], 1024]
            b: cute.struct.Align[cute.struct.MemRange[b.element_type, cute.cosize(b_staged)], 1024]
            c: cute.struct.Align[cute.struct.MemRange[c.element_type, cute.cosize(c_staged)], 1024]

        self.storage = Storage
        self.kernel(
            a_atom, a_coords, b_atom, b_coords, c_atom, c_coords, mma, params, a_staged, b_staged,
            c_staged,
        ).launch(grid=grid, block=(self.threads, 1, 1), cluster=(*self.cluster, 1))  # fmt: skip

    @cute.kernel
    def kernel(
        self, a_atom: cute.CopyAtom, a: cute.Tensor, b_atom: cute.CopyAtom, b: cute.Tensor,
        c_atom: cute.CopyAtom, c: cute.Tensor, mma: cute.TiledMma,
        params: utils.PersistentTileSchedulerParams, a_staged: cute.ComposedLayout,
        b_staged: cute.ComposedLayout, c_staged: cute.ComposedLayout,
    ):  # fmt: skip
        warp = cute.arch.make_warp_uniform(cute.arch.warp_idx())
        group = cute.arch.make_warp_uniform(warp // 4)
        tid, _, _ = cute.arch.thread_idx()
        if warp == 0:
            cute.nvgpu.cpasync.prefetch_descriptor(a_atom)
            cute.nvgpu.cpasync.prefetch_descriptor(b_atom)
        storage = utils.SmemAllocator().allocate(self.storage)
        blocks = cute.make_layout((*self.cluster, 1))
        place = blocks.get_flat_coord(cute.arch.make_warp_uniform(cute.arch.block_idx_in_cluster()))
        shares = self.cluster[0] + self.cluster[1] - 1
        bytes_ = sum(
            cute.size_in_bytes(self.dtype, cute.slice_(staged, (None, None, 0)))
            for staged in (a_staged, b_staged)
        )
        loads = pipeline.PipelineTmaAsync.create(
            barrier_storage=storage.barriers.data_ptr(),
            num_stages=self.stages,
            producer_group=pipeline.CooperativeGroup(pipeline.Agent.Thread),
            consumer_group=pipeline.CooperativeGroup(
                pipeline.Agent.Thread, shares * 4 * self.groups
            ),
            tx_count=bytes_,
            cta_layout_vmnk=cute.make_layout((1, *self.cluster, 1)),
            defer_sync=True,
        )
        pipeline.pipeline_init_arrive(cluster_shape_mn=self.cluster, is_relaxed=True)
        sa = storage.a.get_tensor(a_staged.outer, swizzle=a_staged.inner)
        sb = storage.b.get_tensor(b_staged.outer, swizzle=b_staged.inner)
        sc = storage.c.get_tensor(c_staged.outer, swizzle=c_staged.inner)
        ga = cute.local_tile(a, cute.slice_(self.tile, (None, 0, None)), (None, None, None))
        gb = cute.local_tile(b, cute.slice_(self.tile, (0, None, None)), (None, None, None))
        gc = cute.local_tile(c, cute.slice_(self.tile, (None, None, 0)), (None, None, None))
        a_blocks = cute.make_layout(cute.slice_(blocks, (0, None, 0)).shape)
        b_blocks = cute.make_layout(cute.slice_(blocks, (None, 0, 0)).shape)
        to_a, from_a = cute.nvgpu.cpasync.tma_partition(
            a_atom, place[1], a_blocks, cute.group_modes(sa, 0, 2), cute.group_modes(ga, 0, 2)
        )
        to_b, from_b = cute.nvgpu.cpasync.tma_partition(
            b_atom, place[0], b_blocks, cute.group_modes(sb, 0, 2), cute.group_modes(gb, 0, 2)
        )
        a_mask = cute.make_layout_image_mask(blocks, place, mode=1)
        b_mask = cute.make_layout_image_mask(blocks, place, mode=0)
        k_tiles = cute.size(ga, mode=[3])
        scheduler = utils.StaticPersistentTileScheduler.create(
            params, cute.arch.block_idx(), cute.arch.grid_dim()
        )
        pipeline.pipeline_init_wait(cluster_shape_mn=self.cluster)

        work = scheduler.initial_work_tile_info()
        if group == 0:
            cute.arch.setmaxregister_decrease(40)
            if warp == 0:
                filled = pipeline.make_pipeline_state(
                    pipeline.PipelineUserType.Producer, self.stages
                )
                while work.is_valid_tile:
                    m, n, batch = work.tile_idx
                    for k in range(k_tiles):
                        loads.producer_acquire(filled)
                        barrier = loads.producer_get_barrier(filled)
                        cute.copy(
                            a_atom,
                            from_a[None, m, k, batch],
                            to_a[None, filled.index],
                            tma_bar_ptr=barrier,
                            mcast_mask=a_mask,
                        )
                        cute.copy(
                            b_atom,
                            from_b[None, n, k, batch],
                            to_b[None, filled.index],
                            tma_bar_ptr=barrier,
                            mcast_mask=b_mask,
                        )
                        loads.producer_commit(filled)
                        filled.advance()
                    scheduler.advance_to_next_work()
                    work = scheduler.get_current_work()
                loads.producer_tail(filled)
        else:
            cute.arch.setmaxregister_increase(232)
            self.multiply(
                mma, loads, scheduler, work, c_atom, sa, sb, sc, gc, k_tiles, tid - 128, warp - 4
            )

    @cute.jit
    def multiply(
        self, mma, loads, scheduler, work, c_atom, sa, sb, sc, gc, k_tiles, tid, warp
    ):  # fmt: skip
        part = mma.get_slice(cute.arch.make_warp_uniform(tid // 128) * 128)
        ra = mma.make_fragment_A(part.partition_A(sa))
        rb = mma.make_fragment_B(part.partition_B(sb))
        sums = mma.make_fragment_C(mma.partition_shape_C(self.tile[:2]))
        store = sm90.sm90_get_smem_store_op(self.c_layout, self.c_dtype, Float32)
        copy = cute.make_tiled_copy_S(store, cute.make_tiled_copy_C_atom(store, mma))
        mine = copy.get_slice(tid)
        registers, shared = copy.retile(sums), mine.partition_D(sc)
        half = cute.make_layout(cute.shape(mine.partition_S(sc))[:3])
        count = cute.size(half)
        read = pipeline.make_pipeline_state(pipeline.PipelineUserType.Consumer, self.stages)
        released = pipeline.make_pipeline_state(pipeline.PipelineUserType.Consumer, self.stages)
        stores = pipeline.PipelineTmaStore.create(
            num_stages=2,
            producer_group=pipeline.CooperativeGroup(pipeline.Agent.Thread, 128 * self.groups),
        )
        together = pipeline.NamedBarrier(1, 128 * self.groups)
        while work.is_valid_tile:
            m, n, batch = work.tile_idx
            mma.set(cute.nvgpu.warpgroup.Field.ACCUMULATE, False)
            released.reset_count()
            for k in range(k_tiles):
                loads.consumer_wait(read)
                cute.nvgpu.warpgroup.fence()
                for step in range(cute.size(ra, mode=[2]), unroll_full=True):
                    at = (None, None, step, read.index)
                    cute.gemm(mma, sums, ra[at], rb[at], sums)
                    mma.set(cute.nvgpu.warpgroup.Field.ACCUMULATE, True)
                cute.nvgpu.warpgroup.commit_group()
                cute.nvgpu.warpgroup.wait_group(1)
                if k > 0:
                    loads.consumer_release(released)
                    released.advance()
                read.advance()
            cute.nvgpu.warpgroup.wait_group(0)
            loads.consumer_release(released)
            released.advance()

            tile = cute.zipped_divide(gc[None, None, m, n, batch], self.epi_tile)
            from_c, to_c = cute.nvgpu.cpasync.tma_partition(
                c_atom, 0, cute.make_layout(1), cute.group_modes(sc, 0, 2), tile
            )
            for part_of_tile in range_constexpr(self.tile_n // 32):
                result = cute.make_rmem_tensor(half, self.c_dtype)
                for i in range_constexpr(count):
                    result[i] = registers[part_of_tile * count + i].to(self.c_dtype)
                buffer = part_of_tile % 2
                cute.copy(copy, result, shared[None, None, None, buffer])
                cute.arch.fence_proxy("async.shared", space="cta")
                together.arrive_and_wait()
                if warp == 0:
                    cute.copy(c_atom, from_c[None, buffer], to_c[None, part_of_tile])
                    stores.producer_commit()
                    stores.producer_acquire()
                together.arrive_and_wait()
            scheduler.advance_to_next_work()
            work = scheduler.get_current_work()
        if warp == 0:
            stores.producer_tail()


@cute.kernel
def bulk_kernel(source: cute.Tensor, target: cute.Tensor):
    memory = utils.SmemAllocator()
    words = memory.allocate_tensor(Float32, cute.make_layout(256), 16)
    barrier = memory.allocate(Int64)
    tid, _, _ = cute.arch.thread_idx()
    if tid == 0:
        cute.arch.mbarrier_init(barrier, 1)
    cute.arch.mbarrier_init_fence()
    cute.arch.sync_threads()
    load = cute.make_copy_atom(
        cute.nvgpu.cpasync.CopyBulkG2SOp(), Float32, num_bits_per_copy=128 * 32
    )
    if tid < 32:
        with cute.arch.elect_one():
            cute.arch.mbarrier_arrive_and_expect_tx(barrier, 1024)
        cute.copy(load, source, words, mbar_ptr=barrier)
    cute.arch.mbarrier_wait(barrier, 0)
    for i in range_constexpr(4):
        words[tid + 64 * i] = words[tid + 64 * i] + 1.0
    cute.arch.fence_view_async_shared()
    cute.arch.sync_threads()
    # Without a number of bits: all neighbours at once.
    store = cute.make_copy_atom(cute.nvgpu.cpasync.CopyBulkS2GOp(), Float32)
    if tid < 32:
        cute.copy(store, words, target)
        cute.arch.cp_async_bulk_commit_group()
        cute.arch.cp_async_bulk_wait_group(0)


@cute.jit
def bulk_copies(source: cute.Tensor, target: cute.Tensor):
    """target = source + 1 of 256 floats, through shared memory by copies of neighbouring bytes."""
    source = cute.make_tensor(source.iterator, cute.make_layout(256))
    target = cute.make_tensor(target.iterator, cute.make_layout(256))
    bulk_kernel(source, target).launch(grid=(1, 1, 1), block=(64, 1, 1))


def copy_of_one_thread(barrier, atom, box, into):
    """Control flow is not rewritten here: ``with`` opens the branch itself."""
    with cute.arch.elect_one():
        cute.arch.mbarrier_arrive_and_expect_tx(barrier, 64 * 32 * 4)
        cute.copy(atom, box, into, tma_bar_ptr=barrier)


@cute.kernel
def chosen_kernel(
    atom: cute.CopyAtom, source: cute.Tensor, target: cute.Tensor, chosen: cute.Constexpr
):
    memory = utils.SmemAllocator()
    tile = memory.allocate_tensor(Float32, cute.make_layout((64, 32), stride=(32, 1)), 128)
    barrier = memory.allocate(Int64)
    tid, _, _ = cute.arch.thread_idx()
    if tid == 0:
        cute.arch.mbarrier_init(barrier, 1)
    cute.arch.mbarrier_init_fence()
    cute.arch.sync_threads()
    into, box = cpasync.tma_partition(
        atom, 0, cute.make_layout(1), cute.group_modes(tile, 0, 2), cute.group_modes(source, 0, 2)
    )
    if const_expr(chosen == "elected"):
        if tid < 32:
            with cute.arch.elect_one():
                cute.arch.mbarrier_arrive_and_expect_tx(barrier, 64 * 32 * 4)
                cute.copy(atom, box, into, tma_bar_ptr=barrier)
    elif const_expr(chosen == "elected in a plain function"):
        if tid < 32:
            copy_of_one_thread(barrier, atom, box, into)
    elif const_expr(chosen == "lane"):
        if cute.arch.warp_idx() == 1 and cute.arch.lane_idx() == 5:
            cute.arch.mbarrier_arrive_and_expect_tx(barrier, 64 * 32 * 4)
            cute.copy(atom, box, into, tma_bar_ptr=barrier)
    else:
        if tid == 3:
            cute.arch.mbarrier_arrive_and_expect_tx(barrier, 64 * 32 * 4)
            cute.copy(atom, box, into, tma_bar_ptr=barrier)
    cute.arch.mbarrier_wait(barrier, 0)
    for column in range_constexpr(32):
        target[tid, column] = tile[tid, column]


#: Ways of choosing the thread that copies.
CHOICES = "elected", "elected in a plain function", "lane", "thread"


def copy_by_a_chosen_thread(chosen: str):
    """target = source, (64, 32) floats, by a TMA copy inside a branch of one thread."""

    @cute.jit
    def copy(source: cute.Tensor, target: cute.Tensor):
        layout = cute.make_layout((64, 32), stride=(32, 1))
        op = cpasync.CopyBulkTensorTileG2SOp()
        atom, places = cpasync.make_tiled_tma_atom(op, source, layout, (64, 32))
        chosen_kernel(atom, places, target, chosen).launch(grid=(1, 1, 1), block=(64, 1, 1))

    return copy


@cute.kernel
def cluster_copies_kernel(source: cute.Tensor, target: cute.Tensor):
    memory = utils.SmemAllocator()
    barriers = memory.allocate_array(Int64, 2)
    whole = memory.allocate_tensor(Float32, cute.make_layout(256), 128)
    sent = memory.allocate_tensor(Float32, cute.make_layout(256), 128)
    tid, _, _ = cute.arch.thread_idx()
    rank, size = cute.arch.block_idx_in_cluster(), cute.arch.cluster_size()
    if tid == 0:
        for each in range(2):
            cute.arch.mbarrier_init(barriers + each, 1)
            cute.arch.mbarrier_arrive_and_expect_tx(barriers + each, 1024)
    cute.arch.mbarrier_init_fence()
    cute.arch.cluster_arrive()
    cute.arch.cluster_wait()
    if rank == 0 and tid < 32:
        load = cute.make_copy_atom(
            cute.nvgpu.cpasync.CopyBulkG2SMulticastOp(), Float32, num_bits_per_copy=256 * 32
        )
        cute.copy(load, source, whole, mbar_ptr=barriers, mcast_mask=cute.Int16((1 << size) - 1))
    cute.arch.mbarrier_wait(barriers, 0)
    if tid < 32:
        send = cute.make_copy_atom(
            cute.nvgpu.cpasync.CopyBulkS2SOp(), Float32, num_bits_per_copy=256 * 32
        )
        cute.copy(send, whole, sent, mbar_ptr=barriers + 1, cta_rank=(rank + 1) % size)
    cute.arch.mbarrier_wait(barriers + 1, 0)
    x, _, _ = cute.arch.block_idx()
    for i in range(tid, 256, 64):
        target[x, i] = sent[i] + rank
    cute.arch.cluster_arrive()
    cute.arch.cluster_wait()


class ClusterCopies:
    """target (blocks, 256) = source + the block's rank: one block loads for its cluster, and each sends to the next."""

    def __init__(self, size):
        self.size = size

    @cute.jit
    def __call__(self, source: cute.Tensor, target: cute.Tensor):
        cluster_copies_kernel(source, target).launch(
            grid=(target.shape[0], 1, 1), block=(64, 1, 1), cluster=(self.size, 1, 1)
        )


@cute.kernel
def neighbours_kernel(numbers: cute.Tensor):
    memory = utils.SmemAllocator()
    came = memory.allocate_tensor(numbers.element_type, cute.make_layout(64), 16)
    barrier = memory.allocate(Int64)
    thread, _, _ = cute.arch.thread_idx()
    block, _, _ = cute.arch.block_idx()
    rank, size = cute.arch.block_idx_in_cluster(), cute.arch.cluster_size()
    if thread == 0:
        cute.arch.mbarrier_init(barrier, 1)
        cute.arch.mbarrier_arrive_and_expect_tx(barrier, 64 * numbers.element_type.width // 8)
    cute.arch.mbarrier_init_fence()
    cute.arch.cluster_arrive()
    cute.arch.cluster_wait()
    cute.arch.store_async_dsmem(
        came.iterator + thread, numbers[block, thread], barrier, (rank + 1) % size
    )
    cute.arch.mbarrier_wait(barrier, 0)
    numbers[block, thread] = came[thread] * rank.to(numbers.element_type)
    cute.arch.cluster_arrive()
    cute.arch.cluster_wait()


class Neighbours:
    """numbers (blocks, 64): each block of a cluster gets the row of the one before it, times its rank."""

    def __init__(self, size):
        self.size = size

    @cute.jit
    def __call__(self, numbers: cute.Tensor):
        neighbours_kernel(numbers).launch(
            grid=(numbers.shape[0], 1, 1), block=(64, 1, 1), cluster=(self.size, 1, 1)
        )


@cute.kernel
def exchanged_kernel(numbers: cute.Tensor):
    memory = utils.SmemAllocator()
    words, barrier = memory.allocate_array(Int32, 8, 16), memory.allocate(Int64)
    thread, block = cute.arch.thread_idx()[0], cute.arch.block_idx()[0]
    if thread == 0:
        cute.arch.mbarrier_init(barrier, 1)
        cute.arch.mbarrier_init_fence()
    cute.arch.cluster_arrive()
    cute.arch.cluster_wait()
    if thread == 0:
        cute.arch.mbarrier_arrive_and_expect_tx(barrier, 20)
        other = cute.arch.block_idx_in_cluster() ^ 1
        there, signal = (
            Int32(cute.arch.map_dsmem_ptr(each, other).toint()) for each in (words, barrier)
        )
        store = "st.async.shared::cluster.mbarrier::complete_tx::bytes"
        cute.arch.inline_ptx(
            "{ .reg .v4 .s32 four; mov.s32 four.x, {$r2}; mov.s32 four.y, {$r3}; mov.s32 four.z, {$r4};"
            f" mov.s32 four.w, {{$r5}}; {store}.v4.s32 [{{$r0}}], four, [{{$r1}}]; }}",
            read_only_args=[
                there,
                signal,
                *(numbers[block, place] for place in range_constexpr(4)),
            ],
        )
        cute.arch.inline_ptx(
            f"{store}.s32 [{{$r0}}+16], {{$r1}}, [{{$r2}}];",
            read_only_args=[there, numbers[block, 4], signal],
        )
    cute.arch.mbarrier_wait(barrier, 0)
    cute.arch.sync_threads()  # the first thread has read the row, too
    if thread < 5:
        numbers[block, thread] = (words + thread).load()


@cute.jit
def exchanged(numbers: cute.Tensor):
    """numbers (blocks, 5): two blocks of a cluster exchange their rows, by ``st.async`` as inline PTX."""
    exchanged_kernel(numbers).launch(
        grid=(numbers.shape[0], 1, 1), block=(32, 1, 1), cluster=(2, 1, 1)
    )


class EditedMap:
    """target (64, 64) = the tile at (64, 64) of ``other``, by the tensor map of ``first`` that the kernel changed."""

    def __init__(self, mode):
        self.manager = utils.TensorMapManager(mode, 128)
        self.in_shared = mode is utils.TensorMapUpdateMode.SMEM

    @cute.jit
    def __call__(
        self, first: cute.Tensor, other: cute.Tensor, target: cute.Tensor, space: cute.Tensor
    ):
        tile = cute.make_layout((64, 64), stride=(64, 1))
        atom, coordinates = cute.nvgpu.cpasync.make_tiled_tma_atom(
            cute.nvgpu.cpasync.CopyBulkTensorTileG2SOp(), first, tile, (64, 64)
        )
        self.kernel(atom, coordinates, other, target, space).launch(
            grid=(1, 1, 1), block=(64, 1, 1)
        )

    @cute.kernel
    def kernel(
        self, atom: cute.CopyAtom, coordinates: cute.Tensor, other: cute.Tensor,
        target: cute.Tensor, space: cute.Tensor,
    ):  # fmt: skip
        memory = utils.SmemAllocator()
        words = memory.allocate_tensor(Float32, cute.make_layout((64, 64), stride=(64, 1)), 128)
        shared_map = memory.allocate(128, 128)
        barrier = memory.allocate(Int64)
        tid, _, _ = cute.arch.thread_idx()
        manager = self.manager
        changed = manager.get_tensormap_ptr(space.iterator)
        manager.init_tensormap_from_atom(atom, shared_map if self.in_shared else changed, 0)
        manager.fence_tensormap_initialization()
        manager.update_tensormap((other,), (atom,), (changed,), 0, (shared_map,))
        if tid == 0:
            cute.arch.mbarrier_init(barrier, 1)
        cute.arch.mbarrier_init_fence()
        cute.arch.sync_threads()
        tiles = cute.local_tile(coordinates, (64, 64), (None, None))
        to, origin = cute.nvgpu.cpasync.tma_partition(
            atom,
            0,
            cute.make_layout(1),
            cute.group_modes(words, 0, 2),
            cute.group_modes(tiles, 0, 2),
        )
        if tid < 32:
            manager.fence_tensormap_update(changed)
            with cute.arch.elect_one():
                cute.arch.mbarrier_arrive_and_expect_tx(barrier, 64 * 64 * 4)
            cute.copy(
                atom,
                origin[None, 1, 1],
                to,
                tma_bar_ptr=barrier,
                tma_desc_ptr=manager.get_tensormap_ptr(changed, cute.AddressSpace.generic),
            )
        cute.arch.mbarrier_wait(barrier, 0)
        for column in range(64):
            target[tid, column] = words[tid, column]


class MapsOfParts:
    """Rows offsets[i] to offsets[i + 1] of target (M, 32) become i + 1, by tensor maps that a kernel makes. ``space``
    (parts, 128) holds them."""

    tile = (16, 32)

    def atom_of(self, tensor):
        op = cute.nvgpu.cpasync.CopyBulkTensorTileS2GOp()
        layout = cute.make_ordered_layout(self.tile, (1, 0))
        return cute.nvgpu.cpasync.make_tiled_tma_atom(op, tensor, layout, self.tile)

    @cute.jit
    def __call__(self, target: cute.Tensor, offsets: cute.Tensor, space: cute.Tensor):
        parts = space.shape[0]
        self.describe(target, offsets, space).launch(grid=(1, 1, 1), block=(parts, 1, 1))
        atom, coordinates = self.atom_of(target)
        self.fill(atom, coordinates, space).launch(grid=(parts, 1, 1), block=(32, 1, 1))

    @cute.kernel
    def describe(self, target: cute.Tensor, offsets: cute.Tensor, space: cute.Tensor):
        part, _, _ = cute.arch.thread_idx()
        first, rows = offsets[part], offsets[part + 1] - offsets[part]
        layout = cute.make_layout((rows, target.shape[1]), stride=target.stride)
        atom, _ = self.atom_of(cute.make_tensor(target.iterator + first * target.stride[0], layout))
        cute.nvgpu.cpasync.copy_tensormap(atom, space[part, None].iterator)
        cute.nvgpu.cpasync.fence_tma_desc_release()

    @cute.kernel
    def fill(self, atom: cute.CopyAtom, coordinates: cute.Tensor, space: cute.Tensor):
        lane, _, _ = cute.arch.thread_idx()
        part, _, _ = cute.arch.block_idx()
        layout = cute.make_ordered_layout(self.tile, (1, 0))
        numbers = utils.SmemAllocator().allocate_tensor(Float32, layout, 128)
        for row in range(self.tile[0]):
            numbers[row, lane] = Float32(part + 1)
        cute.arch.fence_proxy("async.shared", space="cta")
        cute.arch.sync_threads()
        tiles = cute.local_tile(coordinates, self.tile, (None, None))
        source, to = cute.nvgpu.cpasync.tma_partition(
            atom, 0, cute.make_layout(1), cute.group_modes(numbers, 0, 2), cute.group_modes(tiles, 0, 2)
        )  # fmt: skip
        own = utils.TensorMapManager(utils.TensorMapUpdateMode.GMEM, 128).get_tensormap_ptr(
            space[part, None].iterator, cute.AddressSpace.generic
        )
        cute.nvgpu.cpasync.fence_tma_desc_acquire(own)
        cute.copy(atom, source, to[None, 0, 0], tma_desc_ptr=own)
        cute.arch.cp_async_bulk_commit_group()
        cute.arch.cp_async_bulk_wait_group(0)


@cute.jit
def product_from_registers(a: cute.Tensor, b: cute.Tensor, c: cute.Tensor):
    """c (64, 64) = a (64, 64) * b (64, 64) of Float16 by one warpgroup, with A in registers."""
    K = cute.nvgpu.OperandMajorMode.K
    mma = sm90.make_trivial_tiled_mma(
        a.element_type, b.element_type, K, K, Float32, (1, 1, 1), (64, 64),
        cute.nvgpu.warpgroup.OperandSource.RMEM,
    )  # fmt: skip
    staged = sm90.make_smem_layout_b(utils.LayoutEnum.ROW_MAJOR, (64, 64, 64), b.element_type, 1)
    atom, coordinates = cute.nvgpu.cpasync.make_tiled_tma_atom(
        cute.nvgpu.cpasync.CopyBulkTensorTileG2SOp(),
        b,
        cute.slice_(staged, (None, None, 0)),
        (64, 64),
    )
    registers_kernel(a, atom, coordinates, c, mma, staged).launch(grid=(1, 1, 1), block=(128, 1, 1))


@cute.kernel
def registers_kernel(
    a: cute.Tensor, atom: cute.CopyAtom, b: cute.Tensor, c: cute.Tensor, mma: cute.TiledMma,
    staged: cute.ComposedLayout,
):  # fmt: skip
    memory = utils.SmemAllocator()
    pointer = memory.allocate_array(atom.value_type, cute.cosize(staged), byte_alignment=1024)
    sb = cute.make_tensor(cute.recast_ptr(pointer, staged.inner), staged.outer)
    barrier = memory.allocate(Int64)
    tid, _, _ = cute.arch.thread_idx()
    if tid == 0:
        cute.arch.mbarrier_init(barrier, 1)
    cute.arch.mbarrier_init_fence()
    cute.arch.sync_threads()
    tile = cute.local_tile(b, (64, 64), (0, 0))
    to, origin = cute.nvgpu.cpasync.tma_partition(
        atom, 0, cute.make_layout(1), cute.group_modes(sb, 0, 2), cute.group_modes(tile, 0, 2)
    )
    if tid < 32:
        with cute.arch.elect_one():
            cute.arch.mbarrier_arrive_and_expect_tx(barrier, 64 * 64 * 2)
        cute.copy(atom, origin, to[None, 0], tma_bar_ptr=barrier)
    part = mma.get_slice(tid)
    mine = part.partition_A(cute.local_tile(a, (64, 64), (0, 0)))
    ra = mma.make_fragment_A(mine)
    cute.basic_copy(mine, ra)
    rb = mma.make_fragment_B(part.partition_B(sb))
    sums = mma.make_fragment_C(mma.partition_shape_C((64, 64)))
    cute.arch.mbarrier_wait(barrier, 0)
    mma.set(cute.nvgpu.warpgroup.Field.ACCUMULATE, False)
    cute.nvgpu.warpgroup.fence()
    for step in range(cute.size(ra, mode=[2]), unroll_full=True):
        cute.gemm(mma, sums, ra[None, None, step], rb[None, None, step, 0], sums)
        mma.set(cute.nvgpu.warpgroup.Field.ACCUMULATE, True)
    cute.nvgpu.warpgroup.commit_group()
    cute.nvgpu.warpgroup.wait_group(0)
    cute.basic_copy(sums, part.partition_C(cute.local_tile(c, (64, 64), (0, 0))))


class SumOfProducts:
    """c (64, 64) = a (64, 64 n) * b (64, 64 n) of Float16 by one warpgroup, n >= 1, through one tile of each operand.

    No barrier is in the loop: the warpgroup's fence and wait order all. After the wait, warp 0 has the tile of b
    replaced. Each warp writes the rows of a that it multiplies, or else those of the next warp.
    """

    def __init__(self, own_rows: bool):
        self.own_rows = own_rows

    @cute.jit
    def __call__(self, a: cute.Tensor, b: cute.Tensor, c: cute.Tensor):
        K = cute.nvgpu.OperandMajorMode.K
        mma = sm90.make_trivial_tiled_mma(
            a.element_type, b.element_type, K, K, Float32, (1, 1, 1), (64, 64)
        )
        row = utils.LayoutEnum.ROW_MAJOR
        of_a = cute.slice_(
            sm90.make_smem_layout_a(row, (64, 64, 64), a.element_type, 1), (None, None, 0)
        )
        of_b = cute.slice_(
            sm90.make_smem_layout_b(row, (64, 64, 64), b.element_type, 1), (None, None, 0)
        )
        copy = cute.nvgpu.cpasync.CopyBulkTensorTileG2SOp()
        atom, coordinates = cute.nvgpu.cpasync.make_tiled_tma_atom(copy, b, of_b, (64, 64))
        self.multiply(a, atom, coordinates, c, mma, of_a, of_b).launch(
            grid=(1, 1, 1), block=(128, 1, 1)
        )

    @cute.kernel
    def multiply(
        self, a: cute.Tensor, atom: cute.CopyAtom, b: cute.Tensor, c: cute.Tensor, mma: cute.TiledMma,
        of_a: cute.ComposedLayout, of_b: cute.ComposedLayout,
    ):  # fmt: skip
        memory = utils.SmemAllocator()
        sa = memory.allocate_tensor(a.element_type, of_a.outer, 1024, of_a.inner)
        sb = memory.allocate_tensor(atom.value_type, of_b.outer, 1024, of_b.inner)
        barrier = memory.allocate(Int64)
        tid, _, _ = cute.arch.thread_idx()
        warp = cute.arch.make_warp_uniform(cute.arch.warp_idx())
        if tid == 0:
            cute.arch.mbarrier_init(barrier, 1)
        cute.arch.mbarrier_init_fence()
        cute.arch.sync_threads()
        tiles = cute.local_tile(b, (64, 64), (0, None))
        to, origin = cute.nvgpu.cpasync.tma_partition(
            atom, 0, cute.make_layout(1), cute.group_modes(sb, 0, 2), cute.group_modes(tiles, 0, 2)
        )
        steps = a.shape[1] // 64
        if warp == 0:
            self.load(atom, origin[None, 0], to, barrier)
        part = mma.get_slice(tid)
        ra, rb = (
            mma.make_fragment_A(part.partition_A(sa)),
            mma.make_fragment_B(part.partition_B(sb)),
        )
        sums = mma.make_fragment_C(mma.partition_shape_C((64, 64)))
        sums.fill(0.0)
        mma.set(cute.nvgpu.warpgroup.Field.ACCUMULATE, True)
        writer = warp if cute.const_expr(self.own_rows) else (warp + 1) % 4
        for step in cute.range(steps):
            for row in cute.range(16):
                for half in cute.range(2, unroll_full=True):
                    column = tid % 32 + 32 * half
                    sa[writer * 16 + row, column] = a[writer * 16 + row, step * 64 + column]
            cute.arch.fence_proxy("async.shared", space="cta")
            cute.arch.sync_warp()
            cute.arch.mbarrier_wait(barrier, step % 2)
            cute.nvgpu.warpgroup.fence()
            cute.gemm(mma, sums, ra, rb, sums)
            cute.nvgpu.warpgroup.commit_group()
            cute.nvgpu.warpgroup.wait_group(0)
            if warp == 0 and step + 1 < steps:
                self.load(atom, origin[None, step + 1], to, barrier)
        cute.basic_copy(sums, part.partition_C(cute.local_tile(c, (64, 64), (0, 0))))

    @cute.jit
    def load(
        self, atom: cute.CopyAtom, source: cute.Tensor, to: cute.Tensor, barrier: cute.Pointer
    ):
        with cute.arch.elect_one():
            cute.arch.mbarrier_arrive_and_expect_tx(barrier, 64 * 64 * 2)
        cute.copy(atom, source, to, tma_bar_ptr=barrier)
