"""Values that a thread keeps in registers, and moving elements between tensors."""

from __future__ import annotations

import warnings
from typing import Any, TypeAlias

from fairlead import _compiler
from fairlead._compiler import ComposedLayout, Layout
from fairlead._tracing.native import kind_of
from fairlead._tracing.state import state
from fairlead.cute._layout import _as_layout, cosize
from fairlead.cute._types import DType, Extents, Modes, Number
from fairlead.errors import make_error, wrong_argument

__all__ = [
    "TensorSSA",
    "autovec_copy",
    "basic_copy",
    "basic_copy_if",
    "full",
    "full_like",
    "make_fragment",
    "make_fragment_like",
    "make_rmem_tensor",
    "make_rmem_tensor_like",
    "ones_like",
    "zeros_like",
]

#: The result of a tensor's ``load``, by its published name.
TensorSSA: TypeAlias = _compiler.TensorExpr


def make_rmem_tensor(
    layout_or_shape: Layout | ComposedLayout | Extents, dtype: type[_compiler.Numeric]
) -> _compiler.Tensor:
    """Return a tensor in the running thread's registers, undefined at first.

    Args:
        layout_or_shape: a layout or a shape of compile-time constants. For a composed layout of a
            swizzle, the memory reaches as far as the swizzle moves elements.
        dtype: a numeric class, the type of the elements.

    Raises TypeError for objects that are neither a layout nor a shape, ValueError (RegisterTensor) if it is not static.
    """
    if _compiler.is_dtype(layout_or_shape):
        raise make_error(
            "ArgumentAnnotation",
            function="make_rmem_tensor",
            index=0,
            name="layout_or_shape",
            expected="a layout or a shape",
            got=kind_of(layout_or_shape),
        )
    if isinstance(layout_or_shape, ComposedLayout):
        memory = _compiler.make_rmem_tensor(_as_layout(layout_or_shape._span), dtype)
        return _compiler.make_tensor(memory.iterator, layout_or_shape)
    layout = _as_layout(layout_or_shape)
    if state.dialect.lenient and _compiler.is_dtype(dtype) and 1 < dtype.width < 8:
        # Published programs take the words of such elements, which are packed as in other memory.
        elements = cosize(layout)
        if isinstance(elements, int) and elements > 0:
            count = -(-elements * dtype.width // 8)
            packed = _compiler.make_rmem_tensor(_compiler.make_layout(count, None), _compiler.Uint8)
            return _compiler.make_tensor(packed.iterator._recast(dtype), layout)
    return _compiler.make_rmem_tensor(layout, dtype)


def make_fragment(
    layout_or_shape: Layout | ComposedLayout | Extents, dtype: type[_compiler.Numeric]
) -> _compiler.Tensor:
    """Return the former name of ``make_rmem_tensor(layout_or_shape, dtype)``; DeprecationWarning."""
    warnings.warn("make_fragment is now make_rmem_tensor", DeprecationWarning, stacklevel=2)
    return make_rmem_tensor(layout_or_shape, dtype)


def make_rmem_tensor_like(
    src: _compiler.Tensor | _compiler.TensorExpr | _compiler.CoordTensor, dtype: DType | None = None
) -> _compiler.Tensor:
    """Return a register tensor of the shape of ``src``, a tensor or a whole-tensor value, compact with its modes in the
    order of their strides in ``src`` (``make_layout_like``); those of a value run from the first on. Its elements are
    of ``dtype``, by default that of ``src``.
    """
    if isinstance(src, _compiler.Tensor) and isinstance(src.layout, Layout):
        return make_rmem_tensor(_compiler.layout_like(src.layout), dtype or src.element_type)
    _shaped("make_rmem_tensor_like", src, dtype)
    return make_rmem_tensor(src.shape, dtype or src.element_type)


def _shaped(function: str, src: object, dtype: DType | None) -> object:
    """Return ``src``, which has a shape, and a type of its elements where ``dtype`` is None."""
    if not hasattr(src, "shape") or (dtype is None and not hasattr(src, "element_type")):
        raise wrong_argument(function, "src", "a tensor or a whole-tensor value", src)
    return src


def make_fragment_like(
    src: Modes | _compiler.TensorExpr, dtype: type[_compiler.Numeric] | None = None
) -> Any:
    """Return a register tensor like ``src``, a tensor or a whole-tensor value: ``make_rmem_tensor_like``.

    For a layout without ``dtype``, the layout of a fragment of that shape: mode 0, the values of an instruction,
    compact and fastest, the other modes in the order of their strides. With ``dtype``, a register tensor
    of that layout.
    """
    if not isinstance(src, Layout | ComposedLayout):
        return make_rmem_tensor_like(src, dtype)
    layout = _compiler.fragment_layout(src if isinstance(src, Layout) else src.outer)
    return layout if dtype is None else make_rmem_tensor(layout, dtype)


def full(
    shape: Extents, fill_value: Number, dtype: type[_compiler.Numeric]
) -> _compiler.TensorExpr:
    """Return a whole-tensor value of the static shape ``shape`` whose elements are all ``fill_value``, converted to
    ``dtype``.
    """
    target = make_rmem_tensor(shape, dtype)
    target.fill(dtype(fill_value))
    return target.load()


def full_like(
    src: Modes | _compiler.TensorExpr, fill_value: Number, dtype: DType | None = None
) -> _compiler.TensorExpr:
    """Return a whole-tensor value of the shape of ``src`` whose elements are all ``fill_value``, converted to ``dtype``
    (default that of ``src``).
    """
    source: Any = _shaped("full_like", src, dtype)
    return full(source.shape, fill_value, dtype or source.element_type)


def ones_like(
    src: Modes | _compiler.TensorExpr, dtype: type[_compiler.Numeric] | None = None
) -> _compiler.TensorExpr:
    """Return a whole-tensor value of the shape of ``src`` whose elements are all 1, of ``dtype`` (default that of
    ``src``)."""
    return full_like(src, 1, dtype)


def zeros_like(
    src: Modes | _compiler.TensorExpr, dtype: type[_compiler.Numeric] | None = None
) -> _compiler.TensorExpr:
    """Return a whole-tensor value of the shape of ``src`` whose elements are all 0, of ``dtype`` (default that of
    ``src``)."""
    return full_like(src, 0, dtype)


def basic_copy(src: _compiler.Tensor, dst: _compiler.Tensor) -> None:
    """Copies all elements of ``src`` to ``dst``, a tensor of the same shape. Everything is read before anything is
    written. Raises TypeError for other objects.
    """
    if not hasattr(src, "load"):
        raise wrong_argument("basic_copy", "src", "a tensor", src)
    if not hasattr(dst, "store"):
        raise wrong_argument("basic_copy", "dst", "a tensor", dst, 1)
    dst.store(src.load())


def autovec_copy(src: _compiler.Tensor, dst: _compiler.Tensor) -> None:
    """Copies all elements of ``src`` to ``dst``, of the same static size; contiguous elements move together, as far
    as layout, swizzle and alignment allow.
    """
    _compiler.copy_vectors(src, dst)


def basic_copy_if(pred: _compiler.Tensor, src: _compiler.Tensor, dst: _compiler.Tensor) -> None:
    """Copy the elements of ``src`` to ``dst`` whose element of the Boolean tensor ``pred`` is true; all three have one
    static shape.

    Raises ValueError for tensors of different shapes.
    """
    size = _static_size(src)
    if _static_size(dst) != size:
        raise make_error(
            "CopyPartitions", atom="an element each", source=str(src), destination=str(dst)
        )
    if _static_size(pred) != size:
        raise make_error(
            "CopyPredicate", expected=f"an entry for each of the {size} elements of {src}", got=pred
        )
    for index in range(size):
        _compiler.if_else(pred[index] != 0, [], [], lambda i=index: _move(src, dst, i), list)


def _move(src: _compiler.Tensor, dst: _compiler.Tensor, index: int) -> list[Any]:
    dst[index] = src[index]
    return []


def _static_size(tensor: _compiler.Tensor) -> int:
    size = tensor.size
    if not isinstance(size, int):
        raise make_error("LayoutMode", expected="a static shape for basic_copy_if", got=repr(size))
    return size
