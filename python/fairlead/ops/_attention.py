"""Attention: softmax(scale * Q K^T) V, without the matrix of scores in memory."""

from __future__ import annotations

import os
from typing import Any

from fairlead import _compiler, cute
from fairlead._compiler import Float32, Int32
from fairlead.ops._arrays import Described, aligned, checked, expect, reject_out, run
from fairlead.ops._attention_gradients import ATTENTION
from fairlead.ops._autograd import differentiated, needs_gradient
from fairlead.ops._decode_attention import DecodeAttention
from fairlead.ops._hopper_attention import HopperAttention
from fairlead.ops._hopper_sequences import ROW, HopperSequences
from fairlead.ops._sequences import OneByOne, Together
from fairlead.ops._warp_attention import WarpAttention
from fairlead.plans import planned

__all__ = ["attention"]

#: How many blocks of 16, 32 or 64 rows of queries a multiprocessor runs at once where keys are split among blocks.
_AT_ONCE = {16: 6, 32: 4, 64: 3}


@planned
def attention(
    q: object, k: object, v: object, *, causal: bool = False, scale: float | None = None,
    cu_seqlens_q: object = None, cu_seqlens_k: object = None, seqlens_k: object = None,
    page_table: object = None, out: object = None, deterministic: str = "run",
) -> Any:  # fmt: skip
    """``softmax(scale * q @ k.mT) @ v`` for each head; sums are float32.

    Args:
        q: (batch, heads, queries, head_dim), float16 or bfloat16; head_dim is a multiple of 8 up to 256.
        k, v: (batch, kv_heads, keys, head_dim); heads is a multiple of kv_heads, and neighbouring heads share one of
            them (grouped queries).
        causal: query i sees the keys up to ``i + keys - queries``: the last query sees all.
        scale: default ``head_dim ** -0.5``; part of the program: each value compiles once.
        cu_seqlens_q: (sequences + 1,) int32, on the device of ``q``, for sequences of different lengths: q is (rows,
            heads, head_dim) then, k and v are (rows, kv_heads, head_dim), and the queries of sequence i are the rows
            from ``cu_seqlens_q[i]`` to ``cu_seqlens_q[i + 1]``. It begins with 0, and no element is less than the one
            before. Rows from the last element on have no result.
        cu_seqlens_k: the same for rows of k and v; default cu_seqlens_q.
        seqlens_k: (batch,) int32, on the device of ``q``, for a cache of keys that is longer than what it holds: how
            many keys of each batch there are. A number beyond the cache means all of it, one below 0 means none.
        page_table: (batch, pages of a sequence) int32, on the device of ``q``, for a cache in pages: k and v are
            (pages, kv_heads, page_size, head_dim) then, and key j of batch b is row ``j % page_size`` of page
            ``page_table[b, j // page_size]``. Elements that no key needs may be anything; the others must be pages
            of the cache, which the kernel does not check.
        out: row-major, of the shape and type of ``q``; default a new one.
        deterministic: ``"run"``: the same arguments give the same bits. ``"batch"``: the result of a sequence also has
            the same bits in a batch of any size. Few queries take longer then in small batches, whose keys would be
            split among more blocks otherwise.

    Strides may be any in which rows of head_dim elements are contiguous; others are copied. Queries that see no key
    have the result 0. Raises TypeError, ValueError for other arguments.
    """
    if needs_gradient(q, k, v):
        for numbers, name in (
            (cu_seqlens_q, "cu_seqlens_q"), (cu_seqlens_k, "cu_seqlens_k"), (seqlens_k, "seqlens_k"),
            (page_table, "page_table"),
        ):  # fmt: skip
            expect(numbers is None, name, "None where a gradient is needed", type(numbers).__name__)
        return differentiated(
            ATTENTION, (q, k, v), out, attention=attention, causal=causal, scale=scale,
            deterministic=deterministic,
        )  # fmt: skip
    expect(deterministic in ("run", "batch"), "deterministic", "run or batch", repr(deterministic))
    types = ("float16", "bfloat16")
    query = checked(q, "q", dtypes=types)
    key, value = checked(k, "k", query, (query.dtype,)), checked(v, "v", query, (query.dtype,))
    ends = _ends(cu_seqlens_q, cu_seqlens_k, query)
    cache = _cache(seqlens_k, page_table, query, bool(ends))
    group = _shared_heads(query, key, value, bool(ends), page_table is not None)
    reject_out(out, query)
    if out is None:
        result = query.empty(query.shape)
    else:
        target = checked(out, "out", query, (query.dtype,))
        expect(target.shape == query.shape, "out", f"the shape {list(query.shape)}", target)
        expect(target.is_row_major(), "out", "a row-major array", f"strides {list(target.strides)}")
        result = out
    head_dim = query.shape[-1]
    factor = head_dim**-0.5 if scale is None else float(scale)
    inputs = [aligned(each, name) for each, name in ((query, "q"), (key, "k"), (value, "v"))]
    problem = (query.numeric, head_dim, group, bool(causal), factor)
    if ends:
        return _of_sequences(problem, inputs, ends, result)
    if cache or query.shape[2] <= min(max(4 * group, 8), 16):
        batch = 1 if deterministic == "batch" else query.shape[0]
        return _of_few_queries(problem, inputs, cache, page_table is not None, result, batch)
    fakes = lambda: _fakes(query.numeric, head_dim, 4)  # noqa: E731
    if _for_warpgroups(inputs):
        blocks = query.multiprocessors
        program: Any = lambda: HopperAttention(*problem, blocks)  # noqa: E731
        return run(("attention", *problem, blocks), program, fakes, inputs, result)
    tiles = _tiles(query, query.shape[2])
    program = lambda: WarpAttention(*problem[1:], *tiles)  # noqa: E731
    return run(("attention", *problem, tiles), program, fakes, inputs, result)


def _ends(cu_seqlens_q: object, cu_seqlens_k: object, query: Described) -> list[Described]:
    """Of queries and keys; none where all sequences have one length."""
    if cu_seqlens_q is None:
        expected = "None without cu_seqlens_q"
        expect(cu_seqlens_k is None, "cu_seqlens_k", expected, type(cu_seqlens_k).__name__)
        return []
    of_q = checked(cu_seqlens_q, "cu_seqlens_q", query, ("int32",))
    one = len(of_q.shape) == 1 and of_q.shape[0] >= 2
    expect(one, "cu_seqlens_q", "the shape [sequences + 1]", of_q)
    if cu_seqlens_k is None:
        return [of_q.row_major()] * 2
    of_k = checked(cu_seqlens_k, "cu_seqlens_k", query, ("int32",))
    expect(of_k.shape == of_q.shape, "cu_seqlens_k", f"the shape {list(of_q.shape)}", of_k)
    return [of_q.row_major(), of_k.row_major()]


def _cache(
    seqlens_k: object, page_table: object, query: Described, of_sequences: bool
) -> list[Described]:
    """The lengths of a cache's sequences and the table of its pages, as far as there are."""
    arrays = []
    for array, name, rank in ((seqlens_k, "seqlens_k", 1), (page_table, "page_table", 2)):
        if array is None:
            continue
        expect(not of_sequences, name, "None with cu_seqlens_q", type(array).__name__)
        numbers = checked(array, name, query, ("int32",))
        expected_shape = "[batch]" if rank == 1 else "[batch, pages of a sequence]"
        fits = len(numbers.shape) == rank and numbers.shape[0] == query.shape[0]
        fits = fits and 0 not in numbers.shape
        expect(fits, name, f"the shape {expected_shape} with batch {query.shape[0]}", numbers)
        arrays.append(numbers.row_major())
    return arrays


def _shared_heads(
    query: Described, key: Described, value: Described, in_rows: bool, paged: bool
) -> int:
    """How many heads of queries share one of keys."""
    names = "(rows, heads, head_dim)" if in_rows else "(batch, heads, queries, head_dim)"
    rank = 3 if in_rows else 4
    expect(len(query.shape) == rank, "q", f"the dimensions {names}", query)
    heads, head_dim = query.shape[1], query.shape[-1]
    expect(
        head_dim % 8 == 0 and 8 <= head_dim <= 256,
        "q",
        "head_dim in multiples of 8 up to 256",
        query,
    )
    right = len(key.shape) == rank and key.shape[-1] == head_dim
    if in_rows:
        expected_shape = f"[rows, kv_heads, {head_dim}]"
    elif paged:
        expected_shape = f"[pages, kv_heads, page_size, {head_dim}]"
    else:
        right = right and key.shape[0] == query.shape[0]
        expected_shape = f"[{query.shape[0]}, kv_heads, keys, {head_dim}]"
    expect(right, "k", f"the shape {expected_shape}", key)
    expect(value.shape == key.shape, "v", f"the shape {list(key.shape)} of k", value)
    kv_heads = key.shape[1]
    expect(
        kv_heads > 0 and heads % kv_heads == 0,
        "k",
        f"a number of heads that divides {heads}",
        key,
    )
    both = f"{query.text()} and {key.text()}"
    expect(0 not in query.shape and 0 not in key.shape, "q", "elements", both)
    group: int = heads // kv_heads
    return group


def _tiles(query: Described, queries: int) -> tuple[Any, ...]:
    """WarpAttention's m_block, n_block, num_threads and one_loop: fewer rows of few queries, or of long rows, whose
    sums take many registers; little code on the CPU, where all of it took half a minute to compile."""
    if query.device == "cpu":
        return 64, 32, 128, True
    return 64 if queries <= 64 or query.shape[-1] > 128 else 128, 64, 128, False


def _fakes(
    dtype: type[_compiler.Numeric], head_dim: int, rank: int, paged: bool = False
) -> list[Any]:
    """Of Q, K, V and O."""
    mine, shared = ([cute.sym_int() for _ in range(rank - 1)] for _ in range(2))
    if rank == 4 and not paged:
        shared[0] = mine[0]

    def fake(extents: list[Any]) -> Any:
        strides = (*(cute.sym_int64(divisibility=8) for _ in extents), 1)
        return cute.make_fake_tensor(dtype, (*extents, head_dim), stride=strides, assumed_align=16)

    order = tuple(reversed(range(rank)))
    done = cute.make_fake_compact_tensor(dtype, (*mine, head_dim), stride_order=order)
    return [fake(mine), fake(shared), fake(shared), done]


def _of_few_queries(
    problem: tuple[Any, ...], inputs: list[Described], cache: list[Described], paged: bool, result: Any, batch: int
) -> Any:  # fmt: skip
    """Attention that splits the keys among blocks, among as many as a batch of size ``batch`` needs."""
    query, key = inputs[:2]
    dtype, head_dim, group, *_ = problem
    with_lengths = len(cache) > paged
    rows = query.shape[2] * group
    m_block = 16 if rows <= 16 else 32 if rows <= 32 else 64
    keys = key.shape[2] * (cache[-1].shape[1] if paged else 1)
    # Less code on the CPU.
    n_block = 32 if query.device == "cpu" else 64
    blocks = batch * key.shape[1] * -(-rows // m_block)
    shares = _shares(query, blocks, -(-keys // n_block), m_block)
    numbers = query.shape[0] * query.shape[1] * query.shape[2] * (head_dim + 1)
    space = query.empty((shares, numbers), "float32")

    def fakes() -> list[Any]:
        tensors = _fakes(dtype, head_dim, 4, paged)
        batch = tensors[0].shape[0]
        numbers = []
        if with_lengths:
            numbers.append(cute.make_fake_compact_tensor(Int32, (batch,)))
        if paged:
            numbers.append(
                cute.make_fake_compact_tensor(Int32, (batch, cute.sym_int()), stride_order=(1, 0))
            )
        space = cute.make_fake_compact_tensor(
            Float32, (cute.sym_int(), cute.sym_int()), stride_order=(1, 0)
        )
        return [*tensors[:3], *numbers, tensors[3], space]

    options: tuple[Any, ...] = (m_block, n_block, with_lengths, paged)
    program = lambda: DecodeAttention(*problem[1:], *options)  # noqa: E731
    key_ = ("attention of few queries", *problem, *options)
    return run(key_, program, fakes, [*inputs, *cache], result, space)


def _shares(query: Described, blocks: int, tiles: int, m_block: int) -> int:
    """Among how many blocks the keys of a sequence are split: as many as finish first, where a processor runs some at
    once, and to begin and to end a block takes the time of two tiles."""
    if query.device == "cpu":
        at_once = os.cpu_count() or 1
    else:
        at_once = query.multiprocessors * _AT_ONCE[m_block]

    def time(shares: int) -> int:
        return -(-blocks * shares // at_once) * (-(-tiles // shares) + 2)

    return min(range(1, min(tiles, 128) + 1), key=time)


def _of_sequences(
    problem: tuple[Any, ...], inputs: list[Described], ends: list[Described], result: object
) -> Any:  # fmt: skip
    """Attention of sequences of different lengths."""
    query, (dtype, head_dim, *_) = inputs[0], problem

    def fakes() -> list[Any]:
        *tensors, done = _fakes(dtype, head_dim, 3)
        extent = cute.sym_int()
        vectors = [cute.make_fake_compact_tensor(Int32, (extent,)) for _ in range(2)]
        return [*tensors, *vectors, done]

    arrays = [*inputs, *ends]
    if _for_warpgroups(inputs):
        blocks = query.multiprocessors
        space = query.empty((ends[0].shape[0], 2 * ROW), "int32")
        with_space = lambda: [  # noqa: E731
            *fakes(),
            cute.make_fake_compact_tensor(
                Int32, (cute.sym_int(), 2 * ROW), stride_order=(1, 0), assumed_align=16
            ),
        ]
        program: Any = lambda: HopperSequences(*problem, blocks)  # noqa: E731
        key = ("attention of sequences", *problem, blocks)
        return run(key, program, with_space, arrays, result, space)
    tiles = _tiles(query, query.shape[0] // (ends[0].shape[0] - 1))
    arrange = OneByOne if query.device == "cpu" else Together
    program = lambda: arrange(WarpAttention(*problem[1:], *tiles))  # noqa: E731
    return run(("attention of sequences", *problem, tiles), program, fakes, arrays, result)


def _for_warpgroups(inputs: list[Described]) -> bool:
    """Whether a GPU of compute capability 9.0 copies boxes of them: strides of 16 bytes or more. Longer rows of heads
    than 128 elements do not fit into shared memory."""
    first = inputs[0]
    return (
        first.has("wgmma")
        and first.shape[-1] <= 128
        and all(stride > 0 and stride % 8 == 0 for array in inputs for stride in array.strides[:-1])
    )
