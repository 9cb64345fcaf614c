"""The choice of tiles of a scaled product, by its shape."""

from __future__ import annotations

import functools
import math
from typing import NamedTuple

__all__ = ["ALIGNMENT", "BLOCK", "ScaledTiles", "candidates", "choose"]

#: Elements along K, and along N of the second operand, that share a scale.
BLOCK = 128
#: Rows of the first operand that belong to one group if their groups are named for each row.
ALIGNMENT = 128


class ScaledTiles(NamedTuple):
    """How a product is divided.

    ``m``, ``n``: rows and columns of a tile of the result. ``cluster``: blocks of a cluster along them. ``group``:
    clusters along N that are worked on together. ``warpgroups``: how many multiply the rows of a tile. ``unit``:
    columns of one product of tensor cores, 0 for all of the tile. ``steps``: steps along K in flight, if each warpgroup
    has one product for a step: each begins before the previous one is added; 1 for no overlap.
    ``stages``: 0 for as many as shared memory has room for.
    """

    m: int
    n: int
    cluster: tuple[int, int] = (1, 1)
    group: int = 8
    warpgroups: int = 2
    unit: int = 0
    steps: int = 1
    stages: int = 0


#: Candidates: rows, columns, warpgroups.
_FORMS = (
    (128, 192, 2), (128, 160, 2), (128, 128, 2), (128, 96, 2), (128, 64, 2),
    (64, 192, 1), (64, 128, 1), (64, 64, 1), (64, 32, 1),
)  # fmt: skip
# Cycles of a multiprocessor:
_PER_CYCLE = 4096  # products of 8 bits
_SHARED = 140  # bytes of shared memory that are written or read
_LOADED = 55  # bytes of operands that arrive
_ADDED = 1.2  # times a product's, with the sums that are added before the next one begins; measured on H200
_ALONE = 150  # in which a warpgroup that nobody relieves adds sums, for each tile along K
_TRIED = 5  # forms that tuning tries
_BEGIN, _END = 1500, 300  # until the first operands are there; until a tile's result is stored


@functools.lru_cache(1024)
def choose(m: int, n: int, k: int, groups: int, blocks: int) -> ScaledTiles:
    """The tiles that take the least time, by a model of multiprocessors that each work on every so many of them.

    Args:
        m, n, k: extents of the product of one group.
        groups: how many of them.
        blocks: multiprocessors.
    """
    _, (rows, columns, warpgroups) = _by_time(m, n, k, groups, blocks)[0]
    steps = _steps(columns)
    # Measured: only the widest tiles gain by sharing operands.
    is_shared = groups == 1 and (rows, columns) == (128, 192) and math.ceil(m / rows) % 2 == 0
    cluster = (2, 1) if is_shared else (1, 1)
    return ScaledTiles(rows, columns, cluster, warpgroups=warpgroups, steps=steps)


def _steps(columns: int) -> int:
    """Return the steps of a tile. With more columns, the products of two steps have no room in registers."""
    return 4 if columns <= 128 else 1


def candidates(m: int, n: int, k: int, groups: int, blocks: int) -> list[ScaledTiles]:
    """Return the tiles that tuning tries; arguments as of ``choose``."""
    forms = _by_time(m, n, k, groups, blocks)
    tiles = []
    for time, (rows, columns, warpgroups) in forms[:_TRIED]:
        down, along = math.ceil(m / rows), math.ceil(n / columns)
        clusters = [(1, 1)]
        if groups == 1 and time < 1.2 * forms[0][0]:
            clusters += [(2, 1)] * (down > 1) + [(1, 2)] * (along > 1)
        for cluster in clusters:
            for steps in (1, 4) if columns <= 128 else (1,):
                tiles.append(ScaledTiles(rows, columns, cluster, 8, warpgroups, steps=steps))
    return tiles


def _by_time(
    m: int, n: int, k: int, groups: int, blocks: int
) -> list[tuple[float, tuple[int, int, int]]]:
    """Cycles by the model and rows, columns, warpgroups of each form; the fastest first."""

    def time(form: tuple[int, int, int]) -> float:
        rows, columns, warpgroups = form
        count = math.ceil(m / rows) * math.ceil(n / columns) * groups
        products = rows * columns * BLOCK / _PER_CYCLE
        if warpgroups == 1:
            products += _ALONE
        elif _steps(columns) == 1:
            products *= _ADDED
        read = (rows // 64 * (64 + columns) + rows + columns) * BLOCK / _SHARED
        loaded = (min(rows, m) + columns) * BLOCK / _LOADED
        tile = math.ceil(k / BLOCK) * max(products, read, loaded) + _END
        return math.ceil(count / blocks) * tile + _BEGIN

    return sorted((time(form), form) for form in _FORMS)
