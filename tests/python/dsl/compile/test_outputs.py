"""Outputs of a compile: kept files, attributes, line tables. Each option changes the output."""

import os
import re
import shutil
import subprocess
import sys

import numpy as np
import pytest
from support.dsl_support import vector

from fairlead import Float32, Int32, Int64, cute

CUDA = "cuda:sm_90a"


def tool(name: str) -> str | None:
    for root in (os.environ.get("CUDA_HOME", ""), "/usr/local/cuda"):
        if os.path.exists(path := f"{root}/bin/{name}"):
            return path
    return shutil.which(name)


needs_ptxas = pytest.mark.skipif(tool("ptxas") is None, reason="there is no ptxas")
needs_nvdisasm = pytest.mark.skipif(tool("nvdisasm") is None, reason="there is no nvdisasm")


def helper(x):
    return x * x + 1.0  # HELPER


@cute.kernel
def device(a: cute.Tensor, b: cute.Tensor):
    t, _, _ = cute.arch.thread_idx()
    x = a[t]  # LOAD
    b[t] = helper(x) * 3.0  # STORE


@cute.jit
def run(a: cute.Tensor, b: cute.Tensor):
    device(a, b).launch(grid=[1, 1, 1], block=[32, 1, 1])


def line_of(mark: str) -> int:
    with open(__file__) as file:
        return next(i for i, text in enumerate(file, 1) if text.rstrip().endswith("# " + mark))


def compiled(target, options=""):
    # A program in the disk cache that was compiled without an option may not stand in for one with it.
    return cute.compile(
        run, vector(Float32), vector(Float32), options=f"--target {target} {options}"
    )


def test_line_directives_of_ptx():
    text = compiled(CUDA, "--generate-line-info").__ptx__
    files = dict(re.findall(r'\.file\s+(\d+) "([^"]+)"', text))
    places = {
        (os.path.basename(files[number]), int(line))
        for number, line in re.findall(r"\.loc\s+(\d+) (\d+)", text)
    }
    own = os.path.basename(__file__)
    assert {(own, line_of(mark)) for mark in ("HELPER", "LOAD", "STORE")} <= places
    assert all(name == own for name, _ in places)
    assert ".loc" not in compiled(CUDA).__ptx__


@needs_ptxas
@needs_nvdisasm
def test_line_table_of_machine_code(tmp_path):
    for options, expected in (("--generate-line-info", True), ("", False)):
        path = tmp_path / "run.cubin"
        path.write_bytes(compiled(CUDA, options).__cubin__)
        done = subprocess.run([tool("nvdisasm"), "-g", path], capture_output=True, text=True)
        lines = set(map(int, re.findall(r"test_outputs\.py\", line (\d+)", done.stdout)))
        assert ({line_of("LOAD"), line_of("HELPER")} <= lines) is expected


def test_line_table_of_cpu_code(tmp_path):
    objdump = shutil.which("objdump") or shutil.which("llvm-objdump-22")
    if objdump is None:
        pytest.skip("there is no objdump")
    path = tmp_path / "run.o"
    for options, expected in (("--generate-line-info", True), ("", False)):
        compiled("cpu", options).export_to_c(str(path), function_name="run")
        done = subprocess.run([objdump, "-d", "-l", path], capture_output=True, text=True)
        assert done.returncode == 0
        lines = set(map(int, re.findall(r"test_outputs\.py:(\d+)", done.stdout)))
        assert ({line_of("STORE")} <= lines) is expected


GDB_KERNEL = """
from fairlead import cute
import numpy as np
@cute.kernel
def device(a):
    t, _, _ = cute.arch.thread_idx()
    a[t] = a[t] * 2.0
@cute.jit
def run(a):
    device(a).launch(grid=1, block=[32, 1, 1])
a = np.ones(32, np.float32)
"""
GDB_COMPILED = "cute.compile(run, a, options='--target cpu --generate-line-info')"


@pytest.mark.skipif(shutil.which("gdb") is None, reason="there is no gdb")
@pytest.mark.parametrize("where", ["jit", "object", "library"])
def test_gdb_stops_at_a_line(where, tmp_path):
    script = tmp_path / "program.py"
    program = f"{GDB_KERNEL}{GDB_COMPILED}(a)\n"
    if where != "jit":
        library, kernel = tmp_path / "run.so", tmp_path / "run.o"
        script.write_text(
            f"{GDB_KERNEL}{GDB_COMPILED}.export_to_c({str(kernel)!r}, function_name='run')\n"
        )
        subprocess.run([sys.executable, script], check=True)
        if where == "library":
            subprocess.run(["g++", "-shared", "-o", library, kernel], check=True)
        exported = str(library if where == "library" else kernel)
        program = (
            "import numpy as np\nfrom fairlead import cute\n"
            f"cute.runtime.load_module({exported!r}).run(np.ones(32, np.float32))\n"
        )
    caller = tmp_path / "caller.py" if where != "jit" else script
    caller.write_text(program)
    commands = ["set breakpoint pending on", "break program.py:7", "run", "bt 1", "kill", "quit"]
    arguments = [part for command in commands for part in ("-ex", command)]
    done = subprocess.run(
        ["gdb", "-q", "-batch", *arguments, "--args", sys.executable, str(caller)],
        capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    if "ptrace" in done.stderr and "not permitted" in done.stderr:
        pytest.skip("this process may not be debugged")
    assert re.search(r"#0 .*device.* at .*program\.py:7", done.stdout), done.stdout + done.stderr


@needs_ptxas
def test_ptxas_options():
    plain, small = compiled(CUDA), compiled(CUDA, "--ptxas-options '-O0 --fmad=false'")
    assert len(plain.__cubin__) > 0 and plain.__cubin__ != small.__cubin__
    # Assembled at once: the machine code is in the object.
    assert small.__cubin__ in small.artifact.object
    assert plain.__cubin__ not in plain.artifact.object
    with pytest.raises(
        RuntimeError, match="assembling the kernels of `run` failed: .*no-such-option"
    ):
        compiled(CUDA, "--ptxas-options --no-such-option")


@needs_ptxas
def test_what_ptxas_prints(capfd):
    """On the standard error stream, once for each compile, also where the cache has the code."""
    compiled(CUDA, "--ptxas-options -O2")
    assert "registers" not in capfd.readouterr().err
    for _ in range(2):
        function = compiled(CUDA, "--ptxas-options '-v -O2'")
        assert len(function.__cubin__) > 0
        printed = capfd.readouterr().err
        assert printed.count("Compiling entry function 'device'") == 1
        assert len(re.findall(r"Used \d+ registers", printed)) == 1


@needs_ptxas
def test_without_nvdisasm(monkeypatch, tmp_path):
    assembler = tool("ptxas")
    monkeypatch.setenv("FAIRLEAD_PTXAS", assembler)
    monkeypatch.setenv("PATH", str(tmp_path))
    for name in ("FAIRLEAD_CUDA_PATH", "CUDA_HOME", "CUDA_PATH"):
        monkeypatch.setenv(name, str(tmp_path))
    monkeypatch.setenv("CUTE_DSL_DUMP_DIR", str(tmp_path))
    if tool("nvdisasm"):
        pytest.skip("nvdisasm is in the toolkit's own folder")
    with pytest.raises(
        RuntimeError,
        match="no nvdisasm: .*The CUDA Toolkit brings it; FAIRLEAD_CUDA_PATH names other folders",
    ):
        compiled(CUDA, "--keep-sass")


@needs_ptxas
@needs_nvdisasm
@pytest.mark.parametrize("how", ["options", "environment"])
def test_kept_files(how, tmp_path, monkeypatch):
    monkeypatch.setenv("CUTE_DSL_DUMP_DIR", str(tmp_path))
    options = "--keep-ptx --keep-cubin --keep-sass --keep-ir --keep-asm"
    if how == "environment":
        monkeypatch.setenv("CUTE_DSL_KEEP", "all")
        options = ""
    function = compiled(CUDA, options)
    kept = {path.name for path in tmp_path.iterdir()}
    assert kept == {"run.ptx", "run.cubin", "run.sass", "run.mlir", "run.ll"}
    assert (tmp_path / "run.ptx").read_text() == function.__ptx__
    assert (tmp_path / "run.cubin").read_bytes() == function.__cubin__
    assert function.__cubin__[:4] == b"\x7fELF"
    assert (tmp_path / "run.sass").read_text() == function.__sass__
    assert "STG" in function.__sass__
    assert function.__asm__ == ""
    monkeypatch.undo()
    assert compiled(CUDA).__sass__ is None


@needs_ptxas
def test_assembled_once(tmp_path, monkeypatch):
    """Also without the cache on disk."""
    runs, assembler = tmp_path / "runs", tmp_path / "ptxas"
    assembler.write_text(f'#!/bin/sh\necho "$@" >> {runs}\nexec {tool("ptxas")} "$@"\n')
    assembler.chmod(0o755)
    monkeypatch.setenv("FAIRLEAD_PTXAS", str(assembler))
    monkeypatch.setenv("CUTE_DSL_DUMP_DIR", str(tmp_path))
    function = compiled(CUDA, "--no-cache --keep-cubin")
    assert function.__cubin__ == function.__cubin__ == (tmp_path / "run.cubin").read_bytes()
    assert len([run for run in runs.read_text().splitlines() if "--version" not in run]) == 1


@needs_nvdisasm
@needs_ptxas
def test_nvdisasm_options(tmp_path, monkeypatch):
    monkeypatch.setenv("CUTE_DSL_DUMP_DIR", str(tmp_path))
    plain = compiled(CUDA, "--keep-sass").__sass__
    encoded = compiled(CUDA, "--keep-sass --nvdisasm-options '-c -hex'").__sass__
    assert "/* 0x" in encoded and "/* 0x" not in plain
    with pytest.raises(
        RuntimeError, match="disassembling the machine code of `run` failed: nvdisasm"
    ):
        compiled(CUDA, "--keep-sass --nvdisasm-options --no-such-option")


def test_assembly_of_the_cpu(tmp_path, monkeypatch):
    monkeypatch.setenv("CUTE_DSL_DUMP_DIR", str(tmp_path))
    function = compiled("cpu", "--keep-asm --keep-ptx --keep-cubin --keep-sass")
    assert {path.name for path in tmp_path.iterdir()} == {"run.s"}
    assert (tmp_path / "run.s").read_text() == function.__asm__
    assert "device:" in function.__asm__ and "ymm" in compiled("cpu:x86-64-v3").__asm__
    assert "ymm" not in compiled("cpu:x86-64").__asm__
    assert function.__cubin__ == b"" and not function.__ptx__


@pytest.mark.parametrize("level", range(4))
def test_levels(level):
    """All levels give the same numbers; 0 keeps code that the others optimise away."""
    function = compiled("cpu", f"--opt-level {level}")
    a, b = np.arange(32, dtype=np.float32), np.zeros(32, np.float32)
    function(a, b)
    np.testing.assert_array_equal(b, (a * a + 1) * 3)
    assert (" x float>" in function.ir) is (level >= 2)


def test_debugging_variables(monkeypatch):
    monkeypatch.setenv("CUTE_DSL_LINEINFO", "1")
    assert ".loc" in compiled(CUDA).__ptx__
    monkeypatch.setenv("CUTE_DSL_LINEINFO", "0")
    monkeypatch.setenv("CUTE_DSL_DEBUG", "1")
    assert ".loc" not in compiled(CUDA).__ptx__
    monkeypatch.delenv("CUTE_DSL_LINEINFO")
    assert ".loc" in compiled(CUDA).__ptx__
    monkeypatch.setenv("CUTE_DSL_DEBUG", "x")
    with pytest.raises(ValueError, match="CUTE_DSL_DEBUG` takes 0 or 1"):
        compiled(CUDA)


@cute.kernel
def device_wide(a: cute.Tensor, b: cute.Tensor):
    t, _, _ = cute.arch.thread_idx()
    value = a[t]
    b[t] = b[t] + (-(value.to(Int32)) >> 3)
    a[t] = value ^ 1


@cute.jit
def run_wide(a: cute.Tensor, b: cute.Tensor):
    device_wide(a, b).launch(grid=[1, 1, 1], block=[32, 1, 1])


def test_ptx_of_wide_integers():
    """They are loaded whole; and a negation that is shifted, which ptxas gets wrong, is none."""
    text = cute.compile(run_wide, vector(Int64), vector(Int32), options=f"--target {CUDA}").__ptx__
    for access in ("ld", "st"):
        assert len(re.findall(rf"{access}\.global\.\w*64", text)) == 1
        assert len(re.findall(rf"{access}\.global\.\w*32", text)) == 1
    assert "neg.s32" not in text and "not.b32" in text
