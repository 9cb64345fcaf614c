"""Caches that are installed as packages: ``fairlead cache export --wheel`` makes them.

A package names its folder by an entry point of the group ``fairlead.caches``. Its code is never imported. The folder is
read as one of FAIRLEAD_CACHE_SHARED is: entries of another user, and damaged ones, are not loaded.
"""

from __future__ import annotations

import os
import sys
import threading

__all__ = ["GROUP", "PREFIX", "add_installed_caches", "installed_caches"]

GROUP = "fairlead.caches"
#: Names of the packages begin with it, so that other packages need not be looked at.
PREFIX = "fairlead_cache_"

_lock = threading.Lock()
_is_done = False


def installed_caches() -> list[str]:
    """Return the folders of all installed caches on ``sys.path``, in its order."""
    from importlib.metadata import PathDistribution  # late: most processes have none

    folders: list[str] = []
    for path in dict.fromkeys(os.path.abspath(entry or ".") for entry in sys.path):
        for name in _packages(path):
            from pathlib import Path

            for point in PathDistribution(Path(path, name)).entry_points:
                folder = os.path.join(path, point.value)
                # A name of one module: no path that leads elsewhere.
                if point.group == GROUP and point.value.isidentifier() and os.path.isdir(folder):
                    folders.append(folder)
    return folders


def _packages(path: str) -> list[str]:
    try:
        names = os.listdir(path)
    except OSError:
        return []
    return sorted(name for name in names if name.startswith(PREFIX) and name.endswith(".dist-info"))


def add_installed_caches() -> None:
    """Add the installed caches behind the folders of FAIRLEAD_CACHE_SHARED. Only the first call looks for them."""
    global _is_done
    with _lock:
        if _is_done:
            return
        _is_done = True
        shared = [
            folder for folder in os.environ.get("FAIRLEAD_CACHE_SHARED", "").split(":") if folder
        ]
        # A folder with a colon in its name cannot be listed.
        added = [f for f in installed_caches() if f not in shared and ":" not in f]
        if added:
            os.environ["FAIRLEAD_CACHE_SHARED"] = ":".join([*shared, *added])
