"""Classes and functions of C++ of every kind for tests of the ABI, by the names of ``tvm_ffi.testing``.

ImportError where the library they are in, ``libtvm_ffi_testing.so`` of the wheel apache-tvm-ffi, is nowhere.
"""

from __future__ import annotations

from typing import Any

from fairlead.ffi.testing import _ffi_api, testing
from fairlead.ffi.testing._locking import run_with_gpu_lock

__all__ = ["run_with_gpu_lock"]


if True:

    def __getattr__(name: str) -> Any:
        for module in (testing, _ffi_api):
            if name in vars(module):
                return vars(module)[name]
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
