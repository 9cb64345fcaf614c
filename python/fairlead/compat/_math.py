"""``cutlass.cute.math``: Fairlead's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from fairlead.compat._places import forwarding, ignoring
from fairlead.cute import math

__all__ = list(math.__all__)

# Programs that allow subnormal results to become 0 get the exact ones.
clamp = ignoring(math.clamp, "ftz")
max = ignoring(math.max, "ftz")
min = ignoring(math.min, "ftz")


def _math_op(function: Callable[..., Any], fastmath: bool, *operands: object, **_: object) -> Any:
    """Return a function of ``_mlir.dialects.math`` of the operands."""
    return function(*operands, fastmath=fastmath)


__getattr__, __dir__ = forwarding(globals(), math)
