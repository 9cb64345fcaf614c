"""Timelines of kernels: ranges and marks that warps record while they run, in one trace with launches and compiles.

:func:`range` and :func:`mark` stand in kernels; without a timeline they emit nothing. Kernels have one if they are
called directly inside :func:`record`, or compiled with the option ``--timeline``.
"""

from __future__ import annotations

import contextlib
import os
import warnings
from collections.abc import Iterator

from fairlead._hints import name_keywords
from fairlead._tracing import timelines
from fairlead.errors import make_error
from fairlead.timeline._trace import Recording, collect

__all__ = ["Recording", "mark", "range", "record"]


def mark(name: str, value: object = None) -> None:
    """Record that the warp is here. ``value`` is a number that the trace shows."""
    timelines.emit("timeline.mark", timelines.MARK, name, value)


@contextlib.contextmanager
def range(name: str, value: object = None) -> Iterator[None]:
    """Record when the warp begins and ends the body. Ranges may be nested."""
    timelines.emit("timeline.range", timelines.BEGIN, name, value)
    yield
    timelines.emit("timeline.range", timelines.END, name)


@contextlib.contextmanager
def record(
    file: str | os.PathLike[str] | None = None,
    *,
    events_per_warp: int = 512,
    megabytes: int = 64,
) -> Iterator[Recording]:
    """Collect what kernels record in the body, with launches and compiles, and write it for Perfetto.

    Args:
        file: the trace, in Chrome's format; None writes none.
        events_per_warp: the most events of a warp in a launch. Further ones are counted, and a warning tells of them.
        megabytes: memory for the events, on each GPU and on the host.

    Gives a :class:`Recording`, which is filled when the body ends. Only one recording can be active.
    """
    if file is not None and not isinstance(file, (str, os.PathLike)):
        raise make_error(
            "ArgumentAnnotation",
            function="timeline.record",
            index=0,
            name="file",
            expected="a str or an os.PathLike",
            got=type(file).__name__,
        )
    _expect_positive("events_per_warp", events_per_warp, 1 << 20)
    _expect_positive("megabytes", megabytes, 1 << 16)
    if timelines.active:
        raise make_error(
            "ArgumentValue",
            function="timeline.record",
            expected="no other recording to be active",
            got="a recording inside of another one",
        )
    recording = Recording()
    timelines.active = True
    try:
        with collect(recording, events_per_warp, megabytes << 20):
            yield recording
    finally:
        timelines.active = False
        if file is not None:
            recording.write(file)
    for problem in recording.problems:
        warnings.warn(f"timeline: {problem}", stacklevel=3)


def _expect_positive(name: str, value: object, most: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 < value <= most:
        raise make_error(
            "ArgumentValue",
            function="timeline.record",
            expected=f"{name} to be an int from 1 to {most}",
            got=repr(value),
        )


name_keywords(__all__, globals())
