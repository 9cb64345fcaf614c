"""Sequences of different lengths, one after the other in the rows of one tensor."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fairlead import _compiler, cute
from fairlead._compiler import Int32, Int64
from fairlead.cute._types import Int
from fairlead.ops._softmax import Extras, result_and_extras

__all__ = ["OneByOne", "Together", "rows_of", "sequence_of", "with_batch", "with_batch_of_logs"]


def rows_of(ends: Any, sequence: Int, rows: Int) -> tuple[Any, Any]:
    """The first row of a sequence and how many it has, of so many rows; ``ends`` begins with 0."""
    rows = Int32(rows)
    first = _compiler.max(_compiler.min(ends[sequence], rows), 0)
    end = _compiler.max(_compiler.min(ends[sequence + 1], rows), first)
    return first, end - first


def sequence_of(
    tensors: Sequence[Any], q_ends: _compiler.Tensor | None, k_ends: _compiler.Tensor | None,
    sequence: Int, least: int = 0,
) -> list[Any]:  # fmt: skip
    """Q, K, V and O (1, heads, rows of the sequence, head_dim), of at least so many rows."""
    parts = []
    for tensor, ends in zip(tensors, (q_ends, k_ends, k_ends, q_ends), strict=True):
        first, count = rows_of(ends, sequence, tensor.shape[2])
        first, count = _compiler.min(first, tensor.shape[2] - least), _compiler.max(count, least)
        _, heads, _, head_dim = tensor.shape
        layout = cute.make_layout((1, heads, count, head_dim), stride=tensor.stride)
        pointer = tensor.iterator + Int64(first) * tensor.stride[2]
        parts.append(cute.make_tensor(pointer, layout))
    return parts


def with_batch(tensor: _compiler.Tensor) -> Any:
    """(rows, heads, head_dim) as (1, heads, rows, head_dim)."""
    rows, heads, head_dim = tensor.shape
    row_step, head_step, _ = tensor.stride
    layout = cute.make_layout((1, heads, rows, head_dim), stride=(0, head_step, row_step, 1))
    return cute.make_tensor(tensor.iterator, layout)


def with_batch_of_logs(extras: Extras) -> Extras:
    """Return the extras with logarithms (heads, rows), if any, as (1, heads, rows)."""
    logs = extras.logs
    if logs is None:
        return extras
    layout = cute.make_layout((1, *logs.shape), stride=(0, *logs.stride))
    return extras._replace(logs=cute.make_tensor(logs.iterator, layout))


class OneByOne:
    """Attention on the CPU with one launch for each sequence; all processors share its blocks."""

    def __init__(self, inner: Any) -> None:
        self.inner = inner

    @cute.jit
    def __call__(
        self, q: cute.Tensor, k: cute.Tensor, v: cute.Tensor, q_ends: cute.Tensor,
        k_ends: cute.Tensor, *others: cute.Tensor,
    ) -> None:  # fmt: skip
        """``others``: the sinks (heads), if any; the slopes (heads), if any; the result; the logarithms of the sums of
        powers (heads, rows), if they are stored."""
        out, extras = result_and_extras(others, self.inner.with_sinks, self.inner.with_slopes)
        tensors = [with_batch(tensor) for tensor in (q, k, v, out)]
        vectors = [array for array in (extras.sinks, extras.slopes) if array is not None]
        for i in range(q_ends.shape[0] - 1):
            of_sequence = []
            if cute.const_expr(extras.logs is not None):
                part = extras.logs
                first, count = rows_of(q_ends, i, q.shape[0])
                layout = cute.make_layout((1, part.shape[0], count), stride=(0, *part.stride))
                of_sequence.append(cute.make_tensor(part.iterator + first, layout))
            *inputs, out_of_sequence = sequence_of(tensors, q_ends, k_ends, i)
            self.inner(*inputs, *vectors, out_of_sequence, *of_sequence)


class Together:
    """Attention of all sequences in one kernel, by the tensor cores of warps."""

    def __init__(self, inner: Any) -> None:
        self.inner = inner

    @cute.jit
    def __call__(
        self, q: cute.Tensor, k: cute.Tensor, v: cute.Tensor, q_ends: cute.Tensor,
        k_ends: cute.Tensor, *others: cute.Tensor,
    ) -> None:  # fmt: skip
        """``others``: as of ``OneByOne``."""
        out, extras = result_and_extras(others, self.inner.with_sinks, self.inner.with_slopes)
        tensors = [with_batch(tensor) for tensor in (q, k, v, out)]
        blocks = cute.ceil_div(q.shape[0], self.inner.m_block) + q_ends.shape[0] - 1
        self.inner.launch(tensors, (q_ends, k_ends), blocks, with_batch_of_logs(extras))
