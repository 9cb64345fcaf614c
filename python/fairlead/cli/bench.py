"""Times calls of an exported function: the median time of a call from Python, next to that of an empty Python function
with the same arguments, in turns; and bytes and operations per second.

    fairlead bench libadd.so add_one --arg tensor:float32[8] --arg tensor:float32[8]
    fairlead bench libadd.so add_one --arg tensor:float32[n] --arg tensor:float32[n] --n 2^10..2^24 --plot add.svg
    fairlead bench libgemm.so gemm --arg ... --n 256..4096 --flops 2*n*n*n --json > new.json
    fairlead bench libgemm.so gemm --arg ... --n 256..4096 --compare old.json

On a GPU the time of a call is the time until it returns: work that was queued is waited for after each sample, which is
not timed. Bytes per second there are of the kernels: between events of the stream, with a cold L2 cache.

Bytes are counted once for each tensor, unless --bytes says otherwise; they are compared with a copy of as many bytes.
--compare tells FASTER or SLOWER where the ranges from the 20th to the 80th percentile are apart, SAME where the medians
are within 2 %, else UNSURE.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import time
from collections.abc import Callable
from typing import Any

from fairlead.cli import CommandError, _arguments, _plot, _terminal

HELP = "time a function of a library"
_SAMPLE_SECONDS = 0.002
_ROW_SECONDS = 0.2
_SAME = 0.02


def register(parser: argparse.ArgumentParser) -> None:
    _arguments.add_to(parser)
    parser.add_argument("--samples", type=_positive, default=50, metavar="N", help="how many (50)")
    parser.add_argument(
        "--n", type=_arguments.sizes, metavar="SIZES", help="sizes: 2^10..2^20, 100..1000, or 1,8,9"
    )
    parser.add_argument(
        "--bytes", type=_arguments.expression, metavar="EXPR", help="that a call moves, such as 8*n"
    )
    parser.add_argument(
        "--flops", type=_arguments.expression, metavar="EXPR", help="operations of a call"
    )
    parser.add_argument("--compare", metavar="FILE", help="with what --json wrote before")
    parser.add_argument("--plot", metavar="FILE", help="write a picture, SVG")
    parser.epilog = _arguments.HELP


def run(options: argparse.Namespace) -> int:
    function = _arguments.load(options)
    before = _read(options.compare) if options.compare else {}
    if options.plot:
        if not options.n:
            raise CommandError("--plot takes sizes: --n 2^10..2^20")
        if not options.plot.endswith(".svg"):
            raise CommandError(
                f"--plot writes SVG: expected a file that ends in .svg, but got {options.plot}"
            )
        if not os.path.isdir(os.path.dirname(options.plot) or "."):
            raise CommandError(f"--plot: there is no folder {os.path.dirname(options.plot)}")
    if options.n is None and any(_arguments.has_size(argument) for argument in options.args):
        raise CommandError("an argument has the extent n: say its sizes, such as --n 2^10..2^20")
    try:
        report = _single(function, options) if options.n is None else {}
        report["function"] = options.function
        sizes = options.n or [None]
        report["rows"] = [
            _row(function, options, size)
            for size in _terminal.progress(sizes, f"bench {options.function}")
        ]
    except CommandError:
        raise
    except Exception as error:  # Whatever the function raises.
        raise CommandError(f"{options.function}: {type(error).__name__}: {error}") from None
    for row in report["rows"]:
        if old := before.get(row["n"]):
            row["before_us"], row["verdict"] = old["median_us"], verdict(old, row)
        elif options.compare:
            row["verdict"] = "NEW"
    if options.plot:
        _draw(options, report["rows"])
    print(json.dumps(report) if options.json else _text(options, report))
    return 0


def _read(path: str) -> dict[Any, dict[str, Any]]:
    try:
        with open(path, encoding="utf-8") as file:
            return {row["n"]: row for row in json.load(file)["rows"]}
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise CommandError(f"{path} is not what `fairlead bench --json` writes: {error}") from None


def verdict(old: dict[str, Any], new: dict[str, Any]) -> str:
    """How a time compares with an earlier one."""
    if new["p80_us"] < old["p20_us"]:
        verdict_word = "FASTER"
    elif new["p20_us"] > old["p80_us"]:
        verdict_word = "SLOWER"
    else:
        verdict_word = "UNSURE"
    near = abs(new["median_us"] / old["median_us"] - 1) <= _SAME
    return "SAME" if near else verdict_word


def _single(function: Callable[..., Any], options: argparse.Namespace) -> dict[str, Any]:
    """The time of a call from Python."""
    values = tuple(_arguments.make(options))
    wait = _arguments.synchronizer(options.device)
    function(*values)
    wait()
    counts = {call: _count(call, values, wait) for call in (function, _empty)}
    times: dict[Any, list[float]] = {call: [] for call in counts}
    for _ in range(options.samples):
        for call, count in counts.items():
            times[call].append(_time(call, values, count) / count)
            wait()
    return {
        "median_ns": statistics.median(times[function]),
        "least_ns": min(times[function]),
        "empty_median_ns": statistics.median(times[_empty]),
        "samples": options.samples,
        "calls_per_sample": counts[function],
    }


def _row(
    function: Callable[..., Any], options: argparse.Namespace, size: int | None
) -> dict[str, Any]:
    """The results for one size: times in microseconds, bytes and operations per second."""
    from fairlead.cute import _timing

    values = tuple(_arguments.make(options, size))
    samples = _timing.samples(lambda: function(*values), _ROW_SECONDS)
    row: dict[str, Any] = {
        "n": size,
        "median_us": statistics.median(samples),
        "p20_us": _timing.quantile(samples, 0.2),
        "p80_us": _timing.quantile(samples, 0.8),
        "bytes": sum(_arguments.bytes_of(value) for value in values),
    }
    if options.bytes is not None:
        row["bytes"] = _arguments.evaluate(options.bytes, size)
    if row["bytes"] >= 2:
        copied = statistics.median(
            _timing.samples(_arguments.copy_of(row["bytes"], options.device), _ROW_SECONDS / 4)
        )
        row["gb_per_s"] = row["bytes"] / row["median_us"] / 1e3
        row["of_copy"] = copied / row["median_us"]
    if options.flops is not None:
        row["gflop_per_s"] = _arguments.evaluate(options.flops, size) / row["median_us"] / 1e3
    return row


def _text(options: argparse.Namespace, report: dict[str, Any]) -> str:
    lines = []
    if options.n is None:
        lines.append(
            f"{options.function}: {report['median_ns']:.0f} ns a call (median of {options.samples} samples of "
            f"{report['calls_per_sample']} calls; least {report['least_ns']:.0f} ns); "
            f"an empty Python function {report['empty_median_ns']:.0f} ns"
        )
    columns = [("n", "n"), ("median us", "median_us"), ("p20", "p20_us"), ("p80", "p80_us")]
    columns += [("GB/s", "gb_per_s"), ("GFLOP/s", "gflop_per_s"), ("before us", "before_us")]
    shown = [
        (head, key)
        for head, key in columns
        if any(row.get(key) is not None for row in report["rows"])
    ]
    copies = any("of_copy" in row for row in report["rows"])
    rows = []
    for row in report["rows"]:
        cells = [
            str(row["n"]) if key == "n" else _terminal.number(row.get(key)) for _, key in shown
        ]
        if copies:
            cells.append(f"{row['of_copy']:.0%}" if "of_copy" in row else "-")
        if options.compare:
            colour = {"FASTER": "green", "SLOWER": "red"}.get(row["verdict"], "dim")
            cells.append(_terminal.styled(row["verdict"], colour))
        rows.append(cells)
    heads = [head for head, _ in shown] + ["of a copy"] * copies + [""] * bool(options.compare)
    lines.append(_terminal.table(heads, rows, "r" * (len(shown) + copies)))
    return "\n".join(lines)


def _draw(options: argparse.Namespace, rows: list[dict[str, Any]]) -> None:
    key, label = "median_us", "us"
    if all("gflop_per_s" in row for row in rows):
        key, label = "gflop_per_s", "GFLOP/s"
    elif all("gb_per_s" in row for row in rows):
        key, label = "gb_per_s", "GB/s"
    series = {options.function: [row[key] for row in rows]}
    if key == "gb_per_s":
        series["a copy"] = [row["gb_per_s"] / row["of_copy"] for row in rows]
    svg = _plot.lines(f"{options.function}", [row["n"] for row in rows], series, "n", label)
    try:
        with open(options.plot, "w", encoding="utf-8") as file:
            file.write(svg)
    except OSError as error:
        raise CommandError(str(error)) from None


def _empty(*values: object) -> None:
    """The least cost of the loop and a call."""


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
        elapsed = _time(call, values, count)
        wait()
        if elapsed >= _SAMPLE_SECONDS * 1e9:
            return count
        count = max(
            count * 2, min(count * 10, int(count * _SAMPLE_SECONDS * 1e9 / max(elapsed, 1)))
        )
    return count


def _positive(text: str) -> int:
    value = int(text)
    if value <= 0:
        raise ValueError
    return value
