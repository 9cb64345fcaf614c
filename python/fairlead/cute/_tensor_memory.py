"""Tensor memory by its instructions (``tcgen05``, of compute capability 10.0)."""

from __future__ import annotations

from typing import Any

from fairlead import _compiler

__all__ = [
    "alloc_tmem",
    "dealloc_tmem",
    "fence_view_async_tmem_load",
    "fence_view_async_tmem_store",
    "relinquish_tmem_alloc_permit",
    "retrieve_tmem_ptr",
]


def alloc_tmem(num_columns: Any, smem_ptr_to_write_address: Any) -> None:
    """Reserves columns of tensor memory, a power of two from 32 to 512, and writes their address to 4 bytes of shared
    memory. By all of a warp; waits until other blocks have freed enough."""
    _compiler.allocate_tensor_memory(smem_ptr_to_write_address, num_columns)


def dealloc_tmem(tmem_ptr: Any, num_columns: Any) -> None:
    """Frees them. By all of the warp that reserved them."""
    _compiler.free_tensor_memory(tmem_ptr, num_columns)


def relinquish_tmem_alloc_permit() -> None:
    """The block reserves no more, so that others can. By all of a warp."""
    _compiler.relinquish_tensor_memory()


def retrieve_tmem_ptr(element_type: Any, alignment: int, ptr_to_buffer_holding_addr: Any) -> Any:
    """The address that alloc_tmem wrote, as a pointer to elements of 32 bits. It counts columns, and lanes from bit 16
    on; ``alignment`` is in bytes."""
    address = ptr_to_buffer_holding_addr._recast(_compiler.Uint32).load()
    return _compiler.pointer_from_int(element_type, address, _compiler.AddressSpace.tmem, alignment)


def fence_view_async_tmem_load() -> None:
    """Waits until the thread's loads from tensor memory are done. Those of ``copy`` are without it."""
    _compiler.wait_tensor_loads()


def fence_view_async_tmem_store() -> None:
    """Waits until the thread's stores to tensor memory are done."""
    _compiler.wait_tensor_stores()
