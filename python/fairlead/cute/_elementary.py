"""Functions of numbers and of whole-tensor values, built from other functions: arithmetic by name, rounding, kinds of
numbers, and inverse, hyperbolic and error functions that have no instruction of their own.

Python numbers give Python numbers.
"""

from __future__ import annotations

import math as _math
from collections.abc import Callable
from typing import Any

from fairlead import _compiler
from fairlead.cute._arithmetic import approximate, flushed, multiply_add, rounded
from fairlead.cute._operations import where
from fairlead.cute._types import Elements, Number
from fairlead.errors import make_error, require

__all__ = (
    "abs absi acos acosh add asin asinh atan atan2 atanh cbrt clamp copysign cosh div erfc expm1 fma "
    "fpowi ipowi isfinite isinf isnan isnormal log1p mul neg pow rem round roundeven sincos sinh sub trunc"
).split()


_Inf, _NaN, _Pi = float("inf"), float("nan"), _math.pi


def _plain(*values: object) -> bool:
    return all(isinstance(value, (bool, int, float)) for value in values)


def _dtype(value: Elements) -> Any:
    return value.dtype if isinstance(value, _compiler.TensorExpr) else type(value)


def _float(value: Elements) -> Any:
    """A float: integers become Float32, as for other functions."""
    if isinstance(value, (bool, int)):
        return float(value)
    if isinstance(value, float) or _dtype(value).is_float:
        return value
    return value.to(_compiler.Float32)


def _double(*values: Number) -> bool:
    return any(not _plain(value) and _dtype(value).width == 64 for value in values)


def _wide(function: Callable[[Any], Any]) -> Callable[..., Any]:
    """Floats below 32 bits computed in Float32 and rounded."""

    def call(x: Elements, fastmath: bool = False) -> Any:
        x = _float(x)
        if not isinstance(x, (int, float)) and _dtype(x).width < 32:
            return function(x.to(_compiler.Float32)).to(_dtype(x))
        return function(x)

    call.__name__ = call.__qualname__ = function.__name__.removeprefix("_")
    call.__doc__ = f"{function.__doc__} ``fastmath`` makes no difference."
    return call


def add(
    x: Elements, y: Elements, fastmath: bool = False, rounding: object = None, ftz: bool = False
) -> Any:
    """Return ``x + y``.

    Args:
        x: a number or a whole-tensor value.
        y: another one.
        fastmath: no difference: the sum is always exact before it is rounded.
        rounding: a RoundingMode, or ``"rn"`` (default), ``"rz"``, ``"rm"`` or ``"rp"``: to the nearest, toward zero,
            down or up. Another one than to the nearest needs Float32, or Float64 on GPUs; ValueError for others.
        ftz: True to count subnormal Float32 as 0, on GPUs.
    """
    return rounded("add", lambda x, y: x + y, (x, y), rounding, ftz)


def sub(
    x: Elements, y: Elements, fastmath: bool = False, rounding: object = None, ftz: bool = False
) -> Any:
    """Return ``x - y``; see add."""
    return rounded("sub", lambda x, y: x - y, (x, y), rounding, ftz)


def mul(
    x: Elements, y: Elements, fastmath: bool = False, rounding: object = None, ftz: bool = False
) -> Any:
    """Return ``x * y``; see add."""
    return rounded("mul", lambda x, y: x * y, (x, y), rounding, ftz)


def fma(
    a: Elements,
    b: Elements,
    c: Elements,
    fastmath: bool = False,
    rounding: object = None,
    ftz: bool = False,
) -> Any:
    """Return ``a * b + c``, rounded once if it is Float32 or Float64; see add."""
    return rounded("fma", multiply_add, (a, b, c), rounding, ftz)


def div(
    x: Elements,
    y: Elements,
    fastmath: bool = False,
    approx: bool = False,
    ftz: bool = False,
    full: bool = False,
    rounding: object = None,
) -> Any:
    """Return ``x / y``.

    Args:
        x: a number or a whole-tensor value.
        y: another one.
        fastmath: no difference.
        approx: True for ``div.approx`` of Float32 on GPUs: within 2 units, for a divisor from 2^-126 to 2^126.
        ftz: True to count subnormal Float32 as 0, on GPUs.
        full: True for ``div.full`` of Float32 on GPUs: within 2 units, for all divisors.
        rounding: see add; ValueError together with ``approx`` or ``full``.
    """
    how = [word for word, is_set in (("approx", approx), ("full", full)) if is_set]
    if len(how) + (rounding is not None) > 1:
        raise make_error(
            "ArgumentValue",
            function="div",
            expected="one of approx, full and rounding",
            got=" and ".join([*how, *(["rounding"] if rounding is not None else [])]),
        )
    if how:
        return approximate("div", lambda x, y: x / y, (x, y), ftz, how[0])
    return rounded("div", lambda x, y: x / y, (x, y), rounding, ftz)


def rem(x: Elements, y: Elements, fastmath: bool = False) -> Any:
    """Return the remainder of ``x / y`` rounded toward zero, with the sign of ``x``, as C's fmod and %. For floats the
    quotient must be below 2^24 (Float64: 2^53). ``fastmath`` makes no difference."""
    if isinstance(x, (int, float)) and isinstance(y, (int, float)):
        remainder = _math.fmod(x, y)
        return int(remainder) if isinstance(x, int) and isinstance(y, int) else remainder
    if all(_plain(operand) or not _dtype(operand).is_float for operand in (x, y)) and not any(
        isinstance(operand, float) for operand in (x, y)
    ):
        size = abs(x) % abs(y)
        return where(x < 0, -size, size)
    remainder = x - trunc(x / y) * y
    return remainder if _plain(x) or not _dtype(x).is_float else remainder.to(_dtype(x))


def neg(x: Elements, fastmath: bool = False) -> Any:
    """``-x``; ``fastmath`` makes no difference."""
    return -x


_abs, _pow, _round = abs, pow, round


def abs(x: Elements, fastmath: bool = False, ftz: bool = False) -> Any:  # noqa: A001  the published name
    """Return the magnitude of ``x``; with ``ftz``, 0 for a subnormal Float32 on GPUs. ``fastmath`` makes no
    difference."""
    return _abs(flushed(x) if ftz else x)


def absi(x: Elements) -> Any:
    """Return the magnitude of an integer ``x``."""
    return _abs(x)


def pow(base: Elements, exponent: Elements, fastmath: bool = False) -> Any:  # noqa: A001
    """``base ** exponent`` of floats; ``fastmath`` makes no difference."""
    return _float(base) ** _float(exponent)


def _whole_power(base: Elements, exponent: int) -> Any:
    result, square = None, base
    while exponent:
        if exponent & 1:
            result = square if result is None else result * square
        exponent >>= 1
        if exponent:
            square = square * square
    return base * 0 + 1 if result is None else result


def fpowi(base: Elements, exponent: Elements, fastmath: bool = False) -> Any:
    """``base``, a float, to the power of an integer ``exponent``: by multiplications where it is a Python int.
    ``fastmath`` makes no difference."""
    if isinstance(exponent, int):
        power = _whole_power(_float(base), _abs(exponent))
        return power if exponent >= 0 else 1.0 / power
    power = _float(base) ** _float(exponent)
    return power if _plain(base) or not _dtype(base).is_float else power.to(_dtype(base))


def ipowi(base: Elements, exponent: Elements) -> Any:
    """``base``, an integer, to the power of ``exponent``, a Python int of 0 and more; TypeError for another."""
    if not isinstance(exponent, int) or exponent < 0:
        raise make_error(
            "LayoutMode",
            expected="a Python int of 0 and more as the exponent of ipowi",
            got=repr(exponent),
        )
    return _whole_power(base, exponent)


def extremum(
    pick: Callable[[Elements, Elements], Any], a: Elements, b: Elements, propagate_nan: bool
) -> Any:
    """Return ``pick`` of two numbers or whole-tensor values: NaN if either is NaN, or, without ``propagate_nan``, the
    operand that is a number."""
    result = pick(a, b)
    if propagate_nan:
        return result
    for operand, other in ((a, b), (b, a)):
        if isinstance(operand, float):
            result = other if operand != operand else result
        elif not isinstance(operand, int) and _dtype(operand).is_float:
            result = where(operand != operand, other, result)
    return result


def clamp(
    x: Elements, lo: Elements, hi: Elements, fastmath: bool = False, propagate_nan: bool = True
) -> Any:
    """Limit ``x`` to the range from ``lo`` to ``hi``.

    Args:
        x: a number or a whole-tensor value.
        lo: the lower bound.
        hi: the upper bound.
        fastmath: no difference.
        propagate_nan: True for NaN if ``x`` is NaN; False for ``lo`` then.
    """
    require(clamp, x=x, lo=lo, hi=hi)
    if _plain(x, lo, hi):
        if x != x:
            return x if propagate_nan else lo
        return min(max(x, lo), hi)
    lower = extremum(_compiler.max, x, lo, propagate_nan)
    return extremum(_compiler.min, lower, hi, propagate_nan)


def _is(x: Elements, test: Callable[[Any], Any], python: Callable[[float], bool]) -> Any:
    return python(float(x)) if isinstance(x, (int, float)) else test(_float(x))


def isnan(x: Elements, fastmath: bool = False) -> Any:
    """True if ``x`` is NaN; ``fastmath`` makes no difference."""
    return _is(x, lambda x: x != x, _math.isnan)


def isinf(x: Elements, fastmath: bool = False) -> Any:
    """True if ``x`` is infinite; ``fastmath`` makes no difference."""
    return _is(x, lambda x: _abs(x) == _Inf, _math.isinf)


def isfinite(x: Elements, fastmath: bool = False) -> Any:
    """True if ``x`` is neither infinite nor NaN; ``fastmath`` makes no difference."""
    return _is(x, lambda x: _abs(x) < _Inf, _math.isfinite)


_LEAST = {16: 2.0**-14, 32: 2.0**-126, 64: 2.0**-1022}


def isnormal(x: Elements, fastmath: bool = False) -> Any:
    """True if ``x`` is finite and at least as large as the least normal number; ``fastmath`` makes no difference."""

    def traced(x: Elements) -> Any:
        brief = _dtype(x) is _compiler.BFloat16
        least = _LEAST[32 if brief else _dtype(x).width]
        return (_abs(x) >= least) & (_abs(x) < _Inf)

    return _is(x, traced, lambda x: _math.isfinite(x) and _abs(x) >= _LEAST[64])


def copysign(mag: Elements, sign: Elements, fastmath: bool = False) -> Any:
    """Return the magnitude of ``mag`` with the sign of ``sign``, also of its zero; NaN counts as positive.
    ``fastmath`` makes no difference."""
    if isinstance(mag, (int, float)) and isinstance(sign, (int, float)):
        return _math.copysign(mag, sign)
    size, sign = _abs(_float(mag)), _float(sign)
    negative = (sign < 0.0) | (1.0 / sign < 0.0)
    return where(negative, -size, size)


def trunc(x: Elements, fastmath: bool = False) -> Any:
    """``x`` rounded toward zero, as a float of the same type; ``fastmath`` makes no difference."""
    if isinstance(x, (int, float)):
        return float(_math.trunc(x)) if _math.isfinite(x) else x
    if not _dtype(x).is_float:
        return x
    return copysign(_compiler.floor(_abs(x)), x)


def round(x: Elements, fastmath: bool = False) -> Any:  # noqa: A001
    """``x`` rounded to the nearest integer, halves away from zero, as a float of the same type; ``fastmath`` makes no
    difference."""
    if isinstance(x, (int, float)):
        return _math.copysign(_math.floor(_abs(x) + 0.5), x) if _math.isfinite(x) else x
    if not _dtype(x).is_float:
        return x
    size = _abs(x)
    below = _compiler.floor(size)
    return copysign(where(size - below >= 0.5, below + 1.0, below), x)


def roundeven(x: Elements, fastmath: bool = False) -> Any:
    """``x`` rounded to the nearest integer, halves to even, as a float of the same type; ``fastmath`` makes no
    difference."""
    if isinstance(x, (int, float)):
        return float(_round(x)) if _math.isfinite(x) else x
    if not _dtype(x).is_float:
        return x
    size = _abs(x)
    below = _compiler.floor(size)
    rest, half = size - below, below * 0.5
    up = (rest > 0.5) | ((rest == 0.5) & (_compiler.floor(half) != half))
    return copysign(where(up, below + 1.0, below), x)


def sincos(x: Elements, fastmath: bool = False) -> tuple[Any, Any]:
    """Return the sine and the cosine of ``x`` radians; ``fastmath`` as for sin."""
    if isinstance(x, (int, float)):
        return _math.sin(x), _math.cos(x)
    return _compiler.sin(x, fastmath=fastmath), _compiler.cos(x, fastmath=fastmath)


def _expm1(x: Number) -> Any:
    """``exp(x) - 1``, accurate also for small ``x``."""
    if isinstance(x, (int, float)):
        return _math.expm1(x)
    power = _compiler.exp(x)
    less = power - 1.0
    # The quotient of the two makes up for the rounding of the power.
    exact = less * (x / _compiler.log(power))
    result = where((power == 1.0) | isnan(exact), x, exact)
    return where(less == -1.0, less, where(power == _Inf, power, result))


def _log1p(x: Number) -> Any:
    """The natural logarithm of ``1 + x``, accurate also for small ``x``."""
    if isinstance(x, (int, float)):
        return _math.log1p(x)
    total = 1.0 + x
    exact = _compiler.log(total) * (x / (total - 1.0))
    result = where(x == -1.0, -_Inf + x, where(x < -1.0, _NaN, exact))
    return where(total == 1.0, x, where(x == _Inf, x, result))


expm1, log1p = _wide(_expm1), _wide(_log1p)


def _atan(x: Number) -> Any:
    """Inverse tangent of ``x``: an angle between -pi/2 and pi/2."""
    if isinstance(x, (int, float)):
        return _math.atan(x)
    size = _abs(x)
    # 1/x above 1, then a turn by pi/6 above tan(pi/12): the rest is at most 0.27.
    over = size > 1.0
    t = where(over, 1.0 / size, size)
    root = _math.sqrt(3.0)
    turned = t > 2.0 - root
    t = where(turned, (t * root - 1.0) / (t + root), t)
    square = t * t
    count = 15 if _double(x) else 7
    series = square * 0.0
    for place in reversed(range(1, count)):
        series = (series + (-1) ** place / (2 * place + 1)) * square
    angle = t + t * series
    angle = where(turned, angle + _Pi / 6, angle)
    angle = where(over, _Pi / 2 - angle, angle)
    return copysign(angle, x)


atan = _wide(_atan)


def atan2(y: Elements, x: Elements, fastmath: bool = False) -> Any:
    """Inverse tangent of ``y / x`` in the quadrant of the point (x, y), between -pi and pi; ``fastmath`` makes no
    difference."""
    if isinstance(x, (int, float)) and isinstance(y, (int, float)):
        return _math.atan2(y, x)
    pair = [_float(y), _float(x)]
    narrow = [_dtype(part) for part in pair if not _plain(part) and _dtype(part).width < 32]
    if narrow:
        y, x = (part if _plain(part) else part.to(_compiler.Float32) for part in pair)
        return atan2(y, x).to(narrow[0])
    y, x = pair
    across, along = _abs(y), _abs(x)
    steep = across > along
    least, most = where(steep, along, across), where(steep, across, along)
    ratio = where(most == 0.0, most, where(least == most, least * 0.0 + 1.0, least / most))
    ratio = where(least == _Inf, 1.0, ratio)
    angle = _atan(ratio)
    angle = where(steep, _Pi / 2 - angle, angle)
    behind = (x < 0.0) | ((x == 0.0) & (1.0 / x < 0.0))
    angle = where(behind, _Pi - angle, angle)
    return where(isnan(x) | isnan(y), x + y, copysign(angle, y))


def _asin(x: Number) -> Any:
    """Inverse sine of ``x``: an angle between -pi/2 and pi/2."""
    return (
        _math.asin(x)
        if isinstance(x, (int, float))
        else atan2(x, _compiler.sqrt((1.0 - x) * (1.0 + x)))
    )


def _acos(x: Number) -> Any:
    """Inverse cosine of ``x``: an angle between 0 and pi."""
    return (
        _math.acos(x)
        if isinstance(x, (int, float))
        else atan2(_compiler.sqrt((1.0 - x) * (1.0 + x)), x)
    )


def _sinh(x: Number) -> Any:
    """Hyperbolic sine of x."""
    if isinstance(x, (int, float)):
        return _math.sinh(x)
    size = _abs(x)
    less = _expm1(size)
    small = (less + less / (less + 1.0)) * 0.5
    half = _compiler.exp(size * 0.5)
    return copysign(where(size > 20.0, half * 0.5 * half, small), x)


def _cosh(x: Number) -> Any:
    """Hyperbolic cosine of x."""
    if isinstance(x, (int, float)):
        return _math.cosh(x)
    half = _compiler.exp(_abs(x) * 0.5)
    return half * 0.5 * half + 0.5 / half / half


def _asinh(x: Number) -> Any:
    """Inverse hyperbolic sine of x."""
    if isinstance(x, (int, float)):
        return _math.asinh(x)
    size = _abs(x)
    square = size * size
    near = _log1p(size + square / (1.0 + _compiler.sqrt(square + 1.0)))
    far = _compiler.log(size) + _math.log(2.0)
    return copysign(where(size > 1e9, far, near), x)


def _acosh(x: Number) -> Any:
    """Inverse hyperbolic cosine of x, which is at least 1."""
    if isinstance(x, (int, float)):
        return _math.acosh(x)
    over = x - 1.0
    near = _log1p(over + _compiler.sqrt(2.0 * over + over * over))
    return where(x > 1e9, _compiler.log(x) + _math.log(2.0), near)


def _atanh(x: Number) -> Any:
    """Inverse hyperbolic tangent of x."""
    if isinstance(x, (int, float)):
        return _math.atanh(x)
    size = _abs(x)
    inside = 0.5 * _log1p(2.0 * size / (1.0 - size))
    return copysign(where(size > 1.0, _NaN, inside), x)


def _cbrt(x: Number) -> Any:
    """The cube root of ``x``; negative for negative ``x``."""
    if isinstance(x, (int, float)):
        return _math.copysign(_abs(x) ** (1 / 3), x)
    size = _abs(x)
    root = _compiler.exp2(_compiler.log2(size) * (1.0 / 3.0))
    # One step of Newton's method makes up for the rounded third.
    better = root - (root - size / (root * root)) * (1.0 / 3.0)
    return copysign(where((size == 0.0) | (size == _Inf), size, better), x)


# (x + 2.5) * exp(x * x) * erfc(x) in Chebyshev polynomials of (x - 2.5) / (x + 2.5), from 0 to infinity.
_ERFC = (
    1.2902866648572697,
    -0.9280626596328725,
    0.23914650125236972,
    -0.04031960056784346,
    0.002772855388549803,
    0.0004824705745239361,
    -0.00011487827843503984,
    -5.518108478937909e-06,
    3.780394429636054e-06,
    1.054966036828582e-07,
    -1.3703150077921008e-07,
    -6.5010492777416655e-09,
    5.393215376739391e-09,
    5.528807601206708e-10,
    -2.0834785958402838e-10,
    -4.2571806592833414e-11,
    6.3518683657554436e-12,
    2.831183656260441e-12,
)


def _erfc(x: Number) -> Any:
    """``1 - erf(x)``, accurate also where ``erf(x)`` is close to 1."""
    if isinstance(x, (int, float)):
        return _math.erfc(x)
    t = where(x > 0.5, x, 0.5)
    place = (t - 2.5) / (t + 2.5)
    later, last = place * 0.0, place * 0.0
    for factor in reversed(_ERFC[1 : 18 if _double(x) else 12]):
        later, last = 2.0 * place * later - last + factor, later
    tail = _compiler.exp(-t * t) * (place * later - last + _ERFC[0]) / (t + 2.5)
    return where(x > 0.5, where(x > 30.0, 0.0, tail), 1.0 - _compiler.erf(x))


asin, acos, sinh, cosh = _wide(_asin), _wide(_acos), _wide(_sinh), _wide(_cosh)
asinh, acosh, atanh = _wide(_asinh), _wide(_acosh), _wide(_atanh)
cbrt, erfc = _wide(_cbrt), _wide(_erfc)
