"""Functions of numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from fairlead import Float32, _compiler
from fairlead.cute import math as _math
from fairlead.cute._types import Choice
from fairlead.cute.arch import popc, rcp_approx

# ruff: noqa: F822  names that are made below

__all__ = [
    "absf",
    "absi",
    "atan",
    "atan2",
    "copysign",
    "ctpop",
    "expm1",
    "fma",
    "log1p",
    "powf",
    "rcp",
    "round",
    "roundeven",
    "trunc",
    "ceil",
    "cos",
    "erf",
    "exp",
    "exp2",
    "floor",
    "log",
    "log2",
    "log10",
    "rsqrt",
    "sin",
    "sqrt",
    "tan",
    "tanh",
]


_NAMES = {"powf": "pow"}


def _function(name: str) -> Callable[..., Any]:
    function = getattr(_math, _NAMES.get(name, name))

    def call(
        *operands: object, fastmath: object = None, loc: object = None, ip: object = None
    ) -> Any:
        return (
            function(*operands, fastmath=bool(fastmath)) if name != "absi" else function(*operands)
        )

    call.__name__, call.__doc__ = name, function.__doc__
    return call


globals().update({name: _function(name) for name in __all__ if name not in ("ctpop", "rcp")})


def ctpop(x: _compiler.Numeric, **_: object) -> Any:
    """The number of set bits, in the class of ``x``."""
    return popc(x).to(type(x))


def rcp(
    x: _compiler.Numeric,
    *,
    approx: bool = False,
    ftz: bool = False,
    rounding: Choice | None = None,
    loc: object = None,
    ip: object = None,
) -> Any:
    """1 / x; with ``approx``, the GPU's approximation for a Float32, which flushes subnormals to zero."""
    if approx and isinstance(x, Float32):
        return rcp_approx(x)
    return _math.rcp(x, approx=approx, rounding=rounding, ftz=ftz)
