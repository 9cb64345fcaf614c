"""Coverage of traced functions: marks for their programs, and the lines that Python ran while tracing."""

from __future__ import annotations

import os
import sys
import sysconfig
from types import FrameType
from typing import Any

from fairlead import _compiler
from fairlead._tracing.covering import ENTER
from fairlead._tracing.marks import is_ours
from fairlead._tracing.rewritten import regions_of
from fairlead._tracing.state import state

__all__ = ["Marks", "TracedLines", "python_arcs"]

#: Pairs of lines of plain functions of Python that ran while programs were traced, by file.
python_arcs: dict[str, set[tuple[int, int]]] = {}


class Marks:
    """The object that marks call while a function is traced."""

    def __init__(self, file: str) -> None:
        self._file = file

    def enter(self, line: int) -> int:
        """Return the number of this traced call of a function whose first line is ``line``."""
        state.frames += 1
        self.step(ENTER, state.frames, line)
        return state.frames

    def step(self, event: int, frame: int, line: int) -> None:
        if state.program is not None:
            _compiler.cover(event, self._file, frame, line)


class TracedLines:
    """``with TracedLines():`` records the lines of the user's plain functions that run while a program is traced.

    Other tools that trace Python do not see the functions that are rewritten: their lines count when threads execute
    them.
    """

    def __init__(self) -> None:
        self._lasts: dict[int, int] = {}

    def __enter__(self) -> None:
        self._before = sys.gettrace()
        sys.settrace(self._enter_frame)

    def __exit__(self, *error: object) -> None:
        sys.settrace(self._before)

    def _enter_frame(self, frame: FrameType, event: str, argument: object) -> Any:
        code = frame.f_code
        if is_ours(code) or regions_of(code) is not None or not _is_of_user(code.co_filename):
            return None
        self._lasts[id(frame)] = -code.co_firstlineno
        return self._step

    def _step(self, frame: FrameType, event: str, argument: object) -> Any:
        code, place = frame.f_code, id(frame)
        if event == "line":
            self._note(code.co_filename, place, frame.f_lineno)
        elif event == "return":
            self._note(code.co_filename, place, -code.co_firstlineno)
            del self._lasts[place]
        return self._step

    def _note(self, file: str, place: int, line: int) -> None:
        last = self._lasts.get(place)
        if last is not None and last != line:
            python_arcs.setdefault(file, set()).add((last, line))
            self._lasts[place] = line


_INSTALLED = tuple(
    {
        path + os.sep
        for path in (sysconfig.get_path(name) for name in ("stdlib", "purelib", "platlib"))
        if path
    }
)


def _is_of_user(file: str) -> bool:
    return not file.startswith(("<", *_INSTALLED))
