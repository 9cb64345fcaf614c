"""Kernels of tasks against NumPy."""

import shutil

import numpy as np
import pytest
from support.tasks_support import Marks, Shared, Source, Target, doubling, load, threads

from fairlead import Int32, cute, primitives, utils
from fairlead.tasks import (
    PipelineConfig,
    PipelineGroup,
    SmemAllocator,
    Task,
    TaskManager,
    TileSchedulerConfig,
    WorkQueue,
    domain_loop,
    schedule,
    work_tile_loop,
)


@pytest.mark.parametrize("stages", [1, 2, 3])
@pytest.mark.parametrize("count", [1, 32, 75, 400])
def test_stages_between_two_warps(stages, count):
    x, y = np.arange(count, dtype=np.float32), np.zeros(count, np.float32)
    host = doubling(stages)
    cute.compile(host, x, y, options="--target cpu")(x, y)
    np.testing.assert_array_equal(y, 2 * x)


@pytest.mark.parametrize("guard, expected", [("first", [0]), ("last", [4]), ("every", [1, 3])])
def test_conditions_on_the_iteration(guard, expected):
    @cute.kernel
    def device(x: cute.Tensor, y: cute.Tensor, trips: Int32):
        source, target = Source(name="source", tensor=x), Target(name="target", tensor=y)

        @schedule
        def copy(source, target):
            with domain_loop(trips) as loop:
                conditions = {
                    "first": loop.first_iter,
                    "last": loop.last_iter,
                    "every": lambda: loop.every(2, start=1),
                }
                value = source.read()
                with conditions[guard]():
                    target.write(value)

        task = Task([source], [target], 0, 1, schedule=copy(source, target), name="copy")
        manager = TaskManager([task], {target: [source]})
        manager.setup_resources_and_tasks()
        manager.run()

    @cute.jit
    def host(x: cute.Tensor, y: cute.Tensor, trips: Int32):
        device(x, y, trips).launch(grid=1, block=32)

    x, y = np.ones(160, np.float32), np.zeros(160, np.float32)
    cute.compile(host, x, y, 5, options="--target cpu")(x, y, 5)
    assert y.reshape(5, 32).any(axis=1).nonzero()[0].tolist() == expected


@pytest.mark.skipif(shutil.which("ptxas") is None, reason="no ptxas")
def test_code_for_a_gpu():
    x = cute.runtime.make_fake_compact_tensor(cute.Float32, (75,), assumed_align=16)
    ptx = cute.compile(doubling(2), x, x, options="--target cuda:sm_90a").__ptx__
    assert "mbarrier.try_wait" in ptx and "mbarrier.arrive" in ptx


class FewTiles(WorkQueue):
    """A queue that skips the tiles from number 3 on."""

    @cute.jit
    def skip_work_tile_if(self, work_tile):
        return work_tile.tile_idx[0] >= 3


@pytest.mark.parametrize("blocks, tiles", [(1, 5), (2, 5), (4, 2)])
def test_tiles_of_persistent_blocks(blocks, tiles):
    @cute.kernel
    def device(y: cute.Tensor, params: object):
        config = TileSchedulerConfig.create_static_persistent_tile_scheduler_params(params)
        queue = FewTiles(name="queue", tile_scheduler_config=config)
        target = Marks(name="target", tensor=y)

        @schedule
        def steps(queue, target):
            with work_tile_loop(queue, skip_if=FewTiles.skip_work_tile_if) as loop:
                with loop.skippable(), domain_loop(2):
                    target.mark()
                queue.wait()
                queue.get_and_advance_work_tile()
                queue.release()

        task = Task([queue], [target], 0, 1, schedule=steps(queue, target), name="tiles")
        manager = TaskManager([task], {target: [queue]})
        manager.setup_resources_and_tasks()
        manager.run()

    @cute.jit
    def host(y: cute.Tensor):
        params = utils.PersistentTileSchedulerParams((tiles, 1, 1), (1, 1, 1))
        device(y, params).launch(grid=(1, 1, blocks), block=32)

    y = np.zeros((5, 2), np.float32)
    cute.compile(host, y, options="--target cpu")(y)
    expected = np.zeros((5, 2), np.float32)
    expected[: min(tiles, 3)] = 1
    np.testing.assert_array_equal(y, expected)


def test_a_group_that_is_released_at_once():
    @cute.kernel
    def device(x: cute.Tensor, y: cute.Tensor, z: cute.Tensor):
        def shared(name):
            config = PipelineConfig.create_async_async_pipeline_cfg(2, threads(32), threads(32))
            return Shared(name=name, pipeline_config=config)

        sources = [Source(name="x", tensor=x), Source(name="y", tensor=y)]
        members = [shared("a"), shared("b")]
        target = Target(name="target", tensor=z)
        both = PipelineGroup(name="both", members=members)
        allocator = SmemAllocator()
        for member in members:
            allocator.add_resource(member)
        allocator.add_pipeline_group(both)

        @schedule
        def store(a, b, target, both):
            a.prepare_reads()
            b.prepare_reads()
            with domain_loop(4):
                a.wait()
                b.wait()
                a.read()
                value = b.read()
                both.release()
                target.write(value)

        stored = store(both.a, both.b, target, both)
        tasks = [Task(members, [target], 0, 1, schedule=stored, name="store")]
        for warp, (source, member) in enumerate(zip(sources, members), 1):
            recorded = load(source, member, 4)
            tasks.append(Task([source], [member], warp, 1, schedule=recorded, name=f"load {warp}"))
        graph = {members[0]: [sources[0]], members[1]: [sources[1]], target: members}
        manager = TaskManager(tasks, graph, smem_allocator=allocator)
        manager.setup_resources_and_tasks()
        primitives.fence_mbarrier_init()
        cute.arch.sync_threads()
        manager.run()
        assert allocator.barrier_smem_bytes == 2 * 3 * 8

    @cute.jit
    def host(x: cute.Tensor, y: cute.Tensor, z: cute.Tensor):
        device(x, y, z).launch(grid=1, block=96)

    x, z = np.zeros(120, np.float32), np.zeros(120, np.float32)
    y = np.arange(120, dtype=np.float32)
    cute.compile(host, x, y, z, options="--target cpu")(x, y, z)
    np.testing.assert_array_equal(z, 2 * y)
