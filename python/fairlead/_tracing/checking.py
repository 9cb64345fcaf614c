"""Checks of the programs traced now, besides those of their options and the environment."""

from __future__ import annotations

from fairlead._tracing.dialect import Dialect

#: The check that ends a call before an access outside of its memory, without an observer of the kernel.
GUARDS = "guards"
#: The check of pipelines, which compiling makes, for every target.
SCHEDULE = "schedule"
#: The default checks on the CPU target.
DEFAULT = ""

#: The text of ``--check`` that ``fairlead.checks.on`` asks for; None outside of it.
active: str | None = None
#: The filter of threads that stop and print, which it asks for; None where FAIRLEAD_CHECK_THREADS has it.
threads: str | None = None


def names_for(dialect: Dialect, checks: str) -> str:
    """Return ``checks`` for a host function in ``dialect``: in lenient ones "all" has "memory" instead of "bounds",
    because tiles often reach past a view, whose elements are then not used."""
    if not dialect.lenient:
        return checks
    return ",".join(
        "memory,init,race,sync" if name.strip() == "all" else name for name in checks.split(",")
    )


def without_schedule(checks: str) -> tuple[str, bool]:
    """Return the checks that are compiled into kernels, and whether pipelines are followed as well."""
    names = [name.strip() for name in checks.split(",")]
    if SCHEDULE not in names:
        return checks, False
    return ",".join(name for name in names if name != SCHEDULE), True
