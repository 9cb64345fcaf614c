"""Cluster launch control: a running block takes over clusters that have not started. See cute.arch."""

from __future__ import annotations

from typing import Any

from fairlead import _compiler

__all__ = ["clc_response", "issue_clc_query"]


def issue_clc_query(
    mbar_ptr: _compiler.Pointer, clc_response_ptr: _compiler.Pointer, multicast: bool = True
) -> None:
    """Ask to take over a cluster of the grid that has not started, without waiting for the answer.

    One thread of the warp asks. The answer, 16 bytes, arrives in shared memory, and counts at the mbarrier:
    ``mbarrier_arrive_and_expect_tx(mbar_ptr, 16)`` announces it, ``clc_response`` reads it. After an answer of no, the
    cluster must not ask again. For compute capability 10.0 and up, and the CPU.

    Args:
        mbar_ptr: an mbarrier in shared memory.
        clc_response_ptr: 16 bytes of shared memory, aligned to 16 bytes.
        multicast: whether all blocks of the cluster get the answer, each at these places of its own shared memory.

    Raises TypeError for addresses that are not in shared memory, and CompileError (NeedsGpu) for a GPU that lacks the
    instruction.
    """
    _compiler.try_cancel_cluster(clc_response_ptr, mbar_ptr, multicast)


def clc_response(result_addr: _compiler.Pointer) -> tuple[Any, Any, Any, Any]:
    """Return the answer to ``issue_clc_query`` at ``result_addr``.

    Returns:
        The index (x, y, z) in the grid of the first block of the cluster that was taken over, and whether there is
        one, all Int32. Without one, x, y and z have no meaning.

    Raises TypeError for an address that is not in shared memory.
    """
    x, y, z, is_taken = _compiler.query_cancelled_cluster(result_addr)
    return x, y, z, is_taken
