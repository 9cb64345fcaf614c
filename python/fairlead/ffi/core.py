"""The parts that other packages of the ABI have in their extension module, by their names there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from fairlead._core import (
    Function,
    Object,
    ObjectRValueRef,
    Tensor,
    _opaque_ptr_handlers,
    from_dlpack,
    get_global_func,
)
from fairlead.ffi._objects import Error, ObjectConvertible
from fairlead.ffi._values import Device, DLDeviceType, dtype

__all__ = [
    "KWARGS",
    "MISSING",
    "Bytes",
    "DLDeviceType",
    "DataType",
    "Device",
    "Error",
    "Function",
    "Object",
    "ObjectConvertible",
    "ObjectRValueRef",
    "String",
    "Tensor",
    "from_dlpack",
]

DataType, String, Bytes = dtype, str, bytes
#: What stands for an argument that was left out, and before the names of keyword arguments, in calls of constructors.
MISSING: Any = get_global_func("ffi.GetInvalidObject")()
KWARGS: Any = get_global_func("ffi.GetKwargsObject")()
#: By exact class: what gives the address of an argument of that class, which passes as ``void*``. Put a class in before
#: the first argument of it is passed.
_OPAQUE_PTR_HANDLERS: dict[type, Callable[[Any], int]] = _opaque_ptr_handlers
