"""Layouts as pictures: programs for LaTeX's TikZ, printed while a function is traced or outside of one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from fairlead.errors import wrong_argument

if TYPE_CHECKING:
    from fairlead._compiler import ComposedLayout, Layout
    from fairlead.cute._types import Extents

__all__ = ["print_latex", "print_latex_tv"]

_HEAD = r"""\documentclass[convert]{standalone}
\usepackage{tikz}

\begin{document}
\begin{tikzpicture}[x={(0cm,-1cm)},y={(1cm,0cm)},every node/.style={minimum size=1cm, outer sep=0pt}]
"""
_TAIL = r"""\end{tikzpicture}
\end{document}
"""
# One for each of eight neighbours, light enough to read a number on.
_GREYS = [100, 55, 85, 40, 93, 48, 78, 62]
_COLORS = [
    "{rgb,255:red,175;green,175;blue,255}",
    "{rgb,255:red,175;green,255;blue,175}",
    "{rgb,255:red,255;green,255;blue,175}",
    "{rgb,255:red,255;green,175;blue,175}",
    "{rgb,255:red,210;green,210;blue,255}",
    "{rgb,255:red,210;green,255;blue,210}",
    "{rgb,255:red,255;green,255;blue,210}",
    "{rgb,255:red,255;green,210;blue,210}",
]


def _size(shape: Any) -> int:
    if isinstance(shape, tuple):
        product = 1
        for part in shape:
            product *= _size(part)
        return product
    try:
        return int(shape)
    except TypeError:
        raise TypeError(f"a picture needs a static layout, but got an extent of {shape}") from None


def _extents(shape: Extents) -> tuple[int, int]:
    """Rows and columns of a layout of one or two modes."""
    if not isinstance(shape, tuple) or len(shape) == 1:
        return _size(shape), 1
    if len(shape) != 2:
        raise ValueError(f"a picture has one or two modes, but the layout has {len(shape)}")
    return _size(shape[0]), _size(shape[1])


def _picture(rows: int, columns: int, cell: Callable[[int, int], tuple[str, str]]) -> Iterator[str]:
    """The lines of a table: ``cell`` gives the text and the filling of each place."""
    yield _HEAD
    for i in range(rows):
        for j in range(columns):
            text, fill = cell(i, j)
            yield f"\\node[fill={fill}] at ({i},{j}) {{{text}}};\n"
    yield f"\\draw[color=black,thick,shift={{(-0.5,-0.5)}}] (0,0) grid ({rows},{columns});\n\n"
    for i in range(rows):
        yield f"\\node at ({i},-1) {{\\Large{{\\texttt{{{i}}}}}}};\n"
    for j in range(columns):
        yield f"\\node at (-1,{j}) {{\\Large{{\\texttt{{{j}}}}}}};\n"
    yield _TAIL


def print_latex(layout: Layout | ComposedLayout) -> None:
    """Print a picture of a static layout (or composed layout) of one or two modes: a table of the indices that its
    coordinates have, each eight neighbouring ones in eight shades.

    TypeError for a layout with extents known only at run time, ValueError for more modes.
    """
    if not hasattr(layout, "shape"):
        raise wrong_argument("print_latex", "layout", "a layout", layout)
    rows, columns = _extents(layout.shape)
    flat = columns == 1 and (not isinstance(layout.shape, tuple) or len(layout.shape) == 1)

    def cell(i: int, j: int) -> tuple[str, str]:
        index = int(layout(i) if flat else layout((i, j)))
        return str(index), f"black!{100 - _GREYS[index % 8]}"

    print("".join((f"%% Layout: {layout}\n", *_picture(rows, columns, cell))), end="")


def print_latex_tv(layout_tv: Layout, tile_mn: Extents | Layout) -> None:
    """Print a picture of a thread-value layout on a tile: which thread holds each place, as which of its values;
    of several the first.

    Args:
        layout_tv: maps (thread, value) to the places of the tile, counted down its columns.
        tile_mn: the tile's extents, a tuple or a layout.

    TypeError for layouts known only at run time, ValueError for other numbers of modes, and for a value outside of the
    tile.
    """
    shape: Any = getattr(tile_mn, "shape", tile_mn)
    rows, columns = _extents(shape)
    threads, values = _extents(layout_tv.shape)
    owners: dict[int, tuple[int, int]] = {}
    for thread in range(threads):
        for value in range(values):
            place = int(layout_tv((thread, value)))
            if not 0 <= place < rows * columns:
                raise ValueError(
                    f"value {value} of thread {thread} lies at {place}, outside of the tile's {rows * columns} places"
                )
            owners.setdefault(place, (thread, value))

    def cell(i: int, j: int) -> tuple[str, str]:
        owner = owners.get(i + j * rows)
        if owner is None:
            return "", "white"
        return f"\\shortstack{{T{owner[0]} \\\\ V{owner[1]}}}", _COLORS[owner[0] % 8]

    print("".join((f"%% Layout TV: {layout_tv}\n", *_picture(rows, columns, cell))), end="")
