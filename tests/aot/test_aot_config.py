"""The flags of aot_config link a program, for this machine and for another."""

import os
import shutil
import subprocess
import sys

import aot_kernels
import pytest
from test_plain_c import ADD_ONE, CALLED

from fairlead._compiler import read_elf

CROSS = "aarch64-linux-gnu-gcc"


def ask(*options, module="fairlead.cute.export.aot_config", **environment):
    command = [sys.executable, "-m", module, *options]
    return subprocess.run(
        command, capture_output=True, text=True, env={**os.environ, **environment}
    )


def test_flags_link(tools):
    aot_kernels.compiled_add_one().export_to_c(
        file_path=tools.folder, file_name="add", function_prefix="add_one"
    )
    done = ask("--ldflags", "--libs")
    assert done.returncode == 0, done.stderr
    tools.run("gcc", tools.object(ADD_ONE), "add.o", *done.stdout.split(), "-o", "program")
    assert tools.run(tools.folder / "program").stdout == CALLED


def test_options(tools):
    assert ask("--libdir").stdout == f"{tools.lib}\n"
    assert ask("--libdir", "--target", f"{os.uname().machine}-unknown-linux-gnu").stdout == (
        f"{tools.lib}\n"
    )
    assert ask("--libs", "--with-tvm-ffi").stdout == "-lcuda_dialect_runtime -ltvm_ffi\n"
    for options, text in (
        (["--nothing"], "unknown option --nothing"),
        (["--libdir", "--target", "riscv64-linux"], "unknown target `riscv64-linux`, expected one"),
        (["--libdir", "--target"], "--target needs a triple"),
        ([], "usage: aot_config"),
    ):
        done = ask(*options)
        assert done.returncode == 2 and text in done.stderr
    for option in ("--help", "-h"):
        done = ask(option)
        assert done.returncode == 0 and "--target TRIPLE" in done.stdout and not done.stderr


def test_name_of_the_compatibility_package(tools):
    program = (
        "import fairlead.compat, sys\nfrom cutlass.cute.export import aot_config\n"
        "sys.exit(aot_config.main(['--libdir']))\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, f"{tools.lib}\n"), done.stderr


@pytest.mark.skipif(shutil.which(CROSS) is None, reason="needs gcc-aarch64-linux-gnu")
@pytest.mark.parametrize("abi", ["plain", "open"])
def test_links_for_another_machine(tools, tmp_path, abi):
    """The linker is given the runtime's stand-in, and checks every name against it."""
    from fairlead import cute

    n = cute.sym_int()
    options = "--target cpu --host-target linux-aarch64"
    compiled = cute.compile(
        aot_kernels.add_one, aot_kernels.vector(n), aot_kernels.vector(n), options=options
    )
    asked = ["--target", "aarch64-unknown-linux-gnu", "--ldflags", "--libs"]
    if abi == "plain":
        compiled.export_to_c(file_path=tools.folder, file_name="add", function_prefix="add_one")
        main = tools.object(ADD_ONE, compiler=CROSS)
    else:
        compiled.export_to_c(tools.folder / "add.o", function_name="add_one")
        source = (
            "int __tvm_ffi_add_one(void *, const void *, int, void *);\n"
            "int main(void) { return __tvm_ffi_add_one(0, 0, 0, 0); }\n"
        )
        main = tools.object(source, compiler=CROSS)
        asked.append("--with-tvm-ffi")
    done = ask(*asked, FAIRLEAD_CACHE_DIR=str(tmp_path / "cache"))
    assert done.returncode == 0, done.stderr
    flags = done.stdout.split()
    tools.run(CROSS, main, "add.o", *flags, "-lm", "-o", "program")
    elf = read_elf((tools.folder / "program").read_bytes())
    assert elf.machine == 183
    needed = tools.run("readelf", "-d", "program").stdout
    assert "libcuda_dialect_runtime.so" in needed
    (tools.folder / "wrong.c").write_text(
        "int absent(void);\nint main(void) { return absent(); }\n"
    )
    done = tools.run(CROSS, "wrong.c", *flags, "-o", "wrong", check=False)
    assert done.returncode != 0 and "undefined reference to `absent'" in done.stderr


def test_stubs_that_cannot_be_written(tmp_path):
    (tmp_path / "file").write_text("x")
    done = ask("--libdir", "--target", "linux-aarch64", FAIRLEAD_CACHE_DIR=str(tmp_path / "file"))
    if os.uname().machine != "aarch64":
        assert done.returncode == 2 and "Not a directory" in done.stderr, done
