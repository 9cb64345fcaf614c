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


if _events.path() is not None and runtime_library is not None:
    runtime_library.FairleadTraceTake.restype = ctypes.c_char_p
    runtime_library.FairleadTraceRecord(ctypes.c_int32(1))
    _events.add_source(_take)
