"""The choice of tiles of a product, by its shape."""

from __future__ import annotations

import functools
from typing import Any, NamedTuple

from fairlead import _compiler
from fairlead.cute._types import Number
from fairlead.ops._tile_trees import TREES

__all__ = [
    "FEW_ROWS",
    "WARPGROUPS",
    "Tiles",
    "candidates",
    "choose",
    "columns_of_part",
    "place_of",
    "placed",
]


class Tiles(NamedTuple):
    """Rows and columns of a tile of the result, blocks of a cluster along them, how many clusters' columns are gone
    through together, how many blocks of a cluster share the depth of a tile, how many rows of A are loaded for a tile,
    where A has no more, 0 for all of the tile's, of how many parts of the depth another kernel adds the products,
    whether the tiles are those of the transposed product, whose rows are columns of the result, whether blocks may
    start while the kernel before ends, and whether two warpgroups compute tiles by turns."""

    m: int
    n: int
    cluster: tuple[int, int] = (1, 1)
    group: int = 8
    split: int = 1
    rows: int = 0
    parts: int = 1
    swapped: bool = False
    overlaps: bool = True
    alternating: bool = False


#: So many rows of A, or fewer, are loaded by boxes of no more than a power of two that holds them.
FEW_ROWS = 32
#: Warpgroups that multiply a tile, by its rows.
WARPGROUPS = {64: 1, 128: 2, 192: 3, 256: 2}
#: What the model knows of an H200. benchmarks/fit_tiles.py fits the trees that correct its times.
TIMES = {
    # In a cycle of a multiprocessor, bytes
    "shared": 148.0,  # of shared memory that are written or read
    "arriving": 95.0,  # of operands that arrive there
    "loaded": 54.0,  # of operands from the cache
    "nearby": 73.0,  # likewise, where each half of the cache holds all operands
    "divided": 41.0,  # likewise, where blocks are at different places of the depth
    "parted": 63.0,  # likewise, where blocks multiply parts of the depth
    "stored": 8.0,  # of a result
    "memory": 14.0,  # from memory
    "sums": 21.0,  # of parts' sums, which leave the cache and come back
    # Cycles
    "missing": 2.9,  # to fill 128 bytes that are not there with zeros
    "box": 210.0,  # until a box of a result is stored
    "begin": 4000.0,  # until first operands are there and last results are stored
    "sooner": 400.0,  # fewer of these, where a warpgroup has two products at a time
    "gathered": 80.0,  # more of these for a column, divided by the blocks of a cluster, if it has more than two
    "exchanged": 1690.0,  # until blocks that share a depth have each other's sums
    "added": 640.0,  # until another kernel adds sums, and as many for each part
    # Parts of one
    "across_lines": 0.7,  # of bytes from the cache, where rows begin within a line of it
    "waited": 0.6,  # that is waited for of what memory takes longer
    "narrow": 1.75,  # of bytes of columns of B, neighbours along N, that are no multiple of 64
}
_TREES = _compiler.ProductTrees(TREES)
#: How many forms tuning tries at most, of those that take 1.3 times the least time by the model, or less.
_MOST_TRIED = 40
#: The share of multiprocessors that clusters of so many blocks find room on.
_PLACED = {1: 1.0, 2: 1.0, 4: 0.91, 8: 0.91}


@functools.lru_cache(1024)
def choose(
    m: int, n: int, k: int, batch: int, blocks: int, element_bits: int = 16, split: bool = True, majors: str = "kk",
    swap: bool = False,
) -> Tiles:  # fmt: skip
    """The tiles that take the least time, by a model of multiprocessors that each work on every so many of them.

    Args:
        m, n, k, batch: the product's extents.
        blocks: multiprocessors.
        split: whether blocks may share the depth of a tile.
        majors: the contiguous modes of A, m or k, and of B, k or n.
        swap: whether tiles may be those of the transposed product.
    """
    best = _forms(m, n, k, batch, blocks, element_bits, majors, split, swap, 1)[0][1]
    return best._replace(group=_group(best, m, n, batch, blocks))


def _group(tiles: Tiles, m: int, n: int, batch: int, blocks: int) -> int:
    """Return the number of neighbouring columns of clusters that blocks go through together."""
    rows, columns = (n, m) if tiles.swapped else (m, n)
    x, y = tiles.cluster
    down, along = -(-rows // tiles.m) // x, -(-columns // tiles.n) // y
    if x * y > 2 or tiles.split > 1 or tiles.parts > 1 or down * x * along * y * batch > blocks:
        # Work on about as many rows as columns of the result at a time: the cache holds their operands.
        width: int = max(1, round((blocks * tiles.m / tiles.n) ** 0.5) // y)
        return 1 << (width.bit_length() - 1)
    # In a single turn, blocks that begin one after the other had better go along the extent of fewer tiles, and not
    # along a pair. For larger clusters, the order makes no difference.
    goes_down = y > x or (x == y and 3 * down <= 2 * along)
    return 1 if goes_down else 1 << blocks.bit_length()


def candidates(
    m: int, n: int, k: int, batch: int, blocks: int, element_bits: int = 16, majors: str = "kk", swap: bool = False,
) -> list[Tiles]:  # fmt: skip
    """Return the tiles that tuning tries, best first by the model; arguments as of ``choose``."""
    forms = _forms(m, n, k, batch, blocks, element_bits, majors, True, swap, _MOST_TRIED)
    is_large = m * n * batch > blocks * 128 * 256
    return [
        tiles._replace(group=group)
        for time, tiles in forms
        if time <= 1.3 * forms[0][0]
        for group in ((4, 8) if is_large else (_group(tiles, m, n, batch, blocks),))
    ]


def _forms(
    m: int, n: int, k: int, batch: int, blocks: int, element_bits: int, majors: str, split: bool, swap: bool, most: int
) -> list[tuple[float, Tiles]]:  # fmt: skip
    """Cycles by the model, and tiles, the fastest first."""
    # The trees were fitted to products of elements of 16 bits whose tiles may be transposed.
    trees = _TREES if element_bits == 16 and swap else None
    fastest = _compiler.product_tiles(
        m, n, k, batch, blocks, element_bits, majors, split, swap, most, TIMES, trees
    )
    return [
        (time, Tiles(m, n, cluster, 8, split, 0, parts, swapped, overlaps, alternating))
        for time, m, n, cluster, split, parts, swapped, alternating, overlaps in fastest
    ]


def columns_of_part(columns: int, most: int, swapped: bool) -> int:
    """Return how many of a tile's columns are stored at once, ``most`` at most. Neighbours of a row are a power of
    two."""
    if not swapped:
        return min(columns & -columns, most)
    return max(part for part in range(8, most + 1, 8) if columns % part == 0)


def placed(blocks: int, cluster: int) -> int:
    """Return how many blocks find room at a time in clusters of so many."""
    return max(1, int(blocks * _PLACED[cluster]) // cluster) * cluster


def place_of(number: Number, m: Number, n: Number, group: int) -> tuple[Any, Any]:
    """Place ``number`` of m x n, by ``group`` neighbouring columns at a time, the last ones perhaps fewer: along their
    rows, one row after the other from the last one, whose tiles take longer to load where not all of them is there.
    For kernels."""
    size = m * group
    columns, inside = number // size, number % size
    width = _compiler.min(n - columns * group, _compiler.Int32(group))
    return m - 1 - inside // width, columns * group + inside % width
