"""Kernels of operators in C++, without Python or torch's headers (fairlead/Frameworks.h)."""

from __future__ import annotations

import ctypes
import functools
from typing import Any

import fairlead.ffi  # noqa: F401  first: picks the library that the call path needs
from fairlead._core import _raise_pending, _torch_kernel
from fairlead._frameworks.description import DEVICES
from fairlead._frameworks.interface import Interface
from fairlead.ffi._library import runtime_library

__all__ = ["implement"]

#: Torch's dispatch key of each kind of device.
_KEYS = {"cpu": "CPU", "cuda": "CUDA"}


def implement(interface: Interface, described: dict[str, Any]) -> None:
    """Register kernels for the devices that the function has code for, and refuse calls that need a gradient.

    Args:
        interface: the function.
        described: the operator, as fairlead._frameworks.description.describe gives it.
    """
    kernel = _torch_kernel(
        interface.name,
        interface.function,
        described["params"],
        described["outputs"],
        described["symbols"],
        described["num_inputs"],
    )
    implement_for, refuse_gradients = _functions()
    namespace, schema = described["namespace"].encode(), described["schema"].encode()
    for device, key in _KEYS.items():
        if described["devices"] & DEVICES[device] and implement_for(
            namespace, schema, key.encode(), kernel
        ):
            _raise_pending()
    if refuse_gradients(namespace, schema, kernel):
        _raise_pending()


@functools.cache
def _functions() -> tuple[Any, Any]:
    """FairleadTorchImplement and FairleadTorchRefuseGradients."""
    if runtime_library is None:
        raise FileNotFoundError("the runtime library libcuda_dialect_runtime.so is not installed")
    implement_for = runtime_library.FairleadTorchImplement
    implement_for.argtypes = [ctypes.c_char_p, ctypes.c_char_p, ctypes.c_char_p, ctypes.c_void_p]
    refuse_gradients = runtime_library.FairleadTorchRefuseGradients
    refuse_gradients.argtypes = [ctypes.c_char_p, ctypes.c_char_p, ctypes.c_void_p]
    return implement_for, refuse_gradients
