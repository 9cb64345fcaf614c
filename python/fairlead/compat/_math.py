"""``cutlass.cute.math``: Fairlead's."""

from __future__ import annotations

from fairlead.compat._places import forwarding
from fairlead.cute import math

__all__ = list(math.__all__)

__getattr__, __dir__ = forwarding(globals(), math)
