"""Building and searching syntax trees: the helpers that the rewriting of a function shares."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import TypeVar

from fairlead._tracing.names import children, walk_scope

HELPER = "_fl"

_N = TypeVar("_N", bound=ast.AST)


def name_node(identifier: str, store: bool = False) -> ast.Name:
    return ast.Name(identifier, ast.Store() if store else ast.Load())


def helper_call(method: str, *args: ast.expr) -> ast.Call:
    return ast.Call(ast.Attribute(name_node(HELPER), method, ast.Load()), list(args), [])


def thunk(body: ast.expr) -> ast.Lambda:
    return ast.Lambda(ast.arguments([], [], None, [], [], None, []), body)


def position_of(node: ast.AST) -> tuple[int, int, int, int]:
    return node.lineno, node.end_lineno, node.col_offset, node.end_col_offset  # type: ignore[attr-defined]


def has(nodes: Sequence[ast.AST], kinds: tuple[type, ...]) -> bool:
    return any(isinstance(node, kinds) for node in walk_scope(nodes))


def continues(body: list[ast.stmt]) -> bool:
    """True if a loop's body has a ``continue`` of that loop."""
    for node in body:
        if isinstance(node, ast.Continue):
            return True
        if isinstance(node, (ast.For, ast.While)):
            inner = [node.orelse]
        else:
            parts = [*getattr(node, "handlers", ()), *getattr(node, "cases", ())]
            inner = [getattr(node, name, []) for name in ("body", "orelse", "finalbody")]
            inner += [part.body for part in parts]
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                inner = []
        if any(map(continues, inner)):
            return True
    return False


class Located:
    """Gives every new node the position of the statement or expression that it stands for."""

    def __init__(self, origin: ast.AST) -> None:
        self.origin = origin

    def __call__(self, node: _N) -> _N:
        waiting: list[ast.AST] = [node]
        while waiting:
            child = waiting.pop()
            if isinstance(child, (ast.stmt, ast.expr, ast.arg)):
                if hasattr(child, "lineno"):  # and so have its parts
                    continue
                ast.copy_location(child, self.origin)
            waiting += children(child)
        return node
