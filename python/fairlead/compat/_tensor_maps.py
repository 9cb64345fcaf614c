"""``cutlass.experimental.cuda``: Fairlead's ``primitives.cuda``."""

from __future__ import annotations

from fairlead.compat._places import forwarding
from fairlead.primitives import cuda

__all__ = list(cuda.__all__)

__getattr__, __dir__ = forwarding(globals(), cuda)
