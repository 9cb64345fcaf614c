"""The program that this thread traces."""

from __future__ import annotations

import os
import threading
from typing import Any

from fairlead.errors import DSLError

#: The package's own folder, whose frames are none of the user's.
PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep


class _State(threading.local):
    program: Any = None
    function_name: str = ""
    kernels: int = 0
    #: Whether kernels of the program are checked while they run on the CPU, and nowhere else.
    checked: bool = False
    #: Calls of kernels that are to be launched, with where they stand in the user's source.
    calls: list[tuple[Any, Any]] = []  # noqa: RUF012  trace.run makes one for each trace
    #: An exception that has left a run-time region, and what is said where the program catches it.
    left: tuple[Exception, DSLError] | None = None
    #: What code of the program reaches in modules and classes (reach.World).
    world: Any = None
    #: Loops whose bodies are being traced, the innermost last.
    loops: list[Any] = []  # noqa: RUF012  trace.run makes one for each trace


state = _State()


def hidden_frames() -> str | None:
    """The folder whose frames tracebacks leave out; None with FAIRLEAD_DEBUG=1 or CUTE_DSL_DEBUG=1."""
    if any(
        os.environ.get(name, "0") not in ("", "0") for name in ("FAIRLEAD_DEBUG", "CUTE_DSL_DEBUG")
    ):
        return None
    return PACKAGE
