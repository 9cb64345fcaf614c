"""Kernels for arrays of every framework."""

from pathlib import Path

from fairlead import ffi

_library = ffi.load_module(str(Path(__file__).with_name("my_kernels.so")))


def relu(y, x) -> None:
    """y = max(x, 0): two float32 arrays of one size on the CPU."""
    _library.relu(y, x)
