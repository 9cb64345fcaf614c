"""A persistent scheduler of tiles by cluster launch control: running clusters take over clusters that wait."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fairlead import _compiler
from fairlead.cute import arch
from fairlead.cute._types import Int
from fairlead.utils._scheduler import (
    PersistentTileSchedulerParams,
    StaticPersistentTileScheduler,
    WorkTileInfo,
    _int32,
)

__all__ = ["ClcDynamicPersistentTileScheduler", "ClcDynamicPersistentTileSchedulerParams"]


class ClcDynamicPersistentTileSchedulerParams(PersistentTileSchedulerParams):
    """The tiles of a result, as PersistentTileSchedulerParams: the grid has a block for each of them."""

    def __new_from_mlir_values__(
        self, values: list[Any]
    ) -> ClcDynamicPersistentTileSchedulerParams:
        return ClcDynamicPersistentTileSchedulerParams(
            values, self.cluster_shape_mnk, self.swizzle_size, self.raster_along_m
        )

    @property
    def is_in_order(self) -> bool:
        """True if the index of a block in the grid is the place of its tile."""
        return self.swizzle_size == 1 and self.raster_along_m

    def get_grid_shape(self, max_active_clusters: object = None) -> tuple[Any, Any, Any]:
        """Return the grid of a launch, one block for each tile, in whole clusters.

        ``max_active_clusters`` is not used.
        """
        m, n, batch = self._padded
        rows, columns = self.cluster_shape_mn
        first, second = (m, n) if self.raster_along_m else (n, m)
        return first * rows, second * columns, batch


class ClcDynamicPersistentTileScheduler:
    """The tiles of the running block: its own one, then those of the clusters that its cluster takes over.

    One warp of the first block of a cluster calls ``advance_to_next_work``, for all blocks. Every warp then waits for
    the answer (``pipeline.PipelineClcFetchAsync``) and calls ``get_current_work``.
    """

    def __init__(
        self,
        params: ClcDynamicPersistentTileSchedulerParams,
        block_idx: Sequence[Int],
        cta_id: Sequence[Int],
        response: _compiler.Pointer,
        executed: Int,
    ) -> None:
        self.params, self.cta_id_in_cluster, self._response = params, tuple(cta_id), response
        self._block_idx = tuple(block_idx)
        self._num_tiles_executed = executed

    @staticmethod
    def get_grid_shape(params: ClcDynamicPersistentTileSchedulerParams) -> tuple[Any, Any, Any]:
        """Return the grid of a launch: one block for each tile, in whole clusters."""
        return params.get_grid_shape()

    @classmethod
    def create(
        cls,
        params: ClcDynamicPersistentTileSchedulerParams,
        block_idx: Sequence[Int],
        grid_dim: Sequence[Int],
        clc_response_ptr: _compiler.Pointer,
    ) -> ClcDynamicPersistentTileScheduler:
        """Return the scheduler of the block ``block_idx`` of a grid of get_grid_shape.

        Args:
            grid_dim: the grid's extents in blocks; not used.
            clc_response_ptr: 16 bytes of shared memory, aligned to 16 bytes, for answers.
        """
        m, n = params.cluster_shape_mn
        x, y, z = (_int32(index) for index in block_idx)
        place = (x % m, y % n)
        return cls(params, (x, y, z), place, clc_response_ptr, _compiler.Int32(0))

    @property
    def num_tiles_executed(self) -> Any:
        """How many tiles came before the current one."""
        return self._num_tiles_executed

    def _tile(self, x: Int, y: Int, z: Int) -> tuple[Any, Any, Any]:
        """Return the tile of the running block in the cluster whose first block is (x, y, z)."""
        params = self.params
        place_m, place_n = self.cta_id_in_cluster
        if params.is_in_order:
            return x + place_m, y + place_n, z
        m, n = params.cluster_shape_mn
        padded_m, padded_n, _ = params._padded
        fast = padded_m if params.raster_along_m else padded_n
        static = StaticPersistentTileScheduler(params, 1, _compiler.Int32(0), (), 0)
        row, column, _ = static._place(x // m + y // n * fast)
        return _int32(row * m + place_m), _int32(column * n + place_n), z

    def initial_work_tile_info(self) -> WorkTileInfo:
        """Return the tile of the block's own index."""
        x, y, z = self._block_idx
        place_m, place_n = self.cta_id_in_cluster
        return WorkTileInfo(self._tile(x - place_m, y - place_n, z), _compiler.Boolean(True))

    def advance_to_next_work(self, mbarrier_addr: _compiler.Pointer) -> None:
        """Ask for another cluster; the answer counts at ``mbarrier_addr`` in all blocks of the cluster."""
        arch.issue_clc_query(mbarrier_addr, self._response)

    def get_current_work(self) -> WorkTileInfo:
        """Return the tile that the answer names; it is not valid if no cluster is left."""
        x, y, z, is_taken = arch.clc_response(self._response)
        # The next answer is written by another proxy than that of this read.
        arch.fence_proxy("async.shared", space="cta")
        self._num_tiles_executed = self._num_tiles_executed + 1
        return WorkTileInfo(self._tile(x, y, z), is_taken != 0)

    def __extract_mlir_values__(self) -> list[Any]:
        return [self._num_tiles_executed]

    def __new_from_mlir_values__(self, values: list[Any]) -> ClcDynamicPersistentTileScheduler:
        return ClcDynamicPersistentTileScheduler(
            self.params, self._block_idx, self.cta_id_in_cluster, self._response, values[0]
        )
