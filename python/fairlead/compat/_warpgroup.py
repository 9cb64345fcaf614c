"""``cutlass.cute.nvgpu.warpgroup``: Fairlead's."""

from __future__ import annotations

from fairlead.compat._places import forwarding
from fairlead.cute.nvgpu import warpgroup

__all__ = list(warpgroup.__all__)

__getattr__, __dir__ = forwarding(globals(), warpgroup)
