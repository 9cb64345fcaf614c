"""Launches, and blocks on the CPU, for ``FAIRLEAD_TRACE``: the runtime library records them."""

from __future__ import annotations

import ctypes
from typing import Any

from fairlead import _events
from fairlead.ffi._library import runtime_library


def _take() -> list[dict[str, Any]]:
    assert runtime_library is not None
    text = runtime_library.FairleadTraceTake().decode(errors="replace")
    import json  # late: importing it takes a while

    events: list[dict[str, Any]] = json.loads(text)
    return events


_is_source = False


def start() -> None:
    """Record launches from now on."""
    global _is_source
    if runtime_library is None:
        return
    runtime_library.FairleadTraceTake.restype = ctypes.c_char_p
    runtime_library.FairleadTraceRecord(ctypes.c_int32(1))
    if not _is_source:
        _is_source = True
        _events.add_source(_take)


def stop() -> None:
    """Record no launches from now on."""
    if runtime_library is not None:
        runtime_library.FairleadTraceRecord(ctypes.c_int32(0))


if _events.path() is not None:
    start()
