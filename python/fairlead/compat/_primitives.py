"""``cutlass.experimental.primitives``: Fairlead's."""

from __future__ import annotations

from fairlead import primitives
from fairlead.compat._places import forwarding

__all__ = list(primitives.__all__)

__getattr__, __dir__ = forwarding(globals(), primitives)
