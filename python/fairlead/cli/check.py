"""Runs a script with all its kernels on the CPU, checked: indices, races, memory without values.

    fairlead check script.py
    fairlead check --checks race,float --report found.sarif script.py --its own --arguments
    fairlead check --checks all,schedule script.py

Kernels that name a GPU run on the CPU as well, with tensors in its memory (python -m fairlead.compat --device cpu). A
call with findings raises fairlead.CheckError in the script. Exit status: 1 with findings
(notes do not count), else the script's own.
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

_CHECKS = ("bounds", "memory", "init", "race", "sync", "float", "schedule", "all")
HELP = "run a script with its kernels checked, on the CPU"


def register(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--checks",
        default="all",
        help="bounds, memory, init, race, sync, float, schedule, joined by commas; all (the default) is bounds, init, "
        "race and sync",
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
    for check in options.checks.split(","):
        if check not in _CHECKS:
            raise CommandError(
                f"--checks takes {', '.join(_CHECKS)}, but got {check}{did_you_mean(check, _CHECKS)}"
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
        kinds = _kinds(report)
    notes = kinds.count("note")
    findings = len(kinds) - notes
    counts = [
        f"{count} {word}{'s' if count > 1 else ''}"
        for count, word in ((findings, "finding"), (notes, "note"))
        if count
    ]
    result = ", ".join(counts) or "no findings in the kernels that ran"
    print(f"fairlead check: {result}", file=sys.stderr)
    return 1 if findings else ended.returncode


def _kinds(report: str) -> list[str]:
    """The kind of each finding in a report."""
    if not os.path.exists(report):
        return []
    with open(report, encoding="utf-8") as file:
        content = json.load(file)
    if isinstance(content, list):
        return [finding["kind"] for finding in content]
    return [result["ruleId"] for result in content["runs"][0]["results"]]
