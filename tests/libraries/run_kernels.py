"""Run the kernels of a library by a driver of ours, and compare their results with float64.

    python tests/libraries/run_kernels.py DRIVER [--path FOLDER...] [--limit 120] [--only KERNEL...] [--json FILE]

DRIVER names a module in drivers/ (without its _driver). The function that it has for each kernel raises unless results
agree, and has a process of its own.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import signal
import sys
import traceback
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import probe  # noqa: E402
import table  # noqa: E402


def _run(kernel: Callable[[], None], writing: int, quiet: bool) -> None:
    """Write the outcome to the pipe; does not return."""
    os.setpgid(0, 0)
    try:
        kernel()
        outcome = table.AGREES
    except BaseException as error:
        if not quiet:
            traceback.print_exc()
        outcome = probe.described(error)
    os.write(writing, (json.dumps(["", outcome]) + "\n").encode())
    sys.stdout.flush()
    os._exit(0)


def outcome_of(kernel: Callable[[], None], limit: float, quiet: bool = True) -> str:
    """`agrees`, or what went wrong."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        _run(kernel, writing, quiet)
    os.close(writing)
    outcomes: dict[str, str] = {}
    end = probe.read_outcomes(reading, outcomes, limit)
    os.close(reading)
    if end != probe.ENDED:
        os.killpg(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    if end == probe.ENDED:
        end = f"dies: {os.waitstatus_to_exitcode(status)}"
    return outcomes.get("", end)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("driver")
    parser.add_argument("--path", nargs="*", default=[])
    parser.add_argument("--limit", type=float, default=120)
    parser.add_argument("--only", nargs="*")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    sys.path[:0] = [str(Path(__file__).parent / "drivers"), *options.path]
    import fairlead.compat
    from fairlead.compat import _cpu_device

    assert fairlead.compat
    _cpu_device.install()
    kernels = importlib.import_module(options.driver + "_driver").KERNELS
    outcomes = {}
    for name in options.only or kernels:
        outcomes[name] = outcome_of(kernels[name], options.limit, quiet=bool(options.json))
        print(f"{name}: {outcomes[name]}", flush=True)
    if options.json:
        options.json.write_text(json.dumps(outcomes, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
