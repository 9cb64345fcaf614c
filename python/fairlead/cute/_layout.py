"""Layouts: making them, taking them apart, tiling; of tensors too, where that makes sense."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any

from fairlead import _compiler
from fairlead._compiler import ComposedLayout, CoordTensor, Layout, Swizzle, Tensor
from fairlead._hints import name_keywords
from fairlead._tracing.native import kind_of
from fairlead._tracing.state import state
from fairlead.cute import _notebook  # noqa: F401  notebooks show layouts as pictures
from fairlead.cute._derivation import beginning, followed
from fairlead.cute._keywords import methods_ignore_keywords
from fairlead.cute._types import Coordinate, Extents, Modes, Tiler
from fairlead.cute.typing import Int
from fairlead.errors import make_error, wrong_argument

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
    "make_layout_like",
    "make_layout_tv",
    "max_common_layout",
    "max_common_vector",
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


#: The arguments of functions on layouts: of composed layouts and tensors, they change the layout.
_KINDS = (Layout, ComposedLayout, Tensor)

methods_ignore_keywords(Layout)


def make_swizzle(bits: int, base: int, shift: int) -> Swizzle:
    """Return the swizzle that xors ``bits`` bits, from bit ``base`` on, with the bits ``shift`` positions higher.

    The numbers count elements in a composed layout, and bytes on a pointer.
    """
    return Swizzle(bits, base, shift)


def make_composed_layout(
    inner: Layout | Swizzle | Callable[..., Any], offset: Any, outer: Layout | ComposedLayout
) -> ComposedLayout:
    """Return the function ``c -> inner(offset + outer(c))``."""
    return ComposedLayout(inner, offset, outer)


def make_layout(shape: Extents, *, stride: Extents | None = None) -> Layout:
    """Return a layout of extents and strides.

    Args:
        shape: the extents, Python ints or Int32/Int64 values, nested in any way. Or a list of layouts, which become the
            modes of the new one.
        stride: the strides in elements, nested like ``shape``. Without it the layout is compact, with mode 0 fastest.
    """
    if (
        stride is None
        and isinstance(shape, tuple | list)
        and any(isinstance(s, Layout) for s in shape)
    ):
        return _compiler.group_layouts([_as_layout(mode) for mode in shape])
    return _compiler.make_layout(shape, stride)


def make_ordered_layout(shape: Extents, order: Extents) -> Layout:
    """Return a compact layout of ``shape`` whose modes run in the order of the numbers in ``order``, the smallest
    fastest."""
    return _compiler.make_ordered_layout(shape, order)


def make_identity_layout(shape: Extents) -> Layout:
    """Return the layout whose value at every coordinate of ``shape`` is that coordinate: ``(4,8):(1@0,1@1)``."""
    return _compiler.make_identity_layout(shape)


def make_identity_tensor(shape: Extents) -> CoordTensor:
    """Return the tensor of the coordinates of ``shape``: tiled like the data, it tells which elements are inside."""
    return _compiler.make_identity_tensor(shape)


def make_layout_image_mask(layout: Layout, coord: Sequence[Any], mode: int) -> int:
    """Return the bits of the indices that ``layout`` reaches from ``coord`` when ``mode`` takes all its values.

    Raises TypeError for a layout that is not static.
    """
    mask: int = _compiler.make_layout_image_mask(layout, coord, mode)
    return mask


def E(mode: int | list[int]) -> Any:
    """Return a stride of one step along a mode of a coordinate, ``1@0``; nested modes as a list, from the outermost
    on. Raises TypeError for other modes."""
    if not isinstance(mode, list) and not hasattr(mode, "__index__"):
        raise wrong_argument("E", "mode", "an int or a list of ints", mode)
    return _compiler.ScaledBasis(1, mode)


def make_layout_tv(thr_layout: Layout, val_layout: Layout) -> tuple[Any, Layout]:
    """Return a tile's extents, and the layout (thread, value) -> linear coordinate in it.

    Threads lie as ``thr_layout`` says, each with neighbouring values as ``val_layout`` says. Both are static, and map
    one-to-one.
    """
    return _compiler.make_layout_tv(thr_layout, val_layout)


def make_layout_like(layout: Layout) -> Layout:
    """Return a compact layout of the shape of ``layout`` whose modes run in the order of their strides there. Strides
    known only at run time are the slowest; modes of stride 0 keep it.
    """
    return _compiler.layout_like(_as_layout(layout))


def max_common_layout(a: Layout | Tensor, b: Layout | Tensor) -> Layout:
    """Return the longest layout of coordinates that ``a`` and ``b``, layouts or tensors, both map to consecutive
    indices: the largest part that can be copied from one to the other at once. ``1:0`` without one.
    """
    layouts = [_layout_of("max_common_layout", name, x) for name, x in (("a", a), ("b", b))]
    layout: Layout = _compiler.max_common_layout(*layouts)
    return layout


def max_common_vector(a: Layout | Tensor, b: Layout | Tensor) -> int:
    """How many first elements lie side by side in both ``a`` and ``b``, layouts or tensors."""
    size: int = max_common_layout(a, b).size
    return size


def tile_to_shape(
    atom: Layout | ComposedLayout, trg_shape: Extents, order: Extents | None = None
) -> Any:
    """``atom`` repeated until it covers ``trg_shape``, in the order of the numbers in ``order`` (mode 0 first)."""
    if order is None:
        order = tuple(range(len(trg_shape))) if isinstance(trg_shape, tuple) else 0
    return _compiler.tile_to_shape(atom, trg_shape, order)


def recast_layout(
    new_type_bits: int, old_type_bits: int, src_layout: Layout | ComposedLayout
) -> Layout | ComposedLayout:
    """Return the layout ``src_layout`` of elements of ``old_type_bits``, as that of elements of ``new_type_bits`` in
    the same memory: the mode of stride 1 shrinks or grows, and a swizzle or an inner layout maps larger or smaller
    elements. ValueError (LayoutOperation) if they or the offset divide new elements, and for other composed layouts.
    """
    layout: Layout | ComposedLayout = _compiler.recast_layout(
        new_type_bits, old_type_bits, src_layout
    )
    return layout


def recast_tensor(src: Tensor, dtype: type[_compiler.Numeric]) -> Tensor:
    """Return the memory of ``src`` as elements of type ``dtype``; the extent of the mode with stride 1 changes with
    their width.

    Raises TypeError if ``dtype`` is no numeric class, ValueError (LayoutOperation) if the elements fill no whole new
    ones.
    """
    if not _compiler.is_dtype(dtype):
        raise make_error("DTypeExpected", got=repr(dtype))
    layout = recast_layout(dtype.width, src.element_type.width, src.layout)
    return _compiler.make_tensor(src.iterator._recast(dtype), layout)


def size_in_bytes(dtype: type[_compiler.Numeric], layout: Modes) -> Any:
    """Bytes from the first element of ``layout`` to behind its last one, for elements of ``dtype``."""
    bits = cosize(layout) * dtype.width
    return bits // 8 if dtype.width % 8 == 0 else (bits + 7) // 8


def append_ones(x: Modes | Sequence[Any], up_to_rank: int) -> Any:
    """``x`` with further modes of extent 1 at the end, until it has ``up_to_rank`` modes."""
    return append(x, _one_like(x), up_to_rank)


def prepend_ones(x: Modes | Sequence[Any], up_to_rank: int) -> Any:
    """``x`` with further modes of extent 1 at the beginning, until it has ``up_to_rank`` modes."""
    return prepend(x, _one_like(x), up_to_rank)


def _one_like(x: object) -> Any:
    of_layout = isinstance(x, _KINDS)
    return make_layout(1, stride=0) if of_layout else 1


def _as_layout(layout: Layout | Extents) -> Layout:
    return layout if isinstance(layout, Layout) else make_layout(layout)


@beginning
def make_tensor(
    iterator: _compiler.Pointer | Tensor, layout: Layout | ComposedLayout | Extents
) -> Tensor:
    """Return a tensor of ``layout`` (or of a shape, compact) whose first element is at the pointer ``iterator``, or
    the first element of the tensor ``iterator``.

    A composed layout of a swizzle puts the element with index i at ``swizzle(offset + i)``. With a coordinate in place
    of a pointer, and a layout that yields coordinates, it is a tensor of coordinates.

    Raises TypeError (PointerExpected) if ``iterator`` is not a pointer, a tensor or a coordinate.
    """
    if isinstance(iterator, Tensor):
        iterator = iterator.iterator
    if isinstance(iterator, tuple) and isinstance(layout, Layout):
        return _compiler.make_coord_tensor(iterator, layout)
    if not isinstance(iterator, _compiler.Pointer):
        raise make_error(
            "PointerExpected",
            what="make_tensor",
            expected="a pointer, a tensor or a coordinate",
            got=kind_of(iterator),
        )
    tensor = _compiler.make_tensor(iterator, layout)
    if state.dialect.lenient and (allocated := _compiler.extend_allocation(tensor)) is not None:
        text = f"the tensor reaches beyond the {allocated} bytes that are allocated there"
        warnings.warn(f"make_tensor: {text}", stacklevel=2)
    return tensor


_NO_SWIZZLE = Swizzle(0, 4, 3)


def recast_ptr(
    ptr: _compiler.Pointer,
    swizzle_: Swizzle | None = None,
    dtype: type[_compiler.Numeric] | None = None,
) -> _compiler.Pointer:
    """Return the address ``ptr`` as that of elements of ``dtype``, with the swizzle ``swizzle_`` of byte addresses;
    without it with none, also where ``ptr`` has one. Raises TypeError if ``ptr`` is no pointer.
    """
    if not isinstance(ptr, _compiler.Pointer):
        raise wrong_argument("recast_ptr", "ptr", "a pointer", ptr)
    ptr = ptr._swizzled(_NO_SWIZZLE if swizzle_ is None else swizzle_)
    return ptr if dtype is None else ptr._recast(dtype)


def shape(x: Modes | Extents, mode: list[int] | None = None) -> Any:
    """Return the shape of ``x``, a tensor, a layout, a shape, or a tiler, whose layouts have one each; with ``mode``, a
    path of mode numbers, that of one of its modes.
    """
    modes: Any = getattr(x, "shape", x)
    if isinstance(modes, tuple):
        modes = tuple(shape(part) for part in modes)
    for index in mode or ():
        modes = modes[index]
    return modes


def depth(x: Modes | Extents, mode: list[int] | None = None) -> int:
    """Levels of nesting of ``x``, or of its mode ``mode`` (a path of mode numbers); 0 for a number."""
    return _compiler.depth(shape(x, mode))


def is_static(x: object) -> bool:
    """True if all numbers of ``x``, a layout, a tensor's layout or a nested tuple, are compile-time constants."""
    if isinstance(x, ComposedLayout):
        return is_static(x.outer)
    if isinstance(x, Layout | Tensor):
        return is_static(x.shape) and is_static(x.stride)
    return all(map(is_static, x)) if isinstance(x, tuple | list) else isinstance(x, int)


def _layout_of(function: str, name: str, x: object) -> Any:
    """Return an argument that is a layout, or the layout of a tensor."""
    if isinstance(x, Layout | ComposedLayout):
        return x
    layout = getattr(x, "layout", None)
    if layout is None:
        raise wrong_argument(function, name, "a layout or a tensor", x)
    return layout


def cosize(x: Modes, mode: list[int] | None = None) -> Any:
    """One more than the largest index of ``x``, a layout or a tensor, or of its mode ``mode`` (a path of mode
    numbers).
    """
    layout = _layout_of("cosize", "x", x)
    layout = layout.outer if isinstance(layout, ComposedLayout) else layout
    return _compiler.cosize(get(layout, mode) if mode else layout)


def crd2idx(coord: Coordinate, layout: Layout | ComposedLayout | Extents) -> Any:
    """Return the index that ``layout``, or the compact layout of a shape, assigns to the coordinate ``coord``."""
    return (layout if isinstance(layout, ComposedLayout) else _as_layout(layout))(coord)


def idx2crd(idx: Int, shape: Extents) -> Any:
    """Return the coordinate, nested like ``shape``, of the linear index ``idx``."""
    return _compiler.idx2crd(idx, shape)


def get(x: Modes | Sequence[Any], mode: list[int]) -> Any:
    """Return the mode of ``x``, a tuple, a layout or a tensor, that the path ``mode`` leads to."""
    if isinstance(x, _KINDS):
        return _compiler.get_mode(x, list(mode))
    for index in mode:
        x = x[index]
    return x


def select(x: Modes | tuple[Any, ...] | list[Any], mode: list[int]) -> Any:
    """Return the top-level modes of ``x``, a tuple, a layout or a tensor, whose numbers are in the list ``mode``, in
    its order.
    """
    if isinstance(x, _KINDS):
        return _compiler.select_modes(x, list(mode))
    return type(x)(x[index] for index in mode)


@followed
def group_modes(x: Modes | Sequence[Any], begin: int, end: int = -1) -> Any:
    """``x`` with the modes from ``begin`` up to but without ``end`` as one; without ``end``, up to the last."""
    from fairlead.cute._operations import rank

    end = rank(x) if end == -1 else end
    if isinstance(x, _KINDS):
        return _compiler.group_modes(x, [begin, end])
    return (*x[:begin], tuple(x[begin:end]), *x[end:])


def flatten(x: Modes | Extents) -> Any:
    """``x``, a tuple, a layout or a tensor, without nesting."""
    if isinstance(x, _KINDS):
        return _compiler.flatten_layout(x, None)
    if not isinstance(x, tuple | list):
        return x
    parts: list[Any] = []
    for mode in x:
        parts += flatten(mode) if isinstance(mode, tuple | list) else [mode]
    return tuple(parts)


def append(x: Modes | Sequence[Any], elem: Layout | Extents, up_to_rank: int | None = None) -> Any:
    """``x`` with the further last mode ``elem``; with ``up_to_rank``, as often as needed for that many modes."""
    for _ in range(_missing(x, up_to_rank)):
        if isinstance(x, _KINDS):
            x = _compiler.append_mode(x, _as_layout(elem))
        else:
            x = (*_modes(x), elem)
    return x


def prepend(x: Modes | Sequence[Any], elem: Layout | Extents, up_to_rank: int | None = None) -> Any:
    """``x`` with the further first mode ``elem``; with ``up_to_rank``, as often as needed for that many modes."""
    for _ in range(_missing(x, up_to_rank)):
        if isinstance(x, _KINDS):
            x = _compiler.prepend_mode(x, _as_layout(elem))
        else:
            x = (elem, *_modes(x))
    return x


def _missing(x: Modes | Extents, up_to_rank: int | None) -> int:
    from fairlead.cute._operations import rank

    return 1 if up_to_rank is None else max(0, up_to_rank - rank(x))


def _modes(x: Modes | Extents) -> tuple[Any, ...]:
    return tuple(x) if isinstance(x, tuple | list) else (x,)


def slice_(x: Modes | Sequence[Any], coord: Any) -> Any:
    """Return the modes of ``x``, a tuple, a layout or a tensor, whose entry in ``coord`` is None."""
    if isinstance(x, Tensor):
        return x[coord]
    if isinstance(x, Layout | ComposedLayout):
        return _compiler.slice_layout(x, coord)
    modes: list[Any] = []
    for mode, entry in zip(x, coord, strict=True):
        if entry is None:
            modes.append(mode)
        elif isinstance(entry, tuple):
            modes.extend(slice_(mode, entry))
    return tuple(modes)


def dice(x: Modes | Sequence[Any], coord: Any) -> Any:
    """Return the modes of ``x``, a tuple or a layout, whose entry in ``coord`` is not None."""
    if isinstance(x, _KINDS):
        return _compiler.dice_modes(x, coord)
    modes: list[Any] = []
    for mode, entry in zip(x, coord, strict=True):
        if isinstance(entry, tuple):
            modes.extend(dice(mode, entry))
        elif entry is not None:
            modes.append(mode)
    return tuple(modes)


@followed
def coalesce(x: Modes, target_profile: Coordinate = None) -> Any:
    """Return the layout or tensor ``x`` with the fewest modes that give the same function of linear coordinates. With
    ``target_profile``, a nested tuple, only modes inside each of its entries are joined.
    """
    return _compiler.coalesce(x, target_profile)


@followed
def filter_zeros(x: Modes) -> Any:
    """``x``, a layout or a tensor, with extent 1 in place of the extents of modes with stride 0."""
    return _compiler.filter_zeros(x, None)


@followed
def filter(x: Modes) -> Any:
    """``x``, a layout or a tensor, after filter_zeros and coalesce."""
    return _compiler.filter_layout(x, None)


@followed
def composition(lhs: Modes, rhs: Tiler) -> Any:
    """Return the layout c -> lhs(rhs(c)); mode by mode for a tuple. None leaves a mode as it is."""
    return _compiler.composition(lhs, rhs)


def complement(layout: Layout, cotarget: Layout | Extents) -> Layout:
    """Return a layout that reaches what ``layout`` leaves out below ``cotarget``."""
    rest: Layout = _compiler.complement(layout, cotarget)
    return rest


def right_inverse(layout: Layout) -> Layout:
    """Return the longest layout R with layout(R(i)) == i."""
    inverse: Layout = _compiler.right_inverse(layout)
    return inverse


def left_inverse(layout: Layout) -> Layout:
    """Return a layout L with L(layout(c)) == c."""
    inverse: Layout = _compiler.left_inverse(layout)
    return inverse


@followed
def logical_divide(target: Modes, tiler: Tiler) -> Any:
    """``target``, a layout or a tensor, with (tile, rest) in place of each tiled mode, rounded up:
    ``((TM,RM),(TN,RN),L...)``.

    ``tiler`` is an int, a layout, or a tuple with one of them or None for each of the first modes.
    """
    return _compiler.logical_divide(target, tiler)


@followed
def zipped_divide(target: Modes, tiler: Tiler) -> Any:
    """``target`` divided by ``tiler`` as ``((TM,TN),(RM,RN,L...))``; see logical_divide."""
    return _compiler.zipped_divide(target, tiler)


@followed
def tiled_divide(target: Modes, tiler: Tiler) -> Any:
    """``target`` divided by ``tiler`` as ``((TM,TN),RM,RN,L...)``; see logical_divide."""
    return _compiler.tiled_divide(target, tiler)


@followed
def flat_divide(target: Modes, tiler: Tiler) -> Any:
    """``target`` divided by ``tiler`` as ``(TM,TN,RM,RN,L...)``; see logical_divide."""
    return _compiler.flat_divide(target, tiler)


def logical_product(block: Modes, tiler: Tiler) -> Any:
    """``block`` repeated as ``tiler`` says: (block, repetitions)."""
    return _compiler.logical_product(block, tiler)


def zipped_product(block: Modes, tiler: Tiler) -> Any:
    """``block`` repeated by ``tiler`` as ``((BM,BN),(TM,TN))``; see logical_product."""
    return _compiler.zipped_product(block, tiler)


def tiled_product(block: Modes, tiler: Tiler) -> Any:
    """``block`` repeated by ``tiler`` as ``((BM,BN),TM,TN)``; see logical_product."""
    return _compiler.tiled_product(block, tiler)


def flat_product(block: Modes, tiler: Tiler) -> Any:
    """``block`` repeated by ``tiler`` as ``(BM,BN,TM,TN)``; see logical_product."""
    return _compiler.flat_product(block, tiler)


def blocked_product(block: Layout, tiler: Layout) -> Layout:
    """``block`` repeated by ``tiler`` as ``((BM,TM),(BN,TN))``: the block's own modes run first."""
    product: Layout = _compiler.blocked_product(block, tiler)
    return product


def raked_product(block: Layout, tiler: Layout) -> Layout:
    """``block`` repeated by ``tiler`` as ``((TM,BM),(TN,BN))``: the repetitions run first."""
    product: Layout = _compiler.raked_product(block, tiler)
    return product


@followed
def local_tile(
    input: Tensor, tiler: Tiler, coord: Coordinate, proj: Sequence[int | None] | None = None
) -> Any:
    """Return the tile of ``input``, a tensor, at ``coord``.

    Args:
        input: a tensor, or a layout.
        tiler: the tile's extents, one for each tiled mode.
        coord: which tile, an entry for each tiled mode; None keeps all tiles along that mode, as a further mode.
        proj: which entries of ``tiler`` and ``coord`` are for this tensor: 1 takes an entry, None leaves it out.
    """
    if proj is not None:
        beyond: Any = ()
        if isinstance(coord, tuple | list):
            coord, beyond = coord[: len(proj)], coord[len(proj) :]
        tiler, coord = _projected(tiler, proj), (*_projected(coord, proj), *beyond)
    return _compiler.local_tile(input, tiler, coord)


def _projected(entries: object, proj: Sequence[int | None]) -> tuple[Any, ...]:
    """The entries that ``proj`` takes."""
    if not isinstance(entries, tuple | list) or len(entries) != len(proj):
        raise make_error(
            "LayoutMode", expected=f"a tuple with an entry for each of proj={proj}", got=entries
        )
    return tuple(entry for entry, use in zip(entries, proj, strict=True) if use is not None)


@followed
def local_partition(
    target: Tensor, tiler: Layout, index: Int, proj: tuple[Any, ...] | None = None
) -> Any:
    """Return the elements of ``target`` that one thread works on, one of each tile.

    Args:
        target: a tensor, or a layout.
        tiler: the layout of the threads.
        index: the number of the thread.
        proj: which modes of ``tiler`` are for this tensor: 1 takes a mode, None leaves it out.
    """
    tiler = _as_layout(tiler)
    if proj is not None:
        tiler = select(tiler, [mode for mode, use in enumerate(proj) if use is not None])
    return _compiler.local_partition(target, tiler, index)


@followed
def domain_offset(coord: Coordinate, tensor: Tensor) -> Any:
    """Return the tensor from ``coord`` on, with its layout as it is."""
    return _compiler.domain_offset(coord, tensor)


name_keywords(__all__, globals())
