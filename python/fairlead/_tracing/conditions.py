"""The opposite of a condition, for messages."""

from __future__ import annotations

import ast

_OPPOSITE = {
    ast.Lt: ast.GtE,
    ast.GtE: ast.Lt,
    ast.Gt: ast.LtE,
    ast.LtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}


def inverted(test: ast.expr) -> str:
    """The text of a condition that holds where ``test`` does not."""
    return ast.unparse(_inverted(test))


def _inverted(test: ast.expr) -> ast.expr:
    match test:
        case ast.UnaryOp(ast.Not(), operand):
            return operand
        case ast.Compare(left, [op], comparators):
            return ast.Compare(left, [_OPPOSITE[type(op)]()], comparators)
        case ast.BoolOp(op, values):
            other = ast.Or() if isinstance(op, ast.And) else ast.And()
            return ast.BoolOp(other, [_inverted(value) for value in values])
    return ast.UnaryOp(ast.Not(), test)
