"""The rewriter of a program's control flow, by the name of the class that existing programs change.

Fairlead rewrites functions itself (``_tracing/rewrite.py``). It already reads ``if const_expr(a) and b:`` as programs
teach this class: without a branch at run time if ``a`` decides. So a program's replacement of a method is not called.
"""

from __future__ import annotations

import ast

__all__ = ["DSLPreprocessor"]


class DSLPreprocessor(ast.NodeTransformer):
    """A transformer of trees that leaves them as they are."""

    def visit_If(self, node: ast.If) -> ast.AST:
        return self.generic_visit(node)
