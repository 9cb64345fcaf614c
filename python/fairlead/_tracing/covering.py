"""Coverage of traced functions: statements of a rewritten function report that threads execute them.

Marks are put before statements of the program's own text, before anything else is rewritten, so that each stays with
its statement. ``_fl_frame`` is the number of the traced call, which keeps lines of nested calls apart.
"""

from __future__ import annotations

import ast
import os

from fairlead._tracing.syntax import Located, has, helper_call, name_node
from fairlead.errors import make_error

__all__ = ["ENTER", "active", "is_mark", "kind_of_environment", "mark_statements", "requested"]

#: True if ``fairlead.coverage.start`` has been called.
active: bool = False

# A FairleadCoverEvent for each kind of mark.
ENTER, _LINE, _ITERATE, _LOOP_END, _BREAK, _RETURN, _END = range(7)
_FRAME = "_fl_frame"
_YIELDS = (ast.Yield, ast.YieldFrom)
_KINDS = {"": None, "0": None, "1": "branch", "branch": "branch", "line": "line"}


def requested() -> bool:
    """True if programs that are traced now report the lines that they execute. Raise ValueError if the value of
    FAIRLEAD_COVERAGE is unknown."""
    return active or kind_of_environment() is not None


def kind_of_environment() -> str | None:
    """Return what FAIRLEAD_COVERAGE asks for, "branch" or "line"; None for nothing."""
    text = os.environ.get("FAIRLEAD_COVERAGE", "")
    if text not in _KINDS:
        raise make_error(
            "OptionValue", option="FAIRLEAD_COVERAGE", expected="0, 1, branch or line", got=text
        )
    return _KINDS[text]


def is_mark(node: ast.AST) -> bool:
    """True if a statement is a mark."""
    return getattr(node, "is_mark", False)


def _mark(event: int, line: int, place: ast.AST) -> ast.stmt:
    arguments = ast.Constant(event), name_node(_FRAME), ast.Constant(line)
    node = ast.Expr(_call("step", *arguments))
    node.is_mark = True  # type: ignore[attr-defined]
    return Located(place)(node)


def _call(method: str, *arguments: ast.expr) -> ast.Call:
    call = helper_call("marks", *arguments)
    call.func = ast.Attribute(call.func, method, ast.Load())
    return call


def mark_statements(function: ast.FunctionDef, first_line: int) -> None:
    """Put marks before the statements of ``function``, and of the functions inside of it that are rewritten."""
    body = _marked(function.body, function)
    enter = ast.Assign([name_node(_FRAME, store=True)], _call("enter", ast.Constant(first_line)))
    if not _returns(function.body):
        body.append(_mark(_END, 0, function.body[-1]))
    enter.is_mark = True  # type: ignore[attr-defined]
    function.body = [Located(function.body[0])(enter), *body]


def _returns(body: list[ast.stmt]) -> bool:
    """True if no way through ``body`` comes to its end."""
    last = body[-1] if body else None
    if isinstance(last, ast.If):
        return _returns(last.body) and _returns(last.orelse)
    return isinstance(last, (ast.Return, ast.Raise))


def _is_docstring(node: ast.stmt) -> bool:
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )


def _marked(body: list[ast.stmt], owner: ast.AST) -> list[ast.stmt]:
    """``body`` with a mark before each statement, and after each loop."""
    result: list[ast.stmt] = []
    for index, node in enumerate(body):
        is_text = index == 0 and isinstance(owner, ast.FunctionDef) and _is_docstring(node)
        if not is_text and not isinstance(node, (ast.Global, ast.Nonlocal)):
            kinds = {ast.Return: _RETURN, ast.Break: _BREAK}
            result.append(_mark(kinds.get(type(node), _LINE), _line_of(node), node))
        _mark_inside(node)
        result.append(node)
        if isinstance(node, (ast.For, ast.While)):
            result.append(_mark(_LOOP_END, node.lineno, node))
    return result


def _line_of(node: ast.stmt) -> int:
    decorators = getattr(node, "decorator_list", [])
    return decorators[0].lineno if decorators else node.lineno


def _mark_inside(node: ast.stmt) -> None:
    """Mark the statements of a compound statement."""
    if isinstance(node, ast.FunctionDef):
        if not node.decorator_list and not has(node.body, _YIELDS):
            mark_statements(node, node.lineno)
        return
    if isinstance(node, (ast.ClassDef, ast.AsyncFunctionDef)):
        return
    for name in ("body", "orelse", "finalbody"):
        if part := getattr(node, name, None):
            setattr(node, name, _marked(part, node))
    for part in [*getattr(node, "handlers", ()), *getattr(node, "cases", ())]:
        line = part.lineno if isinstance(part, ast.ExceptHandler) else part.pattern.lineno
        part.body = [_mark(_LINE, line, part.body[0]), *_marked(part.body, part)]
    if isinstance(node, (ast.For, ast.While)):
        node.body.insert(0, _mark(_ITERATE, node.lineno, node.body[0]))
