"""The flags of aot_config link a program."""

import subprocess
import sys

import aot_kernels
from test_plain_c import ADD_ONE, CALLED


def ask(*options):
    command = [sys.executable, "-m", "fairlead.cute.export.aot_config", *options]
    return subprocess.run(command, capture_output=True, text=True)


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
    assert ask("--libs", "--with-tvm-ffi").stdout == "-lcuda_dialect_runtime -ltvm_ffi\n"
    done = ask("--nothing")
    assert done.returncode == 2 and "unknown option --nothing" in done.stderr
