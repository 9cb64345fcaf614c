"""Shared memory of a block."""

from __future__ import annotations

from typing import Any

from fairlead import _compiler
from fairlead.cute._layout import _as_layout, cosize
from fairlead.errors import make_error


class SmemAllocator:
    """Hands out the running block's shared memory, from the start up.

    For kernels. All allocators of a kernel share one account, and a launch without ``smem`` asks for its sum.
    """

    def allocate(self, size_or_type: Any, byte_alignment: int = 1) -> _compiler.Pointer:
        """Reserves bytes (a pointer to Int8) or one number of a type (a pointer to it).

        Args:
            size_or_type: a number of bytes, or a numeric class.
            byte_alignment: a power of two up to 1024.
        """
        if isinstance(size_or_type, int):
            return _compiler.allocate_shared(_compiler.Int8, size_or_type, byte_alignment)
        size = _size(size_or_type)
        return _compiler.allocate_shared(size_or_type, size, max(byte_alignment, size))

    def allocate_array(
        self, element_type: Any, num_elems: int = 1, byte_alignment: int = 1
    ) -> _compiler.Pointer:
        """Reserves ``num_elems`` numbers, one after the other."""
        size = _size(element_type)
        return _compiler.allocate_shared(
            element_type, size * _static(num_elems), max(byte_alignment, size)
        )

    def allocate_tensor(
        self, element_type: Any, layout: Any, byte_alignment: int = 1
    ) -> _compiler.Tensor:
        """Reserves a tensor. ``layout`` is a layout, a shape or a number of elements, known while tracing."""
        layout = _as_layout(layout)
        elements = _static(cosize(layout)) if _static(layout.size) else 0
        pointer = self.allocate_array(element_type, elements, byte_alignment)
        return _compiler.make_tensor(pointer, layout)


def _size(element_type: Any) -> int:
    if not _compiler.is_dtype(element_type):
        raise make_error("DTypeExpected", got=repr(element_type))
    return max(1, element_type.width // 8)


def _static(number: Any) -> int:
    if isinstance(number, bool) or not isinstance(number, int):
        raise make_error(
            "LayoutMode", expected="numbers known while tracing for shared memory", got=repr(number)
        )
    return number
