"""Cluster launch control: running clusters take over clusters that have not started, on the CPU; PTX for GPUs."""

from __future__ import annotations

import numpy as np
import pytest
from support.blackwell_tensors import assemble

from fairlead import CheckError, Int32, Int64, cute, pipeline, utils
from fairlead.cute.runtime import from_dlpack, make_fake_compact_tensor

SCHEDULES = ["", "--schedule forward", "--schedule backward", "--schedule random:5"]


@pytest.fixture(autouse=True)
def own_folder(tmp_path, monkeypatch):
    """PTX that is kept is also written to a file."""
    monkeypatch.chdir(tmp_path)


@cute.kernel
def visit(runs: cute.Tensor, tiles: cute.Tensor, without: cute.Constexpr):
    """Count the run of each block, its own tile, and the tiles that it takes over."""
    memory = cute.SmemAllocator()
    barrier = memory.allocate(Int64)
    response = memory.allocate_array(Int32, 4, 16)
    thread, _, _ = cute.arch.thread_idx()
    x, y, z = cute.arch.block_idx()
    width, height, _ = cute.arch.grid_dim()
    if thread == 0:
        cute.arch.mbarrier_init(barrier, 1)
        cute.arch.atomic_add(runs.iterator, Int32(1))
    cute.arch.mbarrier_init_fence()
    cute.arch.sync_threads()
    phase, valid = Int32(0), Int32(1)
    while valid != 0:
        if thread == 0:
            cute.arch.atomic_add(tiles.iterator + (x + width * (y + height * z)), Int32(1))
        if thread < 32:
            with cute.arch.elect_one():
                cute.arch.mbarrier_arrive_and_expect_tx(barrier, 16)
            cute.arch.issue_clc_query(barrier, response, multicast=False)
        if cute.const_expr(without != "wait"):
            cute.arch.mbarrier_wait(barrier, phase)
        x, y, z, valid = cute.arch.clc_response(response)
        cute.arch.fence_proxy("async.shared", space="cta")
        phase = phase ^ 1
        cute.arch.sync_threads()


@cute.jit
def visit_all(
    runs: cute.Tensor, tiles: cute.Tensor, grid: cute.Constexpr, without: cute.Constexpr = ""
):
    visit(runs, tiles, without).launch(grid=grid, block=64)


@pytest.mark.parametrize("options", SCHEDULES)
@pytest.mark.parametrize("grid", [(1, 1, 1), (7, 1, 1), (3, 4, 5)])
def test_every_block_is_visited_once(grid, options):
    runs, tiles = np.zeros(1, np.int32), np.zeros(np.prod(grid), np.int32)
    arguments = from_dlpack(runs), from_dlpack(tiles), grid
    cute.compile(visit_all, *arguments, options=f"--target cpu {options}")(*arguments[:2])
    np.testing.assert_array_equal(tiles, 1)
    assert 1 <= runs[0] <= len(tiles)


def test_checks_of_blocks():
    """One thread runs checked blocks: the first one takes over all others."""
    runs, tiles = np.zeros(1, np.int32), np.zeros(6, np.int32)
    arguments = from_dlpack(runs), from_dlpack(tiles), (6, 1, 1)
    cute.compile(visit_all, *arguments, options="--check all")(*arguments[:2])
    np.testing.assert_array_equal(tiles, 1)
    assert runs[0] == 1


def test_checks_find_a_missing_wait():
    runs, tiles = np.zeros(1, np.int32), np.zeros(6, np.int32)
    arguments = from_dlpack(runs), from_dlpack(tiles), (6, 1, 1), "wait"
    with pytest.raises(CheckError, match=r"race: shared memory[\s\S]*issue_clc_query"):
        cute.compile(visit_all, *arguments, options="--check all")(*arguments[:2])


# --- the scheduler of tiles


class Tiles:
    """A warp of each cluster's first block asks for tiles, another warp of each block counts them."""

    scheduler_warp, counting_warp = 0, 1

    def __init__(self, extents, cluster, swizzle=1, along_m=True):
        self.extents, self.cluster = extents, cluster
        self.swizzle, self.along_m = swizzle, along_m

    @cute.jit
    def __call__(self, counts: cute.Tensor, numbers: cute.Tensor):
        params = utils.ClcDynamicPersistentTileSchedulerParams(
            self.extents, (*self.cluster, 1), self.swizzle, self.along_m
        )
        grid = utils.ClcDynamicPersistentTileScheduler.get_grid_shape(params)
        self.kernel(params, counts, numbers).launch(grid=grid, block=64, cluster=(*self.cluster, 1))

    @cute.kernel
    def kernel(
        self,
        params: utils.ClcDynamicPersistentTileSchedulerParams,
        counts: cute.Tensor,
        numbers: cute.Tensor,
    ):
        memory = utils.SmemAllocator()
        barriers = memory.allocate_array(Int64, 2)
        response = memory.allocate_array(Int32, 4, 16)
        warp = cute.arch.make_warp_uniform(cute.arch.warp_idx())
        rank = cute.arch.make_warp_uniform(cute.arch.block_idx_in_cluster())
        blocks = self.cluster[0] * self.cluster[1]
        group = pipeline.CooperativeGroup
        layout = cute.make_layout((1, *self.cluster, 1))
        answers = pipeline.PipelineClcFetchAsync.create(
            num_stages=1,
            producer_group=group(pipeline.Agent.Thread),
            consumer_group=group(pipeline.Agent.Thread, 32 * (1 + blocks)),
            barrier_storage=barriers,
            cta_layout_vmnk=layout,
            defer_sync=True,
        )
        pipeline.pipeline_init_arrive(cluster_shape_mn=layout, is_relaxed=True)
        pipeline.pipeline_init_wait(cluster_shape_mn=layout)
        tiles = utils.ClcDynamicPersistentTileScheduler.create(
            params, cute.arch.block_idx(), cute.arch.grid_dim(), response
        )
        work = tiles.initial_work_tile_info()
        reading = pipeline.make_pipeline_state(pipeline.PipelineUserType.Consumer, 1)
        if warp == self.scheduler_warp and rank == 0:
            asking = pipeline.make_pipeline_state(pipeline.PipelineUserType.ProducerConsumer, 1)
            while work.is_valid_tile:
                answers.producer_acquire(asking)
                tiles.advance_to_next_work(answers.producer_get_barrier(asking))
                asking.advance()
                answers.consumer_wait(reading)
                work = tiles.get_current_work()
                answers.consumer_release(reading)
                reading.advance()
            answers.producer_tail(asking)
        if warp == self.counting_warp:
            while work.is_valid_tile:
                m, n, batch = work.tile_idx
                with cute.arch.elect_one():
                    if m < counts.shape[0] and n < counts.shape[1]:
                        cute.arch.atomic_add(counts[m, n, batch, None].iterator, Int32(1))
                        numbers[m, n, batch] = tiles.num_tiles_executed
                answers.consumer_wait(reading)
                work = tiles.get_current_work()
                answers.consumer_release(reading)
                reading.advance()


def visited(program, options=""):
    """Return how often each tile was counted, and how many came before it in its block."""
    counts, numbers = np.zeros((*program.extents, 1), np.int32), np.zeros(program.extents, np.int32)
    arguments = from_dlpack(counts), from_dlpack(numbers)
    cute.compile(program, *arguments, options=f"--target cpu {options}")(*arguments)
    return counts, numbers


@pytest.mark.parametrize("options", SCHEDULES)
@pytest.mark.parametrize("cluster", [(1, 1), (2, 1), (1, 2), (4, 2)])
def test_every_tile_is_visited_once(cluster, options):
    counts, numbers = visited(Tiles((9, 6, 2), cluster), options)
    np.testing.assert_array_equal(counts, 1)
    if cluster != (1, 1):
        assert numbers.max() > 0, "some clusters are taken over"


@pytest.mark.parametrize("along_m", [True, False])
@pytest.mark.parametrize("swizzle", [1, 2, 4])
def test_orders_of_tiles(swizzle, along_m):
    counts, _ = visited(Tiles((7, 5, 2), (2, 1), swizzle, along_m))
    np.testing.assert_array_equal(counts, 1)


def test_checks_of_clusters():
    counts, _ = visited(Tiles((8, 2, 1), (2, 2)), "--check all")
    np.testing.assert_array_equal(counts, 1)


# --- assembled


@pytest.mark.parametrize("target", ["sm_100a", "sm_103a", "sm_120a", "sm_100f"])
def test_assembles(target, tmp_path):
    fakes = [make_fake_compact_tensor(Int32, shape) for shape in ((9, 6, 2, 1), (9, 6, 2))]
    program = Tiles((9, 6, 2), (2, 1))
    text = cute.compile(program, *fakes, options=f"--target cuda:{target}").__ptx__
    assert ".multicast::cluster::all.b128" in text
    assert "clusterlaunchcontrol.query_cancel.get_first_ctaid.v4.b32.b128" in text
    assemble(text, tmp_path, target)


# --- refused


@pytest.mark.parametrize("target", ["sm_90a", "sm_100"])
def test_needs_the_architecture(target):
    fakes = [make_fake_compact_tensor(Int32, (size,)) for size in (1, 6)]
    with pytest.raises(ValueError, match="is supported only for sm_100a"):
        cute.compile(visit_all, *fakes, (6, 1, 1), options=f"--target cuda:{target}")


@cute.kernel
def asks(place: cute.Constexpr, out: cute.Tensor):
    memory = cute.SmemAllocator()
    barrier = memory.allocate(Int64)
    misaligned = memory.allocate_array(Int32, 4, 4)
    response = out.iterator if cute.const_expr(place == "global") else misaligned
    cute.arch.issue_clc_query(barrier, response)


@cute.jit
def ask(place: cute.Constexpr, out: cute.Tensor):
    asks(place, out).launch(grid=1, block=32)


@pytest.mark.parametrize("place", ["global", "misaligned"])
def test_needs_aligned_shared_memory(place):
    with pytest.raises(TypeError, match="shared memory that is aligned to 16 bytes"):
        cute.compile(ask, place, make_fake_compact_tensor(Int32, (4,), assumed_align=16))


def test_pipelines_of_other_answers():
    def create(**options):
        pipeline.PipelineClcFetchAsync.create(
            num_stages=1, producer_group=None, consumer_group=None, **options
        )

    with pytest.raises(ValueError, match="16 bytes, those of an answer, as tx_count"):
        create(tx_count=8)
    with pytest.raises(ValueError, match="up to 32 blocks as cta_layout_vmnk"):
        create(cta_layout_vmnk=(8, 8))
