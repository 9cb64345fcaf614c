"""A persistent scheduler of tiles whose number only the run knows, for problems of one grid that lie side by side."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fairlead import _compiler
from fairlead.cute._keywords import methods_ignore_keywords
from fairlead.cute._operations import ceil_div
from fairlead.errors import make_error
from fairlead.utils import (
    PersistentTileSchedulerParams,
    StaticPersistentTileScheduler,
    WorkTileInfo,
)

__all__ = ["StaticPersistentRuntimeTileScheduler"]


class StaticPersistentRuntimeTileScheduler(StaticPersistentTileScheduler):
    """The tiles of the running block, in clusters. Along one mode there are as many as the parameters say, along the
    other one as many as the program asks for: it decides when to stop.
    """

    _inner_mode = 0

    @classmethod
    def create(
        cls,
        params: PersistentTileSchedulerParams,
        block_idx: Sequence[Any],
        grid_dim: Sequence[Any],
        inner_mode: int = 0,
    ) -> StaticPersistentRuntimeTileScheduler:
        """Return the scheduler of the block ``block_idx`` of a grid of (cluster_m, cluster_n, clusters) blocks.

        Args:
            params: the tiles of a result; only the extent of the inner mode counts.
            inner_mode: the mode whose clusters come one after the other, 0 for M or 1 for N.

        Raises ValueError (ArgumentValue) for another mode.
        """
        if inner_mode not in (0, 1):
            raise make_error(
                "ArgumentValue",
                function="StaticPersistentRuntimeTileScheduler.create",
                expected="0 or 1 as inner_mode",
                got=repr(inner_mode),
            )
        scheduler = super().create(params, block_idx, grid_dim)
        scheduler._inner_mode = inner_mode  # type: ignore[attr-defined]
        return scheduler  # type: ignore[return-value]

    def get_current_work(self) -> WorkTileInfo:
        """Return the next tile: the place of its cluster (m, n, 0), which is always valid."""
        params, mode = self.params, self._inner_mode
        extent = ceil_div(params.problem_shape_ntile_mnl[mode], params.cluster_shape_mn[mode])
        linear = self._current_work_linear_idx
        inner, outer = _compiler.Int32(linear % extent), _compiler.Int32(linear // extent)
        place = (inner, outer) if mode == 0 else (outer, inner)
        return WorkTileInfo((*place, _compiler.Int32(0)), _compiler.Boolean(True))

    initial_work_tile_info = get_current_work

    def __new_from_mlir_values__(self, values: list[Any]) -> StaticPersistentRuntimeTileScheduler:
        scheduler = super().__new_from_mlir_values__(values)
        scheduler._inner_mode = self._inner_mode  # type: ignore[attr-defined]
        return scheduler  # type: ignore[return-value]


methods_ignore_keywords(StaticPersistentRuntimeTileScheduler)
