"""Python values as values of the ABI."""

from __future__ import annotations

from typing import Any

from fairlead._core import Object, _convert, convert_func
from fairlead.ffi._containers import Array, Map
from fairlead.ffi._objects import ObjectConvertible, Shape
from fairlead.ffi._values import Device, dtype

__all__ = ["convert"]


def convert(value: object) -> Any:
    """Convert ``value`` to a value of the ABI: a list becomes an Array, a dict a Map, a callable a Function, one of
    a framework's tensors a Tensor. Numbers, text, dtypes, devices and objects stay as they are.
    """
    if isinstance(value, ObjectConvertible):
        return value.asobject()
    if value is None or isinstance(
        value, (bool, int, float, str, bytes, Object, dtype, Device, Shape)
    ):
        return value
    if isinstance(value, (list, tuple)):
        return Array(value)
    if isinstance(value, dict):
        return Map(value)
    if isinstance(value, (type, BaseException)) or not callable(value):
        return _convert(value)
    return convert_func(value)
