"""GPU time of calls that are recorded as CUDA graphs: the host's work for a call does not count.

A graph holds as many calls as take about 150 us, 20 at most. With one call each, the gap between two graphs would count
as a part of short calls, and kernels that start before the previous one has ended (programmatic dependent launch) could
not.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

#: Microseconds of a graph, and of a turn of a comparison.
_GRAPH, TURN = 150e-6, 1e-3


def seconds_of(run: Callable[[], Any], count: int) -> float:
    """Return the GPU time of ``count`` calls of ``run``."""
    import torch

    start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    start.record()
    for _ in range(count):
        run()
    end.record()
    torch.cuda.synchronize()
    return start.elapsed_time(end) * 1e-3


def recorded(call: Callable[[], Any], calls: int) -> Any:
    """A graph of so many calls."""
    import torch

    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for _ in range(calls):
            call()
    return graph


def timer(call: Callable[[], Any]) -> Callable[[int], float]:
    """Seconds of so many calls on the GPU."""
    import torch

    for _ in range(2):
        call()
    torch.cuda.synchronize()
    one = recorded(call, 1)
    one.replay()
    calls = max(1, min(20, round(_GRAPH / (seconds_of(one.replay, 5) / 5))))
    graph = recorded(call, calls) if calls > 1 else one

    def run(count: int) -> float:
        replays = -(-count // calls)
        return seconds_of(graph.replay, replays) * count / (replays * calls)

    return run
