"""The commands of ``fairlead cache`` about the results of a cache, and about the remote one."""

from __future__ import annotations

import argparse
import json
import os
import statistics
import time
from collections import Counter
from collections.abc import Callable
from typing import TYPE_CHECKING

from fairlead.cli import CommandError

if TYPE_CHECKING:
    from fairlead.cli.cache import Entry

_THREADS = 16
# Kinds that machines share; builds of C++ sources stay on their machine.
_SHARED = ("programs", "objects", "cubins", "nvrtc")


def stats(root: str, entries: list[Entry], options: argparse.Namespace) -> int:
    """Count the requests to the cache and their results (lib/cache/CacheFiles.h)."""
    times: dict[str, list[int]] = {}
    since = None
    for name in (".events.1", ".events"):
        try:
            with open(os.path.join(root, name), encoding="utf-8", errors="replace") as file:
                lines = file.readlines()
        except FileNotFoundError:
            continue
        for line in lines:
            parts = line.rstrip("\n").split(" ", 3)
            if len(parts) != 4 or not parts[0].isdigit() or not parts[2].isdigit():
                continue
            at, kind, micros, what = parts
            if options.kind and kind not in options.kind:
                continue
            since = int(at) if since is None else min(since, int(at))
            times.setdefault(what, []).append(int(micros))
    rows = [
        {
            "what": what,
            "times": len(durations),
            "median_ms": round(statistics.median(durations) / 1000, 3),
        }
        for what, durations in sorted(times.items())
    ]
    if options.json:
        print(json.dumps({"folder": root, "since": since, "rows": rows}))
        return 0
    for row in rows:
        took = f"{row['median_ms']:9.3f} ms" if str(row["what"]).startswith("get") else ""
        print(f"{row['times']:>8}  {row['what']:<44}{took}".rstrip())
    begin = time.strftime("%Y-%m-%d %H:%M", time.localtime(since)) if since else "ever"
    print(f"since {begin}, in {root}; times are medians")
    return 0


def manifest(root: str, entries: list[Entry], options: argparse.Namespace) -> int:
    """One entry a line: kind, digest, label. With a file, the keys that a run needed."""
    if options.manifest:
        return _show_run(options)
    shared = sorted((e.kind, e.digest, e.label) for e in entries if e.kind in _SHARED)
    if options.json:
        print(json.dumps([{"kind": k, "digest": d, "label": label} for k, d, label in shared]))
    else:
        for kind, digest, label in shared:
            print(f"{kind} {digest} {' '.join(label.split())}".rstrip())
    return 0


def _show_run(options: argparse.Namespace) -> int:
    """Show the manifest of a run, which FAIRLEAD_MANIFEST has written."""
    from fairlead.cli import _terminal
    from fairlead.cute._warm import read_manifest

    try:
        keys = read_manifest(options.manifest)
    except (OSError, ValueError) as error:
        raise CommandError(str(error)) from None
    if options.json:
        print(json.dumps(keys))
        return 0
    rows = [
        (
            key["function"],
            key["signature"].partition("(")[2].rpartition(")")[0],
            key["targets"],
            "direct" if key["direct"] else "compile",
            "hit" if key.get("hit") else "miss",
            f"{key.get('ms', 0):.0f}",
        )
        for key in keys
    ]
    if rows:
        head = ("function", "parameters", "targets", "by", "cache", "ms")
        print(_terminal.table(head, rows, "-----r"))
    print(f"{len(keys)} {'key' if len(keys) == 1 else 'keys'}")
    return 0


def read_list(path: str) -> list[tuple[str, str, str]]:
    """Return the entries that a list of ``fairlead cache manifest`` names: kind, digest, label."""
    try:
        with open(path, encoding="utf-8") as file:
            lines = file.read().splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise CommandError(f"{path}: {getattr(error, 'strerror', None) or error}") from None
    listed = []
    for number, line in enumerate(lines, 1):
        if not line.strip() or line.startswith("#"):
            continue
        kind, _, rest = line.partition(" ")
        digest, _, label = rest.partition(" ")
        if not (
            kind.isalpha() and len(digest) == 64 and all(c in "0123456789abcdef" for c in digest)
        ):
            raise CommandError(f"{path}: line {number} is not `KIND DIGEST LABEL`: {line[:80]}")
        listed.append((kind, digest, label))
    return listed


def warm(root: str, entries: list[Entry], options: argparse.Namespace) -> int:
    """Fetch the entries that a manifest lists."""
    from fairlead._compiler import cache_fetch

    listed = read_list(options.manifest)
    counts = _each(cache_fetch, listed, options)
    return 1 if any(not how.endswith("hit") for how in counts) else 0


def push(root: str, entries: list[Entry], options: argparse.Namespace) -> int:
    """Puts entries of the folder into the remote cache."""
    from fairlead._compiler import cache_publish

    if options.manifest:
        listed = read_list(options.manifest)
    else:
        listed = [(e.kind, e.digest, e.label) for e in entries if e.kind in _SHARED]
    counts = _each(cache_publish, listed, options)
    return 1 if any(how != "stored" for how in counts) else 0


def _each(
    work: Callable[[str, str], str], listed: list[tuple[str, str, str]], options: argparse.Namespace
) -> Counter[str]:
    """Does it to all entries, several at once; shows and counts the outcomes."""
    from concurrent.futures import ThreadPoolExecutor

    if not os.environ.get("FAIRLEAD_REMOTE_CACHE"):
        raise CommandError("FAIRLEAD_REMOTE_CACHE is not set: expected the URL of a remote cache")
    chosen = [entry for entry in listed if not options.kind or entry[0] in options.kind]
    start = time.perf_counter()
    try:
        with ThreadPoolExecutor(_THREADS) as pool:
            outcomes = list(pool.map(lambda entry: work(entry[0], entry[1]), chosen))
    except (ValueError, RuntimeError) as error:  # the settings
        raise CommandError(str(error)) from None
    seconds = time.perf_counter() - start
    counts = Counter(outcomes)
    missing = [
        {"kind": kind, "digest": digest, "label": label, "outcome": how}
        for (kind, digest, label), how in zip(chosen, outcomes)
        if not how.endswith("hit") and how != "stored"
    ]
    if options.json:
        summary = {"outcomes": counts, "missing": missing, "seconds": round(seconds, 3)}
        print(json.dumps(summary))
        return counts
    for entry in missing:
        print(f"{entry['outcome']}: {entry['kind']} {entry['label'] or entry['digest']}")
    for how, count in sorted(counts.items()):
        print(f"{count:>8}  {how}")
    print(f"{len(chosen)} {'entry' if len(chosen) == 1 else 'entries'} in {seconds:.2f} s")
    return counts
