"""Tensors of frameworks as arguments, also of element types that the frameworks lack."""

from __future__ import annotations

from typing import Any

from fairlead import _compiler

__all__ = ["create_cute_tensor_for_fp8", "is_fp8_dtype"]

_FP8 = ("Float8E4M3FN", "Float8E5M2", "Float8E4M3", "Float8E4M3B11FNUZ")


def is_fp8_dtype(dtype: type[_compiler.Numeric]) -> bool:
    """True if ``dtype``, a numeric class, is a float of 8 bits with a fraction."""
    return getattr(dtype, "__name__", None) in _FP8 and _compiler.is_dtype(dtype)


def create_cute_tensor_for_fp8(
    storage_tensor: object,
    dtype: type[_compiler.Numeric],
    leading_dim: int,
    source_f32_tensor: object = None,
    assumed_align: int = 16,
    mark_dynamic_layout: bool = True,
) -> Any:
    """Return a tensor argument of elements of ``dtype`` in the memory of ``storage_tensor``.

    Args:
        storage_tensor: a tensor of any framework, whose elements are as large as those of ``dtype``.
        dtype: a numeric class, the type of the elements.
        leading_dim: the mode of stride 1.
        source_f32_tensor: a Float32 tensor of the same shape; where it is given and ``dtype`` is a float of 8 bits, its
            elements are converted and written to ``storage_tensor``.
        assumed_align: alignment of the address, in bytes.
        mark_dynamic_layout: whether extents and strides are those of the call, not of this tensor.
    """
    from fairlead.cute.runtime import from_dlpack

    tensor = from_dlpack(storage_tensor, assumed_align=assumed_align)
    tensor.element_type = dtype
    if mark_dynamic_layout:
        tensor.mark_layout_dynamic(leading_dim=leading_dim)
    if source_f32_tensor is not None and is_fp8_dtype(dtype):
        from fairlead.cute import testing

        source = from_dlpack(source_f32_tensor, assumed_align=assumed_align)
        if mark_dynamic_layout:
            source.mark_layout_dynamic(leading_dim=leading_dim)
        testing.convert(source, tensor)
    return tensor
