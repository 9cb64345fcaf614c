"""The layer below tensors: pointers, arrays and vectors, and a function for each instruction."""

from __future__ import annotations

from fairlead._hints import missing
from fairlead.primitives import vector
from fairlead.primitives._accesses import MemOrdering
from fairlead.primitives._array import Array, GridConstant, align, make_array_view
from fairlead.primitives._functions import FUNCTIONS
from fairlead.primitives._pointer import AddressSpace, Pointer, inttoptr
from fairlead.primitives._vector import Vector

__all__ = [
    "AddressSpace",
    "Array",
    "GridConstant",
    "MemOrdering",
    "Pointer",
    "Vector",
    "align",
    "inttoptr",
    "make_array_view",
    "vector",
]

globals().update(FUNCTIONS)
__all__ += sorted(FUNCTIONS)
