"""Runs a script with all its kernels on the CPU, checked: indices, races, memory without values.

    fairlead check script.py
    fairlead check --checks race,float --report found.sarif script.py --its own --arguments

Kernels that name a GPU run on the CPU as well, with tensors in its memory (python -m fairlead.compat --device cpu). A
call in which something is found raises fairlead.CheckError in the script. Exit status: 1 where something was found,
else the script's own.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile

from fairlead._hints import did_you_mean
from fairlead.cli import CommandError

_CHECKS = ("bounds", "init", "race", "sync", "float", "all")
HELP = "run a script with its kernels checked, on the CPU"


def register(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--checks",
        default="all",
        help="bounds, init, race, sync, float, joined by commas (default: all)",
    )
    parser.add_argument(
        "--threads",
        metavar="FILTER",
        help="threads that stop at breakpoint() and print: block=1,thread=0-31 (default: the first)",
    )
    parser.add_argument("--report", metavar="FILE", help="write the findings: JSON, or .sarif")
    parser.add_argument(
        "--go-on", action="store_true", help="report findings, and let the program go on after them"
    )
    parser.add_argument("script", help="the Python program")
    parser.add_argument("arguments", nargs=argparse.REMAINDER, help="its arguments")


def run(options: argparse.Namespace) -> int:
    if not os.path.exists(options.script):
        raise CommandError(f"no such file: {options.script}")
    for each in options.checks.split(","):
        if each not in _CHECKS:
            raise CommandError(
                f"--checks takes {', '.join(_CHECKS)}, but got {each}{did_you_mean(each, _CHECKS)}"
            )
    with tempfile.TemporaryDirectory() as folder:
        report = options.report or os.path.join(folder, "found.json")
        if os.path.exists(report):
            os.remove(report)
        environment = {
            **os.environ,
            "FAIRLEAD_CHECK": options.checks,
            "FAIRLEAD_CHECK_REPORT": report,
        }
        if options.go_on:
            environment["FAIRLEAD_CHECK_CONTINUE"] = "1"
        if options.threads is not None:
            environment["FAIRLEAD_CHECK_THREADS"] = options.threads
        command = [sys.executable, "-m", "fairlead.compat", "--device", "cpu"]
        ended = subprocess.run(
            [*command, options.script, *options.arguments], env=environment, check=False
        )
        number = _count(report)
    if number:
        print(f"fairlead check: {number} finding{'s' if number > 1 else ''}", file=sys.stderr)
        return 1
    return ended.returncode


def _count(report: str) -> int:
    if not os.path.exists(report):
        return 0
    with open(report, encoding="utf-8") as file:
        made = json.load(file)
    return len(made) if isinstance(made, list) else len(made["runs"][0]["results"])
