"""The assemblers of PTX that tests use: the toolkit's, and the newest one, which the environment variable
FAIRLEAD_NEWEST_PTXAS names (`pip install nvidia-cuda-nvcc` brings it)."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

ASSEMBLERS = {
    "toolkit": os.environ.get("FAIRLEAD_PTXAS")
    or shutil.which("ptxas")
    or "/usr/local/cuda/bin/ptxas",
    "newest": os.environ.get("FAIRLEAD_NEWEST_PTXAS", ""),
}


def assembled(text: str, arch: str, folder: Path, assembler: str, *options: str) -> str:
    """Have one of ASSEMBLERS assemble PTX, and return its remarks; skip the test if it is not here."""
    program = ASSEMBLERS[assembler]
    if not os.path.exists(program):
        needed = "FAIRLEAD_NEWEST_PTXAS" if assembler == "newest" else "ptxas"
        pytest.skip(f"needs {needed}")
    path = folder / "kernel.ptx"
    path.write_text(text)
    command = [program, "-v", f"-arch={arch}", *options, path, "-o", folder / "kernel.cubin"]
    done = subprocess.run(command, capture_output=True, text=True)
    lines = text.splitlines()
    refused = {lines[int(line) - 1] for line in re.findall(r"line (\d+)", done.stderr)}
    assert done.returncode == 0, "\n".join([*sorted(refused), done.stderr])
    return done.stderr


def assemble_without_spills(text: str, arch: str, folder: Path, assembler: str) -> None:
    """Have one of ASSEMBLERS assemble PTX; its kernels need neither a stack nor spills."""
    remarks = assembled(text, arch, folder, assembler)
    frames = re.findall(r"(\d+) bytes stack frame, (\d+) bytes spill stores", remarks)
    assert frames and all(frame == ("0", "0") for frame in frames), remarks


def assemble_for_warpgroups(text: str, folder: Path) -> None:
    """Have the toolkit's assembler assemble PTX for sm_90a: without spills, and without remarks (C75..) that it changed
    instructions of warpgroups."""
    remarks = assembled(text, "sm_90a", folder, "toolkit")
    assert "C75" not in remarks and "0 bytes spill stores" in remarks, remarks
