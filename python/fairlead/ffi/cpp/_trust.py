"""Checks if code in a folder may be loaded: who could have written it.

lib/trust/FolderTrust.cpp has the same rule.
"""

from __future__ import annotations

import os
import stat


def is_trusted(root: str) -> bool:
    """True if ``$FAIRLEAD_CACHE_TRUST``, folders joined by colons, names the folder."""
    named = os.environ.get("FAIRLEAD_CACHE_TRUST", "").split(":")
    return root.rstrip("/") in [folder.rstrip("/") for folder in named if folder]


def distrust(root: str, path: str) -> str:
    """Why nothing at `path`, which is `root` or below it, is to be loaded: it, or a folder from `root` on, or a link to
    one, belongs to another user than this process's and root, or may be written by others. "" where it may."""
    below = os.path.relpath(path, root)
    parts = [] if below == "." else below.split(os.sep)
    for count in range(len(parts) + 1):
        reason = _distrust_of(os.path.join(root, *parts[:count]))
        if reason:
            return reason
    return ""


def _distrust_of(path: str) -> str:
    try:
        states = [os.lstat(path)]
        if stat.S_ISLNK(states[0].st_mode):
            states.append(os.stat(path))
    except OSError:
        return ""  # nothing is there
    for status in states:
        if status.st_uid not in (os.geteuid(), 0):
            return f"`{path}` belongs to user {status.st_uid}"
    status = states[-1]
    # A user's private group, which has the user's number, is the user.
    private = status.st_gid == status.st_uid != 0
    if status.st_mode & (stat.S_IWOTH | (0 if private else stat.S_IWGRP)):
        mode = stat.S_IMODE(status.st_mode)
        return f"others may write to `{path}` (its mode is {mode:04o})"
    return ""
