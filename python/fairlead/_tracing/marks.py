"""Errors that point into the user's source: ``file:line: message``, the line, and the expression underlined."""

from __future__ import annotations

import ast
import enum
import itertools
import linecache
import sys
from types import CodeType, FrameType, FunctionType, TracebackType
from typing import NamedTuple

from fairlead import _argument_types
from fairlead._tracing import advice, native
from fairlead._tracing.ends import RESULT
from fairlead._tracing.names import walk_scope
from fairlead._tracing.rewritten import regions_of
from fairlead._tracing.source import function_tree
from fairlead._tracing.state import PACKAGE, state
from fairlead.errors import DSLError, excluded, make_error

Position = tuple[
    int, int, int, int
]  # line, end line, column, end column (bytes, as in syntax trees)


def is_ours(code: CodeType) -> bool:
    """Code of the package, or that it works through, rather than the user's."""
    of_dataclass = code.co_filename == "<string>" and code.co_name == "__init__"
    return of_dataclass or code.co_filename.startswith((PACKAGE, ast.__file__, enum.__file__))


def _user_frame(traceback: TracebackType | None) -> TracebackType | None:
    """The innermost frame of the user's code."""
    innermost = None
    while traceback is not None:
        if not is_ours(traceback.tb_frame.f_code):
            innermost = traceback
        traceback = traceback.tb_next
    return innermost


def _position(code: CodeType, instruction: int, line: int) -> Position:
    positions = getattr(code, "co_positions", None)  # Python 3.11
    if positions is not None:
        begin, end, column, end_column = next(itertools.islice(positions(), instruction // 2, None))
        if None not in (begin, end, column, end_column):
            return begin, end, column, end_column
    return line, line, -1, -1


def _frame_position(traceback: TracebackType) -> Position:
    return _position(traceback.tb_frame.f_code, traceback.tb_lasti, traceback.tb_lineno)


def underlined(filename: str, position: Position, message: str) -> str:
    """``message`` with its place and the source line, marked."""
    line, end_line, column, end_column = position
    text = f"{filename}:{line}: {message}"
    source = linecache.getline(filename, line).rstrip("\n")
    if not source.strip():
        return text
    encoded = source.encode()
    if column < 0:
        column, end_column, end_line = len(encoded) - len(encoded.lstrip()), len(encoded), line
    start = len(encoded[:column].decode(errors="replace"))
    stop = len(encoded[: end_column if end_line == line else len(encoded)].decode(errors="replace"))
    margin = len(source) - len(source.lstrip())
    marker = " " * (start - margin) + "^" + "~" * max(stop - start - 1, 0)
    return f"{text}\n    {source.strip()}\n    {marker}"


def _name_error(error: NameError, frame: FrameType, position: Position) -> DSLError | None:
    """A NameError of traced code as a diagnostic."""
    regions, line = regions_of(frame.f_code), position[0]
    name = advice.name_in(error, frame)
    if regions is None or name is None:
        return None
    if name == RESULT:
        return make_error("ReturnsDiffer")
    bound = [region for region in regions if name in region.bindings and region.line < line]
    if bound and not name.startswith("_fl"):
        return make_error(
            "RegionName", name=name, construct=bound[-1].construct, line=bound[-1].line
        )
    return make_error("UndefinedName", help=advice.name_help(name, frame, position), name=name)


def note_left(error: BaseException, construct: str) -> None:
    """Notes that ``error`` leaves a run-time region: the program cannot catch it behind the region, where it would be
    raised or not as the run goes. One of Fairlead's own is none of the program's, wherever it is caught."""
    if state.left is not None or not isinstance(error, Exception):
        return
    if isinstance(error, DSLError):
        state.left = error, error
        return
    frame = _user_frame(error.__traceback__)
    text = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    refusal = make_error(
        "UnsupportedSyntax",
        construct=f"catching `{text}` outside the run-time `{construct}` in which it was raised (it is raised while "
        f"tracing, whatever the condition: catch it inside the `{construct}`, or decide before it)",
    )
    if frame is not None:
        refusal.filename = frame.tb_frame.f_code.co_filename
        refusal.position = getattr(error, "position", None) or _frame_position(frame)
    state.left = error, refusal


def caught(error: BaseException | None) -> DSLError | None:
    """The error of a program that has caught an exception behind the run-time region that it left; ``error`` is what
    ends the trace."""
    if state.left is None:
        return None
    left, refusal = state.left
    visited = set()
    while error is not None and id(error) not in visited:
        if error is left:
            return None
        visited.add(id(error))
        error = error.__cause__ or error.__context__
    return refusal


class PlaceOfCall(NamedTuple):
    """An expression of the user's source. Only errors look for its columns, which takes a while."""

    code: CodeType
    instruction: int
    line: int


def place_of_call() -> PlaceOfCall | None:
    """The expression of the user's source that is being evaluated."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and is_ours(frame.f_code):
        frame = frame.f_back
    return None if frame is None else PlaceOfCall(frame.f_code, frame.f_lasti, frame.f_lineno)


def at_place(error: DSLError, place: PlaceOfCall | None) -> DSLError:
    """``error`` with a place in the user's source."""
    if place is not None:
        error.filename, error.position = place.code.co_filename, _position(*place)
    return error


def at_return(error: DSLError, function: FunctionType) -> DSLError:
    """``error`` with the place of the function's last ``return`` of a value, where its source is kept."""
    try:
        body = function_tree(function).body
    except DSLError:
        return error
    returns = [node for node in walk_scope(body) if isinstance(node, ast.Return) and node.value]
    if returns:
        node = max(returns, key=lambda statement: statement.lineno)
        error.filename = function.__code__.co_filename
        error.position = node.lineno, node.end_lineno, node.col_offset, node.end_col_offset
    return error


def _diagnosed(error: BaseException, frame: FrameType, position: Position) -> BaseException:
    """A NameError of traced code, an AttributeError of one of Fairlead's values, the use of an argument as a tensor
    that is none, a run-time key of a dict, or a refusal of the compiler, as a diagnostic; other errors unchanged."""
    if isinstance(error, NameError):
        return _name_error(error, frame, position) or error
    if (better := advice.no_tensor(error, frame, position)) is not None:
        return better
    if isinstance(error, AttributeError) and (better := advice.attribute_error(error)) is not None:
        return better
    if (better := advice.run_time_key(error)) is not None:
        return better
    if isinstance(error, RecursionError):
        return error  # the stack has no room for looking at arguments
    if (wrong := _argument_types.in_traceback(error, lambda code: not is_ours(code))) is not None:
        return excluded(wrong)
    if isinstance(error, TypeError) and (better := native.refused(error)) is not None:
        return better
    advice.note(error, frame, position)
    return error


def _argument_of(error: DSLError, text: str) -> str:
    """Return the end of a message that names no argument, or an empty text."""
    wrong = _argument_types.in_traceback(error, lambda code: not is_ours(code))
    return "" if wrong is None else wrong.addition(text)


def marked(error: BaseException) -> BaseException:
    """``error`` with the user's line and expression in its message, where it is one of Fairlead's, a NameError of
    traced code or an AttributeError of a traced value; else ``error`` itself. Raise the result ``from None``."""
    if getattr(error, "is_marked", False):
        return error
    traceback = _user_frame(error.__traceback__)
    filename = getattr(error, "filename", None) if isinstance(error, DSLError) else None
    if traceback is None and filename is None:
        return error
    frame = traceback.tb_frame if traceback is not None else None
    position = _frame_position(traceback) if traceback is not None else None
    diagnosed = error
    if not isinstance(error, DSLError) and frame is not None and position is not None:
        diagnosed = _diagnosed(error, frame, position)
    if not isinstance(diagnosed, DSLError):
        return error
    text = str(diagnosed.args[0]) if diagnosed.args else ""
    text += _argument_of(diagnosed, text)
    helped = advice.help_of(diagnosed, frame, position)
    if (
        helped is None
        and diagnosed.diagnostic == "DynamicBool"
        and frame is not None
        and regions_of(frame.f_code) is not None
    ):
        text += (
            ". Here Python tests it: in `assert` (write `cute.testing.assert_(condition, message)`), in patterns of"
            " `match`, in the condition of a comprehension, or in a function of Python"
        )
    position = getattr(error, "position", None) or position
    filename = filename or frame.f_code.co_filename  # type: ignore[union-attr]
    result = type(diagnosed)(underlined(filename, position, text))  # type: ignore[arg-type]
    result.diagnostic, result.help = diagnosed.diagnostic, helped
    result.is_marked = True  # type: ignore[attr-defined]
    return result.with_traceback(error.__traceback__)
