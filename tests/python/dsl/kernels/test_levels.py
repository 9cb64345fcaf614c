"""The comparison of levels (tests/levels.py) finds a program whose results depend on the level, in processes too."""

import re
import subprocess
import sys
from pathlib import Path

LEVELS = Path(__file__).resolve().parents[3] / "levels.py"

PROGRAM = """
import os, subprocess, sys
import numpy as np
from fairlead import cute

NUMBER = int(os.environ.get("FAIRLEAD_LEVELS_OPT", "3"))

@cute.jit
def steady(a: cute.Tensor):
    for i in range(8):
        a[i] = i

@cute.jit
def by_level(a: cute.Tensor):
    a[0] = NUMBER

def test_here():
    steady(np.zeros(8, np.int32))
    steady(np.ones(8, np.float32))

def test_started():
    subprocess.run([sys.executable, __file__], check=True)

if __name__ == "__main__":
    by_level(np.zeros(1, np.int32))
"""


def test_a_difference_is_found(tmp_path):
    (tmp_path / "test_programs.py").write_text(PROGRAM)
    command = [sys.executable, str(LEVELS), "--only", "level 0", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 1, done.stdout + done.stderr
    assert "level 0: 3 calls compared, 1 differ" in done.stdout
    differences = re.findall(r"level 0: .*by_level 1: argument 0 \(1 of 4 bytes.*", done.stdout)
    assert len(differences) == 1, done.stdout
