"""``cutlass._mlir_helpers``: ``arith`` and ``math``, functions of numbers, by names of published programs."""

from fairlead.compat import _mlir_op as op
from fairlead.compat._mlir.dialects import arith, math

__all__ = ["arith", "math", "op"]
