"""Resources and kernels of the tests of task scheduling."""

from dataclasses import dataclass, field
from typing import Any

import fairlead
from fairlead import Float32, cute
from fairlead.pipeline import Agent, CooperativeGroup
from fairlead.primitives import Array
from fairlead.tasks import (
    MemoryResource,
    PipelineConfig,
    SmemAllocation,
    SmemAllocator,
    Task,
    TaskLocalVariable,
    TaskManager,
    WorkAttr,
    consumer_work,
    domain_loop,
    producer_work,
    schedule,
)

TILE = 32


def threads(count):
    return CooperativeGroup(Agent.Thread, count)


@dataclass
class Source(MemoryResource):
    """A tensor that is read, a tile of 32 elements in each iteration."""

    tensor: Any = None
    value: TaskLocalVariable = TaskLocalVariable.uninitialized()

    def __post_init__(self):
        self.value = TaskLocalVariable(Float32, Float32(0))

    @consumer_work(returns=value)
    @cute.jit
    def read(self, stage_info):
        lane, _, _ = cute.arch.thread_idx()
        place = stage_info.loop_offset * TILE + lane % TILE
        value = Float32(0)
        if place < self.tensor.shape[0]:
            value = self.tensor[place]
        return value


@dataclass
class Shared(MemoryResource):
    """Stages of a tile in shared memory."""

    memory: Any = field(init=False, default=None)
    value: TaskLocalVariable = TaskLocalVariable.uninitialized()

    def __post_init__(self):
        self.value = TaskLocalVariable(Float32, Float32(0))
        stages = self.pipeline_config.num_stages
        self.allocation = SmemAllocation(self.name, dtype=Float32, count=stages * TILE)

    def get_smem_requirements(self):
        return [self.allocation]

    @producer_work(work_attrs=WorkAttr.AUXILIARY)
    @cute.jit
    def prepare_writes(self, stage_info):
        self._prepare(stage_info)

    @consumer_work(work_attrs=WorkAttr.AUXILIARY)
    @cute.jit
    def prepare_reads(self, stage_info):
        self._prepare(stage_info)

    def _prepare(self, stage_info):
        base = stage_info.context.smem_base.data_ptr(self.allocation.offset)
        count = stage_info.num_active_stages * TILE
        self.memory = Array(base, shape=(count,), dtype=Float32)

    @producer_work
    @cute.jit
    def write(self, stage_info, value):
        lane, _, _ = cute.arch.thread_idx()
        self.memory[stage_info.stage_idx * TILE + lane % TILE] = value

    @consumer_work(returns=value)
    @cute.jit
    def read(self, stage_info):
        lane, _, _ = cute.arch.thread_idx()
        # The neighbour's element: right only if the whole tile is there.
        return self.memory[stage_info.stage_idx * TILE + (lane + 1) % TILE]


@dataclass
class Target(MemoryResource):
    """A tensor that is written."""

    tensor: Any = None

    @producer_work
    @cute.jit
    def write(self, stage_info, value):
        lane, _, _ = cute.arch.thread_idx()
        place = stage_info.loop_offset * TILE + (lane + 1) % TILE
        if place < self.tensor.shape[0]:
            self.tensor[place] = value * 2.0


@dataclass
class Marks(MemoryResource):
    """A tensor with a mark for each tile and iteration that ran."""

    tensor: Any = None

    @producer_work
    @cute.jit
    def mark(self, stage_info):
        lane, _, _ = cute.arch.thread_idx()
        if lane == 0:
            tile = stage_info.work_tile.tile_idx[0]
            self.tensor[tile, stage_info.loop_offset] += 1.0


def load(source, shared, trips):
    @schedule
    def load_schedule(source, shared):
        shared.prepare_writes()
        with domain_loop(trips):
            value = source.read()
            shared.try_acquire()
            shared.acquire()
            shared.write(value=value)
            shared.commit()

    return load_schedule(source, shared)


def store(shared, target, trips):
    @schedule
    def store_schedule(shared, target):
        shared.prepare_reads()
        with domain_loop(trips):
            shared.try_wait()
            shared.wait()
            value = shared.read()
            shared.release()
            target.write(value)

    return store_schedule(shared, target)


def doubling(stages):
    """Return a kernel that doubles a tensor: one warp loads, another stores, through ``stages`` stages."""

    @cute.kernel
    def device(x: cute.Tensor, y: cute.Tensor):
        trips = cute.ceil_div(x.shape[0], TILE)
        config = PipelineConfig.create_async_async_pipeline_cfg(stages, threads(32), threads(32))
        source, target = Source(name="source", tensor=x), Target(name="target", tensor=y)
        shared = Shared(name="shared", pipeline_config=config)
        allocator = SmemAllocator()
        allocator.add_resource(shared)
        allocator.compute_layout()
        tasks = [
            Task([source], [shared], 1, 1, schedule=load(source, shared, trips), name="load"),
            Task([shared], [target], 0, 1, schedule=store(shared, target, trips), name="store"),
        ]
        graph = {shared: [source], target: [shared]}
        manager = TaskManager(tasks, graph, smem_allocator=allocator)
        manager.setup_resources_and_tasks()
        fairlead.primitives.fence_mbarrier_init()
        cute.arch.sync_threads()
        manager.run()

    @cute.jit
    def host(x: cute.Tensor, y: cute.Tensor):
        device(x, y).launch(grid=1, block=64)

    return host
