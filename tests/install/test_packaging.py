"""examples/packaging: a wheel of kernels, built and used."""

import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "packaging"

USE = """
import numpy as np
import my_kernels
x = np.random.default_rng(0).standard_normal((3, 5)).astype(np.float32)
y = np.full_like(x, np.nan)
my_kernels.relu(y, x)
assert (y == np.maximum(x, 0)).all()
try:
    import torch
except ImportError:
    print("no torch")
else:
    a, b = torch.from_numpy(x), torch.full((3, 5), float("nan"))
    my_kernels.relu(b, a)
    assert torch.equal(b, torch.relu(a))
try:
    my_kernels.relu(y, x.astype(np.float64))
except TypeError as error:
    print(error)
print(my_kernels.__file__)
"""


@pytest.fixture(scope="module")
def builder(tmp_path_factory) -> Path:
    """A Python that has scikit-build-core: this one, else one of a new environment."""
    if importlib.util.find_spec("scikit_build_core") is not None:
        return Path(sys.executable)
    folder = tmp_path_factory.mktemp("environment")
    subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    python = folder / "bin" / "python"
    install = [python, "-m", "pip", "install", "-q", "scikit-build-core>=0.10"]
    done = subprocess.run(install, capture_output=True, text=True)
    if done.returncode:
        pytest.skip(f"needs scikit-build-core, which cannot be installed: {done.stderr[-200:]}")
    return python


def test_wheel(tmp_path, package_dir, builder):
    source = tmp_path / "source"
    shutil.copytree(EXAMPLE, source)
    environment = {**os.environ, "PYTHONPATH": str(package_dir.parent), "CMAKE_GENERATOR": "Ninja"}
    build = [builder, "-m", "pip", "wheel", "--no-build-isolation", "--no-deps", "--no-index"]
    done = subprocess.run(
        [*build, "-w", tmp_path / "dist", source], capture_output=True, text=True, env=environment
    )
    assert done.returncode == 0, done.stdout + done.stderr
    (wheel,) = (tmp_path / "dist").iterdir()
    assert wheel.name.startswith("my_kernels-0.1.0-py3-none-linux")
    # Installed in a folder of its own, with only the package under test on the path.
    site = tmp_path / "site"
    install = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--no-index"]
    subprocess.run([*install, "--target", site, wheel], check=True)
    assert {each.name for each in (site / "my_kernels").glob("[!_]*")} == {"my_kernels.so"}
    environment["PYTHONPATH"] = os.pathsep.join([str(site), str(package_dir.parent)])
    done = subprocess.run(
        [sys.executable, "-c", USE], capture_output=True, text=True, env=environment, cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr
    assert "x and y must be float32, got float64 and float32" in done.stdout
    assert str(site) in done.stdout
