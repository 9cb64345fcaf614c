"""Bits of integers in kernels: single instructions on GPUs, the same results on the CPU."""

from __future__ import annotations

from typing import Any

from fairlead import _compiler
from fairlead.cute._assembly import inline_asm
from fairlead.cute._types import Elements, Number
from fairlead.errors import make_error

__all__ = [
    "add_sat_int",
    "bfe",
    "bfi",
    "bfind",
    "brev",
    "clz",
    "log2_of_pow2_int",
    "lop3",
    "mad24",
    "mul24",
    "mul_wide",
    "shf",
    "sub_sat_int",
]

_Int32, _Uint32 = _compiler.Int32, _compiler.Uint32


def _integer(function: str, value: Elements, widths: tuple[int, ...]) -> Any:
    """A traced integer of one of these widths; Python ints are Int32."""
    if isinstance(value, int) and not isinstance(value, bool):
        value = _Int32(value)
    cls = type(value)
    if not (_compiler.is_dtype(cls) and cls.is_integer and cls.width in widths):
        raise make_error(
            "LayoutMode",
            expected=f"an integer of {' or '.join(map(str, widths))} bits for {function}",
            got=cls.__name__,
        )
    return value


def _letter(cls: Any) -> str:
    return "r" if cls.width == 32 else "l" if cls.width == 64 else "h"


def _name(cls: Any) -> str:
    return f"{'s' if cls.signed else 'u'}{cls.width}"


def brev(value: Number) -> Any:
    """``value``, an integer of 32 or 64 bits, with its bits in reverse order; the result has the same type."""
    number = _integer("brev", value, (32, 64))
    cls, letter = type(number), _letter(type(number))
    return inline_asm(cls, [number], f"brev.b{cls.width} $0, $1;", f"={letter},{letter}")


def clz(value: Number) -> Any:
    """Return the number of leading zero bits of ``value``, an integer of 32 or 64 bits, as Int32; the width for 0."""
    number = _integer("clz", value, (32, 64))
    cls = type(number)
    return inline_asm(_Int32, [number], f"clz.b{cls.width} $0, $1;", f"=r,{_letter(cls)}")


def bfind(value: Elements) -> Any:
    """Return the place of the highest one of ``value``, an integer of 32 or 64 bits; of a negative signed number that
    of its highest zero. A Uint32, 0xFFFFFFFF without one."""
    value = _integer("bfind", value, (32, 64))
    cls = type(value)
    return inline_asm(_Uint32, [value], f"bfind.{_name(cls)} $0, $1;", f"=r,{_letter(cls)}")


def log2_of_pow2_int(a: Elements) -> Any:
    """Return the logarithm to base 2 of ``a``, an Int32 that is a power of 2, as Int32."""
    if isinstance(a, int):
        return _Int32(a.bit_length() - 1)
    return 31 - clz(_integer("log2_of_pow2_int", a, (32,)))


def bfe(value: Elements, start: Number, length: Number) -> Any:
    """``length`` bits of ``value`` from place ``start`` on, at the low end of a number of its class.

    Args:
        value: an integer of 32 or 64 bits. The bits above the field are zeros, of a signed class its highest bit.
        start, length: from 0 to 255.
    """
    value = _integer("bfe", value, (32, 64))
    cls, letter = type(value), _letter(type(value))
    places = [_Uint32(start), _Uint32(length)]
    text = f"bfe.{_name(cls)} $0, $1, $2, $3;"
    return inline_asm(cls, [value, *places], text, f"={letter},{letter},r,r")


def bfi(replacement: Number, value: Number, start: Number, length: Number) -> Any:
    """``value`` with ``length`` bits from place ``start`` on replaced by the low ones of ``replacement``; integers of
    one class, of 32 or 64 bits, and places from 0 to 255."""
    number = _integer("bfi", value, (32, 64))
    cls, letter = type(number), _letter(type(number))
    operands = [cls(replacement), number, _Uint32(start), _Uint32(length)]
    text = f"bfi.b{cls.width} $0, $1, $2, $3, $4;"
    return inline_asm(cls, operands, text, f"={letter},{letter},{letter},r,r")


def lop3(a: Elements, b: Elements, c: Elements, lut: int) -> Any:
    """Return a function of three bits at each place of three words: bit ``4 * a + 2 * b + c`` of ``lut``, of the class
    of a.

    Args:
        a, b, c: integers of 32 bits.
        lut: a Python int below 256: ``(0xF0 & 0xCC) | 0xAA`` is ``(a & b) | c``.

    Raises ValueError for another ``lut``.
    """
    a = _integer("lop3", a, (32,))
    words = [a, *(_integer("lop3", operand, (32,)) for operand in (b, c))]
    if not 0 <= lut < 256:
        raise make_error(
            "ArgumentValue", function="lop3", expected="a lut from 0 to 255", got=repr(lut)
        )
    return inline_asm(type(a), words, f"lop3.b32 $0, $1, $2, $3, {lut};", "=r,r,r,r")


def shf(a: Number, b: Number, shift: Number, kind: str = "l") -> Any:
    """32 of the 64 bits of ``b`` above ``a`` after a shift: the high word of one to the left, the low one to the right.

    Args:
        a, b: integers of 32 bits; the result has the class of ``a``.
        shift: how far; its low 5 bits count, with "clamp" it counts as 32 from 32 on.
        kind: "l", "r", "clamp_left" or "clamp_right".

    Raises ValueError for another kind.
    """
    a = _integer("shf", a, (32,))
    forms = {"l": "l.wrap", "r": "r.wrap", "clamp_left": "l.clamp", "clamp_right": "r.clamp"}
    if kind not in forms:
        raise make_error(
            "ArgumentValue", function="shf", expected=f"one of {', '.join(forms)}", got=repr(kind)
        )
    operands = [a, _integer("shf", b, (32,)), _Uint32(shift)]
    return inline_asm(type(a), operands, f"shf.{forms[kind]}.b32 $0, $1, $2, $3;", "=r,r,r,r")


def mul24(a: Number, b: Number, hi: bool = False) -> Any:
    """Return the low 32 bits of the 48-bit product of the low 24 bits of ``a`` and ``b``, integers of 32 bits;
    with ``hi`` its high 32."""
    a = _integer("mul24", a, (32,))
    text = f"mul24.{'hi' if hi else 'lo'}.{_name(type(a))} $0, $1, $2;"
    return inline_asm(type(a), [a, type(a)(b)], text, "=r,r,r")


def mad24(a: Number, b: Number, c: Number, hi: bool = False) -> Any:
    """``mul24(a, b, hi) + c``."""
    a = _integer("mad24", a, (32,))
    text = f"mad24.{'hi' if hi else 'lo'}.{_name(type(a))} $0, $1, $2, $3;"
    return inline_asm(type(a), [a, type(a)(b), type(a)(c)], text, "=r,r,r,r")


def mul_wide(a: Number, b: Number) -> Any:
    """Return the whole product of ``a`` and ``b``, integers of 16 or 32 bits, of the class of twice the width."""
    number = _integer("mul_wide", a, (16, 32))
    cls = type(number)
    double = _compiler.dtype_by_name(f"{'Int' if cls.signed else 'Uint'}{2 * cls.width}")
    return double(number) * double(cls(b))


def _saturated(total: Number) -> Any:
    low, high = _compiler.Int64(-(1 << 31)), _compiler.Int64((1 << 31) - 1)
    return _compiler.min(_compiler.max(total, low), high).to(_Int32)


def add_sat_int(a: Number, b: Number) -> Any:
    """``a + b`` of two Int32, saturated to the range of Int32."""
    return _saturated(_compiler.Int64(_Int32(a)) + _compiler.Int64(_Int32(b)))


def sub_sat_int(a: Number, b: Number) -> Any:
    """``a - b`` of two Int32, saturated to the range of Int32."""
    return _saturated(_compiler.Int64(_Int32(a)) - _compiler.Int64(_Int32(b)))
