"""Host time of warm calls of fairlead.ops beside torch, at tiny shapes, on the GPU if there is one, else on the CPU.

The loop around each call is part of its time. "direct" in the last column is a direct call of the compiled function
that the plan calls, with tensors that exist. On a GPU the clock stops before the kernels have run.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import torch
from _harness import Row, Timer, compare, interleave, loop, main
from torch.nn import functional

from fairlead import ops

_SECONDS = 0.002  # of a turn: fewer launches than the queue of a GPU holds


def without_queue(timer: Timer, device: str) -> Timer:
    """Begin each turn with an empty queue of launches."""
    if device == "cpu":
        return timer

    def timed(n: int) -> float:
        torch.cuda.synchronize()
        return timer(n)

    return timed


def direct_call(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Timer:
    """Time the call that a plan makes, with new tensors made before."""
    plan = function.__wrapped__(*args, **kwargs)

    def value(item: Any) -> Any:
        if hasattr(item, "make"):
            return item.make(*item.args, **item.kwargs)
        return value(item.tensor).reshape(item.shape) if hasattr(item, "tensor") else item

    return loop(plan.function, *[value(item) for item in plan.arguments])


def cases(device: str) -> list[tuple[str, Any, tuple, dict, Callable[..., Any], tuple, dict]]:
    """Return name, our function with its arguments, and torch's."""
    dtype = torch.float32 if device == "cpu" else torch.bfloat16

    def random(*shape: int, dtype: torch.dtype = dtype) -> torch.Tensor:
        return torch.randn(*shape, device=device).to(dtype)

    a, b, out = random(64, 64), random(64, 64), random(64, 64)
    q, k, v, o = (random(1, 2, 16, 64, dtype=torch.bfloat16) for _ in range(4))
    rows, weight, rows_out = random(8, 128), random(128), random(8, 128)
    states = random(2, 4, 128)
    attention, rms_norm = functional.scaled_dot_product_attention, functional.rms_norm
    return [
        ("matmul, out=", ops.matmul, (a, b), {"out": out}, torch.mm, (a, b), {"out": out}),
        ("matmul", ops.matmul, (a, b), {}, torch.mm, (a, b), {}),
        ("attention, out=", ops.attention, (q, k, v), {"out": o}, attention, (q, k, v), {}),
        ("attention", ops.attention, (q, k, v), {}, attention, (q, k, v), {}),
        ("softmax, out=", ops.softmax, (rows,), {"out": rows_out}, torch.softmax, (rows, -1), {"out": rows_out}),
        ("softmax", ops.softmax, (rows,), {}, torch.softmax, (rows, -1), {}),
        ("softmax of 3 dimensions", ops.softmax, (states,), {}, torch.softmax, (states, -1), {}),
        ("rms_norm, out=", ops.rms_norm, (rows, weight), {"out": rows_out}, rms_norm, (rows, (128,), weight), {}),
        ("rms_norm", ops.rms_norm, (rows, weight), {}, rms_norm, (rows, (128,), weight), {}),
    ]  # fmt: skip


def measure(rounds: int) -> list[Row]:
    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.set_num_threads(1)
    rows = []
    for name, ours, args, kwargs, theirs, their_args, their_kwargs in cases(device):
        timers = {
            "fairlead": loop(ours, *args, **kwargs),
            "torch": loop(theirs, *their_args, **their_kwargs),
            "direct": direct_call(ours, args, kwargs),
        }
        timers = {key: without_queue(timer, device) for key, timer in timers.items()}
        samples = interleave(timers, rounds, _SECONDS)
        row = compare(f"{name}, {device}", samples, "fairlead", "torch", "us")
        direct = compare(name, samples, "direct", "torch", "us")
        row.detail = f"direct {direct.value:.2f} us, {row.value - direct.value:+.2f} us"
        rows.append(row)
    return rows


if __name__ == "__main__":
    sys.exit(main(__doc__, measure, with_peers=False))
