"""Errors that point into the user's source: ``file:line: message``, the line, and the expression underlined."""

from __future__ import annotations

import itertools
import linecache
import os
import re
from types import CodeType, TracebackType

from fairlead._rewrite.function import regions_of
from fairlead.errors import DSLError, make_error

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
Position = tuple[
    int, int, int, int
]  # line, end line, column, end column (bytes, as in syntax trees)


def _is_ours(code: CodeType) -> bool:
    return code.co_filename.startswith(_PACKAGE)


def _user_frame(traceback: TracebackType | None) -> TracebackType | None:
    """The innermost frame of the user's code."""
    found = None
    while traceback is not None:
        if not _is_ours(traceback.tb_frame.f_code):
            found = traceback
        traceback = traceback.tb_next
    return found


def _frame_position(traceback: TracebackType) -> Position:
    code = traceback.tb_frame.f_code
    positions = getattr(code, "co_positions", None)  # Python 3.11
    if positions is not None:
        line, end, column, end_column = next(
            itertools.islice(positions(), traceback.tb_lasti // 2, None)
        )
        if None not in (line, end, column, end_column):
            return line, end, column, end_column
    return traceback.tb_lineno, traceback.tb_lineno, -1, -1


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


def _name_error(error: NameError, code: CodeType, line: int) -> DSLError | None:
    """A NameError of traced code as a diagnostic."""
    regions = regions_of(code)
    quoted = re.search(r"'([^']+)'", str(error))
    if regions is None or quoted is None:
        return None
    name = quoted.group(1)
    bound = [region for region in regions if name in region.bindings and region.line < line]
    if bound and not name.startswith("_fl"):
        return make_error(
            "RegionName", name=name, construct=bound[-1].construct, line=bound[-1].line
        )
    return make_error("UndefinedName", name=name)


def marked(error: BaseException) -> BaseException:
    """``error`` with the user's line and expression in its message, where it is one of Fairlead's or a NameError of
    traced code; else ``error`` itself. Raise the result ``from None``."""
    if getattr(error, "is_marked", False):
        return error
    frame = _user_frame(error.__traceback__)
    filename = getattr(error, "filename", None) if isinstance(error, DSLError) else None
    if frame is None and filename is None:
        return error
    position = _frame_position(frame) if frame is not None else None
    found = error
    if (
        isinstance(error, NameError)
        and not isinstance(error, DSLError)
        and frame is not None
        and position is not None
    ):
        found = _name_error(error, frame.tb_frame.f_code, position[0]) or error
    if not isinstance(found, DSLError):
        return error
    position = getattr(error, "position", None) or position
    filename = filename or frame.tb_frame.f_code.co_filename  # type: ignore[union-attr]
    result = type(found)(underlined(filename, position, str(found)))  # type: ignore[arg-type]
    result.diagnostic = found.diagnostic
    result.is_marked = True  # type: ignore[attr-defined]
    return result.with_traceback(error.__traceback__)
