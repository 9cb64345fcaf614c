"""Conversions of numbers of few bits."""

from __future__ import annotations

from typing import Any

from fairlead import _compiler
from fairlead.compat._mlir._vectors import Vector, VectorType, as_vector
from fairlead.cute._types import DType
from fairlead.errors import make_error
from fairlead.primitives._operands import type_name

__all__ = ["cvt_fpext"]


def cvt_fpext(result: DType | VectorType, src: _compiler.Numeric | Vector, **_: object) -> Any:
    """Return a float, or a vector of floats, as one of more bits. The result's type is that of the numbers or of the
    vector."""
    if isinstance(result, VectorType):
        numbers = [number.to(result.element_type) for number in as_vector(src).numbers]
        return Vector(numbers, result.element_type, result.shape)
    if isinstance(src, _compiler.Numeric):
        return src.to(result)
    expected = f"a number as src for a result of {result.__name__}"
    raise make_error("ArgumentKind", function="cvt_fpext", expected=expected, got=type_name(src))
