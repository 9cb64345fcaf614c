"""How layouts and copies that are written in Python are taken apart and put together."""

from __future__ import annotations

import copy
from typing import Any

from fairlead._tracing.composite import register_composite
from fairlead.cute._composed import ComposedLayout, Swizzle
from fairlead.cute._copy import CopyAtom

# The attributes of tiled copies that run-time values may be in.
_TILE = ("layout_tv_tiled", "tiler_mn", "thr_idx")


def _tile_names(copy_atom: CopyAtom) -> list[str]:
    return [name for name in _TILE if name in vars(copy_atom)]


def _flatten_copy(value: CopyAtom) -> tuple[Any, list[Any]]:
    same = repr(value.op), value.value_type, value.num_elements
    return same, [vars(value)[name] for name in _tile_names(value)]


def _rebuild_copy(value: CopyAtom, parts: list[Any]) -> CopyAtom:
    made = copy.copy(value)
    vars(made).update(zip(_tile_names(value), parts, strict=True))
    return made


register_composite(
    ComposedLayout,
    lambda layout: (None, [layout.inner, layout.offset, layout.outer]),
    lambda layout, parts: type(layout)(*parts),
)
register_composite(Swizzle, lambda swizzle: (repr(swizzle), []), lambda swizzle, _: swizzle)
register_composite(
    CopyAtom,
    _flatten_copy,
    _rebuild_copy,
    # Whose part of a tiled copy it is.
    lambda value: _TILE.index("thr_idx") if hasattr(value, "thr_idx") else -1,
)
