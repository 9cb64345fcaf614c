"""Kernels of operators in C++, without Python or torch's headers (fairlead/Frameworks.h)."""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Sequence
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
        ("extents", ctypes.c_void_p),
    )


class _Symbol(ctypes.Structure):
    """FairleadTorchSymbol."""

    _fields_ = (("input", ctypes.c_int32), ("mode", ctypes.c_int32))


class _Kernel(ctypes.Structure):
    """FairleadTorchKernel."""

    _fields_ = (
        ("name", ctypes.c_void_p),
        ("entry", ctypes.c_void_p),
        ("handle", ctypes.c_void_p),
        ("params", ctypes.c_void_p),
        ("outputs", ctypes.c_void_p),
        ("symbols", ctypes.c_void_p),
        ("num_params", ctypes.c_int32),
        ("num_outputs", ctypes.c_int32),
        ("num_symbols", ctypes.c_int32),
        ("num_inputs", ctypes.c_int32),
    )


#: What kernels read lives as long as the process: the memory of their structs, and their functions.
_kept: list[Any] = []


class _Memory:
    """Structs and tables of one kernel, in one piece of memory: a process may have many kernels."""

    def __init__(self, size: int) -> None:
        self.memory, self._end = bytearray(size), 0
        self._start = ctypes.addressof(ctypes.c_char.from_buffer(self.memory))

    def table(self, kind: Any, rows: Sequence[Any]) -> int:
        """Where the rows are."""
        place = self._start + self._end
        if rows:
            (kind * len(rows)).from_buffer(self.memory, self._end)[:] = rows
        self._end += ctypes.sizeof(kind) * len(rows) + 7 & ~7
        return place


def implement(interface: Interface, described: dict[str, Any]) -> None:
    """Register kernels for the devices that the function has code for, and refuse calls that need a gradient."""
    params, symbols, outputs = described["params"], described["symbols"], described["outputs"]
    name = interface.name.encode() + b"\0"
    kinds = (_Param, params), (_Symbol, symbols), (_Output, outputs), (_Kernel, [0])
    size = sum(ctypes.sizeof(kind) * len(rows) + 7 for kind, rows in kinds)
    memory = _Memory(size + sum(8 * len(output[5]) for output in outputs) + len(name) + 7)
    made = []
    for position, source, dtype, rank, compact, extents in outputs:
        codes = memory.table(ctypes.c_int64, extents)
        made.append((position, source, tuple(dtype), rank, compact, codes))
    kernel = (
        memory.table(ctypes.c_char, [name[i : i + 1] for i in range(len(name))]),
        None,
        interface.function.__chandle__(),
        memory.table(_Param, list(map(tuple, params))),
        memory.table(_Output, made),
        memory.table(_Symbol, list(map(tuple, symbols))),
        len(params),
        len(outputs),
        len(symbols),
        described["num_inputs"],
    )
    place = memory.table(_Kernel, [kernel])
    _kept.extend((memory.memory, interface.function))
    implement_for, refuse_gradients = _functions()
    name_space, schema = described["namespace"].encode(), described["schema"].encode()
    for device, key in _KEYS.items():
        if described["devices"] & DEVICES[device] and implement_for(
            name_space, schema, key.encode(), place
        ):
            _raise_pending()
    if refuse_gradients(name_space, schema, place):
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
