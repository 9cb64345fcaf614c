"""Conversions of numbers of few bits."""

from __future__ import annotations

from typing import Any

from fairlead import _compiler
from fairlead.compat._mlir._vectors import Vector, VectorType, as_vector
from fairlead.cute._types import DType

__all__ = ["cvt_fpext"]


def cvt_fpext(result: DType | VectorType, src: _compiler.Numeric | Vector, **_: object) -> Any:
    """Return a float, or a vector of floats, as one of more bits. The result's type is that of the numbers or of the
    vector."""
    if not isinstance(result, VectorType):
        return src.to(result) if not isinstance(src, Vector) else src.numbers[0].to(result)
    numbers = [number.to(result.element_type) for number in as_vector(src).numbers]
    return Vector(numbers, result.element_type, result.shape)
