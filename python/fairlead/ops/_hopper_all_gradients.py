"""Gradients of attention for Q, K and V in one kernel, for GPUs of compute capability 9.0."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from fairlead import _compiler, cute, utils
from fairlead._compiler import Float32, Int64
from fairlead.cute.nvgpu import CopyUniversalOp, OperandMajorMode, cpasync, warpgroup
from fairlead.ops._hopper_attention import store_operand
from fairlead.ops._hopper_attention_gradients import HopperGradients
from fairlead.ops._softmax import Window, by_rows
from fairlead.utils import hopper_helpers as sm90

if TYPE_CHECKING:
    from fairlead.cute._types import Number
    from fairlead.cute.typing import Int

__all__ = ["COLUMNS", "TILE", "HopperAllGradients", "StoreSums"]

_WARPGROUP, _GROUPS = 128, 2
#: Queries of a tile, and elements of a row of head_dim for each warpgroup.
TILE, _HALF = 64, 64
#: Columns of the workspace. A warpgroup's sums of a tile of queries are _ROWS rows of it.
COLUMNS = 256
_ROWS = TILE * _HALF // COLUMNS
#: Named barriers: the threads of a warpgroup (two of them), and those of both.
_OWN, _BOTH = 4, 6


class HopperAllGradients(HopperGradients):
    """Gradients for K and V, and the sums of those for Q, which blocks add in memory in any order.

    Both warpgroups leave dS of a tile, 128 keys x 64 queries, in shared memory. Each multiplies all of it with a half
    of the columns of K, and has the product added to the workspace. The workspace holds, for each batch, head, tile of
    queries and warpgroup, the registers of the threads: four of thread 0, four of thread 1, and so on.
    """

    def __init__(
        self, dtype: type[_compiler.Numeric], head_dim: int, group: int, causal: bool | Window, scale: float
    ) -> None:  # fmt: skip
        """``head_dim``: 72 to 128."""
        super().__init__(True, dtype, head_dim, group, causal, scale, TILE)

    @cute.jit
    def __call__(
        self, q: cute.Tensor, k: cute.Tensor, v: cute.Tensor, gradient: cute.Tensor, numbers: cute.Tensor,
        *results: cute.Tensor,
    ) -> None:  # fmt: skip
        """``results``: the workspace, (rows, COLUMNS) zeros, and the gradients of K and V."""
        sums, *of_keys = results
        add = cpasync.CopyReduceBulkTensorTileS2GOp(cpasync.ReductionKind.ADD)
        part = cute.make_layout((_ROWS, COLUMNS), stride=(COLUMNS, 1))
        atom, places = cpasync.make_tiled_tma_atom(add, sums, part, (_ROWS, COLUMNS))
        of_q = sm90.make_trivial_tiled_mma(
            self.dtype, self.dtype, OperandMajorMode.MN, OperandMajorMode.MN, Float32, (1, 1, 1), (TILE, _HALF)
        )  # fmt: skip
        self.launch((q, k, v, gradient), numbers, of_keys, (atom, places, of_q))

    def shared_memory(self, owned: Any, others: Sequence[Any]) -> Any:
        tile, dtype = cute.cosize(owned), self.dtype
        first, second = (cute.cosize(layout) for layout in others)
        numbers = [stages * self.tile for stages in self.stages]

        @cute.struct
        class Storage:
            barriers: cute.struct.MemRange[Int64, 2 * (1 + sum(self.stages))]  # type: ignore
            logs: cute.struct.Align[cute.struct.MemRange[Float32, numbers[0]], 128]  # type: ignore
            deltas: cute.struct.Align[cute.struct.MemRange[Float32, numbers[1]], 128]  # type: ignore
            owned: cute.struct.Align[cute.struct.MemRange[dtype, tile], 1024]  # type: ignore
            owned_second: cute.struct.Align[cute.struct.MemRange[dtype, tile], 1024]  # type: ignore
            other: cute.struct.Align[cute.struct.MemRange[dtype, first], 1024]  # type: ignore
            other_second: cute.struct.Align[cute.struct.MemRange[dtype, second], 1024]  # type: ignore
            changes: cute.struct.Align[cute.struct.MemRange[dtype, 2 * 2 * TILE * 64], 1024]  # type: ignore
            sums: cute.struct.Align[cute.struct.MemRange[Float32, _GROUPS * TILE * _HALF], 1024]  # type: ignore

        return Storage

    def begin(
        self, pipes: Sequence[Any], fragments: SimpleNamespace, shared: SimpleNamespace, state: SimpleNamespace,
        first: Any, second: Any, warp: Int,
    ) -> None:  # fmt: skip
        self.prepare(shared, state, warp)
        self.ask_scores(state, state.scores, fragments, 0, first, pipes)
        self.ask_scores(state, state.products, fragments, 1, second, pipes)
        warpgroup.wait_group(0)
        self.exponentials(state, shared, first)
        if self.window.right != 0:
            self.hide_missing(state, shared.keys)

    @cute.jit
    def hide_missing(self, state: SimpleNamespace, keys: Int) -> None:
        """Probabilities of keys beyond the last one become 0. They may be infinite, and sums for Q NaN then."""
        if state.start + 64 > keys:
            rows = by_rows(state.scores)
            for row in cute.range_constexpr(2):
                is_there = state.start + state.places[row, 0][0] < keys
                for column in cute.range_constexpr(cute.size(rows, mode=[1])):
                    rows[row, column] = cute.where(is_there, rows[row, column], Float32(0))

    def prepare(self, shared: SimpleNamespace, state: SimpleNamespace, warp: Int) -> None:
        """Make the operands of the products for Q, and the ways of dS and of sums to memory."""
        atom, places, mma = shared.adder
        by_rows_, by_columns = utils.LayoutEnum.ROW_MAJOR, utils.LayoutEnum.COL_MAJOR
        # Two buffers of dS, as rows of keys of each warpgroup, and as columns of all keys.
        rows = sm90.make_smem_layout_epi(self.dtype, by_rows_, (64, TILE), 2 * _GROUPS)
        columns = sm90.make_smem_layout_a(by_columns, (TILE, _HALF, 64 * _GROUPS), self.dtype, 2)
        keys = sm90.make_smem_layout_b(by_columns, (TILE, self.padded, 64), self.dtype, _GROUPS)
        changes, owned = shared.storage.changes, shared.storage.owned
        left = changes.get_tensor(columns.outer, swizzle=columns.inner)
        right = owned.get_tensor(keys.outer, swizzle=keys.inner)
        right = cute.local_tile(right, (_HALF, 64), (state.group, 0, None))
        slice_ = mma.get_slice(0)
        state.left = mma.make_fragment_A(slice_.partition_A(left))
        state.right = mma.make_fragment_B(slice_.partition_B(right))
        state.of_q = mma.make_fragment_C(mma.partition_shape_C((TILE, _HALF)))
        state.of_q_mma = mma
        op = sm90.get_smem_store_op(by_rows_, self.dtype, Float32)
        state.copy = cute.make_tiled_copy_C(op, state.scores_mma)
        target = changes.get_tensor(rows.outer, swizzle=rows.inner)
        state.to_changes = state.copy.get_slice(state.thread).partition_D(target)
        memory = cute.make_tensor(
            shared.storage.sums.data_ptr(),
            cute.make_layout((_ROWS, COLUMNS, _GROUPS), stride=(COLUMNS, 1, _ROWS * COLUMNS)),
        )
        tiles = cute.local_tile(places, (_ROWS, COLUMNS), (None, None))
        inside, outside = cpasync.tma_partition(
            atom, 0, cute.make_layout(1), cute.group_modes(memory, 0, 2), cute.group_modes(tiles, 0, 2)
        )  # fmt: skip
        state.adder, state.warp = (atom, inside, outside), warp
        # Four registers of each thread, then four others.
        own = shared.storage.sums.data_ptr() + (state.group * (TILE * _HALF) + state.thread * 4)
        state.own_sums = cute.make_tensor(
            own, cute.make_layout((4, _HALF // 8), stride=(1, 4 * _WARPGROUP))
        )

    def step(
        self, work: SimpleNamespace, number: Number, masked: bool, pipes: Sequence[Any], fragments: SimpleNamespace,
        shared: SimpleNamespace, state: SimpleNamespace, first: Any, second: Any,
    ) -> None:  # fmt: skip
        next_first, next_second = first.clone(), second.clone()
        next_first.advance()
        next_second.advance()
        self.ask_all_sums(state, fragments, shared, first, second)
        warpgroup.wait_group(1)
        self.release(pipes, first, second)
        self.ask_scores(state, state.scores, fragments, 0, next_first, pipes)
        warpgroup.wait_group(1)
        self.add(work, state, first)
        self.ask_scores(state, state.products, fragments, 1, next_second, pipes)
        warpgroup.wait_group(1)
        self.exponentials(state, shared, next_first)
        if self.window.right != 0:
            self.hide_missing(state, shared.keys)
        if masked:
            self.mask(work, state, number)
        warpgroup.wait_group(0)

    def end(
        self, work: SimpleNamespace, pipes: Sequence[Any], fragments: SimpleNamespace, shared: SimpleNamespace,
        state: SimpleNamespace, first: Any, second: Any,
    ) -> None:  # fmt: skip
        self.ask_all_sums(state, fragments, shared, first, second)
        warpgroup.wait_group(0)
        self.release(pipes, first, second)
        self.add(work, state, first)
        # The results are stored through the memory of K, which the other warpgroup has multiplied, too.
        cute.arch.barrier(barrier_id=_BOTH, number_of_threads=_GROUPS * _WARPGROUP)

    def ask_all_sums(
        self, state: SimpleNamespace, fragments: SimpleNamespace, shared: SimpleNamespace, first: Any, second: Any
    ) -> None:  # fmt: skip
        """Compute dS of a tile, and ask for what it adds to the sums."""
        self.multiply(state, shared, second)
        buffer = first.count % 2
        narrow = cute.make_fragment_like(state.products, self.dtype)
        narrow.store(state.products.load().to(self.dtype))
        place = state.to_changes[None, None, None, buffer * _GROUPS + state.group]
        cute.copy(state.copy, state.copy.retile(narrow), place)
        store_operand(state.scores, state.operands[1])
        store_operand(state.products, state.operands[0])
        cute.arch.fence_proxy("async.shared", space="cta")
        cute.arch.barrier(barrier_id=_BOTH, number_of_threads=_GROUPS * _WARPGROUP)
        warpgroup.fence()
        self.ask_sums(state, fragments, first, second)
        steps = cute.size(state.right, mode=[2])
        zero = first.index >> 8  # as in ask_scores
        for i in range(cute.size(state.left, mode=[2])):
            state.of_q_mma.set(warpgroup.Field.ACCUMULATE, i > 0)
            cute.gemm(
                state.of_q_mma, state.of_q, state.left[None, None, i, buffer],
                state.right[None, None, i % steps, i // steps + zero], state.of_q,
            )  # fmt: skip
        warpgroup.commit_group()

    @cute.jit
    def add(self, work: SimpleNamespace, state: SimpleNamespace, first: Any) -> None:
        """Have the warpgroup's sums for a tile of queries added in memory."""
        atom, inside, outside = state.adder
        is_first_warp = state.warp % 4 == 0
        if is_first_warp:
            cute.arch.cp_async_bulk_wait_group(0, read=True)
        cute.arch.barrier(barrier_id=_OWN + state.group, number_of_threads=_WARPGROUP)
        copy = cute.make_copy_atom(CopyUniversalOp(), Float32, num_bits_per_copy=128)
        registers = cute.make_tensor(state.of_q.iterator, cute.make_layout((4, _HALF // 8)))
        cute.copy(copy, registers, state.own_sums)
        cute.arch.fence_proxy("async.shared", space="cta")
        cute.arch.barrier(barrier_id=_OWN + state.group, number_of_threads=_WARPGROUP)
        if is_first_warp:
            _, kv_heads, _ = cute.arch.grid_dim()
            number, head = first.count, work.head
            if cute.const_expr(self.group > 1):
                head = head * self.group + number // work.count
                number = number % work.count
            tile = work.first + number
            tiles = cute.ceil_div(work.rows, TILE)
            heads = kv_heads * self.group
            part = ((work.batch * heads + head) * tiles + tile) * _GROUPS + state.group
            cute.copy(atom, inside[None, state.group], outside[None, part, 0])
            cute.arch.cp_async_bulk_commit_group()


class StoreSums:
    """The gradient for Q, from the workspace of HopperAllGradients."""

    def __init__(self, dtype: type[_compiler.Numeric], head_dim: int, scale: float) -> None:
        self.dtype, self.head_dim, self.scale = dtype, head_dim, scale

    @cute.jit
    def __call__(self, sums: cute.Tensor, of_q: cute.Tensor) -> None:
        K = OperandMajorMode.K
        mma = sm90.make_trivial_tiled_mma(
            self.dtype, self.dtype, K, K, Float32, (1, 1, 1), (TILE, _HALF)
        )
        self.kernel(sums, of_q, mma).launch(
            grid=(cute.ceil_div(of_q.shape[2], TILE), of_q.shape[1], of_q.shape[0]),
            block=(_WARPGROUP * _GROUPS, 1, 1),
        )

    @cute.kernel
    def kernel(self, sums: cute.Tensor, of_q: cute.Tensor, mma: cute.TiledMma) -> None:
        tile, head, batch = cute.arch.block_idx()
        tiles, heads, _ = cute.arch.grid_dim()
        thread, _, _ = cute.arch.thread_idx()
        group = thread // _WARPGROUP
        part = ((batch * heads + head) * tiles + tile) * _GROUPS + group
        start = Int64(part) * (TILE * _HALF) + thread % _WARPGROUP * 4
        memory = cute.make_tensor(
            sums.iterator + cute.assume(start, divby=4),
            cute.make_layout((4, _HALF // 8), stride=(1, 4 * _WARPGROUP)),
        )
        copy = cute.make_copy_atom(CopyUniversalOp(), Float32, num_bits_per_copy=128)
        registers = cute.make_rmem_tensor((4, _HALF // 8), Float32)
        cute.copy(copy, memory, registers)
        places = mma.get_slice(thread % _WARPGROUP).partition_C(
            cute.make_identity_tensor((TILE, _HALF))
        )
        for index in cute.range_constexpr(TILE * _HALF // _WARPGROUP):
            along, across = places[index]
            row, column = tile * TILE + along, group * _HALF + across
            if (row < of_q.shape[2]) & (column < self.head_dim):
                value = registers[index] * self.scale
                of_q[batch, head, row, column] = value.to(self.dtype)
