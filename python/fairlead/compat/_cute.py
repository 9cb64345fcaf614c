"""``cutlass.cute``: the language, with decorators that put the published dialect on their functions."""

from __future__ import annotations

import math as _math
from collections.abc import Callable
from typing import Any, cast

from fairlead import _compiler, cute
from fairlead._tracing.language import range_dynamic
from fairlead.compat import _layout_parts, _layouts
from fairlead.compat._arrays import Swizzle
from fairlead.compat._dialect import PUBLISHED
from fairlead.compat._layout_parts import *  # noqa: F403
from fairlead.compat._layouts import *  # noqa: F403
from fairlead.compat._layouts import with_sign
from fairlead.compat._numeric_classes import taking_classes
from fairlead.compat._places import forwarding, ignoring, take_places, taking_place
from fairlead.compat._scaled_atoms import ScaledWarpAtom, plain_atom
from fairlead.compat._texts import pretty_str
from fairlead.compat._traits import CopyAtom, Tensor
from fairlead.compat._values import struct, union
from fairlead.compat.cutlass_dsl import as_numeric
from fairlead.cute._compile import _Compile
from fairlead.cute._decorated import decorate
from fairlead.cute._jit import JitFunction
from fairlead.cute._kernels import KernelFunction
from fairlead.cute._symbols import ExampleInt, Product
from fairlead.cute._types import Extents, Int
from fairlead.cute.nvgpu.cpasync import ReductionKind
from fairlead.errors import DSLError, make_error

__all__ = [
    *cute.__all__,
    *_layout_parts.__all__,
    "CopyAtom",
    "ReductionKind",
    "Swizzle",
    "Tensor",
    "Tiler",
    "XTuple",
    "as_numeric",
    "ffi",
    "increment_coord",
    "pretty_str",
    "range_dynamic",
    "struct",
    "union",
]


def jit(function: Callable[..., Any] | None = None, **options: Any) -> Any:
    """Make a Python function a host function, as ``fairlead.cute.jit`` does."""
    return decorate(JitFunction, function, options, PUBLISHED)


def kernel(function: Callable[..., Any] | None = None, **options: Any) -> Any:
    """Make a Python function a kernel, as ``fairlead.cute.kernel`` does."""
    return decorate(KernelFunction, function, options, PUBLISHED)


compile = _Compile(dialect=PUBLISHED)

Tiler = XTuple = cute.typing.Tile


@taking_place
def recast_ptr(
    ptr: _compiler.Pointer,
    swizzle_: cute.Swizzle | None = None,
    dtype: type[_compiler.Numeric] | None = None,
) -> Any:
    """``cute.recast_ptr``; elements of an unsigned type are read as signed ones."""
    return with_sign(cute.recast_ptr(ptr, swizzle_, dtype))


@taking_place
def make_tensor(
    iterator: _compiler.Pointer | _compiler.Tensor | Int,
    layout: _compiler.Layout | _compiler.ComposedLayout | Extents,
) -> _compiler.Tensor:
    """``cute.make_tensor``; with an integer in place of a pointer, a tensor of the indices of ``layout`` from it on."""
    start = cast(Any, iterator)
    if isinstance(iterator, (int, _compiler.Numeric)) and not getattr(start, "is_float", False):
        shape: Any = layout
        indices = shape if isinstance(shape, _compiler.Layout) else cute.make_layout(shape)
        return _compiler.make_coord_tensor(start, indices)
    return cute.make_tensor(with_sign(start), layout)


def size_in_bytes(
    dtype: type[_compiler.Numeric],
    layout: _compiler.Layout | _compiler.ComposedLayout | _compiler.Tensor | None,
) -> Any:
    """Return what ``fairlead.cute.size_in_bytes`` does, and 0 bytes for None: a program without such memory."""
    return 0 if layout is None else cute.size_in_bytes(dtype, layout)


def _constants(extents: object) -> Any:
    """Return extents and strides of tensors that the program made before it compiled as what they are there."""
    if isinstance(extents, tuple):
        return tuple(_constants(extent) for extent in extents)
    return extents.example if isinstance(extents, ExampleInt | Product) else extents


@taking_place
def make_layout(shape: Extents, *, stride: Extents | None = None) -> Any:
    """Return what ``fairlead.cute.make_layout`` does, also of shapes and strides of tensors from ``from_dlpack``."""
    return cute.make_layout(_constants(shape), stride=_constants(stride))


class ffi:
    """A function of linked device code, which programs declare when they are imported. Calls raise NotImplementedError:
    Fairlead links no such code."""

    is_stand_in = True

    def __init__(self, *, name: str, **_: object) -> None:
        self.name = name

    def __call__(self, *_: object, **__: object) -> Any:
        raise NotImplementedError(
            f"`{self.name}` is a function of linked device code, which is not supported"
        )


def _chosen(condition: _compiler.Numeric | bool, a: Any, b: Any) -> Any:
    """``a`` or ``b``, chosen while tracing where the condition is known."""
    return (a if condition else b) if isinstance(condition, bool) else cute.where(condition, a, b)


@taking_place
def increment_coord(coord: object, shape: object) -> Any:
    """The coordinate behind ``coord`` in a shape that is nested alike, mode 0 fastest: an index that reaches its extent
    becomes 0 and moves the next one on. The last index of all goes on beyond its extent."""
    left = cute.rank(cute.flatten((shape,)))
    carry: Any = True

    def next_part(part: Any, extents: Any) -> Any:
        nonlocal carry, left
        if isinstance(extents, tuple):
            if not isinstance(part, tuple) or len(part) != len(extents):
                raise make_error(
                    "LayoutMode", expected=f"a coordinate nested as {shape}", got=repr(coord)
                )
            return tuple(next_part(*pair) for pair in zip(part, extents))
        left -= 1
        after = _chosen(carry, part + 1, part)
        if left == 0:
            return after
        carry = _chosen(carry, after == extents, False)
        return _chosen(carry, 0, after)

    return next_part(coord, shape)


def make_mma_atom(op: object, *, loc: object = None, ip: object = None) -> Any:
    """Return the instruction of ``op``; of a warp with block scaling it has the fields SFA and SFB."""
    atom = cute.make_mma_atom(plain_atom(op))
    return ScaledWarpAtom(atom) if getattr(atom, "_has_scale_fragments", False) else atom


def make_tiled_mma(op_or_atom: object, *args: Any, **options: Any) -> Any:
    """Return an MMA atom repeated over threads, as ``fairlead.cute.make_tiled_mma`` does."""
    return _make_tiled_mma(plain_atom(op_or_atom), *args, **options)


def gemm(atom: Any, d: Any, a: Any, b: Any, c: Any, **options: Any) -> None:
    """``d = a * b + c``, as ``fairlead.cute.gemm`` does; scale factors of a warp's product may have been set before."""
    if isinstance(atom, ScaledWarpAtom) and not isinstance(a, (list, tuple)):
        atom.multiply(d, a, b, c)
    else:
        _gemm(plain_atom(atom), d, a, b, c, **options)


_make_tiled_mma, _gemm = taking_place(cute.make_tiled_mma), taking_place(cute.gemm)

make_rmem_tensor = taking_place(taking_classes(cute.make_rmem_tensor))


@taking_place
def round_up(a: Extents, b: Extents) -> Any:
    """Return the least multiple of b that is not below a, of the type that the program's operators give. Tuples element
    by element."""
    if isinstance(a, tuple) or isinstance(b, tuple):
        return cute.round_up(a, b)
    return cute.ceil_div(a, b) * b


def _in_whole_elements(layout: object, new_bits: int, old_bits: int) -> Any:
    """Return a layout whose run-time strides are taken to be whole new elements, and whose run-time extents are rounded
    up to them: published programs recast layouts without stating that. A layout without such returns as it is."""
    count = new_bits // _math.gcd(new_bits, old_bits)
    if not isinstance(layout, _compiler.Layout) or cute.is_static(layout):
        return layout
    shape, stride = cute.flatten(layout.shape), cute.flatten(layout.stride)
    extents = list(shape if isinstance(shape, tuple) else (shape,))
    strides = list(stride if isinstance(stride, tuple) else (stride,))
    for leaf, (extent, step) in enumerate(zip(extents, strides)):
        if not isinstance(step, int):
            strides[leaf] = cute.assume(step, divby=count)
        elif not isinstance(extent, int) and 0 < abs(step) < count and count % step == 0:
            together = count // abs(step)
            extents[leaf] = cute.ceil_div(extent, together) * together
    return cute.make_layout(
        cute.unflatten(tuple(extents), layout.shape),
        stride=cute.unflatten(tuple(strides), layout.stride),
    )


def _recast_layout(new_type_bits: int, old_type_bits: int, src_layout: Any) -> Any:
    """Return a layout of elements of another size, as ``fairlead.cute.recast_layout`` does, also of run-time extents
    and strides that are not known to be whole new elements."""
    try:
        return cute.recast_layout(new_type_bits, old_type_bits, src_layout)
    except DSLError as error:
        layout = _in_whole_elements(src_layout, new_type_bits, old_type_bits)
        if error.diagnostic != "LayoutOperation" or layout is src_layout:
            raise
        return cute.recast_layout(new_type_bits, old_type_bits, layout)


def _recast_tensor(src: _compiler.Tensor, dtype: type[_compiler.Numeric]) -> Any:
    """Return the memory of ``src`` as elements of type ``dtype``, as ``fairlead.cute.recast_tensor`` does, but without
    the swizzle of its addresses, which ``recast_ptr`` drops, too: published programs swizzle such coordinates
    themselves."""
    if not _compiler.is_dtype(dtype):
        raise make_error("DTypeExpected", got=repr(dtype))
    layout = _recast_layout(dtype.width, src.element_type.width, src.layout)
    return cute.make_tensor(cute.recast_ptr(src.iterator, dtype=dtype), layout)


recast_layout = taking_place(_recast_layout)
recast_tensor = taking_place(taking_classes(_recast_tensor))


def _with_type_of(src: object, dst: object) -> Any:
    """Return ``dst`` with the element type of ``src`` if their elements have one width: these copies move bits."""
    if isinstance(src, _compiler.Tensor) and isinstance(dst, _compiler.Tensor):
        source, target = src.element_type, dst.element_type
        if source is not target and source.width == target.width:
            return cute.recast_tensor(dst, source)
    return dst


@taking_place
def basic_copy(src: _compiler.Tensor, dst: _compiler.Tensor) -> None:
    """Copy as ``fairlead.cute.basic_copy`` does; between types of one width, the bits."""
    cute.basic_copy(src, _with_type_of(src, dst))


@taking_place
def basic_copy_if(pred: _compiler.Tensor, src: _compiler.Tensor, dst: _compiler.Tensor) -> None:
    """Copy as ``fairlead.cute.basic_copy_if`` does; between types of one width, the bits."""
    cute.basic_copy_if(pred, src, _with_type_of(src, dst))


def _autovec_copy(src: _compiler.Tensor, dst: _compiler.Tensor) -> None:
    cute.autovec_copy(src, _with_type_of(src, dst))


# Hints.
autovec_copy = ignoring(_autovec_copy, "l1c_evict_priority")
make_copy_atom = ignoring(cute.make_copy_atom, "l1c_evict_priority", "load_cache_mode", "invariant")

# Fields that are left out are 0, and fields are never in memory.
native_struct = ignoring(cute.native_struct, "zero_init", "packed")

take_places(globals(), [*_layouts.__all__, *_layout_parts.__all__])

__getattr__, __dir__ = forwarding(globals(), cute)
