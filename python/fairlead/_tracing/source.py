"""The syntax tree of a function, with the positions of its file."""

from __future__ import annotations
import __future__

import ast
import linecache
import os
import time
from collections.abc import Iterator
from types import CodeType, FunctionType

from fairlead.errors import make_error

_STARTED = time.time()
_MOST_CHANGED = 64
#: Of files that changed since then: the state of each that was compiled last, and all code in it.
_changed: dict[str, tuple[tuple[int, int], frozenset[CodeType]]] = {}


def _all_code(code: CodeType) -> Iterator[CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _all_code(constant)


def _is_current(code: CodeType, lines: list[str]) -> bool:
    """Whether the file still has the source of ``code``. Only files that changed in this process are compiled."""
    try:
        status = os.stat(code.co_filename)
    except OSError:  # a notebook's cell, or a file that is gone
        return True
    if status.st_mtime < _STARTED:
        return True
    state = status.st_mtime_ns, status.st_size
    known = _changed.get(code.co_filename)
    if known is None or known[0] != state:
        try:
            # Whoever compiled the file may have passed on `annotations` of __future__.
            made = [
                compile("".join(lines), code.co_filename, "exec", flags, dont_inherit=True)
                for flags in (0, __future__.annotations.compiler_flag)
            ]
        except SyntaxError:
            return False
        if len(_changed) >= _MOST_CHANGED:
            _changed.clear()
        known = state, frozenset(part for whole in made for part in _all_code(whole))
        _changed[code.co_filename] = known
    return code in known[1]


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _is_code(line: str) -> bool:
    stripped = line.strip()
    return bool(stripped) and not stripped.startswith("#")


def _parse(lines: list[str], indented: bool) -> ast.FunctionDef | None:
    """The function whose first line (decorators included) starts ``lines``, or None when they are no whole function."""
    text = "".join(lines)
    try:
        tree = ast.parse("if 1:\n" + text if indented else text)
    except SyntaxError:
        return None
    body = tree.body[0].body if indented else tree.body  # type: ignore[attr-defined]
    node = body[0] if body else None
    return node if isinstance(node, ast.FunctionDef) else None


def _lambda_tree(function: FunctionType, lines: list[str], first: int) -> ast.FunctionDef | None:
    """A lambda that starts on line ``first`` as a definition; None where it is not found, or two look alike."""
    for start in range(first, -1, -1):
        # The statement that the lambda is part of begins on its line or before.
        if not _is_code(lines[start]):
            continue
        base = _indent(lines[start])
        for end in range(first + 1, min(len(lines), first + 50) + 1):
            text = "".join(lines[start:end])
            try:
                tree = ast.parse("if 1:\n" + text if base > 0 else text)
            except SyntaxError:
                continue
            ast.increment_lineno(tree, start - (1 if base > 0 else 0))
            found = [
                node
                for node in ast.walk(tree)
                if isinstance(node, ast.Lambda) and _same_code(node, function.__code__)
            ]
            if len(found) == 1:
                return _as_definition(found[0])
            if found:
                return None
    return None


def _same_code(node: ast.Lambda, code: CodeType) -> bool:
    if node.lineno != code.co_firstlineno:
        return False
    # Free variables become free again: defined by the function around.
    names = [ast.arg(name) for name in code.co_freevars]
    outer = ast.Lambda(ast.arguments([], names, None, [], [], None, []), node)
    expression = ast.fix_missing_locations(ast.Expression(ast.copy_location(outer, node)))
    made = compile(expression, code.co_filename, "eval")
    for _ in range(2):
        made = next(const for const in made.co_consts if isinstance(const, CodeType))
    return (made.co_code, made.co_names, made.co_varnames, made.co_consts) == (
        code.co_code,
        code.co_names,
        code.co_varnames,
        code.co_consts,
    )


def _as_definition(node: ast.Lambda) -> ast.FunctionDef:
    body = ast.copy_location(ast.Return(node.body), node.body)
    made = ast.FunctionDef("_lambda", node.args, [body], [])
    if "type_params" in ast.FunctionDef._fields:
        made.type_params = []  # type: ignore[attr-defined]
    return ast.copy_location(made, node)


def function_tree(function: FunctionType) -> ast.FunctionDef:
    """The definition of ``function``; line numbers and columns are those of its file or notebook cell.

    A lambda becomes a definition that returns its value. Raises DSLError (RuntimeError, NoSource) where no source is
    kept, for coroutines, and for two lambdas of one line that look alike; SourceChanged where the file was edited
    since the function was made.
    """
    code = function.__code__
    linecache.checkcache(code.co_filename)
    lines = linecache.getlines(code.co_filename, function.__globals__)
    first = code.co_firstlineno - 1
    if not _is_current(code, lines):
        raise make_error("SourceChanged", function=function.__qualname__, file=code.co_filename)
    if not 0 <= first < len(lines):
        raise make_error("NoSource", function=function.__qualname__)
    if code.co_name == "<lambda>":
        found = _lambda_tree(function, lines, first)
        if found is None:
            raise make_error("NoSource", function=function.__qualname__)
        return found
    base = _indent(lines[first])
    # A block ends where a line is indented no deeper; inside a bracket or a string that may be too early, so go on.
    for end in range(first + 1, len(lines) + 1):
        last = end == len(lines) or (_is_code(lines[end]) and _indent(lines[end]) <= base)
        if not last:
            continue
        node = _parse(lines[first:end], indented=base > 0)
        if node is not None:
            if node.name != code.co_name:
                break
            return ast.increment_lineno(node, first - (1 if base > 0 else 0))
    raise make_error("NoSource", function=function.__qualname__)
