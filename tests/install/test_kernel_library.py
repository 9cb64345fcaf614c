"""examples/kernel_library: built by a compiler line and with CMake, called from every surface."""

import importlib.util
import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "kernel_library"


def run(*command, **options) -> str:
    done = subprocess.run(
        [str(each) for each in command], capture_output=True, text=True, **options
    )
    assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
    return done.stdout


@pytest.fixture(scope="module")
def library(tmp_path_factory) -> Path:
    """Built by the line of the README, with the flags that fairlead-config prints."""
    lines = (EXAMPLE / "README.md").read_text().split("\n\n")
    (line,) = [each for each in lines if each.lstrip().startswith("g++")]
    words = shlex.split(line.replace("\\\n", " ").partition("$(")[0])
    words[words.index("-o") + 1] = str(tmp_path_factory.mktemp("library") / "scale_cpu.so")
    flags = run(sys.executable, "-m", "fairlead.config", "--cxxflags", "--ldflags", "--libs")
    run(*words, "-Wall", "-Wextra", "-Werror", *flags.split(), cwd=EXAMPLE)
    return Path(words[words.index("-o") + 1])


@pytest.fixture(scope="module")
def build(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("build")
    cmake = run(sys.executable, "-m", "fairlead.config", "--cmakedir").strip()
    run("cmake", "-S", EXAMPLE, "-B", folder, "-G", "Ninja", f"-Dtvm_ffi_ROOT={cmake}")
    run("cmake", "--build", folder)
    return folder


@pytest.mark.parametrize(
    ("framework", "printed"),
    [
        ("torch", "ValueError: Check failed: ((x).IsContiguous()) is false: x must be contiguous"),
        ("numpy", "TypeError: x must be float32 or float64, got int32"),
        ("jax", "JAX: done"),
    ],
)
def test_python(library, framework, printed):
    if importlib.util.find_spec(framework) is None:
        pytest.skip(f"needs {framework}")
    environment = {**os.environ, "JAX_PLATFORMS": "cpu"}
    output = run(sys.executable, EXAMPLE / f"call_{framework}.py", library, env=environment)
    assert output.strip() == printed


def test_cpp(build):
    lines = run(build / "call_cpp", build / "scale_cpu.so").splitlines()
    assert lines[0] == "2.5 5 7.5"
    assert lines[1].startswith("ValueError: ") and "x is float64, but y is float32" in lines[1]


def test_c(build):
    lines = run(build / "call_c").splitlines()
    assert lines[0] == "2.5 5 7.5"
    assert lines[1].startswith("TypeError: Mismatched number of arguments when calling: `scale(")


@pytest.mark.parametrize(
    "source", ["kernel_library/scale_cuda.cu", "seeds/kernel_library/scale_kernel.cu"]
)
def test_cuda_library_builds(source, tmp_path):
    """The published example unchanged, and ours; their calls are for tests/gpu."""
    nvcc = shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"
    if not Path(nvcc).exists():
        pytest.skip("needs nvcc")
    flags = run(sys.executable, "-m", "fairlead.config", "--cxxflags", "--ldflags", "--libs")
    library = tmp_path / "scale.so"
    hidden = ["-Xcompiler", "-fPIC,-fvisibility=hidden"]
    run(nvcc, "-shared", EXAMPLE.parent / source, "-o", library, *hidden, *flags.split())
    names = run("nm", "-D", "--defined-only", "-j", library).split()
    assert "__tvm_ffi_scale" in names


def test_library_shows_its_functions_alone(library):
    names = run("nm", "-D", "--defined-only", "-j", library).split()
    assert {each for each in names if each.startswith("__tvm_ffi")} == {
        "__tvm_ffi_scale",
        "__tvm_ffi_scale_add",
        "__tvm_ffi_scaled",
    }
    needed = run("readelf", "-d", library)
    assert "libtvm_ffi.so" in needed
    assert "libfairlead" not in needed and "libcud" not in needed


@pytest.mark.parametrize(
    ("arguments", "error", "text"),
    [
        ("y, x[:3], 1.0", "ValueError", "differ in size"),
        ("y, x.astype('float64'), 1.0", "ValueError", "x is float64, but y is float32"),
        ("y, x, 'much'", "TypeError", "argument #2"),
        ("y, x", "TypeError", "Expected 3 but got 2"),
        ("None, x, 1.0", "TypeError", "argument #0"),
    ],
)
def test_bad_arguments(library, arguments, error, text):
    program = f"""
import numpy as np
from fairlead import ffi
x, y = np.zeros(4, np.float32), np.zeros(4, np.float32)
try:
    ffi.load_module({str(library)!r}).scale({arguments})
except {error} as error:
    print(error)
"""
    assert text in run(sys.executable, "-c", program)
