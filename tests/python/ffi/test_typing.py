"""The types of the package, as a user's type checker sees them, and that they tell the truth."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from fairlead import ffi

SCRIPT = Path(__file__).with_name("user_script.py")
WRONG = """
from fairlead import ffi

number: int = ffi.get_global_func("x")
ffi.from_dlpack(0, alignment=3)
ffi.dtype("int8").itemsize.nothing
ffi.load_module(3)
text: str = ffi.from_dlpack(0).numel()
"""


#: mypy says nothing of the insides of an installed package, so neither here.
SETTINGS = """
[mypy]
strict = True
[mypy-fairlead.*]
ignore_errors = True
[mypy-fairlead._core,fairlead.ffi._values,fairlead.ffi._dtypes,fairlead.ffi._tensor,fairlead.ffi._registry,fairlead.ffi._metadata,fairlead.ffi.serialization,fairlead.ffi.structural,fairlead.ffi.access_path,fairlead.ffi.registry,fairlead.ffi.core]
ignore_errors = False
"""


def check(path, cache):
    """Has mypy look at a file."""
    settings = cache / "mypy.ini"
    settings.write_text(SETTINGS)
    command = [sys.executable, "-m", "mypy", "--config-file", str(settings)]
    return subprocess.run(
        [*command, "--cache-dir", str(cache), str(path)],
        cwd=cache,
        env={**os.environ, "MYPYPATH": str(Path(ffi.__file__).absolute().parent.parent.parent)},
        capture_output=True,
        text=True,
    )


@pytest.mark.timeout(300)
def test_mypy(tmp_path):
    pytest.importorskip("mypy")
    done = check(SCRIPT, tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    wrong = tmp_path / "wrong.py"
    wrong.write_text(WRONG)
    done = check(wrong, tmp_path)
    assert done.returncode == 1, done.stdout + done.stderr
    for line in range(4, 9):  # Each of the mistakes, so the types are more than Any.
        assert f"wrong.py:{line}:" in done.stdout


def test_scriptRuns(kernelsPath):
    done = subprocess.run(
        [sys.executable, str(SCRIPT), str(kernelsPath)], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.split()[1:] == [
        *("7", "19", "10", "4096", "text"),
        *("found<root>[1]", "True"),
    ]


def test_allNamesAreThere():
    for name in ffi.__all__:
        assert hasattr(ffi, name), name
