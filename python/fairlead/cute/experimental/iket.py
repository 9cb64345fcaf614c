"""Events in kernels, by name, as programs mark them for profilers. They are checked and left out of the program.

Published programs keep these calls in their kernels, where they cost nothing unless the compile option ``iket`` asks to
collect events. Fairlead does not collect them: it refuses the option, and without it the calls emit nothing.
"""

from __future__ import annotations

from typing import Any

from fairlead._tracing.state import state
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


def _expect(function: str, index: int, name: str, valid: bool, expected: str, got: object) -> None:
    if not valid:
        raise make_error(
            "ArgumentAnnotation",
            function=f"iket.{function}",
            index=index,
            name=name,
            expected=expected,
            got=type(got).__name__,
        )


def _check(function: str, name: object, payload: object) -> None:
    _check_traced(function)
    _expect(function, 0, "name", isinstance(name, str), "str", name)
    _check_payload(function, payload)


def _check_traced(function: str) -> None:
    if state.program is None:
        raise make_error("OutsideTrace", what=f"iket.{function}")


def _check_payload(function: str, payload: object) -> None:
    from fairlead import _compiler

    valid = payload is None or isinstance(payload, (bool, int, float, _compiler.Numeric))
    _expect(function, 1, "payload", valid, "a number", payload)


def mark(name: str, payload: object = None) -> None:
    """An event of one moment.

    Raises DSLTypeError for a name that is no text known while tracing, or a payload that is no number; DSLRuntimeError
    outside a traced function. So do the other functions.
    """
    _check("mark", name, payload)


def range_push(name: str, payload: object = None) -> None:
    """Opens a range, which the thread's next ``range_pop`` closes."""
    _check("range_push", name, payload)


def range_pop() -> None:
    """Closes the range that was opened last."""
    _check_traced("range_pop")


def range_start(name: str, payload: object = None) -> Token:
    """Opens a range that ``range_end`` closes, in whatever order."""
    _check("range_start", name, payload)
    return Token(name)


def range_end(token: Token, payload: object = None) -> None:
    """Closes the range of a token; that of a sentinel is none."""
    _check_traced("range_end")
    _expect("range_end", 0, "token", isinstance(token, Token), "a token of range_start", token)
    _check_payload("range_end", payload)


def sentinel_token(name: str) -> Token:
    """A token of no range: the value of a name before a branch or a loop starts one."""
    _check("sentinel_token", name, None)
    return Token(name)
