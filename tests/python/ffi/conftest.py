"""The functions of kernels/Kernels.c, loaded once."""

import ctypes
import re
from dataclasses import dataclass
from pathlib import Path

import pytest

from fairlead import ffi


@dataclass(frozen=True)
class Seen:
    """What a function saw of one argument."""

    kind: int
    bits: int = 0
    dtype: tuple = ()
    device: tuple = ()
    shape: tuple = ()
    strides: tuple = ()
    address: int = 0


def _numbers(text: str, separator: str = ",") -> tuple:
    return tuple(int(part) for part in text.split(separator) if part)


def parse(text: str) -> list[Seen]:
    """The arguments in the text that `describe` returns."""
    seen = []
    for word in text.split():
        kind, _, rest = word.partition(":")
        parts = re.fullmatch(r"(.*)@(.*)\[(.*)\]\[(.*)\](.*)", rest)
        if parts is None:
            seen.append(Seen(int(kind), int(rest, 16) if rest else 0))
            continue
        dtype, device, shape, strides, address = parts.groups()
        seen.append(
            Seen(
                int(kind),
                dtype=_numbers(dtype, "."),
                device=_numbers(device, "."),
                shape=_numbers(shape),
                strides=_numbers(strides),
                address=int(address, 16),
            )
        )
    return seen


@pytest.fixture(scope="session")
def kernelsPath(buildDir) -> Path:
    return buildDir / "tests" / "python" / "ffi" / "libfairlead_test_kernels.so"


@pytest.fixture(scope="session")
def kernels(kernelsPath) -> ffi.Module:
    return ffi.load_module(kernelsPath)


@pytest.fixture(scope="session")
def address(kernelsPath):
    """The address of a function's symbol."""
    library = ctypes.CDLL(str(kernelsPath))
    return lambda name: ctypes.cast(getattr(library, f"__tvm_ffi_{name}"), ctypes.c_void_p).value


@pytest.fixture(params=[True, False], ids=["views", "owned"])
def describe(request, address):
    """Calls `describe` and returns what it saw; with views and with owning tensors."""
    function = ffi.make_function(address("describe"), views=request.param)
    call = lambda *args: parse(function(*args))  # noqa: E731
    call.tensorKind = 7 if request.param else 70
    call.views = request.param
    return call
