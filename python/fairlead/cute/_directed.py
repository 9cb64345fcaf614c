"""Arithmetic of Float32 rounded toward zero, down or up, from operations that round to the nearest.

The result that is rounded to the nearest is one of the two neighbours of the exact result. The sign of their
difference, computed in Float64, tells whether to return the other neighbour.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from fairlead import _compiler

__all__ = ["DIRECTIONS", "directed"]

#: Roundings of PTX other than to the nearest: toward zero, down, up.
DIRECTIONS = ("rz", "rm", "rp")

Numeric: TypeAlias = _compiler.Numeric
_Float32, _Float64, _Uint32 = _compiler.Float32, _compiler.Float64, _compiler.Uint32


def _sum_error(nearest: Numeric, a: Numeric, b: Numeric) -> Any:
    """A number with the sign of ``nearest - (a + b)``, for Float64 ``a`` and ``b``."""
    total = a + b
    rest = total - a
    error = (a - (total - rest)) + (b - rest)
    difference = nearest - total
    return _compiler.select(difference == 0.0, -error, difference)


def _quotient_error(nearest: Numeric, a: Numeric, b: Numeric) -> Any:
    error = nearest * b - a
    return _compiler.select(b < 0.0, -error, error)


# For each operation: its result, rounded to the nearest, and the error of that result in Float64.
_OPERATIONS: dict[str, tuple[Callable[..., Any], Callable[..., Any]]] = {
    "add": (lambda a, b: a + b, _sum_error),
    "sub": (lambda a, b: a - b, lambda nearest, a, b: _sum_error(nearest, a, -b)),
    "mul": (lambda a, b: a * b, lambda nearest, a, b: nearest - a * b),
    "div": (lambda a, b: a / b, _quotient_error),
    "sqrt": (_compiler.sqrt, lambda nearest, a: nearest * nearest - a),
}


def directed(operation: str, rounding: str, *operands: Numeric) -> Any:
    """Return the result of ``add``, ``sub``, ``mul``, ``fma``, ``div``, ``rcp`` or ``sqrt``, rounded in a direction.

    Args:
        operation: the instruction's name in PTX.
        rounding: ``rz``, ``rm`` or ``rp``.
        operands: Float32 numbers.
    """
    if operation == "rcp":
        operation, operands = "div", (_Float32(1.0), *operands)
    doubles = [operand.to(_Float64) for operand in operands]
    if operation == "fma":
        product = doubles[0] * doubles[1]  # exact
        nearest = _nearest_sum(product, doubles[2])
        error = _sum_error(nearest.to(_Float64), product, doubles[2])
    else:
        compute, error_of = _OPERATIONS[operation]
        nearest = compute(*operands)
        error = error_of(nearest.to(_Float64), *doubles)
    return _moved(nearest, error, rounding)


def _nearest_sum(a: Numeric, b: Numeric) -> Any:
    """The Float32 next to a sum of Float64; of two that are as near, either."""
    return (a + b).to(_Float32)


def _moved(nearest: Numeric, error: Numeric, rounding: str) -> Any:
    """The number, or its neighbour if the error has the wrong sign."""
    select = _compiler.select
    bits = nearest.bitcast(_Uint32)
    positive = nearest > 0.0
    if rounding == "rz":
        is_wrong = select(positive, error > 0.0, (nearest < 0.0) & (error < 0.0))
        moved = bits - 1
    elif rounding == "rm":
        is_wrong, moved = error > 0.0, select(positive, bits - 1, bits + 1)
    else:
        is_wrong, moved = error < 0.0, select(nearest < 0.0, bits - 1, bits + 1)
    return select(is_wrong, moved, bits).bitcast(_Float32)
