"""Conversions of Float32 to pairs of narrow floats in one word, and back, by the names of ``nvvm``."""

from __future__ import annotations

import enum
from collections.abc import Sequence
from typing import Any

from fairlead import _compiler
from fairlead.compat._mlir._attributes import TypeAttr
from fairlead.compat._mlir._vectors import Vector, VectorType
from fairlead.cute._types import Choice, DType, Int
from fairlead.errors import make_error
from fairlead.primitives import CVTPackFloat

__all__ = [
    "CVTPackFloatKind",
    "FPRoundingMode",
    "RoundingModeKind",
    "SaturationMode",
    "SaturationModeKind",
    "convert_f32x2_to_f4x2",
    "convert_f32x2_to_f6x2",
    "convert_f32x2_to_f8x2",
    "cvt_packfloat",
    "cvt_packfloat_f32",
]


class FPRoundingMode(enum.Enum):
    """How a conversion rounds: to nearest and even (RN), down (RM), up (RP), toward zero (RZ), away from zero on ties
    (RNA), or by random bits (RS)."""

    NONE = "none"
    RN = "rn"
    RM = "rm"
    RP = "rp"
    RZ = "rz"
    RNA = "rna"
    RS = "rs"


RoundingModeKind = FPRoundingMode


class SaturationMode(enum.Enum):
    """The results of numbers beyond the largest one of the result's type: SATFINITE makes them the largest number."""

    NONE = "none"
    SATFINITE = "satfinite"
    SAT = "sat"


SaturationModeKind = SaturationMode


class CVTPackFloatKind(enum.Enum):
    """The contents of a word: one Float32, or two narrower floats, the first in the low bits."""

    F32 = "Float32"
    F16x2 = "Float16"
    E4M3x2 = "Float8E4M3FN"
    E5M2x2 = "Float8E5M2"
    BF16x2 = "BFloat16"
    E2M1x2 = "Float4E2M1FN"
    E2M3x2 = "Float6E2M3FN"
    E3M2x2 = "Float6E3M2FN"
    UE8M0x2 = "Float8E8M0FNU"

    # The spelling of cutlass.experimental.primitives.
    F16X2 = F16x2
    E4M3X2 = E4M3x2
    E5M2X2 = E5M2x2
    BF16X2 = BF16x2
    E2M1X2 = E2M1x2
    E2M3X2 = E2M3x2
    E3M2X2 = E3M2x2
    UE8M0X2 = UE8M0x2


_Uint32, _Float32 = _compiler.Uint32, _compiler.Float32


def _bits_per_number(dtype: DType) -> int:
    """Return the bits from one number to the next in a word: of 6 bits, a byte each."""
    return 8 if dtype.width == 6 else dtype.width


def _exponent(x: _compiler.Numeric, rnd: FPRoundingMode) -> Any:
    """Return the bits of Float8E8M0FNU of a Float32, as Uint32: rounded up for RP, down for the other modes."""
    bits = x.bitcast(_Uint32)
    exponent = (bits >> 23) & 0xFF
    if rnd is FPRoundingMode.RP:
        # The least power of two, 2**-127, is subnormal as a Float32.
        fraction_of_power = _compiler.select(exponent == 0, _Uint32(0x400000), _Uint32(0))
        up = ((bits & 0x7FFFFF) > fraction_of_power) & (exponent < 254)
        exponent = exponent + _compiler.select(up, _Uint32(1), _Uint32(0))
    is_nan = (x != x) | (x < _Float32(0.0))
    return _compiler.select(is_nan, _Uint32(0xFF), exponent)


def _bits(x: _compiler.Numeric, dtype: DType, rnd: FPRoundingMode, relu: bool) -> Any:
    """Return the bits of a Float32 as a narrower float, as Uint32."""
    if relu:
        x = _compiler.select(x > 0.0, x, _compiler.select(x == x, _Float32(0.0), x))
    if dtype is _compiler.Float8E8M0FNU:
        return _exponent(x, rnd)
    narrow = x.to(dtype)
    # Numbers of 6 and 4 bits are integers of a byte in registers.
    unsigned = {16: _compiler.Uint16, 8: _compiler.Uint8}.get(dtype.width)
    if unsigned is not None:
        return narrow.bitcast(unsigned).to(_Uint32)
    return _small_bits(x, dtype)


def _small_bits(x: _compiler.Numeric, dtype: DType) -> Any:
    """Return the bits of a Float32 as a float of 6 or 4 bits, as Uint32: rounded in Float32, then its fields."""
    mantissa_bits = {"Float4E2M1FN": 1, "Float6E2M3FN": 3, "Float6E3M2FN": 2}[dtype.__name__]
    bias = {"Float4E2M1FN": 1, "Float6E2M3FN": 1, "Float6E3M2FN": 3}[dtype.__name__]
    word = x.to(dtype).to(_Float32).bitcast(_Uint32)
    exponent = ((word >> 23) & 0xFF).to(_compiler.Int32) - (127 - bias)
    fraction = (word & 0x7FFFFF) | 0x800000
    # Subnormal numbers have their leading one in the fraction.
    shift = _compiler.select(exponent > 0, _compiler.Int32(0), 1 - exponent)
    shift = (_compiler.min(shift, _compiler.Int32(24)) + (23 - mantissa_bits)).to(_Uint32)
    normal = exponent.to(_Uint32) << mantissa_bits
    fields = _compiler.select(
        exponent > 0,
        normal | ((fraction >> shift) & ((1 << mantissa_bits) - 1)),
        fraction >> shift,
    )
    sign = (word >> 31) << (dtype.width - 1)
    return _compiler.select((word << 1) == 0, _Uint32(0), fields) | sign


def number_of(word: _compiler.Numeric, dtype: DType) -> Any:
    """Return the Float32 of the narrow float in the low bits of a Uint32."""
    if dtype is _compiler.Float8E8M0FNU:
        exponent = word & 0xFF
        normal = _compiler.select(exponent == 0, _Uint32(0x400000), exponent << 23)
        return _compiler.select(exponent == 0xFF, _Uint32(0x7FC00000), normal).bitcast(_Float32)
    if dtype.width >= 8:
        unsigned = _compiler.Uint16 if dtype.width == 16 else _compiler.Uint8
        return word.to(unsigned).bitcast(dtype).to(_Float32)
    mantissa_bits = {"Float4E2M1FN": 1, "Float6E2M3FN": 3, "Float6E3M2FN": 2}[dtype.__name__]
    bias = {"Float4E2M1FN": 1, "Float6E2M3FN": 1, "Float6E3M2FN": 3}[dtype.__name__]
    magnitude = word & ((1 << (dtype.width - 1)) - 1)
    # A Float32 with the fields in place; its exponent lacks the difference of the biases.
    scaled = (magnitude << (23 - mantissa_bits)).bitcast(_Float32) * (2.0 ** (127 - bias))
    sign = (word >> (dtype.width - 1)) & 1
    return _compiler.select(sign != 0, -scaled, scaled)


_LARGEST = {_compiler.Float16: 65504.0, _compiler.BFloat16: (2.0 - 2.0**-7) * 2.0**127}


def _saturated(x: _compiler.Numeric, dtype: DType, sat: object) -> Any:
    """Return a Float32 that is finite as a float of 16 bits, unless it is NaN, if ``sat`` asks for that. Narrower
    floats saturate always."""
    mode = SaturationMode.NONE if sat is None else SaturationMode(getattr(sat, "value", sat))
    if mode is SaturationMode.NONE or dtype not in _LARGEST:
        return x
    most = _Float32(_LARGEST[dtype])
    return _compiler.select(x > most, most, _compiler.select(x < -most, -most, x))


def _joined(high: Int, low: Int, dtype: DType) -> Any:
    return (high << _bits_per_number(dtype)) | low


def _check_rounding(function: str, rnd: object, dtype: DType) -> FPRoundingMode:
    mode = FPRoundingMode.RN if rnd is None else FPRoundingMode(getattr(rnd, "value", rnd))
    powers = dtype is _compiler.Float8E8M0FNU
    if mode in (FPRoundingMode.RP, FPRoundingMode.RZ) if powers else mode is FPRoundingMode.RN:
        return mode
    if powers and rnd is None:
        return FPRoundingMode.RZ
    raise make_error(
        "ArgumentValue",
        function=function,
        expected=f"{'RP or RZ' if powers else 'RN'} as rnd for {dtype.__name__}",
        got=str(rnd),
    )


def _kind(function: str, name: str, kind: Any) -> Any:
    if isinstance(kind, CVTPackFloat):
        kind = CVTPackFloatKind[getattr(kind, "name", "")]
    if not isinstance(kind, CVTPackFloatKind):
        raise make_error(
            "ArgumentValue",
            function=function,
            expected=f"a CVTPackFloatKind as {name}",
            got=repr(kind),
        )
    return getattr(_compiler, kind.value)


def _placed(
    pair: _compiler.Numeric, rest: _compiler.Numeric, dtype: DType, extract_hi: object
) -> Any:
    """Return a word of a pair: the pair in the half that ``extract_hi`` says, and a half of ``rest`` in the other."""
    if _bits_per_number(dtype) == 16:
        return pair.bitcast(_compiler.Int32)
    if extract_hi:
        word = (pair << 16) | (rest.bitcast(_Uint32) & 0xFFFF)
    else:
        word = (rest.bitcast(_Uint32) & _Uint32(0xFFFF0000)) | pair
    return word.bitcast(_compiler.Int32)


def _word(value: Any) -> Any:
    if isinstance(value, int):
        return _compiler.Int32(value)
    return value.bitcast(_compiler.Int32)


def cvt_packfloat_f32(
    *operands: Any,
    rnd: Choice | None = None,
    sat: Choice | None = None,
    relu: bool = False,
    extract_hi: bool = False,
    loc: object = None,
    ip: object = None,
) -> Any:
    """Return two Float32 as narrow floats in one Int32.

    Args:
        operands: ``a``, ``b``, ``c``, and the CVTPackFloatKind; older forms pass the type of the result before them.
            ``a`` becomes the upper number of the pair. ``c`` is an Int32 that gives the other half of the result.
        rnd: an FPRoundingMode: RN, of Float8E8M0FNU RZ (default) or RP.
        sat: a SaturationMode. For floats of 16 bits, SATFINITE turns a number out of range into the largest one.
            Narrower floats always do so.
        relu: negative numbers become 0.
        extract_hi: the pair is in the upper 16 bits.
    """
    a, b, c, to = operands[-4:]
    dtype = _kind("cvt_packfloat_f32", "to", to)
    mode = _check_rounding("cvt_packfloat_f32", rnd, dtype)
    high, low = (
        _bits(_saturated(_Float32(x), dtype, sat), dtype, mode, bool(relu)) for x in (a, b)
    )
    return _placed(_joined(high, low, dtype), _word(c), dtype, extract_hi)


def cvt_packfloat(
    *operands: object,
    rnd: Choice | None = None,
    sat: Choice | None = None,
    relu: bool = False,
    extract_hi: bool = False,
    loc: object = None,
    ip: object = None,
) -> Any:
    """Return two floats of one kind in a word as two of another kind.

    Args:
        operands: ``a``, ``c``, and the CVTPackFloatKinds of ``a`` and of the result; older forms pass the type of the
            result before them. A pair of 8-bit or narrower floats is in the low 16 bits of ``a``, an Int32, or in the
            upper ones with ``extract_hi``. In the result, such a pair takes the same bits; the others are a half of
            ``c``.
        rnd, sat, relu: as of cvt_packfloat_f32.
    """
    a, c, of, to = operands[-4:]
    source, dtype = _kind("cvt_packfloat", "from_", of), _kind("cvt_packfloat", "to", to)
    mode = _check_rounding("cvt_packfloat", rnd, dtype)
    word, step = _word(a).bitcast(_Uint32), _bits_per_number(source)
    if step < 16 and extract_hi:
        word = word >> 16
    mask = (1 << step) - 1
    high, low = (
        _bits(_saturated(number_of(part & mask, source), dtype, sat), dtype, mode, bool(relu))
        for part in (word >> step, word)
    )
    return _placed(_joined(high, low, dtype), _word(c), dtype, extract_hi)


def _converted(
    name: str, widths: tuple[int, ...], result: object, operands: Sequence[Any], **options: Any
) -> Any:
    a, b, of = operands
    dtype = of.value if isinstance(of, TypeAttr) else of
    if not _compiler.is_dtype(dtype) or not dtype.is_float or dtype.width not in widths:
        raise make_error(
            "ArgumentValue",
            function=name,
            expected=f"a float of {widths[0]} bits as the type of the result",
            got=str(dtype),
        )
    mode = _check_rounding(name, options.get("rnd"), dtype)
    high, low = (_bits(_Float32(x), dtype, mode, bool(options.get("relu"))) for x in (a, b))
    pair = _joined(high, low, dtype)
    if isinstance(result, VectorType):
        parts = [pair & 0xFF, pair >> 8]
        return Vector([part.to(result.element_type) for part in parts], result.element_type)
    return pair.to(result)


def convert_f32x2_to_f8x2(
    result: object, a: object, b: object, of: DType, **options: object
) -> Any:
    """Return two Float32 as floats of 8 bits; ``a`` becomes the upper one.

    Args:
        result: Int16, or a vector type of two Int8.
        of: the narrow float's class, or a TypeAttr of it.
        options: ``rnd``, ``sat`` and ``relu`` as of cvt_packfloat_f32.
    """
    return _converted("convert_f32x2_to_f8x2", (8,), result, (a, b, of), **options)


def convert_f32x2_to_f6x2(
    result: object, a: object, b: object, of: DType, **options: object
) -> Any:
    """Return two Float32 as floats of 6 bits, a byte each; see convert_f32x2_to_f8x2."""
    return _converted("convert_f32x2_to_f6x2", (6,), result, (a, b, of), **options)


def convert_f32x2_to_f4x2(*operands: object, **options: object) -> Any:
    """Return two Float32 as floats of 4 bits in an Int8: ``(a, b, of)``, or the type of the result before them. ``a``
    becomes the upper one; see convert_f32x2_to_f8x2."""
    result = operands[0] if len(operands) == 4 else _compiler.Int8
    return _converted("convert_f32x2_to_f4x2", (4,), result, operands[-3:], **options)
