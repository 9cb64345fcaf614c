"""One artifact with code for several devices, without any of them but the CPU."""

import ctypes
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from target_kernels import check, compile_scale, compile_some

from fairlead import _compiler, cute
from fairlead._exported.contents import contents

FULL = ["cuda:sm_80", "cuda:sm_90a", "ptx:compute_90", "cpu"]
HAS_ASSEMBLER = Path("/usr/local/cuda/bin/ptxas").exists()
needs_assembler = pytest.mark.skipif(not HAS_ASSEMBLER, reason="no ptxas in /usr/local/cuda")


@pytest.fixture(scope="module")
def full():
    return compile_scale(targets=FULL)


def images(data):
    return [part["arch"] for image in contents(data)["images"] for part in image["parts"]]


def test_runs_on_the_cpu(full):
    assert [str(target) for target in full.targets] == FULL and str(full.target) == FULL[0]
    assert repr(full).endswith(f"for {', '.join(FULL)}>")
    check(full)
    check(full, 0)
    check(full, 1)


@needs_assembler
def test_holds_all_images(full):
    assert sorted(images(full.artifact.object)) == ["compute_90", "sm_80", "sm_90a"]


def test_without_an_assembler_ptx_takes_its_place(monkeypatch):
    for name in ("FAIRLEAD_CUDA_PATH", "CUDA_HOME", "CUDA_PATH", "PATH"):
        monkeypatch.setenv(name, "/nowhere")
    monkeypatch.setenv("FAIRLEAD_PTXAS", "/nowhere/ptxas")
    if _has_toolkit():
        pytest.skip("an assembler lies where it is always looked for")
    function = compile_scale(targets=["cuda:sm_80", "cuda:sm_90a", "cpu"])
    assert sorted(images(function.artifact.object)) == ["compute_80", "compute_90a"]
    check(function)


def _has_toolkit():
    return HAS_ASSEMBLER


@pytest.mark.parametrize(
    "options",
    ["--target cuda:sm_80,cpu", "--target 'cpu, sm_80'", "--target=cpu,cuda:sm_80,cpu"],
)
def test_spellings(options):
    function = compile_scale(options)
    assert {str(target) for target in function.targets} == {"cpu", "cuda:sm_80"}
    check(function)


def test_target_of_the_environment(monkeypatch):
    monkeypatch.setenv("FAIRLEAD_TARGET", "ptx:compute_80,cpu")
    assert [str(t) for t in compile_scale().targets] == ["ptx:compute_80", "cpu"]


def test_an_unknown_target_among_others():
    with pytest.raises(ValueError, match="unknown target `gpu`"):
        compile_scale(targets=["cpu", "gpu"])
    with pytest.raises(ValueError, match="unknown target ``"):
        compile_scale("--target cpu,")


class OnDevice:
    """A tensor that says that it is elsewhere; its memory is never touched."""

    def __init__(self, device_type, size=8):
        self.device_type, self.array = device_type, np.zeros(size, np.float32)

    def __dlpack_device__(self):
        return self.device_type, 0

    def __dlpack__(self, **options):
        capsule = self.array.__dlpack__()
        pointer = ctypes.pythonapi.PyCapsule_GetPointer
        pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
        address = pointer(capsule, b"dltensor")
        ctypes.c_int32.from_address(address + 8).value = self.device_type
        return capsule


def test_a_tensor_elsewhere(full):
    with pytest.raises(ValueError) as caught:
        full(OnDevice(10), OnDevice(10), 1.0)  # kDLROCM
    message = str(caught.value)
    assert (
        "compiled for cuda:sm_80, cuda:sm_90a, ptx:compute_90, cpu, but the tensor is on" in message
    )
    assert "argument #0" in message


def test_tensors_on_different_devices(full):
    with pytest.raises(ValueError) as caught:
        full(np.zeros(8, np.float32), OnDevice(10), 1.0)
    message = str(caught.value)
    assert "argument #1" in message and "which is the CPU here" in message


def test_a_gpu_tensor_without_a_gpu(full):
    if _compiler.device_count():
        pytest.skip("this machine has a GPU")
    with pytest.raises(RuntimeError, match="CUDA"):
        full(OnDevice(2), OnDevice(2), 1.0)


def test_wrong_arguments(full):
    a = np.zeros(8, np.float32)
    with pytest.raises(TypeError, match="expected 3, but got 1"):
        full(a)
    with pytest.raises(TypeError, match="argument #0"):
        full(1, a, 1.0)
    with pytest.raises(TypeError, match="dtype"):
        full(a.astype(np.float64), a, 1.0)


def test_without_tensors(capfd):
    """The first target's kind decides; here it is the CPU."""

    @cute.kernel
    def show(c: cute.Float32):
        cute.printf("c is {}", c)

    @cute.jit
    def host(c: cute.Float32):
        show(c).launch(grid=1, block=1)

    cute.compile(host, 1.0, options="--target cpu,ptx:compute_80")(2.0)
    assert "c is 2" in capfd.readouterr().out


@pytest.mark.parametrize("targets", [FULL, ["cpu", "ptx:compute_80"], ["ptx:compute_80"]])
def test_exported(targets, tmp_path):
    function = compile_scale(targets=targets)
    function.export_library(tmp_path / "scale.so", function_name="other")
    if "ptx:compute_80" in targets:
        assert images((tmp_path / "scale.so").read_bytes()) == ["compute_80"]
    if "cpu" in targets:
        check(cute.runtime.load_module(tmp_path / "scale.so").other)


def test_two_artifacts_in_one_library(tmp_path):
    from fairlead.bundles import bundle

    for name in ("f", "g"):
        compile_scale(targets=["ptx:compute_80", "cpu"]).export_to_c(
            tmp_path / f"{name}.o", function_name=name
        )
    bundle([tmp_path], tmp_path / "libboth.so")
    module = cute.runtime.load_module(tmp_path / "libboth.so")
    check(module.f)
    check(module.g)


# --- Processors of different levels.


def instructions(data, tmp_path):
    path = tmp_path / "code.o"
    path.write_bytes(data)
    return subprocess.run(
        ["objdump", "-d", "--no-show-raw-insn", str(path)],
        capture_output=True,
        text=True,
        check=True,
    ).stdout


def test_each_level_has_its_instructions(tmp_path):
    def uses(level):
        text = instructions(compile_some(f"cpu:{level}").artifact.object, tmp_path)
        return bool(re.search(r"%[yz]mm\d", text)), bool(re.search(r"%k[1-7]\b|%zmm", text))

    assert uses("x86-64") == (False, False)
    assert uses("x86-64-v3") == (True, False)
    assert uses("x86-64-v4") == (True, True)


def test_host_code_for_gpus_runs_on_any_machine(tmp_path):
    data = compile_scale("--target cuda:sm_90a").artifact.object
    assert not re.search(r"%[yz]mm\d|\bvmov", instructions(data, tmp_path))


RUN = """
import sys
sys.path[:0] = sys.argv[2:]
from target_kernels import check
from fairlead import cute
module = cute.runtime.load_module(sys.argv[1])
check(module.scale)
check(module.scale, 5)
print("done")
"""


def run_on(level, library):
    return subprocess.run(
        [sys.executable, "-c", RUN, str(library), *sys.path],
        env={**os.environ, "FAIRLEAD_CPU_LEVEL": level},
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_best_that_runs_is_chosen(tmp_path):
    function = compile_scale("--target cpu:any")
    assert [str(t) for t in function.targets] == ["cpu:x86-64", "cpu:x86-64-v3", "cpu:x86-64-v4"]
    check(function)
    text = instructions(compile_some("cpu:any").artifact.object, tmp_path)
    assert re.search(r"%ymm\d", text) and re.search(r"%k[1-7]\b", text)
    function.export_library(tmp_path / "scale.so")
    for level in ("1", "v2", "x86-64-v3", "x86-64-v4"):
        done = run_on(level, tmp_path / "scale.so")
        assert done.stdout == "done\n", f"{level}: {done.stderr}"


def test_no_level_that_runs(tmp_path):
    compile_scale(targets=["cpu:x86-64-v3", "cpu:x86-64-v4"]).export_library(tmp_path / "scale.so")
    done = run_on("v2", tmp_path / "scale.so")
    assert (
        "No code of `scale` runs on this processor, which has x86-64-v2, the artifact holds: "
        "cpu:x86-64-v3, cpu:x86-64-v4" in done.stderr
    )
    compile_scale("--target cpu:x86-64-v3").export_library(tmp_path / "one.so")
    assert "which has x86-64-v1" in run_on("1", tmp_path / "one.so").stderr
