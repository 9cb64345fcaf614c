"""Operations of copy and MMA atoms."""

from __future__ import annotations

from typing import TYPE_CHECKING

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

if not TYPE_CHECKING:  # a type checker knows the names that there are
    __getattr__ = missing(__name__)
