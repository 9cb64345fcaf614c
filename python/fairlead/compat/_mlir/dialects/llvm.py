"""Pointers and structs of C, and what is in a struct."""

from fairlead.cute._ir_types import PointerType, StructType, extractvalue

__all__ = ["PointerType", "StructType", "extractvalue"]
