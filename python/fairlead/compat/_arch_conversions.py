"""Conversions of ``cutlass.cute.arch`` between narrow integers and floats: of single numbers, and of vectors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from fairlead import _compiler
from fairlead.compat._arch_names import sext_unpacked_i4_i8_intrinsic
from fairlead.compat._mlir._vectors import Vector, as_vector
from fairlead.cute._types import DType, Number
from fairlead.errors import make_error

__all__ = [
    "cvt_f32_bf16",
    "cvt_f32x2_bf16x2",
    "cvt_i4_bf16",
    "cvt_i4_bf16_intrinsic",
    "cvt_i4_mxf8_intrinsic",
    "cvt_i4x2_to_bf16x2",
    "cvt_i4x4_to_bf16x4",
    "cvt_i4x8_to_bf16x8",
    "cvt_i4x8_to_mxf8x8",
    "cvt_i8_bf16",
    "cvt_i8_bf16_intrinsic",
    "cvt_i8x2_to_bf16x2",
    "cvt_i8x2_to_f32x2",
    "cvt_i8x4_to_bf16x4",
    "cvt_i8x4_to_f32x4",
    "sext_unpacked_i4x4_to_i8x4",
]

_Int4, _Int8, _Float32, _BFloat16 = (
    _compiler.Int4,
    _compiler.Int8,
    _compiler.Float32,
    _compiler.BFloat16,
)


def _numbers(function: str, source: object, dtype: DType, count: int) -> list[Any]:
    vector = as_vector(source)
    if len(vector) != count or vector.element_type is not dtype:
        expected = f"a vector of {count} {dtype.__name__}"
        raise make_error("ArgumentKind", function=function, expected=expected, got=str(vector.type))
    return list(vector.numbers)


def _in_order(numbers: list[Any], with_shuffle: bool) -> list[Any]:
    """The numbers with the inner two of each four exchanged if they are shuffled; up to three at the end stay."""
    if not with_shuffle:
        return numbers
    ordered = list(numbers)
    for first in range(0, len(numbers) - 3, 4):
        ordered[first + 1], ordered[first + 2] = numbers[first + 2], numbers[first + 1]
    return ordered


def _of_number(name: str, source: DType, target: DType) -> Callable[..., Any]:
    def function(src: Number, *, loc: object = None, ip: object = None) -> Any:
        return source(src).to(target)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"Return a number of {source.__name__} as {target.__name__}."
    return function


def _of_vector(name: str, source: DType, target: DType, count: int) -> Callable[..., Any]:
    def function(
        src: object, *, with_shuffle: bool = False, loc: object = None, ip: object = None
    ) -> Vector:
        numbers = _in_order(_numbers(name, src, source, count), with_shuffle)
        return Vector([number.to(target) for number in numbers], target)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"Return {count} numbers of {source.__name__} as {target.__name__}."
    return function


cvt_f32_bf16 = _of_number("cvt_f32_bf16", _Float32, _BFloat16)
cvt_i4_bf16 = _of_number("cvt_i4_bf16", _Int4, _BFloat16)
cvt_i8_bf16 = _of_number("cvt_i8_bf16", _Int8, _BFloat16)
cvt_f32x2_bf16x2 = _of_vector("cvt_f32x2_bf16x2", _Float32, _BFloat16, 2)
cvt_i4x2_to_bf16x2 = _of_vector("cvt_i4x2_to_bf16x2", _Int4, _BFloat16, 2)
cvt_i4x4_to_bf16x4 = _of_vector("cvt_i4x4_to_bf16x4", _Int4, _BFloat16, 4)
cvt_i4x8_to_bf16x8 = _of_vector("cvt_i4x8_to_bf16x8", _Int4, _BFloat16, 8)
cvt_i8x2_to_bf16x2 = _of_vector("cvt_i8x2_to_bf16x2", _Int8, _BFloat16, 2)
cvt_i8x4_to_bf16x4 = _of_vector("cvt_i8x4_to_bf16x4", _Int8, _BFloat16, 4)
cvt_i8x2_to_f32x2 = _of_vector("cvt_i8x2_to_f32x2", _Int8, _Float32, 2)
cvt_i8x4_to_f32x4 = _of_vector("cvt_i8x4_to_f32x4", _Int8, _Float32, 4)


def cvt_i8_bf16_intrinsic(
    vec_i8: object, length: int, *, loc: object = None, ip: object = None
) -> Vector:
    """Return ``length`` numbers of Int8 as BFloat16."""
    return _of_vector("cvt_i8_bf16_intrinsic", _Int8, _BFloat16, length)(vec_i8)  # type: ignore[no-any-return]


def cvt_i4_bf16_intrinsic(
    vec_i4: object,
    length: int,
    *,
    with_shuffle: bool = False,
    loc: object = None,
    ip: object = None,
) -> Vector:
    """Return ``length`` numbers of Int4 as BFloat16.

    Args:
        with_shuffle: True if the inner two of each four numbers are exchanged; the results are in order.
    """
    convert: Any = _of_vector("cvt_i4_bf16_intrinsic", _Int4, _BFloat16, length)
    result: Vector = convert(vec_i4, with_shuffle=with_shuffle)
    return result


def cvt_i4_mxf8_intrinsic(
    vec_i4: object, length: int, dst_type: DType, *, loc: object = None, ip: object = None
) -> Vector:
    """Return ``length`` numbers of Int4 as Float8E4M3FN, which is exact.

    Args:
        length: a multiple of 8.
        dst_type: the type of 8 bits that the bytes are given as.
    """
    name = "cvt_i4_mxf8_intrinsic"
    numbers = _numbers(name, vec_i4, _Int4, length)
    if length % 8 or dst_type.width != 8:
        expected = "a multiple of 8 as length, and a type of 8 bits as dst_type"
        got = f"{length}, {dst_type.__name__}"
        raise make_error("ArgumentValue", function=name, expected=expected, got=got)
    narrow: Any = _compiler.Float8E4M3FN
    return Vector([number.to(narrow) for number in numbers], narrow).bitcast(dst_type)


def cvt_i4x8_to_mxf8x8(
    src_vec8: object, *, dst_type: DType, loc: object = None, ip: object = None
) -> Vector:
    """``cvt_i4_mxf8_intrinsic`` of eight numbers."""
    return cvt_i4_mxf8_intrinsic(src_vec8, 8, dst_type)


def sext_unpacked_i4x4_to_i8x4(
    src_vec4: object, *, loc: object = None, ip: object = None
) -> Vector:
    """``sext_unpacked_i4_i8_intrinsic`` of four numbers."""
    return sext_unpacked_i4_i8_intrinsic(src_vec4, 4)
