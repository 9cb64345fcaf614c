"""Calls of a store that end in time, even if the store hangs."""

from __future__ import annotations

import os
import queue
import threading
from collections.abc import Callable
from typing import Protocol

# RemoteStore::Outcome
DONE, ABSENT, TAKEN, FULL, FAILED, TIMED_OUT = range(6)
_MOST_THREADS = 32

Answer = tuple[int, bytes, str]


class Refused(Exception):
    """The store takes no entries: it is full, or this machine may not write to it."""


class Store(Protocol):
    """The methods of a client. Any exception from them is a failure of the store; ``limit`` is a hint for its own time
    limits."""

    def get(self, name: str, limit: float) -> bytes | None: ...
    def put(self, name: str, data: bytes, limit: float) -> None: ...
    def claim(self, name: str, lifetime: float, limit: float) -> bool: ...
    def is_claimed(self, name: str, limit: float) -> bool: ...
    def release(self, name: str, limit: float) -> None: ...


class BoundedStore:
    """A store whose calls run on threads of their own: one that does not end in time is left alone there. The threads
    are daemons, so that none holds up the end of the process."""

    def __init__(self, make: Callable[[], Store]) -> None:
        self._make = make
        self._reset()

    def _reset(self) -> None:
        self._process = os.getpid()
        self._store: Store | None = None
        self._lock = threading.Lock()
        self._idle: queue.SimpleQueue[_Worker] = queue.SimpleQueue()
        self._threads = 0

    def get(self, name: str, limit: float) -> Answer:
        def work(store: Store) -> Answer:
            data = store.get(name, limit)
            return (ABSENT, b"", "") if data is None else (DONE, data, "")

        return self._call(work, limit)

    def put(self, name: str, data: bytes, limit: float) -> Answer:
        def work(store: Store) -> Answer:
            try:
                store.put(name, data, limit)
            except Refused as error:
                return FULL, b"", str(error)
            return DONE, b"", ""

        return self._call(work, limit)

    def claim(self, name: str, lifetime: float, limit: float) -> Answer:
        def work(store: Store) -> Answer:
            try:
                return DONE if store.claim(name, lifetime, limit) else TAKEN, b"", ""
            except Refused as error:
                return FULL, b"", str(error)

        return self._call(work, limit)

    def is_claimed(self, name: str, limit: float) -> Answer:
        return self._call(
            lambda store: (DONE if store.is_claimed(name, limit) else ABSENT, b"", ""), limit
        )

    def release(self, name: str, limit: float) -> Answer:
        def work(store: Store) -> Answer:
            store.release(name, limit)
            return DONE, b"", ""

        return self._call(work, limit)

    def _call(self, work: Callable[[Store], Answer], limit: float) -> Answer:
        if self._process != os.getpid():  # threads and connections stay behind at a fork
            self._reset()
        try:
            worker = self._idle.get_nowait()
        except queue.Empty:
            if self._threads >= _MOST_THREADS:
                return TIMED_OUT, b"", ""
            self._threads += 1
            worker = _Worker(self._idle)
        answer: queue.SimpleQueue[Answer] = queue.SimpleQueue()
        worker.jobs.put(lambda: answer.put(self._answer(work)))
        try:
            return answer.get(timeout=limit)
        except queue.Empty:
            return TIMED_OUT, b"", ""

    def _answer(self, work: Callable[[Store], Answer]) -> Answer:
        try:
            return work(self._client())
        except Exception as error:  # Whatever a client raises.
            return FAILED, b"", f"{type(error).__name__}: {error}"

    def _client(self) -> Store:
        with self._lock:
            if self._store is None:
                self._store = self._make()
            return self._store


class _Worker:
    """A thread that does one job after the other, and is idle between them."""

    def __init__(self, idle: queue.SimpleQueue[_Worker]) -> None:
        self.jobs: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
        self._idle = idle
        threading.Thread(target=self._run, name="fairlead remote cache", daemon=True).start()

    def _run(self) -> None:
        while True:
            self.jobs.get()()
            self._idle.put(self)
