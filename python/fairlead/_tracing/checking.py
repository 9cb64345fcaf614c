"""What is checked in programs that are traced now, besides what their options and the environment say."""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType

#: The text of ``--check`` that ``fairlead.checks.on`` asks for; None outside of it.
active: str | None = None
#: The filter of threads that stop and print, which it asks for; None where FAIRLEAD_CHECK_THREADS has it.
threads: str | None = None


def _never(_: FunctionType) -> bool:
    return False


#: Whether "all" checks "memory" instead of "bounds" in a host function. fairlead.compat says so of published programs.
tolerates_indices: Callable[[FunctionType], bool] = _never


def names_for(function: FunctionType, checks: str) -> str:
    """The checks of a host function: ``checks`` with "all" spelt out where it means something else there."""
    if not tolerates_indices(function):
        return checks
    return ",".join(
        "memory,init,race,sync" if name.strip() == "all" else name for name in checks.split(",")
    )
