"""What a published library of kernels takes from inside of the peer's package: in a process of its own, for names that
fairlead.compat puts into the process change what other tests see."""

import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.parametrize("name", ["published_dialects.py", "published_values.py"])
def test_published_dialects(name):
    program = Path(__file__).with_name(name)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", program]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0 and " passed" in done.stdout, done.stdout + done.stderr
