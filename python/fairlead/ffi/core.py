"""The parts that other packages of the ABI have in their extension module, by their names there."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from fairlead._core import (
    Function,
    Object,
    ObjectRValueRef,
    Tensor,
    _opaque_ptr_handlers,
    _type_attribute,
    from_dlpack,
)
from fairlead.ffi._missing import KWARGS, MISSING
from fairlead.ffi._objects import Error, FFIProperty, ObjectConvertible, object_repr
from fairlead.ffi._values import Device, DLDeviceType, dtype

if TYPE_CHECKING:  # What __getattr__ gives.
    from fairlead.ffi._schema import CAny, TypeSchema
    from fairlead.ffi._typeinfo import TypeField, TypeInfo, TypeMethod

__all__ = [
    "ERROR_NAME_TO_TYPE",
    "ERROR_TYPE_TO_NAME",
    "KWARGS",
    "MISSING",
    "Bytes",
    "CAny",
    "CObject",
    "DLDeviceType",
    "DataType",
    "Device",
    "Error",
    "FFIProperty",
    "Function",
    "Object",
    "ObjectConvertible",
    "ObjectRValueRef",
    "String",
    "Tensor",
    "TypeField",
    "TypeInfo",
    "TypeMethod",
    "TypeSchema",
    "from_dlpack",
    "object_repr",
]

DataType, String, Bytes = dtype, str, bytes
CObject = Object
#: The classes of exceptions that errors are raised as by their kinds, and the other way; register_error adds more.
ERROR_NAME_TO_TYPE: dict[str, type[BaseException]] = {
    cls.__name__: cls
    for cls in (
        RuntimeError,
        ValueError,
        TypeError,
        AttributeError,
        KeyError,
        IndexError,
        AssertionError,
        MemoryError,
    )
}
ERROR_TYPE_TO_NAME: dict[type[BaseException], str] = {
    cls: name for name, cls in ERROR_NAME_TO_TYPE.items()
}
#: By exact class: the function that returns the address of an argument, which passes as ``void*``. Add a class before
#: the first argument of it is passed.
_OPAQUE_PTR_HANDLERS: dict[type, Callable[[Any], int]] = _opaque_ptr_handlers

#: Names that few programs need, by their modules.
_LATE = {
    "CAny": "_schema",
    "TypeSchema": "_schema",
    "TypeField": "_typeinfo",
    "TypeInfo": "_typeinfo",
    "TypeMethod": "_typeinfo",
}


if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        import importlib

        if name in _LATE:
            return getattr(importlib.import_module(f"fairlead.ffi.{_LATE[name]}"), name)
        raise AttributeError(f"module 'fairlead.ffi.core' has no attribute {name!r}")


def _lookup_type_attr(type_index: int, attr_key: str, ancestor: bool = False) -> Any:
    """The attribute registered for a type under a name; with ``ancestor``, else that of the nearest such ancestor."""
    attribute = _type_attribute(type_index, attr_key)
    if attribute is None and ancestor:
        from fairlead.ffi._typeinfo import type_info

        for index in reversed(type_info(type_index).type_ancestors):
            attribute = _type_attribute(index, attr_key)
            if attribute is not None:
                break
    return attribute


def _to_py_class_value(value: CAny) -> Any:
    """The result of TypeSchema.convert, as a Python object."""
    return value.to_py()
