"""Types of parameters that take more than one kind of value."""

from __future__ import annotations

import enum
from collections.abc import Sequence
from typing import Any, Protocol, TypeAlias

from fairlead import _compiler
from fairlead.cute._ir_types import IRValue

Number: TypeAlias = int | float | _compiler.Numeric
"""A static or a run-time number."""
Elements: TypeAlias = int | float | _compiler.Numeric | _compiler.TensorExpr
"""A number, or a whole-tensor value: functions work on each of its elements."""
Extents: TypeAlias = int | _compiler.Numeric | Sequence[Any]
"""Extents or strides, nested in any way."""
Coordinate: TypeAlias = int | _compiler.Numeric | Sequence[Any] | None
"""A coordinate; None leaves a mode open."""
Tiler: TypeAlias = (
    int | _compiler.Numeric | _compiler.Layout | _compiler.ComposedLayout | Sequence[Any] | None
)
"""What divides a layout: extents, layouts for its modes, or None for a mode that stays whole."""
Modes: TypeAlias = _compiler.Layout | _compiler.ComposedLayout | _compiler.Tensor
"""What has a layout."""
Int: TypeAlias = int | _compiler.Numeric
"""A static or a run-time integer."""
Condition: TypeAlias = bool | int | _compiler.Numeric
"""A static or a run-time condition."""
DType: TypeAlias = type[_compiler.Numeric]
"""A numeric class, such as ``Float32``."""
Choice: TypeAlias = enum.Enum | str
"""A member of an enumeration, or its name."""


class HasPointer(Protocol):
    """An object at an address: arrays and pointers of ``fairlead.primitives``, and views of them."""

    @property
    def pointer(self) -> _compiler.Pointer: ...


class HasIterator(Protocol):
    """An object that begins at an address, as tensors do."""

    @property
    def iterator(self) -> _compiler.Pointer: ...


PointerLike: TypeAlias = _compiler.Pointer | HasPointer | HasIterator | IRValue
"""An address: a pointer, an array, a tensor in memory, or a struct that holds just a pointer."""
