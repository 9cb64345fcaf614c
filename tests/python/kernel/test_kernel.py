"""fairlead.kernel, against the unit tests' fake CUDA driver: each case in a process of its own."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import fairlead
from fairlead import _compiler

CASES = Path(__file__).with_name("kernel_cases.py")
NVRTC = ("source_through_nvrtc", "headers_are_part_of_the_cache_key", "errors_of_nvrtc")


@pytest.fixture(scope="module")
def fake_driver(build_dir):
    found = [*build_dir.rglob("libfairlead_fake_cuda.so")]
    if not found:
        pytest.skip("the build tree has no fake CUDA driver (target fairlead_fake_cuda)")
    return found[0]


def run(name, fake_driver, folder):
    environment = {
        **os.environ,
        "FAIRLEAD_LIBCUDA": str(fake_driver),
        "FAIRLEAD_CACHE_DIR": str(folder / "cache"),
        "FAIRLEAD_NO_CACHE": "",
        "PYTHONPATH": os.pathsep.join(
            [os.path.dirname(os.path.dirname(fairlead.__file__)), os.environ.get("PYTHONPATH", "")]
        ),
    }
    done = subprocess.run(
        [sys.executable, CASES, name], capture_output=True, text=True, env=environment, check=False
    )
    assert done.stdout == "done\n" and done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(
    "name",
    [
        "calls",
        "spellings_of_a_launch",
        "devices_and_streams",
        "dtype_variables",
        "several_images",
        "saved_and_loaded",
        "kernels_with_expressions_of_strides",
    ],
)
def test_case(name, fake_driver, tmp_path):
    run(name, fake_driver, tmp_path)


@pytest.mark.parametrize("name", NVRTC)
def test_source(name, fake_driver, tmp_path):
    if not _compiler.nvrtc_version():
        pytest.skip("no NVRTC: pip install nvidia-cuda-nvrtc==13.0.*")
    run(name, fake_driver, tmp_path)


def test_signature_text_round_trip():
    text = "f(x: Tensor([n, m], T, strides=[s, 1], align=16), k: int32, s2: Stream) where n % 8 == 0, T in {int8, bool}"
    signature = _compiler.parse_signature(text)
    assert _compiler.signature_text(signature) == text
    assert str(signature) == text
    assert signature.short_text == "f(x: Tensor([n, m], T), k: int32, s2: Stream)"
    assert _compiler.argument_names(signature) == ["x", "k", "s2"]


def test_exported_lazily():
    code = "import sys, fairlead; assert 'fairlead.kernels' not in sys.modules; fairlead.kernel; print('done')"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout == "done\n", done.stderr
