"""Kernels of tasks against NumPy."""

import re
import shutil
import subprocess
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from support.tasks_support import (
    TILE,
    Marks,
    Shared,
    Source,
    Target,
    doubling,
    load,
    store,
    threads,
)

from fairlead import Float32, Int32, cute, primitives, utils
from fairlead.tasks import (
    MemoryResource,
    PipelineConfig,
    PipelineGroup,
    SmemAllocation,
    SmemAllocator,
    Task,
    TaskManager,
    TileSchedulerConfig,
    TmemAllocation,
    TmemAllocator,
    WorkQueue,
    domain_loop,
    producer_work,
    schedule,
    work_tile_loop,
)

PTXAS = shutil.which("ptxas")
COUNT = 5 * TILE


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


@pytest.mark.skipif(PTXAS is None, reason="no ptxas")
def test_code_for_a_gpu():
    x = cute.runtime.make_fake_compact_tensor(cute.Float32, (75,), assumed_align=16)
    ptx = cute.compile(doubling(2), x, x, options="--target cuda:sm_90a").__ptx__
    assert "mbarrier.try_wait" in ptx and "mbarrier.arrive" in ptx


@dataclass
class SharedByTma(Shared):
    """Stages of a tile in shared memory that TMA fills."""

    map: Any = None

    @producer_work
    @cute.jit
    def write(self, stage_info):
        if primitives.elect_sync():
            primitives.cp_async_bulk_tensor_shared_cta_global(
                self.memory.subview(stage_info.stage_idx * TILE),
                self.map,
                (stage_info.loop_offset * TILE,),
                stage_info.barrier,
            )


@schedule
def load_by_tma(shared):
    shared.prepare_writes()
    with domain_loop(COUNT // TILE):
        shared.acquire()
        shared.write()
        shared.commit()


@cute.kernel
def double_by_tma(map: primitives.GridConstant[primitives.cuda.TensorMap], y: cute.Tensor):
    config = PipelineConfig.create_tma_async_pipeline_cfg(2, 4 * TILE, threads(1), threads(32))
    shared = SharedByTma(name="shared", pipeline_config=config, map=map.get_ptr())
    target = Target(name="target", tensor=y)
    allocator = SmemAllocator()
    allocator.add_resource(shared)
    stored = store(shared, target, COUNT // TILE)
    tasks = [
        Task([], [shared], 1, 1, schedule=load_by_tma(shared), name="load"),
        Task([shared], [target], 0, 1, schedule=stored, name="store"),
    ]
    manager = TaskManager(tasks, {shared: [], target: [shared]}, smem_allocator=allocator)
    manager.setup_resources_and_tasks()
    primitives.fence_mbarrier_init()
    cute.arch.sync_threads()
    manager.run()


@cute.jit
def doubling_by_tma(x: cute.Tensor, y: cute.Tensor):
    columns = primitives.cuda.create_tensor_map_tiled(
        x.iterator.toint(), x.element_type, [COUNT], [], [TILE]
    )
    double_by_tma(columns, y).launch(grid=1, block=64)


def test_stages_that_tma_fills():
    x, y = np.arange(COUNT, dtype=np.float32), np.zeros(COUNT, np.float32)
    cute.compile(doubling_by_tma, x, y, options="--target cpu")(x, y)
    assert np.array_equal(y, 2 * x)


@pytest.mark.skipif(PTXAS is None, reason="no ptxas")
def test_code_of_tma_for_a_gpu(tmp_path):
    x = cute.runtime.make_fake_compact_tensor(Float32, (COUNT,), assumed_align=16)
    ptx = cute.compile(doubling_by_tma, x, x, options="--target cuda:sm_90a").__ptx__
    copies = re.findall(r"cp\.async\.bulk\.tensor\.1d\S*mbarrier::complete_tx::bytes", ptx)
    assert copies and "mbarrier.arrive.expect_tx" in ptx
    path = tmp_path / "tasks.ptx"
    path.write_text(ptx)
    assembled = subprocess.run(
        [PTXAS, "-arch=sm_90a", path, "-o", tmp_path / "tasks.cubin"],
        capture_output=True,
        text=True,
    )
    assert assembled.returncode == 0, assembled.stderr


@dataclass
class Address(MemoryResource):
    """Columns of tensor memory, whose address a task writes to a tensor."""

    tensor: Any = None

    def __post_init__(self):
        self.columns = TmemAllocation("columns", 32)

    def get_tmem_requirements(self):
        return [self.columns]

    @producer_work
    @cute.jit
    def write(self, stage_info):
        self.tensor[0] = stage_info.context.tmem_ptr_i32.load() + self.columns.offset


def test_the_address_of_tensor_memory():
    @schedule
    def write_once(address):
        address.write()

    @cute.kernel
    def device(y: cute.Tensor):
        address = Address(name="address", tensor=y)
        allocator, columns = SmemAllocator(), TmemAllocator()
        slot = allocator.add_tmem_ptr(SmemAllocation("slot", dtype=Int32, alignment=4))
        columns.add(TmemAllocation("others", 8))
        columns.add_resource(address)
        columns.compute_layout()
        tasks = [Task([], [address], 0, 1, schedule=write_once(address))]
        manager = TaskManager(
            tasks, {address: []}, smem_allocator=allocator, tmem_allocator=columns
        )
        manager.setup_resources_and_tasks()
        allocator.get(slot).store(Int32(0x40000))
        cute.arch.sync_threads()
        manager.run()

    @cute.jit
    def host(y: cute.Tensor):
        device(y).launch(grid=1, block=32)

    y = np.zeros(1, np.int32)
    cute.compile(host, y, options="--target cpu")(y)
    assert y[0] == 0x40008


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
