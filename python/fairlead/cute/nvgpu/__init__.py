"""Operations of copy and MMA atoms."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fairlead._compiler import MemoryOrder, MemoryScope
from fairlead._hints import missing
from fairlead.cute.nvgpu import cpasync, tcgen05, warp, warpgroup
from fairlead.cute.nvgpu._operations import (
    CopyG2ROp,
    CopyR2GOp,
    CopyR2SOp,
    CopyS2ROp,
    CopyUniversalOp,
    L2PrefetchSize,
    LoadCacheMode,
    MmaUniversalOp,
    OperandMajorMode,
)
from fairlead.cute.nvgpu.cpasync import make_tiled_tma_atom_A, make_tiled_tma_atom_B

__all__ = [
    "CopyG2ROp",
    "CopyR2GOp",
    "CopyR2SOp",
    "CopyS2ROp",
    "CopyUniversalOp",
    "L2PrefetchSize",
    "LoadCacheMode",
    "MemoryOrder",
    "MemoryScope",
    "MmaUniversalOp",
    "OperandMajorMode",
    "cpasync",
    "make_tiled_tma_atom_A",
    "make_tiled_tma_atom_B",
    "tcgen05",
    "warp",
    "warpgroup",
]

if not TYPE_CHECKING:  # a type checker knows the names that there are
    __getattr__ = missing(__name__)
