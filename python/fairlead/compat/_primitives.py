"""``cutlass.experimental.primitives``: the functions and enumerations of ``fairlead.primitives``."""

from __future__ import annotations

from fairlead._hints import missing
from fairlead.primitives import AddressSpace, MemOrdering
from fairlead.primitives._functions import FUNCTIONS

globals().update(FUNCTIONS)
__all__ = ["AddressSpace", "MemOrdering", *FUNCTIONS]
__getattr__ = missing("cutlass.experimental.primitives")
