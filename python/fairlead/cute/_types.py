"""Types of parameters that take more than one kind of value."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

from fairlead import _compiler

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
