"""The plain C ABI on a GPU: the published programs against the real CUDA runtime, and loading in Python."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = ROOT / "examples" / "seeds" / "aot"
sys.path.insert(0, str(ROOT / "tests" / "aot"))
import aot_kernels  # noqa: E402

CUDA = Path(os.environ.get("CUDA_HOME", "/usr/local/cuda"))
needs_toolkit = pytest.mark.skipif(
    not (CUDA / "include" / "cuda_runtime.h").exists() or shutil.which("g++") is None,
    reason="needs g++ and the CUDA runtime's headers",
)


def run(*command, **options):
    done = subprocess.run(
        [str(part) for part in command], capture_output=True, text=True, **options
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture
def artifacts(tmp_path):
    aot_kernels.compiled_print("cuda").export_to_c(
        file_path=tmp_path, file_name="print_tensor_example", function_prefix="print_tensor"
    )
    return tmp_path


@needs_toolkit
def test_static_linking_as_published(packageDir, artifacts):
    lib = packageDir / "lib"
    program = artifacts / "static"
    run(
        "g++", "-Wall", "-Wextra", "-Werror", PROGRAMS / "static_linking.cpp", f"-I{artifacts}",
        f"-isystem{CUDA}/include", artifacts / "print_tensor_example.o",
        lib / "libcuda_dialect_runtime_static.a", f"-L{CUDA}/lib64", "-lcudart_static", "-ldl",
        "-lrt", "-lpthread", "-o", program,
    )  # fmt: skip
    # The device's output appears when the program synchronizes, which destroying the stream does not.
    assert run(program) in ("", "a: 32 by 16\n")


@needs_toolkit
@pytest.mark.parametrize("kind", ["object", "library"])
def test_dynamic_loading_as_published(packageDir, artifacts, kind):
    lib = packageDir / "lib"
    path = artifacts / "print_tensor_example.o"
    if kind == "library":
        path = artifacts / "libprint_tensor_example.so"
        run("cc", "-shared", artifacts / "print_tensor_example.o", "-o", path)
    program = artifacts / "dynamic"
    run(
        "g++", "-Wall", "-Wextra", "-Werror", PROGRAMS / "dynamic_loading.cpp",
        f"-I{packageDir}/include", f"-isystem{CUDA}/include", f"-L{lib}", "-lcute_dsl_runtime",
        f"-Wl,-rpath,{lib}", f"-Wl,-rpath-link,{lib}", f"-L{CUDA}/lib64", "-lcudart",
        f"-Wl,-rpath,{CUDA}/lib64", "-o", program,
    )  # fmt: skip
    assert run(program, path) == "a: 32 by 16\n"


LOAD = """
import sys, torch
from fairlead import cute
module = cute.runtime.load_module(sys.argv[1])
x = torch.ones(33, 40, device="cuda")
module.scale(x, offset=3, stream=torch.cuda.current_stream().cuda_stream)
torch.cuda.synchronize()
assert torch.equal(x, torch.full_like(x, 5.0)), x
assert "fairlead._compiler" not in sys.modules
print("ok")
"""


@pytest.mark.parametrize("abi", ["plain", "open"])
@pytest.mark.parametrize("kind", ["object", "library"])
def test_load_in_python(tmp_path, abi, kind):
    compiled = aot_kernels.compiled_scale("cuda")
    path = tmp_path / "scale.o"
    if abi == "plain":
        compiled.export_to_c(file_path=tmp_path, file_name="scale")
    else:
        compiled.export_to_c(path, function_name="scale")
    if kind == "library":
        run("gcc", "-shared", path, "-o", tmp_path / "scale.so")
        path = tmp_path / "scale.so"
    assert run(sys.executable, "-c", LOAD, path) == "ok\n"


def test_sizes(tmp_path):
    compiled = aot_kernels.compiled_add_one("cuda")
    compiled.export_to_c(file_path=tmp_path, file_name="plain")
    compiled.export_to_c(tmp_path / "open.o", function_name="add_one")
    assert (tmp_path / "open.o").stat().st_size <= 16 * 1024
    assert (tmp_path / "plain.o").stat().st_size <= 16 * 1024
