"""Gradients of attention by warpgroups, for GPUs of compute capability 9.0: tiles come by TMA.

Scores are computed again, tile by tile. A block owns rows of the result, so that nothing is added in memory and every
run gives the same bits.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from fairlead import _compiler, cute, pipeline, utils
from fairlead._compiler import Float32, Int32, Int64
from fairlead.cute.nvgpu import OperandMajorMode, cpasync, warpgroup
from fairlead.ops._hopper_attention import store_operand, turned
from fairlead.ops._softmax import Window, by_rows
from fairlead.utils import hopper_helpers as sm90

if TYPE_CHECKING:
    from fairlead._compiler import Tensor
    from fairlead.cute._types import Number
    from fairlead.cute.typing import Int

__all__ = ["BLOCK", "HopperGradients", "RowNumbers"]

_WARPGROUP, _GROUPS, _ROWS = 128, 2, 64
#: Rows of the result that a block owns.
BLOCK = _GROUPS * _ROWS
#: Registers of a loading thread, and of a multiplying thread.
_FEW, _MANY = 24, 240
#: The first named barrier of warpgroups.
_OWN = 2


class RowNumbers:
    """Two numbers for each query: the base 2 logarithm of the sum of its powers, and sum(result * gradient).

    The logarithm is infinite for queries that see no key and for rows beyond the last query, which makes their
    probabilities 0.
    """

    threads = 256

    def __init__(self, head_dim: int) -> None:
        self.head_dim = head_dim
        self.lanes = 1 << (-(-head_dim // 8) - 1).bit_length()  # a lane has 8 elements of a row

    @cute.jit
    def __call__(
        self, out: cute.Tensor, gradient: cute.Tensor, logs: cute.Tensor, numbers: cute.Tensor
    ) -> None:
        """``logs``: natural logarithms (batch, heads, queries); ``numbers``: (2, batch, heads, rows)."""
        rows = self.threads // self.lanes
        self.kernel(out, gradient, logs, numbers).launch(
            grid=(cute.ceil_div(numbers.shape[3], rows), out.shape[1], out.shape[0]),
            block=(self.threads, 1, 1),
        )

    @cute.kernel
    def kernel(
        self, out: cute.Tensor, gradient: cute.Tensor, logs: cute.Tensor, numbers: cute.Tensor
    ) -> None:
        block, head, batch = cute.arch.block_idx()
        thread, _, _ = cute.arch.thread_idx()
        row = block * (self.threads // self.lanes) + thread // self.lanes
        lane = thread % self.lanes
        total = Float32(0)
        if (row < out.shape[2]) & (lane * 8 < self.head_dim):
            left, right = (
                self.chunk(tensor[batch, head, None, None], row, lane).load().to(Float32)
                for tensor in (out, gradient)
            )
            total = (left * right).reduce(cute.ReductionOp.ADD, 0.0, 0)
        for step in cute.range_constexpr(self.lanes.bit_length() - 1):
            total = total + cute.arch.shuffle_sync_bfly(total, offset=1 << step)
        if (lane == 0) & (row < numbers.shape[3]):
            log = Float32.inf
            if row < out.shape[2]:
                natural = logs[batch, head, row]
                log = cute.where(natural == -Float32.inf, Float32.inf, natural * math.log2(math.e))
            numbers[0, batch, head, row] = log
            numbers[1, batch, head, row] = total

    def chunk(self, matrix: Tensor, row: Int, lane: Int) -> Any:
        """Return 8 elements of a row."""
        offset = Int64(row) * matrix.stride[0] + lane * 8
        return cute.make_tensor(matrix.iterator + cute.assume(offset, divby=8), cute.make_layout(8))


class HopperGradients:
    """Gradients for K and V (batch, heads / group, keys, head_dim) or for Q (batch, heads, queries, head_dim).

    Let G be the gradient of the result, P = exp(scale * Q K^T - logarithms) and dS = P * (G V^T - deltas). Then the
    gradients are scale * dS K, scale * dS^T Q and P^T G.

    A block owns 128 rows: keys, with their rows of K and V, or queries, with their rows of Q and G. It goes through
    tiles of the two other tensors, which one warp loads. Each of two warpgroups multiplies 64 rows: its scores and
    products are 64 rows of (K Q^T, V G^T) or (Q K^T, G V^T). Their registers are then the left operands of the sums.
    The products for a tile's sums are issued after the scores of the next tile, and run while its powers are computed.
    """

    def __init__(
        self, of_keys: bool, dtype: type[_compiler.Numeric], head_dim: int, group: int, causal: bool | Window,
        scale: float, tile: int = 0, stores_changes: bool = False,
    ) -> None:  # fmt: skip
        """``tile``: rows of the tiles that a block goes through, a multiple of 16 up to 128. The default is 0, for as
        many as fit into registers. ``stores_changes``: blocks of keys also store dS^T, from which FusedGradients
        computes the gradient for Q. Tiles have 64 or 128 rows then."""
        self.stores_changes = stores_changes
        self.of_keys, self.dtype, self.head_dim, self.group = of_keys, dtype, head_dim, group
        self.window, self.scale = Window.of(causal), scale
        self.padded = -(-head_dim // 64) * 64
        self.tile = tile or (64 if self.padded == 128 and of_keys else 128)
        # Long blocks of all heads start first, so that all multiprocessors end at about the same time.
        self.are_unequal = self.window.right is not None and self.window.left is None
        # True if the first and the last tiles need masks. Keys beyond the last one make rows that are not stored, but
        # columns for them need a mask.
        if self.window.left is not None:
            self.masks = True, True
        else:
            self.masks = (self.window.right is not None, False) if of_keys else (False, True)
        # Sums of a tile of the first tensor are under way while the next tile is multiplied; another one is loaded.
        self.stages = 3, 2

    @cute.jit
    def __call__(
        self, q: cute.Tensor, k: cute.Tensor, v: cute.Tensor, gradient: cute.Tensor, numbers: cute.Tensor,
        *results: cute.Tensor,
    ) -> None:  # fmt: skip
        """``numbers``: of RowNumbers; ``results``: the gradients of K and V, or that of Q."""
        planned = self.plan(q, k, v, gradient, results)
        batches, heads, rows = (k if self.of_keys else q).shape[:3]
        places = (cute.ceil_div(rows, BLOCK), heads, batches)
        self.launch(
            planned, numbers, None, (*places[1:], places[0]) if self.are_unequal else places
        )

    def plan(
        self, q: Tensor, k: Tensor, v: Tensor, gradient: Tensor, results: Sequence[Any]
    ) -> tuple[Any, ...]:
        """Return how boxes are copied, what multiplies, and the layouts in shared memory."""
        owned, others = ((k, v), (q, gradient)) if self.of_keys else ((q, gradient), (k, v))
        by_rows_, by_columns = utils.LayoutEnum.ROW_MAJOR, utils.LayoutEnum.COL_MAJOR
        owned_layout = sm90.make_smem_layout_a(
            by_rows_, (_ROWS, self.tile, self.padded), self.dtype, _GROUPS
        )
        # Two layouts of one memory: rows for the scores, and columns for the sums.
        row_layouts = [
            sm90.make_smem_layout_b(by_rows_, (_ROWS, self.tile, self.padded), self.dtype, stages)
            for stages in self.stages
        ]
        column_layouts = [
            sm90.make_smem_layout_b(by_columns, (_ROWS, self.padded, self.tile), self.dtype, stages)
            for stages in self.stages
        ]
        result_layout = sm90.make_smem_layout_epi(
            self.dtype, by_rows_, (_ROWS, self.padded), _GROUPS
        )
        load, store = cpasync.CopyBulkTensorTileG2SOp(), cpasync.CopyBulkTensorTileS2GOp()
        boxes: list[Any] = [(load, tensor, owned_layout, _ROWS) for tensor in owned]
        boxes += [
            (load, tensor, layout, self.tile)
            for tensor, layout in zip(others, row_layouts, strict=True)
        ]
        boxes += [(store, tensor, result_layout, _ROWS) for tensor in results[:2]]
        maps = [
            cpasync.make_tiled_tma_atom(
                op, turned(tensor, (2, 3, 1, 0)), cute.slice_(layout, (None, None, 0)), (rows, self.padded)
            )[:2]
            for op, tensor, layout, rows in boxes
        ]  # fmt: skip
        changes_layout = None
        if self.stores_changes:
            changes_layout = sm90.make_smem_layout_epi(
                self.dtype, by_rows_, (_ROWS, self.tile), 2 * _GROUPS
            )
            changes = turned(results[2], (1, 2, 0))
            box = cute.slice_(changes_layout, (None, None, 0))
            maps.append(cpasync.make_tiled_tma_atom(store, changes, box, (_ROWS, self.tile))[:2])
        self.storage = self.shared_memory(owned_layout, row_layouts, changes_layout)
        return maps, (owned_layout, row_layouts, column_layouts, result_layout, changes_layout)

    def launch(
        self,
        planned: tuple[Any, ...],
        numbers: Tensor,
        first: Sequence[Any] | None,
        grid: Sequence[Any],
    ) -> None:
        """``first``: the first head, if blocks are of some heads; otherwise None."""
        maps, layouts = planned
        self.kernel(maps, self.products(), numbers, first, *layouts).launch(
            grid=grid, block=(_WARPGROUP * (1 + _GROUPS), 1, 1)
        )

    def products(self) -> tuple[Any, Any]:
        """Return the tiled MMAs of the scores and of the sums."""
        K, MN = OperandMajorMode.K, OperandMajorMode.MN
        scores = sm90.make_trivial_tiled_mma(
            self.dtype, self.dtype, K, K, Float32, (1, 1, 1), (_ROWS, self.tile)
        )
        sums = sm90.make_trivial_tiled_mma(
            self.dtype, self.dtype, K, MN, Float32, (1, 1, 1), (_ROWS, self.padded),
            warpgroup.OperandSource.RMEM,
        )  # fmt: skip
        return scores, sums

    def shared_memory(
        self, owned: Any, others: Sequence[Any], layout_of_changes: cute.ComposedLayout | None
    ) -> Any:
        """Return the struct of a block's shared memory."""
        tile, dtype = cute.cosize(owned), self.dtype
        first, second = (cute.cosize(layout) for layout in others)
        numbers = [stages * self.tile if self.of_keys else 1 for stages in self.stages]
        changes = 1 if layout_of_changes is None else cute.cosize(layout_of_changes)

        @cute.struct
        class Storage:
            barriers: cute.struct.MemRange[Int64, 2 * (1 + sum(self.stages))]  # type: ignore
            logs: cute.struct.Align[cute.struct.MemRange[Float32, numbers[0]], 128]  # type: ignore
            deltas: cute.struct.Align[cute.struct.MemRange[Float32, numbers[1]], 128]  # type: ignore
            owned: cute.struct.Align[cute.struct.MemRange[dtype, tile], 1024]  # type: ignore
            owned_second: cute.struct.Align[cute.struct.MemRange[dtype, tile], 1024]  # type: ignore
            other: cute.struct.Align[cute.struct.MemRange[dtype, first], 1024]  # type: ignore
            other_second: cute.struct.Align[cute.struct.MemRange[dtype, second], 1024]  # type: ignore
            changes: cute.struct.Align[cute.struct.MemRange[dtype, changes], 1024]  # type: ignore

        return Storage

    @cute.kernel
    def kernel(
        self, maps: Sequence[Any], products: Sequence[Any], numbers: Tensor, first_head: Any,
        owned_layout: cute.ComposedLayout, row_layouts: Sequence[Any], column_layouts: Sequence[Any],
        result_layout: cute.ComposedLayout, changes_layout: Any,
    ) -> None:  # fmt: skip
        warp = cute.arch.make_warp_uniform(cute.arch.warp_idx())
        group = cute.arch.make_warp_uniform(warp // 4)
        thread, _, _ = cute.arch.thread_idx()
        if warp == 0:
            for atom, _ in maps:
                cpasync.prefetch_descriptor(atom)
        storage = utils.SmemAllocator().allocate(self.storage)
        pipes = self.pipelines(storage.barriers.data_ptr())
        pipeline.pipeline_init_arrive()
        owned, others = (
            [part.get_tensor(layout.outer, swizzle=layout.inner) for part, layout in pairs]
            for pairs in (
                ((storage.owned, owned_layout), (storage.owned_second, owned_layout)),
                zip((storage.other, storage.other_second), row_layouts, strict=True),
            )
        )
        columns, results = (
            [part.get_tensor(layout.outer, swizzle=layout.inner) for part, layout in pairs]
            for pairs in (
                zip((storage.other, storage.other_second), column_layouts, strict=True),
                ((storage.owned, result_layout), (storage.owned_second, result_layout)),
            )
        )
        rows, others_rows = Int32(maps[0][1].shape[0]), Int32(maps[2][1].shape[0])
        queries, keys = (others_rows, rows) if self.of_keys else (rows, others_rows)
        of_tiles = [
            cute.make_tensor(part.data_ptr(), cute.make_layout((self.tile, stages)))
            for part, stages in zip((storage.logs, storage.deltas), self.stages, strict=True)
        ]
        shared = SimpleNamespace(
            owned=owned, others=others, columns=columns, results=results, numbers=of_tiles,
            keys=keys,
        )  # fmt: skip
        ways = []
        memories = [*owned, *others, *results[: 2 if self.of_keys else 1]]
        if cute.const_expr(self.stores_changes):
            shared.changes = storage.changes.get_tensor(
                changes_layout.outer, swizzle=changes_layout.inner
            )
            memories.append(shared.changes)
        for (atom, tensor), memory, index in zip(maps, memories, range(len(maps)), strict=True):
            extents = (
                self.tile if index in (2, 3) else _ROWS,
                self.tile if index == 6 else self.padded,
            )
            tiles = cute.local_tile(tensor, extents, (None,) * len(tensor.shape))
            inside, outside = cpasync.tma_partition(
                atom, 0, cute.make_layout(1), cute.group_modes(memory, 0, 2),
                cute.group_modes(tiles, 0, 2),
            )  # fmt: skip
            ways.append((atom, inside, outside))
        work = self.work(queries, keys, first_head)
        pipeline.pipeline_init_wait()
        if group == 0:
            cute.arch.setmaxregister_decrease(_FEW)
            if warp == 0:
                self.produce(work, pipes, ways, numbers, shared)
        else:
            cute.arch.setmaxregister_increase(_MANY)
            self.consume(
                work, pipes, ways[4:], numbers, shared, products, thread % _WARPGROUP, group - 1, warp
            )  # fmt: skip

    def pipelines(self, barriers: _compiler.Pointer) -> list[Any]:
        """Return the pipelines of the owned rows, of the tiles for scores and of the other tiles."""
        row = self.dtype.width // 8 * self.padded
        of_tile = self.tile * (row + (4 if self.of_keys else 0))
        pipes, at = [], 0
        for stages, count in zip(
            (1, *self.stages), (2 * BLOCK * row, of_tile, of_tile), strict=True
        ):
            pipes.append(
                pipeline.PipelineTmaAsync.create(
                    barrier_storage=barriers + at,
                    num_stages=stages,
                    producer_group=pipeline.CooperativeGroup(pipeline.Agent.Thread),
                    consumer_group=pipeline.CooperativeGroup(pipeline.Agent.Thread, 4 * _GROUPS),
                    tx_count=count,
                    defer_sync=True,
                )
            )
            at += 2 * stages
        return pipes

    def work(self, queries: Int, keys: Int, first_head: Sequence[Any]) -> SimpleNamespace:
        """Return the block's place, and which tiles of the others have to do with its rows."""
        block, head, batch = cute.arch.block_idx()
        blocks, _, _ = cute.arch.grid_dim()
        if self.are_unequal:
            head, batch, block = cute.arch.block_idx()
            _, _, blocks = cute.arch.grid_dim()
        number = head
        ahead = keys - queries  # query i sees the keys up to i + ahead
        rows = queries if self.of_keys else keys
        if self.window.right is not None and not self.of_keys:
            block = blocks - 1 - block  # blocks with many tiles start first
        start = Int32(block * BLOCK)
        if self.of_keys:
            first, end = self.window.queries(start, BLOCK, queries, ahead)
        else:
            first = self.window.begin(start + ahead)
            end = self.window.end(start + (BLOCK - 1) + ahead, keys)
        if self.stores_changes:
            # FusedGradients reads dS for all of BLOCK queries, or for none of them.
            first, end = first // BLOCK * BLOCK, cute.ceil_div(end, BLOCK) * BLOCK
            end = _compiler.min(end, queries)
            before, heads = first_head
            head, batch = (before + number) % heads, (before + number) // heads
        # A block whose rows have nothing to do with any tile masks one.
        tiles = cute.ceil_div(rows, self.tile)
        first = _compiler.min(first // self.tile, tiles - 1)
        end = cute.ceil_div(end, self.tile)
        count = _compiler.max(end - first, Int32(1))
        repeats = self.group if self.of_keys else 1
        return SimpleNamespace(
            block=block, head=head, batch=batch, start=start, ahead=ahead, rows=rows, first=first,
            count=count, repeats=repeats, number=number,
        )  # fmt: skip

    @cute.jit
    def produce(
        self, work: SimpleNamespace, pipes: Sequence[Any], ways: Sequence[Any], numbers: Tensor, shared: SimpleNamespace
    ) -> None:  # fmt: skip
        owned = pipeline.make_pipeline_state(pipeline.PipelineUserType.Producer, 1)
        pipes[0].producer_acquire(owned)
        barrier = pipes[0].producer_get_barrier(owned)
        for atom, inside, outside in ways[:2]:
            for group in cute.range_constexpr(_GROUPS):
                source = outside[None, work.block * _GROUPS + group, 0, work.head, work.batch]
                cute.copy(atom, source, inside[None, group], tma_bar_ptr=barrier)
        first, second = (
            pipeline.make_pipeline_state(pipeline.PipelineUserType.Producer, stages)
            for stages in self.stages
        )
        for repeat in range(work.repeats):
            for number in range(work.count):
                head = work.head // self.group
                if cute.const_expr(self.of_keys):
                    head = work.head * self.group + repeat
                place = work.first + number, head, work.batch
                self.load(place, pipes, ways, numbers, shared, first, 0)
                self.load(place, pipes, ways, numbers, shared, second, 1)
                first.advance()
                second.advance()
        pipes[1].producer_tail(first)
        pipes[2].producer_tail(second)

    def load(
        self, place: tuple[Any, Any, Any], pipes: Sequence[Any], ways: Sequence[Any], numbers: Tensor,
        shared: SimpleNamespace, state: Any, which: int,
    ) -> None:  # fmt: skip
        """Fill the next stage of a pipeline with a tile, (tile, head, batch), and with the numbers of its queries."""
        atom, inside, outside = ways[2 + which]
        pipe = pipes[1 + which]
        tile, head, batch = place
        pipe.producer_acquire(state)
        barrier = pipe.producer_get_barrier(state)
        cute.copy(
            atom, outside[None, tile, 0, head, batch], inside[None, state.index], tma_bar_ptr=barrier
        )  # fmt: skip
        if self.of_keys:
            source = numbers[which, batch, head, None]
            source = cute.local_tile(source, (self.tile,), (tile,))
            bulk = cute.make_copy_atom(
                cpasync.CopyBulkG2SOp(), Float32, num_bits_per_copy=self.tile * 32
            )
            cute.copy(bulk, source, shared.numbers[which][None, state.index], mbar_ptr=barrier)
        pipe.producer_commit(state)

    @cute.jit
    def consume(
        self, work: SimpleNamespace, pipes: Sequence[Any], ways: Sequence[Any], numbers: Tensor,
        shared: SimpleNamespace, products: Sequence[Any], thread: Int, group: Int, warp: Int,
    ) -> None:  # fmt: skip
        scores_mma, sums_mma = products
        rows, columns = scores_mma.get_slice(0), sums_mma.get_slice(0)
        fragments = SimpleNamespace(
            owned=[
                scores_mma.make_fragment_A(rows.partition_A(part)) for part in shared.owned
            ],
            others=[scores_mma.make_fragment_B(rows.partition_B(part)) for part in shared.others],
            columns=[sums_mma.make_fragment_B(columns.partition_B(part)) for part in shared.columns],
        )  # fmt: skip
        sums = [
            sums_mma.make_fragment_C(sums_mma.partition_shape_C((_ROWS, self.padded)))
            for _ in range(2 if self.of_keys else 1)
        ]
        for part in sums:
            part.fill(0.0)
        scores, of_values = (
            scores_mma.make_fragment_C(scores_mma.partition_shape_C((_ROWS, self.tile)))
            for _ in range(2)
        )
        operands = [
            cute.make_rmem_tensor(((2, 2, 2), 1, self.tile // 16), self.dtype) for _ in sums
        ]
        state = SimpleNamespace(
            scores_mma=scores_mma, sums_mma=sums_mma, scores=scores, products=of_values, sums=sums,
            operands=operands, start=work.start + group * _ROWS, thread=thread, group=group, warp=warp,
            way=ways[-1],
        )  # fmt: skip
        state.places = by_rows(
            scores_mma.get_slice(thread).partition_C(cute.make_identity_tensor((_ROWS, self.tile)))
        )
        state.rows = None if self.of_keys else self.of_rows(work, state, numbers)
        first, second = (
            pipeline.make_pipeline_state(pipeline.PipelineUserType.Consumer, stages)
            for stages in self.stages
        )
        sums_mma.set(warpgroup.Field.ACCUMULATE, True)
        pipes[0].consumer_wait(pipeline.make_pipeline_state(pipeline.PipelineUserType.Consumer, 1))
        self.begin(pipes, fragments, shared, state, first, second, warp)
        if cute.const_expr(any(self.masks)):
            self.mask(work, state, Int32(0))
        middle = self.middle(work, state)
        masked, follows = self.masks
        for repeat in range(work.repeats):
            begin = cute.where(repeat == 0, Int32(1), Int32(0))
            for number in range(begin, middle):
                self.step(work, number, masked, pipes, fragments, shared, state, first, second)
                first.advance()
                second.advance()
            if cute.const_expr(masked != follows):
                for number in range(_compiler.max(begin, middle), work.count):
                    self.step(work, number, follows, pipes, fragments, shared, state, first, second)
                    first.advance()
                    second.advance()
        self.end(work, pipes, fragments, shared, state, first, second)
        for index in cute.range_constexpr(len(sums)):
            if cute.const_expr(index == 0):
                sums[index].store(sums[index].load() * self.scale)
            self.store(
                work, sums_mma, sums[index], shared.results[index], ways[index], thread, group, warp
            )
        if warp % 4 == 0:
            cute.arch.cp_async_bulk_wait_group(0, read=True)

    def middle(self, work: SimpleNamespace, state: SimpleNamespace) -> Any:
        """Return the tile, counted from the block's first one, where masks begin or end."""
        if self.masks[0] == self.masks[1]:
            return work.count
        # All rows see the columns before it, or from it on.
        if self.of_keys:
            tile = cute.ceil_div(
                self.window.queries(state.start + (_ROWS - 1), 1, 0, work.ahead)[0], self.tile
            )
        else:
            rows_end = self.window.end(state.start + work.ahead, work.rows)
            tile = _compiler.max(rows_end, Int32(0)) // self.tile
        return _compiler.min(_compiler.max(tile - work.first, Int32(0)), work.count)

    def begin(
        self, pipes: Sequence[Any], fragments: SimpleNamespace, shared: SimpleNamespace, state: SimpleNamespace,
        first: pipeline.PipelineState, second: pipeline.PipelineState, warp: Int,
    ) -> None:  # fmt: skip
        """Compute the probabilities of the first tile, without a mask."""
        self.ask_scores(state, state.scores, fragments, 0, first, pipes)
        warpgroup.wait_group(0)
        self.exponentials(state, shared, first)

    def end(
        self, work: SimpleNamespace, pipes: Sequence[Any], fragments: SimpleNamespace, shared: SimpleNamespace,
        state: SimpleNamespace, first: pipeline.PipelineState, second: pipeline.PipelineState,
    ) -> None:  # fmt: skip
        """Add the last tile's products to the sums."""
        self.differentiate(state, fragments, shared, pipes, second)
        warpgroup.fence()
        self.ask_sums(state, fragments, first, second)
        self.send_changes(work, shared, state, second)
        warpgroup.wait_group(0)
        self.release(pipes, first, second)

    def step(
        self, work: SimpleNamespace, number: Number, masked: bool, pipes: Sequence[Any], fragments: SimpleNamespace,
        shared: SimpleNamespace, state: SimpleNamespace, first: pipeline.PipelineState, second: pipeline.PipelineState,
    ) -> None:  # fmt: skip
        """Add the products of the tile in the stages to the sums, and compute probabilities of the next tile,
        ``number``."""
        self.differentiate(state, fragments, shared, pipes, second)
        following = first.clone()
        following.advance()
        self.ask_scores(state, state.scores, fragments, 0, following, pipes)
        self.ask_sums(state, fragments, first, second)
        self.send_changes(work, shared, state, second)
        warpgroup.wait_group(len(state.sums))
        self.exponentials(state, shared, following)
        if masked:
            self.mask(work, state, number)
        warpgroup.wait_group(0)
        self.release(pipes, first, second)

    def differentiate(
        self, state: SimpleNamespace, fragments: SimpleNamespace, shared: SimpleNamespace, pipes: Sequence[Any],
        second: pipeline.PipelineState,
    ) -> None:  # fmt: skip
        """Compute dS of a tile, and the operands of the sums."""
        self.ask_scores(state, state.products, fragments, 1, second, pipes)
        warpgroup.wait_group(0)
        self.multiply(state, shared, second)
        if self.of_keys:
            store_operand(state.scores, state.operands[1])
        else:
            pipes[2].consumer_release(second)
        store_operand(state.products, state.operands[0])
        if cute.const_expr(self.stores_changes):
            self.stage_changes(shared, state, second)

    def stage_changes(
        self, shared: SimpleNamespace, state: SimpleNamespace, second: pipeline.PipelineState
    ) -> None:
        """Write dS^T of a tile, which is the left operand of a sum, to the next of two buffers in shared memory."""
        op = sm90.get_smem_store_op(utils.LayoutEnum.ROW_MAJOR, self.dtype, Float32)
        copy = cute.make_tiled_copy_C(op, state.scores_mma)
        fragment = cute.make_tensor(state.operands[0].iterator, state.products.layout)
        target = copy.get_slice(state.thread).partition_D(shared.changes)
        buffer = second.count % 2 * _GROUPS + state.group
        cute.copy(copy, copy.retile(fragment), target[None, None, None, buffer])

    @cute.jit
    def send_changes(
        self,
        work: SimpleNamespace,
        shared: SimpleNamespace,
        state: SimpleNamespace,
        second: pipeline.PipelineState,
    ) -> None:
        """Copy a tile of dS^T to memory while tensor cores multiply. One barrier for a tile is enough: behind it, the
        buffer of the tile before has been read."""
        if cute.const_expr(self.stores_changes):
            atom, inside, outside = state.way
            done = second.count
            cute.arch.fence_proxy("async.shared", space="cta")
            if state.warp % 4 == 0:
                cute.arch.cp_async_bulk_wait_group(0, read=True)
            cute.arch.barrier(barrier_id=_OWN + state.group, number_of_threads=_WARPGROUP)
            if state.warp % 4 == 0:
                head, tile = work.number, work.first + done
                if cute.const_expr(self.group > 1):
                    head = work.number * self.group + done // work.count
                    tile = work.first + done % work.count
                place = outside[None, work.block * _GROUPS + state.group, tile, head]
                cute.copy(atom, inside[None, done % 2 * _GROUPS + state.group], place)
                cute.arch.cp_async_bulk_commit_group()

    def release(
        self, pipes: Sequence[Any], first: pipeline.PipelineState, second: pipeline.PipelineState
    ) -> None:
        """Release the stages of a tile after its sums."""
        pipes[1].consumer_release(first)
        if self.of_keys:
            pipes[2].consumer_release(second)

    def ask_scores(
        self, state: SimpleNamespace, scores: Tensor, fragments: SimpleNamespace, which: int,
        stage: pipeline.PipelineState, pipes: Sequence[Any],
    ) -> None:  # fmt: skip
        """Ask for a product of owned rows and a tile of the other tensor."""
        pipes[1 + which].consumer_wait(stage)
        warpgroup.fence()
        left, right = fragments.owned[which], fragments.others[which]
        # 0 is added, which the assembler does not know: descriptors of all steps would stay in registers otherwise.
        rows = state.group + (stage.index >> 8)
        for i in range(cute.size(left, mode=[2])):
            state.scores_mma.set(warpgroup.Field.ACCUMULATE, i > 0)
            cute.gemm(
                state.scores_mma, scores, left[None, None, i, rows], right[None, None, i, stage.index], scores
            )  # fmt: skip
        warpgroup.commit_group()

    def ask_sums(
        self,
        state: SimpleNamespace,
        fragments: SimpleNamespace,
        first: pipeline.PipelineState,
        second: pipeline.PipelineState,
    ) -> None:
        """Issue a tile's products for the sums: operands in registers times its columns."""
        for which, stage in reversed([*zip(range(len(state.sums)), (first, second), strict=False)]):
            left, right = state.operands[which], fragments.columns[which]
            for i in range(cute.size(left, mode=[2])):
                cute.gemm(
                    state.sums_mma, state.sums[which], left[None, None, i],
                    right[None, None, i, stage.index], state.sums[which],
                )  # fmt: skip
            warpgroup.commit_group()

    def of_rows(self, work: SimpleNamespace, state: SimpleNamespace, numbers: Tensor) -> list[Any]:
        """Return logarithms and deltas of the thread's rows, which are queries."""
        return [
            [
                numbers[which, work.batch, work.head, state.start + state.places[row, 0][0]]
                for row in range(2)
            ]
            for which in range(2)
        ]

    def numbers_of(
        self,
        state: SimpleNamespace,
        shared: SimpleNamespace,
        which: int,
        stage: pipeline.PipelineState,
    ) -> Any:
        """Return a function from the thread's elements (row, column) to the numbers of their queries."""
        if not self.of_keys:
            return lambda row, column: state.rows[which][row]
        layout = cute.make_layout((_ROWS, self.tile), stride=(0, 1))
        memory = shared.numbers[which].iterator + stage.index * self.tile
        part = state.scores_mma.get_slice(state.thread).partition_C(
            cute.make_tensor(memory, layout)
        )
        columns = by_rows(part)[0, None]
        return lambda row, column: columns[column]

    def exponentials(
        self, state: SimpleNamespace, shared: SimpleNamespace, stage: pipeline.PipelineState
    ) -> None:
        """Scores become probabilities."""
        rows = by_rows(state.scores)
        logs = self.numbers_of(state, shared, 0, stage)
        for column in range(cute.size(rows, mode=[1])):
            for row in range(2):
                exponent = rows[row, column] * (self.scale * math.log2(math.e)) - logs(row, column)
                rows[row, column] = cute.math.exp2(exponent, fastmath=True)

    def multiply(
        self, state: SimpleNamespace, shared: SimpleNamespace, stage: pipeline.PipelineState
    ) -> None:
        """Products become dS: their distances to the deltas times the probabilities."""
        rows, of_products = by_rows(state.scores), by_rows(state.products)
        deltas = self.numbers_of(state, shared, 1, stage)
        for column in range(cute.size(rows, mode=[1])):
            for row in range(2):
                difference = of_products[row, column] - deltas(row, column)
                of_products[row, column] = rows[row, column] * difference

    def mask(self, work: SimpleNamespace, state: SimpleNamespace, number: Number) -> None:
        """Probabilities of keys that are not there, or not seen, become 0."""
        rows, places = by_rows(state.scores), state.places
        tile = (work.first + number) * self.tile
        for row in range(2):
            along, across = places[row, 0]
            if self.of_keys:
                begin, end = self.window.queries(state.start + along, 1, 2**30, work.ahead)
            else:
                place = state.start + along + work.ahead
                begin, end = self.window.begin(place), self.window.end(place, work.rows)
            begin, end = begin - tile - across, end - tile - across
            for column in range(cute.size(rows, mode=[1])):
                # Two neighbours of every eight columns are the thread's.
                offset = column // 2 * 8 + column % 2
                is_seen = True
                if not self.of_keys or self.window.left is not None:
                    is_seen = end > offset
                if (self.window.right if self.of_keys else self.window.left) is not None:
                    is_seen = (begin <= offset) & is_seen
                rows[row, column] = cute.where(is_seen, rows[row, column], Float32(0))

    @cute.jit
    def store(
        self, work: SimpleNamespace, mma: cute.TiledMma, sums: Tensor, memory: Tensor, way: Sequence[Any],
        thread: Int, group: Int, warp: Int,
    ) -> None:  # fmt: skip
        """Store the warpgroup's rows of a result, through the memory of the rows that it owns."""
        atom, inside, outside = way
        op = sm90.get_smem_store_op(utils.LayoutEnum.ROW_MAJOR, self.dtype, Float32)
        copy = cute.make_tiled_copy_C(op, mma)
        result = cute.make_fragment_like(sums, self.dtype)
        result.store(sums.load().to(self.dtype))
        target = copy.get_slice(thread).partition_D(memory)
        cute.copy(copy, copy.retile(result), target[None, None, None, group])
        cute.arch.fence_proxy("async.shared", space="cta")
        cute.arch.barrier(barrier_id=_OWN + group, number_of_threads=_WARPGROUP)
        if warp % 4 == 0:
            place = outside[None, work.block * _GROUPS + group, 0, work.head, work.batch]
            cute.copy(atom, inside[None, group], place)
            cute.arch.cp_async_bulk_commit_group()
