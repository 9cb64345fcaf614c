"""Runs a kernel of primitives on the CPU, and compiles one for a GPU."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

from fairlead import cute

PTXAS = "/usr/local/cuda/bin/ptxas"


def compiled(body, arrays, *, threads=32, cluster=1, blocks=None, target="cpu", smem=0, more=""):
    """A function that launches `body(thread, *arrays)`."""

    traced = cute.jit(body)

    @cute.kernel
    def device(arrays: list):
        traced(cute.arch.thread_idx()[0], *arrays)

    @cute.jit
    def host(arrays: list):
        shape = {} if cluster == 1 else {"cluster": (cluster, 1, 1)}
        device(arrays).launch(grid=blocks or cluster, block=threads, **shape)

    return cute.compile(host, list(arrays), options=f"--target {target} {more}")


def run(body, *arrays, **options):
    """Run `body(thread, *arrays)` on the CPU; it writes into the arrays."""
    compiled(body, arrays, **options)(list(arrays))


def ptx(body, *arrays, arch="sm_90a", folder=None, **options):
    """The PTX of `body`; with a folder it is also assembled, if the assembler is installed."""
    text = compiled(body, arrays, target=f"cuda:{arch}", **options).artifact.ptx
    if folder is not None and Path(PTXAS).exists():
        path = folder / "kernel.ptx"
        path.write_text(text)
        command = [PTXAS, f"-arch={arch}", str(path), "-o", str(folder / "kernel.cubin")]
        done = subprocess.run(command, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr + text
    return text


def instructions(text, prefix):
    """The instructions of PTX whose names begin with a prefix, without their operands."""
    return re.findall(rf"(?<![\w.]){re.escape(prefix)}[\w.:]*", text)
