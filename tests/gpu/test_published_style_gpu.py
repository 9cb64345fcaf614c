"""Programs written with published names alone, on a GPU: every case of the CPU's tests."""

import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parents[1] / "python" / "published"
PROGRAMS = sorted(path.name for path in HERE.glob("*.py") if not path.name.startswith("test_"))
#: Compute capabilities of programs that need more than 8.0.
CAPABILITIES = {
    "boxes_of_addresses.py": (9, 0),
    "experimental_pointers.py": (10, 0),
    "experimental_products.py": (10, 0),
}


@pytest.mark.parametrize("program", PROGRAMS)
def test_program(program, tmp_path):
    torch = pytest.importorskip("torch")
    needed, found = CAPABILITIES.get(program, (8, 0)), torch.cuda.get_device_capability()
    if found < needed:
        pytest.skip(
            f"needs compute capability {needed[0]}.{needed[1]}, the GPU has {found[0]}.{found[1]}"
        )
    command = [sys.executable, "-m", "fairlead.compat", str(HERE / program), "--all"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.splitlines()[-1] == "PASS"
