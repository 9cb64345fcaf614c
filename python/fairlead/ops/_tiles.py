"""Which tiles of a result the blocks of a product work on: chosen by its shape."""

from __future__ import annotations

from typing import Any, NamedTuple

from fairlead import _compiler

__all__ = ["CANDIDATES", "Tiles", "candidates", "choose", "place_of"]


class Tiles(NamedTuple):
    """Rows and columns of a tile of the result, blocks of a cluster along them, and how many clusters' columns are
    gone through together."""

    m: int
    n: int
    cluster: tuple[int, int] = (1, 1)
    group: int = 8


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


def choose(m: int, n: int, k: int, batch: int, blocks: int, element_bits: int = 16) -> Tiles:
    """The tiles that take the least time, by a model of multiprocessors that each work on every so many of them.

    Args:
        m, n, k, batch: the product's extents.
        blocks: multiprocessors.
    """
    rate = _PER_CYCLE * 16 // element_bits
    best, least = Tiles(128, 128), float("inf")
    for (rows, columns), share in CANDIDATES.items():
        down, along = -(-m // rows), -(-n // columns)
        rounds = -(-(down * along * batch) // blocks)
        padded = -(-k // 64) * 64
        time = (
            rounds * (rows * columns * padded / (rate * share) + rows * columns / _STORED) + _BEGIN
        )
        if time < least:
            least, best = time, Tiles(rows, columns, _cluster(rows, columns, down, along), 8)
    # About as many rows as columns of the result at a time: their operands are what the cache holds.
    wide = max(1, round((blocks * best.m / best.n) ** 0.5) // best.cluster[1])
    return best._replace(group=1 << (wide.bit_length() - 1))


def candidates(m: int, n: int) -> list[Tiles]:
    """What tuning tries for a result of these extents."""
    found = []
    for rows, columns in CANDIDATES:
        shared = _cluster(rows, columns, -(-m // rows), -(-n // columns))
        for cluster in dict.fromkeys(((1, 1), shared)):
            found += [Tiles(rows, columns, cluster, group) for group in (4, 8)]
    return found


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
