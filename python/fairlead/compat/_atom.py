"""``cutlass.cute.atom``: the language's atoms, the classes of their operations, and atoms as values of the IR."""

from __future__ import annotations

from typing import Any

from fairlead import _compiler, cute
from fairlead.cute.nvgpu._operations import CopyOp
from fairlead.cute.nvgpu._operations import Operation as MmaOp

__all__ = ["CopyAtom", "CopyOp", "MmaOp", "Trait", "make_atom"]


class Trait:
    """What an operation gives for its atom: ``value``, the atom as a value of the IR."""

    def __init__(self, value: Any) -> None:
        self.value = value


class _CopyAtoms(type):
    def __instancecheck__(cls, value: object) -> bool:
        return isinstance(value, _compiler.CopyAtom)

    def __call__(cls, op: Any, trait: Trait, *_: Any, **__: Any) -> Any:
        return trait.value


class CopyAtom(metaclass=_CopyAtoms):
    """Copy atoms; ``CopyAtom(op, trait)`` is the atom that the trait holds."""


def make_atom(type: Any, *_: Any, **__: Any) -> Any:
    """Return the value of an atom's type, from which ``make_mma_atom`` makes the atom."""
    return type


def _identity(value: Any) -> Any:
    return value


def install() -> None:
    """Have tensors, layouts and pointers be values of the IR themselves, and operations and atoms tell theirs."""
    for cls in (
        _compiler.Tensor,
        _compiler.Layout,
        _compiler.ComposedLayout,
        _compiler.Pointer,
        _compiler.CoordTensor,
    ):
        cls.value = property(_identity, doc="Itself, as a value of the IR.")  # type: ignore[attr-defined]
    MmaOp._to_ir = lambda op, *_, **__: op  # type: ignore[attr-defined]
    cute.CopyAtom = CopyAtom  # type: ignore[attr-defined]
    for cls in (_compiler.CopyAtom, _compiler.MmaAtom):
        cls._trait = property(Trait, doc="The atom as a value of the IR.")  # type: ignore[attr-defined]


def __getattr__(name: str) -> Any:
    return getattr(cute, name)
