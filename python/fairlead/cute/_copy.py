"""Tiled copies: which elements of a tile each thread moves, and how many in one access."""

from __future__ import annotations

import copy as _copy
from typing import Any

from fairlead import _compiler
from fairlead._tracing.composite import register_composite
from fairlead.cute._layout import (
    CoordTensor,
    Layout,
    Tensor,
    _as_layout,
    composition,
    logical_divide,
    make_layout_tv,
    zipped_divide,
)
from fairlead.cute._values import autovec_copy
from fairlead.errors import make_error

__all__ = [
    "CopyAtom",
    "ThrCopy",
    "TiledCopy",
    "copy",
    "make_copy_atom",
    "make_tiled_copy",
    "make_tiled_copy_tv",
]


class CopyAtom:
    """One access of one thread: ``num_bits_per_copy`` bits of elements of one type.

    Attributes:
        value_type: the elements' numeric class.
        num_elements: how many of them move together.
    """

    def __init__(self, op: Any, dtype: Any, num_bits_per_copy: int = 0) -> None:
        width = getattr(dtype, "width", None)
        if not isinstance(width, int):
            raise make_error("DTypeExpected", got=repr(dtype))
        bits = num_bits_per_copy or width
        if bits < width or bits % width:
            raise make_error(
                "LayoutMode",
                expected=f"num_bits_per_copy in multiples of the {width} bits of {dtype.__name__}",
                got=bits,
            )
        self.op = op
        self.value_type = dtype
        self.num_elements = bits // width

    def __repr__(self) -> str:
        return f"CopyAtom({self.op!r}, {self.value_type.__name__}, {self.num_elements})"


class TiledCopy(CopyAtom):
    """A copy atom, and which elements of a tile each thread works on.

    Attributes:
        tiler_mn: the extents of a tile.
        layout_tv_tiled: (thread, value) -> linear coordinate in the tile.
        size: number of threads.
    """

    def __init__(self, atom: CopyAtom, layout_tv: Layout, tiler_mn: Any) -> None:
        self.op, self.value_type = atom.op, atom.value_type
        self.num_elements = atom.num_elements
        self.layout_tv_tiled, self.tiler_mn = layout_tv, tiler_mn
        values = layout_tv[1].size
        if not isinstance(values, int) or values % self.num_elements:
            raise make_error(
                "LayoutMode",
                expected=f"a number of values per thread in multiples of the {self.num_elements} elements of the atom",
                got=values,
            )

    @property
    def layout_src_tv_tiled(self) -> Layout:
        """layout_tv_tiled: sources and destinations are divided alike."""
        return self.layout_tv_tiled

    layout_dst_tv_tiled = layout_src_tv_tiled

    @property
    def size(self) -> int:
        return self.layout_tv_tiled[0].size

    def __repr__(self) -> str:
        atom = super().__repr__()
        return f"{type(self).__name__}({atom}, {self.layout_tv_tiled}, {self.tiler_mn})"

    def get_slice(self, thr_idx: Any) -> ThrCopy:
        """The part of one thread."""
        return ThrCopy(self, thr_idx)


class ThrCopy(TiledCopy):
    """One thread's part of a tiled copy."""

    def __init__(self, tiled: TiledCopy, thr_idx: Any) -> None:
        super().__init__(tiled, tiled.layout_tv_tiled, tiled.tiler_mn)
        self.thr_idx = thr_idx

    def partition_S(self, src: Any) -> Any:
        """The thread's elements of a source: ``((atom, rest), tiles of mode 0, tiles of mode 1, ...)``."""
        divided = zipped_divide(src, self.tiler_mn)
        owned = composition(divided, (self.layout_tv_tiled, None))
        # (value, (tiles...)) of this thread, with as many values together as the atom moves.
        part = owned[((self.thr_idx, None), None)]
        return _flattened(logical_divide(part, (_as_layout(self.num_elements), None)))

    partition_D = partition_S

    def retile(self, src: Any) -> Any:
        """A register tensor of such a part, nested as parts are."""
        return src


def _flattened(part: Any) -> Any:
    """(values, (a, b, ...)) as (values, a, b, ...)."""
    layout = part.layout
    modes = [layout[0]]
    rest = layout[1]
    modes += (
        [rest[mode] for mode in range(len(rest.shape))] if isinstance(rest.shape, tuple) else [rest]
    )
    grouped = _compiler.group_layouts(modes)
    if isinstance(part, CoordTensor):
        return _compiler.make_coord_tensor(part.iterator, grouped)
    return _compiler.make_tensor(part.iterator, grouped)


def make_copy_atom(op: Any, copy_internal_type: Any, *, num_bits_per_copy: int = 0) -> CopyAtom:
    """An access of ``num_bits_per_copy`` bits (one element if not given); ``op`` is ``nvgpu.CopyUniversalOp()``."""
    return CopyAtom(op, copy_internal_type, num_bits_per_copy)


def make_tiled_copy_tv(atom: CopyAtom, thr_layout: Layout, val_layout: Layout) -> TiledCopy:
    """Threads laid out as ``thr_layout``, each with values laid out as ``val_layout``; see make_layout_tv."""
    tiler_mn, layout_tv = make_layout_tv(thr_layout, val_layout)
    return TiledCopy(atom, layout_tv, tiler_mn)


def make_tiled_copy(atom: CopyAtom, layout_tv: Layout, tiler_mn: Any) -> TiledCopy:
    """A tiled copy of a layout (thread, value) -> linear coordinate in a tile of extents ``tiler_mn``."""
    return TiledCopy(atom, layout_tv, tiler_mn)


def copy(atom: CopyAtom, src: Tensor, dst: Tensor, *, pred: Tensor | None = None) -> None:
    """Copies ``src`` to ``dst``, of one size, an atom's elements at a time.

    ``pred``: a Boolean tensor with an entry for each atom, or for each element (the first of an atom counts); where
    it is false nothing is read or written.
    """
    sizes = [tensor.size for tensor in (src, dst)]
    if not all(isinstance(size, int) for size in sizes):
        raise make_error(
            "LayoutMode", expected="static shapes for copy", got=repr((src.shape, dst.shape))
        )
    if sizes[0] != sizes[1] or sizes[0] % atom.num_elements:
        raise make_error(
            "LayoutMode",
            expected=f"tensors of one size, in multiples of the {atom.num_elements} elements of the atom, for copy",
            got=f"{sizes[0]} and {sizes[1]}",
        )
    if pred is None:
        autovec_copy(src, dst)
        return
    count = sizes[0] // atom.num_elements
    if pred.size not in (count, sizes[0]):
        raise make_error(
            "LayoutMode", expected=f"pred of {count} or {sizes[0]} entries for copy", got=pred.size
        )
    step = pred.size // count
    pieces = [logical_divide(tensor, atom.num_elements) for tensor in (src, dst)]

    def move(index: int) -> list[Any]:
        autovec_copy(pieces[0][(None, index)], pieces[1][(None, index)])
        return []

    for index in range(count):
        _compiler.if_else(pred[index * step] != 0, [], [], lambda i=index: move(i), list)


# The attributes of tiled copies that run-time values may be in.
_TILE = ("layout_tv_tiled", "tiler_mn", "thr_idx")


def _tile_names(atom: CopyAtom) -> list[str]:
    return [name for name in _TILE if name in vars(atom)]


def _flatten_atom(atom: CopyAtom) -> tuple[Any, list[Any]]:
    same = repr(atom.op), atom.value_type, atom.num_elements
    return same, [vars(atom)[name] for name in _tile_names(atom)]


def _rebuild_atom(atom: CopyAtom, parts: list[Any]) -> CopyAtom:
    made = _copy.copy(atom)
    vars(made).update(zip(_tile_names(atom), parts, strict=True))
    return made


register_composite(
    CopyAtom,
    _flatten_atom,
    _rebuild_atom,
    # Whose part of a tiled copy it is.
    lambda atom: _TILE.index("thr_idx") if hasattr(atom, "thr_idx") else -1,
)
