"""Numbers for the keys that distinguish arguments of direct calls: the call path compares them, not the keys."""

from __future__ import annotations

import itertools
from collections.abc import Hashable

_numbers: dict[Hashable, int] = {}
_next = itertools.count(1)


def number_of(key: Hashable) -> int:
    """Return the same number for equal keys, in every thread."""
    number = _numbers.get(key)
    return _numbers.setdefault(key, next(_next)) if number is None else number
