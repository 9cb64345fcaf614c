"""Memory of ``llvm.alloca``: in a kernel, a thread's own; in host code, numbers that kernels get a copy of."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from fairlead import _compiler
from fairlead._tracing.state import state
from fairlead.compat._ir_types import PointerType, StructType
from fairlead.compat._mlir._vectors import Vector, VectorType, element_of
from fairlead.cute._ir_types import IRValue
from fairlead.cute._types import DType, Int
from fairlead.cute._values import make_rmem_tensor

__all__ = ["HostCell", "HostMemory", "TensorMap", "reserved", "size_of"]

_Element = Any  # a numeric class, a VectorType, a StructType or a PointerType


def _numbers_of(of: _Element) -> Iterator[DType]:
    """The numeric classes that a type consists of."""
    if isinstance(of, StructType):
        for member in of.body:
            yield from _numbers_of(member)
    elif isinstance(of, VectorType):
        yield from [of.element_type] * of.size
    else:
        yield _compiler.Int64 if isinstance(of, PointerType) else of


def _offsets(numbers: Sequence[DType]) -> tuple[list[int], int]:
    """Return the offset of each number in bytes, as C lays them out, and the size of all."""
    offsets, end, alignment = [], 0, 1
    for number in numbers:
        size = max(int(number.width) // 8, 1)
        end = -(-end // size) * size
        offsets.append(end)
        end, alignment = end + size, max(alignment, size)
    return offsets, -(-end // alignment) * alignment


def size_of(of: _Element) -> int:
    """Return the size of a type in bytes."""
    return _offsets(list(_numbers_of(of)))[1]


class TensorMap(IRValue):
    """The tensor map of an atom, as a value. A store writes its 128 bytes; its parts are itself."""

    def __init__(self, atom: _compiler.TensorCopyAtom) -> None:
        super().__init__((self,))
        self.atom = atom


class HostMemory(IRValue):
    """Memory of host code. A kernel that takes it has its own copy, as of a parameter with ``llvm.byval``."""

    def __init__(self, classes: Sequence[DType], numbers: Sequence[Any]) -> None:
        super().__init__(tuple(numbers))
        self._classes = tuple(classes)

    def __new_from_mlir_values__(self, values: Sequence[Any]) -> HostMemory:
        return HostMemory(self._classes, values)

    def number(self, of: DType, offset: Int) -> Any:
        """Return the number of class ``of`` at an offset, which the run may decide if all numbers have the class."""
        place = self._place(of, offset)
        return element_of(Vector(list(self._held), of, [len(self._held)]), place)

    def write(self, value: Any, offset: Int) -> None:
        """Replace the number at an offset; NotImplementedError if the run decides the offset."""
        place = self._place(type(value), offset)
        if not isinstance(place, int):
            raise NotImplementedError(
                "expected an index known at compile time for a store to memory of llvm.alloca in host code, "
                "but got a run-time one"
            )
        numbers = list(self._held)
        numbers[place] = value
        self._held = tuple(numbers)

    def _place(self, of: DType, offset: Int) -> Int:
        """Return the index of the number at an offset in bytes."""
        if not isinstance(offset, int) and set(self._classes) == {of}:
            place: Int = offset // max(int(of.width) // 8, 1)
            return place
        offsets, _ = _offsets(self._classes)
        index = offsets.index(offset) if isinstance(offset, int) and offset in offsets else None
        if index is None or self._classes[index] is not of:
            where = f"byte {offset}" if isinstance(offset, int) else "a run-time index"
            raise NotImplementedError(
                f"expected the place of one of {', '.join(cls.__name__ for cls in self._classes)} in memory of "
                f"llvm.alloca, but got {of.__name__} at {where}"
            )
        return index


class HostCell(NamedTuple):
    """An address in memory of host code."""

    memory: HostMemory
    offset: Int


def reserved(of: _Element, count: int) -> Any:
    """Return the address of ``count`` elements of a type, which hold zero at first."""
    assert state.program is not None
    if not state.program.in_kernel():
        classes = list(_numbers_of(of)) * count
        return HostMemory(classes, [cls(0) for cls in classes])
    words = make_rmem_tensor((-(-size_of(of) * count // 8),), _compiler.Int64)
    words.fill(0)
    return _compiler.pointer_from_int(
        _compiler.Uint8, words.iterator.toint(), words.iterator.memspace, 8
    )
