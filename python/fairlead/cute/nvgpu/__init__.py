"""Operations of copy and MMA atoms."""

from __future__ import annotations

from fairlead._hints import missing
from fairlead.cute.nvgpu import cpasync, warp
from fairlead.cute.nvgpu._operations import (
    CopyG2ROp,
    CopyR2GOp,
    CopyR2SOp,
    CopyS2ROp,
    CopyUniversalOp,
    LoadCacheMode,
    MmaUniversalOp,
)

__all__ = [
    "CopyG2ROp",
    "CopyR2GOp",
    "CopyR2SOp",
    "CopyS2ROp",
    "CopyUniversalOp",
    "LoadCacheMode",
    "MmaUniversalOp",
    "cpasync",
    "warp",
]

__getattr__ = missing(__name__)
