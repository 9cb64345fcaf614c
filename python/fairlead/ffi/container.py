"""Array, List, Map and Dict by the module name that other packages of the ABI have."""

from fairlead.ffi._containers import Array, Dict, List, Map
from fairlead.ffi._missing import MISSING

__all__ = ["MISSING", "Array", "Dict", "List", "Map"]
