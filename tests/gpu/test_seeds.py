"""The published example programs, unchanged, through fairlead.compat."""

import subprocess
import sys
from pathlib import Path

import pytest

SEEDS = sorted((Path(__file__).resolve().parents[2] / "examples" / "seeds").glob("[!_]*.py"))


@pytest.mark.parametrize("program", SEEDS, ids=lambda path: path.stem)
def test_runs_as_printed(program, tmp_path):
    command = [sys.executable, "-m", "fairlead.compat", program]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
