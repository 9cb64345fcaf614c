"""Checks of tasks: each error names the task, the resource, the expectation and the value."""

from dataclasses import dataclass
from typing import Any

import pytest
from support.tasks_support import Shared, Source, Target, load, store, threads

from fairlead import Float32, Int32
from fairlead.tasks import (
    MemoryResource,
    PipelineConfig,
    PipelineGroup,
    ScheduleError,
    SmemAllocation,
    SmemAllocator,
    Task,
    TaskManager,
    TmemAllocation,
    TmemAllocator,
    WorkQueue,
    domain_loop,
    schedule,
    when_true,
    work_tile_loop,
)

TRIPS = 8


class Parts:
    """A kernel of two tasks that is right: warp 4 loads, warps 0 to 3 store, through 2 stages."""

    def __init__(self, producers=32, consumers=128):
        config = PipelineConfig.create_async_async_pipeline_cfg(
            2, threads(producers), threads(consumers)
        )
        self.source, self.target = Source(name="source"), Target(name="target")
        self.shared = Shared(name="shared", pipeline_config=config)
        self.graph = {self.shared: [self.source], self.target: [self.shared]}
        self.load = load(self.source, self.shared, TRIPS)
        self.store = store(self.shared, self.target, TRIPS)
        self.warps = {"load": (4, 1), "store": (0, 4)}
        self.registers = {}
        self.allocator = SmemAllocator()
        self.allocator.add_resource(self.shared)

    def tasks(self):
        roles = {
            "load": ([self.source], [self.shared], self.load),
            "store": ([self.shared], [self.target], self.store),
        }
        return [
            Task(
                sources,
                targets,
                *self.warps[name],
                schedule=recorded,
                name=name,
                num_registers=self.registers.get(name),
            )
            for name, (sources, targets, recorded) in roles.items()
        ]

    def manager(self, **options):
        return TaskManager(self.tasks(), self.graph, smem_allocator=self.allocator, **options)


def _load(parts, *names):
    """A schedule of the loading task with these steps in each iteration."""

    @schedule
    def steps(source, shared):
        with domain_loop(TRIPS):
            value = source.read()
            for name in names:
                if name == "write":
                    shared.write(value)
                else:
                    getattr(shared, name)()

    return steps(parts.source, parts.shared)


def _store(parts, *names):
    @schedule
    def steps(shared, target):
        with domain_loop(TRIPS):
            for name in names:
                if name == "read":
                    target.write(shared.read())
                else:
                    getattr(shared, name)()

    return steps(parts.shared, parts.target)


def test_tasks_that_fit():
    for parts in (Parts(), Parts(producers=1, consumers=4)):
        manager = parts.manager()
        assert [task.name for task in manager.tasks] == ["load", "store"]


def _without_commit(parts):
    parts.load = _load(parts, "acquire", "write")


def _without_release(parts):
    parts.store = _store(parts, "wait", "read")


def _without_acquire(parts):
    parts.load = _load(parts, "write")


def _wrong_role(parts):
    parts.load = _load(parts, "wait", "release")


def _lone_try(parts):
    parts.load = _load(parts, "acquire", "write", "commit", "try_acquire")


def _fewer_iterations(parts):
    parts.store = store(parts.shared, parts.target, TRIPS - 1)


def _more_iterations(parts):
    parts.store = store(parts.shared, parts.target, TRIPS + 1)


def _unknown_resource(parts):
    parts.graph = {parts.target: [parts.shared]}


def _edge_without_task(parts):
    parts.graph[parts.target] = [parts.shared, parts.source]


def _unused_resource(parts):
    parts.store = _store(parts, "wait", "release")


def _other_warps(parts):
    parts.warps["load"] = (3, 1)


def _registers_of_one_warp(parts):
    parts.registers["load"] = 40


def _no_memory(parts):
    parts.allocator = None


@pytest.mark.parametrize(
    "change, text",
    [
        (_without_commit, "'load' waits forever.*'store' waits forever|ProducerCommit"),
        (_without_release, r"Task 'load' waits forever at ProducerAcquire 2 of resource 'shared' \(2 stages\): "
         "expected 1 ConsumerRelease before it, got none of any task"),
        (_without_acquire, "Task 'load': ProducerWork of resource 'shared': expected acquire"),
        (_wrong_role, "Task 'load': ConsumerWait of resource 'shared': expected it in src_resources, got the other"),
        (_lone_try, "Task 'load': ProducerTryAcquire of resource 'shared': expected ProducerAcquire after it"),
        (_fewer_iterations, "resource 'shared': expected as many ConsumerWait as ProducerCommit, got 8 .*'load'.* 7"),
        (_more_iterations, "Task 'store' waits forever at ConsumerWait 8 .* expected 9 ProducerCommit .* only 8 of "
         "task 'load'"),
        (_unknown_resource, "Task 'load': resource 'source' .* expected it in the resource_dependency_graph"),
        (_edge_without_task, "edge 'source' -> 'target': expected a task"),
        (_unused_resource, "Task 'store': resource 'target' .* expected a step of schedule 'steps'"),
        (_other_warps, "Task 'store': expected warps of its own, got warp 3 of task 'load'"),
        (_registers_of_one_warp, r"warpgroup 1 .* got none for warps \[5, 6, 7\]"),
        (_no_memory, "resource 'shared' needs shared memory"),
    ],
)  # fmt: skip
def test_tasks_that_do_not_fit(change, text):
    parts = Parts()
    change(parts)
    with pytest.raises(ScheduleError, match=f"(?s){text}"):
        parts.manager()


@pytest.mark.parametrize("sizes, name", [((32, 64), "consumer"), ((64, 128), "producer")])
def test_sizes_of_groups(sizes, name):
    with pytest.raises(ScheduleError, match=f"'shared' .AsyncAsync.: expected {name}_group.size="):
        Parts(*sizes).manager()


def test_checks_that_are_skipped_warn():
    parts = Parts(consumers=64)
    with pytest.warns(UserWarning, match="consumer_group.size"):
        parts.manager(skip_validation=True)
    parts.graph = {}
    with pytest.raises(ScheduleError, match="resource_dependency_graph: expected a resource"):
        parts.manager(skip_validation=True)


def test_a_resource_that_no_task_writes():
    parts = Parts()
    parts.graph = {parts.target: [parts.shared]}
    with pytest.raises(ScheduleError, match="'shared' has a pipeline: expected a task that writes"):
        TaskManager(parts.tasks()[1:], parts.graph, smem_allocator=parts.allocator)


def test_memory_beyond_the_capacity():
    parts = Parts()
    parts.allocator.add(SmemAllocation("more", 300_000))
    parts.allocator.compute_layout()
    with pytest.raises(ScheduleError, match="expected at most 232448 bytes"):
        parts.manager()
    with pytest.raises(ScheduleError, match="compute_layout.. after compute_layout"):
        parts.allocator.compute_layout()


@dataclass
class Accumulator(MemoryResource):
    """A resource in tensor memory."""

    allocation: Any = None

    def get_tmem_requirements(self):
        return [self.allocation]


def test_columns_of_tensor_memory():
    columns = TmemAllocator()
    accumulator, factors = TmemAllocation("accumulator", 256), TmemAllocation("factors", 260)
    columns.add_resource(Accumulator(name="accumulator", allocation=accumulator))
    columns.add(factors)
    columns.compute_layout()
    assert (accumulator.offset, factors.offset, columns.total_tmem_columns) == (0, 256, 516)
    parts = Parts()
    with pytest.raises(ScheduleError, match="ask for 516 columns of tensor memory, more than 512"):
        parts.manager(tmem_allocator=columns)
    with pytest.raises(ScheduleError, match="compute_layout.. runs once"):
        columns.compute_layout()
    with pytest.raises(ScheduleError, match="expected num_columns of 1 to 512, got 0"):
        TmemAllocation("none", 0)


def test_the_address_of_tensor_memory():
    parts = Parts()
    with pytest.raises(ScheduleError, match="'a': expected one Int32 .* got 1 of Float32"):
        parts.allocator.add_tmem_ptr(SmemAllocation("a", dtype=Float32))
    parts.allocator.add_tmem_ptr(SmemAllocation("a", dtype=Int32, alignment=4))
    with pytest.raises(ScheduleError, match="add_tmem_ptr.. was called already"):
        parts.allocator.add_tmem_ptr(SmemAllocation("b", dtype=Int32))


def test_registers_of_a_task():
    parts = Parts()
    parts.registers["load"] = 41
    with pytest.raises(ScheduleError, match="'load': expected num_registers of 24 to 256 .* 41"):
        parts.tasks()


def _misspelt(parts, source, shared):
    shared.writ()


def _lacks_argument(parts, source, shared):
    shared.write()


def _number_for_token(parts, source, shared):
    shared.write(value=1)


def _two_loops(parts, source, shared):
    with domain_loop(2):
        pass
    with domain_loop(2):
        pass


def _step_of_zero(parts, source, shared):
    with domain_loop(0, 4, 0):
        pass


def _condition_after_its_loop(parts, source, shared):
    with domain_loop(2) as loop:
        pass
    with loop.first_iter():
        pass


def _tiles_of_no_queue(parts, source, shared):
    with work_tile_loop(shared):
        pass


def _condition_of_a_number(parts, source, shared):
    with when_true(1):
        pass


@pytest.mark.parametrize(
    "steps, error, text",
    [
        (_misspelt, AttributeError, "'shared' has no work method 'writ'; did you mean 'write'"),
        (_lacks_argument, ScheduleError, "shared.write.. lacks its argument 'value'"),
        (_number_for_token, ScheduleError, "shared.write..: expected a token as 'value', got int"),
        (_two_loops, ScheduleError, "domain_loop.*: expected one in a schedule, got a second"),
        (_step_of_zero, ScheduleError, "expected a step other than 0"),
        (_condition_after_its_loop, ScheduleError, "first_iter.* after its block has ended"),
        (_tiles_of_no_queue, ScheduleError, "expected a WorkQueue as wq, got Shared"),
        (_condition_of_a_number, ScheduleError, "when_true.*expected a token .* got int"),
    ],
)
def test_steps_that_are_refused(steps, error, text):
    parts = Parts()

    @schedule
    def recorded(source, shared):
        steps(parts, source, shared)

    with pytest.raises(error, match=text):
        recorded(parts.source, parts.shared)


def test_a_loop_over_tiles_that_would_not_end():
    target, queue = Target(name="target"), WorkQueue(name="queue")

    @schedule
    def endless(queue):
        with work_tile_loop(queue):
            queue.wait()

    task = Task([queue], [], 0, 1, schedule=endless(queue), name="tiles")
    with pytest.raises(ScheduleError, match="'queue': expected get_and_advance_work_tile"):
        TaskManager([task], {target: [queue]})


def test_members_of_groups():
    one, two = Parts().shared, Parts().shared
    with pytest.raises(ScheduleError, match="'both': expected two or more, got 1"):
        PipelineGroup(name="both", members=[one])
    PipelineGroup(name="both", members=[one, two])
    with pytest.raises(
        ScheduleError, match="'shared' of PipelineGroup 'more' is in 'both' already"
    ):
        PipelineGroup(name="more", members=[one, two])
