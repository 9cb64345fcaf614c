"""The testing library's classes, and what programs make their objects with."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from fairlead._core import Object, _type_attribute
from fairlead.ffi._registry import get_global_func
from fairlead.ffi.dataclasses import IntEnum, StrEnum, c_class, entry
from fairlead.ffi.testing import _library  # noqa: F401  registers the types

if TYPE_CHECKING:
    from fairlead.ffi._values import Device, dtype

#: ``requires_py310`` and the like: marks of pytest that skip a test under an older Python.
_VERSIONS = {"requires_py310": (3, 10), "requires_py312": (3, 12), "requires_py313": (3, 13)}


def __getattr__(name: str) -> Any:
    if name in _VERSIONS:
        import pytest  # late: programs that want the classes alone need not have it

        version = _VERSIONS[name]
        return pytest.mark.skipif(
            sys.version_info < version, reason=f"requires Python {version[0]}.{version[1]}+"
        )
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


@c_class("testing.TestObjectBase")
class TestObjectBase(Object):
    """A class with a subclass, and a method ``add_i64``."""

    __test__ = False
    v_i64: int
    v_f64: float
    v_str: str


@c_class("testing.TestObjectDerived")
class TestObjectDerived(TestObjectBase):
    """Containers as fields."""

    __test__ = False
    v_map: Mapping[Any, Any]
    v_array: Sequence[Any]


@c_class("testing.TestObjectPtrHolder")
class TestObjectPtrHolder(Object):
    """Fields that are pointers in C++: ``Arc``, and ``ObjectPtr``, which may be none."""

    __test__ = False
    value: TestObjectBase
    optional_value: TestObjectBase | None


@c_class("testing.TestIntPair")
class TestIntPair(Object):
    """Two integers that stay, and a method ``sum``."""

    __test__: ClassVar[bool] = False
    a: int
    b: int


@c_class("testing.TestFrozenCxx", frozen=True)
class TestFrozenCxx(Object):
    """Fields that C++ may change and Python may not."""

    __test__: ClassVar[bool] = False
    value: int
    tag: str


@c_class("testing.TestNonCopyable")
class TestNonCopyable(Object):
    """No copies."""

    __test__ = False
    value: int


@c_class("testing.TestCompare")
class TestCompare(Object):
    """``ignored_field`` takes no part in comparing."""

    __test__ = False
    key: int
    name: str
    ignored_field: int


@c_class("testing.TestHash")
class TestHash(Object):
    """``hash_ignored`` takes no part in hashing."""

    __test__ = False
    key: int
    name: str
    hash_ignored: int


@c_class("testing.TestCustomHash")
class TestCustomHash(Object):
    """A hash of its own, which reads ``key`` alone."""

    __test__ = False
    key: int
    label: str


@c_class("testing.TestCustomCompare")
class TestCustomCompare(Object):
    """Comparing and hashing of its own, which read ``key`` alone."""

    __test__ = False
    key: int
    label: str


@c_class("testing.TestEqWithoutHash")
class TestEqWithoutHash(Object):
    """Equality of its own and no hash."""

    __test__ = False
    key: int
    label: str


@c_class("testing.SchemaAllTypes")
class _SchemaAllTypes(Object):
    """A field of each kind."""

    v_bool: bool
    v_int: int
    v_float: float
    v_device: Device
    v_dtype: dtype
    v_string: str
    v_bytes: bytes
    v_opt_int: int | None
    v_opt_str: str | None
    v_arr_int: Sequence[int]
    v_arr_str: Sequence[str]
    v_map_str_int: Mapping[str, int]
    v_map_str_arr_int: Mapping[str, Sequence[int]]
    v_variant: str | Sequence[int] | Mapping[str, int]
    v_opt_arr_variant: Sequence[int | str] | None


@c_class("testing.TestCxxClassBase")
class _TestCxxClassBase(Object):
    """A constructor in Python, which calls that of C++ with other arguments."""

    v_i64: int
    v_i32: int
    not_field_1 = 1
    not_field_2: ClassVar[int] = 2

    def __init__(self, v_i64: int, v_i32: int) -> None:
        make = _type_attribute(type(self).__tvm_ffi_type_index__, "__ffi_init__")
        self.__init_handle_by_constructor__(make, v_i64 + 1, v_i32 + 2)


@c_class("testing.TestCxxClassDerived", eq=True, order=True, unsafe_hash=True)
class _TestCxxClassDerived(_TestCxxClassBase):
    """Compared, ordered and hashed by its fields."""

    v_f64: float
    v_f32: float


@c_class("testing.TestCxxClassDerivedDerived")
class _TestCxxClassDerivedDerived(_TestCxxClassDerived):
    """The third of a chain."""

    v_str: str
    v_bool: bool


class _TestCxxIntEnum(IntEnum, type_key="testing.TestCxxIntEnum"):
    low = entry(value=10)
    high = entry(value=20)


class _TestCxxStrEnum(StrEnum, type_key="testing.TestCxxStrEnum"):
    add = entry(value="+")
    mul = entry(value="*")


@c_class("testing.TestCxxEnumHolder")
class _TestCxxEnumHolder(Object):
    """Enums as fields."""

    __test__ = False
    priority: _TestCxxIntEnum
    opcode: _TestCxxStrEnum


@c_class("testing.TestCxxInitSubset")
class _TestCxxInitSubset(Object):
    """A constructor of one of its fields."""

    required_field: int
    optional_field: int
    note: str


@c_class("testing.TestCxxKwOnly")
class _TestCxxKwOnly(Object):
    """A constructor of keywords."""

    x: int
    y: int
    z: int
    w: int


@c_class("testing.TestCxxAutoInit")
class _TestCxxAutoInit(Object):
    """``b`` is no argument of the constructor, ``c`` a keyword."""

    __test__ = False
    a: int
    b: int
    c: int
    d: int


@c_class("testing.TestCxxAutoInitSimple")
class _TestCxxAutoInitSimple(Object):
    """Every field is an argument."""

    __test__ = False
    x: int
    y: int


@c_class("testing.TestCxxAutoInitAllInitOff")
class _TestCxxAutoInitAllInitOff(Object):
    """No field is an argument."""

    __test__ = False
    x: int
    y: int
    z: int


@c_class("testing.TestCxxAutoInitKwOnlyDefaults")
class _TestCxxAutoInitKwOnlyDefaults(Object):
    """Arguments and keywords, with defaults and without, and a field that is none."""

    __test__ = False
    p_required: int
    p_default: int
    k_required: int
    k_default: int
    hidden: int


@c_class("testing.TestCxxNoAutoInit", init=False)
class _TestCxxNoAutoInit(Object):
    """No constructor."""

    __test__ = False
    x: int
    y: int


@c_class("testing.TestCxxAutoInitParent")
class _TestCxxAutoInitParent(Object):
    """Arguments that a subclass adds to."""

    __test__ = False
    parent_required: int
    parent_default: int


@c_class("testing.TestCxxAutoInitChild")
class _TestCxxAutoInitChild(_TestCxxAutoInitParent):
    """Arguments of both classes."""

    __test__ = False
    child_required: int
    child_kw_only: int


def create_object(type_key: str, **kwargs: object) -> Any:
    """Return an object of the type with these fields, by reflection."""
    flat = [part for item in kwargs.items() for part in item]
    return get_global_func("ffi.MakeObjectFromPackedArgs")(type_key, *flat)


def make_unregistered_object() -> Any:
    """Return an object of a type that no class of Python stands for."""
    return get_global_func("testing.make_unregistered_object")()


def add_one(x: int) -> Any:
    """``x + 1``, by C++."""
    return get_global_func("testing.add_one")(x)
