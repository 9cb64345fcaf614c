"""Parts of layouts and strides under the names of ``cutlass.cute``: what published helpers take apart."""

from __future__ import annotations

from typing import Any

from fairlead import _compiler, cute
from fairlead.compat._layouts import slice_
from fairlead.cute._types import Coordinate, Modes

__all__ = [
    "basis_get",
    "basis_value",
    "empty_like",
    "get_nonswizzle_portion",
    "get_swizzle_portion",
    "is_int_tuple_type",
    "nullspace",
    "slice_and_offset",
]


def nullspace(layout: _compiler.Layout) -> Any:
    """Return the layout of the indices that modes of stride 0 of ``layout`` map to 0; ``1:0`` without such modes."""
    extents, strides = cute.flatten((layout.shape,)), cute.flatten((layout.stride,))
    modes, step = [], 1
    for extent, stride in zip(extents, strides):
        if type(stride) is int and stride == 0:
            modes.append((extent, step))
        step = step * extent
    if len(modes) < 2:
        extent, stride = modes[0] if modes else (1, 0)
        return cute.make_layout(extent, stride=stride)
    shape, steps = zip(*modes)
    return cute.make_layout(shape, stride=steps)


def _beginning(coord: Coordinate) -> Any:
    """A coordinate with 0 for the modes that it leaves open."""
    if isinstance(coord, tuple):
        return tuple(_beginning(part) for part in coord)
    return 0 if coord is None else coord


def slice_and_offset(
    coord: Coordinate, src: _compiler.Layout | _compiler.ComposedLayout
) -> tuple[Any, Any]:
    """Return the layout of the modes that ``coord`` leaves open, and where it begins.

    Args:
        coord: a coordinate with None for the open modes.
        src: a layout; the offset in a composed one is that of its last part, before the function is applied.
    """
    plain = src.outer if isinstance(src, _compiler.ComposedLayout) else src
    offset = cute.crd2idx(_beginning(coord), plain)
    part = slice_(plain, coord)
    if isinstance(src, _compiler.ComposedLayout):
        part = cute.make_composed_layout(src.inner, src.offset, part)
    return part, offset


def get_nonswizzle_portion(layout: _compiler.Layout | _compiler.ComposedLayout) -> Any:
    """Return the layout without its swizzle."""
    return layout.outer if isinstance(layout, _compiler.ComposedLayout) else layout


def get_swizzle_portion(layout: _compiler.Layout | _compiler.ComposedLayout) -> Any:
    """Return the swizzle of a layout; one that changes nothing if it has none."""
    inner = getattr(layout, "inner", None)
    return inner if isinstance(inner, cute.Swizzle) else cute.make_swizzle(0, 4, 3)


def basis_value(e: object) -> Any:
    """Return the number of a basis, and anything else as it is."""
    return e.value if isinstance(e, cute.ScaledBasis) else e


def basis_get(basis: object, t: Any) -> Any:
    """Return the part of a tuple or layout that the modes of a basis name; of a number, all of it."""
    return cute.get(t, mode=list(basis.mode)) if isinstance(basis, cute.ScaledBasis) else t


def empty_like(
    a: Modes | _compiler.TensorExpr, dtype: type[_compiler.Numeric] | None = None
) -> _compiler.TensorExpr:
    """Return a whole-tensor value of the shape of ``a``, for programs that do not read what it holds: zeros."""
    return cute.zeros_like(a, dtype)


def is_int_tuple_type(t: object) -> bool:
    """True if ``t`` is the name ``IntTuple`` of annotations."""
    return t is cute.typing.IntTuple
