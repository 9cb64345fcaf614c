"""Conversions of numbers of few bits."""

from __future__ import annotations

from typing import Any

from fairlead.compat._mlir._vectors import Vector, VectorType, as_vector

__all__ = ["cvt_fpext"]


def cvt_fpext(result: Any, src: Any, **_: object) -> Any:
    """Return a float, or a vector of floats, as one of more bits. The result's type is that of the numbers or of the
    vector."""
    element_type = result.element_type if isinstance(result, VectorType) else result
    if not isinstance(result, VectorType):
        return src.to(element_type)
    vector = as_vector(src)
    numbers = [number.to(element_type) for number in vector.numbers]
    return Vector(numbers, element_type, result.shape)
