"""One trace: a function runs on values that represent those of a call, and leaves a program."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import TracebackType
from typing import Any

import fairlead.ffi  # noqa: F401  first: picks the library that the call path needs
from fairlead import _compiler
from fairlead._core import _trace
from fairlead._tracing.copies import check_copies
from fairlead._tracing.expressions import conditional
from fairlead._tracing.leaving import stop_if_leaving
from fairlead._tracing.marks import at_place, caught, is_ours, marked
from fairlead._tracing.reach import World
from fairlead._tracing.state import state
from fairlead.errors import DSLError, make_error


def _until_repeated(traceback: TracebackType | None) -> str:
    """Cuts the traceback of a recursion off behind the first frame of a function that is entered again, and returns "".
    If no function is entered again, returns a text that says which construct is nested, and how deep."""
    last: dict[Any, TracebackType] = {}
    operands = 0
    entry = traceback
    while entry is not None:
        code = entry.tb_frame.f_code
        if not is_ours(code):
            if code in last:
                last[code].tb_next = None
                return ""
            last[code] = entry
        operands += code is conditional.__code__
        entry = entry.tb_next
    # Each region of control flow is a frame of the user's.
    if operands > len(last):
        return f"an expression of which {operands} operands are nested (each of a chained comparison is a level)"
    return f"control flow that is nested {len(last)} deep (each `elif` is a level)"


def run(program: _compiler.Program, name: str, function: Callable[[list[Any]], Any]) -> Any:
    """Traces ``function``, given the program's arguments, into ``program``; errors are marked in the user's source."""
    previous = state.program, state.function_name, state.kernels
    previous_of_trace = state.left, state.loops, state.calls, state.world, state.frames
    stop_if_leaving()
    program.enter()
    _trace(1)
    state.program, state.function_name, state.kernels, state.left = program, name, 0, None
    state.loops, state.calls, state.world, state.frames = [], [], World(), 0
    state.world.frame = id(sys._getframe())
    finished = False
    try:
        result = function(program.arguments())
        check_copies(is_end=True)
        if (behind := caught(None)) is not None:
            raise behind
        if state.loops:
            raise make_error(
                "UnsupportedSyntax",
                construct=f"in `{name}` a `{state.loops[-1].name}` that is entered and not left",
            )
        for call, place in state.calls:
            if not call.is_launched:
                raise at_place(make_error("KernelNotLaunched", kernel=call.name), place)
        finished = True
    except RecursionError as error:
        if isinstance(error, DSLError):
            raise
        if nested := _until_repeated(error.__traceback__):
            refusal = make_error("UnsupportedSyntax", construct=f"in `{name}` {nested}")
        else:
            refusal = make_error("Recursion", function=name)
        raise marked(refusal.with_traceback(error.__traceback__)) from None
    except Exception as error:
        better = marked(caught(error) or error)
        if better is error:
            raise
        raise better from None
    finally:
        for loop in reversed(state.loops):
            loop.abandon()
        state.program, state.function_name, state.kernels = previous
        state.left, state.loops, state.calls, state.world, state.frames = previous_of_trace
        _trace(-1)
        program.exit(finished)
    return result
