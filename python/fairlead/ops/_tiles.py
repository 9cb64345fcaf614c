"""Which tiles of a result the blocks of a product work on: chosen by its shape."""

from __future__ import annotations

from typing import Any, NamedTuple

from fairlead import _compiler

__all__ = ["CANDIDATES", "Tiles", "candidates", "choose", "place_of"]


class Tiles(NamedTuple):
    """Rows and columns of a tile of the result, blocks of a cluster along them, how many clusters' columns are gone
    through together, and how many blocks, a cluster then, share the depth of a tile."""

    m: int
    n: int
    cluster: tuple[int, int] = (1, 1)
    group: int = 8
    split: int = 1


#: Tiles, and how fast a multiprocessor multiplies with them: the share of its tensor cores' rate.
CANDIDATES = {
    (128, 256): 1.0,
    (256, 128): 1.0,
    (128, 192): 1.0,
    (128, 128): 0.88,
    (128, 64): 0.58,
    (64, 256): 0.75,
    (64, 128): 0.62,
    (64, 64): 0.42,
    (64, 32): 0.25,
}
_PER_CYCLE = 1024 * 16 // 8  # products of 16 bits a cycle of a multiprocessor
_BEGIN = (
    2000  # cycles until the first tile's operands are there, and until the last one's results are
)
_STORED = 16  # elements of a result that are stored a cycle
_EXCHANGED = 1500  # cycles until blocks that share a depth have each other's sums


def choose(m: int, n: int, k: int, batch: int, blocks: int, element_bits: int = 16) -> Tiles:
    """The tiles that take the least time, by a model of multiprocessors that each work on every so many of them.

    Args:
        m, n, k, batch: the product's extents.
        blocks: multiprocessors.
    """
    rate = _PER_CYCLE * 16 // element_bits
    deep = 1024 // element_bits
    depth = -(-k // deep)
    best, least = Tiles(128, 128), float("inf")
    for (rows, columns), share in CANDIDATES.items():
        down, along = -(-m // rows), -(-n // columns)
        count = down * along * batch
        rounds = -(-count // blocks)
        for split in (1, *_splits(rows, columns, count, depth, blocks)):
            multiplied = rows * columns * -(-depth // split) * deep / (rate * share)
            time = rounds * (multiplied + rows * columns / _STORED / split) + _BEGIN
            time += _EXCHANGED * (split > 1)
            if time < least:
                cluster = _cluster(rows, columns, down, along) if split == 1 else (1, 1)
                least, best = time, Tiles(rows, columns, cluster, 8, split)
    # About as many rows as columns of the result at a time: their operands are what the cache holds.
    wide = max(1, round((blocks * best.m / best.n) ** 0.5) // best.cluster[1])
    return best._replace(group=1 << (wide.bit_length() - 1))


def candidates(
    m: int, n: int, k: int, batch: int, blocks: int, element_bits: int = 16
) -> list[Tiles]:
    """What tuning tries: arguments as of ``choose``."""
    found = []
    for rows, columns in CANDIDATES:
        down, along = -(-m // rows), -(-n // columns)
        count = down * along * batch
        shared = _cluster(rows, columns, down, along)
        for cluster in dict.fromkeys(((1, 1), shared)):
            found += [
                Tiles(rows, columns, cluster, group)
                for group in ((4, 8) if count > blocks else (8,))
            ]
        depth = -(-k * element_bits // 1024)
        splits = _splits(rows, columns, count, depth, blocks)
        found += [Tiles(rows, columns, split=split) for split in splits]
    return found


def _splits(rows: int, columns: int, count: int, depth: int, blocks: int) -> list[int]:
    """How many blocks can share the ``depth`` of each of ``count`` tiles, if there are as many multiprocessors: each
    stores a part of the columns, a power of two of them; larger tiles have too many sums for registers."""
    if rows * columns > 128 * 128 or columns & (columns - 1):
        return []
    return [
        each
        for each in (2, 4, 8)
        if count * each <= blocks and 2 * each <= depth and 16 * each <= columns
    ]


def _cluster(rows: int, columns: int, down: int, along: int) -> tuple[int, int]:
    """Two blocks share the operand that is larger, where the tiles along the other one come in pairs."""
    if rows * columns < 128 * 128:
        return 1, 1
    if columns >= rows and down % 2 == 0:
        return 2, 1
    if along % 2 == 0:
        return 1, 2
    return (2, 1) if down % 2 == 0 else (1, 1)


def place_of(number: Any, m: Any, n: Any, group: int) -> tuple[Any, Any]:
    """Place ``number`` of m x n, by ``group`` neighbouring columns at a time, the last ones perhaps fewer: along their
    rows, one row after the other. For kernels."""
    size = m * group
    columns, inside = number // size, number % size
    width = _compiler.min(n - columns * group, _compiler.Int32(group))
    return inside // width, columns * group + inside % width
