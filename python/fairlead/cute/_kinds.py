"""Numbers for what direct calls tell arguments apart by: the call path compares them, not what they stand for."""

from __future__ import annotations

import itertools
from collections.abc import Hashable

_numbers: dict[Hashable, int] = {}
_next = itertools.count(1)


def number_of(key: Hashable) -> int:
    """The same number for equal keys, in every thread."""
    found = _numbers.get(key)
    return _numbers.setdefault(key, next(_next)) if found is None else found
