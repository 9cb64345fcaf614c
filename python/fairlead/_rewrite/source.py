"""The syntax tree of a function, with the positions of its file."""

from __future__ import annotations

import ast
import linecache
from types import FunctionType

from fairlead.errors import make_error


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


def function_tree(function: FunctionType) -> ast.FunctionDef:
    """The definition of ``function``; line numbers and columns are those of its file or notebook cell.

    Raises DSLError (RuntimeError, NoSource) where no source is kept, and for lambdas and coroutines.
    """
    code = function.__code__
    lines = linecache.getlines(code.co_filename, function.__globals__)
    first = code.co_firstlineno - 1
    if not 0 <= first < len(lines):
        linecache.checkcache(code.co_filename)
        lines = linecache.getlines(code.co_filename, function.__globals__)
    if not 0 <= first < len(lines):
        raise make_error("NoSource", function=function.__qualname__)
    base = _indent(lines[first])
    # A block ends where a line is indented no deeper; inside a bracket or a string that may be too early, so go on.
    for end in range(first + 1, len(lines) + 1):
        last = end == len(lines) or (_is_code(lines[end]) and _indent(lines[end]) <= base)
        if not last:
            continue
        node = _parse(lines[first:end], indented=base > 0)
        if node is not None:
            if node.name != function.__name__ and function.__name__ != code.co_name:
                break
            return ast.increment_lineno(node, first - (1 if base > 0 else 0))
    raise make_error("NoSource", function=function.__qualname__)
