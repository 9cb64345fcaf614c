"""A lock between processes, by a file."""

from __future__ import annotations

import fcntl
import os
import time
from typing import Literal

__all__ = ["FileLock"]


class FileLock:
    """``with FileLock(path):`` one process at a time; it is for one thread. The file is made, and stays.

    Other processes wait only if they lock the same file.
    """

    def __init__(self, lock_file_path: str) -> None:
        self.lock_file_path = lock_file_path
        self._file: int | None = None

    def __enter__(self) -> FileLock:
        self.blocking_acquire()
        return self

    def __exit__(
        self, exc_type: type[BaseException] | None, exc_val: object, exc_tb: object
    ) -> Literal[False]:
        self.release()
        return False

    def acquire(self) -> bool:
        """Take the lock if no other has it; return True if it does. RuntimeError where the file cannot be made."""
        if self._file is not None:
            raise RuntimeError(f"the lock {self.lock_file_path!r} is held already")
        try:
            file = os.open(self.lock_file_path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
        except OSError as error:
            raise RuntimeError(f"the lock {self.lock_file_path!r}: {error}") from error
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(file)
            return False
        except OSError as error:
            os.close(file)
            raise RuntimeError(f"the lock {self.lock_file_path!r}: {error}") from error
        self._file = file
        return True

    def blocking_acquire(self, timeout: float | None = None, poll_interval: float = 0.1) -> bool:
        """Wait for the lock; TimeoutError after ``timeout`` seconds. RuntimeError where this object has it already."""
        end = None if timeout is None else time.monotonic() + timeout
        while not self.acquire():
            if end is not None and time.monotonic() >= end:
                raise TimeoutError(
                    f"the lock {self.lock_file_path!r} was not free within {timeout} seconds"
                )
            time.sleep(poll_interval)
        return True

    def release(self) -> None:
        """Gives the lock back; nothing where it is not held."""
        file, self._file = self._file, None
        if file is not None:
            fcntl.flock(file, fcntl.LOCK_UN)
            os.close(file)
