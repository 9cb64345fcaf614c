"""Events with their times in Chrome's trace format, which Perfetto and chrome://tracing show.

``FAIRLEAD_TRACE=trace.json`` records; the file is written when the process ends. ``%p`` in the name stands for the
number of the process.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

_lock = threading.Lock()
_events: list[dict[str, Any]] = []
_named: set[int] = set()
_sources: list[Callable[[], list[dict[str, Any]]]] = []
_recordings = 0


def is_on() -> bool:
    """True if events are kept: for a file, or for a recording."""
    return _recordings > 0 or path() is not None


@contextlib.contextmanager
def recorded() -> Iterator[list[dict[str, Any]]]:
    """Keep events while the body runs; the list that it gives holds them afterwards."""
    global _recordings
    events: list[dict[str, Any]] = []
    with _lock:
        _recordings += 1
        begin = len(_events)
    try:
        yield events
    finally:
        with _lock:
            _take_all()
            _recordings -= 1
            events += [event for event in _events[:begin] if event["ph"] == "M"]
            events += _events[begin:]
            if path() is None:
                del _events[begin:]
                _named.clear()


def _take_all() -> None:
    for take in _sources:
        _events.extend(
            event for event in take() if event["ph"] != "M" or event["tid"] not in _named
        )


def path() -> str | None:
    """The file for the events."""
    return os.environ.get("FAIRLEAD_TRACE") or None


def add(name: str, kind: str, start: float, seconds: float, **facts: object) -> None:
    """Note an event that began at ``start``, of ``time.perf_counter()``, if events are kept."""
    if not is_on():
        return
    thread = threading.get_native_id()
    with _lock:
        _write_at_exit()
        if thread not in _named:
            _named.add(thread)
            _events.append(_meta("thread_name", thread, threading.current_thread().name))
        _events.append(
            {
                "name": name,
                "cat": kind,
                "ph": "X",
                "ts": start * 1e6,
                "dur": seconds * 1e6,
                "pid": os.getpid(),
                "tid": thread,
                "args": facts,
            }
        )


_registered = False


def _write_at_exit() -> None:
    global _registered
    if not _registered:
        _registered = True
        atexit.register(write)


def add_source(take: Callable[[], list[dict[str, Any]]]) -> None:
    """Ask ``take`` for further events when the file is written: those noted since the last call."""
    with _lock:
        _sources.append(take)
        _write_at_exit()


def _meta(what: str, thread: int, name: str) -> dict[str, Any]:
    return {"name": what, "ph": "M", "pid": os.getpid(), "tid": thread, "args": {"name": name}}


def add_stages(kind: str, start: float, stages: dict[str, float], **facts: object) -> None:
    """Notes stages that followed one another from ``start`` on, each with its milliseconds."""
    for name, milliseconds in stages.items():
        add(name, kind, start, milliseconds / 1e3, **facts)
        start += milliseconds / 1e3


@contextlib.contextmanager
def span(name: str, kind: str, **facts: object) -> Iterator[dict[str, Any]]:
    """Notes how long its body takes; the dict that it gives may be filled with more facts."""
    start = time.perf_counter()
    try:
        yield facts
    finally:
        add(name, kind, start, time.perf_counter() - start, **facts)


def write() -> None:
    """Write the events so far. Errors of writing go to standard error, since the process is ending."""
    import json  # late: importing it takes a while
    import sys

    target = path()
    if target is None:
        return
    with _lock:
        _take_all()
        document = {"traceEvents": list(_events), "displayTimeUnit": "ms"}
    target = target.replace("%p", str(os.getpid()))
    try:
        with open(target, "w", encoding="utf-8") as file:
            json.dump(document, file)
    except OSError as error:
        print(f"fairlead: FAIRLEAD_TRACE: {error}", file=sys.stderr)
