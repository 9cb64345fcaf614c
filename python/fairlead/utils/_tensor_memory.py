"""Tensor memory of a block, of compute capability 10.0."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from fairlead import _compiler
from fairlead.cute import arch
from fairlead.cute._shared_memory import alloc_smem
from fairlead.cute._types import Condition
from fairlead.errors import wrong_argument


def _when(condition: Condition, do: Any) -> None:
    def region() -> list[Any]:
        do()
        return []

    _compiler.if_else(condition, [], [], region, lambda: [])


class _Barrier(Protocol):
    """A barrier of the threads that retrieve an address, such as a ``NamedBarrier``."""

    def arrive_and_wait(self) -> None: ...


class TmemAllocator:
    """Reserves columns of tensor memory for a block, by one of its warps.

    Args:
        alloc_result_dst_smem_ptr: 4 bytes of shared memory, where the address is put; default new ones.
        barrier_for_retrieve: a NamedBarrier of the threads that retrieve the address, among them those of the warp.
        allocator_warp_id: the warp that reserves and frees.
        is_two_cta: whether both blocks of a pair reserve and free together (``CtaGroup.TWO``). Then both construct it.
        num_allocated_columns: the number of columns, if other code has reserved them.
        two_cta_tmem_dealloc_mbar_ptr: for pairs, 8 bytes of shared memory for an mbarrier; default new ones. The
            constructor initialises it. Before a block frees its columns, it waits there for the other block.
        arch: an architecture with tensor memory; all of them have 512 columns.
    """

    def __init__(
        self,
        alloc_result_dst_smem_ptr: _compiler.Pointer | None = None,
        *,
        barrier_for_retrieve: _Barrier,
        allocator_warp_id: int = 0,
        is_two_cta: bool = False,
        num_allocated_columns: int = 0,
        two_cta_tmem_dealloc_mbar_ptr: _compiler.Pointer | None = None,
        arch: str = "sm_100",
    ) -> None:
        if not hasattr(barrier_for_retrieve, "arrive_and_wait"):
            raise wrong_argument(
                "TmemAllocator", "barrier_for_retrieve", "a NamedBarrier", barrier_for_retrieve
            )
        if alloc_result_dst_smem_ptr is None:
            alloc_result_dst_smem_ptr = alloc_smem(_compiler.Int32, 1)
        if is_two_cta and two_cta_tmem_dealloc_mbar_ptr is None:
            two_cta_tmem_dealloc_mbar_ptr = alloc_smem(_compiler.Int64, 1)
        self._place = getattr(alloc_result_dst_smem_ptr, "ptr", alloc_result_dst_smem_ptr)
        self._barrier, self._warp = barrier_for_retrieve, allocator_warp_id
        self._columns, self._is_two_cta = num_allocated_columns, bool(is_two_cta)
        self._freeing: Any = getattr(
            two_cta_tmem_dealloc_mbar_ptr, "ptr", two_cta_tmem_dealloc_mbar_ptr
        )
        if is_two_cta:
            self._by_warp(self._initialise)

    def _initialise(self) -> None:
        _when(arch.elect_one(), lambda: arch.mbarrier_init(self._freeing, arch.WARP_SIZE))
        arch.mbarrier_init_fence()

    def _by_warp(self, do: Callable[[], object]) -> None:
        _when(arch.make_warp_uniform(arch.warp_idx()) == self._warp, do)

    def allocate(self, num_columns: int) -> None:
        """Reserve columns: a power of two from 32 to 512, known while tracing."""
        self._columns = num_columns
        self._by_warp(lambda: arch.alloc_tmem(num_columns, self._place, self._is_two_cta))

    def wait_for_alloc(self) -> None:
        """Wait, with all of the barrier's threads, until the address is there."""
        self._barrier.arrive_and_wait()

    def retrieve_ptr(self, dtype: type[_compiler.Numeric] = _compiler.Float32) -> Any:
        """Return the address, as a pointer to elements of 32 bits."""
        return arch.retrieve_tmem_ptr(dtype, 16, self._place)

    def relinquish_alloc_permit(self) -> None:
        """The block reserves no more: others can."""
        self._by_warp(lambda: arch.relinquish_tmem_alloc_permit(self._is_two_cta))

    def free(self, tmem_ptr: _compiler.Pointer, num_columns: int = 0) -> None:
        """Free what ``allocate`` reserved, after all threads of the block are done with it. Of a pair both blocks call
        it, and wait for each other."""
        columns = num_columns or self._columns

        def free() -> None:
            if self._is_two_cta:
                # Each thread of the warp arrives: what all of them did comes before.
                arch.mbarrier_arrive(self._freeing, arch.block_idx_in_cluster() ^ 1)
                arch.mbarrier_wait(self._freeing, 0)
            arch.dealloc_tmem(tmem_ptr, columns, self._is_two_cta)

        self._by_warp(free)
