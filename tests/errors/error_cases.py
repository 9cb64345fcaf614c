"""The registry of cases: one function for each diagnostic, of its name, and one for each help text, that does what
provokes it."""

from collections.abc import Callable

CASES: dict[str, Callable[..., object]] = {}


def case(function: Callable[..., object]) -> Callable[..., object]:
    """Registers a case under the function's name, the id of a diagnostic."""
    assert function.__name__ not in CASES, function.__name__
    CASES[function.__name__] = function
    return function


#: (id, number of its help text in the table, from 0) -> what provokes the error with that help text.
HELPS: dict[tuple[str, int], Callable[..., object]] = {}


def helped(id: str, number: int = 0) -> Callable[[Callable[..., object]], Callable[..., object]]:
    """Registers a program whose error has a help text of the table."""

    def register(function: Callable[..., object]) -> Callable[..., object]:
        assert (id, number) not in HELPS, (id, number)
        HELPS[id, number] = function
        return function

    return register
