"""Products of several problems in one grid: which of them a tile belongs to."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

from fairlead import _compiler
from fairlead.cute._operations import ceil_div
from fairlead.cute._types import Condition, Int, Number
from fairlead.utils._scheduler import PersistentTileSchedulerParams, StaticPersistentTileScheduler

__all__ = [
    "GroupSearchResult",
    "GroupedGemmGroupSearchState",
    "GroupedGemmTileSchedulerHelper",
    "GroupedWorkTileInfo",
    "StaticPersistentGroupTileScheduler",
    "create_initial_search_state",
]


@dataclasses.dataclass
class GroupSearchResult:
    """A problem, its extents, and a tile in it."""

    group_idx: Any
    cta_tile_idx_m: Any
    cta_tile_idx_n: Any
    problem_shape_m: Any
    problem_shape_n: Any
    problem_shape_k: Any
    cta_tile_count_k: Any


class GroupedGemmGroupSearchState:
    """How far the search has come: numbers of tiles only grow, so that it goes on from there."""

    def __init__(
        self,
        start_group_idx: Number,
        tile_count_prev_group: Number,
        tile_count_searched: Number,
        found: Condition = False,
    ) -> None:
        self.start_group_idx = _compiler.Int32(start_group_idx)
        self.tile_count_prev_group = _compiler.Int32(tile_count_prev_group)
        self.tile_count_searched = _compiler.Int32(tile_count_searched)
        self.found = _compiler.Boolean(found)

    def __extract_mlir_values__(self) -> list[Any]:
        return [
            self.start_group_idx,
            self.tile_count_prev_group,
            self.tile_count_searched,
            self.found,
        ]

    def __new_from_mlir_values__(self, values: list[Any]) -> GroupedGemmGroupSearchState:
        return GroupedGemmGroupSearchState(*values)


def create_initial_search_state() -> GroupedGemmGroupSearchState:
    """Return the state before any search."""
    return GroupedGemmGroupSearchState(0, 0, 0)


class GroupedGemmTileSchedulerHelper:
    """Finds the problem of a tile among ``group_count`` problems, whose extents are in a tensor (groups, (m, n, k, l))
    of Int32."""

    def __init__(
        self,
        group_count: int,
        tile_sched_params: PersistentTileSchedulerParams,
        cluster_tile_shape_mnk: tuple[int, int, int],
        search_state: GroupedGemmGroupSearchState,
    ) -> None:
        self.group_count, self.tile_sched_params = group_count, tile_sched_params
        rows, columns, depth = cluster_tile_shape_mnk
        self.cluster_tile_shape_mnk = rows, columns, depth
        self.search_state = search_state

    def _clusters(self, problem_shape_mnkl: _compiler.Tensor, group: Int) -> tuple[Any, Any]:
        rows, columns, _ = self.cluster_tile_shape_mnk
        m, n = problem_shape_mnkl[group, 0], problem_shape_mnkl[group, 1]
        return ceil_div(m, rows), ceil_div(n, columns)

    def _search(self, place: Int, problem_shape_mnkl: _compiler.Tensor) -> None:
        """Moves the state to the problem of cluster number ``place``, or to the last problem where no other has it."""
        state = self.search_state

        def size(group: Int) -> Any:
            m, n = self._clusters(problem_shape_mnkl, group)
            return m * n

        group, begin = state.start_group_idx, state.tile_count_prev_group
        end = begin + size(group)
        names = ["group", "begin", "end"]
        group, begin, end = _compiler.while_loop(
            names,
            [group, begin, end],
            lambda values: (values[2] <= place) & (values[0] + 1 < self.group_count),
            lambda values: [values[0] + 1, values[2], values[2] + size(values[0] + 1)],
        )
        state.start_group_idx, state.tile_count_prev_group = group, begin
        state.tile_count_searched, state.found = end, place < end

    def delinearize_z(
        self, cta_tile_coord: Sequence[Int], problem_shape_mnkl: _compiler.Tensor
    ) -> GroupSearchResult:
        """Return the problem of the tile (m, n, z), where z counts the clusters of all problems: it never falls."""
        place = cta_tile_coord[2]
        self._search(place, problem_shape_mnkl)
        state = self.search_state
        group = state.start_group_idx
        m, n, k = (problem_shape_mnkl[group, mode] for mode in range(3))
        clusters, _ = self._clusters(problem_shape_mnkl, group)
        inside = place - state.tile_count_prev_group
        extents = self.tile_sched_params.cluster_shape_mn
        return GroupSearchResult(
            group,
            inside % clusters * extents[0] + cta_tile_coord[0],
            inside // clusters * extents[1] + cta_tile_coord[1],
            m,
            n,
            k,
            ceil_div(k, self.cluster_tile_shape_mnk[2]),
        )

    def search_cluster_tile_count_k(
        self, cta_tile_coord: Sequence[Int], problem_shape_mnkl: _compiler.Tensor
    ) -> tuple[Any, Any]:
        """How many tiles along K the tile's problem has, and its number."""
        self._search(cta_tile_coord[2], problem_shape_mnkl)
        group = self.search_state.start_group_idx
        return ceil_div(problem_shape_mnkl[group, 2], self.cluster_tile_shape_mnk[2]), group

    def __extract_mlir_values__(self) -> list[Any]:
        return self.search_state.__extract_mlir_values__()

    def __new_from_mlir_values__(self, values: list[Any]) -> GroupedGemmTileSchedulerHelper:
        return GroupedGemmTileSchedulerHelper(
            self.group_count,
            self.tile_sched_params,
            self.cluster_tile_shape_mnk,
            self.search_state.__new_from_mlir_values__(values),
        )


class GroupedWorkTileInfo:
    """A tile of one of several problems, ``group_search_result``, and whether there is one, ``is_valid_tile``."""

    def __init__(self, group_search_result: GroupSearchResult, is_valid_tile: Number) -> None:
        self.group_search_result, self.is_valid_tile = group_search_result, is_valid_tile

    def __extract_mlir_values__(self) -> list[Any]:
        result = self.group_search_result
        fields = (getattr(result, field.name) for field in dataclasses.fields(result))
        return [*map(_compiler.Int32, fields), _compiler.Boolean(self.is_valid_tile)]

    def __new_from_mlir_values__(self, values: list[Any]) -> GroupedWorkTileInfo:
        *fields, is_valid = values
        return GroupedWorkTileInfo(GroupSearchResult(*fields), is_valid)


class StaticPersistentGroupTileScheduler:
    """The tiles of the running block among those of several problems: a StaticPersistentTileScheduler whose clusters
    along the batch are the clusters of all problems, one problem after the other."""

    def __init__(
        self,
        scheduler: StaticPersistentTileScheduler,
        helper: GroupedGemmTileSchedulerHelper,
        problem_sizes_mnkl: _compiler.Tensor,
    ) -> None:
        self._scheduler, self._helper = scheduler, helper
        self._problem_sizes_mnkl = problem_sizes_mnkl

    @classmethod
    def create(
        cls,
        params: PersistentTileSchedulerParams,
        block_idx: Sequence[Int],
        grid_dim: Sequence[Int],
        cluster_tile_shape_mnk: tuple[int, int, int],
        initial_search_state: GroupedGemmGroupSearchState,
        group_count: int,
        problem_shape_mnkl: _compiler.Tensor,
    ) -> StaticPersistentGroupTileScheduler:
        """Return the scheduler of the block ``block_idx`` of a grid of get_grid_shape.

        Args:
            params: of ``(cluster_m, cluster_n, clusters)`` tiles, where ``clusters`` counts those of all problems:
                the sum of ``ceil(m / cluster_tile_m) * ceil(n / cluster_tile_n)``. A host that does not know it gives
                the number of clusters of the grid.
            cluster_tile_shape_mnk: the extents of the tile of a cluster.
            initial_search_state: of create_initial_search_state.
            problem_shape_mnkl: the extents of the problems, a tensor (``group_count``, 4) of Int32.
        """
        return cls(
            StaticPersistentTileScheduler.create(params, block_idx, grid_dim),
            GroupedGemmTileSchedulerHelper(
                group_count, params, cluster_tile_shape_mnk, initial_search_state
            ),
            problem_shape_mnkl,
        )

    @staticmethod
    def get_grid_shape(
        params: PersistentTileSchedulerParams, max_active_clusters: Number
    ) -> tuple[Any, Any, Any]:
        """Return the grid of a launch: one cluster for each tile, at most ``max_active_clusters``."""
        return StaticPersistentTileScheduler.get_grid_shape(params, max_active_clusters)

    @property
    def num_tiles_executed(self) -> Any:
        """How often advance_to_next_work was called."""
        return self._scheduler.num_tiles_executed

    def get_current_work(self) -> GroupedWorkTileInfo:
        """Return the next tile. It is valid if a problem has it, independent of the number of clusters in ``params``.
        The group_search_result of an invalid tile has no meaning."""
        work = self._scheduler.get_current_work()
        x, y, _ = self._scheduler.cta_id_in_cluster
        place = x, y, work.tile_idx[2]
        result = self._helper.delinearize_z(place, self._problem_sizes_mnkl)
        return GroupedWorkTileInfo(result, self._helper.search_state.found)

    initial_work_tile_info = get_current_work

    def advance_to_next_work(self, *, advance_count: Int = 1) -> None:
        """To the next tile."""
        self._scheduler.advance_to_next_work(advance_count=advance_count)

    def __extract_mlir_values__(self) -> list[Any]:
        return [
            *self._scheduler.__extract_mlir_values__(),
            *self._helper.__extract_mlir_values__(),
        ]

    def __new_from_mlir_values__(self, values: list[Any]) -> StaticPersistentGroupTileScheduler:
        count = len(self._scheduler.__extract_mlir_values__())
        return StaticPersistentGroupTileScheduler(
            self._scheduler.__new_from_mlir_values__(values[:count]),
            self._helper.__new_from_mlir_values__(values[count:]),
            self._problem_sizes_mnkl,
        )
