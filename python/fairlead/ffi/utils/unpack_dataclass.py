"""Python's dataclasses as tuples, for functions that take their parts."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

__all__ = ["UNPACK", "unpack_dataclass_to_tuple"]

#: The key in a field's metadata for code that says how arguments are passed.
UNPACK = "unpack"

_unpackers: dict[type, Callable[[Any], Any]] = {}


def _make(cls: type) -> Callable[[Any], Any]:
    """A function that reads the fields of a dataclass, as straight code."""
    names = [field.name for field in dataclasses.fields(cls)]
    reads = "".join(f"unpack(x.{name}), " for name in names)
    unpack: Callable[[Any], Any] = eval(
        f"lambda x: ({reads})", {"unpack": unpack_dataclass_to_tuple}
    )
    return unpack


def unpack_dataclass_to_tuple(x: object) -> Any:
    """Return a dataclass's object as a tuple of its fields, and those in lists, tuples and the values of dicts too.

    Anything else stays as it is; nothing is copied that needs not be.
    """
    cls = type(x)
    unpack = _unpackers.get(cls)
    if unpack is not None:
        return unpack(x)
    if hasattr(cls, "__dataclass_fields__"):
        unpack = _unpackers[cls] = _make(cls)
        return unpack(x)
    if isinstance(x, list):
        return [unpack_dataclass_to_tuple(item) for item in x]
    if isinstance(x, tuple):
        items = [unpack_dataclass_to_tuple(item) for item in x]
        return cls(*items) if hasattr(cls, "_fields") else tuple(items)
    if isinstance(x, dict):
        return {key: unpack_dataclass_to_tuple(item) for key, item in x.items()}
    return x
