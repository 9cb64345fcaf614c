"""Attention: softmax(scale * Q K^T) V, without the matrix of scores in memory."""

from __future__ import annotations

import math
import os
from typing import Any, NamedTuple

from fairlead import _compiler, cute
from fairlead._compiler import Float32, Int32
from fairlead.ops._arrays import (
    Described,
    aligned,
    checked,
    describe,
    expect,
    flag,
    number,
    numeric,
    reject_out,
    run,
)
from fairlead.ops._attention_gradients import ATTENTION, window_of
from fairlead.ops._autograd import differentiated, needs_gradient, reject_gradient
from fairlead.ops._blackwell_attention import BlackwellAttention, is_for_tensor_memory
from fairlead.ops._cpu_attention import CpuAttention
from fairlead.ops._decode_attention import DecodeAttention
from fairlead.ops._hopper_attention import HopperAttention, is_for_warpgroups, tiles_of
from fairlead.ops._hopper_sequences import ROW, HopperSequences
from fairlead.ops._narrow_attention import LONGEST_VALUE, PADDING, NarrowAttention, narrow_tiles
from fairlead.ops._sequences import OneByOne, Together
from fairlead.ops._warp_attention import WarpAttention
from fairlead.plans import Plan, planned

__all__ = ["attention"]

#: The types of elements.
_WIDE, _NARROW = ("float16", "bfloat16"), "float8_e4m3fn"
#: How many blocks of 16, 32 or 64 rows of queries a multiprocessor is to run at once where blocks share the keys: there
#: is room for more of 16, but more shares take longer to add up. And its shared memory in bytes.
_AT_ONCE, _MEMORY = {16: 4, 32: 4, 64: 3}, 227 * 1024


@planned(written="out")
def attention(
    q: object, k: object, v: object, *, causal: bool = False, scale: float | None = None,
    window: Any = None, softcap: float | None = None, cu_seqlens_q: object = None,
    cu_seqlens_k: object = None, seqlens_k: object = None, page_table: object = None, out: object = None,
    return_lse: bool = False, deterministic: str = "run", scales: Any = None, out_dtype: str | None = None,
    sinks: object = None, alibi_slopes: object = None,
) -> Any:  # fmt: skip
    """``softmax(scale * q @ k.mT) @ v`` for each head; sums are float32.

    Args:
        q: (batch, heads, queries, head_dim), float16 or bfloat16; head_dim is a multiple of 8 up to 256. Or
            float8_e4m3fn with a head_dim in multiples of 16, up to 128 of v, on CPUs and GPUs of compute capability
            9.0.
        k, v: (batch, kv_heads, keys, head_dim); heads is a multiple of kv_heads, and neighbouring heads share one of
            them (grouped queries). v may have a smaller head_dim, a multiple of the same number, as in MLA; the result
            has it then. Not with seqlens_k, page_table; no derivative.
        causal: query i sees the keys up to ``i + keys - queries``: the last query sees all.
        scale: default ``head_dim ** -0.5``; part of the program: each value compiles once.
        window: (left, right): query i sees the keys from ``i + keys - queries - left`` to ``i + keys - queries +
            right``; None for no limit on a side. With ``causal`` also those limits count. Each value compiles once, and
            a tuple makes calls take the way through Python.
        softcap: a number above 0: scores are ``softcap * tanh(scale * q @ k.mT / softcap)``. No derivative.
        cu_seqlens_q: (sequences + 1,) int32, on the device of ``q``, for sequences of different lengths: q is (rows,
            heads, head_dim) then, k and v are (rows, kv_heads, head_dim), and the queries of sequence i are the rows
            from ``cu_seqlens_q[i]`` to ``cu_seqlens_q[i + 1]``. It begins with 0, and no element is less than the one
            before. Rows from the last element on have no result.
        cu_seqlens_k: the same for rows of k and v; default cu_seqlens_q.
        seqlens_k: (batch,) int32, on the device of ``q``, for a cache that is not full: the number of keys in each
            batch. A number beyond the cache means all of it, a number below 0 means none.
        page_table: (batch, pages of a sequence) int32, on the device of ``q``, for a cache in pages: k and v are
            (pages, kv_heads, page_size, head_dim) then, and key j of batch b is row ``j % page_size`` of page
            ``page_table[b, j // page_size]``. Elements that no key needs may be anything; the others must be pages
            of the cache, which the kernel does not check.
        out: row-major, of the shape of ``q`` with the head_dim of ``v``, and of the result's type; default a new one.
            Its memory is not that of another argument, which is not checked.
        return_lse: return (result, logarithms): for each query the natural logarithm of the sum of ``exp(score)`` over
            the keys that it sees, and its head's sink, float32 of the shape (batch, heads, queries), or (heads, rows)
            with cu_seqlens_q; -inf for queries that see neither. They have no derivative.
        deterministic: ``"run"``: the same arguments give the same bits. ``"batch"``: the result of a sequence also has
            the same bits in a batch of any size. Few queries take longer then in small batches, whose keys would be
            split among more blocks otherwise.
        scales: of float8_e4m3fn: (scale of q, scale of k, scale of v), the factors that the elements stand for, float32
            on the device of ``q``: of one element, or of one for each head; not negative; None for 1. Not with
            cu_seqlens_q, seqlens_k, page_table.
        out_dtype: of float8_e4m3fn: "bfloat16" or "float16", the result's type; default "bfloat16".
        sinks: (heads,) float32, on the device of ``q``: a logit of each head, which counts in its softmax as a score of
            one more key, seen by all queries, whose value is 0. None and -inf for no such key.
        alibi_slopes: (heads,) or (batch, heads) float32, on the device of ``q``, for ALiBi: query i scores key j lower
            by ``slope * abs(i + keys - queries - j)``, also where ``softcap`` limits scores. Only (heads,) with
            cu_seqlens_q. Not with float8_e4m3fn; no derivative.

    Rows of head_dim elements must be contiguous, or the tensor is copied; other strides are free. A query that sees no
    key has the result 0, also if there are no keys at all. Without queries, heads or batches the result has no
    elements. Raises TypeError, ValueError for other arguments.
    """
    causal, return_lse = flag(causal, "causal"), flag(return_lse, "return_lse")
    if needs_gradient(q, k, v, sinks):
        for numbers, name in (
            (cu_seqlens_q, "cu_seqlens_q"), (cu_seqlens_k, "cu_seqlens_k"), (seqlens_k, "seqlens_k"),
            (page_table, "page_table"), (scales, "scales"), (out_dtype, "out_dtype"),
            (alibi_slopes, "alibi_slopes"),
        ):  # fmt: skip
            expect(numbers is None, name, "None where a gradient is needed", type(numbers).__name__)
        expect(not return_lse, "return_lse", "False where a gradient is needed", return_lse)
        expect(softcap is None, "softcap", "None where a gradient is needed", softcap)
        of_value = checked(v, "v", checked(q, "q", dtypes=_WIDE))
        same = of_value.shape[-1:] == describe(k, "k").shape[-1:]
        expect(same, "v", "the head_dim of k where a gradient is needed", of_value)
        return differentiated(
            ATTENTION, (q, k, v, sinks), out, attention=attention, causal=causal, window=window,
            scale=scale, deterministic=deterministic,
        )  # fmt: skip
    expect(deterministic in ("run", "batch"), "deterministic", "run or batch", repr(deterministic))
    query = checked(q, "q", dtypes=(*_WIDE, _NARROW))
    key, value = checked(k, "k", query, (query.dtype,)), checked(v, "v", query, (query.dtype,))
    is_narrow = query.dtype == _NARROW
    ends = _ends(cu_seqlens_q, cu_seqlens_k, query)
    cache = _cache(seqlens_k, page_table, query, bool(ends))
    group = _shared_heads(query, key, value, bool(ends), page_table is not None)
    head_dim, value_dim = query.shape[-1], value.shape[-1]
    is_alike = value_dim == head_dim
    expect(is_alike or not cache, "v", "the head_dim of k with seqlens_k or page_table", value)
    dtype = _result_type(out_dtype, query)
    factors = _scales(scales, query, key, bool(ends) or bool(cache))
    vectors = _Vectors(_sinks(sinks, query), _slopes(alibi_slopes, query, bool(ends)))
    reject_out(out, query)
    if out is None:
        result = query.empty((*query.shape[:-1], value_dim), dtype)
    else:
        target = checked(out, "out", query, (dtype,))
        expected_shape = (*query.shape[:-1], value_dim)
        expect(target.shape == expected_shape, "out", f"the shape {list(expected_shape)}", target)
        expect(target.is_row_major(), "out", "a row-major array", f"strides {list(target.strides)}")
        result = out
    results: tuple[Any, ...] = (result,)
    if return_lse:
        rows = query.shape[:3] if len(query.shape) == 4 else (query.shape[1], query.shape[0])
        results = (result, query.empty(rows, "float32"))
    factor = head_dim**-0.5 if scale is None else number(scale, "scale")
    problem = (query.numeric, head_dim, group, window_of(causal, window), factor)
    cap = _cap(softcap)
    capped: dict[str, Any] = {"softcap": cap, "value_dim": value_dim, **vectors.options()}
    if 0 in query.shape or 0 in key.shape:
        return _of_nothing(query, results, vectors.sinks)
    inputs = [aligned(operand, name) for operand, name in ((query, "q"), (key, "k"), (value, "v"))]
    if is_narrow:
        return _of_narrow(problem, inputs, factors, vectors.sinks, results, numeric(dtype), cap)
    if ends:
        return _of_sequences(problem, inputs, ends, vectors, results, cap)
    if cache or (is_alike and query.shape[2] <= min(max(4 * group, 8), 16)):
        batch = 1 if deterministic == "batch" else query.shape[0]
        paged = page_table is not None
        return _of_few_queries(problem, inputs, cache, paged, vectors, results, batch, cap)

    def fakes() -> list[Any]:
        tensors = _fakes(query.numeric, head_dim, value_dim, 4)
        return _with_extras(tensors, vectors.arrays(), return_lse)

    outs = results if return_lse else result
    inputs += vectors.arrays()
    options = (value_dim, cap, *vectors.key(), return_lse)
    if is_for_warpgroups(inputs[:3]):
        blocks = query.multiprocessors
        heads = query.shape[0] * query.shape[1]
        tiling = tiles_of(
            problem[3], head_dim, query.shape[2], key.shape[2], heads, blocks, value_dim
        )
        program: Any = lambda: HopperAttention(*problem, blocks, *tiling, **capped)  # noqa: E731
        run_key: Any = ("attention", *problem, *options, blocks, *tiling)
        return run(run_key, program, fakes, inputs, outs)
    if is_for_tensor_memory(inputs[:3]) and not vectors.slopes:
        program = lambda: BlackwellAttention(*problem, **capped)  # noqa: E731
        run_key = ("attention in tensor memory", *problem, *options)
        return run(run_key, program, fakes, inputs, outs)
    if _for_cpus(query):
        program = lambda: CpuAttention(*problem[1:], **capped)  # noqa: E731
        return run(("attention", *problem, *options), program, fakes, inputs, outs)
    tiles = _tiles(query, query.shape[2])
    program = lambda: WarpAttention(*problem[1:], *tiles, **capped)  # noqa: E731
    run_key = ("attention", *problem, *options, tiles)
    return run(run_key, program, fakes, inputs, outs)


class _Vectors(NamedTuple):
    """The sinks and the slopes of heads, each in a list, which is empty without them."""

    sinks: list[Described]
    slopes: list[Described]

    def arrays(self) -> list[Described]:
        return [*self.sinks, *self.slopes]

    def options(self) -> dict[str, bool]:
        """Return the arguments of kernels that depend on them."""
        with_slopes = {"with_slopes": True} if self.slopes else {}
        return {"with_sinks": bool(self.sinks), **with_slopes}

    def key(self) -> tuple[Any, ...]:
        """Return the part of a program's key that depends on them."""
        return (bool(self.sinks), *(len(array.shape) for array in self.slopes))


def _result_type(out_dtype: str | None, query: Described) -> str:
    if query.dtype != _NARROW:
        expected = f"None or {query.dtype}, the type of q"
        expect(out_dtype in (None, query.dtype), "out_dtype", expected, repr(out_dtype))
        return query.dtype
    expect(out_dtype in (None, *_WIDE), "out_dtype", f"one of {', '.join(_WIDE)}", repr(out_dtype))
    return out_dtype or "bfloat16"


def _scales(
    scales: Any, query: Described, key: Described, of_others: bool
) -> list[Described | None]:
    """Return the scales of Q, K and V, each a vector of one element or of one for each head, or None for 1."""
    if query.dtype != _NARROW:
        expected = f"None for elements that are not {_NARROW}"
        expect(scales is None, "scales", expected, type(scales).__name__)
        return []
    expect(
        not of_others, "q", "float16 or bfloat16 with cu_seqlens_q, seqlens_k or page_table", query
    )
    fits = query.device == "cpu" or query.has("wgmma")
    expect(fits, "q", f"a GPU of compute capability 9.0 for {_NARROW}", query)
    if scales is None:
        return [None] * 3
    is_triple = isinstance(scales, (tuple, list)) and len(scales) == 3
    got = f"{type(scales).__name__} of {len(scales)}" if hasattr(scales, "__len__") else scales
    expect(is_triple, "scales", "None, or (scale of q, scale of k, scale of v)", got)
    reject_gradient("attention of float8", scales=scales)
    factors: list[Described | None] = []
    for place, (scale, heads) in enumerate(zip(scales, (query, key, key), strict=True)):
        if scale is None:
            factors.append(None)
            continue
        name, count = f"scales[{place}]", heads.shape[1]
        factor = checked(scale, name, query, ("float32",))
        fits = factor.shape in ((), (1,), (count,))
        expect(fits, name, f"one element, or the shape [{count}] of the heads", factor)
        factors.append(factor.row_major().reshaped(factor.shape[0] if factor.shape else 1))
    return factors


def _sinks(sinks: object, query: Described) -> list[Described]:
    """Return the sinks in a list; an empty one for None."""
    if sinks is None:
        return []
    vector, heads = checked(sinks, "sinks", query, ("float32",)), query.shape[1]
    expect(vector.shape == (heads,), "sinks", f"the shape [{heads}] of the heads", vector)
    return [vector.row_major()]


def _slopes(alibi_slopes: object, query: Described, of_sequences: bool) -> list[Described]:
    """Return the slopes in a list; an empty one for None."""
    if alibi_slopes is None:
        return []
    expected = f"None for {_NARROW}"
    got = type(alibi_slopes).__name__
    expect(query.dtype != _NARROW, "alibi_slopes", expected, got)
    reject_gradient("attention", alibi_slopes=alibi_slopes)
    slopes, heads = checked(alibi_slopes, "alibi_slopes", query, ("float32",)), query.shape[1]
    expected, fits = f"the shape [{heads}] of the heads", slopes.shape == (heads,)
    if not of_sequences:
        shape = (query.shape[0], heads)
        expected, fits = f"{expected} or {list(shape)}", fits or slopes.shape == shape
    expect(fits, "alibi_slopes", expected, slopes)
    return [slopes.row_major()]


def _for_tensor_maps(array: Described) -> Described:
    """Return the array, or a row-major copy if one of its strides is not a positive multiple of 16 bytes."""
    step = 128 // array.numeric.width
    if all(stride > 0 and stride % step == 0 for stride in array.strides[:-1]):
        return array
    if array.framework == "torch":
        import torch

        return describe(array.array.clone(memory_format=torch.contiguous_format), "")
    import numpy

    return describe(numpy.array(array.array, order="C"), "")


def _of_narrow(
    problem: tuple[Any, ...], inputs: list[Described], factors: list[Described | None], sinks: list[Described],
    results: tuple[Any, ...], result_type: type[_compiler.Numeric], cap: float,
) -> Any:  # fmt: skip
    """Attention of floats of 8 bits."""
    query, key, value = inputs = [_for_tensor_maps(array) for array in inputs]
    _, head_dim, *rest = problem
    has_scales = tuple(factor is not None for factor in factors)
    keys = -(-key.shape[2] // PADDING) * PADDING
    value_dim = value.shape[-1]
    space = query.empty((*value.shape[:2], value_dim, keys))
    tiling = (64, False) if query.device == "cpu" else narrow_tiles(value_dim)
    blocks = 4 if query.device == "cpu" else query.multiprocessors
    with_logs = len(results) == 2

    def fakes() -> list[Any]:
        *tensors, done = _fakes(query.numeric, head_dim, value_dim, 4, result_type=result_type)
        vectors = [
            cute.make_fake_compact_tensor(Float32, (cute.sym_int(),))
            for _ in range(sum(has_scales))
        ]
        extents = (*tensors[2].shape[:2], value_dim, cute.sym_int(divisibility=PADDING))
        columns = cute.make_fake_compact_tensor(
            query.numeric, extents, stride_order=(3, 2, 1, 0), assumed_align=16
        )
        extras = _with_extras([tensors[0], done], sinks, with_logs)[1:]
        return [*tensors, *vectors, *extras, columns]

    options: tuple[Any, ...] = (head_dim, *rest, has_scales, blocks, *tiling)
    more: dict[str, Any] = {"softcap": cap, "value_dim": value_dim, "with_sinks": bool(sinks)}
    program = lambda: NarrowAttention(*options, **more)  # noqa: E731
    key_ = ("attention of float8", *options, *more.values(), result_type.__name__, with_logs)
    arrays = [*inputs, *(factor for factor in factors if factor is not None), *sinks]
    return run(key_, program, fakes, arrays, results if with_logs else results[0], space)


def _cap(softcap: float | None) -> float:
    """Return the number that scores are capped at, 0 for none."""
    if softcap is None:
        return 0.0
    is_number = isinstance(softcap, (int, float)) and not isinstance(softcap, bool)
    is_finite = is_number and 0 < softcap < math.inf
    expect(is_finite, "softcap", "None or a finite number above 0", repr(softcap))
    return float(softcap)


def _of_nothing(query: Described, results: tuple[Any, ...], sinks: list[Described]) -> Any:
    """Return the plan for no queries or no keys: zeros, and the sinks or -inf as logarithms."""
    if query.framework == "jax":
        import jax.numpy

        number = sinks[0].array[:, None] if sinks else -math.inf
        filled = [
            jax.numpy.broadcast_to(jax.numpy.asarray(value, array.dtype), array.shape)
            for array, value in zip(results, (0, number), strict=False)
        ]
        return tuple(filled) if len(filled) > 1 else filled[0]
    arguments = [results[0], *(sinks[0].argument for _ in sinks), *results[1:]]
    return Plan(_fill, [bool(sinks), *arguments], results[0] if len(results) == 1 else results)


def _fill(with_sinks: bool, result: Any, *others: Any) -> None:
    """Fill the result, and the last of the others, the logarithms, if they are stored."""
    result[...] = 0
    if len(others) > with_sinks:
        others[-1][...] = others[0][:, None] if with_sinks else -math.inf


def _ends(cu_seqlens_q: object, cu_seqlens_k: object, query: Described) -> list[Described]:
    """Return the ends of the sequences of queries and of keys; an empty list if all sequences have one length."""
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
    """Return the lengths of a cache's sequences and the table of its pages, without the missing ones."""
    arrays = []
    for array, name, rank in ((seqlens_k, "seqlens_k", 1), (page_table, "page_table", 2)):
        if array is None:
            continue
        expect(not of_sequences, name, "None with cu_seqlens_q", type(array).__name__)
        numbers = checked(array, name, query, ("int32",))
        expected_shape = "[batch]" if rank == 1 else "[batch, pages of a sequence]"
        fits = len(numbers.shape) == rank and numbers.shape[0] == query.shape[0]
        fits = fits and 0 not in numbers.shape[1:]
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
    step = 128 // query.numeric.width
    is_multiple = head_dim % step == 0 and step <= head_dim <= 256
    expect(is_multiple, "q", f"head_dim in multiples of {step} up to 256", query)
    right = len(key.shape) == rank and key.shape[-1] == head_dim
    if in_rows:
        expected_shape = f"[rows, kv_heads, {head_dim}]"
    elif paged:
        expected_shape = f"[pages, kv_heads, page_size, {head_dim}]"
    else:
        right = right and key.shape[0] == query.shape[0]
        expected_shape = f"[{query.shape[0]}, kv_heads, keys, {head_dim}]"
    expect(right, "k", f"the shape {expected_shape}", key)
    expected = f"the shape {list(key.shape)} of k, or a head_dim in smaller multiples of {step}"
    longest = LONGEST_VALUE if query.dtype == _NARROW else head_dim
    if longest < head_dim:
        expected = f"the shape {list(key.shape)[:-1]} of k and a head_dim in multiples of {step} up to {longest}"
    fits = value.shape[:-1] == key.shape[:-1] and value.shape[-1] % step == 0
    is_short = step <= value.shape[-1] <= min(longest, head_dim)
    expect(fits and is_short, "v", expected, value)
    kv_heads = key.shape[1]
    expect(
        kv_heads > 0 and heads % kv_heads == 0,
        "k",
        f"a number of heads that divides {heads}",
        key,
    )
    group: int = heads // kv_heads
    return group


def _for_cpus(query: Described) -> bool:
    """Return whether the kernel for processors computes it."""
    return query.device == "cpu"


def _tiles(query: Described, queries: int) -> tuple[int, int, int, bool]:
    """WarpAttention's m_block, n_block, num_threads and one_loop: fewer rows of few queries, or of long rows, whose
    sums take many registers; little code on the CPU, where all of it took half a minute to compile."""
    if query.device == "cpu":
        return 64, 32, 128, True
    return 64 if queries <= 64 or query.shape[-1] > 128 else 128, 64, 128, False


def _fakes(
    dtype: type[_compiler.Numeric], head_dim: int, value_dim: int, rank: int, paged: bool = False,
    result_type: type[_compiler.Numeric] | None = None,
) -> list[Any]:  # fmt: skip
    """Return examples of Q, K, V and O."""
    mine, shared = ([cute.sym_int() for _ in range(rank - 1)] for _ in range(2))
    if rank == 4 and not paged:
        shared[0] = mine[0]

    def fake(extents: list[Any], columns: int) -> Any:
        strides = (*(cute.sym_int64(divisibility=128 // dtype.width) for _ in extents), 1)
        return cute.make_fake_tensor(dtype, (*extents, columns), stride=strides, assumed_align=16)

    order = tuple(reversed(range(rank)))
    result_type = result_type or dtype
    done = cute.make_fake_compact_tensor(result_type, (*mine, value_dim), stride_order=order)
    return [fake(mine, head_dim), fake(shared, head_dim), fake(shared, value_dim), done]


def _with_extras(tensors: list[Any], vectors: list[Described], return_lse: bool) -> list[Any]:
    """Add examples of the sinks and slopes and the logarithms to those of Q, perhaps others, and O."""
    *rows, _ = tensors[0].shape
    shape = tuple(rows) if len(rows) == 3 else (rows[1], rows[0])
    order = tuple(reversed(range(len(shape))))

    def fake(rank: int) -> Any:
        """Return an example of the shape (heads,) or (batch, heads)."""
        return cute.make_fake_compact_tensor(
            Float32, shape[-1 - rank : -1], stride_order=order[-rank:]
        )

    tensors = [*tensors[:-1], *(fake(len(vector.shape)) for vector in vectors), tensors[-1]]
    if not return_lse:
        return tensors
    return [*tensors, cute.make_fake_compact_tensor(Float32, shape, stride_order=order)]


def _of_few_queries(
    problem: tuple[Any, ...], inputs: list[Described], cache: list[Described], paged: bool, vectors: _Vectors,
    results: tuple[Any, ...], batch: int, cap: float,
) -> Any:  # fmt: skip
    """Attention that splits the keys among blocks, among as many as a batch of size ``batch`` needs."""
    query, key = inputs[:2]
    dtype, head_dim, group, window, _ = problem
    with_lengths = len(cache) > paged
    rows = query.shape[2] * group
    m_block = 16 if rows <= 16 else 32 if rows <= 32 else 64
    keys = key.shape[2] * (cache[-1].shape[1] if paged else 1)
    if window.left is not None and not cache:
        keys = min(keys, window.left + query.shape[2])
    blocks = batch * key.shape[1] * -(-rows // m_block)
    # On the CPU fewer keys make less code. 64 rows of up to 128 elements leave shared memory for 128 keys.
    is_large = m_block == 64 and head_dim <= 128 and blocks >= 8
    n_block = 32 if query.device == "cpu" else 128 if is_large else 64
    shares = _shares(query, blocks, -(-keys // n_block), m_block, n_block)
    numbers = query.shape[0] * query.shape[1] * query.shape[2] * (head_dim + 1)
    space = query.empty((shares, numbers), "float32")

    def fakes() -> list[Any]:
        tensors = _fakes(dtype, head_dim, head_dim, 4, paged)
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
        filled = _with_extras([tensors[0], tensors[3]], vectors.arrays(), with_logs)[1:]
        return [*tensors[:3], *numbers, *filled, space]

    with_logs = len(results) == 2
    # Warps that add up the shares of a row, a few each; fewer of many rows.
    warps = 16 if shares >= 32 and m_block < 64 else 8 if shares >= 16 else 4
    options: tuple[Any, ...] = (
        m_block, n_block, with_lengths, paged, cap, bool(vectors.sinks), warps, query.has("griddepcontrol"),
        bool(vectors.slopes),
    )  # fmt: skip
    program = lambda: DecodeAttention(*problem[1:], *options)  # noqa: E731
    key_ = ("attention of few queries", *problem, *options, *vectors.key(), with_logs)
    outs = results if with_logs else results[0]
    return run(key_, program, fakes, [*inputs, *cache, *vectors.arrays()], outs, space)


def _shares(query: Described, blocks: int, tiles: int, rows: int, keys: int) -> int:
    """Among how many blocks the keys of a sequence are split: as many as finish first, where a processor runs some at
    once, and to begin and to end a block takes the time of two tiles. ``rows``, ``keys``: of a block's tiles."""
    if query.device == "cpu":
        at_once = os.cpu_count() or 1
    else:
        bytes_ = 2 * -(-query.shape[-1] // 32) * 32 * (rows + 2 * keys)
        at_once = query.multiprocessors * min(_AT_ONCE[rows], _MEMORY // (bytes_ + 1024))

    def time(shares: int) -> int:
        return -(-blocks * shares // at_once) * (-(-tiles // shares) + 2)

    return min(range(1, min(tiles, 128) + 1), key=time)


def _of_sequences(
    problem: tuple[Any, ...], inputs: list[Described], ends: list[Described], vectors: _Vectors,
    results: tuple[Any, ...], cap: float,
) -> Any:  # fmt: skip
    """Attention of sequences of different lengths."""
    query, (dtype, head_dim, _, window, _) = inputs[0], problem
    value_dim = inputs[2].shape[-1]
    with_logs = len(results) == 2
    capped: dict[str, Any] = {"softcap": cap, "value_dim": value_dim, **vectors.options()}
    options = (value_dim, cap, *vectors.key(), with_logs)
    outs = results if with_logs else results[0]

    def fakes() -> list[Any]:
        *tensors, done = _fakes(dtype, head_dim, value_dim, 3)
        extent = cute.sym_int()
        fake_ends = [cute.make_fake_compact_tensor(Int32, (extent,)) for _ in range(2)]
        extras = _with_extras([tensors[0], done], vectors.arrays(), with_logs)[1:]
        return [*tensors, *fake_ends, *extras]

    arrays = [*inputs, *ends, *vectors.arrays()]
    if is_for_warpgroups(inputs):
        blocks = query.multiprocessors
        space = query.empty((ends[0].shape[0], 2 * ROW), "int32")
        with_space = lambda: [  # noqa: E731
            *fakes(),
            cute.make_fake_compact_tensor(
                Int32, (cute.sym_int(), 2 * ROW), stride_order=(1, 0), assumed_align=16
            ),
        ]
        # Of sequences of the mean lengths.
        count = ends[0].shape[0] - 1
        queries, keys = (array.shape[0] // count for array in inputs[:2])
        heads = count * query.shape[1]
        tiling = tiles_of(window, head_dim, queries, keys, heads, blocks, value_dim)
        program: Any = lambda: HopperSequences(*problem, blocks, *tiling, **capped)  # noqa: E731
        key = ("attention of sequences", *problem, *options, blocks, *tiling)
        return run(key, program, with_space, arrays, outs, space)
    if _for_cpus(query):
        program = lambda: OneByOne(CpuAttention(*problem[1:], **capped))  # noqa: E731
        key = ("attention of sequences", *problem, *options)
        return run(key, program, fakes, arrays, outs)
    tiles: tuple[Any, ...] = _tiles(query, query.shape[0] // (ends[0].shape[0] - 1))
    arrange = OneByOne if query.device == "cpu" else Together
    program = lambda: arrange(WarpAttention(*problem[1:], *tiles, **capped))  # noqa: E731
    key = ("attention of sequences", *problem, *options, tiles)
    return run(key, program, fakes, arrays, outs)
