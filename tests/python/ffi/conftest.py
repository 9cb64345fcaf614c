"""The functions of kernels/Kernels.c, loaded once."""

import ctypes
from pathlib import Path

import pytest
from support.ffi_support import parse

from fairlead import ffi


@pytest.fixture(scope="session")
def kernels_path(build_dir) -> Path:
    return build_dir / "tests" / "python" / "ffi" / "libfairlead_test_kernels.so"


@pytest.fixture(scope="session")
def kernels(kernels_path) -> ffi.Module:
    return ffi.load_module(kernels_path)


@pytest.fixture(scope="session")
def address(kernels_path):
    """The address of a function's symbol."""
    library = ctypes.CDLL(str(kernels_path))
    return lambda name: ctypes.cast(getattr(library, f"__tvm_ffi_{name}"), ctypes.c_void_p).value


@pytest.fixture(params=[True, False], ids=["views", "owned"])
def describe(request, address):
    """Call `describe`, and return the argument as it saw it; with views and with owning tensors."""
    function = ffi.make_function(address("describe"), views=request.param)
    call = lambda *args: parse(function(*args))  # noqa: E731
    call.tensorKind = 7 if request.param else 70
    call.views = request.param
    return call
