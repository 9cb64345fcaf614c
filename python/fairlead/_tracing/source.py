"""The syntax tree of a function, with the positions of its file."""

from __future__ import annotations
import __future__

import ast
import linecache
import os
import time
from collections.abc import Iterator
from types import CodeType, FunctionType
from typing import Any, cast

from fairlead.errors import make_error

_STARTED = time.time()
_MOST_CHANGED = 64
#: For files that changed since then: the state of the last compiled source, and all code in it.
_changed: dict[str, tuple[Any, frozenset[CodeType]]] = {}
#: Whoever compiled a file may have passed on `annotations` of __future__; a notebook has `await` outside of functions.
_FLAGS = [
    ast.PyCF_ALLOW_TOP_LEVEL_AWAIT | flag for flag in (0, __future__.annotations.compiler_flag)
]


def _all_code(code: CodeType) -> Iterator[CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _all_code(constant)


def _state_of(filename: str, lines: list[str]) -> Any:
    """A value that changes with the file, or the source of a cell; None for files that this process found unchanged."""
    entry = linecache.cache.get(filename)
    if entry is not None and len(entry) > 1 and entry[1] is None:  # no file's
        return hash("".join(lines))
    try:
        status = os.stat(filename)
    except OSError:  # it is gone
        return None
    return None if status.st_mtime < _STARTED else (status.st_mtime_ns, status.st_size)


def _is_current(function: FunctionType, lines: list[str]) -> bool:
    """True if the file, or the cell of a notebook, still has the source of the function."""
    code = function.__code__
    if not lines or (state := _state_of(code.co_filename, lines)) is None:
        return True
    cached = _changed.get(code.co_filename)
    if cached is None or cached[0] != state:
        try:
            compiled = _compiled("".join(lines), code.co_filename, function.__globals__)
        except SyntaxError:
            return False
        if len(_changed) >= _MOST_CHANGED:
            _changed.clear()
        cached = state, frozenset(part for module in compiled for part in _all_code(module))
        _changed[code.co_filename] = cached
    if code in cached[1]:
        return True
    return _may_add(function) and any(_adds_to(code, part) for part in cached[1])


def _compiled(text: str, filename: str, scope: dict[str, Any]) -> list[CodeType]:
    """The code of a source, also as the loader of its module makes it, which may change it (typeguard's does)."""
    modules = [compile(text, filename, "exec", flags, dont_inherit=True) for flags in _FLAGS]
    loader = scope.get("__loader__")
    if _is_hook(loader) and hasattr(loader, "source_to_code"):
        modules.append(cast(Any, loader).source_to_code(text.encode(), filename))
    return modules


def _is_hook(loader: object) -> bool:
    return loader is not None and type(loader).__module__ not in _PYTHONS_LOADERS


_PYTHONS_LOADERS = ("_frozen_importlib_external", "_frozen_importlib", "zipimport")


def _may_add(function: FunctionType) -> bool:
    """True if the code may hold more than its source: an import hook may have added to it, as pytest's does for
    `assert`, or a text was run instead of a file, as notebooks do."""
    entry = linecache.cache.get(function.__code__.co_filename)
    is_text = entry is not None and len(entry) > 1 and entry[1] is None
    return is_text or _is_hook(function.__globals__.get("__loader__"))


def _adds_to(code: CodeType, source: CodeType) -> bool:
    """True if ``code`` is at the position of ``source``, and has at least its names and constants."""

    def head(code: CodeType) -> Any:
        return code.co_name, code.co_firstlineno, code.co_varnames[: code.co_argcount]

    def parts(code: CodeType) -> set[Any]:
        values = (value for value in code.co_consts if not isinstance(value, CodeType))
        names = (*code.co_names, *code.co_varnames, *code.co_freevars, *code.co_cellvars)
        return {*names, *((type(value), repr(value)) for value in values)}

    return head(code) == head(source) and parts(source) < parts(code)


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
            nodes = [
                node
                for node in ast.walk(tree)
                if isinstance(node, ast.Lambda) and _same_code(node, function.__code__)
            ]
            if len(nodes) == 1:
                return _as_definition(nodes[0])
            if nodes:
                return None
    return None


def _same_code(node: ast.Lambda, code: CodeType) -> bool:
    if node.lineno != code.co_firstlineno:
        return False
    # Free variables become free again: defined by the function around.
    names = [ast.arg(name) for name in code.co_freevars]
    outer = ast.Lambda(ast.arguments([], names, None, [], [], None, []), node)
    expression = ast.fix_missing_locations(ast.Expression(ast.copy_location(outer, node)))
    compiled = compile(expression, code.co_filename, "eval")
    for _ in range(2):
        compiled = next(const for const in compiled.co_consts if isinstance(const, CodeType))
    return (compiled.co_code, compiled.co_names, compiled.co_varnames, compiled.co_consts) == (
        code.co_code,
        code.co_names,
        code.co_varnames,
        code.co_consts,
    )


def _as_definition(node: ast.Lambda) -> ast.FunctionDef:
    body = ast.copy_location(ast.Return(node.body), node.body)
    definition = ast.FunctionDef("_lambda", node.args, [body], [])
    if "type_params" in ast.FunctionDef._fields:
        definition.type_params = []  # type: ignore[attr-defined]
    return ast.copy_location(definition, node)


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
    if not _is_current(function, lines):
        raise make_error("SourceChanged", function=function.__qualname__, file=code.co_filename)
    if not 0 <= first < len(lines):
        raise make_error("NoSource", function=function.__qualname__)
    if code.co_name == "<lambda>":
        tree = _lambda_tree(function, lines, first)
        if tree is None:
            raise make_error("NoSource", function=function.__qualname__)
        return tree
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
