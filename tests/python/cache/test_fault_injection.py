"""A sample of the failures of tests/faults/run_faults.py, which tries all of them with ``--all``."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
LIBRARY = Path(os.environ.get("FAIRLEAD_BUILD_DIR", ROOT / "build"), "lib/libfairlead_faults.so")
SCENARIOS = ("cache write", "load", "errors", "threads")


@pytest.mark.skipif(
    not LIBRARY.exists(), reason="needs libfairlead_faults.so, which the build makes"
)
def test_failures_of_calls():
    script = ROOT / "tests/faults/run_faults.py"
    done = subprocess.run(
        [sys.executable, script, *SCENARIOS, "--points=8", "--seconds=40"],
        capture_output=True,
        text=True,
    )
    output = done.stdout + done.stderr
    assert done.returncode == 0, output
    for name in SCENARIOS:
        tried = re.search(
            rf"^{name}: (\d+) points with \d+ stacks, (\d+) tried: (.*);", output, re.M
        )
        assert tried, output
        assert int(tried[1]) > 0
        assert int(tried[2]) > 0
    # Some calls failed in such a way that the scenario did.
    assert re.search(r"\d+ MemoryError", output), output
