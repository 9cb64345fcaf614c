"""Events in kernels, by name, as programs mark them for profilers.

They record for a timeline (``fairlead.timeline``) if the program has one: the compile option ``iket`` or
``--timeline``, or a direct call inside ``fairlead.timeline.record``. Otherwise they emit nothing.
"""

from __future__ import annotations

from typing import Any

from fairlead._tracing import timelines
from fairlead.errors import make_error

__all__ = ["Token", "mark", "range_end", "range_pop", "range_push", "range_start", "sentinel_token"]


class Token:
    """A range that was started, from ``range_start`` or ``sentinel_token``; run-time branches and loops may bind
    another one to its name."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return f"Token({self.name!r})"

    def __extract_mlir_values__(self) -> list[Any]:
        return []

    def __new_from_mlir_values__(self, values: list[Any]) -> Token:
        return self


def mark(name: str, payload: object = None) -> None:
    """An event of one moment.

    Raises DSLTypeError for a name that is no text known while tracing, or a payload that is no number; DSLRuntimeError
    outside a traced function. So do the other functions.
    """
    timelines.emit("iket.mark", timelines.MARK, name, payload)


def range_push(name: str, payload: object = None) -> None:
    """Opens a range, which the thread's next ``range_pop`` closes."""
    timelines.emit("iket.range_push", timelines.BEGIN, name, payload)


def range_pop() -> None:
    """Closes the range that was opened last."""
    timelines.emit("iket.range_pop", timelines.END, "")


def range_start(name: str, payload: object = None) -> Token:
    """Opens a range that ``range_end`` closes, in whatever order."""
    timelines.emit("iket.range_start", timelines.START, name, payload)
    return Token(name)


def range_end(token: Token, payload: object = None) -> None:
    """Closes the range of a token; that of a sentinel is none."""
    if not isinstance(token, Token):
        raise make_error(
            "ArgumentAnnotation",
            function="iket.range_end",
            index=0,
            name="token",
            expected="a token of range_start",
            got=type(token).__name__,
        )
    timelines.emit("iket.range_end", timelines.STOP, token.name, payload)


def sentinel_token(name: str) -> Token:
    """A token of no range: the value of a name before a branch or a loop starts one."""
    timelines.check("iket.sentinel_token", name)
    return Token(name)
