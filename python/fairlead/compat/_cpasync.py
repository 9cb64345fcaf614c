"""``cutlass.cute.nvgpu.cpasync``: Fairlead's."""

from __future__ import annotations

from fairlead.compat._places import forwarding
from fairlead.cute.nvgpu import cpasync

__all__ = list(cpasync.__all__)

__getattr__, __dir__ = forwarding(globals(), cpasync)
