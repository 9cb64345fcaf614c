"""Operations of copy atoms."""

from __future__ import annotations

__all__ = ["CopyUniversalOp"]


class CopyUniversalOp:
    """Loads and stores of any memory space, on every target."""

    def __repr__(self) -> str:
        return "CopyUniversalOp()"
