"""Daemon threads that trace or compile when the interpreter ends.

Python ends such a thread wherever it next waits for the interpreter, also in the middle of C++ code that calls Python
code, which ends the process. So the end waits until traces of other threads are through, and no new one begins.
"""

from __future__ import annotations

import atexit
import threading
import time

import fairlead.ffi  # noqa: F401  first: picks the library that the call path needs
from fairlead._core import _trace

__all__ = ["stop_if_leaving"]

_PATIENCE = 2.0  # seconds
_leaver: int | None = None  # the thread that ends the interpreter


def stop_if_leaving() -> None:
    """Returns, unless the interpreter is about to end: then only in the thread that ends it."""
    while _leaver is not None and threading.get_ident() != _leaver:
        time.sleep(3600)


def _leave() -> None:
    global _leaver
    _leaver = threading.get_ident()
    limit = time.monotonic() + _PATIENCE
    while _trace(0) and time.monotonic() < limit:
        time.sleep(0.002)


atexit.register(_leave)
