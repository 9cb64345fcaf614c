"""``cutlass.experimental.primitives``: the functions and enumerations of ``fairlead.primitives``."""

from __future__ import annotations

from fairlead._hints import missing
from fairlead.compat._places import taking_place
from fairlead.primitives import AddressSpace, MemOrdering
from fairlead.primitives._functions import FUNCTIONS

globals().update({name: taking_place(function) for name, function in FUNCTIONS.items()})
__all__ = ["AddressSpace", "MemOrdering", *FUNCTIONS]

__getattr__ = missing("cutlass.experimental.primitives")
