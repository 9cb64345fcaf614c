"""``cutlass.cute.atom``: the language's atoms, the classes of their operations, and atoms as values of the IR."""

from __future__ import annotations

from typing import Any

from fairlead.compat import _cute
from fairlead.compat._traits import CopyAtom, Trait
from fairlead.cute._types import DType
from fairlead.cute.nvgpu._operations import CopyOp
from fairlead.cute.nvgpu._operations import Operation as MmaOp

__all__ = ["CopyAtom", "CopyOp", "MmaOp", "Trait", "make_atom"]


def make_atom(type: DType, *_: object, **__: object) -> Any:
    """Return the atom's type itself; ``make_mma_atom`` makes the atom from it."""
    return type


def __getattr__(name: str) -> Any:
    return getattr(_cute, name)
