"""Operators that exported libraries register themselves: for programs without Python."""

import os
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
import torch
from framework_programs import compiled_outer, compiled_row_sums
from support import forked

import fairlead.torch
from fairlead.config import runtime_libraries

TORCH = Path(torch.__file__).parent
RUNTIME = [*runtime_libraries(), f"-Wl,-rpath,{Path(runtime_libraries()[0]).parent}"]

_EXPORT = """
    import sys
    sys.path.insert(0, {folder!r})
    import torch, fairlead.torch
    from framework_programs import compiled_axpy, compiled_outer

    outer, axpy = compiled_outer(), compiled_axpy()
    product = fairlead.torch.op(outer, "alone::outer", outputs="z")
    fairlead.torch.op(axpy, "alone::axpy", mutates="y")
    outer.export_to_c({objects[0]!r}, function_name="outer")
    axpy.export_to_c({objects[1]!r}, function_name="axpy")

    class Model(torch.nn.Module):
        def forward(self, x, y):
            return product(x.cos(), y) + 1

    dims = {{"x": {{0: torch.export.Dim("n")}}, "y": {{0: torch.export.Dim("m")}}}}
    program = torch.export.export(Model(), (torch.randn(4), torch.randn(6)), dynamic_shapes=dims)
    torch._inductor.aoti_compile_and_package(program, package_path={package!r})
"""


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    """A library of two functions that are operators, and a package of a model that calls one of them."""
    folder = tmp_path_factory.mktemp("register")
    objects = [str(folder / "outer.o"), str(folder / "axpy.o")]
    package = str(folder / "model.pt2")
    program = textwrap.dedent(_EXPORT).format(
        folder=str(Path(__file__).parent), objects=objects, package=package
    )
    done = forked.run("-c", program)
    assert done.returncode == 0, done.stderr
    made = folder / "libalone.so"
    subprocess.run(["cc", "-shared", "-o", made, *objects, *RUNTIME], check=True)
    return made


def run(library, program):
    """`program` in another process, with the library's symbol as `register` and without fairlead."""
    text = f"""
import ctypes, sys, torch
library = ctypes.CDLL({str(library)!r})
register = library.fairlead_register_torch
{program}
assert not any(name.startswith("fairlead") for name in sys.modules)
print("done")
"""
    done = forked.run("-c", text)
    assert done.stdout.endswith("done\n"), done.stdout + done.stderr


def test_one_call_registers_all_functions_of_a_library(library):
    run(
        library,
        """
assert register() == 0 and register() == 0
x, y = torch.randn(4), torch.randn(3)
torch.testing.assert_close(torch.ops.alone.outer(x, y), torch.outer(x, y))
z = torch.zeros(4, 3)
torch.ops.alone.outer_out(x, y, z)
torch.testing.assert_close(z, torch.outer(x, y))
target = torch.ones(4)
torch.ops.alone.axpy(x, 2.0, target)
torch.testing.assert_close(target, 1 + 2 * x)
try:
    torch.ops.alone.outer(x.double(), y)
except RuntimeError as error:
    assert "Mismatched dtype on argument #0" in str(error), error
else:
    raise AssertionError("no error")
""",
    )


def test_a_package_of_aotinductor_runs_without_fairlead(library):
    run(
        library,
        f"""
import torch._inductor.codecache  # which torch 2.10 does not do itself
assert register() == 0
model = torch._inductor.aoti_load_package({str(library.parent / "model.pt2")!r})
x, y = torch.arange(5.0), torch.arange(7.0)
torch.testing.assert_close(model(x, y), torch.outer(x.cos(), y) + 1)
""",
    )


_PROGRAM = r"""
#include <cmath>
#include <cstdio>
#include <ATen/ATen.h>
#include <torch/csrc/inductor/aoti_package/model_package_loader.h>

extern "C" int fairlead_register_torch();  // of the library of operators, which this program is linked with

int main(int, char **argv) {
  if (fairlead_register_torch())
    return 2;
  torch::inductor::AOTIModelPackageLoader loader(argv[1]);  // model.pt2
  auto x = at::arange(5.0f), y = at::arange(7.0f);
  auto z = loader.run({x, y}).at(0);
  auto expected = at::outer(x.cos(), y) + 1;
  std::puts(at::allclose(z, expected) ? "same" : "different");
}
"""


def test_a_program_in_cpp_runs_a_package(library, tmp_path):
    compiler = shutil.which("g++")
    if compiler is None:
        pytest.skip("needs g++")
    source, program = tmp_path / "run.cpp", tmp_path / "run"
    source.write_text(_PROGRAM)
    includes = [TORCH / "include", TORCH / "include" / "torch" / "csrc" / "api" / "include"]
    command = [compiler, "-std=c++20", "-O0", *(f"-I{each}" for each in includes)]
    command += [f"-D_GLIBCXX_USE_CXX11_ABI={int(torch._C._GLIBCXX_USE_CXX11_ABI)}"]
    command += [source, "-o", program, library, f"-L{TORCH / 'lib'}", "-ltorch_cpu", "-lc10"]
    command += ["-Wl,--no-as-needed", "-ltorch"]  # which packages of torch 2.9 need
    command += [f"-Wl,-rpath,{TORCH / 'lib'}", f"-Wl,-rpath,{library.parent}"]
    subprocess.run([*map(str, command), *RUNTIME], check=True)
    environment = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    done = subprocess.run(
        [program, library.parent / "model.pt2"], capture_output=True, text=True, env=environment
    )
    assert done.stdout == "same\n", done.stdout + done.stderr


def test_functions_that_are_no_operators_register_nothing(tmp_path):
    path = tmp_path / "plain.so"
    compiled_row_sums(False).export_library(path, function_name="row_sums_alone")
    text = subprocess.run(["nm", "-D", path], capture_output=True, text=True, check=True).stdout
    assert "fairlead_register_torch" not in text


def test_objects_with_operators_load_without_a_linker(tmp_path):
    function = compiled_outer()
    fairlead.torch.op(function, "fairlead_tests::outer_in_object", outputs="z")
    function.export_to_c(tmp_path / "outer.o", function_name="outer_in_object")
    made = fairlead.torch.load(tmp_path / "outer.o", namespace="from_object")
    x, y = torch.randn(4), torch.randn(3)
    torch.testing.assert_close(made["outer_in_object"](x, y), torch.outer(x, y))


def test_an_older_torch_is_refused(tmp_path):
    """Its library lacks the functions that operators need."""
    library = tmp_path / "libtorch_cpu.so"
    command = ["g++", "-shared", "-x", "c++", "-", "-o", library, "-Wl,-soname,libtorch_cpu.so"]
    subprocess.run(command, input=b'extern "C" int nothing() { return 0; }', check=True)
    program = f"""
import ctypes
ctypes.CDLL({str(library)!r})
from fairlead import _core
from fairlead.ffi._library import runtime_library
assert runtime_library.FairleadTorchDefine(b"a", b"b() -> ()")
_core._raise_pending()
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    expected = (
        "operators need torch 2.9 or newer, but this process has an older one, without aoti_torch_"
    )
    assert expected in done.stderr, done.stderr
