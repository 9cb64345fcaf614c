"""Pictures of layouts, as SVG: indices, threads and values, banks of shared memory, partitions, lines of a copy.

Each function gives a :class:`Picture`, which a notebook shows, ``save`` writes to a file, and ``print`` shows as text.
Layouts are static: known while tracing or made outside of a traced function::

    from fairlead import cute, pictures

    pictures.layout(cute.make_layout((4, 8), stride=(8, 1))).save("layout.svg")
"""

from __future__ import annotations

import colorsys
import html
import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from fairlead._hints import missing, name_keywords
from fairlead.errors import make_error, require, wrong_argument

__all__ = [
    "Accesses",
    "Picture",
    "banks",
    "coalescing",
    "draw",
    "layout",
    "mma",
    "partition",
    "thread_values",
]

_CELL = 26
_MARGIN = 30
_LIMIT = 64
_BANKS = 32
_BANK_BYTES = 4
_LINE_BYTES = 128
# Pale enough for dark text on them.
_SHADES = ("#ffffff", "#e9eef6", "#d5dff0", "#c1d0ea", "#adc1e4", "#99b2de", "#85a3d8", "#7194d2")
_HUES = ("#afafff", "#afffaf", "#ffffaf", "#ffafaf", "#d2d2ff", "#d2ffd2", "#ffffd2", "#ffd2d2")


class LayoutLike(Protocol):
    """A layout or a composed layout."""

    @property
    def shape(self) -> Any: ...

    def __call__(self, coordinate: Any, /) -> Any: ...


@dataclass(frozen=True)
class Accesses:
    """How one access of a warp to shared memory falls on its banks.

    Attributes:
        conflicts: how many times the access is repeated beyond the first: 0 where it is free of conflicts.
        ways: the most different words of one bank that it asks for.
        words: for each bank, its requested words, by their number in memory.
    """

    conflicts: int
    ways: int
    words: tuple[tuple[int, ...], ...]


class Picture:
    """A picture, as the text of an SVG file.

    Attributes:
        svg: the file's text. It is the same for the same layout, on every machine.
        title: a description of the picture.
        accesses: of :func:`banks` with threads, what each access costs; else empty.
    """

    def __init__(
        self,
        svg: str,
        title: str,
        rows: Sequence[Sequence[str]],
        notes: Sequence[str] = (),
        accesses: Sequence[Accesses] = (),
    ) -> None:
        self.svg, self.title, self.accesses = svg, title, tuple(accesses)
        self._rows, self._notes = rows, notes

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the picture. OSError where the file cannot be written."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.svg)

    def _repr_svg_(self) -> str:
        return self.svg

    def _repr_html_(self) -> str:
        return self.svg

    def __str__(self) -> str:
        """A table of the cells, for a terminal."""
        width = max((len(cell) for row in self._rows for cell in row), default=0)
        lines = (" ".join(cell.rjust(width) for cell in row).rstrip() for row in self._rows)
        return "\n".join((self.title, *lines, *self._notes))

    def __repr__(self) -> str:
        return f"<Picture of {self.title}>"


@dataclass
class _Cell:
    text: str
    fill: str
    hover: str = ""
    under: str = ""
    bold: bool = False


def _size(shape: Any) -> int:
    if isinstance(shape, tuple):
        product = 1
        for part in shape:
            product *= _size(part)
        return product
    try:
        return int(shape)
    except TypeError:
        raise make_error(
            "PictureType", expected="a static layout", got=f"an extent of {shape}"
        ) from None


def _expect_layout(function: str, layout: object) -> None:
    if not hasattr(layout, "shape") or not callable(layout):
        raise wrong_argument(function, "layout", "a layout", layout)


def _extents(shape: object) -> tuple[int, int]:
    """Rows and columns of a shape of one or two modes."""
    if not isinstance(shape, tuple) or len(shape) == 1:
        return _size(shape), 1
    if len(shape) != 2:
        raise make_error(
            "PictureValue", expected="a layout of one or two modes", got=f"{len(shape)} modes"
        )
    return _size(shape[0]), _size(shape[1])


def _rules(shape: object, mode: int) -> list[int]:
    """Extents after which a nested mode goes on with its next part: (2, 4) has a rule after each 2."""
    part = shape[mode] if isinstance(shape, tuple) and len(shape) > mode else 1
    rules, size = [], 1
    leaves = _leaves(part)
    for extent in leaves[:-1]:
        size *= extent
        rules.append(size)
    return rules


def _leaves(shape: object) -> list[int]:
    if isinstance(shape, tuple):
        return [leaf for part in shape for leaf in _leaves(part)]
    return [_size(shape)]


def _is_flat(shape: object) -> bool:
    return not isinstance(shape, tuple) or len(shape) == 1


def _offset(function: LayoutLike, i: int, j: int) -> int:
    return int(function(i) if _is_flat(function.shape) else function((i, j)))


def _drawn(
    title: str,
    shape: tuple[int, int],
    cell: Callable[[int, int], _Cell],
    rules: tuple[Sequence[int], Sequence[int]] = ((), ()),
    notes: Iterable[str] = (),
    accesses: Sequence[Accesses] = (),
) -> Picture:
    """A table of cells with coordinates on both axes; of more than 64 rows or columns the first."""
    rows, columns = min(shape[0], _LIMIT), min(shape[1], _LIMIT)
    notes = list(notes)
    if (rows, columns) != tuple(shape):
        notes.append(f"the first {rows} x {columns} of {shape[0]} x {shape[1]}")
    cells = [[cell(i, j) for j in range(columns)] for i in range(rows)]
    longest = max(
        (len(text) for line in cells for cell in line for text in (cell.text, cell.under)),
        default=0,
    )
    pitch = max(_CELL, 6 * longest + 4)  # a character of 10 pixels is 6 wide
    width = _MARGIN + columns * pitch + 2
    width = max(width, 8 * max(map(len, (title, *notes))) + 8)
    height = 2 * _MARGIN + rows * _CELL + 2 + 18 * len(notes)
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}"'
        f' height="{height}" font-family="ui-monospace, monospace" font-size="10"'
        ' text-anchor="middle">',
        f"<title>{html.escape(title)}</title>",
        f'<text x="2" y="14" font-size="13" text-anchor="start" fill="currentColor">'
        f"{html.escape(title)}</text>",
    ]
    top, table = 2 * _MARGIN - 6, []
    for j in range(columns):
        x = _MARGIN + j * pitch + pitch // 2
        out.append(f'<text x="{x}" y="{top - 5}" fill="currentColor">{j}</text>')
    for i in range(rows):
        y = top + i * _CELL
        out.append(
            f'<text x="{_MARGIN - 12}" y="{y + _CELL // 2 + 4}" fill="currentColor">{i}</text>'
        )
        line = []
        for j, entry in enumerate(cells[i]):
            line.append(entry.text + entry.under)
            out.append(_box(_MARGIN + j * pitch, y, pitch, entry))
        table.append(line)
    out += _lines(rows, columns, pitch, top, rules)
    for n, note in enumerate(notes):
        y = top + rows * _CELL + 16 + 18 * n
        out.append(
            f'<text x="2" y="{y}" font-size="12" text-anchor="start" fill="currentColor">'
            f"{html.escape(note)}</text>"
        )
    out.append("</svg>\n")
    return Picture("\n".join(out), title, table, notes, accesses)


def _box(x: int, y: int, pitch: int, cell: _Cell) -> str:
    edge = ' stroke="#000" stroke-width="2.5"' if cell.bold else ' stroke="#888" stroke-width="0.5"'
    inset = 1.5 if cell.bold else 0
    width, height = pitch - 2 * inset, _CELL - 2 * inset
    hover = f"<title>{html.escape(cell.hover)}</title>" if cell.hover else ""
    middle = x + pitch // 2
    if cell.under:
        texts = (
            f'<text x="{middle}" y="{y + 11}">{cell.text}</text>'
            f'<text x="{middle}" y="{y + 22}">{cell.under}</text>'
        )
    else:
        texts = f'<text x="{middle}" y="{y + _CELL // 2 + 4}">{cell.text}</text>'
    return (
        f'<g>{hover}<rect x="{x + inset}" y="{y + inset}" width="{width}" height="{height}"'
        f' fill="{cell.fill}"{edge}/>{texts}</g>'
    )


def _lines(
    rows: int, columns: int, pitch: int, top: int, rules: tuple[Sequence[int], Sequence[int]]
) -> list[str]:
    """Rules where nested modes go on, the outer ones thicker."""
    lines = []
    for level, step in enumerate(rules[0]):
        for i in range(step, rows, step):
            y, right = top + i * _CELL, _MARGIN + columns * pitch
            lines.append(
                f'<path d="M{_MARGIN} {y}H{right}" stroke="#000" stroke-width="{level + 1}"/>'
            )
    for level, step in enumerate(rules[1]):
        for j in range(step, columns, step):
            x, bottom = _MARGIN + j * pitch, top + rows * _CELL
            lines.append(
                f'<path d="M{x} {top}V{bottom}" stroke="#000" stroke-width="{level + 1}"/>'
            )
    return lines


def layout(layout: LayoutLike) -> Picture:
    """Draw the index of each coordinate of a static layout, or composed layout, of one or two modes.

    Each 8 neighbouring indices have one shade, so that strides show; rules separate the parts of nested modes. The
    cursor over a cell shows its coordinate and index.

    TypeError for a layout with extents known only at run time, ValueError for more modes.
    """
    _expect_layout("layout", layout)
    shape = _extents(layout.shape)

    def cell(i: int, j: int) -> _Cell:
        index = _offset(layout, i, j)
        return _Cell(str(index), _SHADES[index // 8 % 8], f"({i},{j}) -> {index}")

    return _drawn(str(layout), shape, cell, (_rules(layout.shape, 0), _rules(layout.shape, 1)))


def _outside(value: int, thread: int, place: int, places: int) -> Exception:
    return make_error(
        "PictureValue",
        expected=f"threads and values inside of the tile's {places} elements",
        got=f"value {value} of thread {thread} at {place}",
    )


def _owners(layout_tv: LayoutLike, places: int) -> dict[int, tuple[int, int]]:
    """Place of a tile, counted down its columns -> the first (thread, value) there."""
    threads, values = _extents(layout_tv.shape)
    owners: dict[int, tuple[int, int]] = {}
    for thread in range(threads):
        for value in range(values):
            place = int(layout_tv((thread, value)))
            if not 0 <= place < places:
                raise _outside(value, thread, place, places)
            owners.setdefault(place, (thread, value))
    return owners


def thread_values(layout_tv: LayoutLike, tile: object, *, thread: int | None = None) -> Picture:
    """Draw the thread that holds each place of a tile, and the value: ``T3`` over ``V1``, coloured by the thread.

    Args:
        layout_tv: maps (thread, value) to places of the tile, counted down its columns.
        tile: the tile's extents, a tuple or a layout.
        thread: the places of this thread get a bold outline.

    TypeError for layouts known only at run time, ValueError for other numbers of modes, and for a value outside of the
    tile.
    """
    require(thread_values, thread=thread)
    rows, columns = _extents(getattr(tile, "shape", tile))
    owners = _owners(layout_tv, rows * columns)

    def cell(i: int, j: int) -> _Cell:
        owner = owners.get(i + j * rows)
        if owner is None:
            return _Cell("", "#fff", f"({i},{j}): no thread")
        hover = f"({i},{j}): thread {owner[0]}, value {owner[1]}"
        return _Cell(f"T{owner[0]}", _HUES[owner[0] % 8], hover, f"V{owner[1]}", owner[0] == thread)

    return _drawn(f"threads and values {layout_tv}", (rows, columns), cell)


def partition(layout: LayoutLike, layout_tv: LayoutLike, thread: int) -> Picture:
    """Draw the places of a tile that one thread has, outlined, on the indices that the tile's layout gives them.

    Args:
        layout: the tile's layout.
        layout_tv: maps (thread, value) to places of the tile, counted down its columns.
        thread: the thread.

    Raises ValueError for a thread that the layout does not have.
    """
    _expect_layout("partition", layout)
    rows, columns = _extents(layout.shape)
    owners = _owners(layout_tv, rows * columns)
    values = {place: value for place, (owner, value) in owners.items() if owner == thread}
    if not values:
        raise make_error(
            "PictureValue",
            expected="a thread that holds elements of the tile",
            got=f"thread {thread}, which holds none",
        )

    def cell(i: int, j: int) -> _Cell:
        index, value = _offset(layout, i, j), values.get(i + j * rows)
        if value is None:
            return _Cell(str(index), "#fff", f"({i},{j}) -> {index}")
        hover = f"({i},{j}) -> {index}: value {value}"
        return _Cell(str(index), _HUES[thread % 8], hover, f"V{value}", True)

    return _drawn(f"thread {thread} of {layout_tv} on {layout}", (rows, columns), cell)


def _bits(dtype: object) -> int:
    width = getattr(dtype, "width", dtype)
    if isinstance(width, bool) or not isinstance(width, int) or width < 1:
        raise make_error(
            "PictureType",
            expected="a numeric class or a number of bits as its dtype",
            got=repr(dtype),
        )
    return width


def _accessed(words: Iterable[int]) -> Accesses:
    of_bank: list[set[int]] = [set() for _ in range(_BANKS)]
    for word in words:
        of_bank[word % _BANKS].add(word)
    ways = max(map(len, of_bank), default=0)
    return Accesses(max(0, ways - 1), ways, tuple(tuple(sorted(words)) for words in of_bank))


def banks(
    layout: LayoutLike, dtype: object, threads: LayoutLike | None = None, *, access_bits: int = 0
) -> Picture:
    """Draw the bank of shared memory of each element of a tile, and the cost of a warp's accesses.

    Shared memory has 32 banks of 4 bytes: the bank of an address is ``address / 4 % 32``. Threads of a warp that ask
    for different words of one bank at once wait for each other. The tile begins at bank 0.

    Args:
        layout: the tile's layout, or composed layout of a swizzle (both count elements).
        dtype: the class of the elements, or their width in bits.
        threads: a layout (thread, value) -> place of the tile, counted down its columns. Each value is one access of
            the warp's 32 threads; ``picture.accesses`` tells what each costs. The worst is outlined if it has
            conflicts, and the text under the picture sums up.
        access_bits: how much a thread moves at once, 32 to 128; default one element. So many neighbouring values are
            one access. Of 64 bits it is done for 16 threads at a time, of 128 bits for 8.

    ValueError for values of one access that are not neighbours in memory.
    """
    require(banks, threads=threads, access_bits=access_bits)
    bits = _bits(dtype)
    shape = _extents(layout.shape)

    def word(i: int, j: int) -> int:
        return _offset(layout, i, j) * bits // (8 * _BANK_BYTES)

    accesses: list[Accesses] = []
    asked: dict[int, int] = {}  # of the worst access: place -> thread
    notes = []
    if threads is not None:
        costs = _accesses(layout, shape, bits, threads, access_bits or bits)
        accesses = [access for access, _ in costs]
        worst, places = max(costs, key=lambda cost: cost[0].ways)
        conflicts = sum(access.conflicts for access in accesses)
        if worst.ways > 1:
            asked = places
            summary = f"{_counted(conflicts, 'conflict')}; outlined: the worst, {worst.ways}-way"
        else:
            summary = "no conflicts"
        notes.append(f"{_counted(len(accesses), 'access')} of a warp: {summary}")

    def cell(i: int, j: int) -> _Cell:
        bank = word(i, j) % _BANKS
        hover = f"({i},{j}) -> {_offset(layout, i, j)}: bank {bank}"
        thread = asked.get(i + j * shape[0])
        if thread is None:
            return _Cell(str(bank), _hue(bank), hover)
        return _Cell(str(bank), _hue(bank), f"{hover}, thread {thread}", f"T{thread}", True)

    rules = (_rules(layout.shape, 0), _rules(layout.shape, 1))
    return _drawn(f"banks of {layout}", shape, cell, rules, notes, accesses)


def _hue(bank: int) -> str:
    """A pale colour of its own for each bank."""
    red, green, blue = colorsys.hls_to_rgb(bank / _BANKS, 0.82, 0.75)
    return f"#{round(255 * red):02x}{round(255 * green):02x}{round(255 * blue):02x}"


def _counted(count: int, name: str) -> str:
    """``1 line``, ``3 lines``, ``2 accesses``."""
    plural = "es" if name.endswith("s") else "s"
    return f"{count} {name}{'' if count == 1 else plural}"


def _accesses(
    layout: LayoutLike, shape: tuple[int, int], bits: int, threads: LayoutLike, access_bits: int
) -> list[tuple[Accesses, dict[int, int]]]:
    """Each access of a warp, with the places of the tile that it asks for and their threads."""
    rows = shape[0]
    count, values = _extents(threads.shape)

    def address(thread: int, value: int) -> int:
        place = int(threads((thread, value)))
        if not 0 <= place < rows * shape[1]:
            raise _outside(value, thread, place, rows * shape[1])
        return _offset(layout, place % rows, place // rows) * bits // 8

    width = access_bits // bits
    if access_bits % bits or values % width or access_bits > 128:
        raise make_error(
            "PictureValue",
            expected=f"access_bits that are a multiple of {bits} up to 128 and divide the {values} values of a thread",
            got=access_bits,
        )
    for thread in range(min(count, 32)):
        for value in range(values):
            first = value - value % width
            if (address(thread, value) - address(thread, first)) * 8 != (value - first) * bits:
                raise make_error(
                    "PictureValue",
                    expected=f"values of a thread that are neighbours in memory, for one access of {access_bits} bits",
                    got=f"values {first} and {value} of thread {thread}, which are not",
                )
    group = 32 * 32 // max(32, width * bits)  # threads whose words the banks give at once
    accesses = []
    for value in range(0, values, width):
        for first in range(0, min(count, 32), group):
            words = {
                (address(thread, value) + byte) // _BANK_BYTES
                for thread in range(first, min(first + group, count))
                for byte in range(0, max(1, width * bits // 8), _BANK_BYTES)
            }
            places = {
                int(threads((thread, element))): thread
                for thread in range(first, min(first + group, count))
                for element in range(value, value + width)
            }
            accesses.append((_accessed(words), places))
    return accesses


def coalescing(
    layout: LayoutLike, dtype: object, threads: LayoutLike, *, value: int = 0
) -> Picture:
    """Draw the lines of 128 bytes of global memory that one access of a warp touches: the elements that the 32 threads
    ask for are outlined, coloured by line. The fewer lines, the better.

    Args:
        layout: the tile's layout; its first element begins a line.
        dtype: the class of the elements, or their width in bits.
        threads: a layout (thread, value) -> place of the tile, counted down its columns.
        value: which value of each thread.
    """
    bits = _bits(dtype)
    rows, columns = shape = _extents(layout.shape)
    count, _ = _extents(threads.shape)
    asked = {int(threads((thread, value))): thread for thread in range(min(32, count))}
    lines = {
        _offset(layout, place % rows, place // rows) * bits // 8 // _LINE_BYTES for place in asked
    }

    def cell(i: int, j: int) -> _Cell:
        index, thread = _offset(layout, i, j), asked.get(i + j * rows)
        line = index * bits // 8 // _LINE_BYTES
        hover = f"({i},{j}) -> {index}: line {line}"
        fill = _HUES[line % 8] if line in lines else "#fff"
        if thread is None:
            return _Cell(str(index), fill, hover)
        return _Cell(str(index), fill, f"{hover}, thread {thread}", f"T{thread}", True)

    used = len(asked) * bits / 8 / (len(lines) * _LINE_BYTES)
    note = (
        f"{_counted(len(asked), 'thread')} touch {_counted(len(lines), 'line')} of 128 bytes, "
        f"of which they use {used:.0%}"
    )
    return _drawn(f"value {value} of {threads} on {layout}", shape, cell, notes=[note])


def mma(tiled_mma: Any, operand: str = "C") -> Picture:
    """Draw which thread holds each element of an operand of an MMA atom, or of the whole tile of a tiled MMA.

    If several threads hold an element, as those of A for atoms side by side, the first thread is shown.

    Args:
        tiled_mma: what ``make_mma_atom`` or ``make_tiled_mma`` gave.
        operand: ``"A"`` (M, K), ``"B"`` (N, K) or ``"C"`` (M, N).

    Raises ValueError for another operand.
    """
    if operand not in ("A", "B", "C"):
        raise make_error(
            "PictureValue", expected='"A", "B" or "C" as the operand', got=repr(operand)
        )
    if tile_size := getattr(tiled_mma, "get_tile_size", None):
        m, n, k = (_size(tile_size(mode)) for mode in range(3))
        layout_tv = getattr(tiled_mma, f"tv_layout_{operand}_tiled")
    elif (shape_mnk := getattr(tiled_mma, "shape_mnk", None)) is None:
        raise wrong_argument("mma", "tiled_mma", "an MMA atom or a tiled MMA", tiled_mma)
    else:
        m, n, k = map(_size, shape_mnk)
        layout_tv = getattr(tiled_mma, f"tv_layout_{operand}")
    return thread_values(layout_tv, {"A": (m, k), "B": (n, k), "C": (m, n)}[operand])


def draw(value: Any) -> Picture:
    """Draw the picture of ``value``: a layout, a composed layout, a tiled copy (its threads and values) or an MMA (its
    C).

    Raises TypeError for anything else.
    """
    if hasattr(value, "layout_tv_tiled"):
        return thread_values(value.layout_tv_tiled, _tile(value.tiler_mn))
    if hasattr(value, "tv_layout_C"):
        return mma(value)
    function: Any = value
    if hasattr(function, "shape") and callable(value):
        return layout(function)
    if hasattr(value, "layout"):
        return layout(value.layout)
    raise make_error(
        "PictureType",
        expected="a layout, a tensor, a tiled copy or an MMA",
        got=type(value).__name__,
    )


def _tile(tiler: object) -> tuple[int, int]:
    """The extents of a tiler, whose modes may be layouts."""
    parts = tiler if isinstance(tiler, tuple) else (tiler,)
    sizes = [_size(getattr(part, "shape", part)) for part in parts]
    return (sizes[0], sizes[1] if len(sizes) > 1 else 1)


if not TYPE_CHECKING:  # a type checker knows the names that there are
    __getattr__ = missing(__name__)


name_keywords(__all__, globals())


def __dir__() -> list[str]:
    """The names that completion offers."""
    return sorted(__all__)
