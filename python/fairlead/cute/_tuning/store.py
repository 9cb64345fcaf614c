"""Times of candidates on disk, next to the compile cache: one file for a function, the kinds of its arguments and a
device.

A file holds times of configurations and not a choice: whoever reads it chooses among the candidates it has. Nothing
in it is run or loaded, so it need not be trusted: at worst a slower candidate is chosen.

The remote cache, if there is one, has the same documents, signed like all of its entries. A document there counts
instead of the file, so that all processes of a job choose by the same times.
"""

from __future__ import annotations

import contextlib
import glob
import hashlib
import json
import os
import re
import tempfile
import warnings
from collections.abc import Callable
from typing import Any, TypeAlias

from fairlead import __version__, _compiler
from fairlead._hints import names_keywords
from fairlead.errors import make_error, path_of, require

_VERSION = 1
_KIND = "tune"  # its folder of the cache

#: Results by the text of their configuration.
Records: TypeAlias = dict[str, dict[str, Any]]

#: The results that load_configs read, by the entry's name.
_loaded: dict[str, dict[str, Any]] = {}


def _is_set(variable: str) -> bool:
    return os.environ.get(variable, "0") not in ("", "0")


def folders() -> list[str]:
    """Return the folders of times, the one that is written first; none with ``FAIRLEAD_NO_CACHE=1``."""
    if _is_set("FAIRLEAD_NO_CACHE") or _is_set("CUTE_DSL_DISABLE_FILE_CACHING"):
        return []
    from fairlead.ffi.cpp._cache import cache_root

    shared = [folder for folder in os.environ.get("FAIRLEAD_CACHE_SHARED", "").split(":") if folder]
    return [os.path.join(root, _KIND) for root in (cache_root(), *shared)]


class Entry:
    """The results of one function for one kind of arguments on one device.

    Attributes:
        key: the function, the arguments and the device, as text by name.
        records: by the text of a configuration: ``program``, the digest of the program, and either ``us``,
            ``p20`` and ``p80`` in microseconds, or ``failed``, the reason.
    """

    def __init__(self, key: dict[str, str], write: bool = True) -> None:
        self.key = {**key, "fairlead": __version__}
        plain = re.sub(r"\W+", "_", key["function"])[-60:]
        text = json.dumps(self.key, sort_keys=True)
        self._digest = hashlib.sha256(text.encode()).hexdigest()
        self.name = f"{plain}-{self._digest[:24]}.json"
        self._write = write
        #: True if this machine writes to the remote cache, which has no results yet.
        self._is_missing_there = False
        local = self._read_files()
        remote = self._read_remote()
        if remote and remote != local:
            self._write_file(remote)
        self.records: Records = {**(remote or local), **self._loaded()}

    def _read_files(self) -> Records:
        records: Records = {}
        places = folders() if self._write else []
        for folder in reversed(places):  # what is this user's own counts most
            with contextlib.suppress(OSError, ValueError):
                with open(os.path.join(folder, self.name), encoding="utf-8") as file:
                    records.update(_checked(json.load(file), self.key))
        return records

    def _loaded(self) -> Records:
        return _checked(_loaded.get(self.name), self.key)

    def _uses_remote(self) -> bool:
        return bool(self._write and os.environ.get("FAIRLEAD_REMOTE_CACHE") and folders())

    def _read_remote(self) -> Records:
        if not self._uses_remote():
            return {}
        stored, _ = _compiler.cache_read_remote(_KIND, self._digest)
        records = self._parsed(stored)
        self._is_missing_there = not records and bool(os.environ.get("FAIRLEAD_REMOTE_CACHE_SIGN"))
        return records

    def _parsed(self, stored: bytes | None) -> Records:
        """The records of the remote cache. A trusted key has signed them, but they may be damaged."""
        if stored is None:
            return {}
        with contextlib.suppress(ValueError, RecursionError):
            if records := _checked(json.loads(stored), self.key):
                return records
        warnings.warn(
            f"the remote cache's times of {self.key['function']} are ignored: they are not a document of "
            f"version {_VERSION} for {self.key['device']}",
            stacklevel=2,
        )
        return {}

    def share(self) -> bool:
        """Put this machine's results into the remote cache if it had none, and take over what another machine has put
        there meanwhile. Returns whether ``records`` changed."""
        if not self._is_missing_there or not self.records:
            return False
        before = self.records
        self.add(before)
        return self.records != before

    def add(self, records: Records, seconds: float = 0) -> None:
        """Keep records, here, on disk and in the remote cache.

        If another process has stored one of the new results meanwhile, its results count instead of all new ones, so
        that all choose by the same times. ``seconds``: how long measuring took.
        """
        new = {
            config: record
            for config, record in records.items()
            if self.records.get(config, {}).get("program") != record["program"]
        }
        joined: Records | None = None

        def merge(stored: bytes | None) -> bytes | None:
            nonlocal joined
            theirs = self._parsed(stored)
            joined = _joined(theirs, records, new)
            return None if joined == theirs else json.dumps(self._document(joined)).encode()

        if self._uses_remote():
            label = f"{self.key['function']} on {self.key['device']}"
            how = _compiler.cache_update_remote(_KIND, self._digest, label, seconds, merge)
            if how not in ("stored", "hit"):
                joined = None
        self._is_missing_there = False
        if joined is None:
            joined = _joined(self._read_files(), records, new)
        self._write_file(joined)
        self.records = {**joined, **self._loaded()}

    def _document(self, records: Records) -> dict[str, Any]:
        return {"version": _VERSION, "key": self.key, "configs": records}

    def _write_file(self, records: Records) -> None:
        places = folders() if self._write else []
        if not places:
            return
        # A folder that cannot be written keeps nothing, as with the compile cache.
        with contextlib.suppress(OSError):
            os.makedirs(places[0], exist_ok=True)
            write_atomically(os.path.join(places[0], self.name), self._document(records))


def _joined(theirs: Records, mine: Records, new: Records) -> Records:
    """Return the records to store where ``theirs`` are stored: whoever stored a result first is right.

    Args:
        mine: what this process knows.
        new: what of it it has measured just now.
    """

    def is_theirs(config: str, record: dict[str, Any]) -> bool:
        their = theirs.get(config, {})
        return "us" in their and their["program"] == record["program"]

    was_first = not any(is_theirs(config, record) for config, record in (new or mine).items())
    return {
        **theirs,
        **{
            config: record
            for config, record in mine.items()
            if not is_theirs(config, record) and (config in theirs or was_first)
        },
    }


def _checked(document: object, key: dict[str, str]) -> dict[str, dict[str, Any]]:
    """The records of a file; none where it is of another version or for something else, or damaged."""
    if not isinstance(document, dict) or document.get("version") != _VERSION:
        return {}
    if document.get("key") != key or not isinstance(document.get("configs"), dict):
        return {}
    return {config: record for config, record in document["configs"].items() if _is_record(record)}


def _is_record(value: object) -> bool:
    if not isinstance(value, dict) or not isinstance(value.get("program"), str):
        return False
    times = [value.get(name) for name in ("us", "p20", "p80")]
    measured = all(isinstance(time, (int, float)) and time > 0 for time in times)
    return measured or isinstance(value.get("failed"), str)


def write_atomically(path: str, document: object) -> None:
    """A file that others see complete or not at all."""
    folder = os.path.dirname(os.path.abspath(path))
    handle, temporary = tempfile.mkstemp(dir=folder, prefix=".tune-")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            json.dump(document, file, indent=1, sort_keys=True)
            file.write("\n")
        os.chmod(temporary, 0o644)
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise


@names_keywords
def export_configs(
    path: str | os.PathLike[str], *, select: Callable[[dict[str, str]], bool] | None = None
) -> int:
    """Write the times of all tunings on this machine into one JSON file, to be shipped with a program.

    Args:
        path: the file.
        select: which entries, from their key: a dict of ``function``, ``arguments``, ``device`` and the like; all by
            default.

    Returns how many entries were written. OSError where the file cannot be written.
    """
    require(export_configs, select=select)
    documents: dict[str, Any] = {}
    for folder in reversed(folders()):
        for file_path in sorted(glob.glob(os.path.join(glob.escape(folder), "*.json"))):
            with contextlib.suppress(OSError, ValueError):
                with open(file_path, encoding="utf-8") as file:
                    documents[os.path.basename(file_path)] = json.load(file)
    documents.update(_loaded)
    chosen = {
        name: document
        for name, document in documents.items()
        if isinstance(document, dict)
        and isinstance(document.get("key"), dict)
        and (select is None or select(document["key"]))
    }
    write_atomically(path_of(path, "export_configs"), {"version": _VERSION, "entries": chosen})
    return len(chosen)


@names_keywords
def load_configs(path: str | os.PathLike[str]) -> int:
    """Use the times of the file ``path`` of ``export_configs`` in this process, before those on disk. Entries for
    other devices, programs or versions of Fairlead have no effect.

    Returns how many entries the file has. OSError where it cannot be read; ValueError where it is not such a file.
    """
    with open(path_of(path, "load_configs"), encoding="utf-8") as file:
        try:
            document = json.load(file)
        except ValueError as error:
            raise make_error("TuneFile", path=os.fspath(path), reason=str(error)) from None
    entries = document.get("entries") if isinstance(document, dict) else None
    if not isinstance(entries, dict) or document.get("version") != _VERSION:
        reason = f"expected one of version {_VERSION}"
        raise make_error("TuneFile", path=os.fspath(path), reason=reason)
    _loaded.update(entries)
    return len(entries)
