"""The folders of builds, and the check if a kept build still fits.

A build has a folder of its own::

    lock              held while building, and touched meanwhile
    manifest.json     the files that went into the result, the result's path and its checksum
    work/             ninja's folder; `work/building` is there while a build runs
    <16 digits>/      a result, named after its content, so that no loaded library is ever replaced

While a stopped process holds `lock`, others use `lock-1` and `work-1`, and so on.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import itertools
import json
import os
import shutil
import sys
import time
from collections.abc import Iterable, Iterator
from typing import Any, BinaryIO

from fairlead.errors import make_error
from fairlead.ffi.cpp._errors import BuildError
from fairlead.ffi.cpp._trust import distrust, is_trusted

_KEPT_RESULTS = 4
_NAME_DIGITS = 16  # of a checksum
_WAIT_SHOWN_AFTER = 1.0  # seconds
_STOPPED_AFTER = 30.0  # seconds in which who holds a lock has not touched it


def cache_root() -> str:
    """Return the folder of all caches: ``$FAIRLEAD_CACHE_DIR``, else ``$CUTE_DSL_CACHE_DIR``, else one of the user's.

    ValueError for a relative one.
    """
    for variable in ("FAIRLEAD_CACHE_DIR", "CUTE_DSL_CACHE_DIR"):
        if folder := os.environ.get(variable):
            return _absolute(variable, folder)
    base = os.environ.get("XDG_CACHE_HOME", "")
    if not os.path.isabs(base):  # XDG's own rule: a relative one does not count
        base = os.path.expanduser(os.path.join("~", ".cache"))
    return os.path.join(base, "fairlead")


def cache_folder() -> str:
    """``$TVM_FFI_CACHE_DIR``, else the folder ``cpp`` of Fairlead's cache."""
    if folder := os.environ.get("TVM_FFI_CACHE_DIR"):
        return _absolute("TVM_FFI_CACHE_DIR", os.path.expanduser(folder))
    return os.path.join(cache_root(), "cpp")


def _absolute(variable: str, folder: str) -> str:
    """Return an absolute path: a relative one would name another cache in another folder, maybe somebody else's."""
    if not os.path.isabs(folder):
        raise make_error("CacheRelative", variable=variable, got=folder)
    return os.path.normpath(folder)


def digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


class Entry:
    """The folder of one build, in the folder `root` of all builds, or of its own."""

    def __init__(self, folder: str, root: str | None = None) -> None:
        self.folder, self.root = folder, root or folder
        self.work = os.path.join(folder, "work")
        self._lock = os.path.join(folder, "lock")
        self._manifest = os.path.join(folder, "manifest.json")

    def create(self) -> None:
        """Make the folder; BuildError when it cannot be written."""
        try:
            _make_folders(self.folder)
            with open(os.path.join(self.folder, "lock"), "ab"):
                pass
        except OSError as error:
            raise BuildError(
                f"the build folder {self.folder} cannot be written: {error.strerror}. "
                "Set TVM_FFI_CACHE_DIR or FAIRLEAD_CACHE_DIR to a folder that can, or give build_directory"
            ) from error

    def find(self, key: str) -> str | None:
        """Return the result that the manifest names, if it was built for `key`, nothing that went into it changed, and
        its content is unchanged."""
        manifest = self._read()
        if manifest is None or manifest["key"] != key or not is_fresh(manifest["files"]):
            return None
        if self._damage_of(manifest):
            return None
        result = os.path.join(self.folder, manifest["result"])
        self.require_trust(self._manifest)
        self.require_trust(result)
        return result

    def require_trust(self, path: str | None = None) -> None:
        """BuildError where others could have put there what would be loaded."""
        if is_trusted(self.root):
            return
        if reason := distrust(self.root, path or self.folder):
            raise BuildError(
                f"the build folder {self.folder} is not used: {reason}. Code of others would run here; "
                f"FAIRLEAD_CACHE_TRUST={self.root} says that it may"
            )

    def damage(self) -> str:
        """Return the damage of the kept result, as text; "" without damage or result."""
        manifest = self._read()
        if manifest is not None:
            return self._damage_of(manifest)
        return "its manifest cannot be read" if os.path.lexists(self._manifest) else ""

    def _damage_of(self, manifest: dict[str, Any]) -> str:
        try:
            with open(os.path.join(self.folder, manifest["result"]), "rb") as file:
                right = digest(file.read()) == manifest["checksum"]
        except OSError as error:
            return f"{manifest['result']}: {error.strerror}"
        return "" if right else f"the checksum of {manifest['result']} is wrong"

    @contextlib.contextmanager
    def locked(self, name: str) -> Iterator[None]:
        """Holds the folder against other processes and threads; the system lets go of it when a process ends.

        Waits for the holder as long as it shows life: if its process was stopped, another `work` is used.
        """
        for number in itertools.count():
            suffix = f"-{number}" if number else ""
            self.work = os.path.join(self.folder, f"work{suffix}")
            self._lock = os.path.join(self.folder, f"lock{suffix}")
            with open(self._lock, "ab") as file:
                if _lock(file, name):
                    self.show_life()
                    yield
                    return

    def show_life(self) -> None:
        """A sign of life from the holder of the folder: to be called every few seconds, so that others keep waiting."""
        with contextlib.suppress(OSError):
            os.utime(self._lock)

    def start(self) -> int:
        """Make `work` ready; return the time (ns, of the file system) after which a changed file counts as changed.

        Files of a killed build are put aside: its compilers may still be writing there.
        """
        for old in os.listdir(self.folder):
            if old.startswith("abandoned-"):
                shutil.rmtree(os.path.join(self.folder, old), ignore_errors=True)
        busy = self._busy()
        if os.path.exists(busy):
            aside = os.path.join(self.folder, f"abandoned-{os.getpid()}-{time.time_ns()}")
            os.rename(self.work, aside)
            shutil.rmtree(aside, ignore_errors=True)
        _make_folders(self.work)
        with open(busy, "w"):
            pass
        return os.stat(busy).st_mtime_ns

    def end(self) -> None:
        """After a build that ended normally, with success or not: `work` can be used again."""
        with contextlib.suppress(OSError):
            os.remove(self._busy())

    def _busy(self) -> str:
        return os.path.join(self.work, "building")

    def publish(self, built: str, name: str, key: str, files: dict[str, list[Any]]) -> str:
        """Keep the file `made` under its content's name, then name it in the manifest. Return its path."""
        with open(built, "rb") as file:
            checksum = digest(file.read())
        content = checksum[:_NAME_DIGITS]
        folder = os.path.join(self.folder, content)
        result = os.path.join(folder, name)
        if not has_content(result, checksum):
            _make_folders(folder)
            place(built, result)
            # A linker's output has the mode that the umask leaves; nobody else may write to kept files.
            os.chmod(result, os.stat(result).st_mode & ~0o022)
        os.utime(folder)
        note = {"key": key, "result": os.path.join(content, name), "checksum": checksum}
        replace(self._manifest, json.dumps({**note, "files": files}).encode())
        self._forget_old(content)
        return result

    def _forget_old(self, current: str) -> None:
        """Results that others may have loaded stay usable for them: the system keeps open files."""
        results = [
            entry
            for entry in os.scandir(self.folder)
            if len(entry.name) == _NAME_DIGITS and entry.name != current and entry.is_dir()
        ]
        results.sort(key=lambda entry: entry.stat().st_mtime_ns, reverse=True)
        for entry in results[_KEPT_RESULTS - 1 :]:
            shutil.rmtree(entry.path, ignore_errors=True)

    def _read(self) -> dict[str, Any] | None:
        """The manifest; None when there is none, or not one of ours."""
        try:
            with open(self._manifest, "rb") as file:
                manifest = json.loads(file.read())
            if not all(isinstance(manifest[part], str) for part in ("key", "result", "checksum")):
                return None
            # The folder of a result is named after its content.
            if os.path.dirname(manifest["result"]) != manifest["checksum"][:_NAME_DIGITS]:
                return None
            return manifest if isinstance(manifest["files"], dict) else None
        except (OSError, ValueError, KeyError, TypeError):
            return None


def _make_folders(path: str) -> None:
    """Make a folder and its parents. Nobody else may write into them, independent of the umask."""
    if os.path.isdir(path):
        return
    _make_folders(os.path.dirname(path))
    with contextlib.suppress(FileExistsError):
        os.mkdir(path, 0o755)


def _lock(file: BinaryIO, name: str) -> bool:
    """Locks a file, after a wait if need be; False where who holds it shows no life."""
    start = touched = time.monotonic()
    owner_before, shown = -1, False
    while True:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
        except BlockingIOError:
            now, time_of_file = time.monotonic(), os.fstat(file.fileno()).st_mtime_ns
        if (
            time_of_file != owner_before
        ):  # The clock of this machine alone: the file may be another's.
            owner_before, touched = time_of_file, now
        if now - touched > _STOPPED_AFTER:
            return False
        time.sleep(0.02)
        if (
            not shown
            and now - start > _WAIT_SHOWN_AFTER
            and sys.stderr is not None
            and sys.stderr.isatty()
        ):
            shown = True
            print(f"fairlead: another process builds {name}; waiting for it", file=sys.stderr)


# --- files that went into a build ---


def _stamp(path: str) -> list[int]:
    status = os.stat(path)
    return [status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino]


def record(paths: Iterable[str], start: float) -> dict[str, list[Any]]:
    """Return the record of the files for `is_fresh`: path -> [stamp, digest of the content].

    A file that changed after `start` may differ from the file that the compiler read, and so never counts as fresh.
    """
    files = {}
    for path in paths:
        # The stamp first: a change while reading then shows later.
        stamp = _stamp(path)
        with open(path, "rb") as file:
            content = digest(file.read())
        files[path] = [[], ""] if max(stamp[1:3]) > start else [stamp, content]
    return files


def is_fresh(files: dict[str, list[Any]]) -> bool:
    """True if the files have the recorded content: by size, times and inode, else by reading them."""
    try:
        for path, (stamp, content) in files.items():
            if _stamp(path) == stamp:
                continue
            with open(path, "rb") as file:
                if digest(file.read()) != content:
                    return False
    except (OSError, ValueError, TypeError):
        return False
    return True


def has_content(path: str, checksum: str) -> bool:
    """True if a file exists and has the content of this checksum."""
    try:
        with open(path, "rb") as file:
            return digest(file.read()) == checksum
    except OSError:
        return False


def replace(path: str, data: bytes) -> None:
    """Write a file so that readers see the old content or the new, never a part."""
    temporary = f"{path}.{os.getpid()}.{time.time_ns()}"
    try:
        with open(temporary, "wb") as file:
            file.write(data)
        os.chmod(temporary, 0o644)
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.remove(temporary)
        raise


def place(source: str, path: str) -> None:
    """Copy a file so that `path` is complete whenever it exists; a file it replaces stays unchanged for processes
    that have it open."""
    temporary = f"{path}.{os.getpid()}.{time.time_ns()}"
    try:
        shutil.copy2(source, temporary)
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.remove(temporary)
        raise
