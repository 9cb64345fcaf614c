"""Shared by the benchmarks: measuring in alternation, and reporting as a table and as JSON.

Everything that is compared runs in one process, round by round, so that a machine that gets slower slows all of it.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import statistics
import subprocess
import sys
from collections.abc import Callable, Hashable, Sequence
from dataclasses import asdict, dataclass
from itertools import repeat
from pathlib import Path
from time import perf_counter
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
UNITS = {"ns": 1e9, "us": 1e6, "ms": 1e3, "s": 1.0}


@dataclass
class Row:
    """One comparison. ``ratio`` is Fairlead's share of the peer's time: below 1 is faster."""

    case: str
    value: float
    unit: str
    peer: float | None = None
    peer_name: str | None = None
    ratio: float | None = None
    detail: str | None = None


#: Seconds that a number of repetitions takes.
Timer = Callable[[int], float]


def loop(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Timer:
    """Times calls in a plain ``for`` loop, as a user's program makes them."""
    values = {f"a{i}": value for i, value in enumerate(args)}
    passed = ", ".join([*values, *(f"{name}={name}" for name in kwargs)])
    values.update(kwargs)
    source = (
        f"def timer(n, f=f, {''.join(f'{name}={name}, ' for name in values)}clock=clock, repeat=repeat):\n"
        "    times = repeat(None, n)\n"
        "    start = clock()\n"
        "    for _ in times:\n"
        f"        f({passed})\n"
        "    return clock() - start\n"
    )
    scope = {"f": function, "clock": perf_counter, "repeat": repeat, **values}
    exec(source, scope)
    return scope["timer"]


def empty_loop() -> Timer:
    """The loop of ``loop`` without a call: part of every time that it gives."""

    def timer(n: int) -> float:
        times = repeat(None, n)
        start = perf_counter()
        for _ in times:
            pass
        return perf_counter() - start

    return timer


def interleave(
    timers: dict[Any, Timer], rounds: int = 101, seconds: float = 0.004
) -> dict[Any, list[float]]:
    """Seconds of one repetition, of each timer in each round.

    Args:
        rounds: how often each runs, by turns; every second round in the reverse order.
        seconds: about how long one turn lasts.
    """
    counts = {}
    for name, timer in timers.items():
        timer(10)
        counts[name] = max(1, int(seconds / (timer(100) / 100)))
    samples: dict[Any, list[float]] = {name: [] for name in timers}
    collecting = gc.isenabled()
    gc.disable()
    try:
        for round in range(rounds):
            order = list(timers) if round % 2 else list(reversed(timers))
            for name in order:
                samples[name].append(timers[name](counts[name]) / counts[name])
    finally:
        if collecting:
            gc.enable()
    return samples


def compare(
    case: str,
    samples: dict[Any, list[float]],
    own: Hashable,
    peer: Hashable | None = None,
    unit: str = "ns",
    detail: str | None = None,
    peer_name: str | None = None,
) -> Row:
    """A row of two of the timers: medians, and the median of the rounds' ratios. Without the peer's samples, of one."""
    scale = UNITS[unit]
    value = statistics.median(samples[own]) * scale
    if peer is None or peer not in samples:
        return Row(case, value, unit, detail=detail)
    ratio = statistics.median(a / b for a, b in zip(samples[own], samples[peer], strict=True))
    median = statistics.median(samples[peer]) * scale
    return Row(case, value, unit, median, peer_name or str(peer), ratio, detail)


def peers_python() -> Path | None:
    """Return the interpreter of the environment that holds the peers; None if there is none."""
    path = os.environ.get("FAIRLEAD_PEERS_PYTHON")
    return Path(path) if path and Path(path).exists() else None


def build_dir() -> Path:
    """The CMake build tree that is measured."""
    return Path(os.environ.get("FAIRLEAD_BUILD_DIR", ROOT / "build"))


def rerun_with_peers(arguments: Sequence[str]) -> int | None:
    """Runs this program again in the environment of the peers; None where it is there already, or there is none."""
    python = peers_python()
    if python is None or os.environ.get("FAIRLEAD_BENCH_INNER"):
        return None
    package = str(build_dir() / "python")
    path = os.pathsep.join(filter(None, (package, os.environ.get("PYTHONPATH"))))
    environment = {**os.environ, "FAIRLEAD_BENCH_INNER": "1", "PYTHONPATH": path}
    return subprocess.run([python, *arguments], env=environment, check=False).returncode


def show(rows: Sequence[Row]) -> None:
    """Prints the rows as a table."""
    lines = [("case", "fairlead", "peer", "ratio", "peer is")]
    for row in rows:
        peer = "-" if row.peer is None else f"{row.peer:.4g} {row.unit}"
        ratio = "-" if row.ratio is None else f"{row.ratio:.2f}x"
        lines.append((row.case, f"{row.value:.4g} {row.unit}", peer, ratio, row.peer_name or "-"))
    widths = [max(len(line[i]) for line in lines) for i in range(len(lines[0]))]
    for number, line in enumerate(lines):
        print(
            "  ".join(text.ljust(width) for text, width in zip(line, widths, strict=True)).rstrip()
        )
        if number and (detail := rows[number - 1].detail):
            print(f"    {detail}")


def main(description: str, measure: Callable[[int], list[Row]], with_peers: bool = True) -> int:
    """The command line of a benchmark: ``--json FILE``, ``--rounds N``.

    Args:
        measure: gives the rows, for a number of rounds.
        with_peers: run in the environment of the peers, if there is one.
    """
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--json", type=Path, help="write the rows to this file")
    parser.add_argument(
        "--rounds", type=int, default=101, help="turns of each measurement (default 101)"
    )
    options = parser.parse_args()
    if with_peers:
        status = rerun_with_peers(sys.argv)
        if status is not None:
            return status
    rows = measure(options.rounds)
    show(rows)
    if options.json:
        options.json.write_text(json.dumps([asdict(row) for row in rows], indent=1) + "\n")
    return 0
