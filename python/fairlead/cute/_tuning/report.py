"""The results of tuning for each candidate, as a table and as a picture."""

from __future__ import annotations

import html
import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from fairlead.pictures import Picture

_ROW, _BAR, _WIDE = 22, 320, 720


@dataclass
class Row:
    """The result of one candidate.

    Attributes:
        config: its values.
        microseconds, p20, p80: the median time of a call, and the times below which 20 % and 80 % of the samples lie;
            None for one that was not measured.
        reason: why it was not measured, or lost; else empty.
        stored: whether its time is from an earlier run.
    """

    config: dict[str, Any]
    microseconds: float | None = None
    p20: float | None = None
    p80: float | None = None
    reason: str = ""
    stored: bool = False
    chosen: bool = False


@dataclass
class Report:
    """All candidates of a tuning, the fastest first, failed and untried ones last. ``print`` shows a
    table.

    Attributes:
        name: the function's name.
        place: the key of the tuning: the device, and the arguments.
        rows: one for each candidate.
        seconds: the time that the tuning took.
    """

    name: str
    place: str
    rows: list[Row] = field(default_factory=list)
    seconds: float = 0.0

    def _sorted(self) -> list[Row]:
        """The chosen candidate first, then by time; within ties the chosen one is not always the fastest."""
        return sorted(
            self.rows,
            key=lambda row: (
                not row.chosen,
                row.microseconds is None,
                row.microseconds or 0.0,
            ),
        )

    def _columns(self) -> tuple[list[str], list[list[str]]]:
        names = list(dict.fromkeys(name for row in self.rows for name in row.config))
        heads = [*names, "median us", "p20", "p80", "times best", ""]
        best = min((row.microseconds for row in self.rows if row.microseconds), default=None)
        lines = []
        for row in self._sorted():
            verdict = "chosen" if row.chosen else row.reason
            if row.stored:
                verdict = f"{verdict}, stored" if verdict else "stored"
            measured = ["-"] * 4
            if row.microseconds is not None and best is not None:
                measured = [
                    *(f"{value or 0:.2f}" for value in (row.microseconds, row.p20, row.p80)),
                    f"{row.microseconds / best:.2f}",
                ]
            lines.append([*(str(row.config.get(name, "")) for name in names), *measured, verdict])
        return heads, lines

    def __str__(self) -> str:
        heads, lines = self._columns()
        widths = [max(len(line[i]) for line in [heads, *lines]) for i in range(len(heads) - 1)]
        table = [
            "  ".join(
                [
                    *(cell.rjust(width) for cell, width in zip(line[:-1], widths, strict=True)),
                    line[-1],
                ]
            ).rstrip()
            for line in [heads, *lines]
        ]
        return "\n".join([f"{self.name} on {self.place}, tuned in {self.seconds:.1f} s", *table])

    @property
    def svg(self) -> str:
        """A bar for each candidate that was measured, as the text of an SVG file."""
        return self.picture().svg

    def picture(self) -> Picture:
        """Return a bar for each candidate that was measured, from 0, with its p20 to p80; those without a time are
        named."""
        rows = self._sorted()
        longest = max((row.p80 or row.microseconds or 0 for row in rows), default=0) or 1
        texts = [", ".join(f"{name}={value}" for name, value in row.config.items()) for row in rows]
        left = min(12 + 7 * max(map(len, texts), default=0), _WIDE - _BAR)
        parts = [_text(8, 18, f"{self.name} on {self.place}", "bold")]
        for index, (row, text) in enumerate(zip(rows, texts, strict=True)):
            y = 30 + index * _ROW
            parts.append(_text(8, y + 15, text))
            if row.microseconds is None:
                parts.append(_text(left, y + 15, row.reason))
                continue
            width = row.microseconds / longest * _BAR
            fill = "#4c78a8" if row.chosen else "#a0b4cc"
            parts.append(
                f'<rect x="{left}" y="{y + 3}" width="{width:.1f}" height="{_ROW - 6}" fill="{fill}">'
                f"<title>{html.escape(text)}: {row.microseconds:.2f} us</title></rect>"
            )
            ends = [left + (value or 0) / longest * _BAR for value in (row.p20, row.p80)]
            middle = y + _ROW // 2
            parts.append(
                f'<path d="M{ends[0]:.1f} {middle}H{ends[1]:.1f}" stroke="currentColor" fill="none"/>'
            )
            label = f"{row.microseconds:.2f} us{', chosen' if row.chosen else ''}"
            parts.append(_text(left + max(width, ends[1] - left) + 6, y + 15, label))
        height = 36 + len(rows) * _ROW
        width = left + _BAR + 150
        svg = (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
            f'font-family="sans-serif" font-size="12" fill="currentColor">{"".join(parts)}</svg>\n'
        )
        heads, lines = self._columns()
        return Picture(svg, f"{self.name} on {self.place}", [heads, *lines])

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the picture. OSError where the file cannot be written."""
        self.picture().save(path)

    def _repr_html_(self) -> str:
        return self.svg


def _text(x: float, y: float, text: str, weight: str = "normal") -> str:
    return f'<text x="{x:.0f}" y="{y:.0f}" font-weight="{weight}">{html.escape(text)}</text>'


def first_line(error: BaseException) -> str:
    """Return an exception in a line of a table."""
    lines: Sequence[str] = [line.strip() for line in str(error).splitlines() if line.strip()]
    return f"{type(error).__name__}: {lines[0]}" if lines else type(error).__name__
