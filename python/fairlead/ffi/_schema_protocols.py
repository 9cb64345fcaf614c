"""Values that stand for others: what ``__tvm_ffi_object__``, ``__tvm_ffi_value__`` and ``asobject`` give."""

from __future__ import annotations

from typing import Any

from fairlead._core import Object, ObjectRValueRef
from fairlead.ffi._objects import ObjectConvertible

__all__ = ["Mismatch", "meant", "name_of"]

#: A chain of values that stand for others is no longer than this.
_STEPS = 64
#: Types that never stand for others: the usual case, decided at once.
_PLAIN = frozenset((int, float, bool, str, bytes, type(None), list, tuple, dict))


class Mismatch(Exception):
    """An error whose text names the expected and the passed type."""


class _Stalled(Exception):
    """A value that represents itself, or does not say which value."""


def name_of(value: object) -> str:
    """Return the name of a value's type in messages."""
    if value is None:
        return "None"
    if isinstance(value, Object):
        return value.type_key
    if isinstance(value, bytearray):
        return "bytes"
    if isinstance(value, str):
        return "str"
    return type(value).__name__


def _step(value: Any) -> Any:
    of = type(value)
    if hasattr(of, "__tvm_ffi_object__"):
        try:
            return value.__tvm_ffi_object__()
        except Exception as error:
            raise Mismatch(f"__tvm_ffi_object__() failed for {name_of(value)}: {error}") from None
    if hasattr(of, "__tvm_ffi_value__"):
        try:
            inner = value.__tvm_ffi_value__()
        except Exception:
            raise _Stalled from None
        if inner is value:
            raise _Stalled
        return inner
    if isinstance(value, ObjectConvertible):
        try:
            inner = value.asobject()
        except Exception as error:
            raise Mismatch(f"asobject() failed for {name_of(value)}: {error}") from None
        if not isinstance(inner, Object):
            raise Mismatch(f"asobject() returned {name_of(inner)} for {name_of(value)}")
        return inner
    return value


def meant(value: object, expected: str) -> Any:
    """Return the value, or the value that it stands for. Mismatch if that is not known; ``expected`` is for the
    message."""
    if type(value) in _PLAIN:
        return value
    for _ in range(_STEPS + 1):
        if isinstance(value, (Object, ObjectRValueRef)):
            return value
        try:
            inner = _step(value)
        except _Stalled:
            if expected == "Any":
                raise Mismatch(f"failed to convert Any from {name_of(value)}") from None
            raise Mismatch(f"expected {expected}, got {name_of(value)}") from None
        if inner is value:
            return value
        value = inner
    raise Mismatch("infinite __tvm_ffi_value__ cycle detected")
