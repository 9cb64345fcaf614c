"""Attention for Hopper on small shapes, by functions that flash-attn-4 and its descendants have."""

from collections.abc import Callable

import torch
from compare import agree


def _random(*shape: int) -> torch.Tensor:
    torch.manual_seed(sum(shape))
    return torch.randn(*shape, dtype=torch.bfloat16, device="cuda").requires_grad_()


def _reference(q, k, v, causal=False, window=None):
    """Attention of (batch, sequence, heads, head) tensors in float64."""
    q, k, v = (tensor.double().transpose(1, 2) for tensor in (q, k, v))
    groups = q.shape[1] // k.shape[1]
    k, v = k.repeat_interleave(groups, 1), v.repeat_interleave(groups, 1)
    scores = q @ k.mT / q.shape[-1] ** 0.5
    rows = torch.arange(q.shape[2])[:, None] + k.shape[2] - q.shape[2]
    columns = torch.arange(k.shape[2])[None]
    if causal:
        scores = scores.masked_fill(columns > rows, float("-inf"))
    if window is not None:
        outside = (columns < rows - window[0]) | (columns > rows + window[1])
        scores = scores.masked_fill(outside, float("-inf"))
    return (torch.softmax(scores, -1) @ v).transpose(1, 2)


def attention(
    function: Callable,
    length: int,
    keys: int,
    heads: tuple[int, int],
    head: int,
    derivatives=False,
    **how,
) -> None:
    q, k, v = (
        _random(1, length, heads[0], head),
        _random(1, keys, heads[1], head),
        _random(1, keys, heads[1], head),
    )
    result = function(
        q, k, v, **{("window_size" if key == "window" else key): how[key] for key in how}
    )
    result = result[0] if isinstance(result, tuple) else result
    exact = [tensor.detach().double().requires_grad_() for tensor in (q, k, v)]
    reference_value = _reference(*exact, **how)
    agree(result, reference_value, 1e-2)
    if derivatives:
        gradient = torch.randn(result.shape, dtype=result.dtype, device="cuda")
        computed = torch.autograd.grad(result, (q, k, v), gradient)
        expected = torch.autograd.grad(reference_value, exact, gradient.double())
        for derivative, reference in zip(computed, expected, strict=True):
            agree(derivative, reference, 3e-2)


def varlen(function: Callable) -> None:
    lengths = (100, 57)
    starts = torch.tensor([0, 100, 157], dtype=torch.int32, device="cuda")
    q, k, v = _random(157, 2, 64), _random(157, 1, 64), _random(157, 1, 64)
    result = function(
        q,
        k,
        v,
        cu_seqlens_q=starts,
        cu_seqlens_k=starts,
        max_seqlen_q=100,
        max_seqlen_k=100,
        causal=True,
    )
    result = result[0] if isinstance(result, tuple) else result
    first = 0
    for length in lengths:
        part = slice(first, first + length)
        reference_value = _reference(q[part][None], k[part][None], v[part][None], causal=True)[0]
        agree(result[part], reference_value, 1e-2)
        first += length


def forward_kernels(
    function: Callable, function_of_lengths: Callable
) -> dict[str, Callable[[], None]]:
    """The forward kernels of a package, by its functions for batches and for packed sequences."""
    return {
        "forward": lambda: attention(function, 128, 200, (2, 2), 64),
        "forward, causal": lambda: attention(function, 160, 160, (2, 1), 128, causal=True),
        "forward, window": lambda: attention(function, 160, 160, (1, 1), 64, window=(32, 0)),
        "forward, sequences of several lengths": lambda: varlen(function_of_lengths),
    }
