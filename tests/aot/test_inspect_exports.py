"""`fairlead inspect` of exported files."""

import json
import re
import subprocess
import sys

import aot_kernels
import pytest

import fairlead
from fairlead import cute
from fairlead._compiler import ptx_assembler


def inspect(*arguments):
    command = [sys.executable, "-m", "fairlead", "inspect", *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_plain_object(tmp_path):
    aot_kernels.compiled_scale().export_to_c(
        file_path=tmp_path, file_name="f", function_prefix="twice"
    )
    text = inspect(tmp_path / "f.o")
    assert "scale(inout x: Tensor([n0, n1], float32)" in text and "(plain C, as twice)" in text
    assert (
        f"Fairlead {fairlead.__version__}, ABI 1; for cpu" in text
        and "opt_level 3" in text
        and "source " in text
    )
    (function,) = json.loads(inspect(tmp_path / "f.o", "--json"))[0]["functions"]
    own = function["metadata"]["fairlead"]
    assert function["name"] == "twice" and own["targets"] == ["cpu"] and own["abi"] == 1
    assert own["arg_types"] == ["Tensor float32", "float32", "int64", "Stream"]


def test_gpu_object_without_a_gpu(tmp_path):
    aot_kernels.compiled_add_one("cuda:sm_90a").export_to_c(file_path=tmp_path, file_name="f")
    text = inspect(tmp_path / "f.o")
    assert "for cuda:sm_90a; CUDA 12.0 or newer" in text


@cute.kernel
def _reversed(a: cute.Tensor, b: cute.Tensor):
    t = cute.arch.thread_idx()[0]
    part = fairlead.utils.SmemAllocator().allocate_tensor(cute.Float32, cute.make_layout(256))
    part[t] = a[t]
    cute.arch.sync_threads()
    b[t] = part[255 - t]


@cute.jit
def reverse(a: cute.Tensor, b: cute.Tensor):
    _reversed(a, b).launch(grid=1, block=256)


@pytest.mark.parametrize("assembler", ["ptxas", "none"])
def test_registers_and_shared_memory(tmp_path, monkeypatch, assembler):
    if assembler == "none":
        monkeypatch.setenv("FAIRLEAD_PTXAS", "/no/ptxas")
    elif not ptx_assembler():
        pytest.skip("no ptxas here")
    n = cute.sym_int(64, divisibility=4)
    strided = cute.runtime.make_fake_tensor(cute.Float32, (n,), (cute.sym_int(),), assumed_align=16)
    row = cute.runtime.make_fake_compact_tensor(cute.Float32, (n,))
    compiled = cute.compile(reverse, strided, row, options="--target cuda:sm_90a")
    compiled.export_to_c(tmp_path / "f.o", function_name="f")
    text = inspect(tmp_path / "f.o")
    assert (
        "reverse(a: Tensor([n0], float32, strides=[n1], align=16), out b: Tensor([n0], float32)) where n0 % 4 == 0\n"
        in text
    )
    if assembler == "none":
        assert "registers unknown until it is assembled, 1024 bytes dynamic shared" in text
    else:
        assert re.search(r"\d+ registers, 0 bytes shared, 1024 bytes dynamic shared", text)


@pytest.mark.parametrize(("arch", "later"), [("sm_90a", False), ("sm_90", True), ("sm_80", True)])
def test_images_of_an_export(tmp_path, arch, later):
    """Machine code, and PTX with it if later devices can run it."""
    aot_kernels.compiled_add_one(f"cuda:{arch}").export_to_c(file_path=tmp_path, file_name="f")
    data = (tmp_path / "f.o").read_bytes()
    if data.count(b"\x7fELF") < 2:
        pytest.skip("no PTX assembler")
    assert (b".target sm_" in data) == later


def test_names_that_are_not_the_functions_own(tmp_path):
    """Each export of one function tells its own targets, whatever name it has, also in one library."""
    scale = aot_kernels.compiled_scale
    scale().export_to_c(tmp_path / "a.o", function_name="scale")
    scale("cpu:x86-64-v3").export_to_c(tmp_path / "b.o", function_name="third")
    scale("ptx:compute_80").export_to_c(file_path=tmp_path, file_name="c", function_prefix="plain")
    scale("cpu:x86-64-v4").export_to_c(file_path=tmp_path, file_name="d", function_prefix="scale")
    objects = [tmp_path / f"{name}.o" for name in "abcd"]
    library = tmp_path / "lib.so"
    subprocess.run(["gcc", "-shared", *objects, "-o", library], check=True)
    wanted = {
        ("scale", None): "cpu",
        ("third", None): "cpu:x86-64-v3",
        ("plain", "plain C"): "ptx:compute_80",
        ("scale", "plain C"): "cpu:x86-64-v4",
    }
    for files in ([library], objects):
        told = json.loads(inspect(*files, "--json"))
        functions = [function for file in told for function in file["functions"]]
        targets = {
            (f["name"], f.get("abi")): ", ".join(f["metadata"]["fairlead"]["targets"])
            for f in functions
        }
        assert targets == wanted
