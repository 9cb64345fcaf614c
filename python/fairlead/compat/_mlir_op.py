"""``cutlass._mlir_helpers.op``: marks of functions that take a place in the program."""

import inspect

from fairlead.cute._protocols import dsl_user_op

__all__ = ["dsl_user_op", "inspect"]
