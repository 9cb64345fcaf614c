"""Atomic operations on memory, by name."""

from __future__ import annotations

from typing import Any

from fairlead import _compiler
from fairlead.cute._assembly import inline_asm
from fairlead.cute._atomics import ORDERS, SCOPES, address_of, atomic, choice
from fairlead.cute._operations import size
from fairlead.cute._target import current_target
from fairlead.cute._types import DType, Number

__all__ = [
    "atomic_add",
    "atomic_and",
    "atomic_cas",
    "atomic_exch",
    "atomic_fmax",
    "atomic_fmin",
    "atomic_max",
    "atomic_min",
    "atomic_or",
    "atomic_xor",
    "red",
]

_OP = _compiler.AtomicOp


def atomic_add(
    ptr: _compiler.Pointer, val: Number, *, sem: str | None = None, scope: str | None = None
) -> Any:
    """Add ``val`` to ``*ptr`` in one step; return the old value.

    Args:
        ptr: a pointer (``tensor.iterator``, ``tensor.iterator + i``) or a tensor, whose first element is meant.
        val: integers of 32 or 64 bits, floats of 16 to 64.
        sem: "relaxed" (default), "acquire", "release" or "acq_rel".
        scope: "cta", "gpu" (default) or "sys".
    """
    return atomic(_OP.Add, ptr, val, sem, scope)


def atomic_and(
    ptr: _compiler.Pointer, val: Number, *, sem: str | None = None, scope: str | None = None
) -> Any:
    """``*ptr &= val``; see atomic_add."""
    return atomic(_OP.And, ptr, val, sem, scope)


def atomic_or(
    ptr: _compiler.Pointer, val: Number, *, sem: str | None = None, scope: str | None = None
) -> Any:
    """``*ptr |= val``; see atomic_add."""
    return atomic(_OP.Or, ptr, val, sem, scope)


def atomic_xor(
    ptr: _compiler.Pointer, val: Number, *, sem: str | None = None, scope: str | None = None
) -> Any:
    """``*ptr ^= val``; see atomic_add."""
    return atomic(_OP.Xor, ptr, val, sem, scope)


def atomic_max(
    ptr: _compiler.Pointer, val: Number, *, sem: str | None = None, scope: str | None = None
) -> Any:
    """``*ptr = max(*ptr, val)``; see atomic_add. Integers of 32 and 64 bits, Float32, Float64."""
    return atomic(_OP.Max, ptr, val, sem, scope)


def atomic_min(
    ptr: _compiler.Pointer, val: Number, *, sem: str | None = None, scope: str | None = None
) -> Any:
    """``*ptr = min(*ptr, val)``; see atomic_add. Types as for atomic_max."""
    return atomic(_OP.Min, ptr, val, sem, scope)


def atomic_fmax(
    ptr: _compiler.Pointer, val: Number, *, sign_bit: bool | None = None, sem: str | None = None,
    scope: str | None = None,
) -> Any:  # fmt: skip
    """atomic_max of floats; see atomic_add. ``sign_bit`` says whether ``val`` is negative, if that is known: the
    result is the same without, but a GPU then needs no loop. A NaN then counts as beyond the infinity of its sign."""
    return _by_sign(_OP.Max, ptr, val, sign_bit, sem, scope)


def atomic_fmin(
    ptr: _compiler.Pointer, val: Number, *, sign_bit: bool | None = None, sem: str | None = None,
    scope: str | None = None,
) -> Any:  # fmt: skip
    """atomic_min of floats; see atomic_add. ``sign_bit`` is the one of atomic_fmax."""
    return _by_sign(_OP.Min, ptr, val, sign_bit, sem, scope)


def _by_sign(
    op: _compiler.AtomicOp, ptr: _compiler.Pointer, val: Number, sign_bit: bool | None,
    sem: str | None, scope: str | None,
) -> Any:  # fmt: skip
    """Return the old float. Beside a number of known sign, the bits of floats are ordered as integers are: signed ones
    if it is not negative, otherwise unsigned ones in reverse."""
    pointer = address_of(ptr)
    pointer = getattr(pointer, "iterator", pointer)
    dtype = getattr(pointer, "dtype", None)
    if sign_bit is None or dtype not in (_compiler.Float32, _compiler.Float64):
        return atomic(op, ptr, val, sem, scope)
    if sign_bit:
        op = _OP.Min if op == _OP.Max else _OP.Max
    bits = getattr(_compiler, f"{'Uint' if sign_bit else 'Int'}{dtype.width}")
    return atomic(op, pointer._recast(bits), dtype(val).bitcast(bits), sem, scope).bitcast(dtype)


def atomic_exch(
    ptr: _compiler.Pointer, val: Number, *, sem: str | None = None, scope: str | None = None
) -> Any:
    """``*ptr = val``; returns the old value. See atomic_add."""
    return atomic(_OP.Exchange, ptr, val, sem, scope)


def atomic_cas(
    ptr: object, *, cmp: Number, val: Number, sem: str | None = None, scope: str | None = None
) -> Any:
    """``*ptr = val`` if it is ``cmp``; returns the old value. Integers of 32 and 64 bits; see atomic_add."""
    order, reach = choice(ORDERS, "sem", sem), choice(SCOPES, "scope", scope)
    return _compiler.atomic_cas(address_of(ptr), cmp, val, order, reach)


_REDUCTIONS = {
    "add": _OP.Add,
    "and": _OP.And,
    "or": _OP.Or,
    "xor": _OP.Xor,
    "min": _OP.Min,
    "max": _OP.Max,
    "umin": _OP.Min,
    "umax": _OP.Max,
}
_WORDS = {"b": "Uint", "u": "Uint", "s": "Int", "f": "Float", "bf": "BFloat"}


def red(
    ptr: _compiler.Pointer,
    val: Number | _compiler.TensorExpr,
    *,
    op: str,
    dtype: DType | str | None = None,
    sem: str | None = None,
    scope: str | None = None,
) -> None:
    """Change ``*ptr`` in one step, as the atomic operations do, and return nothing.

    Args:
        ptr: a pointer, also one of ``map_dsmem_ptr``.
        val: a number; or a vector, of which each number changes its own element from ``ptr`` on, in one step each.
        op: "add", "and", "or", "xor", "min", "max", or "umin" and "umax" of unsigned numbers.
        dtype: the type of the number there: a numeric class or PTX's word, such as "s32"; default the type of ``ptr``.
        sem, scope: see atomic_add; "relaxed" or "release".
    """
    choice(_REDUCTIONS, "op", op)
    target = address_of(ptr)
    if isinstance(dtype, str):
        if isinstance(val, _compiler.TensorExpr):
            dtype = dtype.removesuffix("x2")
        name = _WORDS[dtype.rstrip("0123456789")] + dtype.lstrip("bufs")
        dtype = _compiler.dtype_by_name(name)
    if isinstance(val, _compiler.TensorExpr):
        _reduce_vector(target, val, op, dtype, sem, scope)
        return
    number: Any = val
    if op in ("umin", "umax"):
        dtype = _compiler.dtype_by_name(f"Uint{(dtype or target.dtype).width}")
    if dtype is not None and dtype is not target.dtype:
        target = target._recast(dtype)
        if isinstance(number, _compiler.Numeric) and type(number).width == dtype.width:
            number = number.bitcast(dtype)
        else:
            number = dtype(number)
    atomic(_REDUCTIONS[op], target, number, sem, scope)


def _reduce_vector(
    target: _compiler.Pointer,
    vector: _compiler.TensorExpr,
    op: str,
    dtype: DType | None,
    sem: str | None,
    scope: str | None,
) -> None:
    """red of each number of ``vector``: two or four sums of Float32 in global memory by one instruction, if the GPU
    has it."""
    numbers = [vector[place] for place in range(size(vector.shape))]
    kind = vector.element_type
    is_float32 = kind is _compiler.Float32 and dtype in (None, kind)
    is_one = is_float32 and op == "add" and len(numbers) in (2, 4)
    in_global_memory = target.memspace is _compiler.AddressSpace.gmem
    is_aligned = target.alignment >= 4 * len(numbers)
    if is_one and in_global_memory and is_aligned and current_target().has("clusters"):
        choice(ORDERS, "sem", sem), choice(SCOPES, "scope", scope)
        registers = ", ".join(f"${place}" for place in range(1, len(numbers) + 1))
        words = f"{sem or 'relaxed'}.{scope or 'gpu'}.global.add.v{len(numbers)}.f32"
        text = f"red.{words} [$0], {{{registers}}};"
        constraints = ",".join(["l", *"f" * len(numbers), "~{memory}"])
        inline_asm(None, [target, *numbers], text, constraints, has_side_effects=True)
        return
    for place, number in enumerate(numbers):
        red(target + place, number, op=op, dtype=dtype, sem=sem, scope=scope)
