"""Arithmetic with a rounding, with subnormal numbers counted as 0, or by a GPU's approximation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from fairlead import _compiler
from fairlead._tracing.state import state
from fairlead.cute._assembly import inline_asm
from fairlead.cute._target import current_target
from fairlead.cute._types import DType, Elements, Number
from fairlead.errors import CheckedEnum, make_error

__all__ = ["RoundingMode", "approximate", "flushed", "multiply_add", "rounded", "rounding_word"]

_Float32, _Float64 = _compiler.Float32, _compiler.Float64


class RoundingMode(CheckedEnum):
    """How a result is rounded; arithmetic rounds to the nearest, ties to even, if it is not told otherwise."""

    NEAREST_EVEN = "rn"
    ZERO = "rz"
    DOWN = "rm"
    UP = "rp"


def rounding_word(function: str, rounding: object, parameter: str = "rounding") -> str:
    """Return the word of PTX for a rounding: a RoundingMode, ``"rn"``, ``"rz"``, ``"rm"``, ``"rp"``, or None for
    ``rn``."""
    if rounding is None:
        return "rn"
    if isinstance(rounding, RoundingMode):
        return str(rounding.value)
    word = str(getattr(rounding, "name", rounding)).lower()
    if word in ("rn", "nearest_even"):
        return "rn"
    if word not in ("rz", "rm", "rp"):
        raise make_error(
            "ArgumentValue",
            function=function,
            expected=f"rn, rz, rm or rp as {parameter}",
            got=repr(rounding),
        )
    return word


def _in_gpu_kernel() -> bool:
    return bool(current_target().capability) and state.program.in_kernel()


def _is_float(value: Elements) -> bool:
    if isinstance(value, (bool, int, float)):
        return isinstance(value, float)
    dtype = value.dtype if isinstance(value, _compiler.TensorExpr) else type(value)
    return bool(dtype.is_float)


def _shape(value: Any) -> Any:
    """The shape of a whole-tensor value; the extent of a single mode, as ``16`` and ``(16,)`` are alike."""
    shape = value.shape
    return shape[0] if isinstance(shape, tuple) and len(shape) == 1 else shape


def _by_element(compute: Callable[..., Any], operands: tuple[Elements, ...]) -> Any:
    """``compute`` of numbers, or of each element of whole-tensor values, as many as the largest has."""
    values = [value for value in operands if isinstance(value, _compiler.TensorExpr)]
    if not values:
        return compute(*operands)
    leaves, shape = max(
        ((len(value._leaves()), _shape(value)) for value in values), key=lambda pair: pair[0]
    )

    def column(value: Elements) -> Any:
        if not isinstance(value, _compiler.TensorExpr):
            return [value] * leaves
        return (value if _shape(value) == shape else value.broadcast_to(shape))._leaves()

    elements = [compute(*row) for row in zip(*map(column, operands), strict=True)]
    return _compiler.TensorExpr(tuple(elements), shape, type(elements[0]))


def multiply_add(a: Elements, b: Elements, c: Elements) -> Any:
    """``a * b + c``, rounded once where the type is Float32 or Float64."""
    if all(isinstance(value, (bool, int, float)) for value in (a, b, c)):
        return a * b + c
    return _by_element(_compiler.multiply_add, (a, b, c))


def _dtype(numbers: tuple[Number, ...]) -> Any:
    """The type that arithmetic of these operands has: the widest float, Float32 for integers."""
    floats = [type(x) for x in numbers if not isinstance(x, (bool, int, float)) and _is_float(x)]
    return max(floats, key=lambda dtype: dtype.width, default=_Float32)


def _instruction(text: str, dtype: DType, numbers: tuple[Number, ...]) -> Any:
    """The result of a GPU's instruction of Float32 or Float64 numbers."""
    letter, suffix = ("d", "f64") if dtype is _Float64 else ("f", "f32")
    operands = ", ".join(f"${index}" for index in range(len(numbers) + 1))
    constraints = ",".join([f"={letter}", *letter * len(numbers)])
    converted = [dtype(number) for number in numbers]
    return inline_asm(dtype, converted, f"{text}.{suffix} {operands};", constraints)


def rounded(
    name: str,
    exact: Callable[..., Any],
    operands: tuple[Elements, ...],
    rounding: object,
    ftz: bool,
) -> Any:
    """Return ``exact(*operands)``, or the result of the instruction ``name`` with a rounding or ``ftz``.

    Args:
        name: the instruction in PTX: ``add``, ``div`` and so on.
        exact: the operation, rounded to the nearest.
        operands: numbers, or whole-tensor values.
        rounding: see rounding_word; a direction needs Float32, or on GPUs Float64.
        ftz: True to count subnormal Float32 as 0, on GPUs.
    """
    word = rounding_word(name, rounding)
    if all(isinstance(operand, (bool, int, float)) for operand in operands):
        if word == "rn":
            return exact(*operands)
        raise _no_direction(name, word, "Python numbers")
    if (word == "rn" and not ftz) or not any(map(_is_float, operands)):
        return exact(*operands)

    def compute(*numbers: Number) -> Any:
        dtype = _dtype(numbers)
        if word != "rn" and dtype.width < 32:
            raise _no_direction(name, word, dtype.__name__)
        if _in_gpu_kernel() and dtype.width >= 32:
            flush = ".ftz" if ftz and dtype is _Float32 else ""
            return _instruction(f"{name}.{word}{flush}", dtype, numbers)
        if word == "rn":
            return exact(*numbers)
        if dtype is _Float64:
            raise _no_direction(name, word, "Float64 on the CPU")
        return _compiler.directed(name, word, [dtype(number) for number in numbers])

    return _by_element(compute, operands)


def _no_direction(name: str, word: str, operands: str) -> Exception:
    return make_error(
        "ArgumentValue",
        function=name,
        expected=f"Float32 numbers (on GPUs also Float64) with the rounding {word}",
        got=operands,
    )


def approximate(
    name: str,
    exact: Callable[..., Any],
    operands: tuple[Elements, ...],
    ftz: bool,
    how: str = "approx",
) -> Any:
    """Return the GPU's approximation ``name.approx`` (or ``how``) of Float32; ``exact(*operands)`` elsewhere.

    Narrower floats are computed in Float32.
    """
    if all(isinstance(operand, (bool, int, float)) for operand in operands) or not _in_gpu_kernel():
        return exact(*operands)

    def compute(*numbers: Number) -> Any:
        dtype = _dtype(numbers)
        if dtype is _Float64:
            return exact(*numbers)
        flush = ".ftz" if ftz and name != "tanh" else ""
        result = _instruction(f"{name}.{how}{flush}", _Float32, numbers)
        return result if dtype is _Float32 else result.to(dtype)

    return _by_element(compute, operands)


def flushed(x: Elements) -> Any:
    """``x`` with subnormal Float32 counted as 0, on GPUs."""
    if isinstance(x, (bool, int, float)) or not _in_gpu_kernel():
        return x

    def compute(number: Number) -> Any:
        if type(number) is not _Float32:
            return number
        return inline_asm(_Float32, [number], "mul.rn.ftz.f32 $0, $1, 0f3F800000;", "=f,f")

    return _by_element(compute, (x,))
