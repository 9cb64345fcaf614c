"""Gradients of attention: the choice of kernels, and the kernels by the tensor cores of warps, for compute capability
8.0 and up and for the CPU.

Scores are computed again, tile by tile. A block owns rows of the result, so that nothing is added in memory and every
run gives the same bits.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from fairlead import cute, utils
from fairlead._compiler import Float32, Int32
from fairlead.cute.nvgpu import warp
from fairlead.ops._arrays import Described, aligned, checked, expect, run
from fairlead.ops._autograd import Rule
from fairlead.ops._hopper_attention import is_for_warpgroups
from fairlead.ops._hopper_attention_gradients import BLOCK, HopperGradients, RowNumbers
from fairlead.ops._hopper_fused_gradients import ROWS, FusedGradients
from fairlead.ops._softmax import Window, by_rows
from fairlead.ops._warp_tiles import WarpTiles
from fairlead.plans import Planned, planned

if TYPE_CHECKING:
    from fairlead._compiler import Tensor
    from fairlead.cute.typing import Int

__all__ = ["ATTENTION", "window_of"]

#: Elements of a head whose gradients warpgroups compute: shared memory has no room for more.
_LONGEST = 128
#: Bytes of memory for dS of some heads at once, and of as many as make enough blocks for all multiprocessors.
_CHANGES, _MOST_CHANGES = 1 << 30, 1 << 32
#: Blocks of keys for each multiprocessor that are enough, and the fewest with which storing dS pays.
_ENOUGH, _FEWEST = 3.8, 1.9
#: With so many keys or more, storing dS of heads of 64 elements pays.
_MANY_KEYS = 2048

range_constexpr = cute.range_constexpr


class AttentionGradients(WarpTiles):
    """Gradients for Q (batch, heads, queries, head_dim), K and V (batch, heads / group, keys, head_dim).

    ``what`` chooses the rows that a block owns and the result that it stores for them:

    * ``"q"``: queries; the gradients of Q;
    * ``"k"``, ``"v"`` or ``"kv"``: keys; the gradients of K, of V, or of both.

    Let G be the gradient of the result, P = exp(scale * Q K^T - logarithms) and dS = P * (G V^T - deltas). Then the
    gradients are scale * dS K, scale * dS^T Q and P^T G. A block of keys computes the transposed scores K Q^T. P and dS
    are then in the registers that the lanes need for the left operand of the next product.
    """

    def __init__(
        self, what: str, rows: int, num_threads: int, head_dim: int, group: int, causal: bool | Window,
        scale: float,
    ) -> None:  # fmt: skip
        """``rows``: rows of a block and of the tiles that it reads, 16 for each warp."""
        super().__init__(head_dim, group, causal, scale, rows, rows, num_threads)
        self.what, self.scale = what, scale

    @cute.jit
    def __call__(self, *tensors: cute.Tensor) -> None:
        """``tensors``: Q, K, V, G, the numbers of RowNumbers, then the results."""
        owned = tensors[0] if self.what == "q" else tensors[1]
        dtype = owned.element_type
        parts = self.parts(dtype)
        tile = cute.cosize(parts.sQ_layout)

        @cute.struct
        class Storage:
            mine: cute.struct.Align[cute.struct.MemRange[dtype, tile], 1024]  # type: ignore
            my_second: cute.struct.Align[cute.struct.MemRange[dtype, tile], 1024]  # type: ignore
            other: cute.struct.Align[cute.struct.MemRange[dtype, tile], 1024]  # type: ignore
            other_second: cute.struct.Align[cute.struct.MemRange[dtype, tile], 1024]  # type: ignore

        numbers = [tensors[4][which, None, None, None] for which in range(2)]
        tensors = (*tensors[:4], *numbers, *tensors[5:])
        self.kernel(tensors, parts.sQ_layout, parts.load, parts.tiled_mma, Storage).launch(
            grid=(cute.ceil_div(owned.shape[2], self.m_block), owned.shape[1], owned.shape[0]),
            block=(self.num_threads, 1, 1),
            smem=Storage.size_in_bytes(),  # type: ignore[attr-defined]
        )

    @cute.kernel
    def kernel(
        self,
        tensors: Sequence[Tensor],
        layout: cute.ComposedLayout,
        load: cute.TiledCopy,
        mma: cute.TiledMma,
        Storage: cute.Constexpr,
    ) -> None:
        thread, _, _ = cute.arch.thread_idx()
        tile, head, batch = cute.arch.block_idx()
        q, k = tensors[0], tensors[1]
        queries, keys = Int32(q.shape[2]), Int32(k.shape[2])
        storage = utils.SmemAllocator().allocate(Storage)
        shared = SimpleNamespace(
            mine=storage.mine.get_tensor(layout),
            my_second=storage.my_second.get_tensor(layout),
            other=storage.other.get_tensor(layout),
            other_second=storage.other_second.get_tensor(layout),
        )
        work = SimpleNamespace(
            thread=thread, load=load, mma=mma, thr_mma=mma.get_slice(thread), shared=shared
        )
        # Query i sees the keys up to i + ahead.
        work.queries, work.keys, work.ahead = queries, keys, keys - queries
        if cute.const_expr(self.what == "q"):
            self.of_queries(tensors, work, tile, head, batch)
        else:
            self.of_keys(tensors, work, tile, head, batch)

    @cute.jit
    def of_queries(
        self, tensors: Sequence[Tensor], work: SimpleNamespace, tile: Int, head: Int, batch: Int
    ) -> None:
        q, k = tensors[0], tensors[1]
        kv_head = head // self.group
        place = tile * self.m_block + work.ahead
        keys_end = cute.max(self.window.end(place + (self.m_block - 1), work.keys), 0)
        begin = self.window.begin(place) // self.n_block
        self.load_rows(work, q[batch, head, None, None], work.shared.mine, tile, work.queries)
        sums = self.sums(work)
        gradient = tensors[3][batch, head, None, None]
        self.load_rows(work, gradient, work.shared.my_second, tile, work.queries)
        logs, deltas = self.numbers_of_rows(tensors, work, tile, head, batch)
        for other in range(begin, cute.ceil_div(keys_end, self.n_block)):
            self.load_rows(work, k[batch, kv_head, None, None], work.shared.other, other, work.keys)
            values = tensors[2][batch, kv_head, None, None]
            self.load_rows(work, values, work.shared.other_second, other, work.keys)
            self.arrived()
            scores = self.scores(work, work.shared.mine, work.shared.other)
            self.softmax.turn(scores)
            self.hide(work, scores, tile * self.m_block, other * self.n_block)
            products = self.scores(work, work.shared.my_second, work.shared.other_second)
            rows, of_products = by_rows(scores), by_rows(products)
            for row in range_constexpr(cute.size(rows, mode=[0])):
                powers = self.powers(rows[row, None].load(), logs[row])
                differences = of_products[row, None].load() - deltas[row]
                rows[row, None].store(powers * differences)
            self.add_products(work, sums, scores, work.shared.other)
            # Nobody loads the next tile before all have read this one.
            self.barrier.arrive_and_wait()
        sums.store(sums.load() * self.scale)
        self.store_rows(work, sums, tensors[-1][batch, head, None, None], tile, work.queries)

    @cute.jit
    def of_keys(
        self, tensors: Sequence[Tensor], work: SimpleNamespace, tile: Int, kv_head: Int, batch: Int
    ) -> None:
        q, k, v, gradient = tensors[:4]
        self.load_rows(work, k[batch, kv_head, None, None], work.shared.mine, tile, work.keys)
        of_k: Any = None
        of_v: Any = None
        if cute.const_expr("k" in self.what):
            self.load_rows(
                work, v[batch, kv_head, None, None], work.shared.my_second, tile, work.keys
            )
            of_k = self.sums(work)
        if cute.const_expr("v" in self.what):
            of_v = self.sums(work)
        first, end = self.window.queries(
            tile * self.m_block, self.m_block, work.queries, work.ahead
        )
        for index in range(self.group):
            head = kv_head * self.group + index
            for other in range(first // self.n_block, cute.ceil_div(end, self.n_block)):
                self.load_rows(
                    work, q[batch, head, None, None], work.shared.other, other, work.queries
                )
                above = gradient[batch, head, None, None]
                self.load_rows(work, above, work.shared.other_second, other, work.queries)
                self.arrived()
                scores = self.scores(work, work.shared.mine, work.shared.other)
                self.softmax.turn(scores)
                self.hide(work, scores, tile * self.m_block, other * self.n_block)
                # Beyond the last query probabilities are 0.
                logs, deltas = (
                    self.numbers_of_columns(work, tensor[batch, head, None], other, scores, beyond)
                    for tensor, beyond in zip(tensors[4:6], (math.inf, 0.0), strict=True)
                )
                rows = by_rows(scores)
                for row in range_constexpr(cute.size(rows, mode=[0])):
                    rows[row, None].store(self.powers(rows[row, None].load(), logs.load()))
                if cute.const_expr("v" in self.what):
                    self.add_products(work, of_v, scores, work.shared.other_second)
                if cute.const_expr("k" in self.what):
                    products = self.scores(work, work.shared.my_second, work.shared.other_second)
                    of_products = by_rows(products)
                    for row in range_constexpr(cute.size(rows, mode=[0])):
                        differences = of_products[row, None].load() - deltas.load()
                        rows[row, None].store(rows[row, None].load() * differences)
                    self.add_products(work, of_k, scores, work.shared.other)
                self.barrier.arrive_and_wait()
        if cute.const_expr("k" in self.what):
            of_k.store(of_k.load() * self.scale)
            self.store_rows(work, of_k, tensors[6][batch, kv_head, None, None], tile, work.keys)
        if cute.const_expr("v" in self.what):
            self.store_rows(work, of_v, tensors[-1][batch, kv_head, None, None], tile, work.keys)

    @cute.jit
    def load_rows(
        self, work: SimpleNamespace, matrix: Tensor, target: Tensor, tile: Int, extent: Int
    ) -> None:
        """Start to copy a tile of rows. Rows beyond the last one become 0."""
        part = work.load.get_slice(work.thread)
        source = part.partition_S(cute.local_tile(matrix, (self.m_block, self.padded), (tile, 0)))
        shared = part.partition_D(target)
        places = part.partition_S(cute.make_identity_tensor((self.m_block, self.padded)))
        for m in range_constexpr(cute.size(shared, mode=[1])):
            if tile * self.m_block + places[0, m, 0][0] < extent:
                self.copy_row(
                    work.load, source[None, m, None], shared[None, m, None], places[None, m, None],
                    self.head_dim,
                )  # fmt: skip
            else:
                shared[None, m, None].fill(0)

    def arrived(self) -> None:
        """Wait for the copies of all threads."""
        cute.arch.cp_async_commit_group()
        cute.arch.cp_async_wait_group(0)
        self.barrier.arrive_and_wait()

    def sums(self, work: SimpleNamespace) -> Any:
        """Return an accumulator of zeros, (rows of the tile, head_dim)."""
        shape = work.thr_mma.partition_shape_C((self.m_block, self.padded))
        sums = cute.make_rmem_tensor(shape, Float32)
        sums.fill(0.0)
        return sums

    def scores(self, work: SimpleNamespace, left: Tensor, right: Tensor) -> Any:
        """Return left @ right^T of two tiles in shared memory."""
        acc = cute.make_rmem_tensor(
            work.thr_mma.partition_shape_C((self.m_block, self.n_block)), Float32
        )
        acc.fill(0.0)
        atom = cute.make_copy_atom(warp.LdMatrix8x8x16bOp(False, 4), left.element_type)
        copy_a, copy_b = (
            cute.make_tiled_copy_A(atom, work.mma),
            cute.make_tiled_copy_B(atom, work.mma),
        )
        a = work.thr_mma.make_fragment_A(work.thr_mma.partition_A(left))
        b = work.thr_mma.make_fragment_B(work.thr_mma.partition_B(right))
        of_a = copy_a.get_slice(work.thread).partition_S(left)
        of_b = copy_b.get_slice(work.thread).partition_S(right)
        to_a, to_b = copy_a.retile(a), copy_b.retile(b)
        for step in range_constexpr(cute.size(of_a, mode=[2])):
            cute.copy(copy_a, of_a[None, None, step], to_a[None, None, step])
            cute.copy(copy_b, of_b[None, None, step], to_b[None, None, step])
            cute.gemm(work.mma, acc, a[None, None, step], b[None, None, step], acc)
        return acc

    def add_products(
        self, work: SimpleNamespace, sums: Tensor, left: Tensor, right: Tensor
    ) -> None:
        """Add left @ right to ``sums``: ``left`` is an accumulator in registers, ``right`` a tile in shared memory."""
        turned = cute.composition(
            right, cute.make_layout((self.padded, self.n_block), stride=(self.n_block, 1))
        )
        atom = cute.make_copy_atom(warp.LdMatrix8x8x16bOp(True, 4), right.element_type)
        copy_b = cute.make_tiled_copy_B(atom, work.mma)
        b = work.thr_mma.make_fragment_B(work.thr_mma.partition_B(turned))
        of_b, to_b = copy_b.get_slice(work.thread).partition_S(turned), copy_b.retile(b)
        narrow = cute.make_fragment_like(left, right.element_type)
        narrow.store(left.load().to(right.element_type))
        a = self.as_left_operand(narrow)
        for step in range_constexpr(cute.size(a, mode=[2])):
            cute.copy(copy_b, of_b[None, None, step], to_b[None, None, step])
            cute.gemm(work.mma, sums, a[None, None, step], b[None, None, step], sums)

    @cute.jit
    def hide(
        self, work: SimpleNamespace, scores: Tensor, first_row: Int, first_column: Int
    ) -> None:
        """Set the scores of missing and of hidden keys to -inf."""
        places = by_rows(
            work.thr_mma.partition_C(cute.make_identity_tensor((self.m_block, self.n_block)))
        )
        rows = by_rows(scores)
        for row in range_constexpr(cute.size(rows, mode=[0])):
            for column in range_constexpr(cute.size(rows, mode=[1])):
                query = first_row + places[row, column][0]
                key = first_column + places[row, column][1]
                if cute.const_expr(self.what != "q"):
                    query = first_column + places[row, column][1]
                    key = first_row + places[row, column][0]
                place = query + work.ahead
                visible = key < self.window.end(place, work.keys)
                if cute.const_expr(self.window.left is not None):
                    visible = visible & (key >= self.window.begin(place))
                rows[row, column] = cute.where(visible, rows[row, column], -Float32.inf)

    def powers(self, scores: Any, logs: object) -> Any:
        """Return the probabilities."""
        return cute.math.exp2(scores * self.softmax.scale - logs, fastmath=True)

    @cute.jit
    def numbers_of_rows(
        self, tensors: Sequence[Tensor], work: SimpleNamespace, tile: Int, head: Int, batch: Int
    ) -> Any:
        """Return the logarithms and deltas of the thread's rows, which are queries. Beyond the last query the logarithm
        is infinite, which makes the probabilities 0."""
        places = by_rows(
            work.thr_mma.partition_C(cute.make_identity_tensor((self.m_block, self.n_block)))
        )
        count = cute.size(places, mode=[0])
        logs, deltas = (cute.make_rmem_tensor(count, Float32) for _ in range(2))
        for row in range_constexpr(count):
            query = tile * self.m_block + places[row, 0][0]
            logs[row] = Float32.inf
            deltas[row] = Float32(0)
            if query < work.queries:
                logs[row] = tensors[4][batch, head, query]
                deltas[row] = tensors[5][batch, head, query]
        return logs, deltas

    @cute.jit
    def numbers_of_columns(
        self, work: SimpleNamespace, numbers: Tensor, tile: Int, scores: Tensor, beyond: float
    ) -> Any:
        """Return ``numbers`` for the thread's columns, which are queries, and ``beyond`` after the last query."""
        places = by_rows(
            work.thr_mma.partition_C(cute.make_identity_tensor((self.m_block, self.n_block)))
        )
        of_columns = cute.make_rmem_tensor(by_rows(scores)[0, None].layout.shape, Float32)
        for column in range_constexpr(cute.size(of_columns)):
            query = tile * self.n_block + places[0, column][1]
            of_columns[column] = Float32(beyond)
            if query < work.queries:
                of_columns[column] = numbers[query]
        return of_columns

    @cute.jit
    def store_rows(
        self, work: SimpleNamespace, sums: Tensor, matrix: Tensor, tile: Int, extent: Int
    ) -> None:
        places = by_rows(
            work.thr_mma.partition_C(cute.make_identity_tensor((self.m_block, self.padded)))
        )
        rows = by_rows(sums)
        for row in range_constexpr(cute.size(rows, mode=[0])):
            number = tile * self.m_block + places[row, 0][0]
            if number < extent:
                for column in range_constexpr(cute.size(rows, mode=[1])):
                    along = places[row, column][1]
                    if along < self.head_dim:
                        matrix[number, along] = rows[row, column].to(matrix.element_type)


def window_of(causal: bool, window: Any) -> Window:
    """Return the window that two arguments of attention say."""
    expected = "None, or (left, right): each a number of keys from 0 on, or None"
    if window is None:
        return Window.of(bool(causal))
    expect(isinstance(window, (tuple, list)) and len(window) == 2, "window", expected, window)
    for limit in window:
        is_number = isinstance(limit, int) and not isinstance(limit, bool) and 0 <= limit < 2**30
        expect(limit is None or is_number, "window", expected, window)
    left, right = window
    if causal:
        right = 0 if right is None else min(right, 0)
    return Window(left, right)


def _compiled_for(
    what: str, operands: list[Described], group: int, window: Window, scale: float
) -> tuple[tuple[Any, ...], Any]:
    """Return the key and the program of a kernel."""
    query = operands[0]
    head_dim = query.shape[-1]
    options: tuple[Any, ...]
    if is_for_warpgroups(operands, _LONGEST):
        options = (what == "kv", query.numeric, head_dim, group, window, scale)
        return ("attention gradient by warpgroups", *options), lambda: HopperGradients(*options)
    # Longer rows of heads take so much shared memory, and so many registers, that fewer rows fit; and fewer are less
    # code, which counts on the CPU.
    rows, num_threads = (64, 128) if head_dim <= 128 and query.device != "cpu" else (32, 64)
    options = (what, rows, num_threads, head_dim, group, window, scale)
    return ("attention gradient", query.numeric, *options), lambda: AttentionGradients(*options)


class _Fakes:
    """Examples of arguments, of the same batch, heads, queries and keys."""

    def __init__(self, query: Described) -> None:
        self.query = query
        batch, heads, queries, kv_heads, keys = (cute.sym_int() for _ in range(5))
        self.extents = {"q": (batch, heads, queries), "k": (batch, kv_heads, keys)}

    def rows(self, kind: str) -> Any:
        """Return one like Q or like K, of any strides."""
        strides = (*(cute.sym_int64(divisibility=8) for _ in range(3)), 1)
        shape = (*self.extents[kind], self.query.shape[-1])
        return cute.make_fake_tensor(self.query.numeric, shape, stride=strides, assumed_align=16)

    def result(self, kind: str) -> Any:
        """Return a compact one like Q or like K."""
        return self.compact(self.query.numeric, (*self.extents[kind], self.query.shape[-1]))

    def numbers(self) -> Any:
        """Return one of the numbers of rows."""
        batch, heads, _ = self.extents["q"]
        return self.compact(Float32, (2, batch, heads, cute.sym_int(divisibility=BLOCK)))

    def compact(self, numeric: type[cute.Numeric], shape: tuple[Any, ...]) -> Any:
        order = tuple(reversed(range(len(shape))))
        return cute.make_fake_compact_tensor(numeric, shape, stride_order=order, assumed_align=16)


@planned
def _numbers(out: object, gradient: object, logs: object) -> Any:
    """Return the numbers of RowNumbers."""
    operands = _operands(out=out, gradient=gradient)
    first = operands[0]
    batch, heads, queries, head_dim = first.shape
    logarithms = checked(logs, "logs", first, ("float32",)).row_major()

    def fakes() -> list[Any]:
        make = _Fakes(first)
        of_logs = make.compact(Float32, make.extents["q"])
        return [make.rows("q"), make.rows("q"), of_logs, make.numbers()]

    # A tile of queries begins with any query.
    rows = -(-(queries + BLOCK - 1) // BLOCK) * BLOCK
    result = first.empty((2, batch, heads, rows), "float32")
    key = ("numbers of attention", first.numeric, head_dim)
    return run(key, lambda: RowNumbers(head_dim), fakes, [*operands, logarithms], result)


@planned
def _gradients(
    q: object, k: object, v: object, gradient: object, numbers: object, *, what: str, left: int | None,
    right: int | None, scale: float,
) -> Any:  # fmt: skip
    """Return the gradient of q, k or v, or those of k and v, as ``what`` says."""
    operands = _operands(q=q, k=k, v=v, gradient=gradient)
    query, key = operands[:2]
    of_rows = checked(numbers, "numbers", query, ("float32",))
    # Warpgroups compute both gradients of keys in any case.
    computed = "kv" if what != "q" and is_for_warpgroups(operands, _LONGEST) else what
    key_, program = _compiled_for(
        computed, operands, query.shape[1] // key.shape[1], Window(left, right), scale
    )
    shape = query.shape if what == "q" else key.shape
    results = ["q"] if what == "q" else ["k"] * len(computed)
    outs = [query.empty(shape) for _ in results]
    returned = outs if len(what) > 1 else outs[computed.index(what)]

    def fakes() -> list[Any]:
        make = _Fakes(query)
        inputs = [make.rows(kind) for kind in ("q", "k", "k", "q")]
        return [*inputs, make.numbers(), *(make.result(kind) for kind in results)]

    return run(key_, program, fakes, [*operands, of_rows], outs, result=returned)


def _row_of_changes(queries: int) -> int:
    """Return the elements of a row of dS^T in memory: lines of the cache."""
    return -(-queries // 64) * 64


def _heads_together(query: Described, key: Described) -> int:
    """Return how many heads of queries store their dS at once; 0 if the gradients are faster without."""
    batch, heads, queries, head_dim = query.shape
    kv_heads, keys = key.shape[1:3]
    if head_dim <= 64 and keys < _MANY_KEYS:
        return 0
    group, total, blocks = heads // kv_heads, batch * kv_heads, -(-keys // BLOCK)
    of_head = 2 * group * keys * _row_of_changes(queries)
    multiprocessors = 4 if query.device == "cpu" else query.multiprocessors
    if batch * heads * -(-queries // ROWS) < multiprocessors:
        return 0
    enough = -(-int(_ENOUGH * multiprocessors) // blocks)
    most = min(total, max(_CHANGES // of_head, min(enough, _MOST_CHANGES // of_head)))
    if most == 0:
        return 0
    turns = -(-total // most)
    together = -(-total // turns)
    if turns > 1 and together * blocks < _FEWEST * multiprocessors:
        return 0
    return int(together * group)


@planned
def _all_gradients(
    q: object, k: object, v: object, gradient: object, numbers: object, *, left: int | None, right: int | None,
    scale: float,
) -> Any:  # fmt: skip
    """Return the gradients of q, k and v by warpgroups, which store dS."""
    operands = _operands(q=q, k=k, v=v, gradient=gradient)
    query, key = operands[:2]
    of_rows = checked(numbers, "numbers", query, ("float32",))
    options = (
        query.numeric,
        query.shape[-1],
        query.shape[1] // key.shape[1],
        Window(left, right),
        scale,
    )
    outs = [query.empty(array.shape) for array in operands[:3]]
    space = query.empty(
        (_heads_together(query, key), key.shape[2], _row_of_changes(query.shape[2]))
    )

    def fakes() -> list[Any]:
        make = _Fakes(query)
        inputs = [make.rows(kind) for kind in ("q", "k", "k", "q")]
        of_changes = (cute.sym_int(), make.extents["k"][2], cute.sym_int(divisibility=64))
        results = [make.result(kind) for kind in "qkk"]
        return [*inputs, make.numbers(), *results, make.compact(query.numeric, of_changes)]

    key_ = ("all attention gradients", *options)
    return run(key_, lambda: FusedGradients(*options), fakes, [*operands, of_rows], outs, space)


def _operands(**arrays: object) -> list[Described]:
    """Return the arrays, copied if their rows do not begin at multiples of 16 bytes."""
    return [
        aligned(checked(array, name, dtypes=("float16", "bfloat16")), name)
        for name, array in arrays.items()
    ]


def _forward(
    q: object, k: object, v: object, sinks: object, *, attention: Planned[..., Any], **options: Any
) -> Any:  # fmt: skip
    result, logs = attention(q, k, v, sinks=sinks, return_lse=True, **options)
    return result, (q, k, v, sinks, result, logs)


def _backward(
    wants_gradient: Sequence[bool], gradient: Any, q: Any, k: Any, v: Any, sinks: Any, result: Any, logs: Any, *,
    attention: object, causal: bool, window: Any, scale: float | None, deterministic: str,
) -> tuple[Any, ...]:  # fmt: skip
    of_q: Any = None
    of_k: Any = None
    of_v: Any = None
    factor = q.shape[-1] ** -0.5 if scale is None else float(scale)
    if 0 in q.shape or 0 in k.shape:
        return tuple(
            array.new_zeros(array.shape) if is_needed else None
            for array, is_needed in zip((q, k, v, sinks), wants_gradient, strict=True)
        )
    left, right = window_of(causal, window)
    options: dict[str, Any] = {"left": left, "right": right, "scale": factor}
    operands = _operands(q=q, k=k, v=v, gradient=gradient)  # copied once, if they must be
    q, k, v, gradient = (operand.array for operand in operands)
    numbers = _numbers(result, gradient, logs)
    of_sinks = _gradients_of_sinks(sinks, logs, numbers) if wants_gradient[3] else None
    arguments = q, k, v, gradient, numbers
    by_warpgroups = is_for_warpgroups(operands, _LONGEST)
    if all(wants_gradient[:3]) and by_warpgroups and _heads_together(*operands[:2]):
        return *_all_gradients(*arguments, **options), of_sinks
    if wants_gradient[0]:
        of_q = _gradients(*arguments, what="q", **options)
    if wants_gradient[1] and wants_gradient[2] and q.shape[-1] <= 128:
        of_k, of_v = _gradients(*arguments, what="kv", **options)
        return of_q, of_k, of_v, of_sinks
    # The sums of both do not fit into registers.
    if wants_gradient[1]:
        of_k = _gradients(*arguments, what="k", **options)
    if wants_gradient[2]:
        of_v = _gradients(*arguments, what="v", **options)
    return of_q, of_k, of_v, of_sinks


def _gradients_of_sinks(sinks: Any, logs: Any, numbers: Any) -> Any:
    """Return the gradients of the sinks. Each has a score in every row, whose probability has the gradient 0."""
    probabilities = (sinks[:, None] - logs).exp()
    return -(probabilities * numbers[1, ..., : logs.shape[2]]).sum((0, 2))


#: The rule for (q, k, v, sinks). Options: ``attention`` (the operation), ``causal``, ``window``, ``scale``,
#: ``deterministic``.
ATTENTION = Rule(_forward, _backward)
