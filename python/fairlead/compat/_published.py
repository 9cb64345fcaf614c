"""Which functions belong to published programs."""

from __future__ import annotations

import linecache
import re
from types import FunctionType

from fairlead._tracing import checking

_IMPORTS_CUTLASS = re.compile(r"\s*(?:import|from)\s+cutlass\b")


def is_published(function: FunctionType) -> bool:
    """Whether the file that holds the function imports ``cutlass``; False where there is no such file to read."""
    lines = linecache.getlines(function.__code__.co_filename, function.__globals__)
    return any(_IMPORTS_CUTLASS.match(line) for line in lines)


def install() -> None:
    """Have ``--check all`` note indices that leave their mode but not the memory, in published programs: their tiles
    often reach past a view, whose elements are then not used."""
    checking.tolerates_indices = is_published
