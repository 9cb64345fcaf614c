"""What whole-tensor values and addresses do in published programs besides."""

from __future__ import annotations

from typing import Any

from fairlead import _compiler
from fairlead._tracing.state import state
from fairlead.compat._mlir._vectors import Vector, VectorType, as_vector
from fairlead.cute import arch, make_layout, make_tensor, size, struct
from fairlead.utils import SmemAllocator, get_smem_capacity_in_bytes

__all__ = ["install", "load", "store"]

_own_store = _compiler.Tensor.store


def _store(tensor: Any, value: Any, **options: Any) -> None:
    """Tensor.store, which in published programs takes values of another shape and the same size, element by element."""
    if (
        state.dialect.lenient
        and isinstance(value, _compiler.TensorExpr)
        and value.shape != tensor.shape
    ):
        count = size(tensor.layout)
        if isinstance(count, int) and count == size(value.shape):
            value = value.reshape(tensor.shape)
    _own_store(tensor, value, **options)


def _cells(pointer: Any, dtype: VectorType) -> Any:
    """The memory of a vector at a pointer."""
    return make_tensor(pointer._recast(dtype.element_type), make_layout(dtype.shape[0]))


def load(ptr: Any, dtype: Any = None, **options: Any) -> Any:
    """``cute.arch.load``, which also takes a vector type."""
    if not isinstance(dtype, VectorType):
        return arch.load(ptr, dtype, **options)
    if options.get("sem") is None and options.get("scope") is None:
        return as_vector(_cells(ptr, dtype).load())
    pointer = ptr._recast(dtype.element_type)
    numbers = [arch.load(pointer + place, **options) for place in range(dtype.shape[0])]
    return Vector(numbers, dtype.element_type)


def store(ptr: Any, value: Any, **options: Any) -> None:
    """``cute.arch.store``, which also takes a vector."""
    if not isinstance(value, Vector):
        arch.store(ptr, value, **options)
        return
    pointer = ptr._recast(value.element_type)
    for place, number in enumerate(value.numbers):
        arch.store(pointer + place, number, **options)


def _memory_range(dtype: Any, count: int, pointer: Any) -> Any:
    """``count`` numbers at a pointer to shared memory, as a MemRange member of a struct is one."""
    memory: Any = struct.MemRange
    return memory[dtype, count].at(pointer)


def install() -> None:
    """Have tensors, structs and allocators do it."""
    struct._MemRangeData = staticmethod(_memory_range)  # type: ignore[attr-defined]
    SmemAllocator.capacity_in_bytes = staticmethod(get_smem_capacity_in_bytes)  # type: ignore[attr-defined]
    _compiler.Tensor.store = _store  # type: ignore[method-assign, assignment]
