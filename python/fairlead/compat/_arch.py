"""``cutlass.cute.arch``: Fairlead's, and names in older spellings."""

from __future__ import annotations

from typing import Any

from fairlead import _compiler
from fairlead.compat import _arch_carries, _arch_conversions, _arch_integers, _arch_narrow, _values
from fairlead.compat._arch_conversions import *  # noqa: F403
from fairlead.compat._arch_names import (
    SM100_TMEM_CAPACITY_COLUMNS,
    SM100_TMEM_MIN_ALLOC_COLUMNS,
    TMEM_MAX_ALLOC_COLUMNS_MAP,
    TMEM_MIN_ALLOC_COLUMNS_MAP,
    Arch,
    ProxyKind,
    SharedSpace,
    atomic_max_float32,
    cvt_f4e2m1x2_to_f16x2,
    cvt_f4e2m1x4_to_f16x4,
    cvt_f4e2m1x8_to_f16x8,
    cvt_f32_tf32,
    fence_view_async_tmem_op,
    get_max_tmem_alloc_cols,
    get_min_tmem_alloc_cols,
    is_tmem_allocation_exclusive,
    prefetch,
    sext_unpacked_i4_i8_intrinsic,
)
from fairlead.compat._mlir.dialects import nvvm
from fairlead.compat._places import forwarding, ignoring, taking_place
from fairlead.cute import arch
from fairlead.cute._types import Choice, Elements, Int, Number
from fairlead.primitives import _mixed

__all__ = [
    "nvvm",
    *_arch_conversions.__all__,
    *arch.__all__,
    "Arch",
    "ProxyKind",
    "SM100_TMEM_CAPACITY_COLUMNS",
    "SM100_TMEM_MIN_ALLOC_COLUMNS",
    "SharedSpace",
    "TMEM_MAX_ALLOC_COLUMNS_MAP",
    "TMEM_MIN_ALLOC_COLUMNS_MAP",
    "add_cc",
    "add_packed_bf16x2",
    "add_packed_f16x2",
    "addc",
    "atomic_max_float32",
    "cvt_f32_tf32",
    "cvt_f4e2m1x2_to_f16x2",
    "cvt_f4e2m1x4_to_f16x4",
    "cvt_f4e2m1x8_to_f16x8",
    "exp2_packed_bf16x2",
    "exp2_packed_f16x2",
    "fence_view_async_tmem_op",
    "fma_bf16",
    "fma_f16",
    "fma_packed_bf16x2",
    "fma_packed_f16x2",
    "get_max_tmem_alloc_cols",
    "get_min_tmem_alloc_cols",
    "is_tmem_allocation_exclusive",
    "mad_cc",
    "madc",
    "prefetch",
    "sext_unpacked_i4_i8_intrinsic",
    "sub_cc",
    "sub_packed_bf16x2",
    "sub_packed_f16x2",
    "subc",
]

# The results have other types than Fairlead's.
bfind = _arch_integers.bfind
clz = _arch_integers.clz
make_warp_uniform = _arch_integers.make_warp_uniform
popc = _arch_integers.popc
prmt = _arch_integers.prmt
vote_ballot_sync = _arch_integers.vote_ballot_sync
vote_sync_op = _arch_integers.vote_sync_op
warp_reduction_sum = _arch_integers.warp_reduction_sum
warp_redux_sync = _arch_integers.warp_redux_sync

# Names and types of operands that Fairlead lacks.
add_cc = _arch_carries.add_cc
addc = _arch_carries.addc
mad_cc = _arch_carries.mad_cc
madc = _arch_carries.madc
sub_cc = _arch_carries.sub_cc
subc = _arch_carries.subc
exp2_packed_bf16x2 = _arch_narrow.exp2_packed_bf16x2
exp2_packed_f16x2 = _arch_narrow.exp2_packed_f16x2
add_packed_bf16x2 = _arch_narrow.add_packed_bf16x2
add_packed_f16x2 = _arch_narrow.add_packed_f16x2
fma_bf16 = _arch_narrow.fma_bf16
fma_f16 = _arch_narrow.fma_f16
fma_packed_bf16x2 = _arch_narrow.fma_packed_bf16x2
fma_packed_f16x2 = _arch_narrow.fma_packed_f16x2
mul_hi = _arch_narrow.mul_hi
sub_packed_bf16x2 = _arch_narrow.sub_packed_bf16x2
sub_packed_f16x2 = _arch_narrow.sub_packed_f16x2

# Hints, and properties that the instructions here always have.
_MIXED = tuple(name for name in _mixed.__all__ if not name.startswith("mul_"))
globals().update({name: ignoring(getattr(_mixed, name), "calc_func", "dtype") for name in _MIXED})
barrier_arrive = ignoring(arch.barrier_arrive, "aligned")
fence_proxy = ignoring(arch.fence_proxy, "use_intrinsic")
load = ignoring(_values.load)
store = ignoring(_values.store)
atomic_add = ignoring(_values.typed_by_number(arch.atomic_add))
atomic_and = ignoring(_values.typed_by_number(arch.atomic_and))
atomic_cas = ignoring(_values.typed_by_number(arch.atomic_cas))
atomic_exch = ignoring(_values.typed_by_number(arch.atomic_exch))
atomic_max = ignoring(_values.typed_by_number(arch.atomic_max))
atomic_min = ignoring(_values.typed_by_number(arch.atomic_min))
atomic_or = ignoring(_values.typed_by_number(arch.atomic_or))
atomic_xor = ignoring(_values.typed_by_number(arch.atomic_xor))
mbarrier_arrive = ignoring(arch.mbarrier_arrive, "scope")
mbarrier_expect_tx = ignoring(arch.mbarrier_expect_tx, "scope")


def _extreme(name: str, a: Any, b: Any, abs: bool, nan: bool, ftz: bool) -> Any:
    if not abs:
        return getattr(arch, f"f{name}")(a, b) if nan else nvvm.extreme_number(name, a, b, ftz)
    size = _extreme(name, _compiler.abs(a), _compiler.abs(b), False, nan, ftz)
    bits = [_compiler.Float32(number).bitcast(_compiler.Uint32) for number in (a, b, size)]
    return (((bits[0] ^ bits[1]) & _compiler.Uint32(1 << 31)) ^ bits[2]).bitcast(_compiler.Float32)


def fmax(
    a: Elements, b: Elements, *, abs: bool = False, nan: bool = False, ftz: bool = False
) -> Any:
    """Return the greater of two floats. With ``abs``, the greater of their absolute values, negative if one of the two
    is negative. NaN counts only with ``nan``."""
    return _extreme("max", a, b, abs, nan, ftz)


def fmin(
    a: Elements, b: Elements, *, abs: bool = False, nan: bool = False, ftz: bool = False
) -> Any:
    """Return the lesser of two floats; see ``fmax``."""
    return _extreme("min", a, b, abs, nan, ftz)


@taking_place
def mbarrier_arrive_and_expect_tx(
    mbar_ptr: _compiler.Pointer,
    bytes: Int,
    peer_cta_rank_in_cluster: _compiler.Numeric | None = None,
    *,
    relaxed: bool = False,
    scope: Choice | None = None,
) -> None:
    """``cute.arch.mbarrier_arrive_and_expect_tx``. At another block's mbarrier it does not wait for the thread's
    writes, which a fence for the cluster would. ``relaxed`` and ``scope`` have no effect."""
    if peer_cta_rank_in_cluster is None:
        return arch.mbarrier_arrive_and_expect_tx(mbar_ptr, bytes)
    arch.mbarrier_expect_tx(mbar_ptr, bytes, peer_cta_rank_in_cluster)
    _compiler.mbarrier_arrive_after_reading(mbar_ptr, peer_cta_rank_in_cluster)


@taking_place
def warp_reduction_max(value: Number, threads_in_group: int = arch.WARP_SIZE) -> Any:
    """``cute.arch.warp_reduction_max``, which ignores NaN among Float32 as ``fmax`` does."""
    if isinstance(value, _compiler.Float32):
        return arch.warp_reduction(value, fmax, threads_in_group)
    return arch.warp_reduction_max(value, threads_in_group)


@taking_place
def match_sync(mask: Int, value: Number, kind: str = "any") -> Any:
    """``cute.arch.match_sync`` of integers of 64 bits, and of other numbers as Int32. The result of "all" is the mask
    alone."""
    if not isinstance(value, (_compiler.Int64, _compiler.Uint64)):
        value = _compiler.Int32(value)
    matches = arch.match_sync(mask, value, kind)
    return matches[0] if kind == "all" else matches


@taking_place
def nanosleep(sleep_time: Number) -> None:
    """``cute.arch.nanosleep`` with its published keyword."""
    arch.nanosleep(sleep_time)


__getattr__, __dir__ = forwarding(globals(), arch)
