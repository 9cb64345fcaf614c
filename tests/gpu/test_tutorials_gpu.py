"""The tutorials on a GPU, with small sizes: each checks its results against NumPy."""

import subprocess
import sys
from pathlib import Path

import pytest

TUTORIALS = sorted(
    (Path(__file__).resolve().parents[2] / "examples" / "tutorials").glob("[0-9]*.py")
)


@pytest.mark.gpu
@pytest.mark.parametrize("path", TUTORIALS, ids=lambda path: path.stem)
def test_tutorial(path, tmp_path):
    pytest.importorskip("torch")
    done = subprocess.run(
        [sys.executable, path, "--quick", "--device", "cuda"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
