"""Arithmetic on pairs, on bytes of words and on bits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fairlead import _compiler
from fairlead.cute import _instructions
from fairlead.cute._types import Choice, DType, Int, Number
from fairlead.errors import make_error
from fairlead.primitives import _enums
from fairlead.primitives._operands import (
    dtype,
    emit,
    member,
    needs,
    on_gpu,
    real,
    type_name,
    word32,
)

__all__ = [
    "add_packed_f32x2",
    "dot_accumulate_2way",
    "dot_accumulate_4way",
    "fabs",
    "fma_packed_f32x2",
    "fmin",
    "mov_b32",
    "mul",
    "mul_bf16x2",
    "mul_packed_f32x2",
    "prmt",
    "sub_packed_f32x2",
]

_Float32, _Int32, _Uint32 = _compiler.Float32, _compiler.Int32, _compiler.Uint32


def _pair(value: object, function: str, name: str) -> tuple[Any, Any]:
    parts = getattr(value, "to_elements", None)
    numbers = parts() if parts is not None else value
    if not isinstance(numbers, (tuple, list)) or len(numbers) != 2:
        raise make_error(
            "ArgumentKind",
            function=function,
            expected=f"a pair of Float32 (a tuple, or a Vector of 2) as {name}",
            got=type_name(value),
        )
    return numbers[0], numbers[1]


def _packed(name: str, rnd: object, ftz: object, *values: object) -> Any:
    function = f"{name}_packed_f32x2"
    rounding = "rn" if rnd is None else member(_enums.FPRoundingMode, rnd, function, "rnd").value
    pairs = [_pair(value, function, f"src_{letter}") for letter, value in zip("abc", values)]
    compute = getattr(_instructions, function)
    results = compute(*pairs, rnd=rounding, ftz=bool(ftz))
    vector: Any = type(values[0])
    if hasattr(vector, "to_elements"):
        return vector.from_elements(list(results), _Float32)
    return results


def add_packed_f32x2(
    src_a: object, src_b: object, *, rnd: Choice | None = None, ftz: bool | None = None
) -> Any:
    """Add two pairs of Float32. One instruction on sm_100 and newer GPUs, elsewhere one for each.

    Args:
        src_a, src_b: tuples of two numbers, or Vectors of 2.
        rnd: an ``FPRoundingMode``: RN (default), or on GPUs RZ, RM or RP.
        ftz: True to count subnormal numbers as 0, on GPUs.

    Returns:
        A tuple; a Vector if `src_a` is one.
    """
    return _packed("add", rnd, ftz, src_a, src_b)


def sub_packed_f32x2(
    src_a: object, src_b: object, *, rnd: Choice | None = None, ftz: bool | None = None
) -> Any:
    """Subtract pairs of Float32; see add_packed_f32x2."""
    return _packed("sub", rnd, ftz, src_a, src_b)


def mul_packed_f32x2(
    src_a: object, src_b: object, *, rnd: Choice | None = None, ftz: bool | None = None
) -> Any:
    """Multiply pairs of Float32; see add_packed_f32x2."""
    return _packed("mul", rnd, ftz, src_a, src_b)


def fma_packed_f32x2(
    src_a: object,
    src_b: object,
    src_c: object,
    *,
    rnd: Choice | None = None,
    ftz: bool | None = None,
) -> Any:
    """Return ``src_a * src_b + src_c`` of pairs of Float32, rounded once; see add_packed_f32x2."""
    return _packed("fma", rnd, ftz, src_a, src_b, src_c)


def mul_bf16x2(a: object, b: object) -> Any:
    """Multiply two words of two BFloat16, each product rounded to nearest; for sm_90 and newer GPUs, and the CPU.

    Args:
        a, b: words of 32 bits.
    """
    needs("mul_bf16x2", "clusters")
    words = [
        word32(value, "mul_bf16x2", name).bitcast(_Uint32) for name, value in (("a", a), ("b", b))
    ]
    if on_gpu():
        return emit("mul.rn.bf16x2 $0, $1, $2;", [_Uint32], words).bitcast(_Int32)
    cls = _compiler.BFloat16
    result = _Uint32(0)
    for shift in (0, 16):
        x, y = ((word >> shift).to(_compiler.Uint16).bitcast(cls) for word in words)
        result = result | ((x * y).to(cls).bitcast(_compiler.Uint16).to(_Uint32) << shift)
    return result.bitcast(_Int32)


def mov_b32(a: object, *, target_type: DType = _Int32) -> Any:
    """Return the 32 bits of a number as one of another class.

    Args:
        a: a number of 32 bits.
        target_type: a numeric class of 32 bits.
    """
    value = word32(a, "mov_b32", "a")
    dtype(target_type, "mov_b32", "target_type", 32)
    return value if type(value) is target_type else value.bitcast(target_type)


def fabs(value: Number) -> Any:
    """Return the magnitude of a float."""
    return _compiler.abs(real(value, "fabs", "value"))


def fmin(a: Number, b: Number) -> Any:
    """Return the lesser of two floats."""
    return _compiler.min(real(a, "fmin", "a"), real(b, "fmin", "b"))


_CLASSES = {
    (width, signed): getattr(_compiler, f"{'Int' if signed else 'Uint'}{width}")
    for width in (16, 32, 64)
    for signed in (True, False)
}


def mul(a: Int, b: Int, mode: Choice, *, is_signed: bool | None = None) -> Any:
    """Multiply two integers of 16, 32 or 64 bits.

    Args:
        a, b: integers of one width.
        mode: a ``MulMode``: LO (the lower bits), HI (the upper bits), or WIDE (all bits; of 16 and 32 bits).
        is_signed: whether they are signed; default what `a` is.
    """
    name = member(_enums.MulMode, mode, "mul", "mode").value
    x = _Int32(a) if isinstance(a, int) else a
    if not isinstance(x, _compiler.Numeric) or not type(x).is_integer:
        raise make_error(
            "ArgumentKind", function="mul", expected="integers as a and b", got=type_name(a)
        )
    width = type(x).width
    signed = type(x).signed if is_signed is None else is_signed
    if (width, bool(signed)) not in _CLASSES or (name != "lo" and width == 64 and not on_gpu()):
        raise make_error(
            "ArgumentKind",
            function="mul",
            expected="integers of 16 or 32 bits; of 64 for LO, and on GPUs for HI",
            got=type_name(x),
        )
    cls = _CLASSES[width, bool(signed)]
    x = x if type(x) is cls else x.bitcast(cls)
    if not isinstance(b, int) and getattr(type(b), "width", 0) != width:
        expected = f"an integer of {width} bits as b"
        raise make_error("ArgumentKind", function="mul", expected=expected, got=type_name(b))
    y = cls(b) if isinstance(b, int) else b if type(b) is cls else b.bitcast(cls)
    if name == "lo":
        return x * y
    if width == 64:
        if name == "wide":
            expected = "integers of 16 or 32 bits for WIDE"
            raise make_error("ArgumentKind", function="mul", expected=expected, got=type_name(x))
        return emit(f"mul.hi.{'s' if signed else 'u'}64 $0, $1, $2;", [cls], [x, y])
    double = _CLASSES[2 * width, bool(signed)]
    product = x.to(double) * y.to(double)
    return product if name == "wide" else (product >> width).to(cls)


def prmt(lo: Int, selector: Int, mode: Choice = "default", *, hi: Int | None = None) -> Any:
    """Choose four of the eight bytes of two words.

    Args:
        lo, hi: words of 32 bits: bytes 0 to 3 and 4 to 7; `hi` defaults to 0.
        selector: for DEFAULT four digits of 4 bits: the number of a byte, whose top bit asks for the byte's sign in
            all bits instead; for other modes a number of 0 to 3.
        mode: a ``PermuteMode``.

    Returns:
        An Int32.
    """
    name = member(_enums.PermuteMode, mode, "prmt", "mode").value
    words = [
        value if type(value) is _Uint32 else value.bitcast(_Uint32)
        for value in (
            word32(lo, "prmt", "lo"),
            word32(0 if hi is None else hi, "prmt", "hi"),
            word32(selector, "prmt", "selector"),
        )
    ]
    if on_gpu():
        suffix = "" if name == "default" else f".{name}"
        return emit(f"prmt.b32{suffix} $0, $1, $2, $3;", [_Uint32], words).bitcast(_Int32)
    if name == "default":
        return _instructions.prmt(*words).bitcast(_Int32)
    return _permuted(name, *words).bitcast(_Int32)


#: The byte numbers, byte 0 first, that a mode has for each selector of 0 to 3.
_PERMUTED = {
    "f4e": ((0, 1, 2, 3), (1, 2, 3, 4), (2, 3, 4, 5), (3, 4, 5, 6)),
    "b4e": ((0, 7, 6, 5), (1, 0, 7, 6), (2, 1, 0, 7), (3, 2, 1, 0)),
    "rc8": ((0, 0, 0, 0), (1, 1, 1, 1), (2, 2, 2, 2), (3, 3, 3, 3)),
    "ecl": ((0, 1, 2, 3), (1, 1, 2, 3), (2, 2, 2, 3), (3, 3, 3, 3)),
    "ecr": ((0, 0, 0, 0), (0, 1, 1, 1), (0, 1, 2, 2), (0, 1, 2, 3)),
    "rc16": ((0, 1, 0, 1), (2, 3, 2, 3), (0, 1, 0, 1), (2, 3, 2, 3)),
}


def _permuted(name: str, lo: Int, hi: Int, selector: Int) -> Any:
    digits = [sum(byte << (4 * place) for place, byte in enumerate(row)) for row in _PERMUTED[name]]
    chosen = _Uint32(digits[0])
    for number in (1, 2, 3):
        chosen = _compiler.select((selector & 3) == number, _Uint32(digits[number]), chosen)
    return _instructions.prmt(lo, hi, chosen)


def _bytes_of(word: _compiler.Numeric, signed: bool, places: Sequence[int]) -> list[Any]:
    cls = _compiler.Int8 if signed else _compiler.Uint8
    narrow = [(word >> (8 * place)).to(_compiler.Uint8) for place in places]
    return [(part.bitcast(cls) if signed else part).to(_Int32) for part in narrow]


def _halves_of(word: _compiler.Numeric, signed: bool) -> list[Any]:
    cls = _compiler.Int16 if signed else _compiler.Uint16
    narrow = [(word >> shift).to(_compiler.Uint16) for shift in (0, 16)]
    return [(part.bitcast(cls) if signed else part).to(_Int32) for part in narrow]


def _dot_operands(
    function: str, a: object, a_type: Choice, b: object, b_type: Choice, c: object
) -> tuple[Any, bool, Any, bool, Any]:
    signs = [
        member(_enums.DotAccumulateType, kind, function, name).value == "signed"
        for name, kind in (("a_type", a_type), ("b_type", b_type))
    ]
    x, y = (
        word32(value, function, name).bitcast(_Uint32) if not isinstance(value, _Uint32) else value
        for name, value in (("a", a), ("b", b))
    )
    z = word32(c, function, "c")
    return x, signs[0], y, signs[1], z if type(z) is _Int32 else z.bitcast(_Int32)


def dot_accumulate_4way(a: object, a_type: Choice, b: object, b_type: Choice, c: object) -> Any:
    """Add the products of the four bytes of two words to a number.

    Args:
        a, b: words of 32 bits.
        a_type, b_type: ``DotAccumulateType``: whether their bytes are SIGNED or UNSIGNED.
        c: an integer of 32 bits.

    Returns:
        An Int32.
    """
    x, x_signed, y, y_signed, z = _dot_operands("dot_accumulate_4way", a, a_type, b, b_type, c)
    if on_gpu():
        types = f"{'s' if x_signed else 'u'}32.{'s' if y_signed else 'u'}32"
        return emit(f"dp4a.{types} $0, $1, $2, $3;", [_Int32], [x, y, z])
    for p, q in zip(_bytes_of(x, x_signed, range(4)), _bytes_of(y, y_signed, range(4))):
        z = z + p * q
    return z


def dot_accumulate_2way(
    a: object, a_type: Choice, b: object, b_type: Choice, c: object, b_hi: bool
) -> Any:
    """Add the products of the two halves of a word with two bytes of another to a number.

    Args:
        a: a word of two integers of 16 bits.
        b: a word of four bytes.
        b_hi: True for the upper two bytes of `b`, False for the lower two.
        a_type, b_type, c: see dot_accumulate_4way.

    Returns:
        An Int32.
    """
    x, x_signed, y, y_signed, z = _dot_operands("dot_accumulate_2way", a, a_type, b, b_type, c)
    if on_gpu():
        types = f"{'s' if x_signed else 'u'}32.{'s' if y_signed else 'u'}32"
        return emit(f"dp2a.{'hi' if b_hi else 'lo'}.{types} $0, $1, $2, $3;", [_Int32], [x, y, z])
    places = (2, 3) if b_hi else (0, 1)
    for p, q in zip(_halves_of(x, x_signed), _bytes_of(y, y_signed, places)):
        z = z + p * q
    return z
