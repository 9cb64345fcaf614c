"""``cutlass.experimental.primitives``: instructions by names of their own, those that the language has others for."""

from __future__ import annotations

import enum
from typing import Any

from fairlead import _compiler
from fairlead.cute import arch
from fairlead.cute._protocols import take_places

__all__ = [
    "AtomicOp",
    "CpReduceOp",
    "CpReduceType",
    "GridDepAction",
    "MBarrierScope",
    "MBarrierWait",
    "MemOrder",
    "MemScope",
    "PermuteMode",
    "ReductionKind",
    "atomicrmw",
    "cp_async_bulk_global_shared_cta",
    "cp_reduce_async_bulk_global_shared_cta",
    "griddepcontrol",
    "mapa",
    "mov_b32",
    "prmt",
    "redux_sync",
]


def _words(name: str, words: str, text: str) -> Any:
    make: Any = enum.Enum
    made = make(name, {each.upper(): each for each in words.split()}, module=__name__)
    made.__doc__ = text
    return made


AtomicOp = _words(
    "AtomicOp", "add and or xor exch inc dec min max cas", "What an atomic operation does."
)
CpReduceOp = _words(
    "CpReduceOp", "add and or xor min max inc dec", "What a copy does with what it finds."
)
CpReduceType = _words(
    "CpReduceType", "f16 bf16 f32 f64 u32 s32 u64 s64 b32 b64", "The numbers of such a copy."
)
GridDepAction = _words(
    "GridDepAction", "wait launch_dependents", "What a kernel of a stream asks of its neighbours."
)
MBarrierScope = _words("MBarrierScope", "cta cluster", "Whose threads a barrier orders.")
MBarrierWait = _words("MBarrierWait", "try test", "How long a wait may take before it answers.")
MemOrder = _words("MemOrder", "relaxed acquire release acq_rel", "What is ordered.")
MemScope = _words("MemScope", "cta cluster gpu sys", "For whom it is ordered.")
PermuteMode = _words(
    "PermuteMode", "default f4e b4e rc8 ecl ecr rc16", "How a selector of bytes is read."
)
ReductionKind = _words(
    "ReductionKind", "add and or xor min max umin umax fmin fmax", "What a warp's numbers become."
)


def atomicrmw(op: Any, ptr: Any, value: Any) -> Any:
    """What was at ``ptr``, which becomes ``op`` of it and ``value``. ``INC`` and ``DEC``, of 32 bits, go on at 0 after
    ``value``, and at ``value`` before 0. ValueError for ``CAS``, which takes two values."""
    if op in (AtomicOp.INC, AtomicOp.DEC):
        return arch.inline_ptx(
            f"atom.{op.value}.u32 {{$w0}}, [{{$r0}}], {{$r1}};",
            write_only_types=[_compiler.Int32],
            read_only_args=[ptr.toint(), _compiler.Int32(value)],
        )
    if op is AtomicOp.CAS:
        raise ValueError(
            "atomicrmw takes operations of one value; for CAS there is cute.arch.atomic_cas"
        )
    return getattr(arch, f"atomic_{op.value}")(ptr, value)


def cp_async_bulk_global_shared_cta(dst: Any, src: Any, size: Any) -> None:
    """Copies ``size`` bytes, a multiple of 16, from shared to global memory, in the thread's bulk group; GPUs only."""
    _bulk("cp.async.bulk.global.shared::cta.bulk_group", dst, src, size)


def cp_reduce_async_bulk_global_shared_cta(
    dst: Any, src: Any, size: Any, *, op: Any, type: Any, noftz: bool = False
) -> None:
    """Likewise; what it finds in global memory becomes ``op`` of it and the numbers that are copied."""
    words = [f"{op.value}.noftz" if noftz else op.value, type.value]
    _bulk(".".join(["cp.reduce.async.bulk.global.shared::cta.bulk_group", *words]), dst, src, size)


def _bulk(instruction: str, dst: Any, src: Any, size: Any) -> None:
    addresses = dst.toint(), _compiler.Int32(src.toint()), _compiler.Int32(size)
    arch.inline_ptx(f"{instruction} [{{$r0}}], [{{$r1}}], {{$r2}};", read_only_args=list(addresses))


def griddepcontrol(action: Any) -> None:
    """``griddepcontrol.wait`` or ``.launch_dependents``."""
    if action is GridDepAction.WAIT:
        arch.griddepcontrol_wait()
    else:
        arch.griddepcontrol_launch_dependents()


def mapa(ptr: Any, rank: Any) -> Any:
    """The shared memory at ``ptr`` as block ``rank`` of the cluster has it."""
    return arch.map_dsmem_ptr(ptr, rank)


def mov_b32(x: Any, *, target_type: type) -> Any:
    """The 32 bits of a number as one of another class."""
    return x.bitcast(target_type)


def prmt(lo: Any, selector: Any, mode: Any = PermuteMode.DEFAULT, *, hi: Any = 0) -> Any:
    """Four of the eight bytes of two words; see ``cute.arch.prmt``. NotImplementedError for other modes."""
    if mode is not PermuteMode.DEFAULT:
        raise NotImplementedError(f"prmt by a selector of bytes alone, but got the mode {mode}")
    return arch.prmt(lo, hi, selector)


def redux_sync(value: Any, kind: Any, mask: int = -1, **modifiers: Any) -> Any:
    """A reduction over a whole warp; of floats by shuffles."""
    if getattr(type(value), "is_float", False):
        if modifiers.get("abs"):
            value = _compiler.max(value, -value)
        combine = _compiler.max if kind is ReductionKind.FMAX else _compiler.min
        return arch.warp_reduction(value, combine)
    return arch.warp_redux_sync(value, kind.value.removeprefix("u"), mask)


take_places(
    globals(),
    [
        "atomicrmw",
        "cp_async_bulk_global_shared_cta",
        "cp_reduce_async_bulk_global_shared_cta",
        "griddepcontrol",
        "mapa",
        "mov_b32",
        "prmt",
        "redux_sync",
    ],
)


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    raise AttributeError(
        f"cutlass.experimental.primitives has no {name!r} here; cute.arch has the language's instructions"
    )
