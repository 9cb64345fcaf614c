"""The registry of cases: one function for each diagnostic, of its name, that does what provokes it."""

from collections.abc import Callable

CASES: dict[str, Callable[..., object]] = {}


def case(function: Callable[..., object]) -> Callable[..., object]:
    """Registers a case under the function's name, the id of a diagnostic."""
    assert function.__name__ not in CASES, function.__name__
    CASES[function.__name__] = function
    return function
