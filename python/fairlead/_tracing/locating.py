"""The line of a program that changes a place: the code is traced again, and the place looked at after each line."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

from fairlead._tracing.marks import is_ours

Line = tuple[str, int]


class _Found(BaseException):
    """Ends the second trace."""


def line_of_change(trace: Callable[[], Any], is_changed: Callable[[], bool]) -> Line | None:
    """The file and line of the user's code after which ``is_changed()`` first holds while ``trace()`` runs; None if
    there is none."""
    return _Watch(is_changed).run(trace)


class _Watch:
    def __init__(self, is_changed: Callable[[], bool]) -> None:
        self._is_changed = is_changed
        self._line: Line | None = None
        self._is_found = False

    def run(self, trace: Callable[[], Any]) -> Line | None:
        before = sys.gettrace()
        sys.settrace(self._enter)
        try:
            trace()
            self._look()
        except BaseException:
            pass
        finally:
            sys.settrace(before)
        return self._line if self._is_found else None

    def _look(self) -> None:
        if not self._is_found and self._is_changed():
            self._is_found = True

    def _enter(self, frame: FrameType, event: str, argument: object) -> Any:
        if self._is_found or is_ours(frame.f_code):
            return None
        return self._step

    def _step(self, frame: FrameType, event: str, argument: object) -> Any:
        if self._is_found:
            return None
        if event == "return":
            self._look()
            caller = frame.f_back
            while caller is not None and is_ours(caller.f_code):
                caller = caller.f_back
            if not self._is_found and caller is not None:
                self._line = caller.f_code.co_filename, caller.f_lineno
        elif event == "line":
            self._look()
            if self._is_found:
                raise _Found
            self._line = frame.f_code.co_filename, frame.f_lineno
        return self._step
