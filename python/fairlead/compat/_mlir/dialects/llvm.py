"""The pointer type."""

from fairlead.cute._protocols import PointerType

__all__ = ["PointerType"]
