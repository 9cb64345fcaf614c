"""Runs a Python program and records what Fairlead did: compiles with their stages, whether the cache had them, direct
calls that compiled and why, tuned configurations, loaded modules, launches of kernels, and for launches
on the CPU which thread ran which blocks.

    fairlead trace program.py --size 100
    fairlead trace -o trace.json -- -m package.module

The file opens in https://ui.perfetto.dev and in chrome://tracing. FAIRLEAD_TRACE=trace.json does the same for any
program.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from typing import Any

from fairlead.cli import CommandError, _terminal

HELP = "record compiles and launches of a program, for Perfetto"


def register(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "-o", dest="output", default="trace.json", metavar="FILE", help="(trace.json)"
    )
    parser.add_argument(
        "program", nargs=argparse.REMAINDER, help="a file and its arguments, as python has them"
    )


def run(options: argparse.Namespace) -> int:
    program = options.program[options.program[:1] == ["--"] :]
    if not program:
        raise CommandError("expected a program to run")
    output = os.path.abspath(options.output)
    if os.path.exists(output):
        os.unlink(output)
    environment = {**os.environ, "FAIRLEAD_TRACE": output}
    status = subprocess.call([sys.executable, *program], env=environment)
    if not os.path.exists(output):
        print("the program compiled, loaded and launched nothing", file=sys.stderr)
        return status
    with open(output, encoding="utf-8") as file:
        events = json.load(file)["traceEvents"]
    print(summary(events))
    print(f"written: {options.output}")
    return status


def summary(events: list[dict[str, Any]]) -> str:
    """A line for each function that was compiled, and for the rest one for each kind, as a table."""
    rows: dict[tuple[str, str], list[Any]] = {}
    for event in events:
        if event["ph"] != "X" or event["cat"] in ("stage", "blocks"):
            continue
        facts = event["args"]
        row = rows.setdefault((event["cat"], event["name"]), [0, 0.0, 0, ""])
        row[0] += 1
        row[1] += event["dur"] / 1e3
        row[2] += bool(facts.get("cached"))
        row[3] = facts.get("reason") or row[3]
    ordered = sorted(rows.items(), key=lambda item: -item[1][1])
    return _terminal.table(
        ("what", "name", "times", "from cache", "ms", "last reason"),
        [
            (kind, name, count, cached, f"{ms:.1f}", reason)
            for (kind, name), (count, ms, cached, reason) in ordered
        ],
        "--rrr-",
    )
