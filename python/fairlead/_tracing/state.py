"""The program that this thread traces."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from types import TracebackType
from typing import Any

from fairlead._tracing.dialect import NATIVE, Dialect
from fairlead.errors import DSLError

#: The package's own folder, whose frames are none of the user's.
PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep


class _State(threading.local):
    program: Any = None
    function_name: str = ""
    kernels: int = 0
    #: True if kernels of the program are checked while they run on the CPU.
    checked: bool = False
    #: True if the program reports the lines that it executes (covering).
    covered: bool = False
    #: True if the program records events for a timeline (timelines).
    timeline: bool = False
    #: How many calls of functions the program has traced, of those that report lines.
    frames: int = 0
    #: Calls of kernels that are to be launched, with their positions in the user's source.
    calls: list[tuple[Any, Any]] = []  # noqa: RUF012  trace.run makes one for each trace
    #: An exception that has left a run-time region, and the message if the program catches it.
    left: tuple[Exception, DSLError] | None = None
    #: The state that the program's code reaches in modules and classes (reach.World).
    world: Any = None
    #: Loops whose bodies are being traced, the innermost last.
    loops: list[Any] = []  # noqa: RUF012  trace.run makes one for each trace
    #: Where the barriers in run-time regions of the kernel are, as texts.
    barriers: list[str] = []  # noqa: RUF012  each kernel has its own
    #: The dialect of names of the function whose body is traced.
    dialect: Dialect = NATIVE


state = _State()


def member(value: object, name: str) -> Callable[[Any], Any] | None:
    """Return the function that reads attribute ``name`` of ``value`` in this thread's dialect; None without one."""
    of_classes = state.dialect.members.get(name)
    if not of_classes:
        return None
    return next((of_classes[cls] for cls in type(value).__mro__ if cls in of_classes), None)


class speaking:
    """``with speaking(dialect):`` traces its body in this dialect."""

    __slots__ = ("_before", "_dialect")

    def __init__(self, dialect: Dialect) -> None:
        self._dialect = dialect

    def __enter__(self) -> None:
        self._before = state.dialect
        if self._dialect is not self._before:
            _change(self._dialect)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if state.dialect is not self._before:
            _change(self._before)


def _change(dialect: Dialect) -> None:
    from fairlead import _compiler  # late: decorating a function loads no compiler

    state.dialect = dialect
    _compiler.set_dialect(None if dialect is NATIVE else dialect)


def hidden_frames() -> str | None:
    """The folder whose frames tracebacks leave out; None with FAIRLEAD_DEBUG=1 or CUTE_DSL_DEBUG=1."""
    if any(
        os.environ.get(name, "0") not in ("", "0") for name in ("FAIRLEAD_DEBUG", "CUTE_DSL_DEBUG")
    ):
        return None
    return PACKAGE
