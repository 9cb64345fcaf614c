"""fairlead.timeline on a GPU: nanoseconds of a pair of events (an empty range), and of reading the clock alone.

One warp alone, and all multiprocessors with 8 warps each.
"""

from __future__ import annotations

import statistics
import sys

from _harness import Row, main

from fairlead import cute, timeline

PAIRS = 100


@cute.kernel
def pairs(a: cute.Tensor):
    with timeline.range("outer"):
        for _ in range(PAIRS):
            with timeline.range("empty"):
                pass


@cute.kernel
def clocks(a: cute.Tensor):
    t, _, _ = cute.arch.thread_idx()
    last = cute.Int64(0)
    with timeline.range("outer"):
        for _ in range(PAIRS):
            last = max(last, cute.arch.globaltimer())
    a[t] = last


@cute.jit
def run_pairs(a: cute.Tensor, blocks: cute.Int32):
    pairs(a).launch(grid=blocks, block=a.shape[0])


@cute.jit
def run_clocks(a: cute.Tensor, blocks: cute.Int32):
    clocks(a).launch(grid=blocks, block=a.shape[0])


def median_of_a_step(function, a, blocks: int) -> float:
    """Nanoseconds of one step of the loop: the median of all warps."""
    with timeline.record() as recording:
        function(a, blocks)
    if recording.problems:
        raise SystemExit("; ".join(recording.problems))
    outer = [event for event in recording.events if event["name"] == "outer"]
    assert len(outer) == blocks * a.shape[0] // 32
    return statistics.median(event["dur"] * 1e3 / PAIRS for event in outer)


def measure(rounds: int) -> list[Row]:
    try:
        import torch
    except ImportError:
        torch = None
    if torch is None or not torch.cuda.is_available():
        print("no GPU, or no torch: nothing measured")
        return []
    properties = torch.cuda.get_device_properties(0)
    rows = []
    for blocks, threads in ((1, 32), (properties.multi_processor_count, 256)):
        a = torch.zeros(threads, dtype=torch.int64, device="cuda")
        for name, function in (("pair of events", run_pairs), ("reading the clock", run_clocks)):
            median_of_a_step(function, a, blocks)
            samples = [median_of_a_step(function, a, blocks) for _ in range(min(rounds, 9))]
            case = f"{name}, {blocks} blocks of {threads} threads"
            detail = f"{min(samples):.0f} to {max(samples):.0f}, {properties.name}"
            rows.append(Row(case, statistics.median(samples), "ns", detail=detail))
    return rows


if __name__ == "__main__":
    sys.exit(main(__doc__, measure, with_peers=False))
