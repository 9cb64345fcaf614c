"""Types of addresses and structs, made as programs for MLIR make them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fairlead.cute import _ir_types

__all__ = ["PointerType", "StructType"]


class PointerType(_ir_types.PointerType):
    """The type of an address whose element type is unknown."""

    @classmethod
    def get(cls, *_: object, **__: object) -> PointerType:
        """Return the type; the address space and the context are not looked at."""
        return cls()


class StructType(_ir_types.StructType):
    """A struct of C."""

    @classmethod
    def get_literal(cls, body: Sequence[Any], **_: object) -> StructType:
        """Return a struct of these types: numeric classes, PointerType and StructType."""
        return cls(body)
