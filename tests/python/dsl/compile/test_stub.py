"""The type stub of the compiler's bindings agrees with the built module."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[4]
STUB = ROOT / "python" / "src" / "compiler" / "stub.py"


def test_stub_is_current():
    pytest.importorskip("nanobind")
    # In a process of its own: the language adds methods to the classes.
    program = f"import runpy; print(runpy.run_path({str(STUB)!r})['stub'](), end='')"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout == (ROOT / "python" / "fairlead" / "_compiler.pyi").read_text()
