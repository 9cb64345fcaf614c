"""Array, List, Map and Dict by the module name that other packages of the ABI have."""

from fairlead.ffi._containers import Array, Dict, List, Map

__all__ = ["Array", "Dict", "List", "Map"]
