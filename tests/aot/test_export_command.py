"""`fairlead export`."""

import subprocess
import sys
from pathlib import Path

import pytest

KERNELS = Path(__file__).resolve().parent / "aot_kernels.py"


def export(*arguments):
    command = [sys.executable, "-m", "fairlead", "export", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True)


@pytest.mark.parametrize(
    ("output", "options", "symbol"),
    [
        ("f.o", [], "__tvm_ffi_add_one"),
        ("f.so", ["--name", "plus"], "__tvm_ffi_plus"),
        ("f.h", ["--prefix", "plus"], "__fairlead_c_plus"),
    ],
)
def test_writes(tmp_path, output, options, symbol):
    done = export(f"{KERNELS}:compiled_add_one", "-o", tmp_path / output, *options)
    assert done.returncode == 0, done.stderr
    assert "add_one(a: Tensor([n0], float32), out b: Tensor([n0], float32)) for cpu" in done.stdout
    path = tmp_path / output
    listed = subprocess.run(
        ["nm", path.with_suffix(".o") if output == "f.h" else path], capture_output=True, text=True
    )
    assert f" {symbol}\n" in listed.stdout
    assert (tmp_path / "f.h").exists() == (output == "f.h")


def test_wrong_use(tmp_path):
    (tmp_path / "kernels.py").write_text(
        "from fairlead import cute\n@cute.jit\ndef f(a: cute.Tensor):\n    pass\n"
    )
    for arguments, text in (
        ([f"{tmp_path}/kernels.py:f", "-o", tmp_path / "f.o"], "`f` of "),
        (
            [f"{tmp_path}/kernels.py:f", "-o", tmp_path / "f.o"],
            "expected what cute.compile(f, ...) ",
        ),
        ([f"{KERNELS}:absent", "-o", tmp_path / "f.o"], "no compiled function `absent`"),
        ([f"{KERNELS}:compiled_add_one", "-o", tmp_path / "f.c"], "ends in .o, .so or .h"),
        ([f"{tmp_path}/no.py:f", "-o", tmp_path / "f.o"], "expected FILE.py:NAME"),
        ([f"{KERNELS}:compiled_add_one", "-o", tmp_path / "no" / "f.o"], "cannot write"),
    ):
        done = export(*arguments)
        assert done.returncode == 1 and text in done.stderr, done.stderr
        assert "Traceback" not in done.stderr
