"""``cutlass._mlir_helpers.op``: marks of functions that take a place in the program."""

import functools
import inspect
import os

from fairlead.cute._protocols import dsl_user_op

__all__ = ["dsl_user_op", "inspect"]

#: The folders of the language, found when a file is first asked about.
_DSL_PACKAGE_ROOT = ""
_DSL_PACKAGE_ROOTS: tuple[str, ...] | None = None


@functools.cache
def _is_framework_frame(filename: str) -> bool:
    """True if the file belongs to the language, not to a program."""
    global _DSL_PACKAGE_ROOT, _DSL_PACKAGE_ROOTS
    if _DSL_PACKAGE_ROOTS is None:
        _DSL_PACKAGE_ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
        _DSL_PACKAGE_ROOTS = (_DSL_PACKAGE_ROOT,)
    return os.path.abspath(filename).startswith(_DSL_PACKAGE_ROOTS)
