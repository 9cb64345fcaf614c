"""The choice of a product's tiles, by times that were measured and stored."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from fairlead.cute import _timing
from fairlead.cute._tuning.candidates import Candidate, fastest
from fairlead.cute._tuning.report import Row
from fairlead.cute._tuning.search import never
from fairlead.cute._tuning.store import Entry
from fairlead.errors import make_error

__all__ = ["chosen", "measure"]

_SECONDS = 0.02  # of a candidate's samples
_known: dict[tuple[str, str], Entry] = {}


def _entry(arguments: str, device: str) -> Entry:
    entry = _known.get((arguments, device))
    if entry is None:
        key = {"function": "fairlead.ops.matmul", "arguments": arguments, "device": device}
        entry = _known[arguments, device] = Entry(key)
        entry.share()
    return entry


def _candidates(entry: Entry, tiles: Sequence[Any]) -> list[Candidate]:
    """Return a candidate for each choice, with the time that is stored of it."""
    candidates = []
    for choice in tiles:
        config = {"tiles": choice}
        candidate = Candidate(config, repr(choice), Row(config))
        record = entry.records.get(candidate.text, {})
        if "us" in record:
            candidate.recall(record)
        candidates.append(candidate)
    return candidates


def chosen(arguments: str, device: str, tiles: Sequence[Any]) -> Any:
    """Return the fastest choice by the times stored for these arguments on this device; None if there are none."""
    best = fastest(_candidates(_entry(arguments, device), tiles))
    return None if best is None else best.config["tiles"]


def measure(
    arguments: str,
    device: str,
    tiles: Sequence[Any],
    call: Callable[[Any], Any],
    stream: object,
) -> None:
    """Measure ``call(choice)`` for each choice without a stored time, and store it. With FAIRLEAD_NEVER_TUNE=1, a
    missing time raises TuneForbidden (a RuntimeError)."""
    entry = _entry(arguments, device)
    for candidate in _candidates(entry, tiles):
        if candidate.text in entry.records:
            continue
        if never():
            raise make_error("TuneForbidden", function="matmul", place=f"{device}, {arguments}")
        timed_call = functools.partial(call, candidate.config["tiles"])
        timed_call()
        candidate.note(_timing.samples(timed_call, _SECONDS, stream=stream))
        entry.add({**entry.records, candidate.text: candidate.record() or {}})
