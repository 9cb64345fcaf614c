"""The program that this thread traces."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from typing import Any

import fairlead.ffi  # noqa: F401  first: picks the library that the call path needs
from fairlead._core import _trace


class _State(threading.local):
    program: Any = None
    function_name: str = ""


state = _State()


def hidden_frames() -> str | None:
    """The folder whose frames tracebacks leave out; None with FAIRLEAD_DEBUG=1 or CUTE_DSL_DEBUG=1."""
    if any(
        os.environ.get(name, "0") not in ("", "0") for name in ("FAIRLEAD_DEBUG", "CUTE_DSL_DEBUG")
    ):
        return None
    return os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep


def run(program: Any, name: str, function: Callable[[list[Any]], Any]) -> Any:
    """Traces ``function``, given the program's arguments, into ``program``; errors are marked in the user's source."""
    from fairlead._rewrite import marked

    previous = state.program, state.function_name
    program.enter()
    _trace(1)
    state.program, state.function_name = program, name
    finished = False
    try:
        result = function(program.arguments())
        finished = True
    except Exception as error:
        better = marked(error)
        if better is error:
            raise
        raise better from None
    finally:
        state.program, state.function_name = previous
        _trace(-1)
        program.exit(finished)
    return result
