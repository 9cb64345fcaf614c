"""StaticPersistentGroupTileScheduler deals each tile of several problems to exactly one block."""

import numpy as np
import pytest

from fairlead import Constexpr, Int32, cute, utils

#: Rows and columns of a tile of one block; rows that the result of a test has for each problem.
TILE, MOST = (16, 8, 4), 8


@cute.kernel
def visit(
    problems: cute.Tensor,
    params: utils.PersistentTileSchedulerParams,
    cluster: Constexpr,
    visits: cute.Tensor,
    extents: cute.Tensor,
    executed: cute.Tensor,
):
    scheduler = utils.StaticPersistentGroupTileScheduler.create(
        params,
        cute.arch.block_idx(),
        cute.arch.grid_dim(),
        (TILE[0] * cluster[0], TILE[1] * cluster[1], TILE[2]),
        utils.create_initial_search_state(),
        problems.shape[0],
        problems,
    )
    work = scheduler.initial_work_tile_info()
    while work.is_valid_tile:
        tile = work.group_search_result
        place = (tile.group_idx, tile.cta_tile_idx_m, tile.cta_tile_idx_n)
        visits[place] = visits[place] + 1
        extents[tile.group_idx, 0] = tile.problem_shape_m
        extents[tile.group_idx, 1] = tile.problem_shape_n
        extents[tile.group_idx, 2] = tile.problem_shape_k
        extents[tile.group_idx, 3] = tile.cta_tile_count_k
        scheduler.advance_to_next_work()
        work = scheduler.get_current_work()
    x, y, z = cute.arch.block_idx()
    executed[x, y, z] = scheduler.num_tiles_executed


@cute.jit
def run(
    problems: cute.Tensor,
    clusters: Int32,
    most: Constexpr,
    cluster: Constexpr,
    visits: cute.Tensor,
    extents: cute.Tensor,
    executed: cute.Tensor,
):
    params = utils.PersistentTileSchedulerParams((*cluster, clusters), (*cluster, 1))
    grid = utils.StaticPersistentGroupTileScheduler.get_grid_shape(params, most)
    visit(problems, params, cluster, visits, extents, executed).launch(
        grid=grid, block=1, cluster=(*cluster, 1)
    )


def ceil_div(a: int, b: int) -> int:
    return -(-a // b)


@pytest.mark.parametrize("cluster", [(1, 1), (2, 1), (1, 2)])
@pytest.mark.parametrize("most", [1, 3, 64])
@pytest.mark.parametrize("seed", range(4))
def test_each_tile_once(cluster, most, seed):
    """For odd seeds the host does not know the extents: it counts the clusters of the grid."""
    random = np.random.default_rng([seed, most, *cluster])
    groups = int(random.integers(1, 7))
    problems = np.ones((groups, 4), np.int32)
    problems[:, 0] = random.integers(0, 70, groups)  # a problem may be empty
    problems[:, 1] = random.integers(1, 40, groups)
    problems[:, 2] = random.integers(1, 30, groups)
    rows, columns = TILE[0] * cluster[0], TILE[1] * cluster[1]
    expected = np.zeros((groups, MOST, MOST), np.int32)
    for group, (m, n, _, _) in enumerate(problems):
        tiles = ceil_div(m, rows) * cluster[0], ceil_div(n, columns) * cluster[1]
        expected[group, : tiles[0], : tiles[1]] = 1
    clusters = int(expected.sum()) // (cluster[0] * cluster[1])
    visits = np.zeros_like(expected)
    extents = np.zeros((groups, 4), np.int32)
    executed = np.zeros((*cluster, most), np.int32)
    run(problems, most if seed % 2 else clusters, most, cluster, visits, extents, executed)
    np.testing.assert_array_equal(visits, expected)
    assert executed.sum() == expected.sum()
    seen = problems[:, 0] > 0
    k = problems[:, 2]
    result = np.stack([problems[:, 0], problems[:, 1], k, -(-k // TILE[2])], axis=1)
    np.testing.assert_array_equal(extents[seen], result[seen])


def test_no_problem_has_tiles():
    problems = np.array([[0, 8, 4, 1], [0, 8, 4, 1]], np.int32)
    visits, extents = np.zeros((2, MOST, MOST), np.int32), np.zeros((2, 4), np.int32)
    executed = np.full((1, 1, 1), -1, np.int32)
    run(problems, 0, 1, (1, 1), visits, extents, executed)
    assert visits.sum() == 0
