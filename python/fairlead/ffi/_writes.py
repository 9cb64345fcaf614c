"""Arguments that a function writes. Calls refuse memory that may not be written to for these."""

from __future__ import annotations

from collections.abc import Sequence

from fairlead._core import Function

__all__ = ["note_writes"]

_LAST = 63  # this bit is for all further arguments together


def note_writes(function: Function, written: Sequence[int], count: int) -> None:
    """Tells a function that it writes the arguments with these numbers, of ``count``, and no other ones.

    ValueError for numbers of no argument.
    """
    if not isinstance(written, (list, tuple)):
        raise ValueError(f"the arguments that it writes are {written!r}, expected a list")
    stores = 0
    for index in written:
        if type(index) is not int or not 0 <= index < count:
            raise ValueError(f"it writes argument {index!r}, but it has {count} arguments")
        stores |= 1 << min(index, _LAST)
    function._stores = stores
    function._loads = ((1 << _LAST + 1) - 1) & ~stores
