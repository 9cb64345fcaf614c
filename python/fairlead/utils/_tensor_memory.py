"""Tensor memory of a block, of compute capability 10.0."""

from __future__ import annotations

from typing import Any

from fairlead import _compiler
from fairlead.cute import arch
from fairlead.errors import make_error


class TmemAllocator:
    """Reserves columns of tensor memory for a block, by one of its warps.

    Args:
        alloc_result_dst_smem_ptr: 4 bytes of shared memory, where the address is put.
        barrier_for_retrieve: a NamedBarrier of the threads that retrieve the address, among them those of the warp.
        allocator_warp_id: the warp that reserves and frees.
        num_allocated_columns: what was reserved, where that was done otherwise.
        arch: an architecture with tensor memory; all of them have 512 columns.
    """

    def __init__(
        self,
        alloc_result_dst_smem_ptr: _compiler.Pointer,
        *,
        barrier_for_retrieve: Any,
        allocator_warp_id: int = 0,
        is_two_cta: bool = False,
        num_allocated_columns: int = 0,
        two_cta_tmem_dealloc_mbar_ptr: _compiler.Pointer | None = None,
        arch: str = "sm_100",
    ) -> None:
        if is_two_cta:
            raise make_error(
                "LayoutMode", expected="is_two_cta=False for TmemAllocator", got=is_two_cta
            )
        self._place = getattr(alloc_result_dst_smem_ptr, "ptr", alloc_result_dst_smem_ptr)
        self._barrier, self._warp = barrier_for_retrieve, allocator_warp_id
        self._columns = num_allocated_columns

    def _by_warp(self, do: Any) -> None:
        def region() -> list[Any]:
            do()
            return []

        mine = arch.make_warp_uniform(arch.warp_idx()) == self._warp
        _compiler.if_else(mine, [], [], region, lambda: [])

    def allocate(self, num_columns: int) -> None:
        """Reserves columns: a power of two from 32 to 512, known while tracing."""
        self._columns = num_columns
        self._by_warp(lambda: arch.alloc_tmem(num_columns, self._place))

    def wait_for_alloc(self) -> None:
        """Waits, with all of the barrier's threads, until the address is there."""
        self._barrier.arrive_and_wait()

    def retrieve_ptr(self, dtype: type[_compiler.Numeric] = _compiler.Float32) -> Any:
        """The address, as a pointer to elements of 32 bits."""
        return arch.retrieve_tmem_ptr(dtype, 16, self._place)

    def relinquish_alloc_permit(self) -> None:
        """The block reserves no more: others can."""
        self._by_warp(arch.relinquish_tmem_alloc_permit)

    def free(self, tmem_ptr: _compiler.Pointer, num_columns: int = 0) -> None:
        """Frees what ``allocate`` reserved, after all threads are done with it."""
        columns = num_columns or self._columns
        self._by_warp(lambda: arch.dealloc_tmem(tmem_ptr, columns))
