"""Attention: softmax(scale * Q K^T) V, without the matrix of scores in memory."""

from __future__ import annotations

from typing import Any

from fairlead import _compiler, cute
from fairlead.cute.nvgpu import LoadCacheMode, cpasync, warp
from fairlead.ops._arrays import Described, checked, expect, reject_out, run
from fairlead.ops._hopper_attention import HopperAttention
from fairlead.ops._softmax import OnlineSoftmax, by_rows

__all__ = ["attention"]

Boolean, Float32 = _compiler.Boolean, _compiler.Float32

_QUERIES, _KEYS, _THREADS = 64, 64, 128


class _Attention:
    """A block has 64 queries of a head, of which a warp has 16, and goes through the keys by tiles of 64.

    V's tile comes while the scores are computed, the next one of K while they are used. A row's maximum and sum are
    kept while tiles go by; what was summed is scaled when the maximum grows.
    """

    def __init__(self, dtype: type, head_dim: int, group: int, causal: bool, scale: float) -> None:
        self.dtype, self.head_dim, self.group, self.causal = dtype, head_dim, group, causal
        self.padded = -(-head_dim // 64) * 64
        self.softmax = OnlineSoftmax(scale)

    @cute.jit
    def __call__(self, q: cute.Tensor, k: cute.Tensor, v: cute.Tensor, out: cute.Tensor):
        mma = cute.make_tiled_mma(
            warp.MmaF16BF16Op(self.dtype, Float32, (16, 8, 16)),
            (_THREADS // 32, 1, 1),
            permutation_mnk=(_QUERIES, 16, 16),
        )
        load = cute.make_copy_atom(
            cpasync.CopyG2SOp(cache_mode=LoadCacheMode.GLOBAL), self.dtype, num_bits_per_copy=128
        )
        copy = cute.make_tiled_copy_tv(
            load, cute.make_layout((16, 8), stride=(8, 1)), cute.make_layout((1, 8))
        )
        batch, heads, queries, _ = q.shape
        self.kernel(q, k, v, out, mma, copy).launch(
            grid=(cute.ceil_div(queries, _QUERIES), heads, batch), block=(_THREADS, 1, 1)
        )

    @cute.kernel
    def kernel(self, q, k, v, out, mma, copy):
        thread, _, _ = cute.arch.thread_idx()
        tile, head, batch = cute.arch.block_idx()
        tiles, _, _ = cute.arch.grid_dim()
        if cute.const_expr(self.causal):
            tile = tiles - 1 - tile  # those with the most keys start first
        queries, keys = cute.Int32(q.shape[2]), cute.Int32(k.shape[2])
        memory = cute.SmemAllocator()
        atom = cute.make_layout((8, 64), stride=(64, 1))
        layout = cute.tile_to_shape(atom, (_KEYS, self.padded), (0, 1))
        sQ, sK, sV = (
            memory.allocate_tensor(self.dtype, layout, 1024, swizzle=cute.make_swizzle(3, 4, 3))
            for _ in range(3)
        )
        sVt = cute.composition(sV, cute.make_layout((self.padded, _KEYS), stride=(_KEYS, 1)))
        other = head // self.group
        first = tile * _QUERIES
        mine = copy.get_slice(thread)
        places = mine.partition_S(cute.make_identity_tensor((_KEYS, self.padded)))

        part = mma.get_slice(thread)
        rQ = part.make_fragment_A(part.partition_A(sQ))
        rK = part.make_fragment_B(part.partition_B(sK))
        rV = part.make_fragment_B(part.partition_B(sVt))
        straight = cute.make_copy_atom(warp.LdMatrix8x8x16bOp(False, 4), self.dtype)
        turned = cute.make_copy_atom(warp.LdMatrix8x8x16bOp(True, 4), self.dtype)
        copies = (
            self.matrices(cute.make_tiled_copy_A(straight, mma), thread, sQ, rQ),
            self.matrices(cute.make_tiled_copy_B(straight, mma), thread, sK, rK),
            self.matrices(cute.make_tiled_copy_B(turned, mma), thread, sVt, rV),
        )
        sums = cute.make_rmem_tensor(part.partition_shape_C((_QUERIES, self.padded)), Float32)
        sums.fill(0.0)
        rows = cute.size(by_rows(sums), mode=[0])
        greatest = cute.make_rmem_tensor(rows, Float32)
        total = cute.make_rmem_tensor(rows, Float32)
        greatest.fill(-Float32.inf)
        total.fill(0.0)

        # The keys that the last query of the tile sees, and how many of their tiles all queries see whole.
        shift = keys - queries
        seen, whole = keys, keys // _KEYS
        if cute.const_expr(self.causal):
            seen = min(keys, first + _QUERIES + shift)
            whole = min(whole, max(first + shift + 1, 0) // _KEYS)
        count = (max(seen, 0) + _KEYS - 1) // _KEYS
        whole = min(whole, count)

        source_k, source_v = k[batch, other, None, None], v[batch, other, None, None]
        self.load(mine, copy, q[batch, head, None, None], sQ, places, first, queries)
        self.load(mine, copy, source_k, sK, places, 0, keys)
        cute.arch.cp_async_commit_group()
        state = (greatest, total, sums)
        sources = (mine, copy, places, source_k, source_v, sK, sV)
        limits = (first + shift, keys, whole, count)
        for step in range(count):
            self.step(step, sources, mma, part, copies, (rQ, rK, rV), state, limits)
        cute.arch.cp_async_wait_group(0)

        found = by_rows(sums)
        target = part.partition_C(
            cute.local_tile(out[batch, head, None, None], (_QUERIES, self.padded), (tile, 0))
        )
        target = by_rows(target)
        coordinates = by_rows(
            part.partition_C(cute.make_identity_tensor((_QUERIES, self.padded)))
        )
        self.softmax.finish(found, total)
        for row in cute.range_constexpr(rows):
            if first + coordinates[row, 0][0] < queries:
                for column in cute.range_constexpr(cute.size(found, mode=[1])):
                    if coordinates[row, column][1] < self.head_dim:
                        target[row, column] = found[row, column].to(out.element_type)

    def matrices(self, copy: Any, thread: Any, shared: Any, registers: Any) -> tuple:
        """What loads fragments of a matrix in shared memory."""
        return copy, copy.get_slice(thread).partition_S(shared), copy.retile(registers)

    @cute.jit
    def load(self, mine, copy, matrix, shared, places, first, rows):
        """Starts 64 rows from ``first`` on on their way; what is beyond the matrix is 0."""
        shape = (_KEYS, self.padded)
        source = cute.local_tile(cute.domain_offset((first, 0), matrix), shape, (0, 0))
        here, there = mine.partition_S(source), mine.partition_D(shared)
        inside = cute.make_rmem_tensor(
            cute.make_layout((1, cute.size(there, mode=[1]), cute.size(there, mode=[2]))), Boolean
        )
        for n in cute.range_constexpr(cute.size(there, mode=[2])):
            for m in cute.range_constexpr(cute.size(there, mode=[1])):
                row, column = places[(0, 0), m, n]
                inside[0, m, n] = (first + row < rows) & (column < self.head_dim)
        cute.copy(copy, here, there, pred=inside)

    @cute.jit
    def step(self, step, sources, mma, part, copies, fragments, state, limits):
        mine, copy, places, source_k, source_v, sK, sV = sources
        (copy_q, from_q, to_q), (copy_k, from_k, to_k), (copy_v, from_v, to_v) = copies
        rQ, rK, rV = fragments
        greatest, total, sums = state
        origin, keys, whole, count = limits
        scores = cute.make_rmem_tensor(part.partition_shape_C((_QUERIES, _KEYS)), Float32)
        scores.fill(0.0)
        cute.arch.cp_async_wait_group(0)
        cute.arch.sync_threads()
        self.load(mine, copy, source_v, sV, places, step * _KEYS, keys)
        cute.arch.cp_async_commit_group()
        for k in cute.range_constexpr(cute.size(from_q, mode=[2])):
            cute.copy(copy_q, from_q[None, None, k], to_q[None, None, k])
            cute.copy(copy_k, from_k[None, None, k], to_k[None, None, k])
            cute.gemm(mma, scores, rQ[None, None, k], rK[None, None, k], scores)
        cute.arch.cp_async_wait_group(0)
        cute.arch.sync_threads()
        if step + 1 < count:
            self.load(mine, copy, source_k, sK, places, (step + 1) * _KEYS, keys)
        cute.arch.cp_async_commit_group()

        self.softmax.turn(scores)
        if step >= whole:
            places = by_rows(part.partition_C(cute.make_identity_tensor((_QUERIES, _KEYS))))
            self.softmax.mask(scores, places, (keys, origin), step * _KEYS, self.causal)
        summed = by_rows(sums)
        factors = self.softmax.update(scores, greatest, total)
        for row in cute.range_constexpr(cute.size(summed, mode=[0])):
            summed[row, None].store(summed[row, None].load() * factors[row])

        # The registers of the scores hold what the lanes need as A, two columns of atoms a step.
        narrow = cute.make_fragment_like(scores, self.dtype)
        narrow.store(scores.load().to(self.dtype))
        pairs = cute.logical_divide(narrow.layout, (None, None, 2))
        shape, stride = pairs.shape, pairs.stride
        layout = cute.make_layout(
            ((shape[0], shape[2][0]), shape[1], shape[2][1]),
            stride=((stride[0], stride[2][0]), stride[1], stride[2][1]),
        )
        rP = cute.make_tensor(narrow.iterator, layout)
        for k in cute.range_constexpr(cute.size(rP, mode=[2])):
            cute.copy(copy_v, from_v[None, None, k], to_v[None, None, k])
            cute.gemm(mma, sums, rP[None, None, k], rV[None, None, k], sums)


def _aligned(given: Described, name: str) -> Described:
    """The array, or a copy whose rows begin at multiples of 16 bytes."""
    good = given.strides[-1] == 1 and all(
        stride % 8 == 0 for stride, extent in zip(given.strides[:-1], given.shape[:-1], strict=True)
        if extent != 1
    )  # fmt: skip
    if good and given.framework == "torch":
        good = given.array.data_ptr() % 16 == 0
    elif good and given.framework == "numpy":
        good = given.array.ctypes.data % 16 == 0
    if good or given.framework == "jax":
        return given
    if given.framework == "torch":
        copied = given.array.contiguous()
        return checked(copied.clone() if copied is given.array else copied, name)
    import numpy

    # NumPy's memory of this size begins at 16 bytes.
    return checked(numpy.array(given.array, order="C"), name)


def attention(
    q: Any, k: Any, v: Any, *, causal: bool = False, scale: float | None = None, out: Any = None
) -> Any:
    """``softmax(scale * q @ k.mT) @ v`` for each head; sums are float32.

    Args:
        q: (batch, heads, queries, head_dim), float16 or bfloat16; head_dim is a multiple of 8 up to 256.
        k, v: (batch, kv_heads, keys, head_dim); heads is a multiple of kv_heads, and neighbouring heads share one of
            them (grouped queries).
        causal: query i sees the keys up to ``i + keys - queries``: the last query sees all.
        scale: default ``head_dim ** -0.5``; part of the program: each value compiles once.
        out: row-major, of the shape and type of ``q``; default a new one.

    Strides may be any in which rows of head_dim elements are contiguous; others are copied. Queries that see no key
    have the result 0. Raises TypeError, ValueError for other arguments.
    """
    types = ("float16", "bfloat16")
    query = checked(q, "q", dtypes=types)
    key, value = checked(k, "k", query, (query.dtype,)), checked(v, "v", query, (query.dtype,))
    expect(
        len(query.shape) == 4, "q", "the dimensions (batch, heads, queries, head_dim)", query.text()
    )
    batch, heads, queries, head_dim = query.shape
    expect(
        head_dim % 8 == 0 and 8 <= head_dim <= 256,
        "q",
        "head_dim in multiples of 8 up to 256",
        query.text(),
    )
    right = len(key.shape) == 4 and key.shape[0] == batch and key.shape[3] == head_dim
    expect(right, "k", f"the shape [{batch}, kv_heads, keys, {head_dim}]", key.text())
    kv_heads, keys = key.shape[1:3]
    expect(value.shape == key.shape, "v", f"the shape {list(key.shape)} of k", value.text())
    expect(
        kv_heads > 0 and heads % kv_heads == 0,
        "k",
        f"a number of heads that divides {heads}",
        key.text(),
    )
    expect(batch * heads * queries * keys > 0, "q", "elements", f"{query.text()} and {key.text()}")
    reject_out(out, query)
    if out is None:
        result = query.empty(query.shape)
    else:
        given = checked(out, "out", query, (query.dtype,))
        expect(given.shape == query.shape, "out", f"the shape {list(query.shape)}", given.text())
        expect(given.is_row_major(), "out", "a row-major array", f"strides {list(given.strides)}")
        result = out
    factor = head_dim**-0.5 if scale is None else float(scale)
    inputs = [_aligned(each, name) for each, name in ((query, "q"), (key, "k"), (value, "v"))]

    def fakes() -> list[Any]:
        count, many, few, rows, columns = (cute.sym_int() for _ in range(5))

        def fake(extents: tuple) -> Any:
            strides = (*(cute.sym_int64(divisibility=8) for _ in range(3)), 1)
            return cute.make_fake_tensor(query.numeric, extents, stride=strides, assumed_align=16)

        shared = (count, few, columns, head_dim)
        mine = (count, many, rows, head_dim)
        done = cute.make_fake_compact_tensor(query.numeric, mine, stride_order=(3, 2, 1, 0))
        return [fake(mine), fake(shared), fake(shared), done]

    group = heads // kv_heads
    key: tuple = ("attention", query.dtype, head_dim, group, bool(causal), factor)
    if not _for_warpgroups(inputs):
        return run(
            key,
            lambda: _Attention(query.numeric, head_dim, group, bool(causal), factor),
            fakes,
            inputs,
            result,
        )
    blocks = query.multiprocessors
    # Heads whose keys and values stay in the cache while two rounds of blocks work on their tiles.
    together = 1
    if causal:
        tiles = -(-queries // 128)
        together = 1 << min(max(2 * blocks // tiles, 1), batch * heads).bit_length() - 1
    return run(
        (*key, blocks, together),
        lambda: HopperAttention(
            query.numeric, head_dim, group, bool(causal), factor, blocks, heads_together=together
        ),
        fakes,
        inputs,
        result,
    )


def _for_warpgroups(inputs: list[Described]) -> bool:
    """Whether a GPU of compute capability 9.0 copies boxes of them: strides of 16 bytes or more. Longer rows of heads
    than 128 elements do not fit into shared memory."""
    first = inputs[0]
    return (
        first.device != "cpu"
        and first.capability == (9, 0)
        and first.shape[3] <= 128
        and all(stride > 0 and stride % 8 == 0 for each in inputs for stride in each.strides[:-1])
    )
