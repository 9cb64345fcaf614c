"""``cutlass.experimental.primitives``: the functions and enumerations of ``fairlead.primitives``."""

from __future__ import annotations

from typing import Any

from fairlead.compat._places import taking_place
from fairlead.primitives import AddressSpace, MemOrdering
from fairlead.primitives._functions import FUNCTIONS

globals().update({name: taking_place(function) for name, function in FUNCTIONS.items()})
__all__ = ["AddressSpace", "MemOrdering", *FUNCTIONS]


def __getattr__(name: str) -> Any:
    raise AttributeError(f"module 'cutlass.experimental.primitives' has no attribute {name!r}")
