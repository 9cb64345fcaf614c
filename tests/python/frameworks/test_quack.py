"""quack-kernels, a published library, where FAIRLEAD_QUACK names the folders with its unpacked wheels (several joined by ":"):
its programs on the CPU, and compiled for a GPU that need not be here."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAMS = Path(__file__).parents[2] / "gpu" / "quack_programs.py"
FOLDERS = [each for each in os.environ.get("FAIRLEAD_QUACK", "").split(":") if each]


@pytest.mark.skipif(
    not FOLDERS, reason="FAIRLEAD_QUACK names no folders with unpacked wheels of quack-kernels"
)
@pytest.mark.parametrize("folder", FOLDERS or [""])
@pytest.mark.parametrize("mode", [("--device", "cpu"), ("--compile",)])
def test_programs(folder, mode):
    done = subprocess.run(
        [sys.executable, str(PROGRAMS), folder, *mode], capture_output=True, text=True, timeout=900
    )
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
