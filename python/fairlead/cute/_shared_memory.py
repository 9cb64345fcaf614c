"""Shared memory of a block."""

from __future__ import annotations

from typing import Any

from fairlead import _compiler
from fairlead.cute._layout import ComposedLayout, _as_layout, cosize, make_tensor, recast_ptr
from fairlead.cute._struct import Struct
from fairlead.cute._types import DType, Extents
from fairlead.errors import CheckedEnum, make_error


def get_smem_capacity_in_bytes(compute_capability: str = "sm_80") -> int:
    """Bytes of shared memory that a block can have on an architecture, ``compute_capability`` such as "sm_90a".
    ValueError for one that is not known.
    """
    arch = _compiler.gpu_architecture(str(compute_capability))
    if arch is None or not arch["shared_bytes"]:
        names = [row["name"] for row in _compiler.gpu_architectures() if row["shared_bytes"]]
        raise make_error(
            "ArgumentValue",
            function="get_smem_capacity_in_bytes",
            expected=f"one of {', '.join(names)}",
            got=repr(compute_capability),
        )
    return int(arch["shared_bytes"])


class SmemPartition(CheckedEnum):
    """The part of a block's shared memory that an allocation asks for, by the names of published programs. Here one
    part serves all allocations, in the order of the program."""

    RESERVED = "reserved"


class SmemAllocator:
    """Hands out the running block's shared memory, from the start up.

    For kernels. All allocators of a kernel share one account, and a launch without ``smem`` asks for its sum.
    """

    def allocate(
        self,
        size_or_type: int | DType | Struct | Any,
        byte_alignment: int = 1,
        *,
        partition: SmemPartition | None = None,
    ) -> Any:
        """Reserve bytes (a pointer to Int8), one number of a type (a pointer to it), or a struct (the struct there).

        Args:
            size_or_type: a number of bytes, a numeric class, or what ``@cute.struct`` makes.
            byte_alignment: a power of two up to 1024.
            partition: see SmemPartition.
        """
        _check_alignment(byte_alignment)
        if isinstance(size_or_type, Struct):
            alignment = max(byte_alignment, size_or_type.alignment)
            pointer = _compiler.allocate_shared(_compiler.Int8, size_or_type.size, alignment)
            return size_or_type(pointer)
        if isinstance(size_or_type, int) and not isinstance(size_or_type, bool):
            return _compiler.allocate_shared(_compiler.Int8, size_or_type, byte_alignment)
        dtype: Any = size_or_type
        size = _size(dtype)
        return _compiler.allocate_shared(dtype, size, max(byte_alignment, size))

    def allocate_array(
        self,
        element_type: type[_compiler.Numeric],
        num_elems: int = 1,
        byte_alignment: int = 1,
        *,
        partition: SmemPartition | None = None,
    ) -> _compiler.Pointer:
        """Reserve ``num_elems`` numbers, one after the other."""
        size = _size(element_type)
        _check_alignment(byte_alignment)
        bytes_ = (_static(num_elems) * element_type.width + 7) // 8
        if element_type is _compiler.Boolean:
            bytes_ = _static(num_elems)
        return _compiler.allocate_shared(element_type, bytes_, max(byte_alignment, size))

    def allocate_tensor(
        self,
        element_type: type[_compiler.Numeric],
        layout: _compiler.Layout | _compiler.ComposedLayout | Extents,
        byte_alignment: int | None = None,
        swizzle: _compiler.Swizzle | None = None,
        *,
        partition: SmemPartition | None = None,
    ) -> _compiler.Tensor:
        """Reserve a tensor in shared memory.

        Args:
            element_type: a numeric class.
            layout: a layout, a shape or a number of elements, known while tracing; or a composed layout of a swizzle,
                which then counts elements.
            byte_alignment: a power of two up to 1024. Default: 16 for tensors of 16 bytes and more, which matrix and
                bulk copies need.
            swizzle: of byte addresses (``make_swizzle(3, 4, 3)`` for rows of 128 bytes). The memory is then aligned
                so that it begins where the swizzle does.

        Raises ValueError (SharedAlignment) if a swizzle reaches further than 1024 bytes.
        """
        _size(element_type)  # first: an error that names a type which is none
        if byte_alignment is not None:
            _check_alignment(byte_alignment)
        if isinstance(layout, ComposedLayout):
            elements = _static(layout._span)
        else:
            layout = _as_layout(layout)
            elements = _static(cosize(layout)) if _static(layout.size) else 0
        # The memory begins where the pattern of the swizzle does.
        reach = 1 if swizzle is None else swizzle._period
        if byte_alignment is None:
            byte_alignment = 16 if elements * element_type.width >= 128 else 1
        alignment = max(byte_alignment, min(reach, 1024))
        pointer = self.allocate_array(element_type, elements, alignment)
        if swizzle is not None and reach > 1024:
            raise make_error("SharedAlignment", expected="1024", got=str(reach))
        return make_tensor(recast_ptr(pointer, swizzle), layout)


def alloc_smem(
    element_type: type[_compiler.Numeric], size_in_elems: int, alignment: int | None = None
) -> _compiler.Pointer:
    """Return a pointer to ``size_in_elems`` numbers of the running block's shared memory, reserved as SmemAllocator
    does.

    Args:
        element_type: a numeric class.
        size_in_elems: how many, a compile-time number.
        alignment: in bytes, a power of two up to 1024; at least that of the type.
    """
    return SmemAllocator().allocate_array(element_type, size_in_elems, alignment or 1)


def get_dyn_smem(
    element_type: type[_compiler.Numeric], alignment: int | None = None
) -> _compiler.Pointer:
    """Return a pointer to the part of the launch's ``smem`` beyond the kernel's reservations so far: all of it if
    nothing is reserved. It reserves nothing itself; ``get_dyn_smem_size`` returns the number of bytes in all.

    Args:
        element_type: a numeric class.
        alignment: in bytes, a power of two up to 1024; at least that of the type.
    """
    return alloc_smem(element_type, 0, alignment)


def _size(element_type: type[_compiler.Numeric]) -> int:
    if not _compiler.is_dtype(element_type):
        raise make_error("DTypeExpected", got=repr(element_type))
    return max(1, element_type.width // 8)


def _check_alignment(alignment: object) -> None:
    if (
        isinstance(alignment, bool)
        or not isinstance(alignment, int)
        or alignment < 1
        or alignment & (alignment - 1)
    ):
        raise make_error("SharedAlignment", expected="1024", got=repr(alignment))


def _static(number: object) -> int:
    """Return a size that is known while tracing: a Python number, or a constant such as ``256 // Int32(32)``."""
    if isinstance(number, _compiler.Integer) and number.dtype is not _compiler.Boolean:
        number = int(number) if number.is_static else number
    if isinstance(number, bool) or not isinstance(number, int):
        raise make_error("SharedNumber", got=repr(number))
    return number
