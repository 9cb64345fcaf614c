"""Gradients of fairlead.ops.attention on a GPU beside those of torch's backends, cuDNN and FlashAttention.

For each shape the gradients of some heads are compared with float64 first, and it is checked that two runs give the
same bits. Then calls of torch.autograd.grad go by turns, and events of the GPU take their times. The first shapes are
fixed, a seed draws the others. Lines are printed for each shape; when the time is up, the other shapes are named.

    python benchmarks/attention_backward.py --seed 7 --seconds 55 --only 8192
"""

from __future__ import annotations

import argparse
import math
import random
import statistics
import sys
import time
from collections.abc import Callable
from typing import Any, NamedTuple

from _graphs import seconds_of
from _harness import Row, compare, main

_OURS = "fairlead"
#: Seconds of a turn.
_TURN = 2e-3


#: The head_dim, whether attention is causal, heads that share keys and the type of drawn shapes.
_PROGRAMS = (
    (64, True, 4, "bfloat16"),
    (128, True, 1, "bfloat16"),
    (64, False, 1, "bfloat16"),
    (128, False, 1, "bfloat16"),
    (128, True, 4, "float16"),
)


class Shape(NamedTuple):
    batch: int
    heads: int
    kv_heads: int
    queries: int
    keys: int
    head_dim: int
    causal: bool
    dtype: str

    def name(self) -> str:
        heads = f"{self.heads}/{self.kv_heads}" if self.heads != self.kv_heads else f"{self.heads}"
        length = f"{self.queries}" if self.queries == self.keys else f"{self.queries}/{self.keys}"
        kind = "causal" if self.causal else "full"
        return f"{self.batch} x {heads} x {length} x {self.head_dim} {self.dtype} {kind}"

    def operations(self) -> float:
        """Return the operations of five products, of the scores that are seen."""
        scores = float(self.queries * self.keys)
        if self.causal:
            scores -= self.queries * (self.queries - 1) / 2
        return 10.0 * self.batch * self.heads * self.head_dim * scores


def shapes(seed: int) -> list[Shape]:
    choose = random.Random(seed)
    chosen = [Shape(2, 16, 16, 8192, 8192, 128, causal, "bfloat16") for causal in (False, True)]
    for number in range(8):
        queries = choose.choice([777, 1024, 2048, 3000, 4096, 8192, 16384])
        batch = max(1, choose.choice([8192, 16384]) // queries)
        heads = choose.choice([8, 16, 24, 32])
        # Few programs: half of the time is spent on compiling.
        head_dim, causal, group, dtype = _PROGRAMS[number % len(_PROGRAMS)]
        # With is_causal, torch aligns other lengths otherwise.
        keys = queries if causal or choose.random() < 0.7 else 2 * queries
        chosen.append(Shape(batch, heads, heads // group, queries, keys, head_dim, causal, dtype))
    return chosen


def operands(shape: Shape) -> tuple[list[Any], Any]:
    """Return Q, K and V, and the gradient of the result."""
    import torch

    dtype = getattr(torch, shape.dtype)

    def make(heads: int, rows: int) -> Any:
        return torch.randn(shape.batch, heads, rows, shape.head_dim, dtype=dtype, device="cuda")

    inputs = [
        make(shape.heads, shape.queries),
        *(make(shape.kv_heads, shape.keys) for _ in range(2)),
    ]
    return [each.requires_grad_() for each in inputs], make(shape.heads, shape.queries)


def mask(shape: Shape) -> Any:
    """Return which keys each query sees: the last query sees all."""
    import torch

    last = torch.arange(shape.queries, device="cuda")[:, None] + shape.keys - shape.queries
    return torch.arange(shape.keys, device="cuda") <= last


def expected(shape: Shape, inputs: list[Any], gradient: Any, kv_head: int) -> list[Any]:
    """Return gradients in float64: for the heads of the last batch that share a head of keys."""
    import torch

    group = shape.heads // shape.kv_heads
    part = slice(kv_head * group, (kv_head + 1) * group)
    q = inputs[0][-1, part].detach().double()
    k, v = (each[-1, kv_head].detach().double() for each in inputs[1:])
    of_q, of_k, of_v = torch.empty_like(q), torch.zeros_like(k), torch.zeros_like(v)
    seen = mask(shape) if shape.causal else None
    for head in range(group):
        scores = q[head] @ k.T * shape.head_dim**-0.5
        if seen is not None:
            scores.masked_fill_(~seen, -math.inf)
        powers = torch.softmax(scores, -1)
        above = gradient[-1, kv_head * group + head].double()
        of_v += powers.T @ above
        changes = above @ v.T
        changes -= (powers * changes).sum(-1, keepdim=True)
        changes *= powers * shape.head_dim**-0.5
        of_q[head] = changes @ k
        of_k += changes.T @ q[head]
    return [of_q, of_k, of_v]


def worst_error(shape: Shape, found: tuple[Any, ...], inputs: list[Any], gradient: Any) -> float:
    """Return the greatest error of the first and the last head, of the greatest number of each gradient."""
    group = shape.heads // shape.kv_heads
    errors = []
    for kv_head in {0, shape.kv_heads - 1}:
        parts = [
            found[0][-1, kv_head * group : (kv_head + 1) * group], found[1][-1, kv_head], found[2][-1, kv_head],
        ]  # fmt: skip
        for part, wanted in zip(parts, expected(shape, inputs, gradient, kv_head), strict=True):
            errors.append(((part.double() - wanted).abs().max() / wanted.abs().max()).item())
    return max(errors)


def backward(
    forward: Callable[..., Any], inputs: list[Any], gradient: Any
) -> Callable[[], tuple[Any, ...]]:
    import torch

    result = forward(*inputs)
    return lambda: torch.autograd.grad(result, inputs, gradient, retain_graph=True)


def implementations(shape: Shape) -> dict[str, Callable[..., Any]]:
    import torch
    from torch.nn.attention import SDPBackend, sdpa_kernel

    from fairlead import ops

    def torch_by(backend: Any) -> Callable[..., Any]:
        def forward(q: Any, k: Any, v: Any) -> Any:
            with sdpa_kernel(backend):
                return torch.nn.functional.scaled_dot_product_attention(
                    q, k, v, is_causal=shape.causal, enable_gqa=shape.heads != shape.kv_heads
                )

        return forward

    chosen = {_OURS: lambda q, k, v: ops.attention(q, k, v, causal=shape.causal)}
    # torch's is_causal means another mask where there are more keys than queries.
    if not shape.causal or shape.queries == shape.keys:
        chosen["cudnn"] = torch_by(SDPBackend.CUDNN_ATTENTION)
        chosen["flash"] = torch_by(SDPBackend.FLASH_ATTENTION)
    return chosen


def samples_of(calls: dict[str, Callable[[], Any]], rounds: int) -> dict[str, list[float]]:
    """Return the seconds of a call, of each implementation in each round, by turns."""
    counts = {}
    for name, call in calls.items():
        seconds_of(call, 1)
        counts[name] = max(1, int(_TURN / seconds_of(call, 2) * 2))
    samples: dict[str, list[float]] = {name: [] for name in calls}
    for number in range(rounds):
        for name in calls if number % 2 else reversed(calls):
            samples[name].append(seconds_of(calls[name], counts[name]) / counts[name])
    return samples


def measure_shape(shape: Shape, rounds: int) -> list[Row]:
    import torch

    inputs, gradient = operands(shape)
    calls = {}
    for name, forward in implementations(shape).items():
        try:
            calls[name] = backward(forward, inputs, gradient)
            calls[name]()
            torch.cuda.synchronize()
        except RuntimeError as error:
            if name == _OURS:
                raise
            calls.pop(name, None)
            print(f"  {name}: {str(error).splitlines()[0]}", flush=True)
    runs = [calls[_OURS]() for _ in range(2)]
    same = all(torch.equal(first, second) for first, second in zip(*runs, strict=True))
    errors = {name: worst_error(shape, call(), inputs, gradient) for name, call in calls.items()}
    print(
        f"{shape.name()}: errors {', '.join(f'{name} {error:.1e}' for name, error in errors.items())}; "
        f"{'the same bits twice' if same else 'OTHER BITS IN A SECOND RUN'}", flush=True,
    )  # fmt: skip
    limit = {"bfloat16": 2e-2, "float16": 4e-3}[shape.dtype]
    if not same or errors[_OURS] > limit:
        raise SystemExit(f"wrong gradients: an error beyond {limit}, or bits that differ")
    samples = samples_of(calls, rounds)
    speeds = {
        name: shape.operations() / statistics.median(times) * 1e-12
        for name, times in samples.items()
    }
    rows = []
    for peer in [name for name in calls if name != _OURS] or [None]:
        row = compare(shape.name(), samples, _OURS, peer, "us")
        row.detail = ", ".join(f"{name} {speed:.0f} TFLOP/s" for name, speed in speeds.items())
        rows.append(row)
    print(f"  {rows[0].detail}", flush=True)
    for row in rows:
        if row.ratio:
            print(f"  {row.case}: {row.ratio:.3f}x of {row.peer_name}'s time", flush=True)
    return rows


def measure(rounds: int, seed: int, seconds: float, only: str) -> list[Row]:
    import torch

    if not torch.cuda.is_available():
        print("no GPU: nothing to measure")
        return []
    begin, rows = time.monotonic(), []
    for shape in shapes(seed):
        if only not in shape.name():
            continue
        if time.monotonic() - begin > seconds:
            print(f"{shape.name()}: not measured, the time is up", flush=True)
            continue
        rows += measure_shape(shape, rounds)
    return rows


if __name__ == "__main__":
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=50)
    parser.add_argument("--only", default="")
    options, rest = parser.parse_known_args()
    sys.argv[1:] = [*rest, *([] if "--rounds" in " ".join(rest) else ["--rounds", "25"])]
    sys.exit(
        main(
            __doc__,
            lambda rounds: measure(rounds, options.seed, options.seconds, options.only),
            with_peers=False,
        )
    )
