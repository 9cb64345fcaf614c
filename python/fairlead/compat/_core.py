"""``cutlass.cute.core``: the language, and tuples as values of the IR."""

from __future__ import annotations

from typing import Any

from fairlead.compat import _cute as cute
from fairlead.cute._types import Coordinate, Extents, Tiler

__all__ = [
    "IntValue",
    "_ComposedLayout",
    "_pack_coord",
    "_pack_shape",
    "_pack_stride",
    "_pack_tile",
]

_ComposedLayout = cute.ComposedLayout


class _PackedType:
    """The type of a packed tuple; ``attribute`` is the tuple."""

    def __init__(self, attribute: tuple[Any, ...]) -> None:
        self.attribute = attribute


class _Packed(tuple[Any, ...]):
    """A tuple that also answers as a value of the IR."""

    @property
    def type(self) -> _PackedType:
        """Its type, which tells the tuple."""
        return _PackedType(tuple(self))


class IntValue:
    """An integer of the run among extents and strides, by the name under which programs extend it. Such integers are
    numbers of the language here, and have no other form."""

    def get_typed_value(self, *, loc: object = None, ip: object = None) -> Any:
        """Return the integer itself."""
        return self


def _packed(entries: object) -> Any:
    return _Packed(entries) if isinstance(entries, (tuple, list)) else _Packed((entries,))


def _pack_shape(shape: Extents, *, loc: object = None, ip: object = None) -> Any:
    """Return a shape, a tuple or one extent, as the tuple that functions of the language take."""
    return _packed(shape)


def _pack_stride(stride: Extents, *, loc: object = None, ip: object = None) -> Any:
    """Return strides as the tuple that functions of the language take."""
    return _packed(stride)


def _pack_coord(coord: Coordinate, *, loc: object = None, ip: object = None) -> Any:
    """Return a coordinate as the tuple that functions of the language take."""
    return _packed(coord)


def _pack_tile(tile: Tiler, *, loc: object = None, ip: object = None) -> Any:
    """Return a tiler as the tuple that functions of the language take."""
    return _packed(tile)


def __getattr__(name: str) -> Any:
    return getattr(cute, name)
