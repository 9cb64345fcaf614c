"""Products of floats of 8 bits by warpgroups, whose sums over 128 of K are scaled and added as float32: for GPUs of
compute capability 9.0."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from fairlead import _compiler, cute, pipeline, utils
from fairlead._compiler import Float32, Int32, Int64
from fairlead.cute.nvgpu import cpasync, warpgroup
from fairlead.cute.typing import Int
from fairlead.ops._scaled_rows import schedule
from fairlead.ops._scaled_tiles import BLOCK, ScaledTiles
from fairlead.utils import hopper_helpers as sm90

if TYPE_CHECKING:
    from fairlead._compiler import ComposedLayout, Tensor
    from fairlead.cute._atoms import TiledMma
    from fairlead.ops._scaled_rows import Place

__all__ = ["ScaledGemm"]


_WARPGROUP = 128
#: Bytes of shared memory of a multiprocessor, and bytes reserved for each block.
_SHARED, _RESERVED = 228 * 1024, 1024
#: Registers of a loading thread and of a multiplying one, by multiplying warpgroups.
_REGISTERS = {1: (40, 240), 2: (40, 232), 3: (32, 160)}
#: Parts of a result that a warpgroup has in shared memory.
_BUFFERS = 2


def _batched(tensor: Tensor) -> Any:
    """(rows, columns, matrices) of a tensor (rows, columns) or (matrices, rows, columns)."""
    shape, stride = list(tensor.shape), list(tensor.stride)
    count, distance = (shape.pop(0), stride.pop(0)) if len(shape) == 3 else (1, 0)
    layout = cute.make_layout((*shape, count), stride=(*stride, distance))
    return cute.make_tensor(tensor.iterator, layout)


class ScaledGemm:
    """C = (A * scale_a) * (B * scale_b)^T with A (M, K), B (N, K), C (M, N), or matrices of these.

    ``scale_a`` has a factor for each row and 128 of K, ``scale_b`` for 128 of N and 128 of K.

    One warp loads tiles of A and B by TMA into a pipeline of stages, another one their scales. Warpgroups multiply 128
    of K with tensor cores, then add the sums, times both scales, to the tile's sums. While one of them adds, the other
    one multiplies. Results go through shared memory to C by TMA. Rows of a tile that belong
    to the next group are not stored: threads store such a tile.
    """

    def __init__(
        self, tiles: ScaledTiles, blocks: int, rows: str = "matrix", direct: bool = False, swiglu: bool = False
    ) -> None:  # fmt: skip
        """``blocks``: of the grid at most; ``rows``: the kind of schedule; ``direct``: results are stored one by one,
        as rows of C do not begin at multiples of 16 bytes; ``swiglu``: C has ``silu(gate) * up``, where the gates are
        the products with the first half of B's rows, a multiple of 128."""
        if rows != "matrix":
            # Neighbouring tiles may belong to different groups: their blocks share nothing.
            tiles = tiles._replace(cluster=(1, 1))
        self.tiles, self.blocks, self.rows, self.direct = tiles, blocks, rows, direct
        self.groups = tiles.warpgroups
        self.threads = _WARPGROUP * (self.groups + 1)
        self.unit = tiles.unit or tiles.n
        # Products of a warpgroup for one step along K.
        self.units = tiles.m // (64 * self.groups), tiles.n // self.unit
        #: Parts of a tile's columns, from as many parts of B, and columns of C of a tile.
        self.halves = 2 if swiglu else 1
        self.columns = tiles.n // self.halves
        #: Columns of a tile that share a scale for certain.
        self.span = math.gcd(self.columns, BLOCK)
        #: Scales of a stage: of the rows of A, then of the spans of B; rounded up to 16 bytes.
        self.scales = tiles.m + math.ceil(tiles.n // self.span / 4) * 4

    @cute.jit
    def __call__(self, *tensors: cute.Tensor) -> None:
        a, b, scale_a, scale_b, *index, c = tensors
        matrices = [_batched(tensor) for tensor in (a, b, scale_a, scale_b, c)]
        a, b, scale_a, scale_b, c = matrices
        planned = self.plan(a, b, c)
        cluster = self.tiles.cluster
        m = cute.ceil_div(cute.ceil_div(c.shape[0], self.tiles.m), cluster[0])
        n = cute.ceil_div(cute.ceil_div(c.shape[1], self.columns), cluster[1])
        # Groups that begin within a tile of the one before have tiles of their own.
        down = m * c.shape[2] + (index[0].shape[0] if self.rows == "offsets" else 0)
        at_once = max(1, self.blocks // (cluster[0] * cluster[1]))
        count = min(down * n, at_once)
        self.launch(planned, (scale_a, scale_b, *index, c), (m, n), count)

    def plan(self, a: Tensor, b: Tensor, c: Tensor) -> Any:
        """How boxes are copied, what multiplies, and the layouts in shared memory."""
        self.c_dtype = c.element_type
        tiles, by_rows = self.tiles, utils.LayoutEnum.ROW_MAJOR
        self.tile = (tiles.m, tiles.n, BLOCK)
        # Each warpgroup stores 64 rows at once, from its own buffers.
        self.bytes = (tiles.m + tiles.n) * BLOCK  # that TMA brings for a stage
        of_unit = self.unit // self.halves
        columns = min(of_unit & -of_unit, 1024 // self.c_dtype.width)
        if columns > 32 and self.stages_beside(columns // 2) > self.stages_beside(columns):
            columns //= 2
        self.count = tiles.stages or self.stages_beside(columns)
        self.part = 64, columns
        self.parts = self.units[0], self.columns // columns
        mma, of_part = (
            sm90.make_trivial_tiled_mma(
                a.element_type, b.element_type, by_rows.mma_major_mode(), by_rows.mma_major_mode(),
                Float32, (warpgroups, 1, 1), tiler_mn=(64, width_of_tile),
            )
            for width_of_tile, warpgroups in ((self.unit, self.groups), (columns, 1))
        )  # fmt: skip

        a_staged = sm90.make_smem_layout_a(by_rows, self.tile, a.element_type, self.count)
        b_staged = sm90.make_smem_layout_b(by_rows, self.tile, b.element_type, self.count)
        b_box = (tiles.m, self.columns, BLOCK)
        b_loaded = sm90.make_smem_layout_b(by_rows, b_box, b.element_type, self.count)
        c_staged = sm90.make_smem_layout_epi(
            self.c_dtype, by_rows, self.part, _BUFFERS * self.groups
        )
        maps = (
            self.load(a, a_staged, (tiles.m, BLOCK), tiles.cluster[1]),
            self.load(b, b_loaded, (self.columns, BLOCK), tiles.cluster[0]),
            (None, c) if self.direct else cpasync.make_tiled_tma_atom(
                cpasync.CopyBulkTensorTileS2GOp(), c, cute.slice_(c_staged, (None, None, 0)), self.part
            ),
        )  # fmt: skip

        @cute.struct
        class Storage:
            barriers: cute.struct.MemRange[Int64, 2 * self.count]  # type: ignore
            scales: cute.struct.Align[cute.struct.MemRange[Float32, self.scales * self.count], 16]  # type: ignore
            a: cute.struct.Align[cute.struct.MemRange[a.element_type, cute.cosize(a_staged)], 1024]  # type: ignore
            b: cute.struct.Align[cute.struct.MemRange[b.element_type, cute.cosize(b_staged)], 1024]  # type: ignore
            c: cute.struct.Align[cute.struct.MemRange[self.c_dtype, cute.cosize(c_staged)], 1024]  # type: ignore

        self.storage = Storage
        return maps, (mma, of_part), (a_staged, b_staged, c_staged)

    def stages_beside(self, columns: int) -> int:
        """Return the number of stages that fit into shared memory with results of ``columns`` columns."""
        room = _SHARED - _RESERVED - 2048
        results = 64 * columns * self.c_dtype.width // 8 * _BUFFERS * self.groups
        return min((room - results) // (self.bytes + 4 * self.scales), 12)

    def load(
        self, tensor: Tensor, staged: ComposedLayout, extents: tuple[int, int], shared_by: int
    ) -> Any:
        """How boxes of it are copied, perhaps a part of each by each of some blocks."""
        op: Any = cpasync.CopyBulkTensorTileG2SOp()
        if shared_by > 1:
            op = cpasync.CopyBulkTensorTileG2SMulticastOp()
        smem = cute.slice_(staged, (None, None, 0))
        return cpasync.make_tiled_tma_atom(op, tensor, smem, extents, shared_by)

    def launch(
        self, planned: Sequence[Any], tensors: Sequence[Any], clusters: Sequence[Any], count: Int
    ) -> None:
        """``tensors``: the scales, the index of groups (if any), and C; ``count``: number of clusters."""
        maps, mmas, staged = planned
        cluster = self.tiles.cluster
        operands = [part for entry in maps for part in entry[:2]]
        self.kernel(*operands, tensors, mmas, clusters, *staged).launch(
            grid=(*cluster, count), block=(self.threads, 1, 1),
            cluster=(*cluster, 1) if cluster != (1, 1) else None,
            use_pdl=True,
        )  # fmt: skip

    @cute.kernel
    def kernel(
        self, a_atom: cute.CopyAtom, a: Tensor, b_atom: cute.CopyAtom, b: Tensor, c_atom: object, c: Tensor,
        tensors: Sequence[Any], mmas: object, clusters: Sequence[Int], a_staged: cute.ComposedLayout,
        b_staged: cute.ComposedLayout, c_staged: cute.ComposedLayout,
    ) -> None:  # fmt: skip
        warp = cute.arch.make_warp_uniform(cute.arch.warp_idx())
        thread, _, _ = cute.arch.thread_idx()
        if warp == 0:
            for atom in (a_atom, b_atom, *(() if self.direct else (c_atom,))):
                cpasync.prefetch_descriptor(atom)
        storage = utils.SmemAllocator().allocate(self.storage)
        cluster = self.tiles.cluster
        blocks = cute.make_layout((*cluster, 1))
        place = blocks.get_flat_coord(cute.arch.make_warp_uniform(cute.arch.block_idx_in_cluster()))
        loads = pipeline.PipelineTmaAsync.create(
            barrier_storage=storage.barriers.data_ptr(),
            num_stages=self.count,
            # One thread for all that TMA brings, and each of the warp that brings scales.
            producer_group=pipeline.CooperativeGroup(
                pipeline.Agent.Thread, 1 + cute.arch.WARP_SIZE
            ),
            consumer_group=pipeline.CooperativeGroup(
                pipeline.Agent.Thread, (cluster[0] + cluster[1] - 1) * 4 * self.groups
            ),
            tx_count=self.bytes,
            cta_layout_vmnk=cute.make_layout((1, *cluster, 1)),
            defer_sync=True,
        )
        pipeline.pipeline_init_arrive(cluster_shape_mn=cluster, is_relaxed=True)
        sa = storage.a.get_tensor(a_staged.outer, swizzle=a_staged.inner)
        sb = storage.b.get_tensor(b_staged.outer, swizzle=b_staged.inner)
        sc = storage.c.get_tensor(c_staged.outer, swizzle=c_staged.inner)
        of_stages = cute.make_layout((self.scales, self.count))
        staged_scales = cute.make_tensor(storage.scales.data_ptr(), of_stages)
        pipeline.pipeline_init_wait(cluster_shape_mn=cluster)
        # This may have run beside the kernels before it: it has read none of their results so far.
        cute.arch.griddepcontrol_wait()
        scale_a, scale_b, *index, target = tensors
        extents = (*clusters, Int32(target.shape[0]), Int32(cute.ceil_div(a.shape[1], BLOCK)))
        of_groups = (index[0], Int32(b.shape[2])) if index else ()
        works = schedule(self.rows)(self.tiles, extents, place, of_groups)
        _, _, first = cute.arch.block_idx()
        _, _, step = cute.arch.grid_dim()

        few, most = _REGISTERS[self.groups]
        if warp < 4:
            cute.arch.setmaxregister_decrease(few)
            if warp == 0:
                self.fill(
                    (works, first, step), loads, (a_atom, a, sa), (b_atom, b, sb), (blocks, place),
                    Int32(target.shape[1]),
                )  # fmt: skip
            if warp == 1:
                self.fill_scales(
                    (works, first, step), loads, (scale_a, scale_b), staged_scales,
                    Int32(target.shape[1]),
                )  # fmt: skip
        else:
            cute.arch.setmaxregister_increase(most)
            self.multiply(
                (works, first, step), mmas, loads, (c_atom, c, sc), (sa, sb, staged_scales), target,
                thread - _WARPGROUP, warp - 4,
            )  # fmt: skip

    @cute.jit
    def fill(
        self,
        order: Sequence[Any],
        loads: pipeline.PipelineTmaAsync,
        of_a: Sequence[Any],
        of_b: Sequence[Any],
        cluster_place: Sequence[Any],
        columns_of_c: Int,
    ) -> None:
        """Load the operands of all tiles of this block, by one warp."""
        works, first, step = order
        a_atom, a, sa = of_a
        b_atom, b, sb = of_b
        blocks, place = cluster_place
        cluster = self.tiles.cluster
        # Blocks along N share tiles of A, those along M tiles of B.
        a_mask = cute.make_layout_image_mask(blocks, place, mode=1)
        b_mask = cute.make_layout_image_mask(blocks, place, mode=0)
        parts_of_b = []
        for half in cute.range_constexpr(self.halves):
            rows = cute.domain_offset((half * columns_of_c, 0, 0), b)
            gb = cute.local_tile(rows, (self.columns, BLOCK), (None, None, None))
            stages = cute.local_tile(sb, (self.columns, BLOCK), (half, 0, None))
            parts_of_b.append(
                cpasync.tma_partition(
                    b_atom, place[0], cute.make_layout(cluster[0]), cute.group_modes(stages, 0, 2),
                    cute.group_modes(gb, 0, 2),
                )
            )  # fmt: skip
        filled = pipeline.make_pipeline_state(pipeline.PipelineUserType.Producer, self.count)
        work = works.first(first)
        while works.has(work):
            row, _, column, batch, group, depth = works.place(work)
            rows = cute.domain_offset((row, 0, 0), a)
            ga = cute.local_tile(rows, (self.tile[0], BLOCK), (0, None, None))
            to_a, from_a = cpasync.tma_partition(
                a_atom, place[1], cute.make_layout(cluster[1]), cute.group_modes(sa, 0, 2),
                cute.group_modes(ga, 0, 2),
            )  # fmt: skip
            for k in range(depth):
                loads.producer_acquire(filled)
                barrier = loads.producer_get_barrier(filled)
                cute.copy(
                    a_atom, from_a[None, k, batch], to_a[None, filled.index], tma_bar_ptr=barrier, mcast_mask=a_mask
                )  # fmt: skip
                for to_b, from_b in parts_of_b:
                    cute.copy(
                        b_atom, from_b[None, column, k, group], to_b[None, filled.index], tma_bar_ptr=barrier,
                        mcast_mask=b_mask,
                    )  # fmt: skip
                loads.producer_commit(filled)
                filled.advance()
            work = works.next(work, step)
        cute.arch.griddepcontrol_launch_dependents()
        loads.producer_tail(filled)

    @cute.jit
    def fill_scales(
        self,
        order: Sequence[Any],
        loads: pipeline.PipelineTmaAsync,
        scales: Sequence[Any],
        staged: Tensor,
        columns_of_c: Int,
    ) -> None:
        """Load the scales of all tiles of this block, by one warp."""
        works, first, step = order
        lane = cute.arch.lane_idx()
        atom = cute.make_copy_atom(cpasync.CopyG2SOp(), Float32, num_bits_per_copy=32)
        single = cute.make_layout(1)
        filled = pipeline.make_pipeline_state(pipeline.PipelineUserType.Producer, self.count)
        work = works.first(first)
        while works.has(work):
            place = works.place(work)
            rows = self.scales_of_rows(place, lane, scales[0])
            spans = self.scales_of_spans(place, scales[1], columns_of_c)
            for k in range(place.depth):
                loads.sync_object_empty.wait(filled.index, filled.phase)
                target = staged.iterator + filled.index * self.scales
                for i in cute.range_constexpr(len(rows)):
                    source = cute.make_tensor(rows[i] + Int64(k) * scales[0].stride[1], single)
                    to = cute.make_tensor(target + (lane + i * cute.arch.WARP_SIZE), single)
                    cute.copy(atom, source, to)
                if lane == 0:
                    for i in cute.range_constexpr(len(spans)):
                        source = cute.make_tensor(spans[i] + Int64(k) * scales[1].stride[1], single)
                        cute.copy(atom, source, cute.make_tensor(target + self.tiles.m + i, single))
                cute.arch.cp_async_mbarrier_arrive_noinc(loads.producer_get_barrier(filled))
                filled.advance()
            work = works.next(work, step)

    def scales_of_rows(self, place: Place, lane: Int, scale_a: Tensor) -> list[Any]:
        """Return pointers to the scales of every 32nd row of a tile. Rows beyond the last one use the last one's."""
        pointers = []
        for first in range(0, self.tiles.m, cute.arch.WARP_SIZE):
            row = _compiler.min(place.row + first + lane, Int32(scale_a.shape[0] - 1))
            offset = Int64(row) * scale_a.stride[0] + Int64(place.batch) * scale_a.stride[2]
            pointers.append(scale_a.iterator + offset)
        return pointers

    def scales_of_spans(self, place: Place, scale_b: Tensor, columns_of_c: Int) -> list[Any]:
        """Return pointers to the scales of the spans of a tile's columns."""
        pointers = []
        for span in range(self.tiles.n // self.span):
            half, inside = divmod(span * self.span, self.columns)
            block = (half * columns_of_c + place.column * self.columns + inside) // BLOCK
            block = _compiler.min(block, Int32(scale_b.shape[0] - 1))
            offset = Int64(block) * scale_b.stride[0] + Int64(place.group) * scale_b.stride[2]
            pointers.append(scale_b.iterator + offset)
        return pointers

    @cute.jit
    def multiply(
        self,
        order: Sequence[Any],
        mmas: Sequence[Any],
        loads: pipeline.PipelineTmaAsync,
        of_c: Sequence[Any],
        staged: Sequence[Any],
        target: Tensor,
        thread: Int,
        warp: Int,
    ) -> None:
        works, first, step = order
        mma, of_part = mmas
        slice_of_group = mma.get_slice(
            cute.arch.make_warp_uniform(thread // _WARPGROUP) * _WARPGROUP
        )
        operands = (
            mma.make_fragment_A(slice_of_group.partition_A(staged[0])),
            mma.make_fragment_B(slice_of_group.partition_B(staged[1])),
        )
        sums = mma.make_fragment_C(mma.partition_shape_C(self.tile[:2]))
        places = mma.get_slice(thread).partition_C(cute.make_identity_tensor(self.tile[:2]))
        of_scales = self.rows_of_thread(places), staged[2]
        read = pipeline.make_pipeline_state(pipeline.PipelineUserType.Consumer, self.count)
        stores = pipeline.PipelineTmaStore.create(
            num_stages=_BUFFERS,
            producer_group=pipeline.CooperativeGroup(pipeline.Agent.Thread, _WARPGROUP),
        )
        work, stored = works.first(first), Int32(0)
        while works.has(work):
            place = works.place(work)
            sums.fill(0.0)
            accumulate = self.accumulate if self.tiles.steps == 1 else self.accumulate_in_turn
            read = accumulate(place.depth, mma, operands, sums, loads, read, of_scales)
            self.store(
                place, sums, of_part, of_c, stores, stored, target, (thread, warp), works.has_ends
            )
            stored = stored + self.parts[0] * self.parts[1]
            work = works.next(work, step)
        if warp % 4 == 0:
            stores.producer_tail()

    def rows_of_thread(self, places: Tensor) -> list[Any]:
        """The rows of a tile whose sums a thread has: of each product two, 8 apart."""
        values = 4 * self.unit // 8  # sums of a thread for one product
        return [
            places[unit * values + 2 * below][0]
            for unit in range(self.units[0])
            for below in range(2)
        ]

    def load_factors(self, of_scales: Sequence[Any], stage: Int) -> list[list[Any]]:
        """For each of a thread's rows, the factors of the spans of the tile's columns."""
        rows, staged = of_scales
        spans = [staged[self.tiles.m + span, stage] for span in range(self.tiles.n // self.span)]
        return [[staged[row, stage] * span for span in spans] for row in rows]

    @cute.jit
    def accumulate(
        self,
        depth: Int32,
        mma: TiledMma,
        operands: Sequence[Any],
        sums: Tensor,
        loads: pipeline.PipelineTmaAsync,
        read: pipeline.PipelineState,
        of_scales: Sequence[Any],
    ) -> Any:
        """Add the products of a tile to its sums; return the state of the pipeline."""
        products = mma.make_fragment_C(mma.partition_shape_C((64 * self.groups, self.unit)))
        count = self.units[0] * self.units[1]
        for _ in range(depth):
            loads.consumer_wait(read)
            factors: Any = None
            for unit in cute.range_constexpr(count):
                self.product(mma, operands, products, unit, read.index)
                if cute.const_expr(unit == 0):
                    factors = self.load_factors(of_scales, read.index)
                warpgroup.wait_group(0)
                if cute.const_expr(unit == count - 1):
                    loads.consumer_release(read)
                self.add(products, sums, unit, factors)
            read.advance()
        return read

    @cute.jit
    def accumulate_in_turn(
        self,
        depth: Int32,
        mma: TiledMma,
        operands: Sequence[Any],
        sums: Tensor,
        loads: pipeline.PipelineTmaAsync,
        read: pipeline.PipelineState,
        of_scales: Sequence[Any],
    ) -> Any:
        """Multiply with two products in flight, alternating, for a few steps along K at a time: the assembler lets no
        product be in flight at a loop's back edge."""
        shape = mma.partition_shape_C((64 * self.groups, self.unit))
        products = [mma.make_fragment_C(shape) for _ in range(2)]
        steps = self.tiles.steps
        begun = read.clone()
        for _ in range(depth // steps):
            self.begin(mma, operands, products[0], loads, begun)
            for step in cute.range_constexpr(steps):
                if cute.const_expr(step + 1 < steps):
                    self.begin(mma, operands, products[(step + 1) % 2], loads, begun)
                factors = self.load_factors(of_scales, read.index)
                warpgroup.wait_group(1 if step + 1 < steps else 0)
                loads.consumer_release(read)
                read.advance()
                self.add(products[step % 2], sums, 0, factors)
        for _ in range(depth % steps):
            self.begin(mma, operands, products[0], loads, begun)
            factors = self.load_factors(of_scales, read.index)
            warpgroup.wait_group(0)
            loads.consumer_release(read)
            read.advance()
            self.add(products[0], sums, 0, factors)
        return read

    def begin(
        self,
        mma: TiledMma,
        operands: Sequence[Any],
        products: Tensor,
        loads: pipeline.PipelineTmaAsync,
        state: pipeline.PipelineState,
    ) -> None:
        """Wait for a stage, and begin its product."""
        loads.consumer_wait(state)
        self.product(mma, operands, products, 0, state.index)
        state.advance()

    def product(
        self, mma: TiledMma, operands: Sequence[Any], products: Tensor, unit: int, stage: Int
    ) -> None:
        """Begin the product of a unit for one step along K."""
        ra, rb = operands
        down, along = unit % self.units[0], unit // self.units[0]
        warpgroup.fence()
        for i in range(cute.size(ra, mode=[2])):
            mma.set(warpgroup.Field.ACCUMULATE, i > 0)
            cute.gemm(mma, products, ra[None, down, i, stage], rb[None, along, i, stage], products)
        warpgroup.commit_group()

    def add(
        self, products: Tensor, sums: Tensor, unit: int, factors: Sequence[Sequence[Any]]
    ) -> None:
        """Add a unit's products, times their scales. A thread has, of every 8 columns, two neighbours in each row."""
        down, along = unit % self.units[0], unit // self.units[0]
        count = cute.size(products)
        for i in range(count):
            row, column = 2 * down + i // 2 % 2, along * self.unit + i // 4 * 8
            place = unit * count + i
            sums[place] = sums[place] + products[i] * factors[row][column // self.span]

    @cute.jit
    def store(
        self,
        place: Place,
        sums: Tensor,
        of_part: TiledMma,
        of_c: Sequence[Any],
        stores: pipeline.PipelineTmaStore,
        stored: Int,
        target: Tensor,
        threads: Sequence[Any],
        has_ends: bool,
    ) -> None:
        """Store the rows of a tile of C that a warpgroup has, by parts; the other warpgroups may be elsewhere.
        ``stored``: how many parts it has stored; ``threads``: the numbers of this one and of its warp."""
        c_atom, c, sc = of_c
        thread, warp = threads[0] % _WARPGROUP, threads[1] % 4
        group = 0 if self.groups == 1 else cute.arch.make_warp_uniform(threads[1] // 4)
        to_shared = sm90.get_smem_store_op(utils.LayoutEnum.ROW_MAJOR, self.c_dtype, Float32)
        copy = cute.make_tiled_copy_C(to_shared, of_part)
        shared = copy.get_slice(thread).partition_D(sc)
        together = pipeline.NamedBarrier(group + 1, _WARPGROUP)
        begin = place.row + 64 * group, place.column * self.columns
        moved = cute.domain_offset((begin[0], begin[1], 0), c)
        tile = cute.zipped_divide(moved[None, None, place.batch], self.part)
        from_c: Any = None
        to_c: Any = None
        if cute.const_expr(not self.direct):
            from_c, to_c = cpasync.tma_partition(
                c_atom, 0, cute.make_layout(1), cute.group_modes(sc, 0, 2), tile
            )
        for index in cute.range_constexpr(self.parts[0] * self.parts[1]):
            down, along = index // self.parts[1], index % self.parts[1]
            result = cute.make_rmem_tensor(of_part.partition_shape_C(self.part), self.c_dtype)
            values = cute.size(result)
            source = self.first_sum(down, along, values)
            for i in cute.range_constexpr(values):
                result[i] = self.finished(sums, source + i).to(self.c_dtype)
            buffer = group * _BUFFERS + (stored + index) % _BUFFERS
            cute.copy(copy, copy.retile(result), shared[None, None, None, buffer])
            cute.arch.fence_proxy("async.shared", space="cta")
            together.arrive_and_wait()
            row, column = begin[0] + down * 64 * self.groups, begin[1] + along * self.part[1]
            part = sc[None, None, buffer]
            if cute.const_expr(self.direct):
                self.store_each(part, target, (row, column), place, thread)
            else:
                is_whole = True if not has_ends else row + 64 <= place.end
                if cute.const_expr(has_ends):
                    if not is_whole:
                        self.store_vectors(part, target, (row, column), place, thread)
                if warp == 0:
                    if is_whole:
                        cute.copy(
                            c_atom,
                            from_c[None, buffer],
                            to_c[None, (down * self.groups, along)],
                        )
                    stores.producer_commit()
                    stores.producer_acquire()
            together.arrive_and_wait()

    def finished(self, sums: Tensor, number: int) -> Any:
        """Return the number to store for a sum. With halves of a gate, the thread also has the other half's sum."""
        value = sums[number]
        if self.halves == 1:
            return value
        return value / (1.0 + cute.math.exp(-value)) * sums[number + self.unit // 4]

    def first_sum(self, down: int, along: int, values: int) -> int:
        """The number of a thread's first sum of a part."""
        unit, column = divmod(along * self.part[1], self.unit)
        return (unit * self.units[0] + down) * self.unit // 2 + column // self.part[1] * values

    @cute.jit
    def store_each(
        self, part: Tensor, c: Tensor, begin: Sequence[Int], place: Place, thread: Int
    ) -> None:
        """Store the elements of a part in shared memory that are inside C. Neighbouring threads store neighbours."""
        rows, columns = self.part
        end = min(place.end, Int32(c.shape[0]))
        for i in cute.range(rows * columns // _WARPGROUP, unroll=8):
            number = thread + i * _WARPGROUP
            m, n = begin[0] + number // columns, begin[1] + number % columns
            if (m < end) & (n < c.shape[1]):
                c[m, n, place.batch] = part[number // columns, number % columns]

    @cute.jit
    def store_vectors(
        self, part: Tensor, c: Tensor, begin: Sequence[Int], place: Place, thread: Int
    ) -> None:
        """Store the rows of a part in shared memory that belong to the group, 16 bytes of a row at a time."""
        width = 128 // self.c_dtype.width
        rows, columns = self.part[0], self.part[1] // width
        vector = cute.make_rmem_tensor(width, self.c_dtype)
        end = min(place.end, Int32(c.shape[0]))
        for i in cute.range_constexpr(rows * columns // _WARPGROUP):
            number = thread + i * _WARPGROUP
            row, column = number // columns, number % columns * width
            m, n = begin[0] + row, begin[1] + column
            if (m < end) & (n < c.shape[1]):
                for j in cute.range_constexpr(width):
                    vector[j] = part[row, column + j]
                offset = Int64(m) * c.stride[0] + Int64(place.batch) * c.stride[2] + n
                pointer = c.iterator + cute.assume(offset, divby=width)
                cute.autovec_copy(vector, cute.make_tensor(pointer, cute.make_layout(width)))
