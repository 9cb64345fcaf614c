"""Draw the pictures of docs/blackwell.md from the layouts that kernels use, next to this file.

`python docs/images/draw_blackwell.py` writes the files. A test compares them with new drawings.
"""

from __future__ import annotations

import html
from collections.abc import Iterable
from pathlib import Path

from fairlead import Float4E2M1FN, Float8E4M3FN, Float16, Float32, cute
from fairlead.cute.nvgpu import OperandMajorMode, tcgen05, warp, warpgroup
from fairlead.utils import blackwell_helpers as sm100
from fairlead.utils import blockscaled_layout as scaled

K = OperandMajorMode.K
ONE, TWO = tcgen05.CtaGroup
LANES, COLUMNS, LANES_OF_WARP = 128, 512, 32
#: Address of lane 1 in tensor memory.
LANE = 1 << 16

INK, NOTE, EDGE = "#1f2328", "#57606a", "#8c959f"
# Pale enough for dark text on them; the paper is white, so that pages may be light or dark.
FILLS = ("#cfe4ff", "#ffe2b8", "#c9efd2", "#f6d0e2", "#e0d7fb", "#fdf3a9", "#c8eef0", "#e3e6ea")
FREE = "#f6f8fa"


class Drawing:
    """An SVG file, from boxes, lines and texts."""

    def __init__(self, width: int, height: int, title: str) -> None:
        self.lines = [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" '
            f'font-family="system-ui, sans-serif" font-size="12" text-anchor="middle" fill="{INK}">',
            f"<title>{html.escape(title)}</title>",
            '<defs><marker id="a" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" '
            f'orient="auto"><path d="M0 0L8 4L0 8z" fill="{NOTE}"/></marker></defs>',
            f'<rect width="{width}" height="{height}" rx="6" fill="#fff"/>',
        ]

    def box(
        self, x: float, y: float, width: float, height: float, fill: str, edge: str = EDGE
    ) -> None:
        self.lines.append(
            f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" fill="{fill}" stroke="{edge}"/>'
        )

    def text(
        self, x: float, y: float, text: str, size: int = 12, anchor: str = "", fill: str = ""
    ) -> None:
        attributes = f' font-size="{size}"' if size != 12 else ""
        attributes += f' text-anchor="{anchor}"' if anchor else ""
        attributes += f' fill="{fill}"' if fill else ""
        self.lines.append(f'<text x="{x:g}" y="{y:g}"{attributes}>{html.escape(text)}</text>')

    def heading(self, x: float, y: float, text: str) -> None:
        self.lines.append(
            f'<text x="{x:g}" y="{y:g}" font-weight="600" text-anchor="start">{html.escape(text)}</text>'
        )

    def note(self, x: float, y: float, text: str, anchor: str = "", size: int = 11) -> None:
        self.text(x, y, text, size, anchor, NOTE)

    def path(self, path: str, arrow: bool = False, dashed: bool = False) -> None:
        attributes = ' marker-end="url(#a)"' if arrow else ""
        attributes += ' stroke-dasharray="4 3"' if dashed else ""
        self.lines.append(f'<path d="{path}" fill="none" stroke="{NOTE}"{attributes}/>')

    def svg(self) -> str:
        return "\n".join([*self.lines, "</svg>\n"])


def span(first: int, count: int) -> str:
    return f"{first}-{first + count - 1}" if count > 1 else str(first)


def runs(values: Iterable[int]) -> list[tuple[int, int, int]]:
    """Group values that count up: (position, first value, count) of each run."""
    groups: list[tuple[int, int, int]] = []
    for position, value in enumerate(values):
        if groups and value == groups[-1][1] + groups[-1][2]:
            start, first, count = groups[-1]
            groups[-1] = (start, first, count + 1)
        else:
            groups.append((position, value, 1))
    return groups


# --- Tensor memory.


def dense(group: tcgen05.CtaGroup, tile: tuple[int, int]) -> cute.TiledMma:
    return sm100.make_trivial_tiled_mma(Float16, K, K, Float32, group, tile)


def scaled_mma() -> cute.TiledMma:
    return sm100.make_blockscaled_trivial_tiled_mma(
        Float4E2M1FN, Float4E2M1FN, K, K, Float8E4M3FN, 16, ONE, (128, 128)
    )


def places(
    group: tcgen05.CtaGroup, tile: tuple[int, int], block: int
) -> dict[tuple[int, int], int]:
    """Return the address in a block's tensor memory of each (row, column) of a tile that the block holds."""
    mma = dense(group, tile)
    addresses = mma.make_fragment_C(mma.partition_shape_C(tile)).layout
    elements = mma.tv_layout_C_tiled
    result = {}
    for value in range(cute.size(addresses)):
        column, row = divmod(int(elements((block, value))), tile[0])
        result[row, column] = int(addresses(value))
    return result


def patches(cells: dict[tuple[int, int], int]) -> list[tuple[int, int, int, int, int, int]]:
    """Divide a tile where its addresses do not count on: (row, rows, column, columns, lane, column in memory)."""
    rows, columns = sorted({row for row, _ in cells}), sorted({column for _, column in cells})
    by_lane = runs(cells[row, columns[0]] // LANE for row in rows)
    by_column = runs(cells[rows[0], column] for column in columns)
    result = []
    for row_at, lane, height in by_lane:
        for column_at, _, width in by_column:
            row, column = rows[row_at], columns[column_at]
            lane, first = divmod(cells[row, column], LANE)
            expected = [(lane + i) * LANE + first + j for i in range(height) for j in range(width)]
            assert expected == [
                cells[row + i, column + j] for i in range(height) for j in range(width)
            ]
            result.append((row, height, column, width, lane, first))
    return result


def frame(drawing: Drawing, x: int, y: int, width: float, height: float) -> None:
    """Draw 128 lanes, with a line after the lanes of each warp."""
    drawing.box(x, y, width, height, FREE)
    for lane in range(0, LANES, LANES_OF_WARP):
        drawing.note(x - 6, y + lane * height / LANES + 10, str(lane), "end")
    drawing.note(x - 6, y + height, "127", "end")


def warps(drawing: Drawing, x: float, y: int, width: float, height: float) -> None:
    for lane in range(LANES_OF_WARP, LANES, LANES_OF_WARP):
        at = y + lane * height / LANES
        drawing.path(f"M{x:g} {at:g}H{x + width:g}", dashed=True)


def tensor_memory() -> str:
    """The tensor memory of a multiprocessor, with two tiles of sums and scale factors."""
    drawing = Drawing(760, 350, "Tensor memory: 128 lanes of 512 columns")
    x, y, height = 56, 58, 256
    drawing.heading(
        x, 20, "Tensor memory of one multiprocessor: 128 lanes x 512 columns of 32 bits"
    )
    frame(drawing, x, y, COLUMNS, height)
    tile = (128, 128)
    (patch,) = patches(places(ONE, tile, 0))
    names = [("sums of tile 0", 0, FILLS[0]), ("sums of tile 1", 1, FILLS[1])]
    for name, stage, fill in names:
        left = x + stage * patch[3]
        drawing.box(left, y, patch[3], height, fill)
        drawing.text(left + 64, y + 82, name)
        drawing.note(left + 64, y + 98, "row i in lane i,")
        drawing.note(left + 64, y + 112, "column j in column j")
    staged = scaled.make_smem_layout_sfa(scaled_mma(), (*tile, 256), 16, 1)
    layout = scaled.make_tmem_layout_sfa(
        scaled_mma(), (*tile, 256), 16, cute.select(staged, mode=[0, 1, 2])
    )
    last = int(layout(((((31, 3), 0), (0, 3)), 0, (0, 3))))
    width = last % (4 * LANE) // 4 + 1
    for name, index, fill in (("A", 0, FILLS[2]), ("B", 1, FILLS[3])):
        drawing.box(x + 256 + index * width, y, width, height, fill)
        drawing.text(x + 256 + (index + 0.5) * width, y + 90, name, 11)
    drawing.text(x + 256 + 2 * width + 8, y + 84, "scale factors of A and B", anchor="start")
    drawing.note(x + 256 + 2 * width + 8, y + 100, f"{width} columns each for 4 products", "start")
    drawing.note(x + 256 + 2 * width + 8, y + 164, "free", "start")
    warps(drawing, x, y, COLUMNS, height)
    for column in (0, 128, 256, 384, 511):
        drawing.note(x + column, y - 6, str(column))
    drawing.note(x + COLUMNS / 2, y - 20, "column: bits 0 to 15 of an address")
    drawing.note(x - 40, y - 6, "lane:", "start")
    drawing.note(
        x,
        y + height + 20,
        "lane: bits 16 to 31 of an address. Reserved: 512 columns, a power of two",
        "start",
    )
    for index in range(4):
        at = y + (index + 0.5) * height / 4
        drawing.text(x + COLUMNS + 12, at, f"warp {index} of a warpgroup", anchor="start")
        lanes = span(LANES_OF_WARP * index, LANES_OF_WARP)
        drawing.note(x + COLUMNS + 12, at + 15, f"loads and stores lanes {lanes}", "start")
    return drawing.svg()


def sums_in(drawing: Drawing, x: int, y: int, cells: dict[tuple[int, int], int]) -> None:
    """Draw the elements of a tile in the first 64 columns of tensor memory."""
    across, down = 3.0, 1.5
    frame(drawing, x, y, 64 * across, LANES * down)
    for row, rows, column, columns, lane, first in patches(cells):
        left, top = x + first * across, y + lane * down
        drawing.box(left, top, columns * across, rows * down, FILLS[row // 64 % 8])
        middle = left + columns * across / 2
        if rows * down < 40:
            text = f"rows {span(row, rows)}, columns {span(column, columns)}"
            drawing.text(middle, top + rows * down / 2 + 4, text, 11)
        else:
            drawing.text(middle, top + 20, f"rows {span(row, rows)}")
            drawing.note(middle, top + 35, f"columns {span(column, columns)}")
    warps(drawing, x, y, 64 * across, LANES * down)
    drawing.note(x, y + LANES * down + 14, "0")
    drawing.note(x + 63.5 * across, y + LANES * down + 14, "63")


def sums() -> str:
    """Draw the rows of C in tensor memory, for each number of rows of a product."""
    drawing = Drawing(
        560, 800, "Rows and columns of a tile of sums in lanes and columns of tensor memory"
    )
    choices = [
        (ONE, (128, 64), (0,), "128 rows, one block"),
        (ONE, (64, 64), (0,), "64 rows, one block"),
        (TWO, (256, 64), (0, 1), "256 rows, a pair of blocks"),
        (TWO, (128, 64), (0, 1), "128 rows, a pair of blocks"),
    ]
    panels = [
        (group, tile, block, name + (": " + ("even", "odd")[block] if group is TWO else ""))
        for group, tile, blocks, name in choices
        for block in blocks
    ]
    for index, (group, tile, block, name) in enumerate(panels):
        x, y = 50 + index % 2 * 270, 44 + index // 2 * 256
        drawing.heading(x, y - 12, name)
        sums_in(drawing, x, y, places(group, tile, block))
    drawing.note(
        50, 790, "Down: lanes. Across: columns. Pale: not used by this tile of 64 columns.", "start"
    )
    return drawing.svg()


# --- Scale factors.


def factors_in_shared_memory() -> dict[int, tuple[int, int]]:
    """Return the (row, factor) of each byte of a chunk: 128 rows, four factors of each."""
    layout = scaled.tile_atom_to_shape_SF((128, 64), 16)
    return {int(layout((row, 16 * s))): (row, s) for row in range(128) for s in range(4)}


def factors_in_tensor_memory() -> dict[tuple[int, int, int], tuple[int, int]]:
    """Return the (row, factor) of each (lane, column, byte)."""
    mma, tile = scaled_mma(), (128, 128, 64)
    staged = scaled.make_smem_layout_sfa(mma, (128, 128, 256), 16, 1)
    layout = scaled.make_tmem_layout_sfa(
        mma, (128, 128, 256), 16, cute.select(staged, mode=[0, 1, 2])
    )
    factors = {}
    for row in range(tile[0]):
        for copy in range(4):
            for s in range(4):
                at = int(layout(((((row % 32, row // 32), copy), (0, s)), 0, (0, 0))))
                lane, byte = divmod(at, 4 * LANE)
                factors[lane, byte // 4, byte % 4] = (row, s)
    return factors


def four_factors(factors: list[tuple[int, int]]) -> tuple[int, str]:
    """Name four neighbouring bytes, the factors of one row."""
    (row,) = {row for row, _ in factors}
    assert [s for _, s in factors] == [0, 1, 2, 3]
    return row, f"row {row}: s0-s3"


def factor_rows(
    drawing: Drawing, x: int, y: int, names: list[tuple[str, list[tuple[int, str]]]]
) -> None:
    """Draw lines of four cells; a line without cells is left out, as dots."""
    for line, (label, cells) in enumerate(names):
        at = y + line * 20
        drawing.note(x - 6, at + 14, label, "end")
        for index, (row, text) in enumerate(cells):
            drawing.box(x + index * 92, at, 92, 20, FILLS[row // 32])
            drawing.text(x + index * 92 + 46, at + 14, text, 11)
        if not cells:
            drawing.text(x + 184, at + 12, "...")


def scale_factors() -> str:
    """A chunk of scale factors in shared memory, and its four copies in tensor memory."""
    drawing = Drawing(930, 450, "Scale factors in shared memory and in tensor memory")
    shared, memory = factors_in_shared_memory(), factors_in_tensor_memory()
    drawing.heading(16, 22, "Shared memory: a chunk of 512 bytes")
    drawing.note(16, 38, "128 rows, four factors s0-s3 of each (one byte each)", "start")
    lines: list[tuple[str, list[tuple[int, str]]]] = []
    for line in (0, 1, 2, None, 31):
        if line is None:
            lines.append(("", []))
            continue
        first = 16 * line
        cells = [four_factors([shared[first + 4 * i + s] for s in range(4)]) for i in range(4)]
        lines.append((f"+{first}", cells))
    factor_rows(drawing, 56, 62, lines)
    for index in range(4):
        drawing.note(56 + index * 92 + 46, 56, f"bytes {span(4 * index, 4)}")
    drawing.heading(506, 22, "Tensor memory: 4 columns")
    drawing.note(506, 38, "one product of M = 128 (K: 4 x 16 elements) reads them", "start")
    for index in range(4):
        drawing.note(546 + index * 92 + 46, 56, f"column {index}")
    lines = []
    for index in range(4):
        for offset in (0, 1, None, 31):
            if offset is None:
                lines.append(("", []))
                continue
            lane = LANES_OF_WARP * index + offset
            cells = [four_factors([memory[lane, c, s] for s in range(4)]) for c in range(4)]
            assert all(
                memory[lane, c, s] == memory[offset, c, s] for c in range(4) for s in range(4)
            )
            lines.append((f"lane {lane}" if not offset else str(lane), cells))
    factor_rows(drawing, 546, 62, lines)
    for index in range(1, 4):
        drawing.path(f"M506 {62 + index * 80}H914", dashed=True)
    for index in range(4):
        at = 102 + index * 80
        drawing.path(f"M428 112C465 112 465 {at} 500 {at}", arrow=True)
    drawing.text(230, 190, "tcgen05.cp 32x128b.warpx4")
    drawing.note(230, 206, "copies the 32 lines of 16 bytes to the lanes of each warp")
    drawing.note(230, 222, "(cute: tcgen05.Cp4x32x128bOp)")
    drawing.note(
        16,
        420,
        "Byte s of a line's 32 bits is the factor of elements 16 s to 16 s + 15 along K (NVFP4).",
        "start",
    )
    drawing.note(16, 438, "Colours: rows 0-31, 32-63, 64-95 and 96-127.", "start")
    return drawing.svg()


# --- Fragments in registers.


def owners(
    layout: cute.Layout, rows: int, threads: Iterable[int]
) -> dict[tuple[int, int], tuple[int, int]]:
    """Return the (thread, value) that holds each (row, column) of an operand."""
    result = {}
    for thread in threads:
        for value in range(cute.size(layout, mode=[1])):
            column, row = divmod(int(layout((thread, value))), rows)
            result[row, column] = (thread, value)
    return result


def pairs(
    drawing: Drawing, x: int, y: int, cells: dict[tuple[int, int], tuple[int, int]], down: bool
) -> None:
    """Draw a thread for each two neighbours, across or down, that it holds as values v and v + 1."""
    for (row, column), (thread, value) in sorted(cells.items()):
        if (row if down else column) % 2:
            continue
        assert cells[row + down, column + (not down)] == (thread, value + 1)
        width, height = (44, 36) if down else (56, 18)
        left = x + (column * width if down else column // 2 * width)
        top = y + (row // 2 * height if down else row * height)
        drawing.box(left, top, width, height, FILLS[thread % 4 if down else thread // 4 % 8])
        name = f"T{thread}"
        if down:
            drawing.text(left + width / 2, top + 15, name, 11)
            drawing.note(left + width / 2, top + 28, f"v{value},{value + 1}", size=9)
        else:
            drawing.text(left + 4, top + 13, name, 11, "start")
            drawing.note(left + width - 3, top + 13, f"v{value},{value + 1}", "end", 9)


def warp_fragments() -> str:
    """The operands of mma.sync m16n8k16 in the registers of a warp."""
    atom = cute.make_mma_atom(warp.MmaF16BF16Op(Float16, Float32, (16, 8, 16)))
    drawing = Drawing(872, 700, "Fragments of mma.sync m16n8k16: which thread holds which elements")
    every = range(32)
    a, b, c = (
        owners(layout, rows, every)
        for layout, rows in ((atom.tv_layout_A, 16), (atom.tv_layout_B, 8), (atom.tv_layout_C, 16))
    )
    drawing.heading(40, 340, "A: 16 rows x 16 of K")
    pairs(drawing, 40, 366, a, False)
    drawing.heading(508, 24, "B: 16 of K x 8 columns")
    pairs(drawing, 508, 48, {(k, n): owner for (n, k), owner in b.items()}, True)
    drawing.heading(508, 358, "C: 16 rows x 8 columns")
    pairs(drawing, 508, 366, c, False)
    for row in range(16):
        drawing.note(34, 366 + 18 * row + 13, str(row), "end")
    for column in range(8):
        drawing.note(508 + 44 * column + 22, 42, str(column))
        drawing.note(40 + 56 * column + 28, 360, span(2 * column, 2))
        drawing.note(502, 48 + 36 * column + 22, span(2 * column, 2), "end")
    for line, text in enumerate((
        "mma.sync m16n8k16: every operand is in registers.",
        "T5: lane 5 of the warp. v2,3: its values 2 and 3,",
        "two neighbours along K, or of C two neighbouring columns.",
        "Each lane holds 8 values of A, 4 of B, and 4 of C.",
        "One colour in A and C: the 4 lanes that share rows.",
    )):  # fmt: skip
        drawing.text(40, 70 + 20 * line, text, anchor="start")
    return drawing.svg()


def warpgroup_sums() -> str:
    """The accumulators of wgmma m64n8k16 in the registers of a warpgroup."""
    op = warpgroup.MmaF16BF16Op(Float16, Float32, (64, 8, 16), warpgroup.OperandSource.SMEM, K, K)
    layout = cute.make_mma_atom(op).tv_layout_C
    drawing = Drawing(780, 420, "Accumulators of wgmma m64n8k16: which thread holds which elements")
    drawing.heading(
        30,
        24,
        "wgmma: 64 rows x N columns of sums, in the registers of 128 threads; here the first 8 columns",
    )
    cells = owners(layout, 64, range(128))
    for index in range(4):
        owners_of_warp = {
            (row, column): owner for (row, column), owner in cells.items() if row // 16 == index
        }
        assert {thread // 32 for thread, _ in owners_of_warp.values()} == {index}
        x, y = 44 + index * 184, 64
        drawing.text(x + 74, 50, f"warp {index}", 12)
        for (row, column), (thread, value) in sorted(owners_of_warp.items()):
            if column % 2:
                continue
            assert owners_of_warp[row, column + 1] == (thread, value + 1)
            left, top = x + column // 2 * 37, y + row % 16 * 18
            drawing.box(left, top, 37, 18, FILLS[thread // 4 % 8])
            drawing.text(left + 18.5, top + 13, f"T{thread}", 10)
        for row in (0, 7, 8, 15):
            drawing.note(x - 5, y + 18 * row + 13, str(16 * index + row), "end")
    drawing.note(
        30,
        376,
        "A cell: two neighbouring columns. Each warp holds 16 rows, as C of mma.sync m16n8k16.",
        "start",
    )
    drawing.note(
        30,
        394,
        "Columns 8 to 15 are held by the same threads as their values 4 to 7, and so on to N.",
        "start",
    )
    return drawing.svg()


# --- Shared memory.


def swizzle() -> str:
    """Rows of 128 bytes, as TMA writes them and products read them."""
    tile = (128, 64, 64)
    staged = sm100.make_smem_layout_a(dense(ONE, tile[:2]), tile, Float16, 1)
    drawing = Drawing(810, 290, "The swizzle of rows of 128 bytes")
    drawing.heading(
        56, 22, "Shared memory: each row of 64 Float16 takes 128 bytes, 8 units of 16 bytes"
    )
    for place in range(8):
        x = 56 + 92 * place
        drawing.note(x + 46, 46, f"bytes {span(16 * place, 16)}")
        drawing.note(x + 46, 60, f"banks {span(4 * place, 4)}")
    for row in range(8):
        drawing.note(50, 66 + 22 * row + 15, f"row {row}", "end")
        for unit in range(8):
            k = 8 * unit
            index = int(staged.outer(((row, k % 16), 0, k // 16, 0)))
            byte = int(staged.inner(index * Float16.width // 8))
            assert byte // 128 == row
            x, y = 56 + byte % 128 // 16 * 92, 66 + 22 * row
            drawing.box(x, y, 92, 22, FILLS[unit])
            drawing.text(x + 46, y + 15, f"k {span(k, 8)}", 11)
    drawing.note(
        56,
        262,
        "Unit u of row r lies at place u xor (r mod 8). So the 8 units of one colour, which are read together,",
        "start",
    )
    drawing.note(
        56,
        278,
        "lie in 8 different groups of banks. Without the swizzle they would lie below each other, in the same banks.",
        "start",
    )
    return drawing.svg()


# --- Pairs of blocks.


def part(layout: cute.Layout, rows: int, block: int) -> tuple[str, str]:
    """Return the rows and columns of an operand that a block of a pair holds."""
    elements = [int(layout((block, value))) for value in range(cute.size(layout, mode=[1]))]
    lines, columns = (
        {f(element, rows) for element in elements} for f in (int.__mod__, int.__floordiv__)
    )
    assert len(lines) * len(columns) == len(elements)
    return span(min(lines), len(lines)), span(min(columns), len(columns))


def pair_of_blocks() -> str:
    """Draw the parts of a tile of 256 x 64 in both blocks of a pair, and the reads and writes of one product."""
    mma = dense(TWO, (256, 64))
    drawing = Drawing(760, 300, "A pair of blocks multiplies one tile of 256 x 64")
    for block, name in enumerate(("Even block", "Odd block")):
        x = 20 + 375 * block
        a, b, c = (
            part(layout, rows, block)
            for layout, rows in (
                (mma.tv_layout_A_tiled, 256),
                (mma.tv_layout_B_tiled, 64),
                (mma.tv_layout_C_tiled, 256),
            )
        )
        drawing.heading(x, 24, name)
        drawing.box(x, 34, 345, 84, FREE)
        drawing.note(x + 8, 50, "shared memory", "start")
        drawing.box(x + 10, 58, 210, 50, FILLS[0])
        drawing.text(x + 115, 87, f"rows {a[0]} of A")
        drawing.box(x + 230, 58, 105, 50, FILLS[1])
        drawing.text(x + 282, 87, f"rows {b[0]} of B")
        drawing.box(x, 196, 345, 84, FREE)
        drawing.note(x + 8, 212, "tensor memory", "start")
        drawing.box(x + 10, 220, 325, 50, FILLS[2 + block])
        drawing.text(x + 172, 249, f"rows {c[0]} of C, columns {c[1]}")
        drawing.path(f"M{x + 172} 118V138", arrow=True)
        drawing.path(f"M{x + 172} 174V194", arrow=True)
    drawing.box(120, 140, 520, 34, FILLS[4])
    drawing.text(380, 161, "one product of the pair, which one thread of the even block issues")
    return drawing.svg()


# --- Time.

LOAD, MULTIPLY, STORE = 20, 20, 120
STEPS, TILES, STAGES, SUM_STAGES = 5, 3, 2, 2
Bar = tuple[int, int, int, int]


def schedule() -> tuple[list[Bar], list[Bar], list[Bar]]:
    """Return loads, products and stores as (begin, end, tile, stage), each as early as the pipelines allow."""
    loads: list[Bar] = []
    products: list[Bar] = []
    stores: list[Bar] = []
    for step in range(STEPS * TILES):
        tile, stage = step // STEPS, step % STAGES
        begin = max(
            loads[-1][1] if loads else 0,
            products[step - STAGES][1] if step >= STAGES else 0,  # the stage is empty
        )
        loads.append((begin, begin + LOAD, tile, stage))
        begin = max(loads[-1][1], products[-1][1] if products else 0)  # the stage is full
        if step % STEPS == 0 and tile >= SUM_STAGES:
            begin = max(begin, stores[tile - SUM_STAGES][1])  # the sums are stored
        products.append((begin, begin + MULTIPLY, tile, stage))
        if step % STEPS == STEPS - 1:
            begin = max(products[-1][1], stores[-1][1] if stores else 0)
            stores.append((begin, begin + STORE, tile, tile % SUM_STAGES))
    return loads, products, stores


def timeline() -> str:
    """Draw the work of the warps of a pair of blocks, for three tiles of C with five steps along K."""
    loads, products, stores = schedule()
    drawing = Drawing(760, 330, "What the warps of a pair of blocks do at a time")
    x, rows = 190, {}
    for block, (name, roles) in enumerate((
        ("Even block", ("warp 4 loads", "warp 5 multiplies", "warps 0-3 store")),
        ("Odd block", ("warp 4 loads", "warps 0-3 store")),
    )):  # fmt: skip
        y = 44 + 142 * block
        drawing.heading(16, y - 12, name)
        for index, role in enumerate(roles):
            rows[block, role] = y + 34 * index
            drawing.text(24, y + 34 * index + 17, role, anchor="start")
            drawing.path(f"M{x} {y + 34 * index + 28}H744")
    for (_, role), y in rows.items():
        bars = loads if role.endswith("loads") else products if "mult" in role else stores
        for begin, end, tile, stage in bars:
            drawing.box(x + begin, y, end - begin, 24, FILLS[tile])
            drawing.text(x + (begin + end) / 2, y + 16, str(stage), 11)
    top, middle, bottom = (
        rows[0, role] for role in ("warp 4 loads", "warp 5 multiplies", "warps 0-3 store")
    )
    odd = rows[1, "warp 4 loads"]
    end = x + loads[0][1]
    drawing.path(f"M{end} {top + 24}V{middle - 1}", arrow=True)
    drawing.path(f"M{end} {odd}V{middle + 26}", arrow=True)
    done = x + products[STEPS - 1][1]
    drawing.path(f"M{done} {middle + 24}V{bottom - 1}", arrow=True)
    stored = x + stores[0][1]
    drawing.path(f"M{stored} {bottom}V{middle + 25}", arrow=True)
    for line, text in enumerate((
        "A number is the stage, 0 or 1: of A and B in shared memory, of the sums in tensor memory. Colours: tiles.",
        "Arrows: bytes of both blocks have arrived; the products of a tile are done; the sums of stage 0 are stored.",
        "A load waits until the products of its stage are done, and so overlaps with those of the other stage.",
    )):  # fmt: skip
        drawing.note(16, 284 + 17 * line, text, "start")
    return drawing.svg()


PICTURES = {
    "tensor-memory.svg": tensor_memory,
    "sums-in-tensor-memory.svg": sums,
    "scale-factors.svg": scale_factors,
    "warp-fragments.svg": warp_fragments,
    "warpgroup-sums.svg": warpgroup_sums,
    "swizzled-rows.svg": swizzle,
    "pair-of-blocks.svg": pair_of_blocks,
    "pair-timeline.svg": timeline,
}

if __name__ == "__main__":
    for name, draw in PICTURES.items():
        (Path(__file__).parent / name).write_text(draw(), encoding="utf-8")
