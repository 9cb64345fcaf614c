"""Kernels of operators in C++, without Python or torch's headers (fairlead/Frameworks.h)."""

from __future__ import annotations

import ctypes
import functools
from itertools import starmap
from typing import Any

import fairlead.ffi  # noqa: F401  first: picks the library that the call path needs
from fairlead._core import _raise_pending
from fairlead._frameworks.description import DEVICES
from fairlead._frameworks.interface import Interface
from fairlead.ffi._library import runtime_library

__all__ = ["implement"]

#: Torch's dispatch key of each kind of device.
_KEYS = {"cpu": "CPU", "cuda": "CUDA"}


class _DType(ctypes.Structure):
    _fields_ = (("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16))


class _Param(ctypes.Structure):
    """FairleadTorchParam."""

    _fields_ = (("kind", ctypes.c_int32), ("input", ctypes.c_int32), ("written", ctypes.c_int32))


class _Output(ctypes.Structure):
    """FairleadTorchOutput."""

    _fields_ = (
        ("param", ctypes.c_int32),
        ("dtype_from", ctypes.c_int32),
        ("dtype", _DType),
        ("rank", ctypes.c_int32),
        ("compact", ctypes.c_int32),
        ("extents", ctypes.POINTER(ctypes.c_int64)),
    )


class _Symbol(ctypes.Structure):
    """FairleadTorchSymbol."""

    _fields_ = (("input", ctypes.c_int32), ("mode", ctypes.c_int32))


class _Kernel(ctypes.Structure):
    """FairleadTorchKernel."""

    _fields_ = (
        ("name", ctypes.c_char_p),
        ("entry", ctypes.c_void_p),
        ("handle", ctypes.c_void_p),
        ("params", ctypes.POINTER(_Param)),
        ("outputs", ctypes.POINTER(_Output)),
        ("symbols", ctypes.POINTER(_Symbol)),
        ("num_params", ctypes.c_int32),
        ("num_outputs", ctypes.c_int32),
        ("num_symbols", ctypes.c_int32),
        ("num_inputs", ctypes.c_int32),
    )


#: What kernels read lives as long as the process.
_kept: list[Any] = []


def implement(interface: Interface, described: dict[str, Any]) -> None:
    """Registers kernels for the devices that the function has code for."""
    params = (_Param * max(1, len(described["params"])))(*starmap(_Param, described["params"]))
    symbols = (_Symbol * max(1, len(described["symbols"])))(*starmap(_Symbol, described["symbols"]))
    outputs = (_Output * max(1, len(described["outputs"])))()
    codes = []
    for index, (position, source, dtype, rank, compact, extents) in enumerate(described["outputs"]):
        codes.append((ctypes.c_int64 * max(1, len(extents)))(*extents))
        places = ctypes.cast(codes[-1], ctypes.POINTER(ctypes.c_int64))
        outputs[index] = _Output(position, source, _DType(*dtype), rank, compact, places)
    kernel = _Kernel(
        interface.name.encode(),
        None,
        interface.function.__chandle__(),
        params,
        outputs,
        symbols,
        len(described["params"]),
        len(described["outputs"]),
        len(described["symbols"]),
        described["num_inputs"],
    )
    _kept.append((kernel, params, outputs, symbols, codes, interface.function))
    register = _register()
    name_space, schema = described["namespace"].encode(), described["schema"].encode()
    for device, key in _KEYS.items():
        if described["devices"] & DEVICES[device] and register(
            name_space, schema, key.encode(), ctypes.addressof(kernel)
        ):
            _raise_pending()


@functools.cache
def _register() -> Any:
    if runtime_library is None:
        raise FileNotFoundError("the runtime library libcuda_dialect_runtime.so is not installed")
    register = runtime_library.FairleadTorchImplement
    register.argtypes = [ctypes.c_char_p, ctypes.c_char_p, ctypes.c_char_p, ctypes.c_void_p]
    return register
