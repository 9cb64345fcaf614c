"""Early ends of functions and of iterations: ``return``, ``continue`` and ``break`` in branches.

``if c: return`` with more behind it becomes ``if c: pass`` with that under ``else``, which means the same, and which a
run-time branch can do. A ``break`` also sets a variable that ends the loop; a ``return`` in a loop is a ``break``, and
a ``return`` after it. If only some ways through a branch end, a variable says whether the rest is skipped.
If every way ends in a ``return`` of a value, the value is bound on each and returned at the end.

Statements in a ``with`` or a ``try``, and a ``return`` of a value in a loop, stay as they are.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from fairlead._tracing.names import walk, walk_scope

Words = tuple[type[ast.stmt], ...]
#: The variable that holds the result of a function.
RESULT = "_fl_result"
#: The attribute of a ``for`` that holds the name of the variable that ends it.
BROKE = "_fl_broke"


def branch_ends(function: ast.FunctionDef) -> None:
    """Rewrite the ends of ``function``'s own branches, and of the branches of its loops, in place."""
    loops = _Loops()
    body = [new for statement in function.body for new in _listed(loops.visit(statement))]
    function.body = _returning(body) or _rewritten(body, (ast.Return,), function)


class _Valued(ast.Return):
    """The node as one of the words: ``return`` of a value, or ``ast.Return`` for one without a value."""


def _returning(body: list[ast.stmt]) -> list[ast.stmt] | None:
    """``body`` with one ``return`` at its end, where branches return values, and every way through it does."""
    every = [node for node in walk_scope(body) if isinstance(node, ast.Return)]
    ends = list(_found(body, (_Valued,)))
    early = len(ends) > 1 and len(ends) == len(every)
    if not early or not _ends(body, (_Valued,)) or _is_hard(body, (_Valued,)):
        return None
    last = max(ends, key=lambda node: (node.lineno, node.col_offset))
    result = ast.Return(ast.Name(RESULT, ast.Load()))
    return [*_without(body, _Leave((_Valued,), {}, None)), _placed(result, last)]  # type: ignore[list-item]


def _found(body: list[ast.stmt], words: Words) -> Iterator[ast.stmt]:
    """The ends in ``body`` and its branches."""
    for node in body:
        if isinstance(node, ast.If):
            yield from _found(node.body, words)
            yield from _found(node.orelse, words)
        elif _is_end(node, words):
            yield node


def _listed(nodes: ast.AST | list[ast.stmt]) -> list[ast.stmt]:
    return nodes if isinstance(nodes, list) else [nodes]  # type: ignore[list-item]


class _Loops(ast.NodeTransformer):
    """The loops of one function, the innermost first."""

    def visit_For(self, node: ast.For) -> ast.stmt | list[ast.stmt]:
        return self._loop(node)

    def visit_While(self, node: ast.While) -> ast.stmt | list[ast.stmt]:
        return self._loop(node)

    def _loop(self, node: ast.For | ast.While) -> ast.stmt | list[ast.stmt]:
        self.generic_visit(node)
        breaks = next(_found(node.body, (ast.Break,)), None)
        returns = next(_found(node.body, (ast.Return,)), None)
        if (breaks is None and returns is None) or _is_left_otherwise(node.body):
            node.body = _rewritten(node.body, (ast.Continue,), node)
            return node
        place = f"{node.lineno}_{node.col_offset}"
        broke, returned = f"_fl_broke_{place}", f"_fl_returned_{place}"
        flags = {ast.Break: [broke], ast.Return: [broke, returned]}
        words = (ast.Continue, ast.Break, ast.Return)
        node.body = _rewritten(node.body, words, node, flags)
        result: list[ast.stmt] = [_assign(broke, False, node), node]
        if isinstance(node, ast.While):
            test = ast.BoolOp(ast.And(), [_not(broke), node.test])
            node.test = _placed(test, node.test)  # type: ignore[assignment]
        else:
            setattr(node, BROKE, broke)
        if node.orelse:  # it runs where the loop was not left
            result.append(_placed(ast.If(_not(broke), node.orelse, []), node.orelse[0]))  # type: ignore[arg-type]
            node.orelse = []
        if returns is not None:
            left = ast.If(ast.Name(returned, ast.Load()), [ast.Return(None)], [])
            result = [_assign(returned, False, node), *result, _placed(left, returns)]  # type: ignore[list-item]
        return result

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        return node

    visit_AsyncFunctionDef = visit_ClassDef = visit_Lambda = visit_FunctionDef  # type: ignore[assignment]


def _is_left_otherwise(body: list[ast.stmt]) -> bool:
    """True if a ``break`` of the loop is inside a ``with`` or a ``try``."""
    for node in body:
        if isinstance(node, ast.If):
            if _is_left_otherwise(node.body) or _is_left_otherwise(node.orelse):
                return True
        elif isinstance(node, (ast.For, ast.While)):
            # A word in its `else` leaves the loop around it.
            if _has_break(node.orelse):
                return True
        elif not isinstance(node, ast.Break) and _has_break([node]):
            return True
    return False


def _has_break(body: list[ast.stmt]) -> bool:
    """True if some statement in ``body``, of whatever kind, is a ``break`` that leaves it."""
    for node in body:
        if isinstance(node, ast.Break):
            return True
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            continue
        parts = [getattr(node, "orelse", [])]
        if not isinstance(node, (ast.For, ast.While)):
            inner = [*getattr(node, "handlers", ()), *getattr(node, "cases", ())]
            parts += [getattr(node, "body", []), getattr(node, "finalbody", [])]
            parts += [part.body for part in inner]
        if any(isinstance(part, list) and _has_break(part) for part in parts):
            return True
    return False


@dataclass
class _Leave:
    """Replacements of an end: variables that each word sets, and ``skip``, which every word sets on request."""

    words: Words
    flags: dict[type[ast.stmt], list[str]]
    skip: str | None

    def instead(self, node: ast.stmt) -> list[ast.stmt]:
        if _Valued in self.words and isinstance(node, ast.Return):
            bound = ast.Assign([ast.Name(RESULT, ast.Store())], node.value)  # type: ignore[arg-type]
            return [_placed(bound, node)]  # type: ignore[list-item]
        names = [*self.flags.get(type(node), ()), *([self.skip] if self.skip else [])]
        return [_assign(name, True, node) for name in names]


def _rewritten(
    body: list[ast.stmt],
    words: Words,
    place: ast.For | ast.While | ast.FunctionDef,
    flags: dict[type[ast.stmt], list[str]] | None = None,
) -> list[ast.stmt]:
    skip = f"_fl_skip_{place.lineno}_{place.col_offset}" if _is_hard(body, words) else None
    new_body = _without(body, _Leave(words, flags or {}, skip)) or [_pass(place)]
    return [_assign(skip, False, place), *new_body] if skip else new_body


def _placed(node: ast.AST, place: ast.AST) -> ast.AST:
    """A new node, its new parts with it, at a place."""
    for child in walk(node):
        if isinstance(child, (ast.stmt, ast.expr)) and not hasattr(child, "lineno"):
            ast.copy_location(child, place)
    return node


def _assign(name: str, value: bool, place: ast.stmt) -> ast.stmt:
    assignment = ast.Assign([ast.Name(name, ast.Store())], ast.Constant(value))
    return _placed(assignment, place)  # type: ignore[return-value]


def _not(name: str) -> ast.expr:
    return ast.UnaryOp(ast.Not(), ast.Name(name, ast.Load()))


def _pass(place: ast.stmt) -> ast.stmt:
    return ast.copy_location(ast.Pass(), place)


def _is_end(node: ast.stmt, words: Words) -> bool:
    if not isinstance(node, ast.Return):
        return isinstance(node, words)
    value = node.value
    nothing = value is None or (isinstance(value, ast.Constant) and value.value is None)
    return (ast.Return if nothing else _Valued) in words


def _ends(body: list[ast.stmt], words: Words) -> bool:
    """True if every way through ``body`` reaches an end of the kinds."""
    if not body:
        return False
    last = body[-1]
    if isinstance(last, ast.If):
        return _ends(last.body, words) and _ends(last.orelse, words)
    return _is_end(last, words)


def _is_hard(body: list[ast.stmt], words: Words) -> bool:
    """True if the statements after some branch cannot go under ``else``, since only some ways through it end."""
    for index, node in enumerate(body):
        if _is_end(node, words):
            return False
        if not isinstance(node, ast.If):
            continue
        rest = body[index + 1 :]
        first, second = _ends(node.body, words), _ends(node.orelse, words)
        if rest and not (first or second):
            if any(_found([node], words)):
                return True
            continue
        then = [*node.body, *rest] if second and not first else node.body
        otherwise = [*node.orelse, *rest] if first and not second else node.orelse
        return _is_hard(then, words) or _is_hard(otherwise, words)
    return False


def _without(body: list[ast.stmt], leave: _Leave) -> list[ast.stmt]:
    """``body``, behind which the function or the iteration is over, without ends of the kinds."""
    words = leave.words
    for index, node in enumerate(body):
        if _is_end(node, words):
            return [*body[:index], *leave.instead(node)]
        if not isinstance(node, ast.If):
            continue
        rest = body[index + 1 :]
        first, second = _ends(node.body, words), _ends(node.orelse, words)
        behind: list[ast.stmt] = []
        if rest and not (first or second):
            if not any(_found([node], words)):
                continue
            assert leave.skip is not None
            guarded = ast.If(_not(leave.skip), _without(rest, leave) or [_pass(rest[0])], [])
            behind = [_placed(guarded, rest[0])]  # type: ignore[list-item]
        elif rest and not (first and second):
            (node.orelse if first else node.body).extend(rest)
        node.body = _without(node.body, leave) or [_pass(node)]
        node.orelse = _without(node.orelse, leave)
        return [*body[:index], node, *behind]
    return body


def nonlocals(body: list[ast.stmt]) -> frozenset[str]:
    """Names of this scope that functions made in ``body`` bind."""
    names: set[str] = set()
    for node in walk_scope(body):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            inner = list(walk_scope(node.body))
            declared = {
                name
                for statement in inner
                if isinstance(statement, ast.Nonlocal)
                for name in statement.names
            }
            arguments = node.args
            every = [
                *arguments.posonlyargs,
                *arguments.args,
                *arguments.kwonlyargs,
                *filter(None, (arguments.vararg, arguments.kwarg)),
            ]
            bound = {argument.arg for argument in every} | {
                store.id
                for store in inner
                if isinstance(store, ast.Name) and isinstance(store.ctx, ast.Store)
            }
            names |= declared | (nonlocals(node.body) - (bound - declared))
    return frozenset(names)
