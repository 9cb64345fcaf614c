"""Methods that whole-tensor values and addresses have in published programs only."""

from __future__ import annotations

from typing import Any

from fairlead import _compiler, cute, utils
from fairlead.compat._mlir._vectors import Vector, VectorType, as_vector
from fairlead.compat._numeric_classes import taking_classes
from fairlead.cute import arch, make_layout, make_tensor
from fairlead.cute._types import DType

__all__ = ["SmemAllocator", "load", "store", "struct", "union"]


def _cells(pointer: Any, dtype: VectorType) -> Any:
    """The memory of a vector at a pointer."""
    return make_tensor(pointer._recast(dtype.element_type), make_layout(dtype.size))


def load(ptr: _compiler.Pointer, dtype: Any = None, **options: Any) -> Any:
    """``cute.arch.load``, which also takes a vector type."""
    if not isinstance(dtype, VectorType):
        return arch.load(ptr, dtype, **options)
    if options.get("sem") is None and options.get("scope") is None:
        return as_vector(_cells(ptr, dtype).load()).reshaped(dtype)
    pointer = ptr._recast(dtype.element_type)
    numbers = [arch.load(pointer + place, **options) for place in range(dtype.size)]
    return Vector(numbers, dtype.element_type, dtype.shape)


def store(ptr: Any, value: Any, **options: Any) -> None:
    """``cute.arch.store``, which also takes a vector."""
    if not isinstance(value, Vector):
        arch.store(ptr, value, **options)
        return
    pointer = ptr._recast(value.element_type)
    for place, number in enumerate(value.numbers):
        arch.store(pointer + place, number, **options)


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
