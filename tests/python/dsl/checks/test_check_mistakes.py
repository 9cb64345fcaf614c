"""published_mistakes.py in its own process, because names that fairlead.compat defines change other tests."""

import subprocess
import sys
from pathlib import Path


def test_mistakes():
    program = Path(__file__).with_name("published_mistakes.py")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", program]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0 and "49 passed" in done.stdout, done.stdout + done.stderr
