"""``cutlass._mlir_helpers``: ``arith`` and ``math``, functions of numbers, and ``op``, marks of functions, by names of
published programs."""

from fairlead.compat._mlir.dialects import arith, math
from fairlead.cute._protocols import dsl_user_op

__all__ = ["arith", "dsl_user_op", "math"]
