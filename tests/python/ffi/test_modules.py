"""Loaded libraries."""

import subprocess
import sys

import pytest

from fairlead import ffi


def test_functions(kernels):
    assert kernels.kind == "library"
    assert kernels.echo(3) == kernels["echo"](3) == 3
    assert kernels.echo is kernels.echo
    assert kernels.implements_function("echo") and not kernels.implements_function("none")
    assert repr(kernels).startswith("<Module library")


def test_missingFunction(kernels):
    with pytest.raises(AttributeError, match="Module has no function 'nothing'"):
        kernels.nothing  # noqa: B018
    assert not hasattr(kernels, "nothing")


def test_metadata(kernels):
    assert kernels.add.views and kernels.add.arg_names == ("a", "b", "c")
    assert kernels.add.signature.startswith("add(a: Tensor([n0], float32)")
    assert kernels.describe.views and not kernels.describe.arg_names
    assert not kernels.echo.views and kernels.echo.__name__ == "echo"


def test_pathlikes(kernelsPath):
    assert ffi.load_module(kernelsPath).echo(1) == 1
    assert ffi.load_module(str(kernelsPath)).echo(1) == 1


@pytest.mark.parametrize(
    "content", [b"", b"\x7fELF", b"not a library", None], ids=["empty", "start", "text", "half"]
)
def test_badFiles(kernelsPath, tmp_path, content):
    if content is None:
        whole = kernelsPath.read_bytes()
        content = whole[: len(whole) // 2]
    path = tmp_path / "bad.so"
    path.write_bytes(content)
    # A crash would end the tests too.
    code = f"from fairlead import ffi\nffi.load_module({str(path)!r})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 1
    assert "RuntimeError" in done.stderr and "bad.so" in done.stderr


def test_missingFile(tmp_path):
    with pytest.raises(FileNotFoundError, match="none.so"):
        ffi.load_module(tmp_path / "none.so")


def test_unknownFormat(tmp_path):
    path = tmp_path / "module.xyz"
    path.touch()
    with pytest.raises(RuntimeError, match="xyz"):
        ffi.load_module(path)
