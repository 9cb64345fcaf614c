"""Fences, and groups of asynchronous copies to wait for."""

from __future__ import annotations

from fairlead import _compiler
from fairlead.cute._types import Choice
from fairlead.errors import make_error

__all__ = [
    "cp_async_bulk_commit_group",
    "cp_async_bulk_wait_group",
    "cp_async_commit_group",
    "cp_async_wait_group",
    "fence_acq_rel_cluster",
    "fence_acq_rel_cta",
    "fence_acq_rel_gpu",
    "fence_acq_rel_sys",
    "fence_proxy",
    "fence_view_async_shared",
]

_SCOPE = _compiler.AtomicScope


def fence_acq_rel_cta() -> None:
    """Wait until the writes before it are seen by the block."""
    _compiler.fence(_SCOPE.Block)


def fence_acq_rel_gpu() -> None:
    """Wait until the writes before it are seen by the device."""
    _compiler.fence(_SCOPE.Device)


def fence_acq_rel_sys() -> None:
    """Wait until the writes before it are seen by every device and the host."""
    _compiler.fence(_SCOPE.System)


def fence_acq_rel_cluster() -> None:
    """Wait until the writes before it are seen by the cluster."""
    _compiler.fence_cluster()


def fence_proxy(kind: Choice, *, space: Choice | None = None) -> None:
    """Orders what threads do with memory and what asynchronous copies and warpgroups do.

    Args:
        kind: "alias", "async", "async.global" or "async.shared".
        space: "cta" (default) or "cluster", of "async.shared".

    Raises TypeError for other words.
    """
    _compiler.fence_proxy(_word(kind), "" if space is None else _word(space))


def _word(value: object) -> str:
    """The text of a choice, or of a member of an enum."""
    return str(getattr(value, "value", value))


def fence_view_async_shared() -> None:
    """Make the thread's writes to shared memory visible to asynchronous copies and warpgroups."""
    _compiler.fence_proxy("async.shared", "cta")


def cp_async_commit_group() -> None:
    """End a group of the thread's ``cpasync`` copies."""
    _compiler.commit_copies()


def cp_async_wait_group(n: int) -> None:
    """Wait until at most ``n`` groups, a number known while tracing, of the thread's ``cpasync`` copies are under way.

    Other threads see the copied data after a barrier.

    Raises TypeError for a run-time number.
    """
    if isinstance(n, bool) or not isinstance(n, int):
        raise make_error(
            "LayoutMode",
            expected="a compile-time number for cp_async_wait_group",
            got=repr(n),
        )
    _compiler.wait_copies(n)


def cp_async_bulk_commit_group() -> None:
    """End a group of the thread's stores of boxes and bytes."""
    _compiler.commit_bulk()


def cp_async_bulk_wait_group(group: int, *, read: bool | None = None) -> None:
    """Wait until at most ``group`` groups of the thread's stores are under way, a number known while tracing; with
    ``read`` until their sources have been read.

    Raises TypeError for a run-time number.
    """
    if isinstance(group, bool) or not isinstance(group, int):
        raise make_error(
            "LayoutMode",
            expected="a compile-time number for cp_async_bulk_wait_group",
            got=repr(group),
        )
    _compiler.wait_bulk(group, bool(read))
