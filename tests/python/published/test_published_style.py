"""Programs written with published names alone run as they are on the CPU, against float64."""

import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("torch")

HERE = Path(__file__).resolve().parent
PROGRAMS = sorted(path.name for path in HERE.glob("*.py") if not path.name.startswith("test_"))


@pytest.mark.parametrize("program", PROGRAMS)
def test_program(program, tmp_path):
    command = [sys.executable, "-m", "fairlead.compat", "--device", "cpu", str(HERE / program)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.splitlines()[-1] == "PASS"


@pytest.mark.parametrize("program", ["hopper_products.py", "hopper_pipelines.py"])
def test_program_assembles(program, tmp_path):
    """Machine code for compute capability 9.0."""
    options = ["--device", "cpu", str(HERE / program), "--assemble", "--all"]
    command = [sys.executable, "-m", "fairlead.compat", *options]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.splitlines()[-1] == "PASS"


def test_help():
    command = [sys.executable, "-m", "fairlead.compat", "--help"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("usage: python -m fairlead.compat [--device cpu")
