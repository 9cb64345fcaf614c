"""Special registers of a thread: clocks, the number of its multiprocessor, its position in the warp as bit masks.

On the CPU clocks stand still, and there is one multiprocessor.
"""

from __future__ import annotations

from typing import Any

from fairlead import _compiler
from fairlead.cute._assembly import inline_asm
from fairlead.cute._target import current_target
from fairlead.cute._types import Number
from fairlead.cute.typing import Int
from fairlead.errors import make_error

__all__ = [
    "activemask",
    "clock",
    "clock64",
    "globaltimer",
    "globaltimer_lo",
    "gridid",
    "lanemask_eq",
    "lanemask_ge",
    "lanemask_gt",
    "lanemask_le",
    "lanemask_lt",
    "match_sync",
    "nsmid",
    "nwarpid",
    "physical_warp_id",
    "smid",
    "total_smem_size",
    "vote_sync_op",
    "warpsize",
]

_Int32, _Int64, _Uint32 = _compiler.Int32, _compiler.Int64, _compiler.Uint32


def _register(name: str, cls: Any, on_cpu: int) -> Any:
    if not current_target().capability:
        return cls(on_cpu)
    width = cls.width
    text = f"mov.u{width} $0, %{name};"
    return inline_asm(cls, [], text, "=r" if width == 32 else "=l", has_side_effects=True)


def clock() -> Any:
    """Return the low 32 bits of the multiprocessor's clock, as Int32; 0 on the CPU."""
    return _register("clock", _Int32, 0)


def clock64() -> Any:
    """Return the multiprocessor's clock, as Int64; 0 on the CPU."""
    return _register("clock64", _Int64, 0)


def globaltimer() -> Any:
    """Nanoseconds of a clock that all multiprocessors of the device share, as Int64; 0 on the CPU."""
    return _register("globaltimer", _Int64, 0)


def globaltimer_lo() -> Any:
    """Return the low 32 bits of ``globaltimer``, as Int32."""
    return _register("globaltimer_lo", _Int32, 0)


def gridid() -> Any:
    """Return the identifier of the grid launch, as Int32; 0 on the CPU."""
    return _register("gridid", _Int64, 0).to(_Int32)


def smid() -> Any:
    """Return the multiprocessor that runs the thread, as Int32; 0 on the CPU."""
    return _register("smid", _Int32, 0)


def nsmid() -> Any:
    """One more than the highest ``smid``, as Int32; 1 on the CPU."""
    return _register("nsmid", _Int32, 1)


def physical_warp_id() -> Any:
    """Return the warp's slot on its multiprocessor, as Int32; on the CPU, its index in the block."""
    if not current_target().capability:
        return _compiler.warp_idx()
    return _register("warpid", _Int32, 0)


def nwarpid() -> Any:
    """How many warps a multiprocessor can hold at once, as Int32; 64 on the CPU."""
    return _register("nwarpid", _Int32, 64)


def warpsize() -> Any:
    """Threads of a warp: Int32(32)."""
    return _Int32(32)


def total_smem_size() -> Any:
    """Bytes of shared memory of the block, as Int32: on GPUs with the reserved bytes, on the CPU the launch's
    request."""
    if not current_target().capability:
        return _compiler.dynamic_shared_bytes()
    return _register("total_smem_size", _Int32, 0)


def _bit() -> Any:
    return _Uint32(1) << _compiler.lane_idx().to(_Uint32)


def lanemask_eq() -> Any:
    """Return a Uint32 with only the bit of this thread's lane set."""
    return _bit()


def lanemask_lt() -> Any:
    """Return a Uint32 with the bits of all lower lanes set."""
    return _bit() - 1


def lanemask_le() -> Any:
    """Return a Uint32 with the bits of this lane and all lower ones set."""
    return _bit() | (_bit() - 1)


def lanemask_gt() -> Any:
    """Return a Uint32 with the bits of all higher lanes set."""
    return ~lanemask_le()


def lanemask_ge() -> Any:
    """Return a Uint32 with the bits of this lane and all higher ones set."""
    return ~lanemask_lt()


def activemask() -> Any:
    """Return the threads of the warp that run this with the thread, a bit each, as Uint32. Which ones do is the
    device's choice; for GPUs.

    Raises TypeError (LayoutMode) for other targets than GPUs.
    """
    if not current_target().capability:
        raise make_error(
            "LayoutMode",
            expected="a GPU for activemask; vote_ballot_sync tells which threads a condition holds in",
            got=str(current_target()),
        )
    return inline_asm(_Uint32, [], "activemask.b32 $0;", "=r", has_side_effects=True)


def _mask(mask: Int | None) -> Any:
    return mask - (1 << 32) if isinstance(mask, int) and mask >= 1 << 31 else mask


_VOTES = {
    "any": _compiler.Vote.Any,
    "all": _compiler.Vote.All,
    "uni": _compiler.Vote.Uniform,
    "ballot": _compiler.Vote.Ballot,
}


def vote_sync_op(pred: Number, kind: str, mask: Int | None = 0xFFFFFFFF) -> Any:
    """Return the vote of the threads of ``mask`` on a condition ``pred``, by ``kind``: "any", "all", "uni" (the same in
    all), or as bits, "ballot".

    Raises ValueError for another kind.
    """
    if kind not in _VOTES:
        raise make_error(
            "ArgumentValue",
            function="vote_sync_op",
            expected=f"one of {', '.join(_VOTES)}",
            got=repr(kind),
        )
    return _compiler.vote(_VOTES[kind], pred, _mask(mask))


def match_sync(mask: Int, value: _compiler.Numeric, kind: str = "any") -> Any:
    """Return the threads of the warp that hold the same value.

    Args:
        mask: the participating threads; all of them execute it with this mask.
        value: an integer of 32 or 64 bits.
        kind: "any": the threads of ``mask`` whose ``value`` is this thread's, a bit each, as Uint32; "all": the pair of
            ``mask`` and True where all have one number, else of 0 and False.

    Raises ValueError for another kind.
    """
    if kind not in ("any", "all"):
        raise make_error(
            "ArgumentValue", function="match_sync", expected="any or all", got=repr(kind)
        )
    if isinstance(value, int):
        value = _Int32(value)
    asked = _Uint32(mask)
    if current_target().capability and kind == "any":
        letter = "r" if type(value).width == 32 else "l"
        text = f"match.any.sync.b{type(value).width} $0, $1, $2;"
        operands = [value, asked]
        return inline_asm(_Uint32, operands, text, f"=r,{letter},r", has_side_effects=True)
    lanes = _mask(mask)
    matches = _Uint32(0)
    for lane in range(32):
        other = _compiler.shuffle(_compiler.Shuffle.Index, value, lane, lanes, 31)
        bit = _Uint32(1 << lane)
        same = (other == value) & ((asked & bit) != 0)
        matches = matches | _compiler.select(same, bit, _Uint32(0))
    if kind == "any":
        return matches
    every = matches == asked
    return _compiler.select(every, asked, _Uint32(0)), every
