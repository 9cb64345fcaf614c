"""Pointers and structs of C, what is in a struct, and PTX."""

from fairlead.cute._assembly import inline_asm
from fairlead.cute._ir_types import AsmDialect, PointerType, StructType, extractvalue

__all__ = ["AsmDialect", "PointerType", "StructType", "extractvalue", "inline_asm"]
