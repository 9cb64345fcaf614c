"""``cutlass.experimental``: the parts of it that are instructions of the language."""

from fairlead.compat import _primitives as primitives

__all__ = ["primitives"]
