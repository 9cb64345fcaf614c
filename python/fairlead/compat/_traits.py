"""Copy atoms as programs for MLIR make them: of an operation and its trait, a value of the IR."""

from __future__ import annotations

from typing import Any

from fairlead import _compiler
from fairlead.cute._types import Choice

__all__ = ["CopyAtom", "Trait"]


class Trait:
    """What an operation gives for its atom: ``value``, the atom as a value of the IR."""

    def __init__(self, value: object) -> None:
        self.value = value


class _CopyAtoms(type):
    def __instancecheck__(cls, value: object) -> bool:
        return isinstance(value, _compiler.CopyAtom)

    def __call__(cls, op: Choice, trait: Trait, *_: object, **__: object) -> Any:
        return trait.value


class CopyAtom(metaclass=_CopyAtoms):
    """Copy atoms; ``CopyAtom(op, trait)`` is the atom that the trait holds."""
