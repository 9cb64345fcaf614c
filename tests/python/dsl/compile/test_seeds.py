"""The published example programs through fairlead.compat, on the CPU."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("torch")

SEEDS = Path(__file__).resolve().parents[4] / "examples" / "seeds"


def run(name, device, folder=None, **variables):
    environment = {**os.environ, "FAIRLEAD_SEED_DEVICE": device, "FAIRLEAD_TARGET": device}
    environment.update(variables)
    command = [sys.executable, "-m", "fairlead.compat", SEEDS / name]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, cwd=folder)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


DEVICES = ["cpu", pytest.param("cuda", marks=pytest.mark.gpu)]


@pytest.mark.parametrize("device", DEVICES)
def test_add_one(device):
    text = run("add_one.py", device)
    assert "tensor([ 1.,  2.,  3.,  4.,  5.,  6.,  7.,  8.,  9., 10.]" in text
    called = "when calling: `add_one(a: Tensor([n0], float32), b: Tensor([n0], float32))`, "
    assert f"TypeError: Mismatched type on argument #1 {called}expected Tensor" in text
    assert (
        f"ValueError: Mismatched b.shape[0] on argument #1 {called}symbolic constraint violated"
        in text
    )
    assert (
        f"ValueError: Invalid a.shape[0] on argument #0 {called}expected to be divisible by 16"
        in text
    )


@pytest.mark.parametrize("device", DEVICES)
def test_add_kernel(device):
    assert run("add_kernel.py", device) == "c == a + b\n"


@pytest.mark.parametrize("device", DEVICES)
def test_export(device, tmp_path):
    text = run("add_one_export.py", device, tmp_path)
    assert "Successfully created shared library: ./add_one.so" in text
    assert "tensor([ 1.,  2.,  3.,  4.,  5.,  6.,  7.,  8.,  9., 10.]" in text


@pytest.mark.parametrize("device", DEVICES)
def test_compile_with_tensors(device):
    text = run("compile_with_tensors.py", device, CUTE_DSL_ENABLE_TVM_FFI="1")
    assert text.splitlines() == [
        "compiled for tensors: b == a + b",
        "by the environment: a == a + a",
        "any batch size",
    ]


@pytest.mark.gpu
def test_an_invalid_launch():
    text = run("add_one_invalid_launch.py", "cuda")
    assert text.startswith("RuntimeError: CUDA Error: cudaErrorInvalidValue")


@pytest.mark.gpu
def test_streams():
    pytest.importorskip("cuda.bindings.driver")
    text = run("add_one_streams.py", "cuda")
    assert text.count("tensor([ 1.,  2.,  3.,  4.,  5.,  6.,  7.,  8.,  9., 10.]") == 2
