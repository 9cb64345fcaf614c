"""Cluster launch control: running clusters take over clusters of the grid that have not started."""

from __future__ import annotations

from typing import Any

from fairlead import _compiler
from fairlead.cute._types import Choice, PointerLike
from fairlead.errors import make_error
from fairlead.primitives import _enums
from fairlead.primitives._operands import member, needs, shared

__all__ = ["clusterlaunchcontrol_query_cancel", "clusterlaunchcontrol_try_cancel"]


def _own(value: object, function: str, name: str) -> Any:
    """The pointer of an address operand in this block's shared memory. TypeError (ArgumentKind) for others."""
    ptr = shared(value, function, name)
    if ptr.memspace != _compiler.AddressSpace.smem:
        raise make_error(
            "ArgumentKind",
            function=function,
            expected=f"an address in this block's shared memory as {name}",
            got=f"{ptr!r}",
        )
    return ptr


def clusterlaunchcontrol_try_cancel(
    smem_address: PointerLike, mbarrier: PointerLike, *, multicast: bool | None = None
) -> None:
    """Ask for a cluster of the grid that has not started, without waiting; one thread calls it.

    For sm_100 and newer GPUs, and the CPU. After an answer of no, the cluster must not ask again.

    Args:
        smem_address: 16 bytes of this block's shared memory, aligned to 16 bytes, that get the answer.
        mbarrier: an mbarrier there, at which the 16 bytes count.
        multicast: True if all blocks of the cluster get the answer, each at these places of its own memory.
    """
    function = "clusterlaunchcontrol_try_cancel"
    needs(function, "clc")
    operands = [_own(smem_address, function, "smem_address"), _own(mbarrier, function, "mbarrier")]
    attributes = {"multicast": bool(multicast), "fairlead.chosen_thread": True}
    _compiler.operation("try_cancel", operands, attributes)


def clusterlaunchcontrol_query_cancel(query_type: Choice, try_cancel_response: PointerLike) -> Any:
    """Read an answer to clusterlaunchcontrol_try_cancel, which its mbarrier has announced.

    Args:
        query_type: a ``ClusterLaunchControlQueryType``.
        try_cancel_response: the 16 bytes of this block's shared memory that got the answer.

    Returns:
        For IS_CANCELED a Boolean: whether there is such a cluster. For the others an Int32: the index in the grid of
        the cluster's first block, which has no meaning without one.
    """
    function = "clusterlaunchcontrol_query_cancel"
    needs(function, "clc")
    kind = member(_enums.ClusterLaunchControlQueryType, query_type, function, "query_type").value
    answer = _own(try_cancel_response, function, "try_cancel_response")
    x, y, z, is_cancelled = _compiler.query_cancelled_cluster(answer.align(16))
    if kind == "is_canceled":
        return is_cancelled != 0
    return {"x": x, "y": y, "z": z}[kind[-1]]
