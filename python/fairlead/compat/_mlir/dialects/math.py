"""Functions of one number."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from fairlead.cute import math as _math

# ruff: noqa: F822  names that are made below

__all__ = [
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


def _function(name: str) -> Callable[..., Any]:
    own = getattr(_math, name)

    def call(x: Any, *, fastmath: Any = None, loc: Any = None, ip: Any = None) -> Any:
        return own(x, fastmath=bool(fastmath))

    call.__name__, call.__doc__ = name, own.__doc__
    return call


globals().update({name: _function(name) for name in __all__})
