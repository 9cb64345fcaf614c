"""Names for annotations."""

from __future__ import annotations

from typing import Any, TypeAlias

from fairlead import _compiler
from fairlead._compiler import Numeric, Tensor
from fairlead._tracing.language import Constexpr

Int: TypeAlias = int | Numeric
"""A static or a run-time integer."""
IntTuple: TypeAlias = int | Numeric | tuple[Any, ...]
Shape: TypeAlias = IntTuple
Stride: TypeAlias = IntTuple
Coord: TypeAlias = IntTuple
Tile: TypeAlias = IntTuple

__all__ = ["Constexpr", "Coord", "Int", "IntTuple", "Numeric", "Shape", "Stride", "Tensor", "Tile"]


def __getattr__(name: str) -> Any:
    """The other types that annotations name: numeric classes, Pointer, Layout, AddressSpace."""
    named = getattr(_compiler, name, None)
    if not isinstance(named, type):
        raise AttributeError(f"module 'fairlead.cute.typing' has no attribute {name!r}")
    return named


def __dir__() -> list[str]:
    """The names that completion offers."""
    return sorted(__all__)
