"""``types``: the IR types of numbers by their short names."""

from fairlead.compat.cutlass_dsl import T as types

__all__ = ["types"]
