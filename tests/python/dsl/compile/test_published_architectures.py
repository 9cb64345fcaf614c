"""Names of published libraries of several architectures, in a process of their own: they change `cutlass`."""

import subprocess
import sys
from pathlib import Path


def test_published_architectures():
    program = Path(__file__).with_name("published_architectures.py")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(program)],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert " passed" in done.stdout
