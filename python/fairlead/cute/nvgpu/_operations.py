"""Copies by loads and stores."""

from __future__ import annotations

from typing import Any


class _CopyOp:
    """An operation by its name and options."""

    def __init__(self, **options: Any) -> None:
        self.options = options

    def __repr__(self) -> str:
        given = ", ".join(f"{name}={value!r}" for name, value in self.options.items())
        return f"{type(self).__name__}({given})"


class CopyUniversalOp(_CopyOp):
    """Loads and stores of any memory space, on every target."""

    def __init__(self) -> None:
        super().__init__()


class CopyG2ROp(_CopyOp):
    """From global memory to registers. ``cache_mode`` and the like are hints, taken without effect."""


class CopyR2GOp(_CopyOp):
    """From registers to global memory. Options are hints, taken without effect."""
