"""Element types and devices, as functions of the ABI return and take them."""

from __future__ import annotations

__all__ = ["Device", "device", "dtype"]

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
    """The type of an element by its name: ``dtype("float32")``. Equal to its name."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"dtype({str.__repr__(self)})"


class Device:
    """A device: ``Device("cuda", 1)``. The type may be DLPack's code. Immutable."""

    __slots__ = ("_code", "_index")

    def __init__(self, type: str | int, index: int = 0) -> None:
        if isinstance(type, str):
            name = _ALIASES.get(type, type)
            if name not in _TYPES:
                raise ValueError(
                    f"unknown device type {type!r}; expected one of {', '.join(_TYPES)}"
                )
            self._code = _TYPES[name]
        else:
            self._code = int(type)
        self._index = int(index)

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
    """``device("cuda:1")``, ``device("cuda", 1)`` or ``device(2, 1)``; ValueError for an unknown name."""
    if isinstance(type, Device):
        return type
    if isinstance(type, str) and ":" in type:
        name, _, number = type.partition(":")
        if index is not None or not number.isdecimal():
            raise ValueError(f"expected a device such as 'cuda:1', but got {type!r}")
        return Device(name, int(number))
    return Device(type, index or 0)
