"""Element types and devices, as functions of the ABI return and take them."""

from __future__ import annotations

import ctypes
import enum
import operator
from collections.abc import Iterable
from typing import Any

from fairlead._core import _convert, _raise_pending
from fairlead.ffi._library import ffi_library

__all__ = ["DLDeviceType", "Device", "device", "dtype"]


class _Text(ctypes.Structure):
    _fields_ = [("data", ctypes.c_char_p), ("size", ctypes.c_size_t)]


class _DataType(ctypes.Structure):
    _fields_ = [("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16)]


_read = ffi_library.TVMFFIDataTypeFromString
_read.argtypes, _read.restype = [ctypes.POINTER(_Text), ctypes.POINTER(_DataType)], ctypes.c_int

# DLPack's codes.
_INTEGERS, _HANDLE, _BOOL = (0, 1), 3, 6
_FLOATS = (2, 4, *range(7, 18))

#: Code, bits and lanes by name.
_parsed: dict[str, tuple[int, int, int]] = {}


def _parse(name: str) -> tuple[int, int, int]:
    """ValueError for a name that is no dtype."""
    text = name.encode()
    result = _DataType()
    if _read(_Text(text, len(text)), result):
        _raise_pending()
    parts = _parsed[name] = result.code, result.bits, result.lanes
    return parts


class _Numbers:
    """A dtype in the ABI's form."""

    __slots__ = ("__dlpack_data_type__",)

    def __init__(self, *numbers: int) -> None:
        self.__dlpack_data_type__ = numbers


_TYPES = {
    "cpu": 1,
    "cuda": 2,
    "cuda_host": 3,
    "opencl": 4,
    "vulkan": 7,
    "metal": 8,
    "vpi": 9,
    "rocm": 10,
    "rocm_host": 11,
    "ext_dev": 12,
    "cuda_managed": 13,
    "oneapi": 14,
    "webgpu": 15,
    "hexagon": 16,
    "maia": 17,
    "trn": 18,
}
_NAMES = {code: name for name, code in _TYPES.items()}
_ALIASES = {"gpu": "cuda", "mps": "metal", "wgpu": "webgpu"}


class dtype(str):
    """The type of an element by its name: ``dtype("float32")``. Equal to its name.

    A dtype of torch, NumPy or ml_dtypes becomes the one of its name. ValueError for a name that is none.
    """

    __slots__ = ()

    def __new__(cls, content: object) -> dtype:
        name = content if isinstance(content, str) else str(content).removeprefix("torch.")
        self = str.__new__(cls, name)
        if self not in _parsed:
            _parse(str(name))
        return self

    def __repr__(self) -> str:
        return f"dtype({str.__repr__(self)})"

    @staticmethod
    def from_dlpack_data_type(dltype_data_type: Iterable[int]) -> dtype:
        """Return the dtype of DLPack's ``(code, bits, lanes)``. ValueError where DLPack has no such type."""
        code, bits, lanes = dltype_data_type
        if lanes < 1:
            raise ValueError(f"lanes: expected a positive number, but got {lanes}")
        result: dtype = _convert(_Numbers(code, bits, lanes))
        return result

    @staticmethod
    def is_dtype(arg: object) -> bool:
        """True for the name of a dtype, or a dtype."""
        try:
            dtype(arg)
        except Exception:
            return False
        return True

    @property
    def type_code(self) -> int:
        """DLPack's code of the kind of number, such as 2 for floats."""
        return _parsed[self][0]

    @property
    def bits(self) -> int:
        """Bits of one lane."""
        return _parsed[self][1]

    @property
    def lanes(self) -> int:
        """Number of lanes; more than 1 for a vector."""
        return _parsed[self][2]

    @property
    def itemsize(self) -> int:
        """Bytes of an element with all its lanes, rounded up. ValueError where the machine says how many lanes."""
        _, bits, lanes = _parsed[self]
        if "vscale" in self:
            raise ValueError(f"{str(self)!r} has no size: its number of lanes is the machine's")
        return (bits * lanes + 7) // 8

    def with_lanes(self, lanes: int) -> dtype:
        """Return this dtype with another number of lanes."""
        return dtype.from_dlpack_data_type((self.type_code, self.bits, lanes))

    @property
    def is_bool(self) -> bool:
        """True for bool, or a vector of bool."""
        return self.type_code == _BOOL

    @property
    def is_integer(self) -> bool:
        """True for an integer with or without a sign; bool is none."""
        return self.type_code in _INTEGERS

    @property
    def is_float(self) -> bool:
        """True for a floating point type of any width."""
        return self.type_code in _FLOATS

    @property
    def is_handle(self) -> bool:
        """True for an address."""
        return self.type_code == _HANDLE


class DLDeviceType(enum.IntEnum):
    """DLPack's codes of the kinds of devices."""

    kDLCPU = 1
    kDLCUDA = 2
    kDLCUDAHost = 3
    kDLOpenCL = 4
    kDLVulkan = 7
    kDLMetal = 8
    kDLVPI = 9
    kDLROCM = 10
    kDLROCMHost = 11
    kDLExtDev = 12
    kDLCUDAManaged = 13
    kDLOneAPI = 14
    kDLWebGPU = 15
    kDLHexagon = 16
    kDLMAIA = 17
    kDLTrn = 18


class Device:
    """A device: ``Device("cuda", 1)``. The type may be DLPack's code. Immutable."""

    __slots__ = ("_code", "_index")

    def __init__(self, type: str | int, index: int = 0) -> None:
        if isinstance(type, str):
            if ":" in type:
                parsed = device(type)
                type, index = parsed.type, parsed.index
            name = _ALIASES.get(type, type)
            if name not in _TYPES:
                raise ValueError(
                    f"unknown device type {type!r}; expected one of {', '.join(_TYPES)}"
                )
            self._code = _TYPES[name]
        else:
            self._code = int(type)
        item: Any = getattr(index, "item", None)  # a scalar of NumPy or torch
        number: Any = item() if callable(item) else index
        self._index = operator.index(number)

    @property
    def type(self) -> str:
        """Name of the kind of device, such as ``cuda``."""
        return _NAMES.get(self._code, f"device{self._code}")

    @property
    def index(self) -> int:
        """Number of the device among those of its kind."""
        return self._index

    def dlpack_device_type(self) -> int:
        """DLPack's code of the kind of device."""
        return self._code

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Device):
            return NotImplemented
        return (self._code, self._index) == (other._code, other._index)

    def __hash__(self) -> int:
        return hash((self._code, self._index))

    def __str__(self) -> str:
        return f"{self.type}:{self._index}"

    def __repr__(self) -> str:
        return f"device(type={self.type!r}, index={self._index})"


def device(type: str | int | Device, index: int | None = None) -> Device:
    """Return the device of a text, ``device("cuda:1")``, of a kind ``type`` and a number ``index``, ``device("cuda",
    1)``, or of DLPack's number of the kind, ``device(2, 1)``. Raises ValueError for an unknown kind.
    """
    if isinstance(type, Device):
        return type
    if not hasattr(type, "__index__") and not isinstance(type, str):
        got = type.__class__.__name__
        raise TypeError(f"device: expected type to be a str, an int or a Device, but got {got}")
    if index is not None and not hasattr(index, "__index__"):
        got = index.__class__.__name__
        raise TypeError(f"device: expected index to be an int, but got {got}")
    if isinstance(type, str) and ":" in type:
        name, _, number = type.partition(":")
        if index is not None or not number.isdecimal():
            raise ValueError(f"expected a device such as 'cuda:1', but got {type!r}")
        return Device(name, int(number))
    return Device(type, index or 0)
