"""The types of the ABI that have names of their own here, and their indices."""

from __future__ import annotations

from fairlead._core import _type_index

#: Indices of types that are no objects: unknown, a choice of types, and any type.
UNKNOWN, CHOICE, ANY = -3, -2, -1

#: Name that a schema has -> index.
INDICES = {
    "None": 0,
    "int": 1,
    "bool": 2,
    "float": 3,
    "ctypes.c_void_p": 4,
    "dtype": 5,
    "Device": 6,
    "Object": 64,
    "str": 65,
    "bytes": 66,
    "Callable": 68,
    "Tensor": 70,
    "Array": 71,
    "Map": 72,
    "List": 75,
    "Dict": 76,
    "list": 75,
    "dict": 76,
    "Any": ANY,
    "Optional": CHOICE,
    "Union": CHOICE,
}


def index_of(origin: str) -> int:
    """Return the index of a type by the name that a schema has; UNKNOWN where no such type is registered."""
    index = INDICES.get(origin)
    if index is not None:
        return index
    try:
        return _type_index(origin)
    except ValueError:
        return UNKNOWN
