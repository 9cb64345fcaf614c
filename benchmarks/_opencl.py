"""For benchmarks: the same work through OpenCL on the processor (PoCL), in a process of its own.

The process is a C program that is built here with gcc; it needs Debian's packages `pocl-opencl-icd` and
`ocl-icd-opencl-dev`. PoCL brings a compiler along, so it does not share a process with ours.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import numpy as np

_SOURCES = Path(__file__).resolve().parent / "opencl"
_NO_DEVICE = 3
_PACKAGES = "Debian: pocl-opencl-icd, ocl-icd-opencl-dev"


class Peer:
    """A running process; `choices` says by case which kernel and work-group size was the fastest."""

    def __init__(self, process: subprocess.Popen, device: str, choices: dict[str, str]):
        self._process = process
        self.device = device
        self.choices = choices

    def timer(self, case: str):
        """Seconds of `count` launches, the last one's end included."""
        return lambda count: float(self._ask(f"time {case} {count}"))

    def result(self, case: str, path: Path) -> np.ndarray:
        """Return the output of a launch as a flat array."""
        if self._ask(f"save {case} {path}") != "saved":
            raise RuntimeError(f"OpenCL did not save the result of {case}")
        return np.fromfile(path, np.float32)

    def close(self) -> None:
        self._process.stdin.close()
        self._process.wait()

    def _ask(self, request: str) -> str:
        self._process.stdin.write(request + "\n")
        self._process.stdin.flush()
        answer = self._process.stdout.readline().strip()
        if not answer:
            raise RuntimeError(f"the OpenCL process ended at `{request}`: {self._process.wait()}")
        return answer


def _build(folder: Path) -> Path | None:
    """The program; None where gcc or OpenCL's headers or library are missing."""
    if shutil.which("gcc") is None:
        return None
    program = folder / "peer"
    command = ["gcc", "-O2", _SOURCES / "peer.c", "-o", program, "-lOpenCL"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return program if done.returncode == 0 else None


def start(
    folder: Path, first: np.ndarray, second: np.ndarray, columns: int, threads: int
) -> dict[str, Peer]:
    """By name, the processes that work on `first` and `second`; without PoCL none, and a line says so.

    Args:
        columns: of the rows of `first` whose softmax is computed.
        threads: values of a block whose sum is computed.
    """
    program = _build(folder)
    if program is None:
        print(f"skipped: the comparison with OpenCL, which gcc does not find ({_PACKAGES})")
        return {}
    data = folder / "opencl.bin"
    np.concatenate([first, second]).tofile(data)
    found = {}
    for name, options in (("PoCL", ""), ("PoCL, fast math", "-cl-fast-relaxed-math")):
        arguments = [_SOURCES / "kernels.cl", data, first.size, columns, threads, options]
        with open(folder / "opencl.log", "w+") as log:
            process = subprocess.Popen(
                [program, *map(str, arguments)],
                env={**os.environ, "POCL_CACHE_DIR": str(folder)},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
            )
            ready = process.stdout.readline()
            if not ready.startswith("ready "):
                status = process.wait()
                log.seek(0)
                if status == _NO_DEVICE:
                    print(f"skipped: the comparison with OpenCL: no processor ({_PACKAGES})")
                else:
                    print(f"skipped: {name}, which ended with {status}:\n{log.read()[-2000:]}")
                continue
        choices = {}
        for case, kernel, size, *tried in (process.stdout.readline().split() for _ in range(3)):
            others = ", ".join(each.replace(":", " ") for each in tried)
            choices[case] = f"{kernel}, work-groups of {size} (least ms: {others})"
        found[name] = Peer(process, ready.split(maxsplit=1)[1].strip(), choices)
    return found
