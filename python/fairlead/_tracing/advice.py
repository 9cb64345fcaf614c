"""Advice that is added to the message of an error in a traced program: how to write it instead."""

from __future__ import annotations

import ast
import builtins
import dis
import inspect
import linecache
import re
import sys
from types import FrameType, ModuleType, NoneType
from typing import Any, cast

from fairlead import _compiler, _hints
from fairlead._tracing import misuse, native
from fairlead.errors import DSLError, make_error

Position = tuple[int, int, int, int]  # line, end line, column, end column (bytes)

#: Errors about a run-time value: what to write may depend on the call that got it.
_RUN_TIME = ("DynamicNumber", "DynamicBool")


def help_of(error: DSLError, frame: FrameType | None, position: Position | None) -> str | None:
    """Return the help text for an error that was raised below ``frame``, at ``position`` of its source, or None.

    The table of diagnostics has one for the error's id, unless a function of another package was called.
    """
    if frame is not None and position is not None:
        if error.diagnostic in _RUN_TIME and (advice := _of_call(frame, position)) is not None:
            return advice
        if error.diagnostic == "KeywordUnknown" and error.help is None:
            return _of_native_keyword(error, frame, position)
    return error.help


def note(error: BaseException, frame: FrameType, position: Position) -> None:
    """Add advice to an exception of Python or of another package, and return that exception."""
    advice = (
        _of_keyword(error, frame, position)
        or _of_call(frame, position)
        or _of_extents(error, frame, position)
        or misuse.advice(error, _expression(frame.f_code.co_filename, position), frame)
    )
    if advice is not None and advice not in "".join(getattr(error, "__notes__", ())):
        if hasattr(error, "add_note"):  # Python 3.11
            error.add_note(f"    help: {advice}")


def attribute_error(error: AttributeError) -> DSLError | None:
    """An AttributeError of one of Fairlead's modules or values as a diagnostic."""
    module, owner = getattr(error, "module", None), getattr(error, "obj", None)
    if isinstance(module, str):
        owner = sys.modules[module]
    name = error.name
    if name is None or name.startswith("__") or not _is_ours(owner):
        return None
    shown = owner.__name__ if isinstance(owner, (ModuleType, type)) else type(owner).__name__
    return make_error(
        "UnknownAttribute", help=_hints.of_attribute(owner, name), owner=shown, name=name
    )


def run_time_key(error: BaseException) -> DSLError | None:
    """The lookup of a run-time value in a dict as a diagnostic: its KeyError says no more than `?`."""
    if not isinstance(error, KeyError) or not error.args or not _is_ours(error.args[0]):
        return None
    return make_error("DynamicNumber", use="the key of a dict", type=type(error.args[0]).__name__)


def no_tensor(error: BaseException, frame: FrameType, position: Position) -> DSLError | None:
    """The use of an argument as a tensor that is none (None, a list, a number), as a diagnostic."""
    if isinstance(error, AttributeError):
        if not hasattr(_compiler.Tensor, error.name or ""):
            return None
    elif not isinstance(error, TypeError):
        return None
    expression = _expression(frame.f_code.co_filename, position)
    if isinstance(error, TypeError) and not isinstance(expression, ast.Subscript):
        return None
    owner = getattr(expression, "value", None)
    code = frame.f_code
    parameters = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    if not isinstance(owner, ast.Name) or owner.id not in parameters:
        return None
    value = frame.f_locals.get(owner.id)
    plain = (NoneType, list, tuple, dict, str, int, float, _compiler.Numeric)
    if not isinstance(value, plain) or hasattr(value, "shape"):
        return None
    if isinstance(expression, ast.Subscript) and hasattr(value, misuse.method_of(expression)):
        return None
    return make_error(
        "ArgumentAnnotation",
        function=code.co_name,
        index=parameters.index(owner.id) - (parameters[0] == "self"),
        name=owner.id,
        expected="a tensor",
        got="None" if value is None else type(value).__name__,
    )


def name_help(name: str, frame: FrameType, position: Position) -> str | None:
    """Advice for a name that is not defined."""
    line, _, _, end = position
    rest = linecache.getline(frame.f_code.co_filename, line).encode()[end:].decode(errors="replace")
    attribute = re.match(r"\.(\w+)", rest) if end > 0 else None
    visible = {*frame.f_locals, *frame.f_globals, *dir(builtins)}
    return _hints.of_name(name, attribute and attribute.group(1), visible)


def name_in(error: NameError, frame: FrameType) -> str | None:
    """Return the name that the error is about, if it is known."""
    if error.name is not None:
        return error.name
    traceback, last = error.__traceback__, -1
    while traceback is not None:
        last = traceback.tb_lasti if traceback.tb_frame is frame else last
        traceback = traceback.tb_next
    for instruction in dis.get_instructions(frame.f_code):
        if instruction.offset == last and isinstance(instruction.argval, str):
            return instruction.argval
    return None


def _is_ours(owner: object) -> bool:
    if isinstance(owner, ModuleType):
        name = owner.__name__
    else:
        name = (owner if isinstance(owner, type) else type(owner)).__module__
    return isinstance(name, str) and name.partition(".")[0] == "fairlead"


def _expression(filename: str, position: Position) -> ast.AST | None:
    """The expression at a place of a file, or the statement `a += b`. A stored element has the context Store."""
    line, end_line, column, end_column = position
    lines = [text.encode() for text in linecache.getlines(filename)[line - 1 : end_line]]
    if column < 0 or not lines:
        return None
    rest = lines[-1][end_column:].strip()
    lines[-1] = lines[-1][:end_column]
    lines[0] = lines[0][column:]
    text = b"".join(lines).decode(errors="replace")
    try:
        expression = ast.parse(f"({text})", mode="eval").body
    except (SyntaxError, ValueError):
        return _statement(text)
    if isinstance(expression, ast.Subscript) and rest[:1] == b"=" and rest[:2] != b"==":
        expression.ctx = ast.Store()
    return expression


def _statement(text: str) -> ast.AST | None:
    """The statement `a += b`, or the expression of a `with`."""
    try:
        (statement,) = ast.parse(text).body
    except (SyntaxError, ValueError):
        return None
    if isinstance(statement, ast.With):
        return statement.items[0].context_expr
    return statement if isinstance(statement, ast.AugAssign) else None


def _of_extents(error: BaseException, frame: FrameType, position: Position) -> str | None:
    """Advice for entries of `shape` that are not there, and attributes that are called."""
    if not isinstance(error, (IndexError, TypeError)):
        return None
    expression = _expression(frame.f_code.co_filename, position)
    inner = (
        expression.func if isinstance(expression, ast.Call) else getattr(expression, "value", None)
    )
    if not isinstance(inner, ast.Attribute) or inner.attr not in ("shape", "stride", "size"):
        return None
    text = ast.unparse(inner)
    if isinstance(expression, ast.Call):
        return f"`{text}` is an attribute: without parentheses"
    owner = ast.unparse(inner.value)
    return f"`{text}` has an entry for each mode, counted from 0: `cute.rank({owner})` in all"


def _called(frame: FrameType, position: Position) -> tuple[str, list[str]] | None:
    """The names of ``root.a.b`` in a call ``root.a.b(...)`` at a place of the frame's source: ``root``, ``[a, b]``."""
    call = _expression(frame.f_code.co_filename, position)
    if not isinstance(call, ast.Call):
        return None
    names: list[str] = []
    function = call.func
    while isinstance(function, ast.Attribute):
        names.insert(0, function.attr)
        function = function.value
    return (function.id, names) if isinstance(function, ast.Name) else None


def _of_keyword(error: BaseException, frame: FrameType, position: Position) -> str | None:
    """The parameter that was probably meant by a keyword that one of Fairlead's functions does not have."""
    call = _expression(frame.f_code.co_filename, position)
    if not isinstance(error, TypeError) or not isinstance(call, ast.Call):
        return None
    function = misuse.value_of(call.func, frame)
    if not str(getattr(function, "__module__", None)).startswith("fairlead"):
        return None
    try:
        parameters = inspect.signature(cast(Any, function)).parameters
    except (TypeError, ValueError):
        return None
    if any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters.values()):
        return None
    unknown = next(
        (word.arg for word in call.keywords if word.arg not in (None, *parameters)), None
    )
    meant = _hints.nearest(unknown, parameters) if unknown is not None else None
    return f"did you mean `{meant}`?" if meant else None


def _of_native_keyword(error: DSLError, frame: FrameType, position: Position) -> str | None:
    """Return the parameter that was probably meant by a keyword that a method of the compiler does not have."""
    call = _expression(frame.f_code.co_filename, position)
    if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute):
        names = native.keywords_of(call.func.attr)
        for word in call.keywords:
            if word.arg not in (None, *names) and (advice := native.meant(str(word.arg), names)):
                return advice
    return misuse.advice(error, call, frame)


def _of_call(frame: FrameType, position: Position) -> str | None:
    """Advice where a function of another package is called with run-time values: ``np.exp(x)``."""
    called = _called(frame, position)
    if called is None:
        return None
    root_name, names = called
    root = frame.f_locals.get(root_name, frame.f_globals.get(root_name))
    if isinstance(root, ModuleType) and names:
        module, name = root.__name__, names[-1]
    else:
        module = getattr(root, "__module__", None) or type(root).__module__
        name = getattr(root, "__name__", root_name)
    advice = _hints.of_module(module, name) if isinstance(module, str) else None
    text = ".".join((root_name, *names))
    return f"`{text}` takes no run-time values; here it is {advice}" if advice else None
