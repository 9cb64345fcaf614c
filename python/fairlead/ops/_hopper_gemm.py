"""Products of matrices by warpgroups: tiles come by TMA, for GPUs of compute capability 9.0."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from fairlead import _compiler, cute, pipeline, utils
from fairlead._compiler import Float32, Int32, Int64
from fairlead.cute._types import Number
from fairlead.cute.nvgpu import cpasync, warpgroup
from fairlead.cute.nvgpu import warp as warps
from fairlead.cute.typing import Int
from fairlead.ops._epilogue import Epilogue
from fairlead.ops._tiles import WARPGROUPS, Tiles, columns_of_part, place_of, placed
from fairlead.utils import hopper_helpers as sm90

__all__ = ["Batches", "HopperGemm"]


_WARPGROUP = 128
_SHARED = 227 * 1024
#: Registers of a loading thread, and of a multiplying one, by multiplying warpgroups.
_REGISTERS = {3: (32, 160), 2: (40, 232), 1: (40, 240)}


class Batches:
    """The tiles of one product after the other, of equal extents."""

    def __init__(
        self, tiles: Tiles, clusters: Sequence[Int], place: Sequence[Int], others: Sequence[Any], k_tiles: Number
    ) -> None:  # fmt: skip
        """``clusters``: how many there are along M and N; ``place``: of this block in its cluster."""
        self.tiles, self.clusters, self.block = tiles, clusters, place
        self.given, self.k_tiles = others, k_tiles

    def total(self) -> Any:
        """How many numbers there are for a cluster."""
        return self.clusters[0] * self.clusters[1] * self.given[-1].shape[2]

    def problem(self, number: object, before: object) -> Any:
        """Return the problem that a number belongs to, after that of a smaller number."""
        return before

    def place(self, number: Number, problem: Number) -> tuple[Any, Any, Any]:
        """The tile (m, n, batch) of this block for a number."""
        m, n = self.clusters
        x, y = place_of(number % (m * n), m, n, self.tiles.group)
        cluster = self.tiles.cluster
        return x * cluster[0] + self.block[0], y * cluster[1] + self.block[1], number // (m * n)

    def depth(self, problem: object) -> Any:
        """Tiles along K."""
        return self.k_tiles

    def maps(self, problem: object) -> tuple[Any, Any, Any]:
        """Return the tensor maps of A, B and C. None: use the tensor maps of the atoms."""
        return None, None, None

    def others(self, problem: object) -> Any:
        """The operands of the epilogue, with C last."""
        return self.given


class HopperGemm:
    """C (M, N, L) = A (M, K, L) * B (N, K, L), rows of C contiguous.

    A block stays on its multiprocessor for every so many tiles of C. One warpgroup loads tiles of A and B by TMA into a
    pipeline of stages, which goes on while results are stored; one to three others multiply 64 rows of a tile each, or
    twice 64, and store the results of the epilogue through shared memory. Blocks of a cluster load shared operands
    once. Tiles follow each other in groups of ``tiles.group`` columns, so that concurrent tiles share rows and columns
    in the cache.

    With ``tiles.swapped``, the tiles are of the transposed product, C (N, M, L) = B (N, K, L) * A (M, K, L): as
    instructions have 64 rows and 8 columns or more, rows of C are divided finer. Results are stored transposed.

    With ``tiles.split`` > 1, that many blocks of a cluster share the depth of a tile, which has at least as many tiles
    itself: each multiplies every so many, leaves its sums in shared memory, where its stages were, and stores a part of
    the tile's columns from the sums of all. With ``tiles.parts`` > 1, A and B have no batches, and those of C are the
    products of as many parts of the depth.

    With ``tiles.alternating``, two warpgroups compute whole tiles by turns: one multiplies while the other stores.

    Threads store results from their registers if the columns of tiles are no multiple of 16: parts of 8 columns through
    shared memory would take longer.
    """

    def __init__(
        self,
        epilogue: Epilogue,
        tiles: Tiles,
        blocks: int,
        stages: int | None = None,
        direct: bool = False,
    ) -> None:  # fmt: skip
        """``blocks``: of the grid at most; ``stages``: default as many as shared memory has room for; ``direct``: the
        result is stored by threads, as its rows do not begin at multiples of 16 bytes."""
        self.direct, self.swapped = direct, tiles.swapped
        self.from_registers = not direct and not tiles.swapped and tiles.n % 16 != 0
        self.epilogue, self.tiles, self.blocks, self.stages = epilogue, tiles, blocks, stages
        self.groups, self.teams = WARPGROUPS[tiles.m], 1
        if tiles.alternating:
            self.groups, self.teams = 1, 2
        self.multiplying = _WARPGROUP * self.groups
        self.threads = _WARPGROUP + self.multiplying * self.teams

    @cute.jit
    def __call__(self, a: cute.Tensor, b: cute.Tensor, *others: cute.Tensor) -> None:
        c = others[-1]
        if cute.const_expr(self.swapped):
            a, b, c = b, a, cute.make_tensor(c.iterator, cute.select(c.layout, [1, 0, 2]))
        planned = self.plan(a, b, c)
        cluster = self.tiles.cluster
        m = cute.ceil_div(cute.ceil_div(c.shape[0], self.tile[0]), cluster[0])
        n = cute.ceil_div(cute.ceil_div(c.shape[1], self.tile[1]), cluster[1])
        count = m * n * c.shape[2]
        # Blocks that share a depth have one tile: their stages are not loaded again while others read sums there.
        if cute.const_expr(self.tiles.split == 1):
            size = cluster[0] * cluster[1]
            count = min(count, placed(self.blocks, size) // size)
        self.launch(planned, others, (m, n), count)

    def plan(self, a: _compiler.Tensor, b: _compiler.Tensor, c: _compiler.Tensor) -> Any:
        """How boxes are copied, what multiplies, and the layouts in shared memory."""
        self.dtype, self.c_dtype = a.element_type, c.element_type
        a_layout, b_layout = utils.LayoutEnum.from_tensor(a), utils.LayoutEnum.from_tensor(b)
        depth = 1024 // a.element_type.width
        self.tile = (self.tiles.m, self.tiles.n, depth)
        columns = 16
        if not self.from_registers:
            columns = columns_of_part(
                self.tiles.n // self.tiles.split, 1024 // self.c_dtype.width, self.swapped
            )
        self.part = 64 * self.groups, columns
        # For storing, sums have the layout of an instruction with as many columns.
        mma, of_part = (
            sm90.make_trivial_tiled_mma(
                a.element_type, b.element_type, a_layout.mma_major_mode(), b_layout.mma_major_mode(),
                Float32, (self.groups, 1, 1), tiler_mn=(64, columns),
            )
            for columns in (self.tiles.n, self.part[1])
        )  # fmt: skip
        self.parts = self.tiles.m // self.part[0], self.tiles.n // self.part[1]
        count = self.parts[0] * self.parts[1] // self.tiles.split
        self.buffers = min(count, 2)
        buffers = self.buffers * self.teams
        results = self.part[0] * self.part[1] * self.c_dtype.width // 8 * buffers
        self.rows = self.tiles.rows or self.tile[0]
        bytes_ = depth * a.element_type.width // 8
        stage = (self.tile[0] + self.tile[1]) * bytes_
        stages = self.stages or min((_SHARED - results - 2048) // stage, 12)
        self.count, self.bytes = stages, (self.rows + self.tile[1]) * bytes_

        a_staged = sm90.make_smem_layout_a(a_layout, self.tile, a.element_type, stages)
        b_staged = sm90.make_smem_layout_b(b_layout, self.tile, b.element_type, stages)
        c_staged = sm90.make_smem_layout_epi(self.c_dtype, self.order(), self.part, buffers)
        cluster = self.tiles.cluster
        a_box = (self.rows, *self.tile[1:])
        a_loaded = sm90.make_smem_layout_a(a_layout, a_box, a.element_type, stages)
        # Blocks that share a box each load a part of it, of whole rows of 8; if it has too few, some load nothing.
        self.loaders = math.gcd(cluster[0], self.tile[1] // 8)
        maps = (
            self.load(a, a_loaded, (self.rows, depth), cluster[1], cluster[1]),
            self.load(b, b_staged, (self.tile[1], depth), cluster[0], self.loaders),
            (None, c) if self.direct or self.from_registers else cpasync.make_tiled_tma_atom(
                cpasync.CopyBulkTensorTileS2GOp(), c, cute.slice_(c_staged, (None, None, 0)), self.part
            ),
        )  # fmt: skip

        @cute.struct
        class Storage:
            barriers: cute.struct.MemRange[Int64, 2 * stages]  # type: ignore
            a: cute.struct.Align[cute.struct.MemRange[a.element_type, cute.cosize(a_staged)], 1024]  # type: ignore
            b: cute.struct.Align[cute.struct.MemRange[b.element_type, cute.cosize(b_staged)], 1024]  # type: ignore
            c: cute.struct.Align[cute.struct.MemRange[self.c_dtype, cute.cosize(c_staged)], 1024]  # type: ignore

        self.storage = Storage
        return maps, (mma, of_part), (a_staged, b_staged, c_staged)

    def order(self) -> Any:
        """Return which results are neighbours."""
        return utils.LayoutEnum.COL_MAJOR if self.swapped else utils.LayoutEnum.ROW_MAJOR

    def to_shared(self) -> Any:
        """Return how results of a part are stored to shared memory."""
        if self.swapped and self.c_dtype.width == 16 and self.part[1] % 16:
            return cute.make_copy_atom(warps.StMatrix8x8x16bOp(True, 2), self.c_dtype)
        return sm90.get_smem_store_op(self.order(), self.c_dtype, Float32)

    def launch(
        self, planned: Sequence[Any], others: Sequence[Any], clusters: tuple[Any, ...], count: Int
    ) -> None:
        """``others``: further arrays that the kernel reads, then C; ``count``: number of clusters."""
        maps, mmas, staged = planned
        cluster = (*self.tiles.cluster, self.tiles.split)
        (a_atom, a_places), (b_atom, b_places), (c_atom, c_places) = (entry[:2] for entry in maps)
        self.kernel(
            a_atom, a_places, b_atom, b_places, c_atom, c_places, others, mmas, clusters, *staged
        ).launch(
            grid=(*cluster[:2], count * cluster[2]), block=(self.threads, 1, 1),
            cluster=cluster if cluster != (1, 1, 1) else None, use_pdl=self.tiles.overlaps,
        )  # fmt: skip

    def load(
        self,
        tensor: _compiler.Tensor,
        staged: _compiler.ComposedLayout,
        extents: tuple[Any, ...],
        shared_by: int,
        loaders: int,
    ) -> Any:
        """How boxes of it are copied, perhaps a part of each by each of some blocks."""
        op: Any = cpasync.CopyBulkTensorTileG2SOp()
        if shared_by > 1:
            op = cpasync.CopyBulkTensorTileG2SMulticastOp()
        smem = cute.slice_(staged, (None, None, 0))
        return cpasync.make_tiled_tma_atom(op, tensor, smem, extents, loaders)

    @cute.kernel
    def kernel(
        self, a_atom: cute.CopyAtom, a: _compiler.Tensor, b_atom: cute.CopyAtom,
        b: _compiler.Tensor, c_atom: object, c: _compiler.Tensor, others: object,
        mmas: object, clusters: Sequence[Int], a_staged: cute.ComposedLayout, b_staged: cute.ComposedLayout,
        c_staged: cute.ComposedLayout,
    ) -> None:  # fmt: skip
        warp = cute.arch.make_warp_uniform(cute.arch.warp_idx())
        group = cute.arch.make_warp_uniform(warp // 4)
        thread, _, _ = cute.arch.thread_idx()
        if warp == 0:
            for atom in (
                a_atom,
                b_atom,
                *(() if self.direct or self.from_registers else (c_atom,)),
            ):
                cpasync.prefetch_descriptor(atom)
        storage = utils.SmemAllocator().allocate(self.storage)
        cluster = self.tiles.cluster
        split = self.tiles.split
        blocks = cute.make_layout((*cluster, split))
        place = blocks.get_flat_coord(cute.arch.make_warp_uniform(cute.arch.block_idx_in_cluster()))
        loads = pipeline.PipelineTmaAsync.create(
            barrier_storage=storage.barriers.data_ptr(),
            num_stages=self.count,
            producer_group=pipeline.CooperativeGroup(pipeline.Agent.Thread),
            consumer_group=pipeline.CooperativeGroup(
                pipeline.Agent.Thread, (cluster[0] + cluster[1] - 1) * 4 * self.groups
            ),
            tx_count=self.bytes,
            cta_layout_vmnk=cute.make_layout((1, *cluster, split if cluster != (1, 1) else 1)),
            defer_sync=True,
        )
        pipeline.pipeline_init_arrive(cluster_shape_mn=cluster, is_relaxed=True)
        sa = storage.a.get_tensor(a_staged.outer, swizzle=a_staged.inner)
        sb = storage.b.get_tensor(b_staged.outer, swizzle=b_staged.inner)
        sc = storage.c.get_tensor(c_staged.outer, swizzle=c_staged.inner)
        ga = cute.local_tile(a, (self.rows, self.tile[2]), (None, None, None))
        gb = cute.local_tile(b, (self.tile[1], self.tile[2]), (None, None, None))
        gc = cute.local_tile(c, self.tile[:2], (None, None, None))
        # Blocks along N share tiles of A, those along M tiles of B.
        to_a, from_a = cpasync.tma_partition(
            a_atom, place[1], cute.make_layout(cluster[1]), cute.group_modes(self.first_rows(sa), 0, 2),
            cute.group_modes(ga, 0, 2),
        )  # fmt: skip
        to_b, from_b = cpasync.tma_partition(
            b_atom, place[0] % self.loaders, cute.make_layout(self.loaders), cute.group_modes(sb, 0, 2),
            cute.group_modes(gb, 0, 2),
        )  # fmt: skip
        a_mask = cute.make_layout_image_mask(blocks, place, mode=1)
        b_mask = cute.make_layout_image_mask(blocks, place, mode=0)
        pipeline.pipeline_init_wait(cluster_shape_mn=cluster)
        # This may have run beside the kernels before it: it has read none of their results so far.
        cute.arch.griddepcontrol_wait()
        works = self.works(others, clusters, place, cute.size(ga, mode=[3]))
        total = works.total()
        _, _, first = cute.arch.block_idx()
        _, _, step = cute.arch.grid_dim()
        first, step = first // split, step // split

        few, most = _REGISTERS[self.groups * self.teams]
        if group == 0:
            cute.arch.setmaxregister_decrease(few)
            if warp == 0:
                filled = pipeline.make_pipeline_state(
                    pipeline.PipelineUserType.Producer, self.count
                )
                problem = Int32(0)
                for work in range(first, total, step):
                    problem = works.problem(work, problem)
                    m, n, batch = works.place(work, problem)
                    to_first, to_second, _ = works.maps(problem)
                    begin, depth, batch = self.part_of(works.depth(problem), batch)
                    for turn in range(self.turns(depth, place)):
                        k = begin + turn * split + place[2]
                        loads.producer_acquire(filled)
                        barrier = loads.producer_get_barrier(filled)
                        cute.copy(
                            a_atom, from_a[None, m, k, batch], to_a[None, filled.index],
                            tma_bar_ptr=barrier, mcast_mask=a_mask, tma_desc_ptr=to_first,
                        )  # fmt: skip
                        if cute.const_expr(self.loaders == cluster[0]) or place[0] < self.loaders:
                            cute.copy(
                                b_atom, from_b[None, n, k, batch], to_b[None, filled.index],
                                tma_bar_ptr=barrier, mcast_mask=b_mask, tma_desc_ptr=to_second,
                            )  # fmt: skip
                        loads.producer_commit(filled)
                        filled.advance()
                cute.arch.griddepcontrol_launch_dependents()
                loads.producer_tail(filled)
        else:
            cute.arch.setmaxregister_increase(most)
            self.multiply(
                (first, total, step, works), mmas, loads, c_atom, sa, sb, sc, gc,
                thread - _WARPGROUP, warp - 4, place, storage.a.data_ptr(),
            )  # fmt: skip

    def first_rows(self, tile: Int) -> Any:
        """Return the stages of a tile of A that are loaded; the others make rows that are not stored."""
        if self.rows == self.tile[0]:
            return tile
        return cute.local_tile(tile, (self.rows, self.tile[2]), (0, 0, None))

    def part_of(self, depth: Any, part: Any) -> tuple[Any, Any, Any]:
        """Return the first tile along K, how many there are, and the batch of A and B; ``part``: of the depth, if it is
        divided."""
        if self.tiles.parts == 1:
            return 0, depth, part
        steps = cute.ceil_div(depth, self.tiles.parts)
        return part * steps, _compiler.min(steps, depth - part * steps), 0

    def turns(self, depth: object, place: Sequence[Any]) -> Any:
        """How many tiles along K this block multiplies: every so many, where blocks share them."""
        split = self.tiles.split
        return depth if split == 1 else (depth - place[2] + split - 1) // split

    def works(
        self, others: Any, clusters: Sequence[Int], place: Sequence[Int], k_tiles: Number
    ) -> Any:
        """All tiles, by number."""
        return Batches(self.tiles, clusters, place, others, k_tiles)

    @cute.jit
    def multiply(
        self, numbers: Sequence[Any], mmas: Sequence[Any], loads: Any, c_atom: _compiler.CopyAtom, sa: _compiler.Tensor,
        sb: _compiler.Tensor, sc: Any, gc: Any,
        thread: Int, warp: object, place: Sequence[Int], memory: _compiler.Pointer,
    ) -> None:  # fmt: skip
        first, total, step, works = numbers
        team = Int32(0)
        if cute.const_expr(self.teams > 1):
            team = cute.arch.make_warp_uniform(thread // self.multiplying)
            thread = thread % self.multiplying
            warp = cute.arch.make_warp_uniform(thread // 32)
        mma, of_part = mmas
        part = mma.get_slice(cute.arch.make_warp_uniform(thread // _WARPGROUP) * _WARPGROUP)
        ra = mma.make_fragment_A(part.partition_A(sa))
        rb = mma.make_fragment_B(part.partition_B(sb))
        sums = mma.make_fragment_C(mma.partition_shape_C(self.tile[:2]))
        copy = cute.make_tiled_copy_C(self.to_shared(), of_part)
        shared = copy.get_slice(thread).partition_D(sc)
        read = pipeline.make_pipeline_state(pipeline.PipelineUserType.Consumer, self.count)
        released = pipeline.make_pipeline_state(pipeline.PipelineUserType.Consumer, self.count)
        own_turn: Any = None
        other_turn: Any = None
        if cute.const_expr(self.teams > 1):
            read, released = (
                self.after(state, team * works.depth(team)) for state in (read, released)
            )
            own_turn, other_turn = (
                pipeline.NamedBarrier(number, self.multiplying * self.teams)
                for number in (3 + team, 4 - team)
            )
        stores = pipeline.PipelineTmaStore.create(
            num_stages=self.buffers,
            producer_group=pipeline.CooperativeGroup(pipeline.Agent.Thread, self.multiplying),
        )
        together = pipeline.NamedBarrier(1 if self.teams == 1 else 1 + team, self.multiplying)
        places = of_part.get_slice(thread).partition_C(cute.make_identity_tensor(self.part))
        split = self.tiles.split
        # If blocks share a depth: the sums of all threads, four of each after each other.
        shared_sums = cute.recast_ptr(memory, dtype=Float32) + cute.assume(thread * 4, divby=4)
        count = 0 if self.from_registers else self.parts[0] * self.parts[1] // split
        places_in_tile: Any = None
        if cute.const_expr(self.from_registers):
            places_in_tile = mma.get_slice(thread).partition_C(
                cute.make_identity_tensor(self.tile[:2])
            )
        problem = Int32(0)
        # A tile begins with the buffer that was stored from longest ago: the other one after an odd number of parts.
        first_buffer = Int32(0)
        start, stride = first, step
        if cute.const_expr(self.teams > 1):
            start, stride = first + team * step, step * self.teams
        for work in range(start, total, stride):
            problem = works.problem(work, problem)
            m, n, batch = works.place(work, problem)
            _, depth, _ = self.part_of(works.depth(problem), batch)
            k_tiles, operands = self.turns(depth, place), works.others(problem)
            scales = self.scales_of_all(operands)
            mma.set(warpgroup.Field.ACCUMULATE, False)
            if cute.const_expr(self.teams > 1):
                # The other warpgroup multiplies the tile before.
                if work > first:
                    own_turn.arrive_and_wait()
            for k in range(k_tiles):
                loads.consumer_wait(read)
                warpgroup.fence()
                for i in cute.range_constexpr(cute.size(ra, mode=[2])):
                    at = (None, None, i, read.index)
                    cute.gemm(mma, sums, ra[at], rb[at], sums)
                    mma.set(warpgroup.Field.ACCUMULATE, True)
                warpgroup.commit_group()
                warpgroup.wait_group(1)
                # The products before these have been read: their stage is free.
                if k > 0:
                    loads.consumer_release(released)
                    released.advance()
                read.advance()
            if cute.const_expr(self.teams > 1):
                if work + step < total:
                    other_turn.arrive()
            warpgroup.wait_group(0)
            loads.consumer_release(released)
            released.advance()
            if cute.const_expr(self.teams > 1):
                read, released = self.after(read, k_tiles), self.after(released, k_tiles)

            if cute.const_expr(split > 1):
                # Wait until the other warpgroup's products have also read the stages.
                together.arrive_and_wait()
                four = cute.make_rmem_tensor(4, Float32)
                for i in cute.range_constexpr(0, cute.size(sums), 4):
                    for j in cute.range_constexpr(4):
                        four[j] = sums[i + j]
                    cute.autovec_copy(four, self.four_sums(shared_sums, i))
                cute.arch.cluster_arrive()
                cute.arch.cluster_wait()

            origin = m * self.tile[0], n * self.tile[1], batch
            tile = cute.zipped_divide(gc[None, None, m, n, batch], self.part)
            if cute.const_expr(self.from_registers):
                self.store_sums(sums, places_in_tile, operands, scales, origin)
            from_c: Any = None
            to_c: Any = None
            if cute.const_expr(not (self.direct or self.from_registers)):
                from_c, to_c = cpasync.tma_partition(
                    c_atom, 0, cute.make_layout(1), cute.group_modes(sc, 0, 2), tile
                )
            for index in cute.range_constexpr(count):
                number = index if split == 1 else index * split + place[2]
                down, along = number // self.parts[1], number % self.parts[1]
                result = cute.make_rmem_tensor(of_part.partition_shape_C(self.part), self.c_dtype)
                values = cute.size(result)
                begin = number * values
                if cute.const_expr(split > 1):
                    mine, begin = self.sums_of_all(shared_sums, place, number * values, values), 0
                else:
                    mine = sums
                for i in cute.range_constexpr(0, values, 2):
                    row, column = places[i]
                    pair = self.finished(
                        mine[begin + i], mine[begin + i + 1], operands, scales,
                        origin[0] + down * self.part[0] + row,
                        origin[1] + along * self.part[1] + column, batch,
                    )  # fmt: skip
                    result[i], result[i + 1] = (part.to(self.c_dtype) for part in pair)
                buffer = index % self.buffers
                if cute.const_expr(count > 1 and count % 2 == 1):
                    buffer = (index + first_buffer) % 2
                if cute.const_expr(self.teams > 1):
                    buffer = buffer + team * self.buffers
                cute.copy(copy, copy.retile(result), shared[None, None, None, buffer])
                cute.arch.fence_proxy("async.shared", space="cta")
                together.arrive_and_wait()
                if cute.const_expr(self.direct):
                    begin = origin[0] + down * self.part[0], origin[1] + along * self.part[1]
                    self.store(sc[None, None, buffer], operands[-1], begin, batch, thread)
                elif warp == 0:
                    cute.copy(
                        c_atom, from_c[None, buffer], to_c[None, (down, along)],
                        tma_desc_ptr=works.maps(problem)[2],
                    )  # fmt: skip
                    stores.producer_commit()
                    stores.producer_acquire()
                together.arrive_and_wait()
            if cute.const_expr(count > 1 and count % 2 == 1):
                first_buffer = 1 - first_buffer
            if cute.const_expr(split > 1):
                # Memory of a block that has ended cannot be read.
                cute.arch.cluster_arrive_relaxed()
                cute.arch.cluster_wait()
        if warp == 0:
            stores.producer_tail()

    def after(self, state: pipeline.PipelineState, count: Number) -> pipeline.PipelineState:
        """Return the state after so many more stages."""
        passed = state.index + count
        phase = state.phase ^ (passed // self.count % 2)
        return pipeline.PipelineState(self.count, state.count + count, passed % self.count, phase)

    @cute.jit
    def store(
        self,
        part: _compiler.Tensor,
        c: _compiler.Tensor,
        begin: Sequence[Int],
        batch: Int,
        thread: object,
    ) -> None:
        """Store the elements of a part in shared memory that are inside C. Neighbouring threads store neighbours."""
        rows, columns = self.part
        for i in cute.range(rows * columns // self.multiplying, unroll=8):
            place = thread + i * self.multiplying
            m, n = begin[0] + place // columns, begin[1] + place % columns
            if (m < c.shape[0]) & (n < c.shape[1]):
                c[m, n, batch] = part[place // columns, place % columns]

    @cute.jit
    def store_sums(
        self,
        sums: _compiler.Tensor,
        places: _compiler.Tensor,
        operands: Sequence[Any],
        scales: object,
        origin: Sequence[Any],
    ) -> None:
        """Store the results of a thread's sums, two neighbours of a row at a time."""
        c = operands[-1]
        result = cute.make_rmem_tensor(2, self.c_dtype)
        for i in cute.range_constexpr(0, cute.size(sums), 2):
            row, column = origin[0] + places[i][0], origin[1] + places[i][1]
            if (row < c.shape[0]) & (column < c.shape[1]):
                pair = self.finished(sums[i], sums[i + 1], operands, scales, row, column, origin[2])
                result[0], result[1] = (value.to(self.c_dtype) for value in pair)
                place = origin[2] * c.stride[2] + row * c.stride[0] + column
                pointer = c.iterator + cute.assume(place, divby=2)
                cute.autovec_copy(result, cute.make_tensor(pointer, cute.make_layout(2)))

    def four_sums(self, pointer: object, index: Int) -> Any:
        """Return the place of four of a thread's sums in the memory of a block."""
        place = cute.assume(index * self.multiplying, divby=4)
        return cute.make_tensor(pointer + place, cute.make_layout(4))

    @cute.jit
    def sums_of_all(
        self, pointer: _compiler.Pointer, place: Sequence[Int], begin: Int, count: Int
    ) -> Any:
        """Sums of a thread, of all blocks that share a depth."""
        total, four = cute.make_rmem_tensor(count, Float32), cute.make_rmem_tensor(4, Float32)
        for block in cute.range_constexpr(self.tiles.split):
            rank: Any = block
            if cute.const_expr(self.tiles.cluster != (1, 1)):
                along_m, along_n = self.tiles.cluster
                rank = place[0] + (place[1] + block * along_n) * along_m
            remote = cute.arch.map_dsmem_ptr(pointer, rank)
            for i in cute.range_constexpr(0, count, 4):
                cute.autovec_copy(self.four_sums(remote, begin + i), four)
                for j in cute.range_constexpr(4):
                    total[i + j] = four[j] if block == 0 else total[i + j] + four[j]
        return total

    def scales_of_all(self, others: tuple[Any, ...]) -> Any:
        """The product of the scales of both matrices, where each has one."""
        if self.epilogue.scales != "tensor":
            return None
        return others[0][0] * others[1][0]

    def finished(
        self,
        first: object,
        second: object,
        others: Sequence[Any],
        scale: object,
        row: Int,
        column: Int,
        batch: object,
    ) -> tuple[Any, Any]:
        """Two neighbours of a row of a tile. What lies outside of the result is not stored: there anything may be
        read."""
        c, others = others[-1], list(others[:-1])
        epilogue = self.epilogue
        # Results that are stored by boxes have an even number of columns: pairs of a row are whole.
        by_pairs = not (self.direct or self.swapped)
        m, n = (column, row) if self.swapped else (row, column)
        m, n = (
            _compiler.min(m, c.shape[0] - 1),
            _compiler.min(n, c.shape[1] - (2 if by_pairs else 1)),
        )
        below, beside = m, n + 1
        if self.swapped:
            below, beside = _compiler.min(m + 1, c.shape[0] - 1), n
        elif self.direct:
            beside = _compiler.min(n + 1, c.shape[1] - 1)
        scales: Any = (scale, scale)
        if epilogue.scales is not None:
            of_a, of_b = others[:2]
            del others[:2]
            if epilogue.scales == "rows":
                scales = of_a[m] * of_b[n], of_a[below] * of_b[beside]
        bias: Any = (None, None)
        if epilogue.bias:
            bias = others[0][n], others[0][beside]
        residual: Any = (None, None)
        if epilogue.beta and not by_pairs:
            residual = others[-1][m, n, batch], others[-1][below, beside, batch]
        elif epilogue.beta:
            added = others[-1]
            place = batch * added.stride[2] + m * added.stride[0] + n
            pair = cute.make_rmem_tensor(2, added.element_type)
            pointer = added.iterator + cute.assume(place, divby=2)
            cute.autovec_copy(cute.make_tensor(pointer, cute.make_layout(2)), pair)
            residual = pair[0], pair[1]
        return tuple(
            epilogue.value(product, *rest)
            for product, *rest in zip((first, second), bias, residual, scales, strict=True)
        )
