"""Run the kernels of a library by a driver of ours, and compare their results with float64.

    python tests/libraries/run_kernels.py DRIVER [--path FOLDER...] [--limit 300] [--only KERNEL...] [--json FILE]

DRIVER names a module in drivers/ (without its _driver). Its function for each kernel raises unless results agree, and
runs in a process of its own. What the package compiles there is compiled for the CPU, which executes it, and for a GPU,
as machine code that ptxas makes: for sm_90a, or as the driver's ARCHITECTURES says. If that fails, the kernel runs
in another process, compiled for the CPU alone.
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
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

import probe  # noqa: E402
import table  # noqa: E402


def _compile_for(architecture: str) -> list[int]:
    """Compile for the CPU and a GPU from now on; return the list that the sizes of machine code are added to."""
    from fairlead.cute import _compile

    os.environ["FAIRLEAD_TARGET"] = f"cpu,cuda:{architecture}"
    make, sizes = _compile._make, []

    def make_and_note(artifact: Any, description: Any) -> Any:
        sizes.append(len(artifact.cubin()))
        return make(artifact, description)

    _compile._make = make_and_note
    return sizes


def _run(kernel: Callable[[], None], writing: int, quiet: bool, architecture: str) -> None:
    """Write the outcome to the pipe; does not return."""
    os.setpgid(0, 0)
    try:
        sizes = _compile_for(architecture) if architecture else [1]
        kernel()
        outcome = table.AGREES if any(sizes) else "no machine code was made"
    except BaseException as error:
        if not quiet:
            traceback.print_exc()
        outcome = probe.described(error)
    os.write(writing, (json.dumps(["", outcome]) + "\n").encode())
    sys.stdout.flush()
    os._exit(0)


def outcome_of(
    kernel: Callable[[], None], limit: float, quiet: bool = True, architecture: str = ""
) -> str:
    """`agrees`, or what went wrong; with an architecture, machine code for it was made as well."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        _run(kernel, writing, quiet, architecture)
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
    parser.add_argument("--limit", type=float, default=300)
    parser.add_argument("--only", nargs="*")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    sys.path[:0] = [str(Path(__file__).parent / "drivers"), *options.path]
    import fairlead.compat
    from fairlead.compat import _cpu_device

    assert fairlead.compat
    _cpu_device.install()
    driver = importlib.import_module(options.driver + "_driver")
    architectures = getattr(driver, "ARCHITECTURES", {})
    kernels, machine_code = {}, {}
    for name in options.only or driver.KERNELS:
        kernel, architecture = driver.KERNELS[name], architectures.get(name, "sm_90a")
        how = (options.limit, bool(options.json))
        outcome = kernels[name] = outcome_of(kernel, *how, architecture)
        machine_code[name] = architecture if outcome == table.AGREES else outcome
        if outcome != table.AGREES:
            kernels[name] = outcome_of(kernel, *how)
        print(f"{name}: {kernels[name]}; machine code: {machine_code[name]}", flush=True)
    if options.json:
        result = {"kernels": kernels, "machine_code": machine_code}
        options.json.write_text(json.dumps(result, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
