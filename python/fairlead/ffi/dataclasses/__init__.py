"""Classes of the ABI in the manner of Python's dataclasses: py_class defines one in Python, with fields that C++ sees;
c_class gives a class of C++ its Python side. Enums are classes with a fixed set of objects.
"""

from dataclasses import KW_ONLY

from fairlead._core import Object
from fairlead.ffi._missing import MISSING
from fairlead.ffi.dataclasses._field import Field, field, init_property
from fairlead.ffi.dataclasses.c_class import c_class
from fairlead.ffi.dataclasses.common import asdict, astuple, fields, is_dataclass, replace
from fairlead.ffi.dataclasses.enum import (
    Enum,
    EnumAttrMap,
    EnumState,
    IntEnum,
    StrEnum,
    auto,
    entry,
)
from fairlead.ffi.dataclasses.gen_abi_cpp import gen_abi_cpp
from fairlead.ffi.dataclasses.py_class import py_class

__all__ = [
    "KW_ONLY",
    "MISSING",
    "Enum",
    "EnumAttrMap",
    "EnumState",
    "Field",
    "IntEnum",
    "Object",
    "StrEnum",
    "asdict",
    "astuple",
    "auto",
    "c_class",
    "entry",
    "field",
    "fields",
    "gen_abi_cpp",
    "init_property",
    "is_dataclass",
    "py_class",
    "replace",
]
