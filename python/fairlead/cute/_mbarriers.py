"""Barriers in shared memory on which threads and asynchronous copies arrive: see cute.arch."""

from __future__ import annotations

from typing import Any

from fairlead import _compiler
from fairlead.cute._types import Number
from fairlead.cute._warp_arguments import check_range
from fairlead.cute.typing import Int

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

#: Arrivals and bytes that a phase counts at most.
MOST_ARRIVALS = (1 << 20) - 1


def mbarrier_init(mbar_ptr: _compiler.Pointer | None, cnt: Number) -> None:
    """Make 8 bytes of shared memory a barrier whose phases end after ``cnt`` arrivals. By one thread.

    Args:
        mbar_ptr: a pointer to these bytes, an Int64 in shared memory.
        cnt: arrivals of a phase, Int32, 1 or more.

    This and the functions below are for compute capability 9.0 and up, and the CPU. Raises TypeError for an address
    that is not in shared memory, ValueError for a constant ``cnt`` that is out of range.
    """
    check_range("mbarrier_init", "cnt", cnt, 1, MOST_ARRIVALS)
    _compiler.mbarrier_init(mbar_ptr, cnt)


def mbarrier_init_fence() -> None:
    """Make initialized barriers known to copies and to other blocks; a barrier of the block or the cluster follows."""
    _compiler.fence_mbarriers()


def mbarrier_arrive(
    mbar_ptr: _compiler.Pointer,
    peer_cta_rank_in_cluster: Int | None = None,
    arrive_count: Int = 1,
) -> None:
    """Arrive at a barrier without waiting.

    Args:
        mbar_ptr: the barrier, as in mbarrier_init.
        peer_cta_rank_in_cluster: the rank of the block of the cluster at whose barrier, at the same place of its shared
            memory, the thread arrives; default the thread's own.
        arrive_count: how many arrivals this is, Int32.
    """
    _compiler.mbarrier_arrive(mbar_ptr, arrive_count, peer_cta_rank_in_cluster)


def mbarrier_arrive_and_expect_tx(
    mbar_ptr: _compiler.Pointer,
    bytes: Int,
    peer_cta_rank_in_cluster: _compiler.Numeric | None = None,
) -> None:
    """Arrive once, and have the phase also wait for ``bytes`` bytes that asynchronous copies bring.

    Args:
        mbar_ptr, peer_cta_rank_in_cluster: see mbarrier_arrive.
        bytes: Int32; the sizes of all copies that name this barrier in the phase.
    """
    check_range("mbarrier_arrive_and_expect_tx", "bytes", bytes, 0, MOST_ARRIVALS)
    _compiler.mbarrier_arrive_expecting(mbar_ptr, bytes, peer_cta_rank_in_cluster)


def mbarrier_expect_tx(
    mbar_ptr: _compiler.Pointer,
    bytes: Int,
    peer_cta_rank_in_cluster: _compiler.Numeric | None = None,
) -> None:
    """Has the phase also wait for ``bytes`` bytes (Int32) that asynchronous copies bring, without arriving.

    Args:
        mbar_ptr, peer_cta_rank_in_cluster: see mbarrier_arrive.
    """
    check_range("mbarrier_expect_tx", "bytes", bytes, 0, MOST_ARRIVALS)
    _compiler.mbarrier_expect(mbar_ptr, bytes, peer_cta_rank_in_cluster)


def mbarrier_wait(mbar_ptr: _compiler.Pointer, phase: Int) -> None:
    """Wait until the phase of parity ``phase`` (0 or 1) of the barrier at ``mbar_ptr`` has ended. Phases have the
    parities 0, 1, 0 ... ; the one before the first, of parity 1, counts as ended.
    """
    check_range("mbarrier_wait", "phase", phase, 0, 1)
    _compiler.mbarrier_wait(mbar_ptr, phase)


def mbarrier_try_wait(mbar_ptr: _compiler.Pointer, phase: Int) -> _compiler.Boolean:
    """True if the phase of parity ``phase`` of the barrier at ``mbar_ptr`` has ended, perhaps after a short wait."""
    check_range("mbarrier_try_wait", "phase", phase, 0, 1)
    is_complete: _compiler.Boolean = _compiler.mbarrier_try_wait(mbar_ptr, phase)
    return is_complete


def mbarrier_test_wait(mbar_ptr: _compiler.Pointer, phase: Int) -> _compiler.Boolean:
    """True if the phase of parity ``phase`` of the barrier at ``mbar_ptr`` has ended, without waiting."""
    check_range("mbarrier_test_wait", "phase", phase, 0, 1)
    is_complete: _compiler.Boolean = _compiler.mbarrier_test_wait(mbar_ptr, phase)
    return is_complete


def mbarrier_conditional_try_wait(cond: Number, mbar_ptr: _compiler.Pointer, phase: Int) -> Any:
    """``mbarrier_try_wait(mbar_ptr, phase)`` where ``cond`` is true; else true."""
    if isinstance(cond, bool):
        return mbarrier_try_wait(mbar_ptr, phase) if cond else _compiler.Boolean(True)
    return _compiler.conditional(
        cond,
        lambda: [_compiler.mbarrier_try_wait(mbar_ptr, phase)],
        lambda: [_compiler.Boolean(True)],
    )[0]


def cp_async_mbarrier_arrive_noinc(mbar_ptr: _compiler.Pointer) -> None:
    """Arrive at the barrier at ``mbar_ptr`` once all ``cpasync`` copies that the thread has started are done.

    The arrival counts toward the number that ``mbarrier_init`` set: it does not raise that number ("noinc").
    """
    _compiler.mbarrier_arrive_after_copies(mbar_ptr)


def store_async_dsmem(
    smem_ptr: _compiler.Pointer, value: Number, mbar_ptr: _compiler.Pointer, peer_cta_rank: Number
) -> None:
    """Store a number in the shared memory of another block of the cluster (``st.async``), without waiting.

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
