"""The command ``fairlead kernel``."""

import json

import pytest
from support.kernel_sources import LAUNCH, PTX, SIGNATURE

from fairlead.cli import main

#: The accesses of PTX to memory are unknown.
PRINTED = SIGNATURE.replace("x:", "inout x:").replace("y:", "inout y:")


@pytest.fixture
def source(tmp_path):
    path = tmp_path / "add.ptx"
    path.write_text(PTX)
    return str(path)


def command(source, *more):
    return main(
        ["kernel", source, "--name", "add_one", "--signature", SIGNATURE, "--launch", LAUNCH, *more]
    )


def test_writes_a_library(source, tmp_path, capsys):
    from fairlead import ffi

    path = tmp_path / "lib.so"
    assert command(source, "-o", str(path), "--doc", "Adds one.") == 0
    assert PRINTED in capsys.readouterr().out
    module = ffi.load_module(path)
    with pytest.raises(TypeError, match="expected 2, but got 0"):
        module.add_one()


def test_writes_an_object_under_another_name(source, tmp_path, capsys):
    path = tmp_path / "f.o"
    assert command(source, "-o", str(path), "--function-name", "other", "--json") == 0
    assert b"__tvm_ffi_other" in path.read_bytes()
    told = json.loads(capsys.readouterr().out)
    assert told["signature"] == PRINTED and told["target"] == "ptx:compute_80"
    assert told["output"] == str(path)


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (("--launch", "grid=q"), "unknown name `q`"),
        (("--signature", "f("), "expected a parameter's name"),
        (("--name", "nothing"), "has no kernel `nothing`, it has: `add_one`"),
        (("-o", "/no/such/folder/f.o"), "cannot write `/no/such/folder/f.o`"),
        (("-o", "f.txt"), "expected a file that ends in .so or .o"),
    ],
)
def test_errors_end_with_1(source, tmp_path, capsys, change, problem):
    assert command(source, "-o", str(tmp_path / "f.o"), *change) == 1
    told = capsys.readouterr().err
    assert told.startswith("fairlead kernel: ") and problem in told


def test_missing_source(tmp_path, capsys):
    assert command(str(tmp_path / "none.cu"), "-o", str(tmp_path / "f.o")) == 1
    assert "none.cu" in capsys.readouterr().err


def test_wrong_usage(capsys):
    with pytest.raises(SystemExit) as caught:
        main(["kernel"])
    assert caught.value.code == 2
