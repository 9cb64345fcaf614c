"""Vectors of a few numbers: made, taken apart, read as other types."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fairlead.compat._mlir._vectors import Vector, VectorType, as_vector, element_of, with_element
from fairlead.cute._types import Int

__all__ = [
    "bitcast",
    "extract",
    "extractelement",
    "from_elements",
    "insert",
    "insertelement",
    "splat",
]


def from_elements(result: VectorType, elements: Sequence[Any], **_: object) -> Vector:
    """A vector of these numbers."""
    dtype = result.element_type
    return Vector([element.to(dtype) for element in elements], dtype)


def splat(result: VectorType, value: object, **_: object) -> Vector:
    """A vector whose numbers are all ``value``."""
    return from_elements(result, [value] * result.shape[0])


def bitcast(result: VectorType, source: object, **_: object) -> Vector:
    """Reinterpret the bits as a vector of another type."""
    return as_vector(source).bitcast(result)


def extract(
    source: object,
    dynamic_position: Sequence[Any] = (),
    static_position: Sequence[int] = (),
    **_: object,
) -> Any:
    """The number at a place, which the run may decide."""
    return element_of(as_vector(source), _place(dynamic_position, static_position))


def _place(dynamic_position: Sequence[Any], static_position: Sequence[int]) -> Any:
    """Return the position: static positions have a placeholder for a dynamic one."""
    return dynamic_position[0] if dynamic_position else static_position[0]


def insert(
    source: object,
    dest: object,
    dynamic_position: Sequence[Any] = (),
    static_position: Sequence[int] = (),
    **_: object,
) -> Vector:
    """``dest`` with the number ``source`` at a place, which the run may decide."""
    return with_element(as_vector(dest), source, _place(dynamic_position, static_position))


def extractelement(source: object, *, position: Int, **_: object) -> Any:
    """The number at ``position``, which the run may decide."""
    return element_of(as_vector(source), position)


def insertelement(source: object, dest: object, *, position: Int, **_: object) -> Vector:
    """``dest`` with another number at ``position``, which the run may decide."""
    return with_element(as_vector(dest), source, position)
