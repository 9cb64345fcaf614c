"""Pointer types and casts of pointers, and stand-ins for the other operations of the peer's IR on layouts."""

from __future__ import annotations

from typing import Any

from fairlead import _compiler
from fairlead.compat._later_gpus import stand_in
from fairlead.cute import AddressSpace
from fairlead.cute._pointer import RuntimePointer
from fairlead.cute._types import DType

__all__ = ["AddressSpace", "PtrType", "recast_iter"]


class PtrType:
    """The types of pointers."""

    @staticmethod
    def get(
        element_type: DType,
        address_space: Any = AddressSpace.generic,
        alignment: int | None = None,
        *_: object,
        **__: object,
    ) -> RuntimePointer:
        """Return the type, as an example of such a pointer without an address.

        Args:
            element_type: a numeric class, or ``cute_nvgpu.TmaDescriptorTiledType.get()``.
            address_space: where the pointer points to.
            alignment: the address is divisible by so many bytes; default the size of an element.
        """
        return RuntimePointer(0, element_type, address_space, alignment)


def recast_iter(result: RuntimePointer, src: _compiler.Pointer, *_: object, **__: object) -> Any:
    """Return the pointer ``src`` as one of the type ``result``, a PtrType."""
    address = src.toint()
    return _compiler.pointer_from_int(result.dtype, address, result.memspace, result.alignment)


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    reason = "an operation of an IR that Fairlead does not have"
    return globals().setdefault(name, stand_in(f"cute.{name}", reason))
