"""The types and values that protocols of arguments name: addresses, structs of C, and their members.

The IR types of numbers are the numeric classes themselves.
"""

from __future__ import annotations

import enum
from collections.abc import Iterator, Sequence
from typing import Any

from fairlead.errors import make_error

__all__ = ["AsmDialect", "IRValue", "PointerType", "StructType", "extractvalue"]


class PointerType:
    """The type of an address without further properties."""

    def __init__(self, address_space: int | None = None) -> None:
        self.address_space = address_space

    @classmethod
    def get(cls, address_space: int | None = None) -> PointerType:
        """Return the type of an address in ``address_space``."""
        return cls(address_space)


class StructType:
    """A struct of C: numbers, addresses and structs, laid out as C lays them out."""

    def __init__(self, body: Sequence[Any]) -> None:
        self.body = tuple(body)

    @classmethod
    def get_literal(cls, body: Sequence[Any]) -> StructType:
        """Return a struct of these types: numeric classes, PointerType and StructType."""
        return cls(body)

    def leaves(self) -> Iterator[Any]:
        """The types of its members, those of structs inside one by one."""
        for member in self.body:
            if isinstance(member, StructType):
                yield from member.leaves()
            else:
                yield member


class IRValue:
    """A run-time struct, or one value of it: what ``__new_from_mlir_values__`` is given for a StructType.

    A base for classes of one's own: ``super().__init__(value)`` takes over what another one holds.
    """

    def __init__(self, value: object) -> None:
        self._held: Any = value._held if isinstance(value, IRValue) else value

    @staticmethod
    def struct(of: StructType, leaves: Iterator[Any]) -> IRValue:
        """Return a struct of the values that ``leaves`` gives next."""
        return IRValue(
            tuple(
                IRValue.struct(member, leaves) if isinstance(member, StructType) else next(leaves)
                for member in of.body
            )
        )

    def leaves(self) -> list[Any]:
        """Return the run-time values that it consists of."""
        held = self._held if isinstance(self._held, tuple) else (self._held,)
        return [
            leaf
            for part in held
            for leaf in (part.leaves() if isinstance(part, IRValue) else (part,))
        ]

    def __extract_mlir_values__(self) -> list[Any]:
        return self.leaves()

    def __new_from_mlir_values__(self, values: Sequence[Any]) -> IRValue:
        def renewed(held: object, leaves: Iterator[Any]) -> Any:
            if isinstance(held, tuple):
                return tuple(
                    IRValue(renewed(part._held, leaves))
                    if isinstance(part, IRValue)
                    else next(leaves)
                    for part in held
                )
            return next(leaves)

        # A class derived from this one is made of one value.
        return type(self)(IRValue(renewed(self._held, iter(values))))


def extractvalue(result: object, container: object, position: Sequence[int]) -> Any:
    """Return the part of a struct at ``position``, an index for each level; ``result``, its type, is not looked at."""
    part = container
    for index in position:
        held = part._held if isinstance(part, IRValue) else None
        if not isinstance(held, tuple) or not 0 <= index < len(held):
            raise make_error(
                "ArgumentProtocol",
                type=type(container).__name__,
                problem=f"extractvalue of position {list(position)} finds nothing there",
            )
        part = held[index]
    return part


class AsmDialect(enum.Enum):
    """How assembly is written; PTX is written in one way."""

    AD_ATT = 0
    AD_Intel = 1
