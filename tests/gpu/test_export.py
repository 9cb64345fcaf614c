"""An exported GPU function, loaded in a process that never loads the compiler."""

import subprocess
import sys

import kernels
import pytest

torch = pytest.importorskip("torch")

PROGRAM = """
import sys
import torch
from fairlead import cute
module = cute.runtime.load_module(sys.argv[1])
a = torch.arange(1000, dtype=torch.float32, device="cuda")
b = torch.full_like(a, float("nan"))
module.add_one(a, b)
assert torch.equal(b, a + 1), b
try:
    module.add_one(a.cpu(), b.cpu())
except ValueError as error:
    assert "cuda" in str(error), error
else:
    raise SystemExit("CPU tensors were taken")
maps = open("/proc/self/maps").read()
assert "libfairlead.so" not in maps and "_compiler" not in maps, "the compiler was loaded"
print("loaded and called")
"""


def test_export_link_load_call(tmp_path):
    from fairlead import cute

    objectFile, library = tmp_path / "add_one.o", tmp_path / "add_one.so"
    kernels.compiled("add_one").export_to_c(str(objectFile), function_name="add_one")
    libraries = cute.runtime.find_runtime_libraries(enable_tvm_ffi=True)
    subprocess.run(["gcc", "-shared", "-o", library, objectFile, *libraries], check=True)
    done = subprocess.run([sys.executable, "-c", PROGRAM, library], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "loaded and called\n"
