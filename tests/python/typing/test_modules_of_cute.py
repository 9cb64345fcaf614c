"""Modules that programs name through `cute`, in a process that has imported nothing else."""

import subprocess
import sys

import pytest


@pytest.mark.parametrize(
    "name", ["arch.thread_idx", "cuda.unload_dropped", "export", "testing.benchmark"]
)
def test_is_found_by_its_first_use(name):
    program = f"from fairlead import cute; cute.{name}"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
