"""Values that belong to code objects, and live as long as these."""

from __future__ import annotations

import functools
import weakref
from types import CodeType
from typing import Any, Generic, TypeVar

_T = TypeVar("_T")


class _Entry(weakref.ref[Any]):
    """A code object, its place in the table, and its value."""

    __slots__ = ("key", "value")
    key: int
    value: Any


class ByCode(Generic[_T]):
    """A table of code objects by identity that keeps none of them alive.

    ``weakref.WeakKeyDictionary`` does not fit: code objects are compared by their contents, so a table would hold
    one of two equal ones and forget the value when that one ends.
    """

    def __init__(self) -> None:
        self._entries: dict[int, _Entry] = {}
        self._remove = functools.partial(_remove, self._entries)

    def __len__(self) -> int:
        return len(self._entries)

    def get(self, code: CodeType) -> _T | None:
        entry = self._entries.get(id(code))
        return None if entry is None else entry.value

    def set(self, code: CodeType, value: _T) -> None:
        """Sets the value of ``code``, which must not keep ``code`` alive itself."""
        entry = _Entry(code, self._remove)
        entry.key, entry.value = id(code), value
        self._entries[entry.key] = entry


def _remove(entries: dict[int, _Entry], entry: _Entry) -> None:
    # The address may belong to a newer code object.
    if entries.get(entry.key) is entry:
        del entries[entry.key]
