"""Loaded libraries."""

import shutil
import subprocess
import sys
import types

import pytest

from fairlead import ffi


def test_functions(kernels):
    assert kernels.kind == "library"
    assert kernels.echo(3) == kernels["echo"](3) == 3
    assert kernels.echo is kernels.echo
    assert kernels.implements_function("echo") and not kernels.implements_function("none")
    assert repr(kernels).startswith("<Module library")


def test_missing_function(kernels):
    with pytest.raises(AttributeError, match="Module has no function 'nothing'"):
        kernels.nothing  # noqa: B018
    assert not hasattr(kernels, "nothing")


def test_a_missing_function_lists_those_that_there_are(kernels):
    with pytest.raises(AttributeError) as caught:
        kernels.ehco  # noqa: B018
    text = str(caught.value)
    assert ", it has: " in text and "describe" in text
    assert text.endswith("did you mean `echo`?")
    assert {"echo", "describe"} <= set(dir(kernels))
    assert "echo" in repr(kernels) and "libfairlead_test_kernels.so" in repr(kernels)


def test_metadata(kernels):
    assert kernels.add.views and kernels.add.arg_names == ("a", "b", "c")
    assert kernels.add.signature.startswith("add(a: Tensor([n0], float32)")
    assert kernels.describe.views and not kernels.describe.arg_names
    assert not kernels.echo.views and kernels.echo.__name__ == "echo"


@pytest.fixture
def other(kernels_path, tmp_path):
    """A module of a copy of the library, with functions of its own."""
    path = tmp_path / "libother.so"
    shutil.copy(kernels_path, path)
    return ffi.load_module(path)


def test_imports(kernels, other):
    assert kernels.imports == []
    kernels.import_module(other)
    try:
        (imported,) = kernels.imports
        assert isinstance(imported, ffi.Module) and imported.same_as(other)
        with pytest.raises(RuntimeError, match="Cyclic dependency"):
            other.import_module(kernels)
    finally:
        kernels.clear_imports()
    assert kernels.imports == []
    with pytest.raises(RuntimeError, match="Cyclic dependency"):
        kernels.import_module(kernels)
    with pytest.raises(TypeError, match="Expected `ffi.Module` but got `int`"):
        kernels.import_module(3)


def test_query_imports(kernels, other, tmp_path):
    empty = tmp_path / "empty.c"
    empty.write_text("int nothing;")
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("needs a C compiler")
    path = tmp_path / "libempty.so"
    subprocess.run([compiler, "-shared", "-fPIC", "-o", str(path), str(empty)], check=True)
    module = ffi.load_module(path)
    module.import_module(other)
    assert not module.implements_function("echo") and module.implements_function("echo", True)
    assert module.get_function("echo", query_imports=True)(3) == 3
    with pytest.raises(AttributeError, match="no function 'echo'"):
        module.get_function("echo")


def test_describing_a_library(kernels, tmp_path):
    assert kernels.get_function_doc("add") is None and kernels.get_function_metadata("echo") is None
    assert kernels.get_function_metadata("none") is None
    assert kernels.inspect_source() == kernels.inspect_source("ll") == ""
    assert list(kernels.get_write_formats()) == []
    assert kernels.is_runnable() and kernels.is_binary_serializable()
    assert not kernels.is_compilation_exportable()
    assert kernels.get_property_mask() == 3
    with pytest.raises(RuntimeError, match="library.*WriteToFile"):
        kernels.write_to_file(str(tmp_path / "out.o"))
    with pytest.raises(AttributeError, match="no function 'main'"):
        kernels()


def test_system_library():
    module = ffi.system_lib("fairlead_none_")
    assert isinstance(module, ffi.Module) and not module.implements_function("echo")


def test_init_ffi_api(monkeypatch):
    for name in ("apitest.one", "apitest.two", "apitest.sub.three", "apitests.four"):
        ffi.register_global_func(name, lambda name=name: name, override=True)
    module = types.ModuleType("some_module")
    monkeypatch.setitem(sys.modules, "some_module", module)
    ffi.init_ffi_api("apitest", "some_module")
    assert module.one() == "apitest.one" and module.two() == "apitest.two"
    assert not hasattr(module, "three") and not hasattr(module, "four")
    monkeypatch.setitem(sys.modules, "apitest", types.ModuleType("apitest"))
    ffi.init_ffi_api("apitest")
    assert sys.modules["apitest"].one() == "apitest.one"
    with pytest.raises(KeyError, match="'no_module' is not imported"):
        ffi.init_ffi_api("apitest", "no_module")


def test_pathlikes(kernels_path):
    assert ffi.load_module(kernels_path).echo(1) == 1
    assert ffi.load_module(str(kernels_path)).echo(1) == 1


@pytest.mark.parametrize(
    "content", [b"", b"\x7fELF", b"not a library", None], ids=["empty", "start", "text", "half"]
)
def test_bad_files(kernels_path, tmp_path, content):
    if content is None:
        whole = kernels_path.read_bytes()
        content = whole[: len(whole) // 2]
    path = tmp_path / "bad.so"
    path.write_bytes(content)
    # A crash would end the tests too.
    code = f"from fairlead import ffi\nffi.load_module({str(path)!r})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 1
    assert "RuntimeError" in done.stderr and "bad.so" in done.stderr


def test_missing_file(tmp_path):
    with pytest.raises(FileNotFoundError, match="none.so"):
        ffi.load_module(tmp_path / "none.so")


def test_unknown_format(tmp_path):
    path = tmp_path / "module.xyz"
    path.touch()
    with pytest.raises(RuntimeError, match="xyz"):
        ffi.load_module(path)
