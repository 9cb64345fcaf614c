"""Checks of tasks before their code is made. Each error names the task and the resource."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from fairlead.tasks._enums import PipelineType, ScheduleStage
from fairlead.tasks._errors import ScheduleError
from fairlead.tasks._memory import SmemAllocator
from fairlead.tasks._pipelines import PipelineGroup
from fairlead.tasks._resources import MemoryResource, WorkQueue
from fairlead.tasks._schedule import Call, TileLoop
from fairlead.tasks._simulation import simulate
from fairlead.tasks._task import Task

Graph = Mapping[MemoryResource, Sequence[MemoryResource]]
_S = ScheduleStage
_WAITS = {_S.ProducerAcquire, _S.ConsumerWait}
_TRIES = {_S.ProducerTryAcquire: _S.ProducerAcquire, _S.ConsumerTryWait: _S.ConsumerWait}
_PIPELINE_STEPS = _WAITS | set(_TRIES) | {_S.ProducerCommit, _S.ConsumerRelease}


def check(
    tasks: Sequence[Task], graph: Graph, allocator: SmemAllocator | None, capacity: int
) -> None:
    """Raise ScheduleError for the first thing that cannot work."""
    _check_warps(tasks)
    _check_registers(tasks)
    for task in tasks:
        _check_resources(task, graph)
        _check_roles(task)
        _check_order(task)
    _check_edges(tasks, graph)
    for resource in _pipelined(tasks):
        _check_sizes(tasks, resource)
        _check_memory(resource, allocator)
    if allocator is not None and allocator.total_smem_bytes > capacity:
        raise ScheduleError(
            f"SmemAllocator: expected at most {capacity} bytes of shared memory, got {allocator.total_smem_bytes}"
        )
    simulate(tasks)


def arrivals(
    tasks: Iterable[Task], resources: Sequence[MemoryResource], is_producer: bool
) -> tuple[int, bool]:
    """Return how many arrivals fill (or empty) a stage that the resources share, and whether each thread arrives; else
    one of each warp does."""
    warps = _warps(tasks, resources[0], is_producer)
    sizes = [_group_size(resource, is_producer) for resource in resources]
    every_thread = any(size == 32 * warps for size in sizes)
    return (32 * warps if every_thread else warps), every_thread


def _group_size(resource: MemoryResource, is_producer: bool) -> object:
    config = resource.pipeline_config
    assert config is not None
    return (config.producer_group if is_producer else config.consumer_group).size


def _users(tasks: Iterable[Task], resource: MemoryResource, is_producer: bool) -> list[Task]:
    return [
        task
        for task in tasks
        if any(
            one is resource for one in (task.dst_resources if is_producer else task.src_resources)
        )
    ]


def _warps(tasks: Iterable[Task], resource: MemoryResource, is_producer: bool) -> int:
    return sum(task.num_warps for task in _users(tasks, resource, is_producer))


def _pipelined(tasks: Iterable[Task]) -> list[MemoryResource]:
    resources = [one for task in tasks for one in (*task.src_resources, *task.dst_resources)]
    return list({id(one): one for one in resources if one.pipeline_config is not None}.values())


def _check_warps(tasks: Sequence[Task]) -> None:
    if not tasks:
        raise ScheduleError("tasks of a TaskManager: expected one or more, got none")
    owners: dict[int, Task] = {}
    for task in tasks:
        for warp in task.warps:
            if warp in owners:
                raise ScheduleError(
                    f"Task '{task.name}': expected warps of its own, got warp {warp} of task '{owners[warp].name}'"
                )
            owners[warp] = task
    persistent = {task.name: bool(task.schedule.loops(TileLoop)) for task in tasks}
    working = {task.name: persistent[task.name] for task in tasks if task.schedule.resources}
    if len(set(working.values())) > 1:
        raise ScheduleError(
            "tasks: expected all or none with a work_tile_loop, got it in "
            f"{[name for name, loops in working.items() if loops]} alone"
        )


def _check_registers(tasks: Sequence[Task]) -> None:
    counts = {
        warp: task.num_registers
        for task in tasks
        if task.num_registers is not None
        for warp in task.warps
    }
    for group in sorted({warp // 4 for warp in counts}):
        warps = range(4 * group, 4 * group + 4)
        missing = [warp for warp in warps if warp not in counts]
        if missing:
            raise ScheduleError(
                f"warpgroup {group} (warps {warps.start} to {warps.stop - 1}): expected num_registers for all warps, "
                f"got none for warps {missing}; give them to a task of their own with an empty schedule"
            )
        different = {counts[warp] for warp in warps}
        if len(different) > 1:
            raise ScheduleError(
                f"warpgroup {group} (warps {warps.start} to {warps.stop - 1}): expected the same num_registers, got "
                f"{sorted(different)}"
            )


def _resources_of(call: Call) -> list[MemoryResource]:
    resource = call.resource
    return resource.members if isinstance(resource, PipelineGroup) else [resource]


def _check_resources(task: Task, graph: Graph) -> None:
    in_graph = {id(one) for edges in graph.items() for one in (edges[0], *edges[1])}
    used = {id(one) for call in task.schedule.calls() for one in _resources_of(call)}
    for loop in task.schedule.loops(TileLoop):
        used.add(id(loop.queue))
    for resource in (*task.src_resources, *task.dst_resources):
        if id(resource) not in in_graph:
            raise ScheduleError(
                f"Task '{task.name}': resource '{resource.name}' is in its src_resources or dst_resources; expected it "
                "in the resource_dependency_graph, got no entry with it"
            )
        if id(resource) not in used:
            raise ScheduleError(
                f"Task '{task.name}': resource '{resource.name}' is in its src_resources or dst_resources; expected a "
                f"step of schedule '{task.schedule.name}' with it, got none"
            )


def _check_roles(task: Task) -> None:
    sources = {id(one) for one in task.src_resources}
    targets = {id(one) for one in task.dst_resources}
    advances = {id(call.resource) for call in task.schedule.calls() if call.advances_tile}
    for loop in task.schedule.loops(TileLoop):
        if id(loop.queue) not in advances:
            raise ScheduleError(
                f"Task '{task.name}': work_tile_loop of WorkQueue '{loop.queue.name}': expected "
                "get_and_advance_work_tile() in it, got none: the loop would not end"
            )
    for call in task.schedule.calls():
        for resource in _resources_of(call):
            role, listed = (
                ("dst_resources", targets) if call.stage.is_producer else ("src_resources", sources)
            )
            if id(resource) not in listed:
                raise ScheduleError(
                    f"Task '{task.name}': {call.stage.value} of resource '{resource.name}': expected it in {role}, got "
                    + (
                        "the other role"
                        if id(resource) in sources | targets
                        else "a resource of no role"
                    )
                )
            is_pipeline_step = call.method is None and call.stage in _PIPELINE_STEPS
            if is_pipeline_step and resource.pipeline_config is None:
                if not isinstance(resource, WorkQueue):
                    raise ScheduleError(
                        f"Task '{task.name}': {call.stage.value} of resource '{resource.name}': expected a resource "
                        "with a pipeline_config, got None"
                    )
            group = resource.pipeline_group if call.resource is resource else None
            if group is not None and call.stage is _S.ConsumerRelease:
                raise ScheduleError(
                    f"Task '{task.name}': ConsumerRelease of resource '{resource.name}': expected release() of its "
                    f"PipelineGroup '{group.name}', got one of the member"
                )


def _check_order(task: Task) -> None:
    """Work needs a stage, and a try needs the wait that it prepares."""
    holds: dict[tuple[int, bool], bool] = {}
    tries: dict[int, Call] = {}
    for call in task.schedule.calls():
        for resource in _resources_of(call):
            if resource.pipeline_config is None:
                continue
            key = id(resource), call.stage.is_producer
            if call.stage in (_S.ProducerWork, _S.ConsumerWork) and not holds.get(key):
                before = "acquire()" if call.stage.is_producer else "wait()"
                raise ScheduleError(
                    f"Task '{task.name}': {call.stage.value} of resource '{resource.name}': expected {before} before "
                    "it, got none since the last stage"
                )
            if call.stage in _TRIES:
                tries[id(resource)] = call
            elif call.stage in _WAITS:
                tries.pop(id(resource), None)
                holds[key] = True
            elif call.stage in (_S.ProducerCommit, _S.ConsumerRelease):
                if not holds.get(key):
                    before = "acquire()" if call.stage.is_producer else "wait()"
                    raise ScheduleError(
                        f"Task '{task.name}': {call.stage.value} of resource '{resource.name}': expected {before} "
                        "before it, got none"
                    )
                holds[key] = False
    for call in tries.values():
        raise ScheduleError(
            f"Task '{task.name}': {call.stage.value} of resource '{call.resource.name}': expected "
            f"{_TRIES[call.stage].value} after it, got none"
        )


def _check_edges(tasks: Sequence[Task], graph: Graph) -> None:
    for target, sources in graph.items():
        for source in sources:
            if not any(
                any(one is source for one in task.src_resources)
                and any(one is target for one in task.dst_resources)
                for task in tasks
            ):
                raise ScheduleError(
                    f"resource_dependency_graph: edge '{source.name}' -> '{target.name}': expected a task with the "
                    "first in src_resources and the second in dst_resources, got none"
                )


def _check_sizes(tasks: Sequence[Task], resource: MemoryResource) -> None:
    config = resource.pipeline_config
    assert config is not None
    for is_producer, name in ((True, "producer"), (False, "consumer")):
        users = _users(tasks, resource, is_producer)
        if not users:
            action = "writes" if is_producer else "reads"
            role = "dst_resources" if is_producer else "src_resources"
            raise ScheduleError(
                f"resource '{resource.name}' has a pipeline: expected a task that {action} it (in {role}), got none"
            )
        size = _group_size(resource, is_producer)
        warps = _warps(tasks, resource, is_producer)
        allowed = [32 * warps, warps]
        if is_producer and config.kind is PipelineType.TmaAsync:
            allowed = [1]
            if len(users) > 1:
                raise ScheduleError(
                    f"resource '{resource.name}': expected one task that fills it by TMA, got "
                    f"{[task.name for task in users]}"
                )
        if size not in allowed:
            described = " or ".join(str(number) for number in allowed)
            raise ScheduleError(
                f"resource '{resource.name}' ({config.kind.value}): expected {name}_group.size={described} for "
                f"{[f'{task.name}: {task.num_warps} warps' for task in users]}, got {size}"
            )


def _check_memory(resource: MemoryResource, allocator: SmemAllocator | None) -> None:
    if resource.get_smem_requirements() and (allocator is None or not allocator.has(resource)):
        raise ScheduleError(
            f"resource '{resource.name}' needs shared memory: expected SmemAllocator.add_resource() with it and "
            "smem_allocator= of the TaskManager, got no such allocator"
        )
