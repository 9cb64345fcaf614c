"""``types``: the IR types of numbers by their short names, and the classes that make them."""

from fairlead.compat._mlir import ir
from fairlead.compat.cutlass_dsl import T

__all__ = ["types"]


class _NoValue:
    """A type that no value of the language has."""


class types(T):
    """The short names of ``T``, and classes of ``ir``: ``types.F32Type.get()``."""

    BF16Type, F16Type, F32Type, F64Type = ir.BF16Type, ir.F16Type, ir.F32Type, ir.F64Type
    IntegerType, VectorType = ir.IntegerType, ir.VectorType
    MemRefType = RankedTensorType = UnrankedTensorType = _NoValue
