"""The order of a scaled product's tiles: of one matrix, or of groups of rows that each have their own second operand.
For kernels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from fairlead import _compiler, cute
from fairlead._compiler import Int32
from fairlead.cute.typing import Int
from fairlead.ops._scaled_tiles import ALIGNMENT, ScaledTiles
from fairlead.ops._tiles import place_of

__all__ = ["Place", "Work", "schedule"]


class Work:
    """A tile by its number, and the group that it belongs to: the group's first tile, first row and end of rows."""

    def __init__(self, number: Int, group: Int, begin: Int, start: Int, end: Int) -> None:
        self.number, self.group, self.begin = Int32(number), Int32(group), Int32(begin)
        self.start, self.end = Int32(start), Int32(end)

    def __extract_mlir_values__(self) -> list[Any]:
        return [self.number, self.group, self.begin, self.start, self.end]

    def __new_from_mlir_values__(self, values: list[Any]) -> Work:
        return Work(*values)


class Place(NamedTuple):
    """The first row of a tile, the end of its group's rows, the tile along N, the matrix of A and C, that of B, and
    the number of tiles along K."""

    row: Any
    end: Any
    column: Any
    batch: Any
    group: Any
    depth: Any


class _OneMatrix:
    """All tiles of C, whose rows are one group."""

    #: True if a tile may have rows of the next group, which are not stored.
    has_ends = False

    def __init__(
        self,
        tiles: ScaledTiles,
        extents: Sequence[Any],
        place: Sequence[Int],
        index: Sequence[Any],
    ) -> None:
        """``extents``: clusters along M and N, rows of C, tiles along K; ``place``: of this block in its cluster."""
        self.tiles, self.clusters, self.block = tiles, extents[:2], place
        self.rows, self.depth, self.index = extents[2], extents[3], index

    def first(self, number: Int) -> Work:
        """Return the tile of a number."""
        return Work(number, 0, 0, 0, self.rows)

    def has(self, work: Work) -> Any:
        """True if the tile exists."""
        return work.number < self.clusters[0] * self.clusters[1]

    def next(self, work: Work, step: Int) -> Work:
        """Return the tile whose number is larger by ``step``."""
        return Work(work.number + step, work.group, work.begin, work.start, work.end)

    def place(self, work: Work) -> Place:
        m, n = self.clusters
        x, y = place_of(work.number, m, n, self.tiles.group)
        row = (x * self.tiles.cluster[0] + self.block[0]) * self.tiles.m
        column = y * self.tiles.cluster[1] + self.block[1]
        return Place(row, self.rows, column, Int32(0), Int32(0), self.depth)


class _Indexed(_OneMatrix):
    """Groups by index: each run of ``ALIGNMENT`` rows belongs to the group that its first row names. If that group does
    not exist, the tiles of the run have no depth and no rows."""

    has_ends = True

    def place(self, work: Work) -> Place:
        place = super().place(work)
        index, count = self.index
        run = place.row // ALIGNMENT * ALIGNMENT
        group = cute.arch.make_warp_uniform(index[_compiler.min(run, index.shape[0] - 1)])
        exists = (group >= 0) & (group < count)
        return place._replace(
            group=cute.where(exists, group, Int32(0)),
            depth=cute.where(exists, Int32(self.depth), Int32(0)),
            # Rows behind the last one are not there for TMA, which stores such a tile.
            end=cute.where(exists, place.row + self.tiles.m, Int32(0)),
        )


class _Divided(_OneMatrix):
    """Group after group of rows of one matrix: ``index`` has the end of each."""

    has_ends = True

    def first(self, number: Int) -> Any:
        start, end = self.rows_of(Int32(0), Int32(0))
        return self.settled(Work(number, 0, 0, start, end))

    def has(self, work: Work) -> Any:
        return work.group < self.index[0].shape[0]

    def next(self, work: Work, step: Int) -> Any:
        return self.settled(super().next(work, step))

    def rows_of(self, group: Int, before: Int) -> tuple[Any, Any]:
        """The first row of a group, and the end of its rows; ``before``: the end of the group before."""
        end = self.number(group)
        return before, _compiler.max(_compiler.min(end, Int32(self.rows)), before)

    def number(self, group: Int) -> Any:
        index = self.index[0]
        return cute.arch.make_warp_uniform(index[_compiler.min(group, Int32(index.shape[0] - 1))])

    def tiles_of(self, start: Int, end: Int) -> Any:
        return cute.ceil_div(end - start, self.tiles.m) * self.clusters[1]

    @cute.jit
    def settled(self, work: Work) -> Any:
        """Return the tile's number with the group that it belongs to."""
        group, begin, start, end = work.group, work.begin, work.start, work.end
        while (group < self.index[0].shape[0]) & (begin + self.tiles_of(start, end) <= work.number):
            begin = begin + self.tiles_of(start, end)
            group = group + 1
            start, end = self.rows_of(group, end)
        return Work(work.number, group, begin, start, end)

    def place(self, work: Work) -> Place:
        down = cute.ceil_div(work.end - work.start, self.tiles.m)
        x, column = place_of(work.number - work.begin, down, self.clusters[1], self.tiles.group)
        row = work.start + x * self.tiles.m
        return Place(row, work.end, column, Int32(0), work.group, self.depth)


class _Counted(_Divided):
    """Each group has a matrix of A: ``index`` has the number of its rows that count."""

    def rows_of(self, group: Int, before: Int) -> tuple[Any, Any]:
        return Int32(0), _compiler.max(
            _compiler.min(self.number(group), Int32(self.rows)), Int32(0)
        )

    def place(self, work: Work) -> Place:
        return super().place(work)._replace(batch=work.group)


_SCHEDULES = {"matrix": _OneMatrix, "indices": _Indexed, "offsets": _Divided, "counts": _Counted}


def schedule(kind: str) -> type[_OneMatrix]:
    """The order of tiles for "matrix", group "indices" of rows, "offsets" or "counts" of groups' rows."""
    return _SCHEDULES[kind]
