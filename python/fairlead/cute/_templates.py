"""Templates of arguments: how the values of a traced program become the function's arguments."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from fairlead._tracing.composite import rebuilt
from fairlead.cute._ir_types import IRValue, StructType

__all__ = ["Converted", "Custom", "Leaf", "Struct", "Structure", "filled"]


class Leaf:
    """The traced value ``index``. With ``is_pointer`` that value is a tensor, and its address is meant."""

    __slots__ = ("index", "is_pointer")

    def __init__(self, index: int, is_pointer: bool = False) -> None:
        self.index, self.is_pointer = index, is_pointer


class Custom:
    """An object that follows the protocol of arguments: an example, and the templates of its values."""

    __slots__ = ("example", "parts")

    def __init__(self, example: Any, parts: list[Leaf | Struct]) -> None:
        self.example, self.parts = example, parts


class Struct:
    """A struct of C: its type, and the templates of its members."""

    __slots__ = ("parts", "type")

    def __init__(self, type: StructType, parts: list[Leaf | Struct]) -> None:
        self.type, self.parts = type, parts


class Converted:
    """An argument that the class of its annotation takes as one of its own."""

    __slots__ = ("convert", "part")

    def __init__(self, convert: Callable[[Any], Any], part: Leaf) -> None:
        self.convert, self.part = convert, part


class Structure:
    """A structure: an example, and the templates of its parts."""

    __slots__ = ("example", "parts")

    def __init__(self, example: Any, parts: list[Any]) -> None:
        self.example, self.parts = example, parts


def filled(template: object, traced: list[Any]) -> Any:
    """Return the argument of a template. Anything that is no template is part of the program, and is returned."""
    if isinstance(template, Leaf):
        value = traced[template.index]
        return value.iterator if template.is_pointer else value
    if isinstance(template, Converted):
        return template.convert(filled(template.part, traced))
    if isinstance(template, Custom):
        parts = [filled(part, traced) for part in template.parts]
        return template.example.__new_from_mlir_values__(parts)
    if isinstance(template, Struct):
        members = (filled(part, traced) for part in template.parts)
        return IRValue.struct(template.type, members)
    if isinstance(template, Structure):
        return rebuilt(template.example, [filled(part, traced) for part in template.parts])
    if isinstance(template, dict):
        return {key: filled(part, traced) for key, part in template.items()}
    return template
