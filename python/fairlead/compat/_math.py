"""``cutlass.cute.math``: Fairlead's, also of vectors of primitives."""

from __future__ import annotations

import builtins
import functools
from collections.abc import Callable
from types import FunctionType
from typing import Any

from fairlead import _compiler
from fairlead.compat._places import forwarding, ignoring
from fairlead.cute import math
from fairlead.cute._types import Elements
from fairlead.errors import make_error
from fairlead.primitives import Vector

__all__ = list(math.__all__)


def _of_vectors(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return ``function``, which also takes vectors of primitives of one shape, and gives one then."""

    @functools.wraps(function)
    def call(*operands: Any, **options: object) -> Any:
        shapes = {operand.shape for operand in operands if isinstance(operand, Vector)}
        if not shapes:
            return function(*operands, **options)
        values = [
            operand._values if isinstance(operand, Vector) else operand for operand in operands
        ]
        if len(shapes) > 1:
            raise make_error(
                "ArgumentValue",
                function=function.__name__,
                expected="vectors of one shape",
                got=" and ".join(map(str, sorted(shapes))),
            )
        return Vector._of(function(*values, **options), shapes.pop())

    return call


# Programs that allow subnormal results to become 0 get the exact ones.
clamp = _of_vectors(ignoring(math.clamp, "ftz"))


def _is_narrow(operand: object) -> bool:
    dtype = getattr(operand, "dtype", None)
    return dtype in (_compiler.Float16, _compiler.BFloat16)


def _in_float32(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return ``function``, which computes with Float32 for operands of 16 bits, and rounds the result to 16 bits."""

    @functools.wraps(function)
    def call(*operands: Any, **options: object) -> Any:
        if not all(map(_is_narrow, operands)):
            return function(*operands, **options)
        operands_in_float32 = [operand.to(_compiler.Float32) for operand in operands]
        return function(*operands_in_float32, **options).to(operands[0].dtype)

    return call


def _remainder(x: Elements, y: Elements, fastmath: bool = False) -> Any:
    """Return the exact remainder of ``x / y`` rounded toward zero."""
    both_float = all(getattr(operand, "is_float", False) for operand in (x, y))
    return x % y if both_float else math.rem(x, y, fastmath)


def _of_signed(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return ``function``, the absolute value, which takes unsigned integers for signed ones."""

    @functools.wraps(function)
    def call(x: Elements, *args: object, **options: object) -> Any:
        is_integer = getattr(getattr(x, "dtype", None), "is_integer", False)
        return builtins.abs(x) if is_integer else function(x, *args, **options)

    return call


abs = _of_vectors(ignoring(_of_signed(math.abs)))
absi = _of_vectors(ignoring(_of_signed(math.absi)))
fma = _of_vectors(ignoring(_in_float32(math.fma), "ftz"))
rem = _of_vectors(ignoring(_in_float32(_remainder)))
# NaN counts only if a program asks for it.
max = _of_vectors(ignoring(functools.partial(math.max, propagate_nan=False), "ftz"))
min = _of_vectors(ignoring(functools.partial(math.min, propagate_nan=False), "ftz"))


def _math_op(function: Callable[..., Any], fastmath: bool, *operands: object, **_: object) -> Any:
    """Return a function of ``_mlir.dialects.math`` of the operands."""
    return function(*operands, fastmath=fastmath)


_get, __dir__ = forwarding(globals(), math)


def __getattr__(name: str) -> Any:
    value = _get(name)
    if isinstance(value, FunctionType) and not name.startswith("_"):
        value = globals()[name] = _of_vectors(value)
    return value
