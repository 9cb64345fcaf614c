"""Which tiles a product works with, by times that were measured and stored."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from fairlead.cute import _timing
from fairlead.cute._tuning.search import never
from fairlead.cute._tuning.store import Entry
from fairlead.errors import make_error

__all__ = ["chosen", "measure"]

_SECONDS = 0.02  # of a candidate's samples
_known: dict[tuple[str, str], Entry] = {}


def _entry(arguments: str, device: str) -> Entry:
    found = _known.get((arguments, device))
    if found is None:
        key = {"function": "fairlead.ops.matmul", "arguments": arguments, "device": device}
        found = _known[arguments, device] = Entry(key)
    return found


def chosen(arguments: str, device: str, candidates: Sequence[Any]) -> Any:
    """The fastest of the candidates by what is stored for these arguments on this device; None if nothing is."""
    records = _entry(arguments, device).records
    times = {each: records.get(repr(each), {}).get("us") for each in candidates}
    known = {each: time for each, time in times.items() if time is not None}
    return min(known, key=lambda each: known[each]) if known else None


def measure(
    arguments: str,
    device: str,
    candidates: Sequence[Any],
    call: Callable[[Any], Any],
    stream: object,
) -> None:
    """Stores the time of ``call(candidate)`` for those candidates that have none. TuneForbidden (a RuntimeError) with
    FAIRLEAD_NEVER_TUNE=1 where one has none."""
    entry = _entry(arguments, device)
    for candidate in candidates:
        if repr(candidate) in entry.records:
            continue
        if never():
            raise make_error("TuneForbidden", function="matmul", place=f"{device}, {arguments}")
        call(candidate)
        times = _timing.samples(functools.partial(call, candidate), _SECONDS, stream=stream)
        record = {
            "program": "",
            "us": _timing.median(times),
            "p20": _timing.quantile(times, 0.2),
            "p80": _timing.quantile(times, 0.8),
        }
        entry.add({**entry.records, repr(candidate): record})
