"""Host code for AArch64: its objects are linked by a cross compiler and run by an emulator."""

import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from target_kernels import compile_scale

from fairlead._compiler import read_elf

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
CROSS, EMULATOR = (
    "aarch64-linux-gnu-gcc",
    shutil.which("qemu-aarch64-static") or shutil.which("qemu-aarch64"),
)
PRESET = "llvm -mtriple=aarch64-unknown-linux-gnu -mcpu=neoverse-n1"


@pytest.mark.parametrize("host", ["linux-aarch64", "aarch64-unknown-linux-gnu", PRESET])
@pytest.mark.parametrize("target", ["cpu", "ptx:compute_80,cpu", "cuda:sm_80"])
def test_object_is_of_the_host(host, target, tmp_path):
    function = compile_scale(f"--target {target} --host-target '{host}'")
    function.export_to_c(tmp_path / "scale.o")
    elf = read_elf((tmp_path / "scale.o").read_bytes())
    assert elf.machine == 183 and elf.type == 1
    names = {symbol.name for symbol in elf.symbols if symbol.is_defined and not symbol.is_local}
    assert {"__tvm_ffi_scale", "__tvm_ffi__metadata_scale"} <= names


def test_it_does_not_run_here():
    function = compile_scale("--target cpu --host-target linux-aarch64")
    with pytest.raises(RuntimeError, match="`scale` was compiled for aarch64-unknown-linux-gnu"):
        function(np.zeros(4, np.float32), np.zeros(4, np.float32), 1.0)


def test_own_machine_by_name():
    from target_kernels import check

    function = compile_scale("--target cpu --host-target linux-x86_64")
    with pytest.raises(RuntimeError, match="export it"):
        check(function)


@pytest.mark.parametrize(
    ("host", "said"),
    [
        ("linux-sparc", ""),
        ("x86_64-pc-windows-msvc", "the target of x86_64-pc-windows-msvc is not registered"),
        ("riscv64-unknown-linux-gnu", "the target of riscv64-unknown-linux-gnu is not registered"),
        ("llvm", "it names no triple"),
        ("llvm -mcpu=generic", "it names no triple"),
        ("llvm -mtriple", "`-mtriple` has no value"),
        ("llvm -mtriple=aarch64-unknown-linux-gnu -O3=1", "`-O3` is no option of it"),
        ("gcc -mtriple=aarch64-unknown-linux-gnu", ""),
    ],
)
def test_unknown_hosts(host, said):
    with pytest.raises(ValueError, match="unknown host") as caught:
        compile_scale(f"--target cpu --host-target '{host}'")
    assert f"`{host}`" in str(caught.value) and said in str(caught.value)


@pytest.mark.skipif(
    not shutil.which(CROSS) or not EMULATOR,
    reason="needs gcc-aarch64-linux-gnu and qemu-user-static (or qemu-user)",
)
@pytest.mark.parametrize("target", ["cpu", "ptx:compute_80,cpu"])
def test_runs_under_the_emulator(target, tmp_path):
    """Uses a runtime of a few lines: the test is of the generated code."""
    compile_scale(f"--target {target} --host-target linux-aarch64").export_to_c(
        tmp_path / "scale.o"
    )
    program = tmp_path / "program"
    subprocess.run(
        [CROSS, "-static", "-Wall", f"-I{ROOT}/include", str(HERE / "host_program.c"),
         str(tmp_path / "scale.o"), "-lm", "-o", str(program)],
        check=True,
    )  # fmt: skip
    done = subprocess.run([EMULATOR, str(program)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.splitlines() == ["1 4 7 10 13", "argument count", "device", "done"]


@pytest.mark.skipif(
    not shutil.which(CROSS) or not EMULATOR,
    reason="needs gcc-aarch64-linux-gnu and qemu-user-static (or qemu-user)",
)
@pytest.mark.parametrize("target", ["cpu", "cpu,ptx:compute_80"])
def test_plain_c_runs_under_the_emulator(target, tmp_path):
    """The header is the one of this machine."""
    compile_scale(f"--target {target} --host-target linux-aarch64").export_to_c(
        file_path=tmp_path, file_name="scale"
    )
    compile_scale(f"--target {target}").export_to_c(file_path=tmp_path / "here", file_name="scale")
    assert (tmp_path / "scale.h").read_text() == (tmp_path / "here" / "scale.h").read_text()
    program = tmp_path / "program"
    subprocess.run(
        [CROSS, "-static", "-Wall", "-Wextra", "-Werror", f"-I{ROOT}/include", f"-I{tmp_path}",
         str(HERE / "host_program_plain.c"), str(tmp_path / "scale.o"), "-lm", "-o", str(program)],
        check=True,
    )  # fmt: skip
    done = subprocess.run([EMULATOR, str(program)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout == "1 4 7 10 13\n1 ValueError\n"


def test_an_object_of_another_machine_does_not_load(tmp_path):
    from fairlead import cute

    function = compile_scale("--target cpu --host-target linux-aarch64")
    function.export_to_c(file_path=tmp_path, file_name="scale")
    with pytest.raises(
        RuntimeError,
        match="expected an object for x86-64, but got one for AArch64: export it again with --host-target linux-x86_64",
    ):
        cute.runtime.load_module(tmp_path / "scale.o")
