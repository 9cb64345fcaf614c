"""Attention: softmax(scale * Q K^T) V, without the matrix of scores in memory."""

from __future__ import annotations

from typing import Any

from fairlead import cute
from fairlead.ops._arrays import Described, checked, expect, reject_out, run
from fairlead.ops._hopper_attention import HopperAttention
from fairlead.ops._warp_attention import WarpAttention

__all__ = ["attention"]


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
    if _for_warpgroups(inputs):
        blocks = query.multiprocessors
        return run(
            (*key, blocks),
            lambda: HopperAttention(query.numeric, head_dim, group, bool(causal), factor, blocks),
            fakes,
            inputs,
            result,
        )
    # Of few queries, or of long rows, whose sums take many registers.
    rows = 64 if queries <= 64 or head_dim > 128 else 128
    return run(
        (*key, rows),
        lambda: WarpAttention(head_dim, group, bool(causal), factor, rows),
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
