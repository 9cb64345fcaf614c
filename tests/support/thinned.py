"""Fewer cases for the default run of `./run test`. With `--long`, and when pytest is started by hand, all cases run.

The fewer cases hold every value of every parameter. Left out are further combinations of the same values.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterable, Sequence
from typing import TypeVar

Case = TypeVar("Case")
IS_SHORT = os.environ.get("FAIRLEAD_FEWER_CASES", "0") not in ("", "0")


def thinned(cases: Iterable[Case], few: Iterable[Case]) -> list[Case]:
    """Return all cases, or the few of them that the default run takes."""
    cases, few = list(cases), list(few)
    assert few and all(case in cases for case in few), "expected some of the cases"
    return few if IS_SHORT else cases


def crossed(*values: Sequence[object]) -> list[tuple[object, ...]]:
    """Return all combinations of the values of several parameters.

    The default run takes one combination for each value of the longest list, and repeats the shorter ones.
    """
    if not IS_SHORT:
        return list(itertools.product(*values))
    count = max(map(len, values))
    return [tuple(each[i % len(each)] for each in values) for i in range(count)]
