"""The lines of barriers inside run-time branches and loops, for errors about barriers that some threads never reach."""

from __future__ import annotations

import os

from fairlead._tracing.marks import place_of_call
from fairlead._tracing.regions import innermost_region
from fairlead._tracing.state import state
from fairlead.errors import DSLError

__all__ = ["name_barriers", "note_barrier"]

_MOST = 3


def note_barrier(function: str) -> None:
    """Note that a barrier is traced."""
    region = innermost_region()
    if region is None:
        return
    place = place_of_call()
    if place is not None:
        where = f"`{function}` in line {place.line} of {os.path.basename(place.code.co_filename)}"
        inside = f"inside the `{region.construct}` of line {region.line}"
        state.barriers.append(f"{where}, {inside}")


def name_barriers(error: DSLError) -> None:
    """Add the lines of a kernel's barriers in branches to the error that one of them is never reached."""
    places = [*dict.fromkeys(state.barriers)]
    if error.diagnostic != "DivergentBarrier" or not places:
        return
    shown = "; ".join(places[:_MOST])
    rest = f"; and {len(places) - _MOST} more" if len(places) > _MOST else ""
    error.help = (
        ("the barrier is " if len(places) == 1 else "barriers in branches: ") + shown + rest
    )
