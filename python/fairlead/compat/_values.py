"""Methods that whole-tensor values and addresses have in published programs only."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from fairlead import _compiler, cute, utils
from fairlead.compat._mlir._vectors import Vector, VectorType, as_vector
from fairlead.compat._numeric_classes import taking_classes
from fairlead.cute import arch, make_layout, make_tensor
from fairlead.cute._atomics import choice
from fairlead.cute._types import DType, Number

__all__ = ["SmemAllocator", "load", "store", "struct", "typed_by_number", "union"]


def _cells(pointer: Any, dtype: VectorType) -> Any:
    """The memory of a vector at a pointer."""
    return make_tensor(pointer._recast(dtype.element_type), make_layout(dtype.size))


#: Cache operators of loads and stores. With a scope, an access sees what other threads of it wrote, and a loop that
#: waits for a number repeats it; the others are hints.
_LOAD_CACHES = {"ca": None, "cg": "gpu", "cs": None, "lu": None, "cv": "sys"}
_STORE_CACHES = {"wb": None, "cg": None, "cs": None, "wt": "sys"}
_GLOBAL = (_compiler.AddressSpace.gmem, _compiler.AddressSpace.generic)


def _ordered(
    ptr: _compiler.Pointer,
    dtype: DType,
    caches: dict[str, str | None],
    cop: str | None,
    options: dict[str, Any],
) -> None:
    """Put the order and the scope of a cache operator, and of volatile accesses, into the options of an access."""
    reach = None if cop is None else choice(caches, "cop", cop)
    if options.get("sem") == "volatile":
        options.update(sem="relaxed", scope="sys")
    elif reach and ptr.memspace in _GLOBAL and dtype.width in (32, 64):
        options.setdefault("sem", "relaxed")
        options.setdefault("scope", reach)


def _at(ptr: _compiler.Pointer, number: object) -> _compiler.Pointer:
    """Return the pointer of an access to memory of the type of a number, which a written one does not have."""
    if not isinstance(number, _compiler.Numeric) or not isinstance(ptr, _compiler.Pointer):
        return ptr
    return ptr if number.dtype in (ptr.dtype, _compiler.Boolean) else ptr._recast(number.dtype)


def load(
    ptr: _compiler.Pointer, dtype: Any = None, *, cop: str | None = None, **options: Any
) -> Any:
    """``cute.arch.load``, which also takes a vector type and a cache operator."""
    is_vector = isinstance(dtype, VectorType)
    _ordered(
        ptr, dtype.element_type if is_vector else dtype or ptr.dtype, _LOAD_CACHES, cop, options
    )
    if not is_vector:
        return arch.load(ptr, dtype, **options)
    if options.get("sem") is None and options.get("scope") is None:
        return as_vector(_cells(ptr, dtype).load()).reshaped(dtype)
    pointer = ptr._recast(dtype.element_type)
    numbers = [arch.load(pointer + place, **options) for place in range(dtype.size)]
    return Vector(numbers, dtype.element_type, dtype.shape)


def store(
    ptr: _compiler.Pointer, value: Any, *, cop: str | None = None, **options: str | None
) -> None:
    """``cute.arch.store``, which also takes a vector and a cache operator."""
    if isinstance(value, Vector):
        _ordered(ptr, value.element_type, _STORE_CACHES, cop, options)
        pointer = ptr._recast(value.element_type)
        for place, number in enumerate(value.numbers):
            arch.store(pointer + place, number, **options)
        return
    ptr = _at(ptr, value)
    _ordered(ptr, ptr.dtype, _STORE_CACHES, cop, options)
    arch.store(ptr, value, **options)


def typed_by_number(operation: Callable[..., Any]) -> Callable[..., Any]:
    """Return an atomic operation on memory of its number's type, whatever the pointer's: floats are compared by their
    bits that way."""

    @functools.wraps(operation)
    def call(ptr: _compiler.Pointer, *numbers: Number, **options: object) -> Any:
        return operation(
            _at(ptr, numbers[0] if numbers else options.get("val")), *numbers, **options
        )

    return call


def _memory_range(dtype: DType, count: int, pointer: _compiler.Pointer) -> Any:
    """``count`` numbers at a pointer to shared memory, as a MemRange member of a struct is one."""
    memory: Any = cute.struct.MemRange
    return memory[dtype, count].at(pointer)


class _Offsets:
    """Give structs the published name of their offsets."""

    offsets: Any

    @property
    def _offsets(self) -> Any:
        return self.offsets


class struct(_Offsets, cute.struct):
    """``cute.struct``, whose ``_MemRangeData`` is the memory of a MemRange member."""

    _MemRangeData = staticmethod(_memory_range)


class union(_Offsets, cute.union):
    """``cute.union``."""


class SmemAllocator(utils.SmemAllocator):
    """``cutlass.utils.SmemAllocator``, which knows the capacity of architectures."""

    capacity_in_bytes = staticmethod(utils.get_smem_capacity_in_bytes)
    allocate_tensor = taking_classes(utils.SmemAllocator.allocate_tensor)
