"""Math functions of traced values.

An operand is a run-time number, a whole-tensor expression (element by element) or a Python number (computed at once,
to a Python float). Integers become Float32 first. ``fastmath`` allows results of lower accuracy.
"""

from __future__ import annotations

import math as _math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from fairlead import _compiler
from fairlead._hints import missing
from fairlead.cute._arithmetic import RoundingMode, approximate, flushed, rounded
from fairlead.cute._elementary import (
    abs,
    absi,
    acos,
    acosh,
    add,
    asin,
    asinh,
    atan,
    atan2,
    atanh,
    cbrt,
    clamp,
    copysign,
    cosh,
    div,
    erfc,
    expm1,
    extremum,
    fma,
    fpowi,
    ipowi,
    isfinite,
    isinf,
    isnan,
    isnormal,
    log1p,
    mul,
    neg,
    pow,
    rem,
    round,
    roundeven,
    sincos,
    sinh,
    sub,
    trunc,
)
from fairlead.cute._types import Elements
from fairlead.errors import make_error, require

__all__ = [
    "RoundingMode",
    "abs",
    "absf",
    "absi",
    "acos",
    "acosh",
    "add",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "cbrt",
    "ceil",
    "clamp",
    "copysign",
    "cos",
    "cosh",
    "div",
    "erf",
    "erfc",
    "exp",
    "exp2",
    "expm1",
    "floor",
    "fma",
    "fpowi",
    "ipowi",
    "isfinite",
    "isinf",
    "isnan",
    "isnormal",
    "log",
    "log10",
    "log1p",
    "log2",
    "max",
    "min",
    "mul",
    "neg",
    "pow",
    "rcp",
    "rem",
    "round",
    "roundeven",
    "rsqrt",
    "sin",
    "sincos",
    "sinh",
    "sqrt",
    "sub",
    "tan",
    "tanh",
    "trunc",
]


def _rsqrt(x: float) -> float:
    return 1.0 / _math.sqrt(x)


def _define(name: str, python: Callable[[float], float], summary: str) -> Callable[..., Any]:
    traced = getattr(_compiler, name)

    def function(x: Elements, fastmath: bool = False) -> Any:
        if isinstance(x, (int, float)):
            return python(x)
        return traced(x, fastmath=fastmath)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"""{summary}

        Args:
            x: a run-time number, a whole-tensor value (element by element), or a Python number (computed while
            tracing).
                Integers become Float32 first.
            fastmath: True allows a faster, less accurate form on GPUs.
        """
    return function


_INSTRUCTIONS = {"exp2": "ex2", "log2": "lg2"}


def _define_approximate(name: str, python: Callable[[float], float], summary: str) -> Any:
    """A function with an approximate instruction on GPUs."""
    exact = _define(name, python, summary)
    instruction = _INSTRUCTIONS.get(name, name)

    def function(
        x: Elements, fastmath: bool = False, approx: bool = False, ftz: bool = False
    ) -> Any:
        if approx:
            return approximate(instruction, exact, (x,), ftz)
        if not ftz:
            return exact(x, fastmath=fastmath)
        return flushed(exact(flushed(x), fastmath=fastmath))

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"""{(exact.__doc__ or "").rstrip()}
            approx: True for the approximate instruction for Float32 on GPUs, ``{instruction}.approx``.
            ftz: True to count subnormal Float32 as 0, on GPUs.
        """
    return function


exp = _define("exp", _math.exp, "e to the power of x.")
exp2 = _define_approximate("exp2", lambda x: 2.0**x, "2 to the power of x.")
log = _define("log", _math.log, "Natural logarithm of x.")
log2 = _define_approximate("log2", _math.log2, "Logarithm to base 2 of x.")
log10 = _define("log10", _math.log10, "Logarithm to base 10 of x.")
sin = _define_approximate("sin", _math.sin, "Sine of x radians.")
cos = _define_approximate("cos", _math.cos, "Cosine of x radians.")
tan = _define("tan", _math.tan, "Tangent of x radians.")
tanh = _define_approximate("tanh", _math.tanh, "Hyperbolic tangent of x.")
sqrt = _define_approximate("sqrt", _math.sqrt, "Square root of x.")
rsqrt = _define_approximate("rsqrt", _rsqrt, "1 / sqrt(x).")
erf = _define("erf", _math.erf, "Error function of x.")
floor = _define("floor", _math.floor, "Largest integer not above x, in x's type.")
ceil = _define("ceil", _math.ceil, "Smallest integer not below x, in x's type.")


def rcp(
    x: Elements,
    fastmath: bool = False,
    approx: bool = False,
    rounding: object = None,
    ftz: bool = False,
) -> Any:
    """Return ``1 / x``.

    Args:
        x: a number or a whole-tensor value.
        fastmath: no difference.
        approx: True for ``rcp.approx`` of Float32 on GPUs: within 1 unit.
        rounding: see add; ValueError together with ``approx``.
        ftz: True to count subnormal Float32 as 0, on GPUs.
    """
    if not approx:
        return rounded("rcp", lambda x: 1.0 / x, (x,), rounding, ftz)
    if rounding is not None:
        raise make_error(
            "ArgumentValue",
            function="rcp",
            expected="approx or rounding",
            got="both",
        )
    return approximate("rcp", lambda x: 1.0 / x, (x,), ftz)


def max(a: Elements, b: Elements, propagate_nan: bool = True) -> Any:
    """Return the greater of two numbers, or of each pair of elements.

    Args:
        a: a number or a whole-tensor value.
        b: another one.
        propagate_nan: True for NaN if either operand is NaN, as IEEE's maximum and ``max.NaN`` of PTX; False for the
            other operand then, as IEEE's maximumNumber and ``max`` of PTX.
    """
    require(max, a=a, b=b)
    return extremum(_compiler.max, a, b, propagate_nan)


def min(a: Elements, b: Elements, propagate_nan: bool = True) -> Any:
    """Return the lesser of two numbers, or of each pair of elements; see max."""
    require(min, a=a, b=b)
    return extremum(_compiler.min, a, b, propagate_nan)


absf = abs

if not TYPE_CHECKING:  # a type checker knows the names that there are
    __getattr__ = missing(__name__)


def __dir__() -> list[str]:
    """The names that completion offers."""
    return sorted(__all__)
