"""Arithmetic of ``cutlass.cute.arch`` on floats of 16 bits and their pairs, and the upper bits of products."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

from fairlead import _compiler, cute
from fairlead.compat._places import take_places
from fairlead.cute import arch
from fairlead.cute._assembly import inline_asm
from fairlead.cute._types import DType, Number
from fairlead.errors import make_error
from fairlead.primitives._operands import needs, on_gpu

__all__ = [
    "add_packed_bf16x2",
    "add_packed_f16x2",
    "exp2_packed_bf16x2",
    "exp2_packed_f16x2",
    "fma_bf16",
    "fma_f16",
    "fma_packed_bf16x2",
    "fma_packed_f16x2",
    "mul_hi",
    "sub_packed_bf16x2",
    "sub_packed_f16x2",
]

#: A word of two floats, or the two.
Pair: TypeAlias = Number | tuple[Number, Number] | list[Number]

_Int32, _Uint16, _Uint32 = _compiler.Int32, _compiler.Uint16, _compiler.Uint32
_Int64, _Uint64 = _compiler.Int64, _compiler.Uint64


def _instruction(name: str, rnd: object, modifiers: dict[str, bool | None]) -> str:
    """Return an instruction with its modifiers, in PTX's order."""
    if rnd not in (None, "rn"):
        raise make_error("ArgumentValue", function=name, expected="rn as rnd", got=repr(rnd))
    if modifiers.get("oob"):
        raise make_error("ArgumentValue", function=name, expected="no oob", got="oob=True")
    words = [name, *(word for word, is_set in modifiers.items() if is_set)]
    return ".".join([words[0], "rn", *words[1:]])


def _scalar(instruction: str, dtype: DType, operands: tuple[Any, ...]) -> Any:
    numbers = [dtype(operand) for operand in operands]
    suffix = "bf16" if dtype is _compiler.BFloat16 else "f16"
    places = ", ".join(f"${place}" for place in range(len(numbers) + 1))
    constraints = ",".join(["=h"] + ["h"] * len(numbers))
    return inline_asm(dtype, numbers, f"{instruction}.{suffix} {places};", constraints)


def _halves(word: _compiler.Numeric, dtype: DType) -> tuple[Any, Any]:
    bits = word.bitcast(_Uint32)
    low, high = ((bits >> shift).to(_Uint16).bitcast(dtype) for shift in (0, 16))
    return low, high


def _word(pair: Sequence[Number], dtype: DType) -> Any:
    low, high = (dtype(number).bitcast(_Uint16).to(_Uint32) for number in pair)
    return low | (high << 16)


def _packed(instruction: str, dtype: DType, *operands: Pair) -> Any:
    """Apply an instruction to words of two floats, which give an Int32, or to pairs of floats, which give a pair."""
    are_words = not isinstance(operands[0], (tuple, list))
    if on_gpu():
        words = [
            _Int32(operand).bitcast(_Uint32)
            if not isinstance(operand, (tuple, list))
            else _word(operand, dtype)
            for operand in operands
        ]
        suffix = "bf16x2" if dtype is _compiler.BFloat16 else "f16x2"
        places = ", ".join(f"${place}" for place in range(len(words) + 1))
        constraints = ",".join(["=r"] + ["r"] * len(words))
        result = inline_asm(_Uint32, words, f"{instruction}.{suffix} {places};", constraints)
        return result.bitcast(_Int32) if are_words else _halves(result, dtype)
    pairs = [
        operand if isinstance(operand, (tuple, list)) else _halves(_Int32(operand), dtype)
        for operand in operands
    ]
    low, high = (_scalar(instruction, dtype, numbers) for numbers in zip(*pairs, strict=True))
    return _word((low, high), dtype).bitcast(_Int32) if are_words else (low, high)


def fma_f16(
    a: Number,
    b: Number,
    c: Number,
    *,
    rnd: str | None = "rn",
    ftz: bool | None = None,
    sat: bool | None = None,
    relu: bool | None = None,
    oob: bool | None = None,
) -> Any:
    """Return ``a * b + c`` as a Float16, rounded once.

    Args:
        ftz: True to count subnormal numbers as 0, on GPUs.
        sat: True to limit the result to 0 to 1.
        relu: True to give 0 for negative results.
    """
    modifiers = {"ftz": ftz, "sat": sat, "relu": relu, "oob": oob}
    return _scalar(_instruction("fma", rnd, modifiers), _compiler.Float16, (a, b, c))


def fma_bf16(
    a: Number,
    b: Number,
    c: Number,
    *,
    rnd: str | None = "rn",
    relu: bool | None = None,
    oob: bool | None = None,
) -> Any:
    """Return ``a * b + c`` as a BFloat16, rounded once; see fma_f16."""
    modifiers = {"relu": relu, "oob": oob}
    return _scalar(_instruction("fma", rnd, modifiers), _compiler.BFloat16, (a, b, c))


def fma_packed_f16x2(
    a: Pair,
    b: Pair,
    c: Pair,
    *,
    rnd: str | None = "rn",
    ftz: bool | None = None,
    sat: bool | None = None,
    relu: bool | None = None,
    oob: bool | None = None,
) -> Any:
    """``fma_f16`` of two numbers at once: of words of 32 bits, as an Int32, or of pairs, as a pair."""
    modifiers = {"ftz": ftz, "sat": sat, "relu": relu, "oob": oob}
    return _packed(_instruction("fma", rnd, modifiers), _compiler.Float16, a, b, c)


def fma_packed_bf16x2(
    a: Pair,
    b: Pair,
    c: Pair,
    *,
    rnd: str | None = "rn",
    relu: bool | None = None,
    oob: bool | None = None,
) -> Any:
    """``fma_bf16`` of two numbers at once; see fma_packed_f16x2."""
    modifiers = {"relu": relu, "oob": oob}
    return _packed(_instruction("fma", rnd, modifiers), _compiler.BFloat16, a, b, c)


def add_packed_f16x2(
    a: Pair, b: Pair, *, rnd: str | None = None, ftz: bool | None = None, sat: bool | None = None
) -> Any:
    """Add two pairs of Float16; see fma_packed_f16x2."""
    return _packed(_instruction("add", rnd, {"ftz": ftz, "sat": sat}), _compiler.Float16, a, b)


def sub_packed_f16x2(
    a: Pair, b: Pair, *, rnd: str | None = None, ftz: bool | None = None, sat: bool | None = None
) -> Any:
    """Subtract pairs of Float16; see fma_packed_f16x2."""
    return _packed(_instruction("sub", rnd, {"ftz": ftz, "sat": sat}), _compiler.Float16, a, b)


def add_packed_bf16x2(a: Pair, b: Pair, *, rnd: str | None = None) -> Any:
    """Add two pairs of BFloat16; see fma_packed_f16x2."""
    return _packed(_instruction("add", rnd, {}), _compiler.BFloat16, a, b)


def sub_packed_bf16x2(a: Pair, b: Pair, *, rnd: str | None = None) -> Any:
    """Subtract pairs of BFloat16; see fma_packed_f16x2."""
    return _packed(_instruction("sub", rnd, {}), _compiler.BFloat16, a, b)


def _exp2(pair: Pair, dtype: DType, instruction: str, least: float) -> Any:
    if on_gpu():
        return _packed(instruction, dtype, pair)
    are_pairs = isinstance(pair, (tuple, list))
    word: Any = pair
    numbers = word if are_pairs else _halves(_Int32(word), dtype)
    powers = [cute.math.exp2(dtype(number).to(_compiler.Float32)) for number in numbers]
    zero = _compiler.Float32(0.0)
    kept = [_compiler.select(power < least, zero, power).to(dtype) for power in powers]
    return tuple(kept) if are_pairs else _word(kept, dtype).bitcast(_Int32)


def exp2_packed_f16x2(a: Pair, *, predicate: object = None) -> Any:
    """Return 2 to the power of two Float16 at once: of a word of 32 bits as an Int32, of a pair as a pair.

    Args:
        predicate: no effect: without it the instruction's result is not defined.
    """
    return _exp2(a, _compiler.Float16, "ex2.approx", 0.0)


def exp2_packed_bf16x2(a: Pair, *, predicate: object = None) -> Any:
    """``exp2_packed_f16x2`` of BFloat16, for sm_90 and newer GPUs, and the CPU; subnormal results are 0."""
    needs("exp2_packed_bf16x2", "clusters")
    return _exp2(a, _compiler.BFloat16, "ex2.approx.ftz", 2.0**-126)


def mul_hi(a: Any, b: Any) -> Any:
    """``cute.arch.mul_hi``, also of integers of 64 bits of one type."""
    dtype = type(a)
    if dtype not in (_Int64, _Uint64) or type(b) is not dtype:
        return arch.mul_hi(a, b)
    x, y = a.bitcast(_Uint64), b.bitcast(_Uint64)
    x_low, x_high, y_low, y_high = x & 0xFFFFFFFF, x >> 32, y & 0xFFFFFFFF, y >> 32
    middle = x_high * y_low + ((x_low * y_low) >> 32)
    other = x_low * y_high + (middle & 0xFFFFFFFF)
    upper = x_high * y_high + (middle >> 32) + (other >> 32)
    if dtype is _Uint64:
        return upper
    # A negative operand counts as 2^64 more.
    zero = _Uint64(0)
    upper = upper - _compiler.select(a < 0, y, zero) - _compiler.select(b < 0, x, zero)
    return upper.bitcast(_Int64)


take_places(globals(), __all__)
