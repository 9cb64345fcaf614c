"""Gradients of attention by warpgroups in five products: dS goes through memory.

Blocks of keys compute dS for the gradients of K and V anyway. They store it, and a product of dS and K gives the
gradient of Q. Nothing is added in memory, so every run gives the same bits.
"""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from fairlead import _compiler, cute, pipeline, utils
from fairlead._compiler import Float32, Int32, Int64
from fairlead.cute.nvgpu import OperandMajorMode, cpasync, warpgroup
from fairlead.ops._hopper_attention import turned
from fairlead.ops._hopper_attention_gradients import BLOCK, HopperGradients
from fairlead.ops._softmax import Window
from fairlead.utils import hopper_helpers as sm90

if TYPE_CHECKING:
    from fairlead._compiler import Tensor
    from fairlead.cute.typing import Int

__all__ = ["ROWS", "FusedGradients"]

_WARPGROUP, _GROUPS = 128, 2
#: Rows of the gradient of Q that a block computes, and keys of a tile.
ROWS, _KEYS = _GROUPS * BLOCK, 64
#: Registers of a loading thread, and of a multiplying thread.
_FEW, _MANY = 40, 232
#: The first named barrier of warpgroups.
_OWN = 2


class FusedGradients:
    """Gradients for Q, K and V. Heads of keys go through memory for dS together, as many as it has room for."""

    def __init__(
        self, dtype: type[_compiler.Numeric], head_dim: int, group: int, causal: bool | Window, scale: float
    ) -> None:  # fmt: skip
        self.of_keys = HopperGradients(
            True, dtype, head_dim, group, causal, scale, stores_changes=True
        )
        self.of_queries = QueryGradients(dtype, head_dim, group, causal, scale)
        self.group = group

    @cute.jit
    def __call__(
        self, q: cute.Tensor, k: cute.Tensor, v: cute.Tensor, gradient: cute.Tensor, numbers: cute.Tensor,
        of_q: cute.Tensor, of_k: cute.Tensor, of_v: cute.Tensor, space: cute.Tensor,
    ) -> None:  # fmt: skip
        """``space``: memory for dS^T (heads of queries, keys, queries or more)."""
        heads, keys, queries = k.shape[1], k.shape[2], q.shape[2]
        changes = cute.make_tensor(
            space.iterator,
            cute.make_layout((space.shape[0], keys, queries), stride=space.stride),
        )
        planned = self.of_keys.plan(q, k, v, gradient, (of_k, of_v, changes))
        planned_product = self.of_queries.plan(changes, k, of_q)
        total, together = heads * k.shape[0], space.shape[0] // self.group
        blocks = cute.ceil_div(keys, BLOCK)
        for first in range(0, total, together):
            count = cute.math.min(total - first, together)
            grid = (count, 1, blocks) if self.of_keys.are_unequal else (blocks, count, 1)
            self.of_keys.launch(planned, numbers, (first, heads), grid)
            self.of_queries.launch(
                planned_product, (first * self.group, heads * self.group), count * self.group
            )


class QueryGradients:
    """The gradient of Q (batch, heads, queries, head_dim): ``scale * dS * K`` of dS^T (heads, keys, queries).

    A block has 256 queries, each of its two warpgroups 128 of them. One warp loads tiles of 64 keys of both operands.
    """

    def __init__(
        self, dtype: type[_compiler.Numeric], head_dim: int, group: int, causal: bool | Window, scale: float
    ) -> None:  # fmt: skip
        self.dtype, self.group, self.scale = dtype, group, scale
        self.window, self.padded = Window.of(causal), -(-head_dim // 64) * 64
        self.stages = 4 if self.padded == 128 else 5

    def plan(self, changes: Tensor, k: Tensor, of_q: Tensor) -> tuple[Any, ...]:
        """Return how boxes are copied, and the layouts in shared memory."""
        columns, tile = utils.LayoutEnum.COL_MAJOR, (BLOCK, self.padded, _KEYS)
        layouts = (
            sm90.make_smem_layout_a(columns, tile, self.dtype, self.stages * _GROUPS),
            sm90.make_smem_layout_b(columns, tile, self.dtype, self.stages),
            sm90.make_smem_layout_epi(
                self.dtype, utils.LayoutEnum.ROW_MAJOR, (64, self.padded), ROWS // 64
            ),
        )
        load, store = cpasync.CopyBulkTensorTileG2SOp(), cpasync.CopyBulkTensorTileS2GOp()
        boxes: Sequence[Any] = (
            (load, turned(changes, (2, 1, 0)), (BLOCK, _KEYS)),
            (load, turned(k, (3, 2, 1, 0)), (self.padded, _KEYS)),
            (store, turned(of_q, (2, 3, 1, 0)), (64, self.padded)),
        )
        maps = [
            cpasync.make_tiled_tma_atom(op, tensor, cute.slice_(layout, (None, None, 0)), box)[:2]
            for (op, tensor, box), layout in zip(boxes, layouts, strict=True)
        ]
        first, second, _ = (cute.cosize(layout) for layout in layouts)

        @cute.struct
        class Storage:
            barriers: cute.struct.MemRange[Int64, 2 * self.stages]  # type: ignore
            changes: cute.struct.Align[cute.struct.MemRange[self.dtype, first], 1024]  # type: ignore
            keys: cute.struct.Align[cute.struct.MemRange[self.dtype, second], 1024]  # type: ignore

        self.storage = Storage
        return maps, layouts, cute.ceil_div(of_q.shape[2], ROWS)

    def launch(self, planned: tuple[Any, ...], first_head: Sequence[Any], count: Int) -> None:
        """``first_head``: its number, and the number of heads; ``count``: how many heads of queries."""
        maps, layouts, blocks = planned
        MN = OperandMajorMode.MN
        mma = sm90.make_trivial_tiled_mma(
            self.dtype, self.dtype, MN, MN, Float32, (1, 1, 1), (64, self.padded)
        )
        self.kernel(maps, mma, first_head, *layouts).launch(
            grid=(count, blocks, 1), block=(_WARPGROUP * (1 + _GROUPS), 1, 1)
        )

    @cute.kernel
    def kernel(
        self, maps: Sequence[Any], mma: cute.TiledMma, first_head: Any, changes_layout: cute.ComposedLayout,
        keys_layout: cute.ComposedLayout, result_layout: cute.ComposedLayout,
    ) -> None:  # fmt: skip
        warp = cute.arch.make_warp_uniform(cute.arch.warp_idx())
        group = cute.arch.make_warp_uniform(warp // 4)
        thread, _, _ = cute.arch.thread_idx()
        if warp == 0:
            for atom, _ in maps:
                cpasync.prefetch_descriptor(atom)
        storage = utils.SmemAllocator().allocate(self.storage)
        bytes_ = (ROWS + self.padded) * _KEYS * self.dtype.width // 8
        pipe = pipeline.PipelineTmaAsync.create(
            barrier_storage=storage.barriers.data_ptr(), num_stages=self.stages,
            producer_group=pipeline.CooperativeGroup(pipeline.Agent.Thread),
            consumer_group=pipeline.CooperativeGroup(pipeline.Agent.Thread, 4 * _GROUPS),
            tx_count=bytes_, defer_sync=True,
        )  # fmt: skip
        pipeline.pipeline_init_arrive()
        memories = [
            part.get_tensor(layout.outer, swizzle=layout.inner)
            for part, layout in (
                (storage.changes, changes_layout),
                (storage.keys, keys_layout),
                (storage.changes, result_layout),
            )
        ]
        boxes = ((BLOCK, _KEYS), (self.padded, _KEYS), (64, self.padded))
        ways = []
        for (atom, tensor), memory, box in zip(maps, memories, boxes, strict=True):
            tiles = cute.local_tile(tensor, box, (None,) * len(tensor.shape))
            inside, outside = cpasync.tma_partition(
                atom, 0, cute.make_layout(1), cute.group_modes(memory, 0, 2), cute.group_modes(tiles, 0, 2)
            )  # fmt: skip
            ways.append((atom, inside, outside))
        work = self.work(maps, first_head)
        pipeline.pipeline_init_wait()
        if group == 0:
            cute.arch.setmaxregister_decrease(_FEW)
            if warp == 0:
                self.produce(work, pipe, ways)
        else:
            cute.arch.setmaxregister_increase(_MANY)
            self.consume(work, pipe, ways[2], mma, memories, thread % _WARPGROUP, group - 1, warp)

    def work(self, maps: Sequence[Any], first_head: Sequence[Any]) -> SimpleNamespace:
        """Return the block's place, and the tiles of keys that its queries see."""
        number, block, _ = cute.arch.block_idx()
        _, blocks, _ = cute.arch.grid_dim()
        if self.window.right is not None:
            block = blocks - 1 - block  # blocks with many tiles start first
        queries, keys = Int32(maps[0][1].shape[0]), Int32(maps[0][1].shape[1])
        first, heads = first_head
        begin, end = self.keys_of(block * ROWS, ROWS, queries, keys)
        return SimpleNamespace(
            number=number, block=block, head=(first + number) % heads, batch=(first + number) // heads,
            queries=queries, keys=keys, begin=begin, end=end,
        )  # fmt: skip

    def keys_of(self, start: Int, count: int, queries: Int, keys: Int) -> tuple[Any, Any]:
        """Return the first tile of keys that some of ``count`` queries see, and the one behind the last."""
        place = start + keys - queries
        end = _compiler.max(self.window.end(place + (count - 1), keys), Int32(0))
        begin = _compiler.min(self.window.begin(place), end) // _KEYS
        return begin, cute.ceil_div(end, _KEYS)

    @cute.jit
    def produce(
        self, work: SimpleNamespace, pipe: pipeline.PipelineTmaAsync, ways: Sequence[Any]
    ) -> None:
        (of_changes, to_changes, changes), (of_keys, to_keys, keys), _ = ways
        state = pipeline.make_pipeline_state(pipeline.PipelineUserType.Producer, self.stages)
        for tile in range(work.begin, work.end):
            pipe.producer_acquire(state)
            barrier = pipe.producer_get_barrier(state)
            for group in cute.range_constexpr(_GROUPS):
                source = changes[None, work.block * _GROUPS + group, tile, work.number]
                cute.copy(
                    of_changes,
                    source,
                    to_changes[None, state.index * _GROUPS + group],
                    tma_bar_ptr=barrier,
                )
            source = keys[None, 0, tile, work.head // self.group, work.batch]
            cute.copy(of_keys, source, to_keys[None, state.index], tma_bar_ptr=barrier)
            pipe.producer_commit(state)
            state.advance()
        pipe.producer_tail(state)

    @cute.jit
    def consume(
        self, work: SimpleNamespace, pipe: pipeline.PipelineTmaAsync, way: Sequence[Any], mma: cute.TiledMma,
        memories: Sequence[Any], thread: Int, group: Int, warp: Int,
    ) -> None:  # fmt: skip
        part = mma.get_slice(0)
        left = mma.make_fragment_A(part.partition_A(memories[0]))
        right = mma.make_fragment_B(part.partition_B(memories[1]))
        sums = mma.make_fragment_C(mma.partition_shape_C((BLOCK, self.padded)))
        mma.set(warpgroup.Field.ACCUMULATE, False)
        # The queries of one warpgroup may see fewer keys than those of both.
        start = (work.block * _GROUPS + group) * BLOCK
        begin, end = self.keys_of(start, BLOCK, work.queries, work.keys)
        read, released = (
            pipeline.make_pipeline_state(pipeline.PipelineUserType.Consumer, self.stages)
            for _ in range(2)
        )
        for _ in range(work.begin, begin):
            pipe.consumer_wait(read)
            pipe.consumer_release(read)
            read.advance()
            released.advance()
        # The product is in the branch: otherwise the compiler would move reads of sums before the wait for them.
        if begin < end:
            for tile in range(begin, end):
                pipe.consumer_wait(read)
                warpgroup.fence()
                for i in cute.range_constexpr(cute.size(left, mode=[2])):
                    cute.gemm(
                        mma, sums, left[None, None, i, read.index * _GROUPS + group],
                        right[None, None, i, read.index], sums,
                    )  # fmt: skip
                    mma.set(warpgroup.Field.ACCUMULATE, True)
                warpgroup.commit_group()
                warpgroup.wait_group(1)
                if tile > begin:
                    pipe.consumer_release(released)
                    released.advance()
                read.advance()
            warpgroup.wait_group(0)
            pipe.consumer_release(released)
            sums.store(sums.load() * self.scale)
        else:
            sums.fill(0.0)
        for _ in range(end, work.end):
            pipe.consumer_wait(read)
            pipe.consumer_release(read)
            read.advance()
        self.store(work, mma, sums, memories[2], way, thread, group, warp)

    @cute.jit
    def store(
        self, work: SimpleNamespace, mma: cute.TiledMma, sums: Tensor, memory: Tensor, way: Sequence[Any],
        thread: Int, group: Int, warp: Int,
    ) -> None:  # fmt: skip
        """Store the warpgroup's rows through the memory of the stages, which all have read."""
        cute.arch.barrier(barrier_id=_OWN + _GROUPS, number_of_threads=_WARPGROUP * _GROUPS)
        atom, inside, outside = way
        op = sm90.get_smem_store_op(utils.LayoutEnum.ROW_MAJOR, self.dtype, Float32)
        copy = cute.make_tiled_copy_C(op, mma)
        target = copy.get_slice(thread).partition_D(memory)
        halves = BLOCK // 64
        for half in cute.range_constexpr(halves):
            result = cute.make_rmem_tensor(mma.partition_shape_C((64, self.padded)), self.dtype)
            result.store(sums[None, half, None].load().to(self.dtype).reshape(result.shape))
            cute.copy(copy, copy.retile(result), target[None, None, None, group * halves + half])
        cute.arch.fence_proxy("async.shared", space="cta")
        cute.arch.barrier(barrier_id=_OWN + group, number_of_threads=_WARPGROUP)
        if warp % 4 == 0:
            for half in cute.range_constexpr(halves):
                number = group * halves + half
                place = outside[None, work.block * (ROWS // 64) + number, 0, work.head, work.batch]
                cute.copy(atom, inside[None, number], place)
            cute.arch.cp_async_bulk_commit_group()
            cute.arch.cp_async_bulk_wait_group(0, read=True)
