"""Early ends of functions and of iterations: ``return`` without a value, and ``continue``, at the end of a branch.

``if c: return`` with more behind it becomes ``if c: pass`` with that under ``else``, which means the same, and which a
run-time branch can do. What stands in a ``with`` or a ``try``, and a ``return`` in a loop, stays as it is.
"""

from __future__ import annotations

import ast

from fairlead._tracing.names import walk_scope


def branch_ends(function: ast.FunctionDef) -> None:
    """Rewrites the ends of ``function``'s own branches, and of those of its loops, in place."""
    for node in list(walk_scope(function.body)):
        if isinstance(node, (ast.For, ast.While)):
            node.body = _without(node.body, ast.Continue) or [_pass(node)]
    function.body = _without(function.body, ast.Return) or [_pass(function)]


def _pass(place: ast.stmt) -> ast.stmt:
    return ast.copy_location(ast.Pass(), place)


def _is_end(node: ast.stmt, word: type[ast.stmt]) -> bool:
    if not isinstance(node, word):
        return False
    value = getattr(node, "value", None)
    return value is None or (isinstance(value, ast.Constant) and value.value is None)


def _ends(body: list[ast.stmt], word: type[ast.stmt]) -> bool:
    """Whether every way through ``body`` comes to an end of the kind."""
    if not body:
        return False
    last = body[-1]
    if isinstance(last, ast.If):
        return _ends(last.body, word) and _ends(last.orelse, word)
    return _is_end(last, word)


def _without(body: list[ast.stmt], word: type[ast.stmt]) -> list[ast.stmt]:
    """``body``, behind which the function or the iteration is over, without ends of the kind."""
    for index, node in enumerate(body):
        if _is_end(node, word):
            return body[:index]
        if not isinstance(node, ast.If):
            continue
        rest = body[index + 1 :]
        first, second = _ends(node.body, word), _ends(node.orelse, word)
        if rest and not (first or second):
            continue
        if rest and not (first and second):
            (node.orelse if first else node.body).extend(rest)
        node.body = _without(node.body, word) or [_pass(node)]
        node.orelse = _without(node.orelse, word)
        return [*body[:index], node]
    return body
