"""Which tiles of a result the blocks of a product work on: chosen by its shape."""

from __future__ import annotations

from typing import Any, NamedTuple

from fairlead import _compiler

__all__ = ["CANDIDATES", "Tiles", "candidates", "choose", "place_of"]


class Tiles(NamedTuple):
    """Rows and columns of a tile of the result, blocks of a cluster along them, how many clusters' columns are gone
    through together, how many blocks, a cluster then, share the depth of a tile, and how many rows of A are loaded for
    a tile, where A has no more; 0 for all of the tile's."""

    m: int
    n: int
    cluster: tuple[int, int] = (1, 1)
    group: int = 8
    split: int = 1
    rows: int = 0


#: Rows and columns of tiles.
CANDIDATES = (
    (128, 256), (256, 128), (128, 192), (128, 160), (128, 128), (128, 96),
    (64, 256), (64, 192), (64, 128), (128, 64), (64, 64), (64, 32),
)  # fmt: skip
# Measured on H200, in cycles of a multiprocessor:
_PER_CYCLE = 1024 * 16 // 8  # products of 16 bits
_LOADED = 57  # bytes of operands, however many blocks share them
_STORED = 16  # elements of a result
_BEGIN = 2000  # until the first tile's operands are there, and the last one's results are stored
_EXCHANGED = 3500  # until blocks that share a depth have each other's sums
_TRIED = 1.5  # times the least time by the model is what tuning tries
#: The share of multiprocessors that clusters of so many blocks find room on.
_PLACED = {1: 1.0, 2: 1.0, 4: 0.9, 8: 0.75}


def choose(
    m: int, n: int, k: int, batch: int, blocks: int, element_bits: int = 16, split: bool = True
) -> Tiles:  # fmt: skip
    """The tiles that take the least time, by a model of multiprocessors that each work on every so many of them.

    Args:
        m, n, k, batch: the product's extents.
        blocks: multiprocessors.
        split: whether blocks may share the depth of a tile.
    """
    forms = _forms(m, n, k, batch, blocks, element_bits, split)
    best = min(forms, key=lambda each: each[0])[1]
    down, along = -(-m // best.m), -(-n // best.n)
    cluster = _cluster(best.m, best.n, down, along) if best.split == 1 else (1, 1)
    # About as many rows as columns of the result at a time: their operands are what the cache holds.
    wide = max(1, round((blocks * best.m / best.n) ** 0.5) // cluster[1])
    return best._replace(cluster=cluster, group=1 << (wide.bit_length() - 1))


def candidates(
    m: int, n: int, k: int, batch: int, blocks: int, element_bits: int = 16
) -> list[Tiles]:
    """What tuning tries, by the model the best first; arguments as of ``choose``."""
    forms = sorted(_forms(m, n, k, batch, blocks, element_bits, True), key=lambda each: each[0])
    found = []
    for time, each in forms:
        if time > _TRIED * forms[0][0]:
            break
        if each.split > 1:
            found.append(each)
            continue
        down, along = -(-m // each.m), -(-n // each.n)
        shared = [_cluster(each.m, each.n, down, along)]
        if each.m * each.n < 128 * 256:
            shared += [(2, 1), (1, 2), (2, 2)]
        fits = [(x, y) for x, y in dict.fromkeys(((1, 1), *shared)) if not (down % x or along % y)]
        groups = (4, 8) if down * along * batch > blocks else (8,)
        found += [each._replace(cluster=x, group=group) for x in fits for group in groups]
    return found


def _forms(
    m: int, n: int, k: int, batch: int, blocks: int, element_bits: int, split: bool
) -> list[tuple[float, Tiles]]:
    """Cycles by the model, and tiles."""
    deep = 1024 // element_bits
    depth = -(-k // deep)
    found = []
    for rows, columns in CANDIDATES:
        count = -(-m // rows) * -(-n // columns) * batch
        rounds = -(-count // blocks)
        loaded = (min(rows, max(8, 1 << (m - 1).bit_length())) + columns) * 128
        multiplied = rows * columns * deep * element_bits / (16 * _PER_CYCLE)
        for parts in (1, *(_splits(rows, columns, count, depth, blocks) if split else ())):
            one = -(-depth // parts) * max(multiplied, loaded / _LOADED)
            time = rounds * (one + rows * columns / _STORED / parts) + _BEGIN
            time += _EXCHANGED * (parts > 1)
            found.append((time, Tiles(rows, columns, split=parts)))
    return found


def _splits(rows: int, columns: int, count: int, depth: int, blocks: int) -> list[int]:
    """How many blocks can share the ``depth`` of each of ``count`` tiles, if there are as many multiprocessors: each
    stores a part of the columns, a power of two of them; larger tiles have too many sums for registers."""
    if rows * columns > 128 * 128 or columns & (columns - 1):
        return []
    return [
        each
        for each in (2, 4, 8)
        if count * each <= _PLACED[each] * blocks and 2 * each <= depth and 16 * each <= columns
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
