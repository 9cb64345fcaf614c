"""Python values as those of a type of the ABI, by C++'s rules for arguments, and a description of mismatches."""

from __future__ import annotations

import ctypes
import itertools
import numbers
import os
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from fairlead._core import (
    Function,
    Object,
    Tensor,
    _convert,
    _opaque_ptr_handlers,
    _type_attribute,
    _type_class,
)
from fairlead.ffi._containers import Array, Dict, List, Map
from fairlead.ffi._objects import Shape
from fairlead.ffi._schema_protocols import Mismatch, meant, name_of
from fairlead.ffi._type_indices import UNKNOWN, index_of
from fairlead.ffi._values import Device, dtype

if TYPE_CHECKING:
    from fairlead.ffi._schema import TypeSchema

__all__ = ["Mismatch", "convert_to"]

_INT64_MIN, _INT64_MAX = -(2**63), 2**63 - 1
_SEQUENCES: dict[str, Any] = {"Array": Array, "List": List, "list": List}
_MAPPINGS: dict[str, Any] = {"Map": Map, "Dict": Dict, "dict": Dict}
#: Names that messages have for Python's own containers.
_CONTAINERS = {"list": "List", "dict": "Dict"}


def _refuse(schema: TypeSchema, value: object) -> Mismatch:
    return Mismatch(f"expected {_expected(schema)}, got {name_of(value)}")


def _expected(schema: TypeSchema) -> str:
    if schema.origin == "Optional":
        [inner] = list(schema.args or ())
        return _expected(inner)
    if schema.origin == "Union":
        return repr(schema)
    return _CONTAINERS.get(schema.origin, schema.origin)


def _made(schema: TypeSchema, value: object) -> Any:
    """The value as the ABI takes it by one of its protocols. Mismatch where the protocol fails."""
    try:
        return _convert(value)
    except Exception as error:
        raise Mismatch(f"expected {_expected(schema)}, got {name_of(value)}: {error}") from None


def _called(function: Callable[[Any], Any], value: object) -> Any:
    try:
        return function(value)
    except Exception as error:
        raise Mismatch(f"{function.__name__}() failed for {name_of(value)}: {error}") from None


def _is_bool(value: object) -> bool:
    return isinstance(value, bool)


def _is_integral(value: object) -> bool:
    return isinstance(value, numbers.Integral)


def _to_int(schema: TypeSchema, value: object) -> Any:
    if hasattr(type(value), "__tvm_ffi_int__"):
        value = _made(schema, value)
    if not _is_integral(value):
        raise _refuse(schema, value)
    number = _called(int, value)
    if not _INT64_MIN <= number <= _INT64_MAX:
        raise Mismatch(f"integer {number} out of int64 range [{_INT64_MIN}, {_INT64_MAX}]")
    return number


def _to_float(schema: TypeSchema, value: object) -> Any:
    if hasattr(type(value), "__tvm_ffi_float__"):
        value = _made(schema, value)
    if not isinstance(value, numbers.Real):
        raise _refuse(schema, value)
    return _called(float, value)


def _to_bool(schema: TypeSchema, value: object) -> Any:
    if not _is_integral(value):
        raise _refuse(schema, value)
    return _called(bool, value)


def _to_str(schema: TypeSchema, value: object) -> Any:
    if not isinstance(value, str):
        raise _refuse(schema, value)
    return str(value)


def _to_bytes(schema: TypeSchema, value: object) -> Any:
    if not isinstance(value, (bytes, bytearray)):
        raise _refuse(schema, value)
    return bytes(value)


def _to_none(schema: TypeSchema, value: object) -> Any:
    if value is not None:
        raise _refuse(schema, value)


def _to_pointer(schema: TypeSchema, value: object) -> Any:
    if value is None:
        return ctypes.c_void_p()
    if isinstance(value, ctypes.c_void_p):
        return value
    of = type(value)
    if (
        hasattr(of, "__tvm_ffi_opaque_ptr__")
        or of in _opaque_ptr_handlers
        or hasattr(of, "__cuda_stream__")
    ):
        return _made(schema, value)
    raise _refuse(schema, value)


def _to_dtype(schema: TypeSchema, value: object) -> Any:
    if isinstance(value, dtype):
        return value
    if isinstance(value, str):
        try:
            return dtype(value)
        except Exception:
            raise Mismatch(f"expected dtype, got invalid dtype string {value!r}") from None
    if hasattr(type(value), "__dlpack_data_type__") or type(value).__name__.lower().endswith(
        "dtype"
    ):
        try:
            converted = _convert(value)
        except Exception:
            converted = None
        if isinstance(converted, dtype):
            return converted
    raise _refuse(schema, value)


def _to_device(schema: TypeSchema, value: object) -> Any:
    if isinstance(value, Device):
        return value
    if isinstance(value, str):
        try:
            return Device(value)
        except Exception:
            raise Mismatch(f"expected Device, got invalid device string {value!r}") from None
    of = type(value)
    if hasattr(of, "__dlpack_device__") and not hasattr(of, "__dlpack__"):
        return _made(schema, value)
    raise _refuse(schema, value)


def _to_callable(schema: TypeSchema, value: object) -> Any:
    if isinstance(value, Function):
        return value
    if isinstance(value, Object) or not callable(value):
        raise _refuse(schema, value)
    return _made(schema, value)


def _elements(schemas: Iterable[TypeSchema], values: Iterable[Any]) -> list[Any]:
    elements = []
    for index, (schema, value) in enumerate(zip(schemas, values, strict=False)):
        try:
            elements.append(convert_to(schema, value))
        except Mismatch as mismatch:
            raise Mismatch(f"element [{index}]: {mismatch}") from None
    return elements


def _unchanged(before: list[Any], after: list[Any]) -> bool:
    return all(
        a is b or (type(a) is type(b) and not isinstance(a, Object) and a == b)
        for a, b in zip(before, after, strict=True)
    )


def _to_sequence(schema: TypeSchema, value: object) -> Any:
    if not isinstance(value, (list, tuple, Array, List)):
        raise _refuse(schema, value)
    target = _SEQUENCES[schema.origin]
    (element,) = schema.args or (type(schema)("Any"),)
    if element.origin == "Any" and isinstance(value, target):
        return value
    before = list(value)
    after = _elements(itertools.repeat(element), before)
    return value if isinstance(value, target) and _unchanged(before, after) else target(after)


def _to_tuple(schema: TypeSchema, value: object) -> Any:
    if not isinstance(value, (list, tuple, Array, List)):
        raise _refuse(schema, value)
    if schema.args is None:
        return value if isinstance(value, Array) else Array(value)
    if len(value) != len(schema.args):
        raise Mismatch(
            f"expected tuple of length {len(schema.args)}, "
            f"got {type(value).__name__} of length {len(value)}"
        )
    return Array(_elements(schema.args, value))


def _to_mapping(schema: TypeSchema, value: object) -> Any:
    if not isinstance(value, (dict, Map, Dict)):
        raise _refuse(schema, value)
    target = _MAPPINGS[schema.origin]
    key_schema, value_schema = schema.args or (type(schema)("Any"),) * 2
    if isinstance(value, target) and key_schema.origin == value_schema.origin == "Any":
        return value
    converted = {}
    same = isinstance(value, target)
    for key, item in value.items():
        try:
            new_key = convert_to(key_schema, key)
        except Mismatch as mismatch:
            raise Mismatch(f"key {key!r}: {mismatch}") from None
        try:
            converted[new_key] = convert_to(value_schema, item)
        except Mismatch as mismatch:
            raise Mismatch(f"value for key {key!r}: {mismatch}") from None
        same = same and _unchanged([key, item], [new_key, converted[new_key]])
    return value if same else target(converted)


def _to_optional(schema: TypeSchema, value: object) -> Any:
    [inner] = list(schema.args or ())
    return None if value is None else convert_to(inner, value)


def _to_union(schema: TypeSchema, value: object) -> Any:
    for arm in schema.args or ():
        try:
            return convert_to(arm, value)
        except Mismatch:
            continue
    raise _refuse(schema, value)


def _to_tensor(schema: TypeSchema, value: object) -> Any:
    if isinstance(value, Tensor):
        return value
    of = type(value)
    exchanges = os.environ.get("TVM_FFI_SKIP_DLPACK_C_EXCHANGE_API", "0") != "1"
    if isinstance(value, (Object, type)) or not (
        hasattr(of, "__dlpack__") or (exchanges and hasattr(of, "__dlpack_c_exchange_api__"))
    ):
        raise _refuse(schema, value)
    return _made(schema, value)


def _to_any_object(schema: TypeSchema, value: object) -> Any:
    """A value that the ABI holds as an object: it holds numbers and short text as values."""
    if isinstance(value, Object):
        return value
    if isinstance(value, bool) or value is None or isinstance(value, (dtype, Device)):
        raise _refuse(schema, value)
    if isinstance(value, numbers.Number):
        big = _is_integral(value) and not _INT64_MIN <= int(value) <= _INT64_MAX  # type: ignore[call-overload]
        if big or not isinstance(value, numbers.Real):
            return value
        raise _refuse(schema, value)
    if isinstance(value, (str, bytes, bytearray)):
        size = len(value.encode()) if isinstance(value, str) else len(value)
        if size > 7:
            return value
        raise _refuse(schema, value)
    if isinstance(value, ctypes.c_void_p):
        raise _refuse(schema, value)
    return value


def _to_object(schema: TypeSchema, value: object) -> Any:
    index = schema.origin_type_index
    if index == UNKNOWN:
        schema.origin_type_index = index = index_of(schema.origin)
        if index == UNKNOWN:
            raise Mismatch(
                f"unknown TypeSchema origin {schema.origin!r}: no such type is registered"
            )
    cls: Any = _type_class(index)
    if isinstance(value, cls):
        return value
    payload = getattr(cls, "_payload", None)
    if payload is not None and (_is_integral(value) if payload is int else isinstance(value, str)):
        member = _enum_value(cls, payload, value)
        if member is not None:
            return member
    if schema.origin == "ffi.Error" and isinstance(value, BaseException):
        return value
    if schema.origin == "ffi.Shape":
        cls = Shape
        if isinstance(value, tuple):
            return value
    if schema.origin == "ffi.OpaquePyObject":
        return value
    convert = _type_attribute(index, "__ffi_convert__")
    reason = ""
    if convert is not None:
        try:
            converted = convert(value)
        except Exception as error:
            converted = None
            text = str(error).replace("\n", "\n    ")
            reason = f"\n  __ffi_convert__ failed:\n    {text}"
        if isinstance(converted, cls):
            return converted
    raise Mismatch(f"{_refuse(schema, value)}{reason}")


def _enum_value(cls: Any, payload: type, value: Any) -> Any:
    """The value of an enum that a number or a text stands for; None where it has none."""
    if payload is int:
        value = _called(int, value)
        if not _INT64_MIN <= value <= _INT64_MAX:
            raise Mismatch(f"integer {value} out of int64 range [{_INT64_MIN}, {_INT64_MAX}]")
    try:
        return cls.get(value)
    except KeyError:
        return None


_CONVERSIONS: dict[str, Callable[[TypeSchema, Any], Any]] = {
    "Any": lambda schema, value: value,
    "int": _to_int,
    "float": _to_float,
    "bool": _to_bool,
    "str": _to_str,
    "bytes": _to_bytes,
    "None": _to_none,
    "ctypes.c_void_p": _to_pointer,
    "dtype": _to_dtype,
    "Device": _to_device,
    "Callable": _to_callable,
    "Array": _to_sequence,
    "List": _to_sequence,
    "tuple": _to_tuple,
    "list": _to_sequence,
    "dict": _to_mapping,
    "Map": _to_mapping,
    "Dict": _to_mapping,
    "Optional": _to_optional,
    "Union": _to_union,
    "Tensor": _to_tensor,
    "Object": _to_any_object,
}


def convert_to(schema: TypeSchema, value: object) -> Any:
    """Return the value as one of the type. Mismatch where it cannot become one."""
    convert: Callable[[TypeSchema, Any], Any] = _CONVERSIONS.get(schema.origin, _to_object)
    return convert(schema, meant(value, _expected(schema)))
