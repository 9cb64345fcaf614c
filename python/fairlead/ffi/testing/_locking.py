"""One test at a time on the machine's GPUs."""

from __future__ import annotations

import functools
import getpass
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from fairlead.ffi.utils import FileLock

__all__ = ["run_with_gpu_lock"]

_T = TypeVar("_T")


def _user() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):  # an id without a name
        return str(os.getuid())


@functools.cache
def _lock_file() -> Path:
    named = os.environ.get("TVM_FFI_TEST_LOCK_DIR")
    folder = (
        Path(named).expanduser()
        if named
        else Path(tempfile.gettempdir()) / f"tvm-ffi-test-locks-{_user()}"
    )
    folder.mkdir(parents=True, exist_ok=True)
    return folder / "gpu.lock"


def run_with_gpu_lock(func: Callable[..., _T], /, *args: object, **kwargs: object) -> _T:
    """``func(*args, **kwargs)``, while no other process of this user is in such a call.

    The lock is a file in ``$TVM_FFI_TEST_LOCK_DIR``, or in a folder of the user's under the system's temporary one.
    """
    with FileLock(str(_lock_file())):
        return func(*args, **kwargs)
