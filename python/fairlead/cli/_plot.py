"""Lines over a logarithmic axis, as SVG."""

from __future__ import annotations

import html
import math
from collections.abc import Mapping, Sequence

_WIDTH, _HEIGHT, _LEFT, _BOTTOM, _TOP = 640, 360, 64, 44, 34
_COLOURS = ("#4c78a8", "#f58518", "#54a24b", "#b279a2")


def lines(
    title: str,
    x: Sequence[float],
    series: Mapping[str, Sequence[float | None]],
    xlabel: str,
    ylabel: str,
) -> str:
    """A line for each series of values over ``x``, whose axis is logarithmic to base 2; the other begins at 0."""
    low, high = math.log2(min(x)), math.log2(max(x))
    values_shown = [value for values in series.values() for value in values if value is not None]
    step = _step(max(values_shown, default=1.0))
    top = step * math.ceil(max(values_shown, default=1.0) / step)
    right = _WIDTH - 16

    def across(value: float) -> float:
        part = 0.5 if high == low else (math.log2(value) - low) / (high - low)
        return _LEFT + part * (right - _LEFT)

    def up(value: float) -> float:
        return _HEIGHT - _BOTTOM - value / top * (_HEIGHT - _BOTTOM - _TOP)

    parts = [_text(_LEFT, 20, title, weight="bold")]
    value = 0.0
    while value <= top * 1.0001:
        y = up(value)
        parts.append(
            f'<path d="M{_LEFT} {y:.1f}H{right}" stroke="currentColor" stroke-opacity="0.2"/>'
        )
        parts.append(_text(_LEFT - 6, y + 4, f"{value:g}", anchor="end"))
        value += step
    every = max(1, math.ceil((high - low + 1) / 10))
    for power in range(math.ceil(low), math.floor(high) + 1, every):
        place = across(2.0**power)
        parts.append(_text(place, _HEIGHT - _BOTTOM + 18, f"2^{power}", anchor="middle"))
    parts.append(_text((_LEFT + right) / 2, _HEIGHT - 8, xlabel, anchor="middle"))
    parts.append(_text(8, 20, ylabel))
    for index, (name, values) in enumerate(series.items()):
        colour = _COLOURS[index % len(_COLOURS)]
        points = [
            (across(place), up(value))
            for place, value in zip(x, values, strict=True)
            if value is not None
        ]
        path = "L".join(f"{a:.1f} {b:.1f}" for a, b in points)
        parts.append(f'<path d="M{path}" stroke="{colour}" stroke-width="2" fill="none"/>')
        parts += [f'<circle cx="{a:.1f}" cy="{b:.1f}" r="3" fill="{colour}"/>' for a, b in points]
        parts.append(_text(right, _TOP + 14 * index, name, anchor="end", fill=colour))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" '
        f'font-family="sans-serif" font-size="12" fill="currentColor">{"".join(parts)}</svg>\n'
    )


def _step(top: float) -> float:
    """The distance of about five lines up to ``top``: 1, 2 or 5 times a power of ten."""
    rough = max(top, 1e-12) / 5
    power = 10.0 ** math.floor(math.log10(rough))
    return next(power * factor for factor in (1, 2, 5, 10) if power * factor >= rough)


def _text(
    x: float, y: float, text: str, anchor: str = "start", weight: str = "normal", fill: str = ""
) -> str:
    colour = f' fill="{fill}"' if fill else ""
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-weight="{weight}"{colour}>'
        f"{html.escape(text)}</text>"
    )
