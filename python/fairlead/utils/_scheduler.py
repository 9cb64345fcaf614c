"""The tiles of a result that each block of a persistent grid works on, one after another."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from typing import Any, ClassVar

from fairlead import _compiler
from fairlead.cute._operations import ceil_div
from fairlead.cute._types import Int, Number
from fairlead.errors import make_error

__all__ = [
    "PersistentTileSchedulerParams",
    "StaticPersistentTileScheduler",
    "WorkTileInfo",
]


@dataclasses.dataclass(frozen=True, eq=False)
class WorkTileInfo:
    """A tile, and whether there is one.

    Attributes:
        tile_idx: the coordinate (m, n, l) of the tile. Places that nobody asks for may be None.
        is_valid_tile: False when all tiles are done.
    """

    tile_idx: Any
    is_valid_tile: Any

    def __extract_mlir_values__(self) -> list[Any]:
        return [*map(_int32, _leaves(self.tile_idx)), _compiler.Boolean(self.is_valid_tile)]

    def __new_from_mlir_values__(self, values: list[Any]) -> WorkTileInfo:
        *places, valid = values
        return WorkTileInfo(_rebuilt(self.tile_idx, iter(places)), valid)


def _leaves(tree: object) -> list[Any]:
    if isinstance(tree, (tuple, list)):
        return [leaf for part in tree for leaf in _leaves(part)]
    return [] if tree is None else [tree]


def _rebuilt(tree: object, leaves: Iterator[Any]) -> Any:
    if isinstance(tree, (tuple, list)):
        return tuple(_rebuilt(part, leaves) for part in tree)
    return None if tree is None else next(leaves)


def _unsigned(number: Number) -> Any:
    return number if isinstance(number, int) else _compiler.Uint32(number)


def _int32(number: Number) -> Any:
    return number if isinstance(number, _compiler.Int32) else _compiler.Int32(number)


class PersistentTileSchedulerParams:
    """How the tiles of a result are dealt to clusters.

    Args:
        problem_shape_ntile_mnl: tiles along M, N and the batch.
        cluster_shape_mnk: blocks of a cluster, each with a tile; one along K.
        swizzle_size: as many clusters of the slower mode come next to each other.
        raster_along_m: M is the faster mode.

    ValueError for other clusters and sizes.
    """

    def __init__(
        self,
        problem_shape_ntile_mnl: Sequence[Int],
        cluster_shape_mnk: Sequence[int],
        swizzle_size: int = 1,
        raster_along_m: bool = True,
        *,
        fallback_cluster_shape_mnk: object = None,
    ) -> None:
        if cluster_shape_mnk[2] != 1:
            raise make_error(
                "ArgumentValue",
                function="PersistentTileSchedulerParams",
                expected="one block along K as cluster_shape_mnk",
                got=tuple(cluster_shape_mnk),
            )
        if isinstance(swizzle_size, bool) or not isinstance(swizzle_size, int) or swizzle_size < 1:
            raise make_error(
                "ArgumentValue",
                function="PersistentTileSchedulerParams",
                expected="an int of 1 or more as swizzle_size",
                got=repr(swizzle_size),
            )
        self.problem_shape_ntile_mnl = tuple(problem_shape_ntile_mnl)
        self.cluster_shape_mnk = tuple(cluster_shape_mnk)
        self.cluster_shape_mn = self.cluster_shape_mnk[:2]
        self.swizzle_size, self.raster_along_m = swizzle_size, raster_along_m

    @property
    def problem_shape_ncluster_mnl(self) -> tuple[Any, Any, Any]:
        """Clusters along M, N and the batch."""
        parts: tuple[Any, Any, Any] = ceil_div(
            self.problem_shape_ntile_mnl, (*self.cluster_shape_mn, 1)
        )
        return parts

    @property
    def problem_layout_ncluster_mnl(self) -> Any:
        """The layout of the clusters along (M, N, L)."""
        from fairlead.cute._layout import make_layout

        return make_layout(self.problem_shape_ncluster_mnl)

    @property
    def _padded(self) -> tuple[Any, Any, Any]:
        """Clusters along M, N and the batch, those along the slower mode in whole swizzles."""
        m, n, batch = self.problem_shape_ncluster_mnl
        if self.swizzle_size == 1:
            return m, n, batch
        slow = n if self.raster_along_m else m
        slow = ceil_div(slow, self.swizzle_size) * self.swizzle_size
        return (m, slow, batch) if self.raster_along_m else (slow, n, batch)

    def __extract_mlir_values__(self) -> list[Any]:
        return [_int32(extent) for extent in self.problem_shape_ntile_mnl]

    def __new_from_mlir_values__(self, values: list[Any]) -> PersistentTileSchedulerParams:
        return PersistentTileSchedulerParams(
            values, self.cluster_shape_mnk, self.swizzle_size, self.raster_along_m
        )

    def get_grid_shape(self, max_active_clusters: Number) -> tuple[Any, Any, Any]:
        """See StaticPersistentTileScheduler.get_grid_shape."""
        m, n, batch = self._padded
        count, most = m * n * batch, max_active_clusters
        is_static = isinstance(count, int) and isinstance(most, int)
        count = min(count, most) if is_static else _compiler.min(count, most)
        rows, columns = self.cluster_shape_mn
        return rows, columns, count


class StaticPersistentTileScheduler:
    """The tiles of the running block: every n-th tile, for n clusters in the grid."""

    #: The numbers that advance_to_next_work changes (see COUNTING_METHODS).
    __counters__: ClassVar = ("_current_work_linear_idx", "_num_tiles_executed")

    def __init__(
        self,
        params: PersistentTileSchedulerParams,
        num_persistent_clusters: Int,
        current: Int,
        cta_id: Sequence[Any],
        executed: Int,
    ) -> None:
        self.params, self.num_persistent_clusters = params, num_persistent_clusters
        self._current_work_linear_idx = current
        self.cta_id_in_cluster, self._num_tiles_executed = cta_id, executed

    @staticmethod
    def get_grid_shape(
        params: PersistentTileSchedulerParams, max_active_clusters: Number
    ) -> tuple[Any, Any, Any]:
        """Return the grid of a launch: one cluster for each tile, at most ``max_active_clusters``."""
        return params.get_grid_shape(max_active_clusters)

    @classmethod
    def create(
        cls,
        params: PersistentTileSchedulerParams,
        block_idx: Sequence[Int],
        grid_dim: Sequence[Int],
    ) -> StaticPersistentTileScheduler:
        """Return the scheduler of the block ``block_idx`` of a grid of get_grid_shape."""
        m, n = params.cluster_shape_mn
        x, y, z = block_idx
        width, height, depth = grid_dim
        clusters = (width * height * depth) // (m * n)
        place = (_int32(x % m), _int32(y % n), _compiler.Int32(0))
        return cls(params, clusters, _int32(z), place, _compiler.Int32(0))

    @property
    def num_tiles_executed(self) -> Any:
        """How often advance_to_next_work was called."""
        return self._num_tiles_executed

    def _place(self, linear: Int) -> tuple[Any, Any, Any]:
        """The cluster (m, n, l) of a number."""
        # Nothing is negative; unsigned division takes fewer registers.
        params = self.params
        m, n, _ = map(_unsigned, params._padded)
        size, linear = params.swizzle_size, _unsigned(linear)
        batch, inside = linear // (m * n), linear % (m * n)
        fast = m if params.raster_along_m else n
        if size == 1:
            first, second = inside % fast, inside // fast
        else:
            # id = ((slow // size) * fast + fast's place) * size + slow % size
            rest = inside // size
            first, second = rest % fast, (rest // fast) * size + inside % size
        place = (first, second, batch) if params.raster_along_m else (second, first, batch)
        return _int32(place[0]), _int32(place[1]), _int32(place[2])

    def get_current_work(self) -> WorkTileInfo:
        """Return the tile that is next."""
        linear = self._current_work_linear_idx
        m, n, batch = self.params._padded
        place = self._place(linear)
        extents = (*self.params.cluster_shape_mn, 1)
        tile = tuple(
            _int32(cluster * extent + rank)
            for cluster, extent, rank in zip(place, extents, self.cta_id_in_cluster, strict=True)
        )
        return WorkTileInfo(tile, linear < m * n * batch)

    initial_work_tile_info = get_current_work

    def advance_to_next_work(self, *, advance_count: Int = 1) -> None:
        """To the next tile."""
        self._current_work_linear_idx = (
            self._current_work_linear_idx + advance_count * self.num_persistent_clusters
        )
        self._num_tiles_executed = self._num_tiles_executed + 1

    def __extract_mlir_values__(self) -> list[Any]:
        return [
            self._current_work_linear_idx,
            self._num_tiles_executed,
        ]

    def __new_from_mlir_values__(self, values: list[Any]) -> StaticPersistentTileScheduler:
        return type(self)(
            self.params,
            self.num_persistent_clusters,
            values[0],
            self.cta_id_in_cluster,
            values[1],
        )
