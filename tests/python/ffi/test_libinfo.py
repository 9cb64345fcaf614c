"""The places of the parts of an installation."""

import ctypes
from pathlib import Path

import pytest

from fairlead import ffi


def test_own_installation():
    libinfo = ffi.libinfo
    library = Path(libinfo.find_libtvm_ffi())
    assert library.name == "libtvm_ffi.so"
    assert hasattr(ctypes.CDLL(str(library)), "TVMFFIFunctionCall")
    assert Path(libinfo.find_include_path(), "tvm", "ffi", "function.h").is_file()
    assert Path(libinfo.find_dlpack_include_path(), "dlpack", "dlpack.h").is_file()
    assert Path(libinfo.find_cmake_path(), "tvm_ffi-config.cmake").is_file()
    assert libinfo.find_include_path() in libinfo.include_paths()
    assert len(set(libinfo.include_paths())) == len(libinfo.include_paths())


def test_missing_parts(monkeypatch, tmp_path):
    from fairlead.ffi import libinfo

    monkeypatch.setattr(libinfo, "_PLACES", (tmp_path / "a", tmp_path / "b"))
    for find in (libinfo.find_include_path, libinfo.find_dlpack_include_path):
        with pytest.raises(RuntimeError) as raised:
            find()
        assert str(tmp_path / "a" / "include") in str(raised.value)
        assert str(tmp_path / "b" / "include") in str(raised.value)
    with pytest.raises(RuntimeError, match="tvm_ffi-config.cmake"):
        libinfo.find_cmake_path()


@pytest.fixture
def package(tmp_path, monkeypatch, kernels_path):
    """A Python package with a library in its folder lib."""
    folder = tmp_path / "own_package"
    (folder / "lib").mkdir(parents=True)
    (folder / "__init__.py").touch()
    (folder / "lib" / "libown.so").symlink_to(kernels_path.resolve())
    monkeypatch.syspath_prepend(tmp_path)
    return folder


def test_library_of_package(package):
    assert ffi.libinfo.load_lib_module("own-package", "own").echo(3) == 3
    library = ffi.libinfo.load_lib_ctypes("own-package", "own", "RTLD_LOCAL")
    assert isinstance(library, ctypes.CDLL) and hasattr(library, "__tvm_ffi_echo")
    with pytest.raises(ValueError, match="mode.*'RTLD_NONE'"):
        ffi.libinfo.load_lib_ctypes("own-package", "own", "RTLD_NONE")


def test_library_elsewhere(kernels_path, monkeypatch):
    name = kernels_path.stem.removeprefix("lib")
    with pytest.raises(RuntimeError, match=f"looked in: .*{kernels_path.parent.parent}"):
        ffi.libinfo.load_lib_module("none", name, extra_lib_paths=[kernels_path.parent.parent])
    assert ffi.libinfo.load_lib_module("none", name, False, [kernels_path.parent]).echo(1) == 1
    monkeypatch.setenv("LD_LIBRARY_PATH", str(kernels_path.parent))
    assert ffi.libinfo.load_lib_module("none", name).echo(1) == 1
