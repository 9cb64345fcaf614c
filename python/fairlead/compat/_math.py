"""``cutlass.cute.math``: Fairlead's."""

from __future__ import annotations

from fairlead.compat._places import forwarding, ignoring
from fairlead.cute import math

__all__ = list(math.__all__)

# Programs that allow subnormal results to become 0 get the exact ones.
clamp = ignoring(math.clamp, "ftz")
max = ignoring(math.max, "ftz")
min = ignoring(math.min, "ftz")

__getattr__, __dir__ = forwarding(globals(), math)
