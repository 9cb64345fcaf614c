"""Times calls of an exported function: the median time of a call from Python, beside that of an empty Python function
with the same arguments, in turns.

    fairlead bench libadd.so add_one --arg tensor:float32[8] --arg tensor:float32[8]
    fairlead bench libscale.so scale --device cuda --arg tensor:float16[1024] --arg float:2 --json

On a GPU this is the time until the call returns. The work that calls queued is waited for after each sample of calls,
which is not timed; when kernels take longer than calls, the queue fills and calls wait for it.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections.abc import Callable
from typing import Any

from fairlead.cli import CommandError, _arguments

HELP = "time a function of a library"
_SAMPLE_SECONDS = 0.002


def register(parser: argparse.ArgumentParser) -> None:
    _arguments.add_to(parser)
    parser.add_argument("--samples", type=_positive, default=50, metavar="N", help="how many (50)")
    parser.epilog = _arguments.HELP


def run(options: argparse.Namespace) -> int:
    function = _arguments.load(options)
    values = tuple(_arguments.make(options))
    wait = _arguments.synchronizer(options.device)
    try:
        function(*values)
        wait()
        counts = {call: _count(call, values, wait) for call in (function, _empty)}
        times: dict[Any, list[float]] = {call: [] for call in counts}
        for _ in range(options.samples):
            for call, count in counts.items():
                times[call].append(_time(call, values, count) / count)
                wait()
    except Exception as error:  # Whatever the function raises.
        raise CommandError(f"{options.function}: {type(error).__name__}: {error}") from None
    report = {
        "function": options.function,
        "median_ns": statistics.median(times[function]),
        "least_ns": min(times[function]),
        "empty_median_ns": statistics.median(times[_empty]),
        "samples": options.samples,
        "calls_per_sample": counts[function],
    }
    if options.json:
        print(json.dumps(report))
    else:
        print(
            f"{options.function}: {report['median_ns']:.0f} ns a call (median of {options.samples} samples of "
            f"{report['calls_per_sample']} calls; least {report['least_ns']:.0f} ns); "
            f"an empty Python function {report['empty_median_ns']:.0f} ns"
        )
    return 0


def _empty(*values: Any) -> None:
    """What the loop and a call cost at least."""


def _time(call: Callable[..., Any], values: tuple[Any, ...], count: int) -> int:
    """Nanoseconds of `count` calls."""
    start = time.perf_counter_ns()
    for _ in range(count):
        call(*values)
    return time.perf_counter_ns() - start


def _count(call: Callable[..., Any], values: tuple[Any, ...], wait: Callable[[], None]) -> int:
    """How many calls make a sample."""
    count = 1
    while count < 1_000_000:
        taken = _time(call, values, count)
        wait()
        if taken >= _SAMPLE_SECONDS * 1e9:
            return count
        count = max(count * 2, min(count * 10, int(count * _SAMPLE_SECONDS * 1e9 / max(taken, 1))))
    return count


def _positive(text: str) -> int:
    value = int(text)
    if value <= 0:
        raise ValueError
    return value
