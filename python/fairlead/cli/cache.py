"""Looks after the cache of compiled code, and the remote one that machines share.

    fairlead cache list                its entries, the last used first
    fairlead cache verify              checks every entry; exit status 1 when one is damaged
    fairlead cache verify --remove     and removes those
    fairlead cache clear               removes everything
    fairlead cache clear --unused 30   removes entries not used for 30 days
    fairlead cache stats               hits, and misses with their reasons
    fairlead cache manifest > FILE     writes a list of its entries
    fairlead cache manifest FILE       shows the keys that a run needed, which FAIRLEAD_MANIFEST=FILE wrote
    fairlead cache export --wheel DIR  writes its entries as packages for pip, one for each GPU architecture
    fairlead cache warm FILE           fetches that from $FAIRLEAD_REMOTE_CACHE; exit status 1 when something is missing
    fairlead cache push [FILE]         puts that, or everything, into $FAIRLEAD_REMOTE_CACHE

The folder is $FAIRLEAD_CACHE_DIR, else $CUTE_DSL_CACHE_DIR, else $XDG_CACHE_HOME/fairlead, else
~/.cache/fairlead; builds of C++ sources are in its folder cpp, or in $TVM_FFI_CACHE_DIR. --dir names another.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from typing import Any

from fairlead.cli import CommandError

HELP = "list, verify or clear the cache of compiled code"

_MAGIC = b"FLCACHE2"  # lib/cache/CacheFiles.cpp has the format
_HEADER = len(_MAGIC) + 32 + 8
_BUILDS = "cpp"  # folders of fairlead.ffi.cpp; all other kinds hold entries
_TUNED = "tune"  # JSON files of fairlead.tune
_KINDS = ("programs", "objects", "cubins", "nvrtc", _BUILDS, _TUNED)


def register(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "action",
        choices=["list", "verify", "clear", "stats", "manifest", "warm", "push", "export"],
    )
    parser.add_argument(
        "manifest", nargs="?", metavar="FILE", help="manifest, warm, push, export: a manifest"
    )
    parser.add_argument("--wheel", metavar="FOLDER", help="export: where the packages are written")
    parser.add_argument("--name", metavar="NAME", help="export: the packages' name (app)")
    parser.add_argument("--version", metavar="N", default="1.0", help="export: theirs (1.0)")
    parser.add_argument(
        "--arch", action="append", metavar="ARCH", help="export: only these, such as sm_90a and cpu"
    )
    parser.add_argument("--dir", metavar="FOLDER", help="a cache folder")
    parser.add_argument(
        "--kind",
        action="append",
        default=[],
        choices=_KINDS,
        metavar="KIND",
        help=f"{', '.join(_KINDS)}; may be repeated; all by default",
    )
    parser.add_argument("--unused", type=float, metavar="DAYS", help="only entries so long unused")
    parser.add_argument("--remove", action="store_true", help="verify: remove damaged entries")
    parser.add_argument("--json", action="store_true", help="print one JSON document")


class Entry:
    """One entry, or the folder of one build of C++ sources."""

    def __init__(self, kind: str, digest: str, path: str) -> None:
        self.kind, self.digest, self.path = kind, digest, path
        status = os.lstat(path)
        self.used = status.st_mtime
        self.size = _folder_size(path) if kind == _BUILDS else status.st_size
        self.label = digest if kind == _BUILDS else self._read_label()

    def _read_label(self) -> str:
        if self.kind == _TUNED:
            key = self._tuned().get("key") or {}
            return (
                f"{key.get('function', '')}({key.get('arguments', '')}) on {key.get('device', '')}"
            )
        try:
            with open(self.path, "rb") as file:
                header = file.read(_HEADER)
                size = int.from_bytes(header[-8:], "little")
                if not header.startswith(_MAGIC) or not 0 <= size <= self.size - _HEADER:
                    return ""
                return file.read(size).decode("utf-8", "replace")
        except OSError:
            return ""

    def _tuned(self) -> dict[str, Any]:
        """The contents of a file of fairlead.tune; {} for a damaged one."""
        try:
            with open(self.path, encoding="utf-8") as file:
                tuned = json.load(file)
        except (OSError, ValueError):
            return {}
        return tuned if isinstance(tuned, dict) else {}

    def damage(self) -> str:
        """The damage of the entry, as text; "" without any."""
        if self.kind == _TUNED:
            return (
                ""
                if isinstance(self._tuned().get("configs"), dict)
                else "it is no JSON of a tuning"
            )
        if self.kind == _BUILDS:
            from fairlead.ffi.cpp import _cache

            return _cache.Entry(self.path).damage()
        import hashlib

        try:
            with open(self.path, "rb") as file:
                data = file.read()
        except OSError as error:
            return str(error.strerror)
        if not data.startswith(_MAGIC):
            return "it is of another version, or no entry"
        if len(data) < _HEADER:
            return "it is cut off"
        start = len(_MAGIC) + 32
        digest = hashlib.sha256(f"{self.kind}/{self.digest}/".encode() + data[start:]).digest()
        return "" if digest == data[len(_MAGIC) : start] else "its checksum is wrong"

    def remove(self) -> None:
        import contextlib
        import shutil

        if self.kind == _BUILDS:
            shutil.rmtree(self.path, ignore_errors=True)
        else:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(self.path)

    def told(self) -> dict[str, object]:
        return {
            "kind": self.kind,
            "digest": self.digest,
            "label": self.label,
            "bytes": self.size,
            "used": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(self.used)),
            "path": self.path,
        }


def _folder_size(path: str) -> int:
    total = 0
    for folder, _, names in os.walk(path):
        for name in names:
            total += os.lstat(os.path.join(folder, name)).st_size
    return total


def _names(path: str) -> list[str]:
    try:
        return sorted(os.listdir(path))
    except (FileNotFoundError, NotADirectoryError):
        return []


def _is_hex(text: str, digits: int) -> bool:
    return len(text) == digits and all(c in "0123456789abcdef" for c in text)


def entries(root: str, kinds: list[str], builds: str | None = None) -> list[Entry]:
    """Entries of these kinds (none: of all), used last first; of builds those in the folder `builds`, where it is
    given."""
    result = []
    kinds_there: set[str] = {*_names(root), *([_BUILDS] if builds else [])}
    for kind in sorted(kinds_there):
        folder = builds if builds and kind == _BUILDS else os.path.join(root, kind)
        if kind.startswith(".") or (kinds and kind not in kinds) or not os.path.isdir(folder):
            continue
        if kind == _BUILDS:
            # $TVM_FFI_CACHE_DIR may hold files of other programs.
            foreign = folder != os.path.join(root, _BUILDS)
            paths = [
                ("", name)
                for name in _names(folder)
                if not foreign or os.path.exists(os.path.join(folder, name, "manifest.json"))
            ]
        elif kind == _TUNED:
            paths = [("", name) for name in _names(folder) if name.endswith(".json")]
        else:
            paths = [
                (first, name)
                for first in _names(folder)
                if _is_hex(first, 2)
                for name in _names(os.path.join(folder, first))
                if _is_hex(name, 62)
            ]
        for first, name in paths:
            try:
                result.append(Entry(kind, first + name, os.path.join(folder, first, name)))
            except FileNotFoundError:
                continue  # another process has removed it
    return sorted(result, key=lambda entry: -entry.used)


def _count(entries: list[Entry]) -> str:
    return f"{len(entries)} {'entry' if len(entries) == 1 else 'entries'}"


def _size(number: int) -> str:
    for unit in ("B", "KB", "MB"):
        if number < 1000:
            return f"{number:.0f} {unit}" if unit == "B" else f"{number:.1f} {unit}"
        number /= 1000  # type: ignore[assignment]
    return f"{number:.1f} GB"


def run(options: argparse.Namespace) -> int:
    from fairlead.ffi.cpp import _cache

    try:
        root, builds = options.dir, None
        if not root:
            root, builds = _cache.cache_root(), _cache.cache_folder()
    except ValueError as error:
        raise CommandError(str(error)) from None
    if options.remove and options.action != "verify":
        raise CommandError("--remove goes with verify")
    if options.dir and not os.path.isdir(root):
        raise CommandError(f"{root} is no folder")
    takes_file = options.action in ("warm", "push", "manifest", "export")
    if options.action == "warm" if options.manifest is None else not takes_file:
        raise CommandError("a FILE goes with warm, which needs one, push, manifest and export")
    if options.dir and options.action in ("warm", "push"):
        raise CommandError("--dir does not go with warm and push: set FAIRLEAD_CACHE_DIR")
    listed = entries(root, options.kind, builds)
    if options.unused is not None:
        limit = time.time() - options.unused * 86400
        listed = [entry for entry in listed if entry.used <= limit]
    from fairlead.cli import _cache_wheel, _fleet

    actions = {
        "list": _list,
        "verify": _verify,
        "clear": _clear,
        "stats": _fleet.stats,
        "manifest": _fleet.manifest,
        "warm": _fleet.warm,
        "push": _fleet.push,
        "export": _cache_wheel.export,
    }
    return actions[options.action](root, listed, options)


def _print_json(root: str, entries: list[Entry], **totals: object) -> None:
    total = sum(entry.size for entry in entries)
    summary = {
        "folder": root,
        "bytes": total,
        "entries": [entry.told() for entry in entries],
        **totals,
    }
    print(json.dumps(summary))


def _list(root: str, entries: list[Entry], options: argparse.Namespace) -> int:
    if options.json:
        _print_json(root, entries)
        return 0
    from fairlead.cli import _terminal

    rows = [
        (
            time.strftime("%Y-%m-%d %H:%M", time.localtime(entry.used)),
            _size(entry.size),
            entry.kind,
            entry.label or entry.digest,
        )
        for entry in entries
    ]
    if rows:
        print(_terminal.table(("used", "size", "kind", "what"), rows, "-r--"))
    total = sum(entry.size for entry in entries)
    print(f"{_count(entries)}, {_size(total)}, in {root}")
    return 0


def _verify(root: str, entries: list[Entry], options: argparse.Namespace) -> int:
    damaged = [(entry, damage) for entry in entries if (damage := entry.damage())]
    if options.remove:
        for entry, _ in damaged:
            entry.remove()
    if options.json:
        wrong = [{**entry.told(), "damage": damage} for entry, damage in damaged]
        _print_json(root, entries, damaged=wrong, removed=options.remove)
    else:
        for entry, damage in damaged:
            print(f"{entry.path}: {damage}")
        print(f"{_count(entries)}, {len(damaged)} damaged, in {root}")
    return 1 if damaged and not options.remove else 0


def _clear(root: str, entries: list[Entry], options: argparse.Namespace) -> int:
    for entry in entries:
        entry.remove()
    if options.json:
        _print_json(root, entries)
    else:
        print(f"removed {_count(entries)}, {_size(sum(e.size for e in entries))}, from {root}")
    return 0
