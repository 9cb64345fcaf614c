"""Rewriting of expressions that test the truth of values, which may be known only when the program runs."""

from __future__ import annotations

import ast
from collections.abc import Callable

from fairlead._tracing.syntax import Located, has, helper_call, thunk

_BUILTINS = frozenset("min max any all abs int float bool range divmod print breakpoint".split())


# `a and b and c` is `a and (b and c)`, one run-time branch in the other. More operands are two halves, so that their
# depth is the logarithm of their number.
MOST_NESTED = 16


def _half(op: ast.boolop, values: list[ast.expr]) -> ast.expr:
    half = ast.copy_location(ast.BoolOp(op, values), values[0])
    half.end_lineno, half.end_col_offset = values[-1].end_lineno, values[-1].end_col_offset
    return half


def binds(*nodes: ast.AST) -> bool:
    """True if computing these has a side effect: it binds a name, or suspends the function."""
    return has(list(nodes), (ast.NamedExpr, ast.Yield, ast.YieldFrom, ast.Await))


def _asks_for_bool(node: ast.expr) -> bool:
    """Return True for ``value is True`` and the like."""
    return (
        isinstance(node, ast.Compare)
        and len(node.ops) == 1
        and isinstance(node.ops[0], (ast.Is, ast.IsNot))
        and isinstance(node.comparators[0], ast.Constant)
        and isinstance(node.comparators[0].value, bool)
    )


def _is_const_expr(function: ast.expr) -> bool:
    name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", None)
    return name == "const_expr"


class Expressions(ast.NodeTransformer):
    """Conditions inside expressions: ternaries, and/or/not, chained comparisons, builtins that test truth.

    Attributes:
        callees: names whose calls may be of such a builtin: those of builtins, and the function's parameters.
    """

    def __init__(self, parameters: frozenset[str]) -> None:
        self.callees = _BUILTINS | parameters

    @staticmethod
    def _known(node: ast.expr, construct: str) -> ast.expr:
        """A condition that Python tests, since the code after it binds names here."""
        return Located(node)(helper_call("known", node, ast.Constant(construct)))

    def visit_IfExp(self, node: ast.IfExp) -> ast.expr:
        keep = binds(node.body, node.orelse)
        node.test = self.condition(node.test)
        node.body, node.orelse = self.visit(node.body), self.visit(node.orelse)
        if keep:
            node.test = self._known(node.test, "a if p else b")
            return node
        return Located(node)(helper_call("ifexp", node.test, thunk(node.body), thunk(node.orelse)))

    def condition(self, node: ast.expr) -> ast.expr:
        """An expression whose truth alone is used."""
        if isinstance(node, ast.BoolOp):
            return self._logic(node, self.condition, "_")
        visited: ast.expr = self.visit(node)
        return visited

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.expr:
        return self._logic(node, self.visit, "_value")

    def _logic(
        self, node: ast.BoolOp, visit: Callable[[ast.expr], ast.expr], what: str
    ) -> ast.expr:
        keep = binds(*node.values[1:])
        if len(node.values) > MOST_NESTED and not keep:
            middle = len(node.values) // 2
            halves = node.values[:middle], node.values[middle:]
            node.values = [_half(node.op, half) for half in halves]
        node.values = [visit(value) for value in node.values]
        name = "and" if isinstance(node.op, ast.And) else "or"
        method = name + what
        if keep:
            node.values[:-1] = [self._known(value, name) for value in node.values[:-1]]
            return node
        return Located(node)(helper_call(method, node.values[0], *map(thunk, node.values[1:])))

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.expr:
        if not isinstance(node.op, ast.Not):
            self.generic_visit(node)
            return node
        return Located(node)(helper_call("not_", self.condition(node.operand)))

    def visit_Compare(self, node: ast.Compare) -> ast.expr:
        keep = len(node.ops) < 2 or binds(*node.comparators)
        self.generic_visit(node)
        if len(node.ops) == 1 and isinstance(node.ops[0], (ast.In, ast.NotIn)):
            call = helper_call("contains", node.left, node.comparators[0])
            negated = isinstance(node.ops[0], ast.NotIn)
            return Located(node)(helper_call("not_", call) if negated else call)
        if _asks_for_bool(node):
            call = helper_call("is_bool", node.left, node.comparators[0])
            negated = isinstance(node.ops[0], ast.IsNot)
            return Located(node)(helper_call("not_", call) if negated else call)
        if keep:
            return node
        ops = ast.Tuple([ast.Constant(type(op).__name__) for op in node.ops], ast.Load())
        return Located(node)(helper_call("chain", ops, node.left, *map(thunk, node.comparators)))

    def visit_Call(self, node: ast.Call) -> ast.expr:
        function = node.func
        if _is_const_expr(function) and len(node.args) == 1 and _asks_for_bool(node.args[0]):
            # Python answers it while tracing: a run-time Boolean is neither True nor False.
            self.generic_visit(node.args[0])
            return node
        self.generic_visit(node)
        # The function behind a name is looked up when it is called: names may be bound again.
        if isinstance(function, ast.Name) and function.id in self.callees:
            node.func = Located(function)(helper_call("builtin", function))
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        return node
