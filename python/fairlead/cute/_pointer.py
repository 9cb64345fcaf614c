"""Addresses: of a framework's memory, as arguments, and in traced functions."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any

from fairlead import _compiler
from fairlead._compiler import AddressSpace
from fairlead._hints import name_keywords
from fairlead.cute._kinds import number_of
from fairlead.errors import make_error, require

__all__ = ["RuntimePointer", "make_ptr", "nullptr"]


class RuntimePointer:
    """The address of elements outside of traced functions: an example for ``compile``, and an argument of calls.

    Attributes:
        dtype, value_type: the elements' numeric class.
        memspace: where the program sees the memory.
        alignment: alignment of the address in bytes, which compile takes as fixed and calls check.
        address: the address as an int; 0 is an example only, which calls refuse.
    """

    __slots__ = ("_cell", "_owner", "address", "alignment", "dtype", "memspace")
    #: Not an object of a user's class: it is an argument itself.
    __fairlead_argument__ = True

    def __init__(
        self,
        address: int,
        dtype: type[_compiler.Numeric],
        memspace: AddressSpace,
        assumed_align: int | None,
        owner: object = None,
    ) -> None:
        if not _compiler.is_dtype(dtype):
            raise make_error("DTypeExpected", got=repr(dtype))
        itemsize = max(dtype.width // 8, 1)
        alignment = itemsize if assumed_align is None else assumed_align
        if not isinstance(alignment, int) or alignment < itemsize or alignment & (alignment - 1):
            raise make_error(
                "FakeExtentRange",
                what="assumed_align",
                expected=f"a power of two from {itemsize} on",
                got=repr(assumed_align),
            )
        if address % alignment:
            raise make_error(
                "FakeExtentRange",
                what="the address of a pointer",
                expected=f"divisible by {alignment}",
                got=hex(address),
            )
        self.address, self.dtype, self.memspace = address, dtype, memspace
        self.alignment, self._owner, self._cell = alignment, owner, ctypes.c_void_p(address)

    @property
    def value_type(self) -> type:
        """The numeric class of the elements."""
        return self.dtype

    @property
    def _pointer(self) -> int:
        """The address, under the name that published programs use to free it."""
        return self.address

    def __tvm_ffi_opaque_ptr__(self) -> int:
        return self.address

    def __c_pointers__(self) -> list[int]:
        return [ctypes.addressof(self._cell)]

    def __get_mlir_types__(self) -> list[Any]:
        return [self]

    def __new_from_mlir_values__(self, values: Sequence[Any]) -> Any:
        return values[0]

    @property
    def __cache_key__(self) -> tuple[Any, ...]:
        """The properties that a compile depends on."""
        return self.dtype, self.memspace, self.alignment

    @property
    def __fairlead_kind__(self) -> int:
        """The number of the properties that a direct call compiles for."""
        return number_of(self.__cache_key__)

    def size_in_bytes(self) -> int:
        """Return the size of the address itself: 8."""
        return 8

    def align(self, min_align: int) -> RuntimePointer:
        """Return the first address from here on that is divisible by ``min_align`` bytes."""
        address = -(-self.address // min_align) * min_align
        alignment = max(self.alignment, min_align)
        return RuntimePointer(address, self.dtype, self.memspace, alignment, self._owner)

    def __add__(self, elements: int) -> RuntimePointer:
        itemsize = max(self.dtype.width // 8, 1)
        address = self.address + elements * itemsize
        return RuntimePointer(address, self.dtype, self.memspace, None, self._owner)

    def __int__(self) -> int:
        return self.address

    def __repr__(self) -> str:
        return f"Ptr<0x{self.address:016x}@{self.memspace.name}>"


def _address(value: object) -> int | None:
    """The address that Python code gives, as an int, as one of ctypes, or as an object that holds one."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value
    if isinstance(value, RuntimePointer):
        return value.address
    if isinstance(value, (ctypes.c_void_p, ctypes._Pointer)):
        return ctypes.cast(value, ctypes.c_void_p).value or 0
    if hasattr(value, "__tvm_ffi_opaque_ptr__"):
        holder: Any = value
        return int(holder.__tvm_ffi_opaque_ptr__())
    return None


def make_ptr(
    dtype: type[_compiler.Numeric],
    value: object,
    mem_space: AddressSpace = AddressSpace.generic,
    assumed_align: int | None = None,
) -> Any:
    """Return the address ``value`` of elements of ``dtype``.

    In a traced function, where ``value`` is one of its numbers or pointers, a run-time pointer; else an argument
    for ``compile`` and for calls.

    Args:
        dtype: a numeric class.
        value: an int, a pointer of ctypes, or an object with ``__tvm_ffi_opaque_ptr__``.
        mem_space: where the program sees the memory: ``gmem`` for a GPU's.
        assumed_align: alignment of the address in bytes, at least an element's; the default.

    Raises DSLError: a TypeError for other values, a ValueError for an address that is not so aligned.
    """
    if not _compiler.is_dtype(dtype):
        raise make_error("DTypeExpected", got=repr(dtype))
    inner = getattr(value, "pointer", None)  # of a pointer of primitives
    if isinstance(inner, _compiler.Pointer):
        value = inner
    if isinstance(value, _compiler.Pointer):
        pointer = value._recast(dtype)
        return pointer if assumed_align is None else pointer.align(assumed_align)
    if isinstance(value, _compiler.Numeric) or (
        _compiler.tracing() and isinstance(value, int) and not isinstance(value, bool)
    ):
        itemsize = max(dtype.width // 8, 1)
        return _compiler.pointer_from_int(dtype, value, mem_space, assumed_align or itemsize)
    address = _address(value)
    if address is None or address < 0:
        got = repr(value) if isinstance(value, int) else type(value).__name__
        expected = "an address: an int, a pointer, or an object with __tvm_ffi_opaque_ptr__"
        raise make_error("PointerExpected", what="make_ptr", expected=expected, got=got)
    return RuntimePointer(address, dtype, mem_space, assumed_align, value)


def nullptr(
    dtype: type[_compiler.Numeric],
    mem_space: AddressSpace = AddressSpace.generic,
    assumed_align: int | None = None,
) -> RuntimePointer:
    """Return a stand-in for ``compile``: a pointer to elements of ``dtype`` in ``mem_space``, whose address is a
    multiple of ``assumed_align`` bytes (default those of an element). It has no address, so calls do not accept it.
    """
    require(nullptr, dtype=dtype, mem_space=mem_space, assumed_align=assumed_align)
    return RuntimePointer(0, dtype, mem_space, assumed_align)


name_keywords(__all__, globals())
