"""Events that traced kernels record for timelines (``fairlead.timeline``). Without a timeline they emit nothing."""

from __future__ import annotations

from fairlead._tracing.state import state
from fairlead.errors import make_error

__all__ = ["BEGIN", "END", "MARK", "START", "STOP", "active", "check", "emit"]

#: True while ``fairlead.timeline.record`` collects: programs that are traced now record.
active: bool = False

# A FairleadTimelineKind each (fairlead/Timeline.h).
BEGIN, END, MARK, START, STOP = range(5)


def emit(function: str, kind: int, name: str, payload: object = None) -> None:
    """Record an event of the thread's warp when the kernel runs, if the program has a timeline.

    Raises DSLTypeError, naming ``function``, for a name that is no text or a payload that is no number;
    DSLRuntimeError outside a traced function.
    """
    from fairlead import _compiler

    check(function, name)
    is_number = payload is None or isinstance(payload, (bool, int, float, _compiler.Numeric))
    _expect(function, 1, "payload", is_number, "a number", payload)
    if state.timeline:
        _compiler.record_event(kind, name, [] if payload is None else [payload])


def check(function: str, name: object) -> None:
    """Raise as ``emit`` does for a name, and outside a traced function."""
    if state.program is None:
        raise make_error("OutsideTrace", what=function)
    if isinstance(name, str):
        _expect(function, 0, "name", name.isprintable(), "printable", name)
    _expect(function, 0, "name", isinstance(name, str), "str", name)


def _expect(
    function: str, index: int, name: str, is_valid: bool, expected: str, got: object
) -> None:
    if not is_valid:
        shown = repr(got) if isinstance(got, str) and name == "name" else type(got).__name__
        raise make_error(
            "ArgumentAnnotation",
            function=function,
            index=index,
            name=name,
            expected=expected,
            got=shown,
        )
