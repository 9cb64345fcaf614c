"""Attention in tensor memory: for GPUs of compute capability 10.0 and 10.3, and the CPU. No such GPU has run it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from fairlead import _compiler, cute, pipeline, utils
from fairlead._compiler import Float32, Int32, Int64
from fairlead.cute._types import Number
from fairlead.cute.nvgpu import OperandMajorMode, cpasync, tcgen05
from fairlead.cute.typing import Int
from fairlead.ops._arrays import Described
from fairlead.ops._hopper_attention import turned
from fairlead.ops._softmax import HEADROOM, Extras, OnlineSoftmax, Window, finite, result_and_extras
from fairlead.utils import blackwell_helpers as sm100

__all__ = ["BlackwellAttention", "is_for_tensor_memory"]

#: Rows of a tile of queries, and keys of a tile.
_ROWS = _KEYS = 128
#: Tiles of queries of a block. Four warps compute the probabilities of each.
_TILES = 2
_QUERIES = _TILES * _ROWS
_LOADING, _MULTIPLYING = 4 * _TILES, 4 * _TILES + 1
#: Whole warpgroups, which share registers; their registers.
_THREADS = _ROWS * (_TILES + 1)
_FEW, _MANY = 80, 208
#: Stages of keys, and of values.
_STAGES = 2
#: Columns of tensor memory, and those of a tile's scores. The sums of all tiles come after all scores.
_COLUMNS, _SCORES = 512, 128
#: The step from one lane of tensor memory to the next, in columns.
_LANE = 1 << 16
#: Columns that a thread moves at a time.
_PART = 32
#: The longest head.
_LONGEST = 128


def is_for_tensor_memory(inputs: list[Described]) -> bool:
    """True for heads of at most 128 elements on a GPU with tensor memory, of strides that tensor maps can have."""
    first = inputs[0]
    return (
        first.has("tcgen05")
        and first.shape[-1] <= _LONGEST
        and all(stride > 0 and stride % 8 == 0 for array in inputs for stride in array.strides[:-1])
    )


class BlackwellAttention:
    """softmax(scale * Q K^T) V for Q (batch, heads, queries, head_dim), K (batch, heads / group, keys, head_dim), V
    (batch, heads / group, keys, value_dim).

    A block has two tiles of 128 queries of a head. One warp loads, another one multiplies, and four warps compute the
    probabilities of each tile, a row in each thread. Scores, probabilities, and sums of products with values stay in
    tensor memory; probabilities replace the scores. While the probabilities of one tile are computed, products of the
    other one are under way.

    A thread's sums are scaled only if the greatest score of its row has grown much. The products with values are
    complete then: the products with the next keys, whose end the thread has waited for, came after them.
    """

    def __init__(
        self, dtype: type[_compiler.Numeric], head_dim: int, group: int, causal: bool | Window, scale: float,
        softcap: float = 0.0, value_dim: int | None = None, with_sinks: bool = False,
    ) -> None:  # fmt: skip
        """``group``: heads of queries that share keys; ``value_dim``: elements of a head of values, default
        head_dim."""
        self.dtype, self.head_dim, self.group = dtype, head_dim, group
        self.value_dim = value_dim or head_dim
        self.window, self.softmax = Window.of(causal), OnlineSoftmax(scale, softcap)
        self.padded, self.value_padded = (-(-dim // 64) * 64 for dim in (head_dim, self.value_dim))
        self.with_sinks = with_sinks

    @cute.jit
    def __call__(
        self, q: cute.Tensor, k: cute.Tensor, v: cute.Tensor, *others: cute.Tensor
    ) -> None:
        """``others``: the sinks (heads), if any; the result; the logarithms of the sums of powers (batch, heads,
        queries), if they are stored."""
        out, extras = result_and_extras(others, self.with_sinks)
        one, K = tcgen05.CtaGroup.ONE, OperandMajorMode.K
        scores = sm100.make_trivial_tiled_mma(self.dtype, K, K, Float32, one, (_ROWS, _KEYS))
        values = sm100.make_trivial_tiled_mma(
            self.dtype, K, OperandMajorMode.MN, Float32, one, (_ROWS, self.value_padded), tcgen05.OperandSource.TMEM
        )  # fmt: skip
        of_scores = (_ROWS, _KEYS, self.padded)
        of_values = (_ROWS, self.value_padded, _KEYS)
        staged = (
            sm100.make_smem_layout_a(scores, of_scores, self.dtype, _TILES),
            sm100.make_smem_layout_b(scores, of_scores, self.dtype, _STAGES),
            sm100.make_smem_layout_b(values, of_values, self.dtype, _STAGES),
        )
        op, to_a, to_b = (
            cpasync.CopyBulkTensorTileG2SOp(one),
            cute.nvgpu.make_tiled_tma_atom_A,
            cute.nvgpu.make_tiled_tma_atom_B,
        )
        loads = [
            make(op, tensor, cute.select(layout, mode=[0, 1, 2]), tile, mma, (1, 1, 1, 1))
            for make, tensor, layout, tile, mma in (
                (to_a, turned(q, (2, 3, 1, 0)), staged[0], of_scores, scores),
                (to_b, turned(k, (2, 3, 1, 0)), staged[1], of_scores, scores),
                (to_b, turned(v, (3, 2, 1, 0)), staged[2], of_values, values),
            )
        ]

        @cute.struct
        class Storage:
            queries: cute.struct.MemRange[Int64, 2 * _TILES]  # type: ignore
            keys: cute.struct.MemRange[Int64, 2 * _STAGES]  # type: ignore
            values: cute.struct.MemRange[Int64, 2 * _STAGES]  # type: ignore
            products: cute.struct.MemRange[Int64, 2 * _TILES]  # type: ignore

        self.storage = Storage
        atoms, tensors = [load[0] for load in loads], [load[1] for load in loads]
        extents = (q.shape[2], k.shape[2])
        self.kernel(
            (scores, values), atoms, tensors, staged, extents, out, extras
        ).launch(
            grid=(cute.ceil_div(q.shape[2], _QUERIES), q.shape[1], q.shape[0]), block=(_THREADS, 1, 1)
        )  # fmt: skip

    @cute.kernel
    def kernel(
        self, mmas: Sequence[Any], atoms: Sequence[Any], tensors: Sequence[Any], staged: Sequence[Any],
        extents: Sequence[Any], out: _compiler.Tensor, extras: Extras,
    ) -> None:  # fmt: skip
        thread, _, _ = cute.arch.thread_idx()
        warp = cute.arch.make_warp_uniform(cute.arch.warp_idx())
        number, head, batch = cute.arch.block_idx()
        blocks, _, _ = cute.arch.grid_dim()
        # Blocks whose queries see many keys begin first.
        block = blocks - 1 - number
        smem = utils.SmemAllocator()
        storage = smem.allocate(self.storage)
        shared = [
            smem.allocate_tensor(self.dtype, layout.outer, 1024, layout.inner) for layout in staged
        ]
        memory = utils.TmemAllocator(barrier_for_retrieve=pipeline.NamedBarrier(1, _THREADS))
        memory.allocate(_COLUMNS)
        loads, products = self.pipelines(storage)
        memory.wait_for_alloc()
        pointer = memory.retrieve_ptr(Float32)
        tiles = self.tiles_of_keys(block, extents)
        if warp >= _LOADING:
            cute.arch.setmaxregister_decrease(_FEW)
            if warp == _LOADING:
                places = (block, head, head // self.group, batch)
                self.load(mmas, atoms, tensors, shared, loads, places, tiles)
            if warp == _MULTIPLYING:
                self.multiply(mmas, shared, loads, products, pointer, tiles)
        else:
            cute.arch.setmaxregister_increase(_MANY)
            logs = extras.logs if extras.logs is None else extras.logs[batch, head, None]
            row = block * _QUERIES + thread
            rows = (out[batch, head, None, None], logs, extras.sink(head), row)
            for i in cute.range_constexpr(_TILES):
                if warp // 4 == i:
                    self.compute(pointer, products[i], i, thread % _ROWS, extents, tiles, rows)
        memory.relinquish_alloc_permit()
        pipeline.sync(barrier_id=2)
        memory.free(pointer)

    def pipelines(self, storage: Any) -> tuple[list[Any], list[Any]]:
        """Stages of queries, keys and values; and for each tile, products: scores that wait for their probabilities."""
        thread = pipeline.Agent.Thread
        one, consumer = pipeline.CooperativeGroup(thread), pipeline.CooperativeGroup(thread, 1)
        bytes_ = self.dtype.width // 8
        loads = [
            pipeline.PipelineTmaUmma.create(
                num_stages=stages, producer_group=one, consumer_group=consumer,
                tx_count=elements * bytes_, barrier_storage=barriers.data_ptr(),
            )
            for stages, elements, barriers in (
                (_TILES, _ROWS * self.padded, storage.queries),
                (_STAGES, _KEYS * self.padded, storage.keys),
                (_STAGES, _KEYS * self.value_padded, storage.values),
            )
        ]  # fmt: skip
        products = [
            pipeline.PipelineUmmaAsync.create(
                num_stages=1, producer_group=one, consumer_group=pipeline.CooperativeGroup(thread, _ROWS),
                barrier_storage=storage.products.data_ptr() + 2 * i,
            )
            for i in range(_TILES)
        ]  # fmt: skip
        return loads, products

    def tiles_of_keys(self, block: Int, extents: Sequence[Any]) -> tuple[Any, Any, Any]:
        """Return the first tile of keys that the block's queries see, the end of them, and the end of the leading ones
        that need no mask."""
        queries, keys = extents
        first = block * _QUERIES + keys - queries
        begin = self.window.begin(first) // _KEYS
        visible = self.window.end(first + (_QUERIES - 1), keys)
        # If no tile has a key that a query sees, the first one is masked.
        end = _compiler.max((visible + _KEYS - 1) // _KEYS, begin + 1)
        unmasked = begin
        if self.window.left is None:
            visible_begin = _compiler.max(self.window.end(first, keys), Int32(0))
            unmasked = _compiler.min(visible_begin // _KEYS, end)
        return begin, end, unmasked

    @cute.jit
    def load(
        self, mmas: Sequence[Any], atoms: Sequence[Any], tensors: Sequence[Any], shared: Sequence[Any],
        pipes: Sequence[Any], places: Sequence[Any], tiles: Sequence[Any],
    ) -> None:  # fmt: skip
        """Load the queries, and keys and values from the last tile to the first."""
        scores, values = (mma.get_slice(0) for mma in mmas)
        block, head, other, batch = places
        begin, end, _ = tiles
        queries, keys = (
            cute.local_tile(tensor, (_ROWS, self.padded), (None, 0, of_head, batch))
            for tensor, of_head in zip(tensors[:2], (head, other), strict=True)
        )
        of_values = cute.local_tile(tensors[2], (self.value_padded, _KEYS), (0, None, other, batch))
        parts = (
            scores.partition_A(queries),
            scores.partition_B(keys),
            values.partition_B(of_values),
        )
        boxes = [
            cpasync.tma_partition(
                atom, 0, cute.make_layout(1), cute.group_modes(memory, 0, 3), cute.group_modes(part, 0, 3)
            )
            for atom, memory, part in zip(atoms, shared, parts, strict=True)
        ]  # fmt: skip
        states = [
            pipeline.make_pipeline_state(pipeline.PipelineUserType.Producer, pipe.num_stages)
            for pipe in pipes
        ]
        for i in cute.range_constexpr(_TILES):
            self.load_tile(pipes[0], states[0], atoms[0], boxes[0], block * _TILES + i)
            states[0].advance()
        for step in range(end - begin):
            for pipe, state, atom, box in zip(
                pipes[1:], states[1:], atoms[1:], boxes[1:], strict=True
            ):
                self.load_tile(pipe, state, atom, box, end - 1 - step)
                state.advance()
        for pipe, state in zip(pipes, states, strict=True):
            pipe.producer_tail(state)

    def load_tile(
        self,
        pipe: pipeline.PipelineTmaUmma,
        state: pipeline.PipelineState,
        atom: cute.CopyAtom,
        box: Sequence[Any],
        tile: Int,
    ) -> None:
        """Fill the next stage."""
        to, source = box
        pipe.producer_acquire(state)
        barrier = pipe.producer_get_barrier(state)
        cute.copy(atom, source[None, tile], to[None, state.index], tma_bar_ptr=barrier)

    @cute.jit
    def multiply(
        self, mmas: Sequence[Any], shared: Sequence[Any], loads: Sequence[Any], products: Sequence[Any],
        pointer: _compiler.Pointer, tiles: Sequence[Any],
    ) -> None:  # fmt: skip
        """Have each tile's probabilities multiplied with values as soon as they are there, and its queries with the
        next keys after that."""
        scores, values = mmas
        fq, fk = scores.make_fragment_A(shared[0]), scores.make_fragment_B(shared[1])
        fv = values.make_fragment_B(shared[2])
        of_scores = scores.make_fragment_C(scores.partition_shape_C((_ROWS, _KEYS))).layout
        of_sums = values.make_fragment_C(
            values.partition_shape_C((_ROWS, self.value_padded))
        ).layout
        of_powers = values.make_fragment_A(values.partition_shape_A((_ROWS, _KEYS))).layout
        score_sums, sums, powers = [], [], []
        for i in cute.range_constexpr(_TILES):
            at = pointer + i * _SCORES
            score_sums.append(cute.make_tensor(at, of_scores))
            powers.append(cute.make_tensor(cute.recast_ptr(at, dtype=self.dtype), of_powers))
            sums.append(cute.make_tensor(pointer + self.sums_of(i), of_sums))
        consumer, producer = pipeline.PipelineUserType.Consumer, pipeline.PipelineUserType.Producer
        q_state, k_state, v_state = (
            pipeline.make_pipeline_state(consumer, pipe.num_stages) for pipe in loads
        )
        states = [pipeline.make_pipeline_state(producer, 1) for _ in range(_TILES)]
        begin, end, _ = tiles
        loads[1].consumer_wait(k_state)
        for i in cute.range_constexpr(_TILES):
            loads[0].consumer_wait(q_state)
            products[i].producer_acquire(states[i])
            self.product(
                scores, score_sums[i], fq[None, None, None, i], fk[None, None, None, k_state.index]
            )
            products[i].producer_commit(states[i])
            states[i].advance()
            q_state.advance()
        loads[1].consumer_release(k_state)
        k_state.advance()
        for step in range(end - begin - 1):
            loads[2].consumer_wait(v_state)
            loads[1].consumer_wait(k_state)
            for i in cute.range_constexpr(_TILES):
                products[i].producer_acquire(states[i])
                self.product(
                    values, sums[i], powers[i], fv[None, None, None, v_state.index], step > 0
                )
                self.product(
                    scores,
                    score_sums[i],
                    fq[None, None, None, i],
                    fk[None, None, None, k_state.index],
                )
                products[i].producer_commit(states[i])
                states[i].advance()
            loads[2].consumer_release(v_state)
            loads[1].consumer_release(k_state)
            v_state.advance()
            k_state.advance()
        loads[2].consumer_wait(v_state)
        for i in cute.range_constexpr(_TILES):
            products[i].producer_acquire(states[i])
            self.product(
                values, sums[i], powers[i], fv[None, None, None, v_state.index], end - begin > 1
            )
            products[i].producer_commit(states[i])
            loads[0].consumer_release(q_state)
            q_state.advance()
        loads[2].consumer_release(v_state)

    def sums_of(self, tile: int) -> int:
        """Return the first column of a tile's sums."""
        return _TILES * _SCORES + tile * _LONGEST

    def product(
        self,
        mma: cute.TiledMma,
        c: _compiler.Tensor,
        a: _compiler.Tensor,
        b: _compiler.Tensor,
        adds: Number = False,
    ) -> None:
        """Have C replaced by a product, or the product added to it."""
        for k in range(cute.size(a, mode=[2])):
            mma.set(tcgen05.Field.ACCUMULATE, adds if k == 0 else True)
            cute.gemm(mma, c, a[None, None, k], b[None, None, k], c)

    @cute.jit
    def compute(
        self, pointer: _compiler.Pointer, pipe: Any, tile: cute.Constexpr, thread: Int, extents: Sequence[Any],
        tiles: Sequence[Any], rows: Sequence[Any],
    ) -> None:  # fmt: skip
        """Compute the probabilities of a row, tile by tile, and store its result. ``rows``: results, logarithms or
        None, the head's sink or None, and the number of the row among them."""
        queries, keys = extents
        out, logs, sink, row = rows
        begin, end, unmasked = tiles
        place = row + keys - queries
        limits = self.window.begin(place), self.window.end(place, keys)
        base, total = cute.make_rmem_tensor(1, Float32), cute.make_rmem_tensor(1, Float32)
        base.fill(-Float32.inf)
        total.fill(0.0)
        memory = self.memory_of(pointer, tile, thread)
        state = pipeline.make_pipeline_state(pipeline.PipelineUserType.Consumer, 1)
        for step in range(end - unmasked):
            pipe.consumer_wait(state)
            self.step(memory, (base, total), step, limits, (end - 1 - step) * _KEYS)
            pipe.consumer_release(state)
            state.advance()
        for step in range(end - unmasked, end - begin):
            pipe.consumer_wait(state)
            self.step(memory, (base, total), step, None, None)
            pipe.consumer_release(state)
            state.advance()
        pipe.consumer_wait(state)
        start = self.softmax.start(base[0])
        total[0] = self.softmax.with_sink(total[0], start, sink)
        self.store(memory, out, row, queries, total)
        pipe.consumer_release(state)
        if cute.const_expr(logs is not None):
            natural = self.softmax.logarithm(total[0], start, sink)
            if row < queries:
                logs[row] = natural

    def memory_of(self, pointer: _compiler.Pointer, tile: int, thread: Int) -> dict[str, Any]:
        """Return a thread's copies between registers and a tile's tensor memory, each with the parts there."""
        copies = {}
        for name, op, first, columns, width in (
            ("scores", tcgen05.Ld32x32bOp, tile * _SCORES, _KEYS, _PART),
            ("powers", tcgen05.St32x32bOp, tile * _SCORES, _KEYS // 2, _PART // 2),
            ("sums", tcgen05.Ld32x32bOp, self.sums_of(tile), self.value_padded, _PART),
            ("scaled", tcgen05.St32x32bOp, self.sums_of(tile), self.value_padded, _PART),
        ):
            layout = cute.make_layout(((_ROWS, columns), 1, 1), stride=((_LANE, 1), 0, 0))
            cells = cute.zipped_divide(cute.make_tensor(pointer + first, layout), ((_ROWS, width),))
            atom = cute.make_copy_atom(op(tcgen05.Repetition(width)), Float32)
            copy = tcgen05.make_tmem_copy(atom, cells[None, 0])
            part = copy.get_slice(thread)
            is_load = op is tcgen05.Ld32x32bOp
            parts = part.partition_S(cells) if is_load else part.partition_D(cells)
            copies[name] = (copy, parts)
        return copies

    def move(self, side: Sequence[Any], part: object, registers: _compiler.Tensor) -> None:
        """Copy a part, by the copy of ``memory_of``."""
        copy, parts = side
        width = cute.size(registers)
        held = cute.make_tensor(registers.iterator, cute.make_layout(((width, 1), 1)))
        cells = parts[None, None, part]
        is_load = isinstance(copy.op, tcgen05.Ld32x32bOp)
        cute.copy(copy, *((cells, held) if is_load else (held, cells)))

    @cute.jit
    def step(
        self, memory: cute.Constexpr, state: Sequence[Any], step: Int, limits: Any, first: Any,
    ) -> None:  # fmt: skip
        """Replace a row's scores by powers of their distance to the row's base, which are added to ``total``.
        ``limits``: the first key that the row sees and the end of them, if they need a mask; ``first``: the first key
        of the tile."""
        base, total = state
        values = cute.make_rmem_tensor(_KEYS, Float32)
        for part in cute.range_constexpr(_KEYS // _PART):
            self.move(memory["scores"], part, self.part_of(values, part))
        cute.arch.fence_view_async_tmem_load()
        self.softmax.turn(values)
        if cute.const_expr(limits is not None):
            least, limit = limits[0] - first, limits[1] - first
            for i in cute.range_constexpr(_KEYS):
                is_seen = limit > i
                if cute.const_expr(self.window.left is not None):
                    is_seen = is_seen & (least <= i)
                values[i] = cute.where(is_seen, values[i], -Float32.inf)
        best = values.load().reduce(cute.ReductionOp.MAX, -Float32.inf, 0)
        before = base[0]
        grows = best > before + HEADROOM / self.softmax.scale
        base[0] = cute.where(grows, best, before)
        if cute.arch.vote_any_sync(grows):
            factor = self.softmax.factor(before, base[0])
            total[0] = total[0] * factor
            if step > 0:
                self.scale_sums(memory, factor)
        start = finite(base[0]) * self.softmax.scale
        powers = cute.math.exp2(values.load() * self.softmax.scale - start, fastmath=True)
        total[0] = total[0] + powers.reduce(cute.ReductionOp.ADD, 0.0, 0)
        narrow = cute.make_rmem_tensor(_KEYS, self.dtype)
        narrow.store(powers.to(self.dtype))
        words = cute.make_tensor(
            cute.recast_ptr(narrow.iterator, dtype=Float32), cute.make_layout(_KEYS // 2)
        )
        for part in cute.range_constexpr(_KEYS // _PART):
            self.move(memory["powers"], part, self.part_of(words, part, _PART // 2))
        cute.arch.fence_view_async_tmem_store()

    def part_of(self, registers: _compiler.Tensor, part: int, width: int = _PART) -> Any:
        """Return the registers of a part."""
        return cute.make_tensor(registers.iterator + part * width, cute.make_layout(width))

    @cute.jit
    def scale_sums(self, memory: cute.Constexpr, factor: Number) -> None:
        """Multiply a row's sums by a factor."""
        values = cute.make_rmem_tensor(_PART, Float32)
        for part in range(self.value_padded // _PART):
            self.move(memory["sums"], part, values)
            cute.arch.fence_view_async_tmem_load()
            values.store(values.load() * factor)
            self.move(memory["scaled"], part, values)
        cute.arch.fence_view_async_tmem_store()

    @cute.jit
    def store(
        self, memory: cute.Constexpr, out: _compiler.Tensor, row: Int, queries: Int, total: _compiler.Tensor
    ) -> None:  # fmt: skip
        """Store a row's sums, divided by the sum of its powers; 0 if it sees no key."""
        factor = cute.where(total[0] > 0, 1.0 / total[0], Float32(0))
        values = cute.make_rmem_tensor(_PART, Float32)
        result = cute.make_rmem_tensor(_PART, self.dtype)
        width = math.gcd(self.value_dim, _PART)
        for part in cute.range_constexpr(-(-self.value_dim // _PART)):
            self.move(memory["sums"], part, values)
            cute.arch.fence_view_async_tmem_load()
            result.store((values.load() * factor).to(self.dtype))
            if row < queries:
                for i in cute.range_constexpr(min(self.value_dim - part * _PART, _PART) // width):
                    target = cute.local_tile(
                        out[row, None], (width,), (part * (_PART // width) + i,)
                    )
                    cute.autovec_copy(self.part_of(result, i, width), target)
