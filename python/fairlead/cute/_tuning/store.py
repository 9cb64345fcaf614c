"""Times of candidates on disk, next to the compile cache: one file for a function, the kinds of its arguments and a
device.

A file holds times of configurations and not a choice: whoever reads it chooses among the candidates it has. Nothing
in it is run or loaded, so it need not be trusted: at worst a slower candidate is chosen.
"""

from __future__ import annotations

import contextlib
import glob
import hashlib
import json
import os
import re
import tempfile
from collections.abc import Callable
from typing import Any

from fairlead import __version__
from fairlead._hints import names_keywords
from fairlead.errors import make_error, path_of

_VERSION = 1
_KIND = "tune"  # its folder of the cache

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
        self.name = f"{plain}-{hashlib.sha256(text.encode()).hexdigest()[:24]}.json"
        self._write = write
        self.records = self._read()

    def _read(self) -> dict[str, dict[str, Any]]:
        records: dict[str, dict[str, Any]] = {}
        if self._write:
            for folder in reversed(folders()):  # what is this user's own counts most
                with contextlib.suppress(OSError, ValueError):
                    with open(os.path.join(folder, self.name), encoding="utf-8") as file:
                        records.update(_checked(json.load(file), self.key))
        loaded = _loaded.get(self.name)
        return {**records, **_checked(loaded, self.key)} if loaded else records

    def add(self, records: dict[str, dict[str, Any]]) -> None:
        """Keep records, here and on disk. What another process has written meanwhile of the same program stays, so
        that all choose by the same times."""
        for config, theirs in self._read().items():
            mine = records.get(config)
            if mine is None or ("us" in theirs and theirs["program"] == mine["program"]):
                records = {**records, config: theirs}
        self.records = records
        places = folders() if self._write else []
        if not places:
            return
        document = {"version": _VERSION, "key": self.key, "configs": self.records}
        # A folder that cannot be written keeps nothing, as with the compile cache.
        with contextlib.suppress(OSError):
            os.makedirs(places[0], exist_ok=True)
            write_atomically(os.path.join(places[0], self.name), document)


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
