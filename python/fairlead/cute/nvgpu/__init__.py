"""Operations of copy atoms."""

from __future__ import annotations

from fairlead.cute.nvgpu import cpasync
from fairlead.cute.nvgpu._operations import CopyG2ROp, CopyR2GOp, CopyUniversalOp

__all__ = ["CopyG2ROp", "CopyR2GOp", "CopyUniversalOp", "cpasync"]
