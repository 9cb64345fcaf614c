"""Elements of whole-tensor values at coordinates that the run decides: ``values[i]``."""

from __future__ import annotations

from typing import Any

from fairlead import _compiler
from fairlead.cute._keywords import ignoring_keywords
from fairlead.cute._types import Coordinate

__all__: list[str] = []

_own = _compiler.TensorExpr.__getitem__


def _is_decided_by_run(coordinate: Coordinate) -> bool:
    if isinstance(coordinate, tuple):
        return any(map(_is_decided_by_run, coordinate))
    return isinstance(coordinate, _compiler.Numeric) and not coordinate.is_static


def _element(values: _compiler.TensorExpr, coordinate: Coordinate) -> Any:
    if not _is_decided_by_run(coordinate):
        return _own(values, coordinate)
    # Registers cannot be indexed; memory of the thread can.
    layout = _compiler.make_layout(values.shape, None)
    memory = _compiler.make_rmem_tensor(layout, values.element_type)
    memory.store(values)
    chosen = memory[coordinate]
    return chosen.load() if isinstance(chosen, _compiler.Tensor) else chosen


_compiler.TensorExpr.__getitem__ = ignoring_keywords(_element)  # type: ignore[method-assign]
