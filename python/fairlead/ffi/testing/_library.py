"""The testing library of apache-tvm-ffi's wheel: its classes and functions, called ``testing.<name>``."""

from __future__ import annotations

import ctypes

from fairlead.ffi.libinfo import load_lib_ctypes

__all__ = ["library"]


def _load() -> ctypes.CDLL:
    try:
        return load_lib_ctypes("apache-tvm-ffi", "tvm_ffi_testing", "RTLD_LOCAL")
    except (RuntimeError, OSError) as error:
        raise ImportError(
            "fairlead.ffi.testing needs libtvm_ffi_testing.so, which the wheel of apache-tvm-ffi has: install that "
            f"package, or name the folder of the library in LD_LIBRARY_PATH ({error})"
        ) from error


library = _load()
