"""Attention by warpgroups, for GPUs of compute capability 9.0: keys and values come by TMA."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fairlead import _compiler, cute, pipeline, utils
from fairlead._compiler import Float32, Int32, Int64
from fairlead.cute._assembly import inline_asm
from fairlead.cute._types import Number
from fairlead.cute.nvgpu import OperandMajorMode, cpasync, warpgroup
from fairlead.cute.typing import Int
from fairlead.ops._arrays import Described
from fairlead.ops._softmax import Extras, OnlineSoftmax, Window, by_rows, result_and_extras
from fairlead.utils import hopper_helpers as sm90

__all__ = [
    "Batches",
    "HopperAttention",
    "is_for_warpgroups",
    "key_tiles",
    "tiles_of",
    "store_operand",
    "turned",
]


_WARPGROUP, _ROWS = 128, 64
#: Keys of a tile and whether warpgroups take turns, by the elements of a head, rounded up: what an H200 likes best of
#: what shared memory has room for.
_KEYS = {64: (128, True), 128: (128, False), 192: (96, False), 256: (64, True)}
#: Bytes of keys and values that the cache holds; heads of all batches of which several blocks at a time read each.
_CACHED, _FEW_HEADS = 32 << 20, 64
#: So many keys are long for heads of 64 elements, and their tiles then.
_LONG, _OF_LONG = 2048, (160, True)
#: Tiles by three warpgroups, for which registers have room if heads have 64 elements at most, and the time that a query
#: takes then, as a share of that by two.
_BY_THREE, _SHARE = (128, True, 3), 0.85
#: Bytes of shared memory of a block, without barriers and alignment.
_SHARED = 225 * 1024
#: Registers of a loading thread, and of one that computes, by the warpgroups that compute.
_FEW, _MANY = 24, {2: 240, 3: 160}
#: Named barriers: whose turn it is to ask for products, and the threads of a warpgroup.
_TURNS, _OWN = 2, 5


class Batches:
    """The tiles of queries of sequences of one length: of one head after the other, whose keys and values are in the
    cache then. Or, where tiles take unequal times, the long ones of all heads first, so that all blocks end at about
    the same time: if the cache holds all keys and values, or many blocks at a time read the same ones."""

    def __init__(
        self, q: _compiler.Tensor, k: _compiler.Tensor, rows: int, cached: int | None
    ) -> None:
        """Places (queries, head_dim, heads, batch), (keys, ...); ``rows``: queries of a tile; ``cached``: how many
        keys, of all heads, the cache holds, None where tiles take equal times."""
        self.queries, self.keys, self.heads = (
            Int32(q.shape[0]),
            Int32(k.shape[0]),
            Int32(q.shape[2]),
        )
        self.batches = Int32(q.shape[3])
        self.tiles = cute.ceil_div(self.queries, rows)
        self.cached = cached
        if cached is not None:
            all_keys = self.keys * Int32(k.shape[2]) * self.batches
            self.by_length = (all_keys <= cached) | (self.heads * self.batches <= _FEW_HEADS)

    def total(self) -> Any:
        return self.tiles * self.heads * self.batches

    def sequence(self, place: object, before: object) -> Any:
        """Return the sequence that a tile belongs to, after that of a smaller number."""
        return before

    def extents(self, sequence: object) -> tuple[Any, Any]:
        """Queries and keys."""
        return self.queries, self.keys

    def place(self, number: object, sequence: object) -> tuple[Any, Any, Any]:
        """The tile, the head, the batch."""
        if cute.const_expr(self.cached is None):
            y, before = number // self.tiles, number % self.tiles
        else:
            together = cute.where(self.by_length, self.heads * self.batches, self.tiles)
            slow, fast = number // together, number % together
            y = cute.where(self.by_length, fast, slow)
            before = cute.where(self.by_length, slow, fast)
        return self.tiles - 1 - before, y % self.heads, y // self.heads

    def first_query(self, sequence: object) -> Any:
        """Return the row of the sequence's first query."""
        return Int32(0)

    def maps(self, sequence: object) -> tuple[Any, ...]:
        """Return the tensor maps of Q, K, V and O. None: use the tensor maps of the atoms."""
        return None, None, None, None


def turned(tensor: _compiler.Tensor, order: tuple[int, ...]) -> Any:
    """Return the tensor with its modes in this order."""
    shape, stride = tensor.shape, tensor.stride
    layout = cute.make_layout(
        tuple(shape[mode] for mode in order), stride=tuple(stride[mode] for mode in order)
    )
    return cute.make_tensor(tensor.iterator, layout)


def store_operand(scores: _compiler.Tensor, operand: _compiler.Tensor) -> None:
    """Convert scores into the registers of a left operand, which are in the same order. Each word of two is made here,
    by an instruction that stays where it is: after the fence no instruction may write a register of an operand."""
    fragment = cute.make_fragment_like(scores, operand.element_type)
    fragment.store(scores.load().to(operand.element_type))
    words, destination = (
        cute.make_tensor(
            cute.recast_ptr(part.iterator, dtype=Int32), cute.make_layout(cute.size(scores) // 2)
        )
        for part in (fragment, operand)
    )
    for i in range(cute.size(scores) // 2):
        destination[i] = inline_asm(
            Int32, [words[i]], "mov.b32 $0, $1;", "=r,r", has_side_effects=True
        )


def is_for_warpgroups(inputs: list[Described], longest: int = 256) -> bool:
    """Return True if a GPU of compute capability 9.0 can copy boxes of them: strides of 16 bytes or more, and heads of
    ``longest`` elements at most."""
    first = inputs[0]
    return (
        first.has("wgmma")
        and first.shape[-1] <= longest
        and all(stride > 0 and stride % 8 == 0 for array in inputs for stride in array.strides[:-1])
    )


def key_tiles(head_dim: int, keys: int, value_dim: int | None = None) -> tuple[int, bool]:
    """Return how many keys a tile of HopperAttention has, and whether warpgroups take turns, for sequences of so many
    keys. ``value_dim``: elements of a head of values, default head_dim."""
    padded, of_values = (-(-dim // 64) * 64 for dim in (head_dim, value_dim or head_dim))
    if padded != of_values:
        # As many as shared memory has room for beside queries and results.
        room = _SHARED - 2 * 2 * _ROWS * (padded + of_values)
        return min(room // (4 * (padded + of_values)) // 16 * 16, 128), False
    return _OF_LONG if padded == 64 and keys > _LONG else _KEYS[padded]


def tiles_of(
    window: Window, head_dim: int, queries: int, keys: int, heads: int, blocks: int, value_dim: int | None = None
) -> tuple[int, bool, int]:  # fmt: skip
    """Return how many keys a tile of HopperAttention has, whether warpgroups take turns, and how many there are.

    Args:
        heads: of all batches.
        blocks: multiprocessors.
    """
    by_two = (*key_tiles(head_dim, keys, value_dim), 2)
    if head_dim > 64 or window.left is not None or window.right not in (None, 0):
        return by_two

    def time(groups: int) -> float:
        rows = groups * _ROWS
        tiles = -(-queries // rows)
        if window.right is None:
            return -(-heads * tiles // blocks) * rows * keys
        # A tile multiplies the keys up to its last query, and those of the same tile of 128.
        seen = min(keys, keys - queries + (tiles + 1) * rows / 2 + rows % 128 / 2)
        return max(heads * tiles * seen / blocks, keys) * rows

    return _BY_THREE if _SHARE * time(3) < time(2) else by_two


class HopperAttention:
    """softmax(scale * Q K^T) V for Q (batch, heads, queries, head_dim), K (batch, heads / group, keys, head_dim), V
    (batch, heads / group, keys, value_dim).

    A block stays on its multiprocessor for every so many tiles of queries of a head. One warpgroup loads, ``groups``
    others have 64 queries each. From the last tile of keys to the first, a warpgroup asks for the scores of a tile and
    for the products of the probabilities of the one before with its values, and computes probabilities while the
    latter are under way. With ``in_turn`` they take turns in asking, so that some compute exponentials while another
    multiplies. Results of long heads go through shared memory where their queries were, as there is no room for both:
    the queries of the next tile come after that.
    """

    def __init__(
        self, dtype: type[_compiler.Numeric], head_dim: int, group: int, causal: bool | Window, scale: float,
        blocks: int, keys: int, in_turn: bool = False, groups: int = 2, stages: int = 2, softcap: float = 0.0,
        value_dim: int | None = None, with_sinks: bool = False, with_slopes: bool = False,
    ) -> None:  # fmt: skip
        """``blocks``: most blocks of the grid; ``keys``: of a tile, a multiple of 16. See ``key_tiles``. ``value_dim``:
        elements of a head of values, default head_dim."""
        self.dtype, self.head_dim, self.group, self.window = (
            dtype,
            head_dim,
            group,
            Window.of(causal),
        )
        self.value_dim = value_dim or head_dim
        self.padded, self.value_padded = (-(-dim // 64) * 64 for dim in (head_dim, self.value_dim))
        self.keys = keys
        self.value_major = OperandMajorMode.MN
        self.result_replaces_queries = self.padded == self.value_padded > 128
        self.blocks, self.in_turn, self.stages = blocks, in_turn, stages
        self.softmax = OnlineSoftmax(scale, softcap)
        self.with_sinks, self.with_slopes = with_sinks, with_slopes
        self.groups, self.queries = groups, groups * _ROWS

    @cute.jit
    def __call__(
        self, q: cute.Tensor, k: cute.Tensor, v: cute.Tensor, *others: cute.Tensor
    ) -> None:
        """``others``: the sinks (heads), if any; the slopes, if any; the result; the logarithms of the sums of powers
        (batch, heads, queries), if they are stored."""
        out, extras = result_and_extras(others, self.with_sinks, self.with_slopes)
        tiles = cute.ceil_div(q.shape[2], self.queries)
        self.launch(self.plan(q, k, v, out), None, tiles * q.shape[1] * q.shape[0], extras)

    def plan(
        self, q: _compiler.Tensor, k: _compiler.Tensor, v: _compiler.Tensor, out: _compiler.Tensor
    ) -> Any:
        """How boxes are copied, what multiplies, and the layouts in shared memory."""
        by_rows_, K, of_values = utils.LayoutEnum.ROW_MAJOR, OperandMajorMode.K, self.value_major
        by_keys = by_rows_ if of_values == K else utils.LayoutEnum.COL_MAJOR
        self.result_dtype = out.element_type
        scores = sm90.make_trivial_tiled_mma(
            self.dtype, self.dtype, K, K, Float32, (1, 1, 1), (_ROWS, self.keys)
        )
        values = sm90.make_trivial_tiled_mma(
            self.dtype, self.dtype, K, of_values, Float32, (1, 1, 1), (_ROWS, self.value_padded),
            warpgroup.OperandSource.RMEM,
        )  # fmt: skip
        tile = (_ROWS, self.keys, self.padded)
        q_staged = sm90.make_smem_layout_a(by_rows_, tile, self.dtype, self.groups)
        k_staged = sm90.make_smem_layout_b(by_rows_, tile, self.dtype, self.stages)
        v_staged = sm90.make_smem_layout_b(
            by_keys, (_ROWS, self.value_padded, self.keys), self.dtype, self.stages
        )
        o_staged = sm90.make_smem_layout_epi(
            self.result_dtype, by_rows_, (_ROWS, self.value_padded), self.groups
        )
        load, store = cpasync.CopyBulkTensorTileG2SOp(), cpasync.CopyBulkTensorTileS2GOp()
        staged = (q_staged, k_staged, v_staged, o_staged)
        maps = []
        for op, tensor, layout, extents in (
            (load, turned(q, (2, 3, 1, 0)), q_staged, (_ROWS, self.padded)),
            (load, turned(k, (2, 3, 1, 0)), k_staged, (self.keys, self.padded)),
            (load, turned(v, (3, 2, 1, 0)), v_staged, (self.value_padded, self.keys)),
            (store, turned(out, (2, 3, 1, 0)), o_staged, (_ROWS, self.value_padded)),
        ):
            smem = cute.slice_(layout, (None, None, 0))
            maps.append(cpasync.make_tiled_tma_atom(op, tensor, smem, extents))

        size_of_o = 0 if self.result_replaces_queries else cute.cosize(o_staged)

        @cute.struct
        class Storage:
            barriers: cute.struct.MemRange[Int64, 2 * self.groups + 4 * self.stages]  # type: ignore
            q: cute.struct.Align[cute.struct.MemRange[self.dtype, cute.cosize(q_staged)], 1024]  # type: ignore
            k: cute.struct.Align[cute.struct.MemRange[self.dtype, cute.cosize(k_staged)], 1024]  # type: ignore
            v: cute.struct.Align[cute.struct.MemRange[self.dtype, cute.cosize(v_staged)], 1024]  # type: ignore
            o: cute.struct.Align[cute.struct.MemRange[self.result_dtype, size_of_o], 1024]  # type: ignore

        self.storage = Storage
        return [entry[:2] for entry in maps], (scores, values), staged

    def launch(
        self,
        planned: Sequence[Any],
        table: _compiler.Tensor | None,
        tiles: Int,
        extras: Extras,
        scales: Sequence[Any] = (),
    ) -> None:
        """``table``: of sequences of different lengths; ``tiles``: of queries of heads, at most; ``scales``: see
        ``factors``."""
        ((q_atom, q), (k_atom, k), (v_atom, v), (o_atom, o)), mmas, staged = planned
        self.kernel(
            q_atom, q, k_atom, k, v_atom, v, o_atom, o, *mmas, staged, table, extras, scales
        ).launch(
            grid=(_compiler.min(tiles, self.blocks), 1, 1), block=(_WARPGROUP * (1 + self.groups), 1, 1)
        )  # fmt: skip

    def works(self, q: _compiler.Tensor, k: _compiler.Tensor, table: object) -> Any:
        """All tiles of queries, by number."""
        are_unequal = self.window.right is not None and self.window.left is None
        bytes_ = (self.head_dim + self.value_dim) * self.dtype.width // 8
        return Batches(q, k, self.queries, _CACHED // bytes_ if are_unequal else None)

    @cute.kernel
    def kernel(
        self, q_atom: cute.CopyAtom, q: _compiler.Tensor, k_atom: cute.CopyAtom,
        k: _compiler.Tensor, v_atom: cute.CopyAtom, v: _compiler.Tensor,
        o_atom: cute.CopyAtom, o: _compiler.Tensor, scores: cute.TiledMma, values: cute.TiledMma, staged: Sequence[Any],
        table: object, extras: Extras, scales: Sequence[Any],
    ) -> None:  # fmt: skip
        warp = cute.arch.make_warp_uniform(cute.arch.warp_idx())
        group = cute.arch.make_warp_uniform(warp // 4)
        thread, _, _ = cute.arch.thread_idx()
        if warp == 0:
            for atom in (q_atom, k_atom, v_atom, o_atom):
                cpasync.prefetch_descriptor(atom)
        storage = utils.SmemAllocator().allocate(self.storage)
        barriers = storage.barriers.data_ptr()
        bytes_ = self.dtype.width // 8
        # Each warpgroup has a stage of queries of its own, and all have all keys and values.
        pipes, at = [], 0
        for stages, warps, elements in (
            (self.groups, 4, _ROWS * self.padded),
            (self.stages, 4 * self.groups, self.keys * self.padded),
            (self.stages, 4 * self.groups, self.keys * self.value_padded),
        ):
            pipes.append(
                pipeline.PipelineTmaAsync.create(
                    barrier_storage=barriers + at,
                    num_stages=stages,
                    producer_group=pipeline.CooperativeGroup(pipeline.Agent.Thread),
                    consumer_group=pipeline.CooperativeGroup(pipeline.Agent.Thread, warps),
                    tx_count=elements * bytes_,
                    defer_sync=True,
                )
            )
            at += 2 * stages
        pipeline.pipeline_init_arrive()
        result = storage.q if self.result_replaces_queries else storage.o
        shared = [
            part.get_tensor(layout.outer, swizzle=layout.inner)
            for part, layout in zip((storage.q, storage.k, storage.v, result), staged, strict=True)
        ]
        ways = []
        for atom, memory, tensor, extents in (
            (q_atom, shared[0], q, (_ROWS, self.padded)),
            (k_atom, shared[1], k, (self.keys, self.padded)),
            (v_atom, shared[2], v, (self.value_padded, self.keys)),
            (o_atom, shared[3], o, (_ROWS, self.value_padded)),
        ):
            tiles = cute.local_tile(tensor, extents, (None, None, None, None))
            inside, outside = cpasync.tma_partition(
                atom, 0, cute.make_layout(1), cute.group_modes(memory, 0, 2),
                cute.group_modes(tiles, 0, 2),
            )  # fmt: skip
            ways.append((atom, inside, outside))

        works = self.works(q, k, table)
        total = works.total()
        block, _, _ = cute.arch.block_idx()
        blocks, _, _ = cute.arch.grid_dim()
        # Every second round goes the other way: blocks with longer tiles in one have shorter ones in the next.
        rounds = total // blocks
        rest = total - rounds * blocks
        mine = block if rounds % 2 == 0 else blocks - 1 - block
        if mine < rest:
            rounds = rounds + 1
        sizes = (works, rounds, block, blocks)
        pipeline.pipeline_init_wait()

        if group == 0:
            cute.arch.setmaxregister_decrease(_FEW)
            if warp == 0:
                self.produce(sizes, pipes, ways)
        else:
            cute.arch.setmaxregister_increase(_MANY[self.groups])
            self.consume(
                sizes, pipes, ways[3], shared, scores, values, thread % _WARPGROUP, group - 1, warp, extras,
                scales,
            )  # fmt: skip

    @cute.jit
    def work(self, number: Number, before: Int, sizes: Sequence[Any]) -> Any:
        """Return a block's work in a round: the sequence, the tile of queries, the head, the batch; then three tiles of
        keys: the first one that the queries see, the end of them, and the end of the leading ones without a mask."""
        works, _, block, blocks = sizes
        mine = block if number % 2 == 0 else blocks - 1 - block
        place = number * blocks + mine
        sequence = works.sequence(place, before)
        queries, keys = works.extents(sequence)
        tile, head, batch = works.place(place, sequence)
        first = tile * self.queries + keys - queries
        begin = self.window.begin(first) // self.keys
        visible = self.window.end(first + (self.queries - 1), keys)
        # If no tile has a key that a query sees, the first one is masked.
        end = max((visible + self.keys - 1) // self.keys, begin + 1)
        unmasked = begin
        if cute.const_expr(self.window.left is None):
            unmasked = min(max(self.window.end(first, keys), 0) // self.keys, end - 1)
        return sequence, tile, head, batch, begin, end, unmasked

    @cute.jit
    def produce(self, sizes: Sequence[Any], pipes: Sequence[Any], ways: Sequence[Any]) -> None:
        (q_atom, q_in, q_out), (k_atom, k_in, k_out), (v_atom, v_in, v_out), _ = ways
        q_pipe, k_pipe, v_pipe = pipes
        q_state, k_state, v_state = (
            pipeline.make_pipeline_state(pipeline.PipelineUserType.Producer, pipe.num_stages)
            for pipe in pipes
        )
        sequence = Int32(-1)
        for number in range(sizes[1]):
            sequence, tile, head, batch, begin, end, _ = self.work(number, sequence, sizes)
            q_map, k_map, v_map, _ = sizes[0].maps(sequence)
            other = head // self.group
            for group in cute.range_constexpr(self.groups):
                source = q_out[None, tile * self.groups + group, 0, head, batch]
                self.load(q_pipe, q_state, (q_atom, q_map), source, q_in)
                q_state.advance()
            k_way, v_way = (k_atom, k_map), (v_atom, v_map)
            self.load(k_pipe, k_state, k_way, k_out[None, end - 1, 0, other, batch], k_in)
            k_state.advance()
            for step in range(1, end - begin):
                key = end - 1 - step
                self.load(k_pipe, k_state, k_way, k_out[None, key, 0, other, batch], k_in)
                self.load(v_pipe, v_state, v_way, v_out[None, 0, key + 1, other, batch], v_in)
                k_state.advance()
                v_state.advance()
            self.load(v_pipe, v_state, v_way, v_out[None, 0, begin, other, batch], v_in)
            v_state.advance()
        q_pipe.producer_tail(q_state)
        k_pipe.producer_tail(k_state)
        v_pipe.producer_tail(v_state)

    def load(
        self,
        pipe: Any,
        state: Any,
        way: Sequence[Any],
        source: _compiler.Pointer,
        target: _compiler.Tensor,
    ) -> None:
        """Fills the next stage, by an atom and perhaps another tensor map."""
        atom, tensor_map = way
        pipe.producer_acquire(state)
        barrier = pipe.producer_get_barrier(state)
        cute.copy(
            atom, source, target[None, state.index], tma_bar_ptr=barrier, tma_desc_ptr=tensor_map
        )
        pipe.producer_commit(state)

    @cute.jit
    def consume(
        self,
        sizes: Sequence[Any],
        pipes: Sequence[Any],
        way: Sequence[Any],
        shared: Sequence[Any],
        scores_mma: _compiler.TiledMma,
        values_mma: _compiler.TiledMma,
        thread: Int,
        group: Int,
        warp: Int,
        extras: Extras,
        scales: Sequence[Any],
    ) -> None:
        q_pipe, k_pipe, v_pipe = pipes
        o_atom, o_in, o_out = way
        sQ, sK, sV, sO = shared
        part, product = scores_mma.get_slice(0), values_mma.get_slice(0)
        rQ = scores_mma.make_fragment_A(part.partition_A(sQ))
        rK = scores_mma.make_fragment_B(part.partition_B(sK))
        rV = values_mma.make_fragment_B(product.partition_B(sV))
        sums = values_mma.make_fragment_C(values_mma.partition_shape_C((_ROWS, self.value_padded)))
        products = self.products_for(sums)
        scores = scores_mma.make_fragment_C(scores_mma.partition_shape_C((_ROWS, self.keys)))
        parts = self.probabilities()
        places = by_rows(
            scores_mma.get_slice(thread).partition_C(cute.make_identity_tensor((_ROWS, self.keys)))
        )
        greatest = cute.make_rmem_tensor(2, Float32)
        total = cute.make_rmem_tensor(2, Float32)
        shifts = [cute.make_rmem_tensor(2, Float32)] if self.with_slopes else []
        copy_op = sm90.get_smem_store_op(utils.LayoutEnum.ROW_MAJOR, self.result_dtype, Float32)
        copy = cute.make_tiled_copy_C(copy_op, values_mma)
        to_shared = copy.get_slice(thread).partition_D(sO)
        k_state, v_state = (
            pipeline.make_pipeline_state(pipeline.PipelineUserType.Consumer, self.stages)
            for _ in range(2)
        )
        stores = pipeline.PipelineTmaStore.create(
            num_stages=1,
            producer_group=pipeline.CooperativeGroup(pipeline.Agent.Thread, _WARPGROUP),
        )
        if cute.const_expr(self.in_turn):
            if group == self.groups - 1:
                self.next_turn(group)
        fragments = (rQ[None, None, None, group], rK, rV)
        sequence = Int32(-1)
        for number in range(sizes[1]):
            sequence, tile, head, batch, begin, end, unmasked = self.work(number, sequence, sizes)
            queries, keys = sizes[0].extents(sequence)
            limits = (keys, tile * self.queries + group * _ROWS + keys - queries)
            greatest.fill(-Float32.inf)
            total.fill(0.0)
            sums.fill(0.0)
            factors, sink = self.factors(scales, head), extras.sink(head)
            softmax, slope = self.softmax_with(factors[0]), extras.slope(batch, head)
            state = (scores, parts, sums, products, greatest, total, factors[0], slope, shifts)
            q_stage = pipeline.PipelineState(self.groups, 0, group, number % 2)
            q_pipe.consumer_wait(q_stage)
            k_pipe.consumer_wait(k_state)
            warpgroup.fence()
            self.ask_scores(scores_mma, scores, fragments, k_state)
            warpgroup.wait_group(0)
            k_pipe.consumer_release(k_state)
            k_state.advance()
            softmax.turn(scores)
            if cute.const_expr(self.with_slopes):
                self.lower(scores, places, limits, (end - 1) * self.keys, slope, *shifts)
            softmax.mask(scores, places, limits, (end - 1) * self.keys, self.window)
            softmax.update(scores, greatest, total, *shifts)
            self.store_probabilities(scores, parts)
            for step in range(1, end - unmasked):
                self.step(
                    end - 1 - step, step - 1, True, (k_pipe, v_pipe), (k_state, v_state), state, fragments,
                    scores_mma, values_mma, places, limits, group,
                )  # fmt: skip
                k_state.advance()
                v_state.advance()
            for step in range(end - unmasked, end - begin):
                self.step(
                    end - 1 - step, step - 1, False, (k_pipe, v_pipe), (k_state, v_state), state, fragments,
                    scores_mma, values_mma, places, limits, group,
                )  # fmt: skip
                k_state.advance()
                v_state.advance()
            if cute.const_expr(not self.result_replaces_queries):
                q_pipe.consumer_release(q_stage)
            v_pipe.consumer_wait(v_state)
            self.prepare_products(sums, products, end - begin - 1)
            warpgroup.fence()
            self.ask_values(values_mma, products, parts, rV, v_state, end - begin - 1)
            warpgroup.wait_group(0)
            v_pipe.consumer_release(v_state)
            v_state.advance()
            self.add_products(sums, products)

            softmax.finish(by_rows(sums), total, greatest, factors[1], sink)
            if cute.const_expr(extras.logs is not None):
                row = sizes[0].first_query(sequence)
                first = tile * self.queries + group * _ROWS + row
                of_head = extras.logs[batch, head, None]
                softmax.store_logs(of_head, places, first, row + queries, greatest, total, sink)
            if warp % 4 == 0:
                stores.producer_acquire()
            cute.arch.barrier(barrier_id=_OWN + group, number_of_threads=_WARPGROUP)
            result = cute.make_fragment_like(sums, self.result_dtype)
            result.store(sums.load().to(self.result_dtype))
            cute.copy(copy, copy.retile(result), to_shared[None, None, None, group])
            cute.arch.fence_proxy("async.shared", space="cta")
            cute.arch.barrier(barrier_id=_OWN + group, number_of_threads=_WARPGROUP)
            if warp % 4 == 0:
                target = o_out[None, tile * self.groups + group, 0, head, batch]
                cute.copy(
                    o_atom, o_in[None, group], target, tma_desc_ptr=sizes[0].maps(sequence)[3]
                )
                stores.producer_commit()
            if cute.const_expr(self.result_replaces_queries):
                if warp % 4 == 0:
                    stores.producer_acquire()
                q_pipe.consumer_release(q_stage)
        if warp % 4 == 0:
            stores.producer_tail()

    @cute.jit
    def step(
        self, tile: Number, number: Number, masked: cute.Constexpr, pipes: Sequence[Any],
        states: Sequence[Any], state: Any, fragments: Sequence[Any], scores_mma: cute.TiledMma,
        values_mma: cute.TiledMma, places: _compiler.Tensor | _compiler.CoordTensor,
        limits: Sequence[Any], group: Int,
    ) -> None:  # fmt: skip
        """The scores of a tile of keys, and the products of the probabilities of the one after it, of which ``number``
        have been added before."""
        k_pipe, v_pipe = pipes
        k_state, v_state = states
        scores, parts, sums, products, greatest, total, factor, slope, shifts = state
        softmax = self.softmax_with(factor)
        k_pipe.consumer_wait(k_state)
        if cute.const_expr(self.in_turn):
            cute.arch.barrier(barrier_id=_TURNS + group, number_of_threads=2 * _WARPGROUP)
        warpgroup.fence()
        self.ask_scores(scores_mma, scores, fragments, k_state)
        v_pipe.consumer_wait(v_state)
        self.prepare_products(sums, products, number)
        warpgroup.fence()
        self.ask_values(values_mma, products, parts, fragments[2], v_state, number)
        if cute.const_expr(self.in_turn):
            self.next_turn(group)
        warpgroup.wait_group(1)
        k_pipe.consumer_release(k_state)
        softmax.turn(scores)
        if cute.const_expr(self.with_slopes):
            self.lower(scores, places, limits, tile * self.keys, slope, *shifts)
        if cute.const_expr(masked):
            softmax.mask(scores, places, limits, tile * self.keys, self.window)
        factors = softmax.update(scores, greatest, total, *shifts)
        warpgroup.wait_group(0)
        v_pipe.consumer_release(v_state)
        self.scale_sums(sums, products, factors)
        self.store_probabilities(scores, parts)

    @cute.jit
    def lower(
        self, scores: _compiler.Tensor, places: Any, limits: Sequence[Any], first: Number, slope: Number,
        shifts: _compiler.Tensor,
    ) -> None:  # fmt: skip
        """Lower the scores of a tile of keys from ``first`` on by the distances of their keys; ``shifts`` are left to
        ``update``."""
        rows = range(cute.size(places, mode=[0]))
        row_places = [limits[1] - first + places[row, 0][0] for row in rows]
        if cute.const_expr(self.window.right is not None and self.window.right <= 0):
            self.softmax.lower_one_side(scores, places, row_places, slope, shifts)
        else:
            is_before = first + (self.keys - 1) <= limits[1]
            if is_before | (first >= limits[1] + (_ROWS - 1)):
                signed = cute.where(is_before, slope, -slope)
                self.softmax.lower_one_side(scores, places, row_places, signed, shifts)
            else:
                shifts.fill(0.0)
                self.softmax.lower(scores, places, row_places, [slope for _ in rows])

    def products_for(self, sums: _compiler.Tensor) -> Any:
        """Return the accumulator of the products with values: here the sums themselves."""
        return sums

    def prepare_products(
        self, sums: _compiler.Tensor, products: _compiler.Tensor, number: Number
    ) -> None:
        """Before the product with a tile of values, when ``number`` have been added: save what ``continues`` drops."""

    def add_products(self, sums: _compiler.Tensor, products: _compiler.Tensor) -> None:
        """Add the accumulator to the sums, after the last product."""

    def continues(self, number: Number) -> Any:
        """Return whether the accumulator keeps its products when those of ``number`` tiles have been added."""
        return True

    def scale_sums(
        self, sums: _compiler.Tensor, products: _compiler.Tensor, factors: Sequence[Any]
    ) -> None:
        """Multiply the sums by the factors of their rows."""
        rows = by_rows(sums)
        for row in cute.range_constexpr(2):
            rows[row, None].store(rows[row, None].load() * factors[row])

    def probabilities(self) -> Any:
        """Return the fragment of the probabilities of a tile: 16 columns for each instruction."""
        return cute.make_rmem_tensor(((2, 2, 2), 1, self.keys // 16), self.dtype)

    def store_probabilities(self, scores: _compiler.Tensor, operand: _compiler.Tensor) -> None:
        store_operand(scores, operand)

    def factors(self, scales: Sequence[Any], head: Int) -> tuple[Any, Any]:
        """Return the factor of the scores of a head of queries and the factor of its result; None for 1."""
        return None, None

    def softmax_with(self, factor: Any) -> OnlineSoftmax:
        """Return the softmax of scores with a factor of ``factors``."""
        return self.softmax

    def next_turn(self, group: Int) -> None:
        """The other warpgroup may ask."""
        cute.arch.barrier_arrive(
            barrier_id=_TURNS + (group + 1) % self.groups, number_of_threads=2 * _WARPGROUP
        )

    def ask_scores(
        self,
        mma: _compiler.TiledMma,
        scores: _compiler.Tensor,
        fragments: Sequence[Any],
        state: Any,
    ) -> None:
        rQ, rK, _ = fragments
        for i in range(cute.size(rQ, mode=[2])):
            mma.set(warpgroup.Field.ACCUMULATE, i > 0)
            cute.gemm(mma, scores, rQ[None, None, i], rK[None, None, i, state.index], scores)
        warpgroup.commit_group()

    def ask_values(
        self,
        mma: _compiler.TiledMma,
        sums: _compiler.Tensor,
        parts: _compiler.Tensor,
        rV: _compiler.Tensor,
        state: Any,
        number: Number,
    ) -> None:
        for i in range(cute.size(parts, mode=[2])):
            mma.set(warpgroup.Field.ACCUMULATE, i > 0 or self.continues(number))
            cute.gemm(mma, sums, parts[None, None, i], rV[None, None, i, state.index], sums)
        warpgroup.commit_group()
