"""``cutlass.cute.viz``: pictures of layouts as LaTeX."""

from __future__ import annotations

from typing import Any

from fairlead import _compiler, cute

__all__ = ["print_latex_tv"]

_HUES = ("red", "orange", "yellow", "green", "teal", "blue", "violet", "magenta")
_HEAD = r"""\documentclass{standalone}
\usepackage{tikz}
\begin{document}
\begin{tikzpicture}[x={(0,-1)}, y={(1,0)}, every node/.style={minimum size=1cm, align=center, font=\tiny}]"""
_TAIL = r"""\end{tikzpicture}
\end{document}"""


def print_latex_tv(
    layout_tv: _compiler.Layout,
    tile_mn: Any,
    *,
    palette: str | None = None,
    title: str | None = None,
    axis_labels: bool = True,
    loc: object = None,
    ip: object = None,
) -> None:
    """Print a LaTeX document that shows which thread holds each place of a tile, as which of its values.

    Args:
        layout_tv: Maps (thread, value) to places of the tile, counted down its columns.
        tile_mn: The tile's extents, rows and columns.
        palette: Ignored: colours tell threads apart.
        title: A line for each of its lines, above the tile.
        axis_labels: Whether rows and columns are numbered.
    """
    rows, columns = (int(cute.size(extent)) for extent in tile_mn)
    threads, values = (int(cute.size(layout_tv, mode=[mode])) for mode in (0, 1))
    lines = [_HEAD]
    places_taken = set()
    for thread in range(threads):
        for value in range(values):
            place = int(layout_tv((thread, value)))
            if place in places_taken or not 0 <= place < rows * columns:
                continue
            places_taken.add(place)
            colour = f"{_HUES[thread % len(_HUES)]}!25"
            where = f"({place % rows},{place // rows})"
            lines.append(rf"\node[draw, fill={colour}] at {where} {{T{thread}\\V{value}}};")
    if axis_labels:
        lines += [rf"\node at ({row},-1) {{{row}}};" for row in range(rows)]
        lines += [rf"\node at (-1,{column}) {{{column}}};" for column in range(columns)]
    if title:
        text = title.replace("_", r"\_").replace("\n", r"\\")
        lines.append(rf"\node[anchor=south west] at (-2,-1) {{{text}}};")
    print("\n".join([*lines, _TAIL]))
