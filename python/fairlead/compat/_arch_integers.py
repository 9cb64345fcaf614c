"""Functions of ``cutlass.cute.arch`` on integers, whose results have other types than Fairlead's."""

from __future__ import annotations

from typing import Any

from fairlead import _compiler
from fairlead.compat._places import take_places
from fairlead.cute import arch
from fairlead.cute._types import Int, Number

__all__ = [
    "bfind",
    "clz",
    "make_warp_uniform",
    "popc",
    "prmt",
    "vote_ballot_sync",
    "vote_sync_op",
    "warp_reduction_sum",
    "warp_redux_sync",
]


def bfind(value: Number) -> Any:
    """``cute.arch.bfind``; of a Uint32 an Int32."""
    place = arch.bfind(value)
    return _compiler.Int32(place) if isinstance(value, _compiler.Uint32) else place


def clz(value: Number) -> Any:
    """``cute.arch.clz`` as a Uint32."""
    return _compiler.Uint32(arch.clz(value))


def make_warp_uniform(value: Number) -> Any:
    """``cute.arch.make_warp_uniform`` of ``value`` as an Int32."""
    return arch.make_warp_uniform(_compiler.Int32(value))


def popc(value: _compiler.Numeric) -> Any:
    """``cute.arch.popc`` in the type of ``value``."""
    count = arch.popc(value)
    return type(value)(count) if isinstance(value, _compiler.Integer) else count


def prmt(src: Number, src_reg_shifted: Number, prmt_indices: Int) -> Any:
    """``cute.arch.prmt`` as an Int32."""
    return _compiler.Int32(arch.prmt(src, src_reg_shifted, prmt_indices))


def vote_ballot_sync(pred: Number, mask: Int = arch.FULL_MASK) -> Any:
    """``cute.arch.vote_ballot_sync`` as an Int32."""
    return _compiler.Int32(arch.vote_ballot_sync(pred, mask))


def vote_sync_op(pred: Number, kind: str, mask: Int = arch.FULL_MASK) -> Any:
    """``cute.arch.vote_sync_op``; a ballot as an Int32."""
    vote = arch.vote_sync_op(pred, kind, mask)
    return _compiler.Int32(vote) if kind == "ballot" else vote


def warp_reduction_sum(value: Number, threads_in_group: int = arch.WARP_SIZE) -> Any:
    """``cute.arch.warp_reduction_sum``; of Booleans a Boolean."""
    total = arch.warp_reduction_sum(value, threads_in_group)
    return _compiler.Boolean(total) if isinstance(value, _compiler.Boolean) else total


def warp_redux_sync(
    value: Number, kind: str, mask_and_clamp: int = arch.FULL_MASK, **options: Any
) -> Any:
    """``cute.arch.warp_redux_sync``, also of the kinds umax and umin, for unsigned numbers."""
    if kind not in ("umax", "umin"):
        return arch.warp_redux_sync(value, kind, mask_and_clamp, **options)
    extreme = arch.warp_redux_sync(_compiler.Uint32(value), kind[1:], mask_and_clamp, **options)
    return type(value)(extreme)


take_places(globals(), __all__)
