"""What kernels recorded for a timeline, as events of Chrome's trace format."""

from __future__ import annotations

import contextlib
import ctypes
import json
import math
import os
import struct
from collections.abc import Iterator
from typing import Any, NamedTuple

from fairlead import _events
from fairlead._hints import name_keywords
from fairlead._tracing.timelines import BEGIN, END, MARK, START

__all__ = ["Recording", "collect"]

# Separators of FairleadTimelineTake, and the bits of an event's `what` (fairlead/Timeline.h).
_FIELDS, _RECORDS = "\x1f", "\x1e"
_KIND, _PAYLOAD, _INTEGER, _FLOAT = 7, 3, 1, 2
#: Numbers of processes of the trace that stand for launches: above those of the system.
_FIRST_LAUNCH = 10_000_000
_WARPS = 64  # at least those of a block
_NOTHING = (
    "no kernel recorded an event: a kernel does if a call inside of the recording compiles it, "
    "or if it was compiled with the option `--timeline`"
)


class _Event(NamedTuple):
    device: str
    launch: int
    kernel: str
    block: int
    warp: int
    processor: int
    kind: int
    payload: int | float | str | None
    nanoseconds: int
    name: str


class Recording:
    """What a recording collected: ``events`` as the trace holds them, ``problems`` as sentences."""

    def __init__(self) -> None:
        self.events: list[dict[str, Any]] = []
        self.problems: list[str] = []

    def write(self, file: str | os.PathLike[str]) -> None:
        """Write the trace for Perfetto and chrome://tracing."""
        document = {"traceEvents": self.events, "displayTimeUnit": "ns"}
        with open(file, "w", encoding="utf-8") as stream:
            json.dump(document, stream)


@contextlib.contextmanager
def collect(recording: Recording, events_per_warp: int, memory: int) -> Iterator[None]:
    """Let kernels record while the body runs, then fill ``recording``."""
    from fairlead.ffi import _recording
    from fairlead.ffi._library import runtime_library

    assert runtime_library is not None
    runtime_library.FairleadTimelineTake.restype = ctypes.c_char_p
    room, nothing = ctypes.c_int32(events_per_warp), ctypes.c_int64(0)
    text, host = "", []
    try:
        with _events.recorded() as host:
            _recording.start()
            runtime_library.FairleadTimelineCollect(room, ctypes.c_int64(memory))
            runtime_library.FairleadTimelineTake()  # what is left of another recording
            try:
                yield
            finally:
                text = runtime_library.FairleadTimelineTake().decode(errors="replace")
                runtime_library.FairleadTimelineCollect(ctypes.c_int32(0), nothing)
                if _events.path() is None:
                    _recording.stop()
    finally:
        _fill(recording, text, host)


def _fill(recording: Recording, text: str, host: list[dict[str, Any]]) -> None:
    """Fill a recording with what kernels recorded, as FairleadTimelineTake tells it, and with the host's events."""
    recorded: list[_Event] = []
    for record in text.split(_RECORDS)[:-1]:
        kind, *fields = record.split(_FIELDS)
        if kind == "event":
            recorded.append(_parsed(fields))
        else:
            recording.problems.append(f"{fields[0]}: lost {fields[1]}")
    if not recorded and not recording.problems and any(e.get("cat") == "launch" for e in host):
        recording.problems.append(_NOTHING)
    _Trace(recording, host).add(recorded)


def _parsed(fields: list[str]) -> _Event:
    device, launch, kernel, block, warp, processor, what, bits, time, name = fields
    type_of_payload = int(what) >> 3 & _PAYLOAD
    payload: int | float | str | None = None
    if type_of_payload == _INTEGER:
        (payload,) = struct.unpack("q", struct.pack("Q", int(bits)))
    elif type_of_payload == _FLOAT:
        (number,) = struct.unpack("d", struct.pack("Q", int(bits)))
        payload = number if math.isfinite(number) else str(number)  # JSON has no other numbers
    place = int(launch), kernel, int(block), int(warp), int(processor)
    return _Event(device, *place, int(what) & _KIND, payload, int(time), name)


class _Clock(NamedTuple):
    """A device's time `begin`, in nanoseconds, is the host's time `host`, in microseconds.

    A GPU's times are so large that a float of microseconds does not hold nanoseconds: the integers are subtracted.
    """

    begin: int
    host: float

    def on_host(self, nanoseconds: int) -> float:
        return (nanoseconds - self.begin) / 1e3 + self.host


class _Trace:
    def __init__(self, recording: Recording, host: list[dict[str, Any]]) -> None:
        self.recording = recording
        recording.events += host
        self.launches = [event for event in host if event.get("cat") == "launch"]
        self.processes: dict[tuple[str, int, str], int] = {}
        self.pairs = 0
        #: What is wrong with the ranges of a kernel -> the warps.
        self.mistakes: dict[str, list[str]] = {}

    def add(self, recorded: list[_Event]) -> None:
        warps: dict[tuple[str, int, int, int], list[_Event]] = {}
        for event in recorded:
            warps.setdefault((event.device, event.launch, event.block, event.warp), []).append(
                event
            )
        clocks = {}
        for device in {event.device for event in recorded}:
            clocks[device] = self._clock([event for event in recorded if event.device == device])
        for events in warps.values():
            # Lanes that took different branches write in an order of their own.
            events.sort(key=lambda event: event.nanoseconds)
            self._add_warp(events, clocks[events[0].device])
        for mistake, places in self.mistakes.items():
            others = f" and {len(places) - 1} more warps" if len(places) > 1 else ""
            self.recording.problems.append(f"{mistake} ({places[0]}{others})")

    def _clock(self, events: list[_Event]) -> _Clock:
        """The clock of a device. A GPU's first event is put at the first launch of its kernel."""
        first = min(events, key=lambda event: event.nanoseconds)
        if first.device == "cpu":
            return _Clock(0, 0.0)
        device = [e for e in self.launches if e["args"].get("device") == first.device]
        start = min((e["ts"] for e in device if e["name"] == first.kernel), default=None)
        if start is None:
            start = min((e["ts"] for e in device), default=first.nanoseconds / 1e3)
        return _Clock(first.nanoseconds, start)

    def _process(self, event: _Event) -> int:
        key = event.device, event.launch, event.kernel
        if key not in self.processes:
            self.processes[key] = _FIRST_LAUNCH + len(self.processes)
            name = f"{event.kernel}, launch {event.launch} on {event.device}"
            self._meta("process_name", self.processes[key], 0, name)
        return self.processes[key]

    def _meta(self, what: str, process: int, thread: int, name: str) -> None:
        self.recording.events.append(
            {"name": what, "ph": "M", "pid": process, "tid": thread, "args": {"name": name}}
        )

    def _add_warp(self, events: list[_Event], clock: _Clock) -> None:
        first, last = events[0], events[-1]
        process, thread = self._process(first), first.block * _WARPS + first.warp
        self._meta("thread_name", process, thread, f"block {first.block} warp {first.warp}")
        place = {"pid": process, "tid": thread, "cat": "timeline"}
        nested: list[_Event] = []
        started: dict[str, list[_Event]] = {}
        without_begin = 0
        for event in events:
            if event.kind == BEGIN:
                nested.append(event)
            elif event.kind == END:
                if nested:
                    self._add_range(nested.pop(), event.nanoseconds, clock, place)
                else:
                    without_begin += 1
            elif event.kind == MARK:
                self._add(event, clock, place, ph="i", s="t")
            elif event.kind == START:
                started.setdefault(event.name, []).append(event)
            elif started.get(event.name):  # the stop of a sentinel has no start
                self._add_free(
                    started[event.name].pop(), event.nanoseconds, clock, place, event.payload
                )
        unclosed = [*nested, *(event for starts in started.values() for event in starts)]
        for event in unclosed:
            self._add_range(event, last.nanoseconds, clock, place, unclosed=True)
        where = f"block {first.block}, warp {first.warp}"
        if unclosed:
            names = ", ".join(repr(event.name) for event in unclosed)
            self._mistake(f"{first.kernel}: ranges without an end: {names}", where)
        if without_begin:
            self._mistake(f"{first.kernel}: {without_begin} ends without a range", where)

    def _mistake(self, mistake: str, where: str) -> None:
        self.mistakes.setdefault(mistake, []).append(where)

    def _add(self, event: _Event, clock: _Clock, place: dict[str, Any], **fields: Any) -> None:
        facts = {"processor": event.processor, **fields.pop("facts", {})}
        if event.payload is not None:
            facts["value"] = event.payload
        start = clock.on_host(event.nanoseconds)
        self.recording.events.append(
            {"name": event.name, "ts": start, **place, "args": facts, **fields}
        )

    def _add_range(
        self, event: _Event, end: int, clock: _Clock, place: dict[str, Any], **facts: bool
    ) -> None:
        self._add(event, clock, place, ph="X", dur=(end - event.nanoseconds) / 1e3, facts=facts)

    def _add_free(
        self, event: _Event, end: int, clock: _Clock, place: dict[str, Any], value: object
    ) -> None:
        """Add a range that may overlap others of its warp."""
        self.pairs += 1
        facts = {} if value is None else {"end value": value}
        self._add(event, clock, place, ph="b", id=self.pairs, facts=facts)
        closing = {
            "name": event.name,
            "ts": clock.on_host(end),
            **place,
            "ph": "e",
            "id": self.pairs,
        }
        self.recording.events.append({**closing, "args": {}})


name_keywords(__all__, globals())
