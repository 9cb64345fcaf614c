"""``cutlass.cute.typing``: Fairlead's names for annotations, and those of Python that programs import from there."""

from __future__ import annotations

from typing import Any, Optional, Type, Union  # noqa: UP035  the names that programs import

from fairlead.compat.cutlass_dsl import NumericMeta, T, as_numeric
from fairlead.cute import (
    is_int_tuple,
    is_integer,
    sym_int,
    sym_int32,
    sym_int64,
    typing,
)

#: The type of an extent of a stand-in that calls decide.
SymInt = type(sym_int())
#: A tile, and a nested tuple of anything.
Tiler = typing.Tile
XTuple = typing.Tile

__all__ = [
    "NumericMeta",
    "Optional",
    "SymInt",
    "T",
    "Tiler",
    "Type",
    "Union",
    "XTuple",
    "as_numeric",
    "is_int_tuple",
    "is_integer",
    "sym_int",
    "sym_int32",
    "sym_int64",
]


def __getattr__(name: str) -> Any:
    return getattr(typing, name)
