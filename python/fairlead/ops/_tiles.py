"""The choice of tiles of a product, by its shape."""

from __future__ import annotations

import functools
import math
from typing import Any, NamedTuple

from fairlead import _compiler
from fairlead.cute._types import Number

__all__ = ["CANDIDATES", "FEW_ROWS", "WARPGROUPS", "Tiles", "candidates", "choose", "place_of"]


class Tiles(NamedTuple):
    """Rows and columns of a tile of the result, blocks of a cluster along them, how many clusters' columns are gone
    through together, how many blocks, a cluster then, share the depth of a tile, how many rows of A are loaded for a
    tile, where A has no more, 0 for all of the tile's, and of how many parts of the depth another kernel adds the
    products."""

    m: int
    n: int
    cluster: tuple[int, int] = (1, 1)
    group: int = 8
    split: int = 1
    rows: int = 0
    parts: int = 1


#: Rows and columns of tiles.
CANDIDATES = (
    (128, 256), (256, 128), (256, 192), (128, 224), (128, 208), (192, 128), (192, 144), (128, 192), (128, 176),
    (192, 160), (128, 160), (192, 176), (128, 128), (256, 96), (192, 96), (128, 144), (128, 96),
    (64, 256), (64, 192), (64, 128), (128, 64), (64, 64), (64, 32),
)  # fmt: skip
#: So many rows of A, or fewer, are loaded by boxes of no more than a power of two that holds them.
FEW_ROWS = 32
#: Warpgroups that multiply a tile, by its rows.
WARPGROUPS = {64: 1, 128: 2, 192: 3, 256: 2}
#: What the columns of a tile are a multiple of where columns of B are neighbours: rows of fewer bytes are read slower.
_NEIGHBOURS = 32
# Measured on H200, in cycles of a multiprocessor:
_PER_CYCLE = 1024 * 16 // 8  # products of 16 bits
_SHARED = 143  # bytes of shared memory that are written or read
_TAKEN = 70  # bytes of operands that arrive
_LOADED = 58  # bytes of operands from the cache; blocks of a cluster load what they share once
_DIVIDED = 55  # likewise, where blocks are at different places of the depth
_PART = 66  # likewise, where blocks multiply parts of the depth
_STORED = 26  # bytes of a result
_BOX = 120  # until a box of a result is stored
_JOINED = 90  # until the other block of a cluster has room for rows of A that both load
_MEMORY = 18  # bytes from memory
_BEGIN = 3000  # until the first tile's operands are there, and the last one's results are stored
_SOONER = 300  # where warpgroups have two products at a time: by one short product alone
_EXCHANGED = (
    3000  # until blocks that share a depth have each other's sums; and one for every 8 of them
)
_ADDED = 500  # until another kernel begins to add, and as many for each part
_SUMS = 20  # bytes of parts' sums, which leave the cache and come back
#: Bytes of operands that each half of the cache holds in addition to other data. Below this, operands arrive at full
#: speed, and blocks gain nothing by loading together.
_NEAR = 4 << 20
_CACHE = 50 << 20  # bytes of both halves
_WAITED = 0.25  # the part that is waited for of what memory takes longer than multiprocessors
_TRIED = 1.3  # times the least time by the model is what tuning tries
#: The share of multiprocessors that clusters of so many blocks find room on.
_PLACED = {1: 1.0, 2: 1.0, 4: 0.9, 8: 0.75}


@functools.lru_cache(1024)
def choose(
    m: int, n: int, k: int, batch: int, blocks: int, element_bits: int = 16, split: bool = True, majors: str = "kk"
) -> Tiles:  # fmt: skip
    """The tiles that take the least time, by a model of multiprocessors that each work on every so many of them.

    Args:
        m, n, k, batch: the product's extents.
        blocks: multiprocessors.
        split: whether blocks may share the depth of a tile.
        majors: the contiguous modes of A, m or k, and of B, k or n.
    """
    forms = _forms(m, n, k, batch, blocks, element_bits, split, majors, best_only=True)
    best = min(forms, key=lambda form: form[0])[1]
    # Work on about as many rows as columns of the result at a time: the cache holds their operands.
    width = max(1, round((blocks * best.m / best.n) ** 0.5) // best.cluster[1])
    return best._replace(group=1 << (width.bit_length() - 1))


def candidates(
    m: int, n: int, k: int, batch: int, blocks: int, element_bits: int = 16, majors: str = "kk"
) -> list[Tiles]:
    """Return the tiles that tuning tries, best first by the model; arguments as of ``choose``."""
    forms_of_shape = _forms(m, n, k, batch, blocks, element_bits, True, majors)
    forms = sorted(forms_of_shape, key=lambda form: form[0])
    groups = (4, 8) if m * n * batch > blocks * 128 * 256 else (8,)
    return [
        tiles._replace(group=group)
        for time, tiles in forms
        if time <= _TRIED * forms[0][0]
        for group in groups
    ]


def _ceil(extent: int, by: int) -> int:
    return -(-extent // by)


def _forms(
    m: int, n: int, k: int, batch: int, blocks: int, element_bits: int, split: bool, majors: str,
    best_only: bool = False,
) -> list[tuple[float, Tiles]]:  # fmt: skip
    """Cycles by the model, and tiles.

    A multiprocessor works on its tiles one after the other. Each step along the depth takes as long as the slowest of
    products, shared memory and operands; then results are stored.

    With ``best_only``, forms that take no less time than one before them may be left out.
    """
    deep = 1024 // element_bits
    depth = _ceil(k, deep)
    multiplied = 16 * _PER_CYCLE / (deep * element_bits)
    first, second = (extent * k * batch * element_bits // 8 for extent in (m, n))
    # Rows that begin within a line of 128 bytes are loaded as two lines.
    near = first + second <= _NEAR and k * element_bits % 1024 == 0
    filled = max(8, 1 << (m - 1).bit_length())
    forms: list[tuple[float, Tiles]] = []
    best = math.inf

    def add(
        rate: int, additional: float = 0.0, cluster: tuple[int, int] = (1, 1), split: int = 1, parts: int = 1
    ) -> None:  # fmt: skip
        nonlocal best
        waves = -(-count * parts // blocks)
        steps = -(-depth // (split * parts))
        stored = rows * columns * (4 if parts > 1 else 2) / split / _STORED
        stored_columns = columns // split
        box = 64 * WARPGROUPS[rows] * min(stored_columns & -stored_columns, 64)
        stored += _BOX * rows * stored_columns / box
        begin = _BEGIN - (_SOONER if rows == 256 else 0)
        if best_only and waves * (steps * slowest + stored) + begin + additional >= best:
            return
        x, y = cluster
        loaded = (present / y + columns / x) * 128 / rate + (_JOINED if y > 1 else 0)
        one = steps * max(slowest, loaded)
        # Data that clusters of both halves of the cache read is in both.
        read = first * min(2, _ceil(along, y)) + second * min(2, _ceil(down, x))
        memory = read / (_MEMORY * blocks) if read > _CACHE else 0
        work = waves * (one + stored)
        waited = _WAITED * max(0.0, memory - work)
        time = work + waited + begin + additional
        best = min(best, time)
        forms.append((time, Tiles(rows, columns, cluster, split=split, parts=parts)))

    for rows, columns in CANDIDATES if m > 64 else reversed(CANDIDATES):
        if majors[1] == "n" and columns % _NEIGHBOURS:
            continue
        down, along = -(-m // rows), -(-n // columns)
        count = down * along * batch
        present = min(rows, filled)
        # Of what is not there, zeros arrive, except in boxes that are chosen for few rows.
        boxed = present if rows == 64 and m <= FEW_ROWS and majors[0] == "k" else rows
        # Each 64 rows of A are read with all of B.
        shared = (rows // 64 * (64 + columns) + boxed + columns) * 128 / _SHARED
        read_time = (boxed + columns) * 128 / _TAKEN
        slowest = max(rows * columns / multiplied, shared, read_time)
        if best_only and count * depth * slowest / blocks + _BEGIN - _SOONER >= best:
            continue
        cluster = _cluster(rows, columns, down, along)
        # The first of equally fast forms is chosen.
        for cluster_shape in (
            ((1, 1),) if cluster == (1, 1) else ((1, 1), cluster) if near else (cluster, (1, 1))
        ):
            add(_TAKEN if near else _LOADED, cluster=cluster_shape)
        if not split or depth < 4 or 2 * count > blocks:
            continue
        for number in _splits(rows, columns, count, depth, blocks):
            add(_DIVIDED, _EXCHANGED + rows * columns / 8, split=number)
        # Products of few rows wait for memory, and splitting needs more of it.
        if batch != 1 or min(m, n) < 256:
            continue
        for number in (2, 4, 8, 16):
            if count * number > blocks or k % (deep * number) or depth < 8 * number:
                continue
            additional = _ADDED * (1 + number) + number * m * n * 8 / (_SUMS * blocks)
            add(_PART, additional, parts=number)
    return forms


def _splits(rows: int, columns: int, count: int, depth: int, blocks: int) -> list[int]:
    """Return the numbers of blocks that can share the ``depth`` of each of ``count`` tiles, if there are as many
    multiprocessors. Each block stores an equal part of the columns, which are a power of two. Larger tiles are not
    split, since their sums take too long to exchange."""
    if rows * columns > 128 * 128 or columns & (columns - 1):
        return []
    return [
        parts
        for parts in (2, 4, 8)
        if count * parts <= _PLACED[parts] * blocks and 2 * parts <= depth and 16 * parts <= columns
    ]


def _cluster(rows: int, columns: int, down: int, along: int) -> tuple[int, int]:
    """Return the shape of clusters. Two blocks share the larger operand if the tiles along the other one come in pairs,
    or the operand that no other blocks need if the two have all of the other one."""
    if rows * columns < 64 * 64:
        return 1, 1
    if down == 2:
        return 2, 1
    if columns >= rows and down % 2 == 0:
        return 2, 1
    if along % 2 == 0:
        return 1, 2
    return (2, 1) if down % 2 == 0 else (1, 1)


def place_of(number: Number, m: Number, n: Number, group: int) -> tuple[Any, Any]:
    """Place ``number`` of m x n, by ``group`` neighbouring columns at a time, the last ones perhaps fewer: along their
    rows, one row after the other from the last one, whose tiles take longer to load where not all of them is there.
    For kernels."""
    size = m * group
    columns, inside = number // size, number % size
    width = _compiler.min(n - columns * group, _compiler.Int32(group))
    return m - 1 - inside // width, columns * group + inside % width
