"""Layouts: making them, taking them apart, tiling; of tensors too, where that makes sense."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from fairlead import _compiler
from fairlead.cute import _notebook  # noqa: F401  notebooks show layouts as pictures
from fairlead.errors import make_error

Layout, Tensor = _compiler.Layout, _compiler.Tensor
ComposedLayout, CoordTensor = _compiler.ComposedLayout, _compiler.CoordTensor
Swizzle = _compiler.Swizzle

__all__ = [
    "ComposedLayout",
    "E",
    "Swizzle",
    "append",
    "append_ones",
    "blocked_product",
    "coalesce",
    "complement",
    "composition",
    "cosize",
    "crd2idx",
    "depth",
    "dice",
    "domain_offset",
    "filter",
    "filter_zeros",
    "flat_divide",
    "flat_product",
    "flatten",
    "get",
    "group_modes",
    "idx2crd",
    "is_static",
    "left_inverse",
    "local_partition",
    "local_tile",
    "logical_divide",
    "logical_product",
    "make_composed_layout",
    "make_identity_layout",
    "make_identity_tensor",
    "make_layout",
    "make_layout_image_mask",
    "make_layout_tv",
    "make_ordered_layout",
    "make_swizzle",
    "make_tensor",
    "prepend",
    "prepend_ones",
    "raked_product",
    "recast_layout",
    "recast_ptr",
    "recast_tensor",
    "right_inverse",
    "select",
    "shape",
    "size_in_bytes",
    "slice_",
    "tile_to_shape",
    "tiled_divide",
    "tiled_product",
    "zipped_divide",
    "zipped_product",
]


#: What the functions on layouts take: of composed layouts and tensors they change the layout.
_KINDS = (Layout, ComposedLayout, Tensor)


def make_swizzle(bits: int, base: int, shift: int) -> Swizzle:
    """See Swizzle. The numbers count elements in a composed layout, and bytes on a pointer."""
    return Swizzle(bits, base, shift)


def make_composed_layout(
    inner: Layout | Swizzle | Callable[..., Any], offset: Any, outer: Any
) -> ComposedLayout:
    """The function ``c -> inner(offset + outer(c))``."""
    return ComposedLayout(inner, offset, outer)


def make_layout(shape: Any, *, stride: Any = None) -> Layout:
    """A layout of extents and strides (in elements), nested alike; without strides compact, mode 0 fastest.

    Extents and strides are ints or Int32/Int64 values. A list of layouts makes a layout whose modes they are.
    """
    if (
        stride is None
        and isinstance(shape, tuple | list)
        and any(isinstance(s, Layout) for s in shape)
    ):
        return _compiler.group_layouts([_as_layout(mode) for mode in shape])
    return _compiler.make_layout(shape, stride)


def make_ordered_layout(shape: Any, order: Any) -> Layout:
    """A compact layout whose modes run in the order of the numbers in ``order``, the smallest fastest."""
    return _compiler.make_ordered_layout(shape, order)


def make_identity_layout(shape: Any) -> Layout:
    """The layout whose value at every coordinate of ``shape`` is that coordinate: ``(4,8):(1@0,1@1)``."""
    return _compiler.make_identity_layout(shape)


def make_identity_tensor(shape: Any) -> CoordTensor:
    """The tensor of the coordinates of ``shape``: tiled beside the data, it tells what lies inside (elem_less)."""
    return _compiler.make_identity_tensor(shape)


def make_layout_image_mask(layout: Layout, coord: Any, mode: int) -> int:
    """The bits of the indices that ``layout`` reaches from ``coord`` when ``mode`` takes all its values."""
    if not is_static(layout):
        raise make_error(
            "LayoutMode", expected="a static layout for make_layout_image_mask", got=layout
        )
    extent = layout[mode].size
    mask: Any = 0
    for place in range(extent):
        entries = list(coord)
        entries[mode] = place
        index = layout(tuple(entries))
        mask = mask | (1 << index if isinstance(index, int) else _compiler.Int32(1) << index)
    return mask


def E(mode: int | list[int]) -> Any:
    """A stride of one step along a mode of a coordinate, ``1@0``; nested modes as a list, from the outermost on."""
    return _compiler.ScaledBasis(1, mode)


def make_layout_tv(thr_layout: Layout, val_layout: Layout) -> tuple[Any, Layout]:
    """A tile's extents, and the layout (thread, value) -> linear coordinate in it.

    Threads lie as ``thr_layout`` says, each with neighbouring values as ``val_layout`` says. Both are static, and map
    one-to-one.
    """
    return _compiler.make_layout_tv(thr_layout, val_layout)


def tile_to_shape(atom: Any, trg_shape: Any, order: Any = None) -> Any:
    """``atom`` repeated until it covers ``trg_shape``, in the order of the numbers in ``order`` (mode 0 first)."""
    if order is None:
        order = tuple(range(len(trg_shape))) if isinstance(trg_shape, tuple) else 0
    return _compiler.tile_to_shape(atom, trg_shape, order)


def recast_layout(new_type_bits: int, old_type_bits: int, src_layout: Layout) -> Layout:
    """The layout of the same memory in elements of another width: the mode of stride 1 shrinks or grows."""
    return _compiler.recast_layout(new_type_bits, old_type_bits, src_layout)


def recast_tensor(src: Tensor, dtype: Any) -> Tensor:
    """The same memory as elements of another type; extents of the mode with stride 1 change with its width."""
    if not _compiler.is_dtype(dtype):
        raise make_error("DTypeExpected", got=repr(dtype))
    if not isinstance(src.layout, Layout):
        raise make_error("LayoutOperation", operation="recast_tensor", layout=src, other=dtype)
    layout = recast_layout(dtype.width, src.element_type.width, src.layout)
    return _compiler.make_tensor(recast_ptr(src.iterator, dtype=dtype), layout)


def size_in_bytes(dtype: Any, layout: Any) -> Any:
    """Bytes from a layout's first element to behind its last one."""
    bits = cosize(layout) * dtype.width
    return bits // 8 if dtype.width % 8 == 0 else (bits + 7) // 8


def append_ones(x: Any, up_to_rank: int) -> Any:
    """With further modes of extent 1 until there are ``up_to_rank``."""
    return append(x, _one_like(x), up_to_rank)


def prepend_ones(x: Any, up_to_rank: int) -> Any:
    """With further first modes of extent 1 until there are ``up_to_rank``."""
    return prepend(x, _one_like(x), up_to_rank)


def _one_like(x: Any) -> Any:
    of_layout = isinstance(x, _KINDS)
    return make_layout(1, stride=0) if of_layout else 1


def _as_layout(layout: Any) -> Layout:
    return layout if isinstance(layout, Layout) else make_layout(layout)


def make_tensor(iterator: _compiler.Pointer, layout: Any) -> Tensor:
    """A tensor of ``layout`` (or of a shape, compact) whose first element is at the pointer ``iterator``.

    A composed layout of a swizzle puts the element with index i at ``swizzle(offset + i)``. With a coordinate in place
    of a pointer, and a layout that yields coordinates, it is a tensor of coordinates.
    """
    if isinstance(iterator, tuple) and isinstance(layout, Layout):
        return _compiler.make_coord_tensor(iterator, layout)
    if not isinstance(iterator, _compiler.Pointer):
        raise make_error("PointerExpected", what="make_tensor", got=type(iterator).__name__)
    return _compiler.make_tensor(iterator, layout)


def recast_ptr(
    ptr: _compiler.Pointer, swizzle_: Any = None, dtype: Any = None
) -> _compiler.Pointer:
    """The same address for elements of another type, and with a swizzle of byte addresses, where they are given."""
    if swizzle_ is not None:
        ptr = ptr._swizzled(swizzle_)
    return ptr if dtype is None else ptr._recast(dtype)


def shape(x: Any, mode: list[int] | None = None) -> Any:
    """The shape of a tensor or a layout, or of one of its modes."""
    found = x.shape if hasattr(x, "shape") else x
    for index in mode or ():
        found = found[index]
    return found


def depth(x: Any, mode: list[int] | None = None) -> int:
    """Levels of nesting, also of one mode; 0 for a number."""
    return _compiler.depth(shape(x, mode))


def is_static(x: Any) -> bool:
    """Whether all numbers of a layout, a tensor's layout or a nested tuple are known while tracing."""
    if isinstance(x, ComposedLayout):
        return is_static(x.outer)
    if isinstance(x, _KINDS):
        return is_static(x.shape) and is_static(x.stride)
    return all(map(is_static, x)) if isinstance(x, tuple | list) else isinstance(x, int)


def cosize(x: Any, mode: list[int] | None = None) -> Any:
    """One more than the largest index of a layout, or of one of its modes."""
    layout = x if isinstance(x, Layout | ComposedLayout) else x.layout
    layout = layout.outer if isinstance(layout, ComposedLayout) else layout
    return _compiler.cosize(get(layout, mode) if mode else layout)


def crd2idx(coord: Any, layout: Any) -> Any:
    """The index of a coordinate."""
    return (layout if isinstance(layout, ComposedLayout) else _as_layout(layout))(coord)


def idx2crd(idx: Any, shape: Any) -> Any:
    """The coordinate, nested like ``shape``, of a linear index."""
    return _compiler.idx2crd(idx, shape)


def get(x: Any, mode: list[int]) -> Any:
    """The mode that the path leads to, of a tuple, a layout or a tensor."""
    if isinstance(x, _KINDS):
        return _compiler.get_mode(x, list(mode))
    for index in mode:
        x = x[index]
    return x


def select(x: Any, mode: list[int]) -> Any:
    """The top-level modes listed, in that order, of a tuple, a layout or a tensor."""
    if isinstance(x, _KINDS):
        return _compiler.select_modes(x, list(mode))
    return type(x)(x[index] for index in mode)


def group_modes(x: Any, begin: int, end: int = -1) -> Any:
    """Modes [begin, end) as one; without ``end`` up to the last."""
    from fairlead.cute._operations import rank

    end = rank(x) if end == -1 else end
    if isinstance(x, _KINDS):
        return _compiler.group_modes(x, [begin, end])
    return (*x[:begin], tuple(x[begin:end]), *x[end:])


def flatten(x: Any) -> Any:
    """Without nesting."""
    if isinstance(x, _KINDS):
        return _compiler.flatten_layout(x, None)
    if not isinstance(x, tuple | list):
        return x
    parts: list[Any] = []
    for mode in x:
        parts += flatten(mode) if isinstance(mode, tuple | list) else [mode]
    return tuple(parts)


def append(x: Any, elem: Any, up_to_rank: int | None = None) -> Any:
    """With a further last mode; with as many as there have to be for ``up_to_rank`` modes, where that is given."""
    for _ in range(_missing(x, up_to_rank)):
        if isinstance(x, _KINDS):
            x = _compiler.append_mode(x, _as_layout(elem))
        else:
            x = (*_modes(x), elem)
    return x


def prepend(x: Any, elem: Any, up_to_rank: int | None = None) -> Any:
    """With further first modes; see append."""
    for _ in range(_missing(x, up_to_rank)):
        if isinstance(x, _KINDS):
            x = _compiler.prepend_mode(x, _as_layout(elem))
        else:
            x = (elem, *_modes(x))
    return x


def _missing(x: Any, up_to_rank: int | None) -> int:
    from fairlead.cute._operations import rank

    return 1 if up_to_rank is None else max(0, up_to_rank - rank(x))


def _modes(x: Any) -> tuple[Any, ...]:
    return tuple(x) if isinstance(x, tuple | list) else (x,)


def slice_(x: Any, coord: Any) -> Any:
    """What ``coord`` leaves open with None, of a tuple, a layout or a tensor."""
    if isinstance(x, Tensor):
        return x[coord]
    if isinstance(x, Layout | ComposedLayout):
        return _compiler.slice_layout(x, coord)
    kept: list[Any] = []
    for mode, entry in zip(x, coord, strict=True):
        if entry is None:
            kept.append(mode)
        elif isinstance(entry, tuple):
            kept.extend(slice_(mode, entry))
    return tuple(kept)


def dice(x: Any, coord: Any) -> Any:
    """The modes that ``coord`` does not leave open."""
    if isinstance(x, _KINDS):
        return _compiler.dice_modes(x, coord)
    kept: list[Any] = []
    for mode, entry in zip(x, coord, strict=True):
        if isinstance(entry, tuple):
            kept.extend(dice(mode, entry))
        elif entry is not None:
            kept.append(mode)
    return tuple(kept)


def coalesce(x: Any, target_profile: Any = None) -> Any:
    """The same function of linear coordinates in the fewest modes; within the modes of a profile, if given."""
    return _compiler.coalesce(x, target_profile)


def filter_zeros(x: Any) -> Any:
    """Extents of modes with stride 0 become 1."""
    return _compiler.filter_zeros(x, None)


def filter(x: Any) -> Any:
    """filter_zeros, coalesced."""
    return _compiler.filter_layout(x, None)


def composition(lhs: Any, rhs: Any) -> Any:
    """The layout c -> lhs(rhs(c)); mode by mode for a tuple. None leaves a mode as it is."""
    return _compiler.composition(lhs, rhs)


def complement(layout: Layout, cotarget: Any) -> Layout:
    """A layout that reaches what ``layout`` leaves out below ``cotarget``."""
    return _compiler.complement(layout, cotarget)


def right_inverse(layout: Layout) -> Layout:
    """The longest layout R with layout(R(i)) == i."""
    return _compiler.right_inverse(layout)


def left_inverse(layout: Layout) -> Layout:
    """A layout L with L(layout(c)) == c."""
    return _compiler.left_inverse(layout)


def logical_divide(target: Any, tiler: Any) -> Any:
    """Each tiled mode becomes (tile, rest), rounded up: ``((TM,RM),(TN,RN),L...)``.

    ``tiler`` is an int, a layout, or a tuple with one of them or None for each of the first modes.
    """
    return _compiler.logical_divide(target, tiler)


def zipped_divide(target: Any, tiler: Any) -> Any:
    """``((TM,TN),(RM,RN,L...))``; see logical_divide."""
    return _compiler.zipped_divide(target, tiler)


def tiled_divide(target: Any, tiler: Any) -> Any:
    """``((TM,TN),RM,RN,L...)``; see logical_divide."""
    return _compiler.tiled_divide(target, tiler)


def flat_divide(target: Any, tiler: Any) -> Any:
    """``(TM,TN,RM,RN,L...)``; see logical_divide."""
    return _compiler.flat_divide(target, tiler)


def logical_product(block: Any, tiler: Any) -> Any:
    """``block`` repeated as ``tiler`` says: (block, repetitions)."""
    return _compiler.logical_product(block, tiler)


def zipped_product(block: Any, tiler: Any) -> Any:
    """``((BM,BN),(TM,TN))``; see logical_product."""
    return _compiler.zipped_product(block, tiler)


def tiled_product(block: Any, tiler: Any) -> Any:
    """``((BM,BN),TM,TN)``; see logical_product."""
    return _compiler.tiled_product(block, tiler)


def flat_product(block: Any, tiler: Any) -> Any:
    """``(BM,BN,TM,TN)``; see logical_product."""
    return _compiler.flat_product(block, tiler)


def blocked_product(block: Layout, tiler: Layout) -> Layout:
    """``((BM,TM),(BN,TN))``: the block's own modes run first."""
    return _compiler.blocked_product(block, tiler)


def raked_product(block: Layout, tiler: Layout) -> Layout:
    """``((TM,BM),(TN,BN))``: the repetitions run first."""
    return _compiler.raked_product(block, tiler)


def local_tile(input: Any, tiler: Any, coord: Any, proj: Any = None) -> Any:
    """The tile at ``coord``, an entry for each tiled mode; None keeps a mode of the tiles.

    ``proj`` chooses which entries of ``tiler`` and ``coord`` are for this tensor: 1 takes an entry, None leaves it out.
    Entries of ``coord`` beyond it, for modes that are not tiled, are taken.
    """
    if proj is not None:
        beyond: Any = ()
        if isinstance(coord, tuple | list):
            coord, beyond = coord[: len(proj)], coord[len(proj) :]
        tiler, coord = _projected(tiler, proj), (*_projected(coord, proj), *beyond)
    return _compiler.local_tile(input, tiler, coord)


def _projected(entries: Any, proj: Any) -> tuple[Any, ...]:
    """The entries that ``proj`` takes."""
    if not isinstance(entries, tuple | list) or len(entries) != len(proj):
        raise make_error(
            "LayoutMode", expected=f"a tuple with an entry for each of proj={proj}", got=entries
        )
    return tuple(entry for entry, use in zip(entries, proj, strict=True) if use is not None)


def local_partition(target: Any, tiler: Layout, index: Any, proj: Any = None) -> Any:
    """The elements that thread ``index`` of the thread layout works on, one of each tile.

    ``proj`` chooses which modes of ``tiler`` are for this tensor: 1 takes a mode, None leaves it out.
    """
    tiler = _as_layout(tiler)
    if proj is not None:
        tiler = select(tiler, [mode for mode, use in enumerate(proj) if use is not None])
    return _compiler.local_partition(target, tiler, index)


def domain_offset(coord: Any, tensor: Any) -> Any:
    """The tensor from ``coord`` on, with its layout as it is."""
    return _compiler.domain_offset(coord, tensor)
