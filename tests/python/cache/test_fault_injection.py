"""A sample of the failures of tests/faults/run_faults.py, which tries all of them with ``--all``."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
LIBRARY = Path(os.environ.get("FAIRLEAD_BUILD_DIR", ROOT / "build"), "lib/libfairlead_faults.so")


@pytest.mark.skipif(
    not LIBRARY.exists(), reason="needs libfairlead_faults.so, which the build makes"
)
@pytest.mark.parametrize(
    ("mode", "scenarios", "most", "outcome"),
    [
        ("once", ("cache write", "load", "errors", "threads"), 8, "MemoryError"),
        ("once", ("types",), 200, "MemoryError"),
        ("always", ("types", "objects", "load", "cache read"), 12, "MemoryError"),
        ("kill", ("cache write", "sign"), 8, "killed"),
    ],
    ids=["once", "types", "always", "kill"],
)
def test_failures_of_calls(mode, scenarios, most, outcome):
    script = ROOT / "tests/faults/run_faults.py"
    options = [f"--mode={mode}", f"--points={most}", "--seconds=40"]
    done = subprocess.run(
        [sys.executable, script, *scenarios, *options], capture_output=True, text=True
    )
    output = done.stdout + done.stderr
    assert done.returncode == 0, output
    for name in scenarios:
        tried = re.search(
            rf"^{name}: (\d+) points with \d+ stacks, (\d+) tried: (.*);", output, re.M
        )
        assert tried, output
        assert int(tried[1]) > 0
        assert int(tried[2]) > 0
    # Some calls failed in such a way that the scenario did.
    assert re.search(rf"\d+ {outcome}", output), output
