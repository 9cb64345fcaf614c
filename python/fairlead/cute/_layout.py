"""Layouts and tensors made in a traced program."""

from __future__ import annotations

from typing import Any

from fairlead import _compiler
from fairlead.errors import make_error

__all__ = ["make_layout", "make_tensor", "recast_ptr"]


def _modes(value: Any, what: str) -> list[Any]:
    modes = list(value) if isinstance(value, tuple | list) else [value]
    for mode in modes:
        if isinstance(mode, bool) or not isinstance(mode, int | _compiler.Integer):
            raise make_error("LayoutMode", expected=f"integers as {what}", got=repr(mode))
    return modes


def make_layout(shape: Any, *, stride: Any = None) -> _compiler.Layout:
    """A layout: extents, and strides in elements; without strides compact, mode 0 fastest.

    Extents and strides are ints or Int32/Int64 values.
    """
    extents = _modes(shape, "extents")
    if stride is None:
        strides, step = [], 1
        for extent in extents:
            strides.append(step)
            step = step * extent
    else:
        strides = _modes(stride, "strides")
        if len(strides) != len(extents):
            raise make_error(
                "LayoutMode",
                expected=f"{len(extents)} strides, one per extent",
                got=str(len(strides)),
            )
    return _compiler.make_layout(extents, strides)


def _as_layout(layout: Any) -> _compiler.Layout:
    return layout if isinstance(layout, _compiler.Layout) else make_layout(layout)


def make_tensor(iterator: Any, layout: Any) -> _compiler.Tensor:
    """A tensor of ``layout`` (or of a shape, compact) whose first element is at the pointer ``iterator``."""
    layout = _as_layout(layout)
    return _compiler.make_tensor(iterator, list(layout.shape), list(layout.stride))


def recast_ptr(ptr: _compiler.Pointer, *, dtype: Any) -> _compiler.Pointer:
    """The same address for elements of another type."""
    return ptr._recast(dtype)
