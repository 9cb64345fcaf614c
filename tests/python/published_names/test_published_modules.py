"""Names that published libraries import, in a process of their own: fairlead.compat changes other tests."""

import subprocess
import sys
from pathlib import Path


def test_published_modules():
    program = Path(__file__).with_name("published_modules.py")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", program]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0 and " passed" in done.stdout, done.stdout + done.stderr
