"""The classes of apache-tvm-ffi's testing library as fairlead.ffi declares them."""

import ctypes
import os
import warnings
from typing import Any

from fairlead import ffi
from fairlead.ffi.dataclasses import IntEnum, StrEnum, c_class

library = ctypes.CDLL(os.environ["OWN_TESTING_LIBRARY"], ctypes.RTLD_GLOBAL)


def create_object(type_key: str, **kwargs: Any) -> Any:
    """An object of the type with these fields."""
    args = [part for item in kwargs.items() for part in item]
    return ffi.get_global_func("ffi.MakeObjectFromPackedArgs")(type_key, *args)


def _declare(name: str, key: str, base: type = ffi.Object, **options: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Fields are annotated where people read the class.
        return c_class(key, **options)(type(ffi.Object)(name, (base,), {}))


for _name in (
    "TestIntPair TestObjectBase TestCompare TestHash TestCustomHash TestCustomCompare "
    "TestEqWithoutHash TestNonCopyable TestFrozenCxx"
).split():
    globals()[_name] = _declare(_name, f"testing.{_name}")
TestObjectDerived = _declare(
    "TestObjectDerived", "testing.TestObjectDerived", globals()["TestObjectBase"]
)
for _name in (
    "TestCxxAutoInit TestCxxAutoInitSimple TestCxxAutoInitAllInitOff TestCxxKwOnly "
    "TestCxxAutoInitKwOnlyDefaults TestCxxAutoInitParent TestCxxInitSubset TestCxxNoAutoInit"
).split():
    globals()[f"_{_name}"] = _declare(f"_{_name}", f"testing.{_name}")
_TestCxxAutoInitChild = _declare(
    "_TestCxxAutoInitChild", "testing.TestCxxAutoInitChild", globals()["_TestCxxAutoInitParent"]
)


class _TestCxxIntEnum(IntEnum, type_key="testing.TestCxxIntEnum"):
    low = 10
    high = 20


class _TestCxxStrEnum(StrEnum, type_key="testing.TestCxxStrEnum"):
    add = "+"
    mul = "*"


@c_class("testing.TestCxxEnumHolder")
class _TestCxxEnumHolder(ffi.Object):
    priority: _TestCxxIntEnum
    opcode: _TestCxxStrEnum
