"""Tensor memory by its instructions (``tcgen05``, of compute capability 10.0)."""

from __future__ import annotations

from typing import Any

from fairlead import _compiler
from fairlead.cute._types import Int, PointerLike
from fairlead.cute._warp_arguments import check_whole

__all__ = [
    "alloc_tmem",
    "dealloc_tmem",
    "fence_view_async_tmem_load",
    "fence_view_async_tmem_store",
    "relinquish_tmem_alloc_permit",
    "retrieve_tmem_ptr",
]


def alloc_tmem(
    num_columns: Int, smem_ptr_to_write_address: PointerLike, is_two_cta: bool | None = None
) -> None:
    """Reserve columns of tensor memory. All threads of a warp call it, and wait until other blocks have freed enough.

    Args:
        num_columns: how many, a power of two from 32 to 512; a column has 128 lanes of 32 bits.
        smem_ptr_to_write_address: 4 bytes of shared memory that receive the address of the columns: a pointer, or a
            member of a struct.
        is_two_cta: whether a warp of each block of a pair reserves: each waits for the other, and both get the same
            columns of their own memory. All instructions on tensor memory of a kernel are of one block (default), or
            all are of pairs.

    For GPUs with tensor memory, such as ``sm_100a``.
    """
    check_whole("alloc_tmem", "num_columns", num_columns)
    place: Any = getattr(smem_ptr_to_write_address, "ptr", smem_ptr_to_write_address)
    _compiler.allocate_tensor_memory(place, num_columns, bool(is_two_cta))


def dealloc_tmem(
    tmem_ptr: _compiler.Pointer | None, num_columns: Int, is_two_cta: bool | None = None
) -> None:
    """Free columns of tensor memory. All threads of the warp that reserved them call it.

    Args:
        tmem_ptr: where they begin, from retrieve_tmem_ptr.
        num_columns: as many as were reserved.
        is_two_cta: as in alloc_tmem. Both blocks of the pair must have finished their accesses.
    """
    _compiler.free_tensor_memory(tmem_ptr, num_columns, bool(is_two_cta))


def relinquish_tmem_alloc_permit(is_two_cta: bool | None = None) -> None:
    """Say that the block reserves no more, so that others can. All threads of a warp call it.

    Args:
        is_two_cta: as in alloc_tmem.
    """
    _compiler.relinquish_tensor_memory(bool(is_two_cta))


def retrieve_tmem_ptr(
    element_type: type[_compiler.Numeric],
    alignment: int,
    ptr_to_buffer_holding_addr: _compiler.Pointer,
) -> Any:
    """Return the address that alloc_tmem wrote, as a pointer into tensor memory. It counts columns, and lanes from bit
    16 on.

    Args:
        element_type: a numeric class of up to 32 bits, the type of the elements. Addresses count columns: tensors of
            smaller elements have several of them, or one and a gap, in each.
        alignment: the address is a multiple of this number of bytes.
        ptr_to_buffer_holding_addr: the 4 bytes of shared memory that were given to alloc_tmem.
    """
    address = ptr_to_buffer_holding_addr._recast(_compiler.Uint32).load()
    return _compiler.pointer_from_int(element_type, address, _compiler.AddressSpace.tmem, alignment)


def fence_view_async_tmem_load() -> None:
    """Wait until the thread's loads from tensor memory are done. Those of ``copy`` are without it."""
    _compiler.wait_tensor_loads()


def fence_view_async_tmem_store() -> None:
    """Wait until the thread's stores to tensor memory are done."""
    _compiler.wait_tensor_stores()
