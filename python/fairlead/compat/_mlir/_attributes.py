"""Attributes of the IR: constants that published programs attach to operations and parameters."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from fairlead import _compiler
from fairlead.compat._mlir._types import Type
from fairlead.cute._types import DType

__all__ = ["Attribute", "DictAttr", "IntegerAttr", "TypeAttr", "UnitAttr", "constant_of"]


class Attribute:
    """A constant of the IR. Attributes of one class are equal if their values are."""

    def __init__(self, value: Any = None) -> None:
        self.value = value

    @staticmethod
    def parse(text: str, *_: object, **__: object) -> Attribute:
        """Return the attribute that the text names: ``"unit"``, ``"7 : i32"``, ``"true"``, a type such as ``"f32"``,
        or, for a text that begins with ``#``, a plain Attribute with the text as its value.

        Raises ValueError for another text.
        """
        words = text.strip()
        if words.startswith("#"):
            return Attribute(words)
        if words == "unit":
            return UnitAttr()
        if words in ("true", "false"):
            return IntegerAttr(_compiler.Boolean, int(words == "true"))
        if number := re.fullmatch(r"(-?\d+)(?:\s*:\s*(\w+))?", words):
            return IntegerAttr(Type.parse(number[2] or "i64"), int(number[1]))
        return TypeAttr(Type.parse(words))

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and vars(self) == vars(other)

    def __hash__(self) -> int:
        return hash((type(self), str(self)))

    def __str__(self) -> str:
        return str(self.value)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self})"


class UnitAttr(Attribute):
    """The attribute that is there or not."""

    @classmethod
    def get(cls, *_: object) -> UnitAttr:
        """Return the attribute."""
        return cls()

    def __str__(self) -> str:
        return "unit"


class TypeAttr(Attribute):
    """A type as an attribute."""

    @classmethod
    def get(cls, value: Any, *_: object) -> TypeAttr:
        """Return the attribute of an IR type, such as ``Float32.mlir_type``."""
        return cls(value)


class IntegerAttr(Attribute):
    """An integer of a type."""

    def __init__(self, type: Any, value: int) -> None:
        super().__init__(value)
        self.type = type

    @classmethod
    def get(cls, type: Any, value: int, *_: object) -> IntegerAttr:
        """Return the attribute of the integer ``value`` of the IR type ``type``."""
        return cls(type, int(value))

    def __int__(self) -> int:
        return int(self.value)

    __index__ = __int__

    def __str__(self) -> str:
        return f"{self.value} : {getattr(self.type, '__name__', self.type)}"


class DictAttr(Attribute):
    """Attributes by name, as a parameter of a kernel has them."""

    @classmethod
    def get(cls, value: Mapping[str, Attribute] | None = None, *_: object) -> DictAttr:
        """Return the attribute of these entries."""
        return cls(dict(value or {}))

    def __getitem__(self, name: str) -> Attribute:
        attribute: Attribute = self.value[name]
        return attribute

    def __contains__(self, name: object) -> bool:
        return name in self.value

    def __iter__(self) -> Iterator[str]:
        return iter(self.value)

    def __len__(self) -> int:
        return len(self.value)

    def __str__(self) -> str:
        return "{" + ", ".join(f"{name} = {part}" for name, part in self.value.items()) + "}"


def constant_of(result: DType, value: Any) -> Any:
    """Return the number of a numeric class; ``value`` is a Python number or an IntegerAttr."""
    return result(value.value if isinstance(value, IntegerAttr) else value)
