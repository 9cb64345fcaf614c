"""``cutlass.cute.atom``: the language's atoms, and the classes of their operations."""

from __future__ import annotations

from typing import Any

from fairlead import cute
from fairlead.cute.nvgpu._operations import CopyOp
from fairlead.cute.nvgpu._operations import Operation as MmaOp

__all__ = ["CopyOp", "MmaOp"]


def __getattr__(name: str) -> Any:
    return getattr(cute, name)
