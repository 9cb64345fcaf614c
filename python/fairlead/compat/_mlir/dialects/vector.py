"""Vectors of a few numbers: made, taken apart, read as other types."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fairlead.compat._mlir._vectors import Vector, VectorType, as_vector

__all__ = ["bitcast", "extract", "extractelement", "from_elements", "insertelement", "splat"]


def from_elements(result: VectorType, elements: Sequence[Any], **_: Any) -> Vector:
    """A vector of these numbers."""
    dtype = result.element_type
    return Vector([each.to(dtype) for each in elements], dtype)


def splat(result: VectorType, value: Any, **_: Any) -> Vector:
    """A vector whose numbers are all ``value``."""
    return from_elements(result, [value] * result.shape[0])


def bitcast(result: VectorType, source: Any, **_: Any) -> Vector:
    """The same bits as a vector of another type."""
    return as_vector(source).bitcast(result)


def _place(position: Any) -> int:
    return int(position)


def extract(
    source: Any,
    dynamic_position: Sequence[Any] = (),
    static_position: Sequence[int] = (),
    **_: Any,
) -> Any:
    """The number at a place known while tracing."""
    (place,) = [*static_position, *map(_place, dynamic_position)]
    return as_vector(source).numbers[place]


def extractelement(source: Any, *, position: Any, **_: Any) -> Any:
    """The number at ``position``, a constant."""
    return as_vector(source).numbers[_place(position)]


def insertelement(source: Any, dest: Any, *, position: Any, **_: Any) -> Vector:
    """``dest`` with another number at ``position``, a constant."""
    vector = as_vector(dest)
    numbers = list(vector.numbers)
    numbers[_place(position)] = source
    return Vector(numbers, vector.type.element_type)
