"""``cutlass.cute.arch``: Fairlead's, and names in older spellings."""

from __future__ import annotations

from typing import Any

from fairlead import _compiler
from fairlead.compat import _values
from fairlead.compat._arch_names import (
    Arch,
    ProxyKind,
    SharedSpace,
    atomic_max_float32,
    cvt_f4e2m1x2_to_f16x2,
    cvt_f4e2m1x4_to_f16x4,
    cvt_f4e2m1x8_to_f16x8,
    cvt_f32_tf32,
    get_max_tmem_alloc_cols,
    get_min_tmem_alloc_cols,
    prefetch,
    sext_unpacked_i4_i8_intrinsic,
)
from fairlead.compat._mlir.dialects import nvvm
from fairlead.compat._places import forwarding, ignoring, taking_place
from fairlead.cute import arch
from fairlead.cute._types import Elements, Int, Number

__all__ = [
    "nvvm",
    *arch.__all__,
    "Arch",
    "ProxyKind",
    "SharedSpace",
    "atomic_max_float32",
    "cvt_f32_tf32",
    "cvt_f4e2m1x2_to_f16x2",
    "cvt_f4e2m1x4_to_f16x4",
    "cvt_f4e2m1x8_to_f16x8",
    "get_max_tmem_alloc_cols",
    "get_min_tmem_alloc_cols",
    "prefetch",
    "sext_unpacked_i4_i8_intrinsic",
]

# Hints, and properties that the instructions here always have.
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
mbarrier_arrive_and_expect_tx = ignoring(arch.mbarrier_arrive_and_expect_tx, "relaxed", "scope")
mbarrier_expect_tx = ignoring(arch.mbarrier_expect_tx, "scope")


def fmax(
    a: Elements, b: Elements, *, abs: bool = False, nan: bool = False, ftz: bool = False
) -> Any:
    """Return the greater of two floats; with ``abs``, that of their absolute values. NaN counts only with ``nan``."""
    if abs:
        a, b = _compiler.abs(a), _compiler.abs(b)
    return arch.fmax(a, b) if nan else nvvm.extreme_number("max", a, b, ftz)


def fmin(
    a: Elements, b: Elements, *, abs: bool = False, nan: bool = False, ftz: bool = False
) -> Any:
    """Return the lesser of two floats; see ``fmax``."""
    if abs:
        a, b = _compiler.abs(a), _compiler.abs(b)
    return arch.fmin(a, b) if nan else nvvm.extreme_number("min", a, b, ftz)


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
