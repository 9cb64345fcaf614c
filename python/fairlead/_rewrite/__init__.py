"""The rewriting of a decorated function's control flow, so that conditions and loops on run-time values
become branches and loops of the compiled program while those on Python values stay Python.

``source`` finds a function's syntax tree, ``names`` says which variables a region changes and which are read later,
``transform`` turns regions into nested functions, ``regions`` runs them while tracing, ``carry`` flattens the variables
that go through them, ``marks`` points errors at the user's line.
"""

from fairlead._rewrite.function import rewrite
from fairlead._rewrite.marks import marked

__all__ = ["marked", "rewrite"]
