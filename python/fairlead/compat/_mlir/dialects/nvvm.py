"""Single instructions of GPUs, as far as existing programs name them; the language's own operations do them."""

from __future__ import annotations

import enum
from collections.abc import Callable, Sequence
from typing import Any

from fairlead import _compiler
from fairlead.compat._described_products import mma_block_scale, wgmma_mma_async
from fairlead.compat._mlir._narrow_floats import (
    CVTPackFloatKind,
    FPRoundingMode,
    RoundingModeKind,
    SaturationMode,
    SaturationModeKind,
    convert_f32x2_to_f4x2,
    convert_f32x2_to_f6x2,
    convert_f32x2_to_f8x2,
    cvt_packfloat,
    cvt_packfloat_f32,
)
from fairlead.compat._places import taking_place
from fairlead.cute import arch as _arch
from fairlead.cute import current_target
from fairlead.cute import math as _math
from fairlead.cute._assembly import inline_asm
from fairlead.cute._atomics import ORDERS, SCOPES
from fairlead.cute._types import Choice, Condition, DType, Elements, Int, Number, PointerLike
from fairlead.cute.arch import (
    add_packed_f32x2,
    fma_packed_f32x2,
    mul_packed_f32x2,
    sub_packed_f32x2,
)
from fairlead.errors import make_error
from fairlead.primitives import (
    BlockScaleFormat,
    MMABlockScaleKind,
    MMAType,
    ScaleVecSize,
    Tcgen05MMACollectorBBuffer,
    Tcgen05MMACollectorOp,
    WGMMAType,
    cp_async_bulk_prefetch,
    memory_barrier,
    tcgen05_fence,
)
from fairlead.primitives import CTAGroup as CTAGroupKind
from fairlead.primitives import Tcgen05Fence as Tcgen05FenceKind

__all__ = [
    "BlockScaleFormat",
    "MMABlockScaleKind",
    "AtomicOpKind",
    "CTAGroupKind",
    "CVTPackFloatKind",
    "CpAsyncBulkTensorLoadMode",
    "CpAsyncBulkTensorGlobalToSharedClusterOp",
    "FPRoundingMode",
    "MMALayout",
    "MMATypes",
    "ReductionKind",
    "ReduxKind",
    "RoundingModeKind",
    "SaturationMode",
    "SaturationModeKind",
    "ScaleVecSize",
    "TMALoadMode",
    "Tcgen05FenceKind",
    "Tcgen05MMACollectorBBuffer",
    "Tcgen05MMACollectorOp",
    "WGMMAScaleIn",
    "WGMMAScaleOut",
    "WGMMATypes",
    "add_packed_f32x2",
    "atomicrmw",
    "cluster_arrive",
    "cluster_wait",
    "convert_f32x2_to_f4x2",
    "convert_f32x2_to_f6x2",
    "convert_f32x2_to_f8x2",
    "cp_async_bulk_prefetch",
    "cp_async_mbarrier_arrive_shared",
    "cvt_packfloat",
    "cvt_packfloat_f32",
    "elect_sync",
    "exit",
    "fma_packed_f32x2",
    "fmax",
    "fmin",
    "mbarrier_try_wait_parity_timelimit",
    "memory_barrier",
    "mma_block_scale",
    "mul_packed_f32x2",
    "redux_sync",
    "sub_packed_f32x2",
    "tcgen05_fence",
    "wgmma_mma_async",
]


class _ByName:
    """Enumerators whose text is their name."""

    name: str

    def __str__(self) -> str:
        return self.name


def _enumeration(name: str, words: Sequence[str], text: str) -> Any:
    make: Any = enum.Enum
    operation = make(name, words, type=_ByName, module=__name__)
    operation.__doc__ = text
    return operation


def _words(kinds: Any) -> list[str]:
    return [kind.name.lower() for kind in kinds]


MMALayout = _enumeration("MMALayout", ["row", "col"], "The order of a matrix.")
MMATypes = _enumeration("MMATypes", _words(MMAType), "Types of elements in a warp's products.")
WGMMAScaleIn = _enumeration("WGMMAScaleIn", ["one", "neg"], "The sign of an operand.")
WGMMAScaleOut = _enumeration("WGMMAScaleOut", ["zero", "one"], "The factor of the sums before.")
WGMMATypes = _enumeration(
    "WGMMATypes", _words(WGMMAType), "Types of elements in a warpgroup's products."
)


cluster_arrive = taking_place(_arch.cluster_arrive)
cluster_wait = taking_place(_arch.cluster_wait)
cp_async_bulk_prefetch = taking_place(cp_async_bulk_prefetch)
memory_barrier = taking_place(memory_barrier)
tcgen05_fence = taking_place(tcgen05_fence)


def _operands(values: Sequence[Any]) -> Sequence[Any]:
    """Without the type of the result, which older forms pass first."""
    return values[1:] if values and _compiler.is_dtype(values[0]) else values


def extreme_number(name: str, a: Elements, b: Elements, ftz: object = None) -> Any:
    """Return the ``name``, "max" or "min", of two floats, as PTX's instruction: the other one if one is NaN."""
    if isinstance(a, _compiler.Float32) or isinstance(b, _compiler.Float32):
        if not isinstance(a, _compiler.TensorExpr) and not isinstance(b, _compiler.TensorExpr):
            text = f"{name}{'.ftz' if ftz else ''}.f32 $0, $1, $2;"
            operands = [_compiler.Float32(a), _compiler.Float32(b)]
            return inline_asm(_compiler.Float32, operands, text, "=f,f,f", has_side_effects=False)
    return getattr(_math, name)(a, b, propagate_nan=False)


def _extreme(name: str, function: Callable[[Any, Any], Any], text: str) -> Any:
    def call(
        *operands: object,
        c: object = None,
        ftz: object = None,
        nan: object = None,
        abs: object = None,
        xorsign_abs: object = None,
        loc: object = None,
        ip: object = None,
    ) -> Any:
        if abs or xorsign_abs:
            option = "abs" if abs else "xorsign_abs"
            raise make_error("ArgumentValue", function=name, expected=f"no {option}", got="True")

        def extreme(a: Any, b: Any) -> Any:
            return function(a, b) if nan else extreme_number(name.removeprefix("f"), a, b, ftz)

        a, b = _operands(operands)
        return extreme(a, b) if c is None else extreme(extreme(a, b), c)

    call.__name__, call.__doc__ = name, text
    return call


fmin = _extreme(
    "fmin",
    _arch.fmin,
    "The least of two floats, or of three with ``c``. NaN counts only with ``nan``.",
)
fmax = _extreme(
    "fmax",
    _arch.fmax,
    "The greatest of two floats, or of three with ``c``. NaN counts only with ``nan``.",
)


class AtomicOpKind(enum.Enum):
    """The operation of an atomic access on the old number and ``a``."""

    AND = "and"
    OR = "or"
    XOR = "xor"
    ADD = "add"
    FADD = "fadd"
    MIN = "min"
    MAX = "max"
    UMIN = "umin"
    UMAX = "umax"
    EXCH = "exch"
    INC = "inc"
    DEC = "dec"
    CAS = "cas"


class ReduxKind(enum.Enum):
    """The operation with which ``cute.arch.warp_redux_sync`` combines the values of a warp."""

    ADD = "add"
    AND = "and"
    MAX = "max"
    MIN = "min"
    OR = "or"
    XOR = "xor"


ReductionKind = ReduxKind


def _wrapping(name: str, ptr: _compiler.Pointer, a: _compiler.Numeric, **order: Any) -> Any:
    """The atomic count up or down that wraps at ``a``, as a loop of compare and swap: the same on every target."""
    pointer = _compiler.pointer_from_int(_compiler.Uint32, ptr.toint(), ptr.memspace, 4)
    most = a.bitcast(_compiler.Uint32)
    cell = _compiler.make_tensor(pointer, _compiler.make_layout(1, None))

    def stepped(old: Any) -> Any:
        if name == "inc":
            return _compiler.select(old >= most, _compiler.Uint32(0), old + 1)
        return _compiler.select((old == 0) | (old > most), most, old - 1)

    def body(expected: object, old: Condition, _: object) -> list[Any]:
        current = _arch.atomic_cas(pointer, cmp=old, val=stepped(old), **order)
        return [old, current, current != old]

    first = cell[0]
    expected, _, _ = _compiler.while_loop(
        ["expected", "found", "again"],
        [first, first, _compiler.Boolean(True)],
        lambda values: values[2],
        lambda values: body(*values),
    )
    return expected.bitcast(_compiler.Int32)


def _word_of(choice: Any, words: Any, name: str) -> Any:
    """The word of a member of an enum, or None."""
    word = getattr(choice, "value", choice)
    if word not in words:
        known = ", ".join(word for word in words if word)
        raise make_error(
            "ArgumentValue", function="atomicrmw", expected=f"{known} as {name}", got=repr(choice)
        )
    return word


def atomicrmw(
    res: DType | None = None,
    op: Choice | None = None,
    ptr: Any = None,
    a: Any = None,
    *_: object,
    b: Any = None,
    mem_order: Any = None,
    syncscope: Any = None,
    loc: object = None,
    ip: object = None,
) -> Any:
    """The number at ``ptr`` changed as one step; gives the old one. ``res``, the result's type, is not looked at, and
    may be left out: ``atomicrmw(op, ptr, a)``. ``mem_order`` and ``syncscope`` are members or words of MemOrderKind
    and MemScopeKind.

    CAS writes ``a`` where the old number is ``b``. INC gives ``old + 1``, and 0 for numbers of ``a`` and more; DEC
    ``old - 1``, and ``a`` for 0 and for more.
    """
    if isinstance(res, AtomicOpKind):
        op, ptr, a = res, op, ptr if a is None else a
    if not isinstance(op, AtomicOpKind):
        raise make_error("LayoutMode", expected="an AtomicOpKind for atomicrmw", got=repr(op))
    name = op.value
    order = {
        "sem": _word_of(mem_order, ORDERS, "mem_order"),
        "scope": _word_of(syncscope, SCOPES, "syncscope"),
    }
    if isinstance(a, _compiler.Numeric) and a.dtype is not ptr.dtype:
        # Pointers of the IR have no type: the operand's counts.
        ptr = _compiler.pointer_from_int(a.dtype, ptr.toint(), ptr.memspace, a.dtype.width // 8)
    if name == "cas":
        return _arch.atomic_cas(ptr, cmp=b, val=a, **order)
    if name in ("inc", "dec"):
        return _wrapping(name, ptr, a, **order)
    if name in ("umin", "umax"):
        unsigned = _compiler.dtype_by_name(f"Uint{a.dtype.width}")
        pointer = _compiler.pointer_from_int(
            unsigned, ptr.toint(), ptr.memspace, unsigned.width // 8
        )
        change = getattr(_arch, f"atomic_{name[1:]}")
        return change(pointer, a.bitcast(unsigned), **order).bitcast(a.dtype)
    return getattr(_arch, "atomic_add" if name == "fadd" else f"atomic_{name}")(ptr, a, **order)


def redux_sync(
    res: DType,
    val: _compiler.Numeric,
    kind: Choice,
    mask_and_clamp: Any = -1,
    *_: object,
    abs: object = None,
    nan: object = None,
    loc: object = None,
    ip: object = None,
) -> Any:
    """The values of a warp's threads combined, for each of them; ``res``, the result's type, is not looked at.

    Args:
        val: an integer, or a Float32 for MAX and MIN.
        kind: a ReduxKind.
        mask_and_clamp: the threads that take part, a bit each; of Float32 all.
        abs: absolute values of Float32.
    """
    if not isinstance(kind, ReduxKind):
        raise make_error("LayoutMode", expected="a ReduxKind for redux_sync", got=repr(kind))
    if type(val).is_float:
        value = _compiler.max(val, -val) if abs else val
        combine = _compiler.max if kind is ReduxKind.MAX else _compiler.min
        return _arch.warp_reduction(value, combine)
    return _arch.warp_redux_sync(val, kind.value, mask_and_clamp)


def cp_async_mbarrier_arrive_shared(
    addr: _compiler.Pointer, noinc: bool = True, loc: object = None, ip: object = None
) -> None:
    """Arrives at a barrier of the block once all copies of ``cp.async`` that the thread has asked for are done.
    NotImplementedError without ``noinc``."""
    if not noinc:
        raise NotImplementedError("cp_async_mbarrier_arrive_shared is for noinc=True")
    _arch.cp_async_mbarrier_arrive_noinc(addr)


def exit(loc: object = None, ip: object = None) -> None:
    """Ends the thread. In a loop of a kernel for the CPU NoCpuForm is raised when it is compiled."""
    inline_asm(None, [], "exit;", "", has_side_effects=True)


def elect_sync(*_: object, loc: object = None, ip: object = None) -> Any:
    """True in one thread of the warp."""
    return _arch.elect_one()


def mbarrier_try_wait_parity_timelimit(
    ptr: _compiler.Pointer, phase: Int, ticks: Int, loc: object = None, ip: object = None
) -> Any:
    """Wait a while, and return whether the phase of this parity has ended; the device decides, not ``ticks``."""
    return _arch.mbarrier_try_wait(ptr, phase)


class TMALoadMode(enum.Enum):
    """The part of a tensor that a copy brings: a box."""

    TILE = 0


CpAsyncBulkTensorLoadMode = TMALoadMode


def CpAsyncBulkTensorGlobalToSharedClusterOp(
    dstMem: PointerLike,
    tmaDescriptor: PointerLike,
    coordinates: Sequence[Any],
    mbar: PointerLike,
    im2colOffsets: Sequence[Any] = (),
    *,
    predicate: Condition | None = None,
    mode: Choice = TMALoadMode.TILE,
    loadMode: Choice = TMALoadMode.TILE,
    loc: object = None,
    ip: object = None,
) -> None:
    """A box of a tensor, by its descriptor's address, into shared memory; ``mbar`` counts its bytes. For GPUs."""
    if not current_target().has("tma"):
        raise make_error(
            "LayoutMode",
            expected="a target of compute capability 9.0 for a copy by a descriptor's address",
            got=str(current_target()),
        )
    modes = {mode, loadMode}
    if im2colOffsets or modes != {TMALoadMode.TILE} or not 1 <= len(coordinates) <= 5:
        raise make_error(
            "LayoutMode",
            expected="a box of 1 to 5 coordinates without im2col offsets",
            got=f"{len(coordinates)} coordinates and {len(im2colOffsets)} offsets",
        )
    rank = len(coordinates)
    places = ", ".join(f"${2 + place}" for place in range(rank))
    copy = (
        f"cp.async.bulk.tensor.{rank}d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
        f"[$0], [$1, {{{places}}}], [${2 + rank}];"
    )
    operands = [dstMem, tmaDescriptor, *coordinates, mbar]
    constraints = ["r", "l", *["r"] * rank, "r"]
    if predicate is not None:
        copy = f"{{\n.reg .pred p;\nsetp.ne.s32 p, ${3 + rank}, 0;\n@p {copy}\n}}"
        operands.append(_compiler.Boolean(predicate).to(_compiler.Int32))
        constraints.append("r")
    inline_asm(None, operands, copy, ",".join(constraints), has_side_effects=True)


class ReductionOp(enum.Enum):
    """The operation of ``red`` on the old number and ``b``."""

    ADD = "add"
    AND = "and"
    OR = "or"
    XOR = "xor"
    MIN = "min"
    MAX = "max"


_enum: Any = enum.Enum
ReductionType = _enum(
    "ReductionType",
    {word.upper(): word for word in "u32 s32 u64 s64 f16 bf16 f32 f64 b32 b64".split()},
    module=__name__,
)
ReductionType.__doc__ = "The numbers that ``red`` changes."
MemOrderKind = _enum(
    "MemOrderKind",
    {word.upper(): word for word in "weak relaxed acquire release acq_rel sc".split()},
    module=__name__,
)
MemOrderKind.__doc__ = "What an access orders."
MemScopeKind = _enum(
    "MemScopeKind",
    {word.upper(): word for word in "cta cluster gpu sys".split()},
    module=__name__,
)
MemScopeKind.__doc__ = "For whom an access is ordered."


class SharedSpace(enum.Enum):
    """Whose shared memory an address is of."""

    shared_cta = 0
    shared_cluster = 1


def red(
    op: enum.Enum,
    type_: enum.Enum,
    a: Any,
    b: Number,
    mem_order: enum.Enum | None = None,
    mem_scope: enum.Enum | None = None,
    shared_space: enum.Enum | None = None,
    loc: object = None,
    ip: object = None,
) -> None:
    """The number at ``a`` changed as one step, of the type that is named. The address says which memory it is of, not
    ``shared_space``."""
    words = [None if member is None else member.value for member in (mem_order, mem_scope)]
    _arch.red(a, b, op=op.value, dtype=type_.value, sem=words[0], scope=words[1])


def barrier_cta_sync(
    barrier_id: Int = 0,
    thread_count: Int | None = None,
    *,
    aligned: bool = True,
    loc: object = None,
    ip: object = None,
) -> None:
    """Waits at a barrier of the block."""
    _arch.barrier(barrier_id=barrier_id, number_of_threads=thread_count)


def barrier_cta_arrive(
    barrier_id: Int = 0,
    thread_count: Int | None = None,
    *,
    aligned: bool = True,
    loc: object = None,
    ip: object = None,
) -> None:
    """Arrives at a barrier of the block without waiting."""
    threads: Any = thread_count
    _arch.barrier_arrive(barrier_id=barrier_id, number_of_threads=threads)


def _read(function: Callable[..., Any], place: int) -> Any:
    return lambda *_, **__: function()[place]


for _name, _function in (
    ("tid", _arch.thread_idx),
    ("ctaid", _arch.block_idx),
    ("ntid", _arch.block_dim),
    ("nctaid", _arch.grid_dim),
):
    for _place, _axis in enumerate("xyz"):
        globals()[f"read_ptx_sreg_{_name}_{_axis}"] = _read(_function, _place)
for _name in ("clock", "clock64", "globaltimer", "smid", "nsmid", "warpid", "nwarpid", "gridid"):
    _function = getattr(_arch, {"warpid": "physical_warp_id"}.get(_name, _name))
    globals()[f"read_ptx_sreg_{_name}"] = lambda *_, _function=_function, **__: _function()
read_ptx_sreg_laneid = lambda *_, **__: _arch.lane_idx()  # noqa: E731
