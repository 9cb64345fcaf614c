"""Tensors of frameworks as arguments, also of element types that the frameworks lack."""

from __future__ import annotations

from typing import Any

from fairlead import _compiler

__all__ = ["create_cute_tensor_for_fp8", "is_fp8_dtype"]

_FP8 = ("Float8E4M3FN", "Float8E5M2", "Float8E4M3", "Float8E4M3B11FNUZ")


def is_fp8_dtype(dtype: Any) -> bool:
    """Whether ``dtype``, a numeric class, is a float of 8 bits with a fraction."""
    return getattr(dtype, "__name__", None) in _FP8 and _compiler.is_dtype(dtype)


def create_cute_tensor_for_fp8(
    storage_tensor: Any,
    dtype: Any,
    leading_dim: int,
    source_f32_tensor: Any = None,
    assumed_align: int = 16,
    mark_dynamic_layout: bool = True,
) -> Any:
    """A tensor argument of elements of ``dtype`` in the memory of ``storage_tensor``, which has elements as large.

    With ``source_f32_tensor``, a tensor of that shape, floats of 8 bits are set to what it holds, converted.
    """
    from fairlead.cute.runtime import from_dlpack

    made = from_dlpack(storage_tensor, assumed_align=assumed_align)
    made.element_type = dtype
    if mark_dynamic_layout:
        made.mark_layout_dynamic(leading_dim=leading_dim)
    if source_f32_tensor is not None and is_fp8_dtype(dtype):
        from fairlead.cute import testing

        source = from_dlpack(source_f32_tensor, assumed_align=assumed_align)
        if mark_dynamic_layout:
            source.mark_layout_dynamic(leading_dim=leading_dim)
        testing.convert(source, made)
    return made
