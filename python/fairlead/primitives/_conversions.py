"""Conversions between types of numbers, with their roundings."""

from __future__ import annotations

from typing import Any

from fairlead import _compiler
from fairlead._hints import did_you_mean
from fairlead.cute._types import Choice, DType, Int, Number
from fairlead.errors import DSLError, make_error
from fairlead.primitives import _enums
from fairlead.primitives._operands import dtype, emit, int32, member, needs, on_gpu, type_name

__all__ = [
    "convert",
    "convert_and_pack_integer",
    "convert_float_to_integer",
    "convert_float_to_tf32",
    "cvt_e2m1x2_byte_to_bf16x2",
    "cvt_e4m3x2_byte_to_bf16x2",
    "cvt_e4m3x2_to_bf16x2",
    "cvt_e4m3x2_word_to_bf16x2",
    "cvt_f32x2_to_f4x2",
    "cvt_f32x2_to_f8x2",
]

_Float32, _Int16, _Int32, _Uint32 = (
    _compiler.Float32,
    _compiler.Int16,
    _compiler.Int32,
    _compiler.Uint32,
)


def _float32(value: object, function: str, name: str) -> Any:
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return _Float32(value)
    if isinstance(value, _Float32):
        return value
    raise make_error(
        "ArgumentKind", function=function, expected=f"a Float32 as {name}", got=type_name(value)
    )


def _reject(function: str, expected: str, got: object) -> DSLError:
    return make_error("ArgumentValue", function=function, expected=expected, got=str(got))


def _check_rounding(function: str, rnd: object) -> None:
    if rnd is not None and member(_enums.FPRoundingMode, rnd, function, "rnd").value != "rn":
        raise _reject(function, "rn as rnd", rnd)


def _check_no_scale(
    function: str, is_pzo: object, scale_factor: object, scale_factor_kind: object
) -> None:
    for name, value in (
        ("is_pzo", is_pzo or None),
        ("scale_factor", scale_factor),
        ("scale_factor_kind", scale_factor_kind),
    ):
        if value is not None:
            raise _reject(function, f"None as {name}; it is not supported yet", value)


def convert(
    src: Any,
    dst_dtype: DType,
    *,
    rnd: Choice | None = None,
    sat: Choice | None = None,
    relu: bool | None = None,
    scale_factor: Int | None = None,
    scale_factor_kind: Choice | None = None,
    random_bits: Int | None = None,
    result_type: DType | None = None,
) -> Any:
    """Convert a number, or the elements of a Vector, to another type.

    Args:
        src: a number or a Vector.
        dst_dtype: a numeric class.
        rnd: an ``FPRoundingMode``: RN; default what ``to`` does.
        sat, relu, scale_factor, scale_factor_kind, random_bits: None; other forms are not supported yet.
        result_type: None, or the same as `dst_dtype`.
    """
    if result_type is not None and result_type is not dst_dtype:
        raise _reject("convert", "the type of dst_dtype as result_type", type_name(result_type))
    others = {
        "sat": sat,
        "relu": relu,
        "scale_factor": scale_factor,
        "scale_factor_kind": scale_factor_kind,
        "random_bits": random_bits,
    }
    used = [name for name, value in others.items() if value]
    if used:
        raise _reject(
            "convert", "no options but rnd; others are not supported yet", ", ".join(used)
        )
    _check_rounding("convert", rnd)
    dtype(dst_dtype, "convert", "dst_dtype")
    if isinstance(src, (int, float)):
        return dst_dtype(src)
    if not hasattr(src, "to"):
        expected = "a number or a Vector as src"
        raise make_error("ArgumentKind", function="convert", expected=expected, got=type_name(src))
    return src.to(dst_dtype)


_PACKED = {"u16": 16, "s16": 16, "u8": 8, "s8": 8, "u4": 4, "s4": 4, "u2": 2, "s2": 2}


def _packed_word(convert_type: Choice) -> str:
    """PTX's word for the type of the packed integers: "s8"."""
    if isinstance(convert_type, type) and getattr(convert_type, "is_integer", False):
        signed, width = convert_type.signed, convert_type.width  # type: ignore[attr-defined]
        return f"{'s' if signed else 'u'}{width}"
    return str(getattr(convert_type, "value", convert_type)).lower()


def convert_and_pack_integer(
    src_a: object,
    src_b: object,
    convert_type: Choice,
    *,
    src_c: object = None,
    is_signed: bool | None = None,
) -> Any:
    """Saturate two integers to fewer bits and put them side by side; for sm_75 and newer GPUs, and the CPU.

    Args:
        src_a, src_b: integers of 32 bits with a sign; `src_b` comes into the lowest bits.
        convert_type: an integer class of 8 or 16 bits, or PTX's word: U16, S16, U8, S8, U4, S4, U2 or S2.
        src_c: the bits above the two, for types of 8 bits and fewer; default 0.
        is_signed: True or None.

    Returns:
        An Int32.
    """
    function = "convert_and_pack_integer"
    word = _packed_word(convert_type)
    if word not in _PACKED or is_signed is False:
        expected = f"one of {', '.join(_PACKED)} as convert_type, and integers with a sign"
        raise _reject(function, expected, word if word not in _PACKED else "is_signed=False")
    width = _PACKED[word]
    if src_c is not None and width == 16:
        raise _reject(function, "no src_c with integers of 16 bits", type_name(src_c))
    needs(function, "ldmatrix")
    a, b = (
        _Int32(int32(value, function, name)) for value, name in ((src_a, "src_a"), (src_b, "src_b"))
    )
    rest = _Int32(int32(0 if src_c is None else src_c, function, "src_c"))
    if on_gpu() and width == 16:
        return emit(f"cvt.pack.sat.{word}.s32 $0, $1, $2;", [_Int32], [a, b])
    if on_gpu():
        return emit(f"cvt.pack.sat.{word}.s32.b32 $0, $1, $2, $3;", [_Int32], [a, b, rest])
    least, most = (
        (0, (1 << width) - 1) if word[0] == "u" else (-(1 << width - 1), (1 << width - 1) - 1)
    )
    bits = (1 << width) - 1
    a, b = (
        _compiler.min(_compiler.max(value, _Int32(least)), _Int32(most)) & bits for value in (a, b)
    )
    pair = (a << width) | b
    return pair if width == 16 else pair | (rest << (2 * width))


def convert_float_to_tf32(
    src: Number,
    *,
    rnd: Choice | None = None,
    sat: Choice | None = None,
    relu: bool | None = None,
) -> Any:
    """Round a Float32 to the 10 bits of a TF32's fraction; for sm_80 (RNA) or sm_90 and newer GPUs, and the CPU.

    Args:
        src: a Float32.
        rnd: an ``FPRoundingMode``: RNA (default; ties away from 0), RN (ties to even) or RZ.
        sat: None; saturation is not supported yet.
        relu: True to make negative numbers and NaN 0; with RN or RZ.

    Returns:
        The bits of a Float32, as an Int32.
    """
    function = "convert_float_to_tf32"
    value = _float32(src, function, "src")
    mode = "rna" if rnd is None else member(_enums.FPRoundingMode, rnd, function, "rnd").value
    if mode not in ("rna", "rn", "rz") or sat is not None or (relu and mode == "rna"):
        raise _reject(
            function, "rna, rn or rz as rnd, no sat, and relu with rn or rz", f"{mode}, {sat}"
        )
    needs(function, "cp_async" if mode == "rna" else "clusters")
    if on_gpu():
        suffix = ".relu" if relu else ""
        return emit(f"cvt.{mode}{suffix}.tf32.f32 $0, $1;", [_Int32], [value])
    bits = value.bitcast(_Uint32)
    half, fraction = 1 << 12, (1 << 13) - 1
    added = {"rna": _Uint32(half), "rn": ((bits >> 13) & 1) + (half - 1), "rz": _Uint32(0)}[mode]
    rounded = (bits + added) & _Uint32(0xFFFFFFFF ^ fraction)
    if relu:
        rounded = _compiler.select(value > 0.0, rounded, _Uint32(0))
    else:
        rounded = _compiler.select(value != value, _Uint32(0x7FFFFFFF), rounded)
    return rounded.bitcast(_Int32)


def _nearest(value: _compiler.Numeric) -> Any:
    """The integer next to a float; of two the even one."""
    below = _compiler.floor(value)
    past = value - below
    is_odd = _compiler.floor(below * 0.5) * 2.0 != below
    up = (past > 0.5) | ((past == 0.5) & is_odd)
    return _compiler.select(up, below + 1.0, below)


_TO_INTEGER: dict[str, Any] = {"rni": _nearest, "rmi": _compiler.floor, "rpi": _compiler.ceil}


def convert_float_to_integer(
    src: Number,
    *,
    result_type: DType = _Int32,
    rnd: Choice | None = None,
    sat: Choice | None = None,
    ftz: bool | None = None,
    is_signed: bool | None = None,
) -> Any:
    """Convert a Float32 to an integer of 32 or 64 bits.

    Args:
        src: a Float32.
        result_type: a numeric class.
        rnd: an ``IntRoundingMode``: RNI (default; ties to even), RZI, RMI or RPI.
        sat: accepted: results always saturate.
        ftz: True to count subnormal numbers as 0, on GPUs.
        is_signed: whether the integer is signed; default what `result_type` is.
    """
    function = "convert_float_to_integer"
    value = _float32(src, function, "src")
    width = getattr(result_type, "width", 0)
    if width not in (32, 64) or not result_type.is_integer:
        expected = "an integer class of 32 or 64 bits as result_type"
        raise make_error(
            "ArgumentKind", function=function, expected=expected, got=type_name(result_type)
        )
    mode = "rni" if rnd is None else member(_enums.IntRoundingMode, rnd, function, "rnd").value
    if sat is not None:
        member(_enums.SaturationMode, sat, function, "sat")
    signed = result_type.signed if is_signed is None else bool(is_signed)
    cls = getattr(_compiler, f"{'Int' if signed else 'Uint'}{width}")
    if on_gpu():
        flush = ".ftz" if ftz else ""
        text = f"cvt.{mode}{flush}.{'s' if signed else 'u'}{width}.f32 $0, $1;"
        result = emit(text, [cls], [value])
    else:
        integral = value if mode == "rzi" else _TO_INTEGER[mode](value)
        result = integral.to(cls)
    return result if cls is result_type else result.bitcast(result_type)


def _narrow(
    function: str, a: object, b: object, cls: Any, word: str, options: str
) -> tuple[Any, Any]:
    """The codes of two floats of up to 8 bits: of `a` and of `b`."""
    values = _float32(a, function, "a"), _float32(b, function, "b")
    if not on_gpu():
        bits = getattr(_compiler, f"Uint{cls.width}", _compiler.Uint8)
        codes = [value.to(cls).bitcast(bits).to(_compiler.Uint16) for value in values]
        return codes[0], codes[1]
    text = f"cvt.rn.satfinite{options}.{word}.f32"
    if cls.width == 8:
        both = emit(f"{text} $0, $1, $2;", [_compiler.Uint16], list(values))
    else:
        code = f"{{ .reg .b8 pair; {text} pair, $1, $2; cvt.u16.u8 $0, pair; }}"
        both = emit(code, [_compiler.Uint16], list(values))
    return both >> cls.width, both & ((1 << cls.width) - 1)


_FLOATS = {
    "e4m3x2": "Float8E4M3FN",
    "e5m2x2": "Float8E5M2",
    "e2m1x2": "Float4E2M1FN",
}


def _narrow_class(
    kind: object, function: str, name: str, words: tuple[str, ...]
) -> tuple[Any, str]:
    for word in words:
        cls = getattr(_compiler, _FLOATS[word])
        if kind is cls:
            return cls, word
    word = str(getattr(kind, "value", kind)).lower()
    word = word if word.endswith("x2") else f"{word}x2"
    if word not in words:
        expected = f"{' or '.join(words)}, or their numeric class, as {name}"
        got = repr(kind) if isinstance(kind, str) else type_name(kind)
        refusal = _reject(function, expected, got)
        refusal.help = did_you_mean(word, words) if isinstance(kind, str) else None
        raise refusal
    return getattr(_compiler, _FLOATS[word]), word


def cvt_f32x2_to_f8x2(
    a: object,
    b: object,
    dst_ty: DType,
    *,
    is_pzo: bool | None = None,
    scale_factor: Int | None = None,
    scale_factor_kind: Choice | None = None,
    rnd: Choice | None = None,
    sat: Choice | None = None,
    relu: bool | None = None,
) -> Any:
    """Convert two Float32 to floats of 8 bits, rounded to nearest and saturated; for sm_90 and newer GPUs, and the CPU.

    Args:
        a, b: numbers; `a` comes into the upper byte.
        dst_ty: Float8E4M3FN or Float8E5M2, or PTX's word.
        rnd, sat: RN and SATFINITE, which are the default.
        relu: True to make negative numbers 0.
        is_pzo, scale_factor, scale_factor_kind: None; not supported yet.

    Returns:
        An Int16.
    """
    function = "cvt_f32x2_to_f8x2"
    cls, word = _narrow_class(dst_ty, function, "dst_ty", ("e4m3x2", "e5m2x2"))
    _check_no_scale(function, is_pzo, scale_factor, scale_factor_kind)
    _check_rounding(function, rnd)
    if sat is not None and member(_enums.SaturationMode, sat, function, "sat").value != "satfinite":
        raise _reject(function, "satfinite as sat", sat)
    needs(function, "clusters")
    if relu and not on_gpu():
        a, b = (_compiler.max(_float32(number, function, "a"), _Float32(0.0)) for number in (a, b))
    high, low = _narrow(function, a, b, cls, word, ".relu" if relu and on_gpu() else "")
    return ((high << 8) | low).bitcast(_Int16)


def cvt_f32x2_to_f4x2(
    a: object,
    b: object,
    dst_type: object = "e2m1",
    *,
    is_pzo: bool | None = None,
    scale_factor: object = None,
    scale_factor_kind: Choice | int | None = None,
    rnd: Choice | int | None = None,
    relu: bool | None = None,
) -> Any:
    """Convert two Float32 to floats of 4 bits, rounded to nearest and saturated; for sm_100a, and the CPU.

    Args:
        a, b: numbers; `a` comes into the upper 4 bits.
        dst_type: a ``ConvertFP4Type``: E2M1.
        rnd, relu, is_pzo, scale_factor, scale_factor_kind: see cvt_f32x2_to_f8x2.

    Returns:
        An Int8.
    """
    function = "cvt_f32x2_to_f4x2"
    kind = getattr(dst_type, "name", dst_type)
    cls, word = _narrow_class(kind, function, "dst_type", ("e2m1x2",))
    _check_no_scale(function, is_pzo, scale_factor, scale_factor_kind)
    _check_rounding(function, rnd)
    needs(function, "tcgen05")
    if relu and not on_gpu():
        a, b = (_compiler.max(_float32(number, function, "a"), _Float32(0.0)) for number in (a, b))
    high, low = _narrow(function, a, b, cls, word, ".relu" if relu and on_gpu() else "")
    return ((high << 4) | low).to(_compiler.Uint8).bitcast(_compiler.Int8)


def _widened(code: _compiler.Numeric, sign: int, fraction: int, scale: float) -> Any:
    """The Float32 of a float of a few bits: its exponent and fraction in place, times a power of two.

    `sign`: bits of the code less 1. `fraction`: bits of its fraction.
    """
    magnitude = (code & ((1 << sign) - 1)) << (23 - fraction)
    bits = ((code >> sign & 1) << 31) | magnitude
    return bits.bitcast(_Float32) * scale


def _pair_of_bf16(low: _compiler.Numeric, high: _compiler.Numeric) -> Any:
    halves = [number.bitcast(_Uint32) >> 16 for number in (low, high)]
    return (halves[0] | (halves[1] << 16)).bitcast(_Int32)


def _bits(value: object, function: str, name: str) -> Any:
    if isinstance(value, int):
        return _Uint32(int32(value, function, name, least=0))
    if isinstance(value, _compiler.Numeric) and type(value).is_integer and type(value).width <= 32:
        unsigned = getattr(_compiler, f"Uint{type(value).width}")
        plain = value if type(value) is unsigned else value.bitcast(unsigned)
        return plain if unsigned is _Uint32 else plain.to(_Uint32)
    raise make_error(
        "ArgumentKind",
        function=function,
        expected=f"an integer of up to 32 bits as {name}",
        got=type_name(value),
    )


def cvt_e2m1x2_byte_to_bf16x2(packed_byte: Int) -> Any:
    """Convert two Float4E2M1FN to BFloat16, which is exact.

    Args:
        packed_byte: an integer with the two in its lower 8 bits.

    Returns:
        An Int32; its lower half is the number of the lower 4 bits.
    """
    bits = _bits(packed_byte, "cvt_e2m1x2_byte_to_bf16x2", "packed_byte")
    numbers = [_widened(bits >> shift, 3, 1, 2.0**126) for shift in (0, 4)]
    return _pair_of_bf16(*numbers)


def _e4m3(code: _compiler.Numeric) -> Any:
    number = _widened(code, 7, 3, 2.0**120)
    nan = _Uint32(0x7FFF0000).bitcast(_Float32)
    return _compiler.select((code & 127) == 127, nan, number)


def cvt_e4m3x2_byte_to_bf16x2(packed_byte: Int) -> Any:
    """Convert the Float8E4M3FN in the lower 8 bits of an integer to BFloat16, in both halves of an Int32."""
    number = _e4m3(_bits(packed_byte, "cvt_e4m3x2_byte_to_bf16x2", "packed_byte"))
    return _pair_of_bf16(number, number)


def cvt_e4m3x2_to_bf16x2(packed_fp8: Int) -> Any:
    """Convert two Float8E4M3FN to BFloat16, which is exact.

    Args:
        packed_fp8: an integer with the two in its lower 16 bits.

    Returns:
        An Int32; its lower half is the number of the lower byte.
    """
    bits = _bits(packed_fp8, "cvt_e4m3x2_to_bf16x2", "packed_fp8")
    return _pair_of_bf16(_e4m3(bits), _e4m3(bits >> 8))


def cvt_e4m3x2_word_to_bf16x2(packed_word: Int, shift: Int) -> Any:
    """Convert the two Float8E4M3FN that begin at bit `shift` of a word to BFloat16; see cvt_e4m3x2_to_bf16x2."""
    bits = _bits(packed_word, "cvt_e4m3x2_word_to_bf16x2", "packed_word")
    by = int32(shift, "cvt_e4m3x2_word_to_bf16x2", "shift", least=0, most=24)
    return cvt_e4m3x2_to_bf16x2(bits >> (by if isinstance(by, int) else by.to(_Uint32)))
