"""``cutlass.cute.nvgpu.warp``: Fairlead's, and operations of compute capability 10.0 and 12.0 by name."""

from __future__ import annotations

import enum

# ruff: noqa: F822  names that are made below
from fairlead.compat._later_gpus import stand_in
from fairlead.cute.nvgpu import warp
from fairlead.cute.nvgpu.warp import *  # noqa: F403

_LATER = (
    "LdMatrix16x16x8bOp",
    "LdMatrix16x8x8bOp",
    "MmaMXF4NVF4Op",
    "MmaMXF4Op",
    "MmaMXF8F6F4Op",
    "MmaMXF8Op",
    "MmaSM120BlockScaledOp",
    "StMatrix16x8x8bOp",
)


class Field(enum.Enum):
    """What can be set of an MMA."""

    ACCUMULATE = "accumulate"


__all__ = [*warp.__all__, *_LATER, "Field"]

globals().update({name: stand_in(name) for name in _LATER})

__getattr__ = warp.__getattr__
