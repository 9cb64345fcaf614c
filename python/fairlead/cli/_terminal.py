"""Output of commands: tables with aligned columns, colour on a terminal, progress with the remaining time."""

from __future__ import annotations

import os
import re
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, TextIO, TypeVar

T = TypeVar("T")

_CODES = {"red": 31, "green": 32, "yellow": 33, "bold": 1, "dim": 2}
_ESCAPE = re.compile(r"\x1b\[\d+m")


def has_colour(stream: TextIO | None = None) -> bool:
    """True if output may have colour: on a terminal, unless ``NO_COLOR`` is set; elsewhere with
    ``FORCE_COLOR``."""
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return (stream or sys.stdout).isatty() and os.environ.get("TERM") != "dumb"


def styled(text: str, style: str) -> str:
    """The text in red, green, yellow, bold or dim, if colour is on."""
    return f"\x1b[{_CODES[style]}m{text}\x1b[0m" if has_colour() else text


def _width(text: str) -> int:
    return len(_ESCAPE.sub("", text))


def table(heads: Sequence[str], rows: Iterable[Sequence[Any]], right: str = "") -> str:
    """Rows under heads, each column as wide as its widest cell. ``right``: an ``r`` for each column to be aligned
    right, another character for the others."""
    lines = [[str(cell) for cell in row] for row in rows]
    widths = [
        max(_width(line[index]) for line in [list(heads), *lines]) for index in range(len(heads))
    ]

    def text(line: Sequence[str]) -> str:
        cells = []
        for index, (cell, width) in enumerate(zip(line, widths, strict=True)):
            space = " " * (width - _width(cell))
            cells.append(space + cell if right[index : index + 1] == "r" else cell + space)
        return "  ".join(cells).rstrip()

    return "\n".join([styled(text(heads), "bold"), *map(text, lines)])


def progress(items: Sequence[T], label: str) -> Iterator[T]:
    """The items one by one; on a terminal with a line on standard error that says how many there are and how long the
    others take."""
    shows = sys.stderr.isatty()
    started = time.monotonic()
    for index, item in enumerate(items):
        if shows:
            left = ""
            if index:
                seconds = (time.monotonic() - started) / index * (len(items) - index)
                left = f", {seconds:.0f} s left"
            print(f"\r\x1b[K{label} {index + 1}/{len(items)}{left}", end="", file=sys.stderr)
            sys.stderr.flush()
        yield item
    if shows:
        print("\r\x1b[K", end="", file=sys.stderr, flush=True)


def number(value: float | None, digits: int = 4) -> str:
    """A number in so many digits, without an exponent where it is of a usual size."""
    if value is None:
        return "-"
    text = f"{value:.{digits}g}"
    return f"{float(text):,.0f}" if "e+" in text and abs(value) < 1e15 else text
