"""Classes of published programs that stand for several of Fairlead's: tensors, traced or not, and copy atoms, which
such programs make of an operation and its trait, a value of the IR."""

from __future__ import annotations

from typing import Any

from fairlead import _compiler
from fairlead.cute._fake import TensorArgument
from fairlead.cute._types import Choice

__all__ = ["CopyAtom", "Tensor", "Trait"]


class Trait:
    """The result of an operation for its atom: ``value``, the atom as a value of the IR."""

    def __init__(self, value: object) -> None:
        self.value = value


class _CopyAtoms(type):
    def __instancecheck__(cls, value: object) -> bool:
        return isinstance(value, _compiler.CopyAtom)

    def __call__(cls, op: Choice, trait: Trait, *_: object, **__: object) -> Any:
        return trait.value


class CopyAtom(metaclass=_CopyAtoms):
    """Copy atoms; ``CopyAtom(op, trait)`` is the atom that the trait holds."""


class _Tensors(type):
    def __instancecheck__(cls, value: object) -> bool:
        return isinstance(value, (_compiler.Tensor, TensorArgument))

    def __subclasscheck__(cls, other: type) -> bool:
        return issubclass(other, (_compiler.Tensor, TensorArgument))

    def __getattr__(cls, name: str) -> Any:
        return getattr(_compiler.Tensor, name)

    def __call__(cls, *values: object, **named: object) -> Any:
        return _compiler.Tensor(*values, **named)


class Tensor(metaclass=_Tensors):
    """Tensors of traced programs, and the arguments that become such, as from_dlpack makes them. As an annotation it
    stands for the class of the former."""

    __fairlead_stands_for__ = _compiler.Tensor
