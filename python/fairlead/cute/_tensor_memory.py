"""Tensor memory by its instructions (``tcgen05``, of compute capability 10.0)."""

from __future__ import annotations

from typing import Any

from fairlead import _compiler
from fairlead.cute._types import Int, PointerLike

__all__ = [
    "alloc_tmem",
    "dealloc_tmem",
    "fence_view_async_tmem_load",
    "fence_view_async_tmem_store",
    "relinquish_tmem_alloc_permit",
    "retrieve_tmem_ptr",
]


def alloc_tmem(num_columns: Int, smem_ptr_to_write_address: PointerLike) -> None:
    """Reserves columns of tensor memory. By all threads of a warp; waits until other blocks have freed enough.

    Args:
        num_columns: how many, a power of two from 32 to 512; a column has 128 lanes of 32 bits.
        smem_ptr_to_write_address: a pointer to 4 bytes of shared memory, to which their address is written.

    For GPUs with tensor memory, such as ``sm_100a``.
    """
    _compiler.allocate_tensor_memory(smem_ptr_to_write_address, num_columns)


def dealloc_tmem(tmem_ptr: _compiler.Pointer | None, num_columns: Int) -> None:
    """Frees columns of tensor memory. By all threads of the warp that reserved them.

    Args:
        tmem_ptr: where they begin, from retrieve_tmem_ptr.
        num_columns: as many as were reserved.
    """
    _compiler.free_tensor_memory(tmem_ptr, num_columns)


def relinquish_tmem_alloc_permit() -> None:
    """The block reserves no more, so that others can. By all of a warp."""
    _compiler.relinquish_tensor_memory()


def retrieve_tmem_ptr(
    element_type: type[_compiler.Numeric],
    alignment: int,
    ptr_to_buffer_holding_addr: _compiler.Pointer,
) -> Any:
    """The address that alloc_tmem wrote, as a pointer into tensor memory. It counts columns, and lanes from bit 16 on.

    Args:
        element_type: a numeric class of 32 bits, the type of the elements.
        alignment: what the address is a multiple of, in bytes.
        ptr_to_buffer_holding_addr: the 4 bytes of shared memory that were given to alloc_tmem.
    """
    address = ptr_to_buffer_holding_addr._recast(_compiler.Uint32).load()
    return _compiler.pointer_from_int(element_type, address, _compiler.AddressSpace.tmem, alignment)


def fence_view_async_tmem_load() -> None:
    """Waits until the thread's loads from tensor memory are done. Those of ``copy`` are without it."""
    _compiler.wait_tensor_loads()


def fence_view_async_tmem_store() -> None:
    """Waits until the thread's stores to tensor memory are done."""
    _compiler.wait_tensor_stores()
