"""Compiles as events of the process: callbacks, the keys that are warm, and freezing.

A key is everything that tells two programs of one function apart: the signature with its constraints, constants,
targets and options.
"""

from __future__ import annotations

import atexit
import difflib
import json
import os
import threading
import traceback
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any

from fairlead._hints import name_keywords
from fairlead._tracing.state import PACKAGE
from fairlead.errors import make_error

__all__ = [
    "CompileEvent",
    "CompileKey",
    "Frozen",
    "OnCompile",
    "freeze",
    "is_frozen",
    "manifest",
    "note_compile",
    "on_compile",
    "require_thawed",
    "unfreeze",
]

_MOST_KEYS = 10_000
_MOST_FRAMES = 4
#: The version of the format of manifests.
MANIFEST_VERSION = 1


@dataclass(frozen=True)
class CompileKey:
    """The key of a compiled program.

    Attributes:
        function: the module and the qualified name of the function, as ``serve:softmax``.
        signature: the parameters with all constraints, as text.
        targets: the targets, joined by commas.
        options: the compile options that are not the default, as text.
        constants: the values that are part of the program, as (parameter, text).
        direct: True for a program of direct calls.
    """

    function: str
    signature: str
    targets: str
    options: str = ""
    constants: tuple[tuple[str, str], ...] = ()
    direct: bool = False

    def __str__(self) -> str:
        constants = "".join(f", {name}={value}" for name, value in self.constants)
        options = f" ({self.options})" if self.options else ""
        return f"{self.signature}{constants} for {self.targets}{options}"


@dataclass(frozen=True)
class CompileEvent:
    """A compile that has ended.

    Attributes:
        name: the function's name.
        key: the program's key.
        hit: True if the code came from the cache on disk, or from a remote one.
        seconds: how long it took, with tracing.
        phases: milliseconds of each stage: trace, cache, lower, codegen, load.
        artifact: the compiled function, with its ``ptx``, ``ir`` and so on.
    """

    name: str
    key: CompileKey
    hit: bool
    seconds: float
    phases: Mapping[str, float]
    artifact: Any = field(repr=False)


class OnCompile:
    """A registered callback. ``remove()`` ends it, and so does the end of a ``with`` block."""

    def __init__(self, callback: Callable[[CompileEvent], object]) -> None:
        self.callback = callback

    def remove(self) -> None:
        """Call the callback no more. Does nothing the second time."""
        with _lock:
            _process.callbacks = tuple(entry for entry in _process.callbacks if entry is not self)

    def __enter__(self) -> OnCompile:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.remove()


class Frozen:
    """The state after ``freeze()``; the end of a ``with`` block restores the state before it."""

    def __init__(self, before: bool) -> None:
        self._before = before

    def __enter__(self) -> Frozen:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        with _lock:
            _process.is_frozen = self._before


class _Process:
    """The compiles of this process."""

    def __init__(self) -> None:
        self.callbacks: tuple[OnCompile, ...] = ()
        self.is_frozen = False
        #: Each key, with the row of the manifest.
        self.keys: dict[CompileKey, dict[str, Any]] = {}
        self.writes_at_exit = False


_lock = threading.RLock()
_process = _Process()


def on_compile(callback: Callable[[CompileEvent], object]) -> OnCompile:
    """Call ``callback(event)`` after each compile of this process, in the thread that compiles.

    Args:
        callback: takes a :class:`CompileEvent`. An exception that it raises leaves the compile.

    Returns:
        A handle whose ``remove()`` ends the calls. It is also a context manager.

    Raises:
        TypeError: ``callback`` cannot be called.
    """
    if not callable(callback):
        raise TypeError(f"callback: expected a function, but got {type(callback).__name__}")
    handle = OnCompile(callback)
    with _lock:
        _process.callbacks = (*_process.callbacks, handle)
    return handle


def freeze() -> Frozen:
    """Make each further compile of this process an error (CompileFrozen), until ``unfreeze()``.

    Programs that direct calls have compiled go on working, and so do compiled functions. The error names the key, the
    nearest key that is warm, and the calls that led to it. Loading a program from the cache counts as a compile, since
    it takes tracing.

    Returns:
        A context manager: ``with fairlead.freeze():`` restores the state before it.
    """
    with _lock:
        frozen = Frozen(_process.is_frozen)
        _process.is_frozen = True
    return frozen


def unfreeze() -> None:
    """Allow compiling again."""
    with _lock:
        _process.is_frozen = False


def is_frozen() -> bool:
    """Return True after ``freeze()``."""
    return _process.is_frozen


def require_thawed(name: str, key: CompileKey) -> None:
    """Raise RuntimeError (CompileFrozen) if the process is frozen."""
    if not _process.is_frozen:
        return
    frames = [
        frame for frame in traceback.extract_stack() if not frame.filename.startswith(PACKAGE)
    ]
    calls = ", ".join(
        f"{frame.name} ({os.path.basename(frame.filename)}:{frame.lineno})"
        for frame in reversed(frames[-_MOST_FRAMES:])
    )
    error = make_error(
        "CompileFrozen",
        function=name,
        targets=key.targets,
        key=f"{key}, called by {calls}",
        nearest=_nearest(key),
    )
    error.stack = frames  # type: ignore[attr-defined]
    error.key = key  # type: ignore[attr-defined]
    raise error


def _nearest(key: CompileKey) -> str:
    """Return a sentence about the warm key of the same function that is most like ``key``."""
    with _lock:
        texts = [str(warm) for warm in _process.keys if warm.function == key.function]
    if str(key) in texts:
        return (
            "A program of this key is warm, but for another function of this name, or something that the function "
            "reads from outside has changed"
        )
    nearest = difflib.get_close_matches(str(key), texts, 1, 0.0)
    if not nearest:
        return "No key of this function is warm"
    return f"The nearest warm key is {nearest[0]}"


def note_compile(event: CompileEvent, arguments: Callable[[], object] = lambda: None) -> None:
    """Remember a compile, and tell the callbacks.

    Args:
        event: the compile.
        arguments: returns the arguments in the manifest's form; None if they cannot be written down.
    """
    row = event.key not in _process.keys and {
        "function": event.key.function,
        "signature": event.key.signature,
        "targets": event.key.targets,
        "options": event.key.options,
        "constants": [list(pair) for pair in event.key.constants],
        "direct": event.key.direct,
        "arguments": arguments(),
        "hit": event.hit,
        "ms": round(event.seconds * 1e3, 3),
    }
    with _lock:
        if row and len(_process.keys) < _MOST_KEYS:
            _process.keys.setdefault(event.key, row)
        callbacks = _process.callbacks
        if os.environ.get("FAIRLEAD_MANIFEST") and not _process.writes_at_exit:
            _process.writes_at_exit = True
            atexit.register(_write_manifest)
    for handle in callbacks:
        handle.callback(event)


def manifest() -> dict[str, Any]:
    """Return the keys that this process has compiled so far, as a document of JSON.

    ``fairlead.compile_set`` reads the document from a file. ``FAIRLEAD_MANIFEST=FILE`` writes it when the process ends.
    """
    with _lock:
        return {"fairlead_manifest": MANIFEST_VERSION, "keys": [*_process.keys.values()]}


def _write_manifest() -> None:
    """Write the file that FAIRLEAD_MANIFEST names; ``%p`` stands for the number of the process."""
    import sys

    path = os.environ.get("FAIRLEAD_MANIFEST", "").replace("%p", str(os.getpid()))
    if not path:
        return
    beside = f"{path}.{os.getpid()}.tmp"
    try:
        with open(beside, "w", encoding="utf-8") as file:
            json.dump(manifest(), file, indent=1)
            file.write("\n")
        os.replace(beside, path)
    except OSError as error:
        print(f"fairlead: FAIRLEAD_MANIFEST: {error}", file=sys.stderr)


name_keywords(__all__, globals())
