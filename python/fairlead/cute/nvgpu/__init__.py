"""Operations of copy and MMA atoms."""

from __future__ import annotations

from fairlead._hints import missing
from fairlead.cute.nvgpu import cpasync, warp, warpgroup
from fairlead.cute.nvgpu._operations import (
    CopyG2ROp,
    CopyR2GOp,
    CopyR2SOp,
    CopyS2ROp,
    CopyUniversalOp,
    LoadCacheMode,
    MmaUniversalOp,
    OperandMajorMode,
)

__all__ = [
    "CopyG2ROp",
    "CopyR2GOp",
    "CopyR2SOp",
    "CopyS2ROp",
    "CopyUniversalOp",
    "LoadCacheMode",
    "MmaUniversalOp",
    "OperandMajorMode",
    "cpasync",
    "warp",
    "warpgroup",
]

__getattr__ = missing(__name__)
