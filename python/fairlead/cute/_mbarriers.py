"""Barriers in shared memory on which threads and asynchronous copies arrive: see cute.arch."""

from __future__ import annotations

from typing import Any

from fairlead import _compiler

__all__ = [
    "cp_async_mbarrier_arrive_noinc",
    "mbarrier_arrive",
    "mbarrier_arrive_and_expect_tx",
    "mbarrier_conditional_try_wait",
    "mbarrier_expect_tx",
    "mbarrier_init",
    "mbarrier_init_fence",
    "mbarrier_test_wait",
    "mbarrier_try_wait",
    "mbarrier_wait",
    "store_async_dsmem",
]


def mbarrier_init(mbar_ptr: Any, cnt: Any) -> None:
    """Makes 8 bytes of shared memory a barrier whose phases end after ``cnt`` arrivals. By one thread."""
    _compiler.mbarrier_init(mbar_ptr, cnt)


def mbarrier_init_fence() -> None:
    """Makes initialized barriers known to copies and to other blocks; a barrier of the block or the cluster follows."""
    _compiler.fence_mbarriers()


def mbarrier_arrive(
    mbar_ptr: Any,
    peer_cta_rank_in_cluster: Any = None,
    arrive_count: Any = 1,
    *,
    scope: Any = None,
) -> None:
    """Arrives, also at the barrier that another block of the cluster has at the same place."""
    _compiler.mbarrier_arrive(mbar_ptr, arrive_count, peer_cta_rank_in_cluster)


def mbarrier_arrive_and_expect_tx(
    mbar_ptr: Any,
    bytes: Any,
    peer_cta_rank_in_cluster: Any = None,
    relaxed: bool = False,
    *,
    scope: Any = None,
) -> None:
    """Arrives, and has the phase wait for ``bytes`` that copies bring."""
    _compiler.mbarrier_arrive_expecting(mbar_ptr, bytes, peer_cta_rank_in_cluster)


def mbarrier_expect_tx(
    mbar_ptr: Any, bytes: Any, peer_cta_rank_in_cluster: Any = None, *, scope: Any = None
) -> None:
    """Has the phase wait for ``bytes`` that copies bring."""
    _compiler.mbarrier_expect(mbar_ptr, bytes, peer_cta_rank_in_cluster)


def mbarrier_wait(mbar_ptr: Any, phase: Any) -> None:
    """Waits until the phase of parity ``phase`` (0 or 1) has ended; of a fresh barrier that of 1 has."""
    _compiler.mbarrier_wait(mbar_ptr, phase)


def mbarrier_try_wait(mbar_ptr: Any, phase: Any) -> _compiler.Boolean:
    """Whether the phase has ended, perhaps after waiting a short time."""
    return _compiler.mbarrier_try_wait(mbar_ptr, phase)


def mbarrier_test_wait(mbar_ptr: Any, phase: Any) -> _compiler.Boolean:
    """Whether the phase has ended by now."""
    return _compiler.mbarrier_test_wait(mbar_ptr, phase)


def mbarrier_conditional_try_wait(cond: Any, mbar_ptr: Any, phase: Any) -> Any:
    """mbarrier_try_wait where ``cond`` is true; else true."""
    if isinstance(cond, bool):
        return mbarrier_try_wait(mbar_ptr, phase) if cond else _compiler.Boolean(True)
    return _compiler.conditional(
        cond,
        lambda: [_compiler.mbarrier_try_wait(mbar_ptr, phase)],
        lambda: [_compiler.Boolean(True)],
    )[0]


def cp_async_mbarrier_arrive_noinc(mbar_ptr: Any) -> None:
    """Arrives at an mbarrier when the ``cpasync`` copies that the thread has asked for are done."""
    _compiler.mbarrier_arrive_after_copies(mbar_ptr)


def store_async_dsmem(smem_ptr: Any, value: Any, mbar_ptr: Any, peer_cta_rank: Any) -> None:
    """Stores a number in the shared memory of another block of the cluster (``st.async``), without waiting.

    When it is there, the mbarrier at the place of ``mbar_ptr`` in that block has its bytes: the block announces them
    with ``mbarrier_arrive_and_expect_tx`` and waits. The kernel must be launched with ``cluster=``, also for clusters
    of one block: in a launch without clusters a GPU stops at the instruction.

    Args:
        smem_ptr: the place in shared memory, as this block has it.
        value: a number of 32 or 64 bits; a Python number is one of the pointer's elements.
        mbar_ptr: an mbarrier, as this block has it.
        peer_cta_rank: the block's rank in the cluster.

    Raises TypeError for other addresses and numbers.
    """
    element = getattr(smem_ptr, "dtype", None)
    if isinstance(value, (int, float)) and element is not None:
        value = element(value)
    _compiler.store_async(smem_ptr, value, mbar_ptr, peer_cta_rank)
