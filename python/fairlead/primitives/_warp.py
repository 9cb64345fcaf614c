"""Operations of the lanes of a warp: shuffles, votes, matches, elections, reductions, barriers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from fairlead import _compiler
from fairlead.cute._atomics import popc
from fairlead.cute._special_registers import match_sync as _match
from fairlead.cute._target import current_target
from fairlead.cute._types import Choice, Condition, Int
from fairlead.cute.arch import reduce_present, reduces_floats
from fairlead.errors import make_error
from fairlead.primitives import _enums
from fairlead.primitives._operands import (
    FULL_MASK,
    boolean,
    emit,
    int32,
    lane_mask,
    member,
    needs,
    on_gpu,
    only_on,
    type_name,
    word32,
)

__all__ = ["bar_warp_sync", "elect_sync", "match_sync", "redux_sync", "shfl_sync", "vote_sync"]

_Boolean, _Float32, _Int32, _Uint32 = (
    _compiler.Boolean,
    _compiler.Float32,
    _compiler.Int32,
    _compiler.Uint32,
)
_SHUFFLES = {"idx": "Index", "up": "Up", "down": "Down", "bfly": "Butterfly"}


def bar_warp_sync(mask: Int) -> None:
    """Wait for the lanes of the warp in `mask`, and order their memory accesses.

    Args:
        mask: a bit for each lane; the lanes that call it with this mask.
    """
    _compiler.sync_warp(lane_mask(mask, "bar_warp_sync", "mask"))


def elect_sync(*, membermask: Int = FULL_MASK) -> Any:
    """Elect one lane of the warp, for sm_90 and newer GPUs, and the CPU.

    Args:
        membermask: a bit for each lane that takes part; all of them call it with this mask.

    Returns:
        A Boolean, true in one of these lanes: on the CPU in the lowest. The same mask elects the same lane.
    """
    needs("elect_sync", "clusters")
    if isinstance(membermask, int) and membermask in (FULL_MASK, -1):
        return _compiler.elect_one()
    mask = lane_mask(membermask, "elect_sync", "membermask")
    if isinstance(mask, int) and mask == 0:
        raise make_error(
            "ArgumentValue",
            function="elect_sync",
            expected="1 lane or more as membermask",
            got="0",
        )
    if on_gpu():
        return _compiler.operation("nvvm.elect.sync", [_Int32(mask)], {}, [_Boolean])[0]
    if isinstance(mask, int):
        lowest = (mask & -mask).bit_length() - 1
    else:
        lowest = popc((mask & -mask) - 1)
    return _compiler.lane_idx() == lowest


def _in_bounds(kind: str, offset: Int, bounds: Int) -> Any:
    """True in lanes whose source is in bounds, by the rules of PTX's shfl.sync."""
    lane = _compiler.lane_idx()
    offset, clamp, segments = offset & 31, bounds & 31, (bounds >> 8) & 31
    least = lane & segments
    most = least | (clamp & ~segments)
    if kind == "up":
        return (lane - offset) >= most
    if kind == "down":
        return (lane + offset) <= most
    return ((lane ^ offset) if kind == "bfly" else (least | (offset & ~segments))) <= most


def shfl_sync(
    thread_mask: Int,
    val: Int,
    offset: Int,
    mask_and_clamp: Int,
    kind: Choice,
    *,
    return_value_and_is_valid: bool | None = None,
) -> Any:
    """Read the value of another lane of the warp.

    Args:
        thread_mask: a bit for each lane that takes part.
        val: a number of 32 bits.
        offset: the lane, or its distance, by `kind`.
        mask_and_clamp: bits 0 to 4 bound the source, bits 8 to 12 divide the warp into segments.
        kind: a ``Shfl``: BFLY, UP, DOWN or IDX.
        return_value_and_is_valid: True to also return whether the source was in bounds.

    Returns:
        A number of the type of `val`; or a pair of it and a Boolean. A lane whose source is out of bounds gets its
        own value.
    """
    name = member(_enums.Shfl, kind, "shfl_sync", "kind").value
    value = word32(val, "shfl_sync", "val")
    mask = lane_mask(thread_mask, "shfl_sync", "thread_mask")
    by = int32(offset, "shfl_sync", "offset")
    bounds = int32(mask_and_clamp, "shfl_sync", "mask_and_clamp")
    if return_value_and_is_valid and on_gpu():
        text = (
            f"{{ .reg .pred p; shfl.sync.{name}.b32 $0|p, $2, $3, $4, $5; selp.b32 $1, 1, 0, p; }}"
        )
        return emit(text, [type(value), _Boolean], [value, by, bounds, mask])
    shuffle = getattr(_compiler.Shuffle, _SHUFFLES[name])
    result = _compiler.shuffle(shuffle, value, by, mask, bounds)
    if not return_value_and_is_valid:
        return result
    return result, _in_bounds(name, _Int32(by), _Int32(bounds))


def vote_sync(mask: Int, pred: Condition, kind: object) -> Any:
    """Combine a condition over lanes of the warp.

    Args:
        mask: a bit for each lane that takes part.
        pred: a Boolean.
        kind: a ``VoteSync``: ANY, ALL, UNI (the same in all lanes) or BALLOT.

    Returns:
        A Boolean; for BALLOT an Int32 with the bit of each lane whose `pred` is true.
    """
    name = member(_enums.VoteSync, kind, "vote_sync", "kind").value
    lanes = lane_mask(mask, "vote_sync", "mask")
    condition = boolean(pred, "vote_sync", "pred")
    votes = {"any": "Any", "all": "All", "uni": "Uniform", "ballot": "Ballot"}
    result = _compiler.vote(getattr(_compiler.Vote, votes[name]), condition, lanes)
    return result.bitcast(_Int32) if name == "ballot" else result


def match_sync(thread_mask: Int, val: Int, kind: object) -> Any:
    """Find the lanes of the warp that hold the same value.

    Args:
        thread_mask: a bit for each lane that takes part.
        val: an integer of 32 or 64 bits.
        kind: a ``MatchSync``: ANY or ALL.

    Returns:
        For ANY an Int32, the lanes that hold the value of this lane. For ALL a pair: `thread_mask` and True if all
        hold one value, otherwise 0 and False.
    """
    name = member(_enums.MatchSync, kind, "match_sync", "kind").value
    mask = lane_mask(thread_mask, "match_sync", "thread_mask")
    value = _Int32(val) if isinstance(val, int) else val
    if not isinstance(value, _compiler.Numeric) or type(value).width not in (32, 64):
        raise make_error(
            "ArgumentKind",
            function="match_sync",
            expected="a number of 32 or 64 bits as val",
            got=type_name(val),
        )
    width = type(value).width
    if type(value).is_float:
        value = value.bitcast(_Uint32 if width == 32 else _compiler.Uint64)
    if on_gpu() and name == "any":
        return emit(f"match.any.sync.b{width} $0, $1, $2;", [_Int32], [value, mask])
    if on_gpu():
        text = f"{{ .reg .pred p; match.all.sync.b{width} $0|p, $2, $3; selp.b32 $1, 1, 0, p; }}"
        return emit(text, [_Int32, _Boolean], [value, mask])
    lanes = _Uint32(mask & FULL_MASK) if isinstance(mask, int) else mask.bitcast(_Uint32)
    if name == "any":
        return _match(lanes, value, "any").bitcast(_Int32)
    same, every = _match(lanes, value, "all")
    return same.bitcast(_Int32), every


def _number(
    a: _compiler.Numeric, b: _compiler.Numeric, combine: Callable[..., Any], nan: bool
) -> Any:
    """The min or max of two floats; NaN loses, or wins if `nan`."""
    both = combine(a, b)
    if nan:
        return both
    return _compiler.select(a != a, b, _compiler.select(b != b, a, both))


_COMBINE = {
    "ADD": lambda a, b: a + b,
    "AND": lambda a, b: a & b,
    "OR": lambda a, b: a | b,
    "XOR": lambda a, b: a ^ b,
    "MIN": lambda a, b: _compiler.min(a, b),
    "MAX": lambda a, b: _compiler.max(a, b),
}


def redux_sync(
    val: Int,
    kind: object,
    mask_and_clamp: Int = FULL_MASK,
    *,
    abs: bool | None = None,
    nan: bool | None = None,
) -> Any:
    """Reduce a number over lanes of the warp, for sm_80 and newer GPUs, and the CPU.

    Args:
        val: an Int32 or Uint32; a Float32 for FMIN and FMAX, which sm_100a, sm_103a and their families have.
        kind: a ``ReductionKind``. MIN and MAX compare as signed, UMIN and UMAX as unsigned integers.
        mask_and_clamp: a bit for each lane that takes part.
        abs: for Float32: reduce the magnitudes.
        nan: for Float32: the result is NaN if a value is; otherwise NaN loses.

    Returns:
        A number of the type of `val`, the same in all these lanes.
    """
    name = member(_enums.ReductionKind, kind, "redux_sync", "kind").name
    mask = lane_mask(mask_and_clamp, "redux_sync", "mask_and_clamp")
    value = word32(val, "redux_sync", "val")
    is_float = type(value).is_float
    if is_float != name.startswith("F"):
        expected = "a Float32 as val for FMIN and FMAX, and an integer for other kinds"
        raise make_error(
            "ArgumentKind",
            function="redux_sync",
            expected=expected,
            got=f"{type_name(value)} for {name}",
        )
    if (abs or nan) and not is_float:
        raise make_error(
            "ArgumentValue",
            function="redux_sync",
            expected="abs and nan only with a Float32",
            got=type_name(value),
        )
    if not is_float:
        needs("redux_sync", "cp_async")
        return _redux_integer(value, name, mask)
    if not reduces_floats(current_target()):
        raise only_on("redux_sync of Float32", "sm_100a, sm_103a and their families")
    return _redux_float(value, name[1:], mask, bool(abs), bool(nan))


def _redux_integer(value: _compiler.Numeric, name: str, mask: Int) -> Any:
    cls = _Uint32 if name in ("UMIN", "UMAX") else _Int32
    operation = name.removeprefix("U")
    passed = value if isinstance(value, cls) else value.bitcast(cls)
    if on_gpu():
        suffix = "u32" if cls is _Uint32 else "b32" if name in ("AND", "OR", "XOR") else "s32"
        text = f"redux.sync.{operation.lower()}.{suffix} $0, $1, $2;"
        result = emit(text, [cls], [passed, mask])
    else:
        result = reduce_present(passed, _COMBINE[operation], mask)
    return result if isinstance(result, type(value)) else result.bitcast(type(value))


def _redux_float(value: _compiler.Numeric, name: str, mask: Int, magnitude: bool, nan: bool) -> Any:
    if on_gpu():
        suffix = (".abs" if magnitude else "") + (".NaN" if nan else "")
        return emit(f"redux.sync.{name.lower()}{suffix}.f32 $0, $1, $2;", [_Float32], [value, mask])
    if magnitude:
        value = _compiler.abs(value)
    combine = _COMBINE[name]
    result = reduce_present(value, lambda a, b: _number(a, b, combine, nan), mask)
    # The instruction has one NaN.
    canonical = _Int32(0x7FFFFFFF).bitcast(_Float32)
    return _compiler.select(result != result, canonical, result)
