"""The rewriter of a program's control flow, by the name of the class that existing programs change.

Fairlead rewrites functions by itself (``_tracing/rewrite.py``), and reads ``if const_expr(a) and b:`` as what programs
have this class taught: no branch at run time where ``a`` decides. So what they put in place of a method is not called.
"""

from __future__ import annotations

import ast

__all__ = ["DSLPreprocessor"]


class DSLPreprocessor(ast.NodeTransformer):
    """A transformer of trees that leaves them as they are."""

    def visit_If(self, node: ast.If) -> ast.AST:
        return self.generic_visit(node)
