"""The manager of a kernel's tasks, which checks them, sets up their barriers and makes their code."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence

from fairlead._compiler import Int64
from fairlead.pipeline._barriers import linear_thread
from fairlead.primitives import Pointer
from fairlead.tasks._checks import arrivals, check
from fairlead.tasks._enums import PipelineType
from fairlead.tasks._errors import ScheduleError
from fairlead.tasks._memory import SmemAllocator
from fairlead.tasks._pipelines import PipelineGroup
from fairlead.tasks._resources import MemoryResource, ResourceContext
from fairlead.tasks._run import TaskCode, if_
from fairlead.tasks._stages import Barriers, new_barriers
from fairlead.tasks._task import Task

__all__ = ["TaskManager"]


class TaskManager:
    """All tasks of a kernel.

    Args:
        tasks: the tasks, of different warps.
        resource_dependency_graph: for each resource that is written, those that it is made of; for the checks.
        skip_validation: whether a check that fails is a warning.
        smem_allocator: that of resources with ``get_smem_requirements``; their pipelines' barriers are in it.
        smem_capacity_bytes: the most shared memory that the allocator may use, 227 KiB by default.
        options: of printing and profiling, without effect.

    Raises ScheduleError (a ValueError) if a check fails: docs/language says which there are.
    """

    def __init__(
        self,
        tasks: Sequence[Task],
        resource_dependency_graph: Mapping[MemoryResource, Sequence[MemoryResource]],
        *,
        skip_validation: bool = False,
        smem_allocator: SmemAllocator | None = None,
        tmem_allocator: object = None,
        tmem_ptr_i32: object = None,
        smem_capacity_bytes: int | None = None,
        **options: object,
    ) -> None:
        if tmem_allocator is not None or tmem_ptr_i32 is not None:
            raise ScheduleError("TaskManager: tensor memory is not supported")
        for option in options:
            if not option.startswith("iket_") and option not in _WITHOUT_EFFECT:
                raise ScheduleError(f"TaskManager has no option {option!r}")
        self.tasks, self.resource_dependency_graph = list(tasks), dict(resource_dependency_graph)
        self.smem_allocator = smem_allocator
        self._capacity = 232448 if smem_capacity_bytes is None else smem_capacity_bytes
        self._skips_validation = skip_validation
        self._context = ResourceContext()
        self._barriers: dict[int, Barriers] | None = None
        self.print_and_verify()

    def print_and_verify(self) -> None:
        """Check the tasks; the constructor does it.

        Raises ScheduleError if a check fails.
        """
        if not self.resource_dependency_graph:
            raise ScheduleError(
                "resource_dependency_graph: expected a resource or more, got an empty graph"
            )
        try:
            check(self.tasks, self.resource_dependency_graph, self.smem_allocator, self._capacity)
        except ScheduleError as error:
            if not self._skips_validation:
                raise
            warnings.warn(str(error), stacklevel=3)

    def setup_resources_and_tasks(self) -> None:
        """Make shared memory and begin the barriers, by one thread. The kernel must make them known to all threads
        before ``run()``: ``fence_mbarrier_init`` and a barrier of the block.

        Raises ScheduleError the second time.
        """
        if self._barriers is not None:
            raise ScheduleError("setup_resources_and_tasks() runs once for a TaskManager")
        if self.smem_allocator is not None:
            self.smem_allocator.allocate()
            self._context.smem_base = self.smem_allocator.smem_base
        self._barriers = {}
        empties: list[Barriers] = []
        for resource in self._resources():
            if resource.pipeline_config is None or id(resource) in self._barriers:
                continue
            if resource.pipeline_group is not None:
                empties.append(self._add_group(resource.pipeline_group))
            else:
                stages = resource.pipeline_config.num_stages
                first = self._storage(resource, 2 * stages)
                one = self._made([resource], resource, first, first + stages)
                empties.append(one)
        if not self._barriers:
            return
        barriers = list(self._barriers.values())

        def begin() -> None:
            for one in barriers:
                one.initialise_full()
            for one in empties:
                one.initialise_empty()

        if_(linear_thread() == 0, begin)

    def run(self) -> None:
        """Make the code of all tasks.

        Raises ScheduleError before ``setup_resources_and_tasks()``.
        """
        if self._barriers is None:
            raise ScheduleError("TaskManager.run() before setup_resources_and_tasks()")
        warps = max(task.warps.stop for task in self.tasks)
        codes = [TaskCode(task, self._barriers, self._context, warps) for task in self.tasks]
        for code in codes:
            code.emit()

    def _resources(self) -> list[MemoryResource]:
        all_of_them = [
            resource
            for task in self.tasks
            for resource in (*task.src_resources, *task.dst_resources)
        ]
        return list({id(resource): resource for resource in all_of_them}.values())

    def _storage(self, owner: MemoryResource | PipelineGroup, count: int) -> Pointer:
        passed = getattr(owner.pipeline_config, "barrier_ptr", None)
        if passed is not None:
            return Pointer(passed, dtype=Int64)
        pointer = None if self.smem_allocator is None else self.smem_allocator.barriers_of(owner)
        return new_barriers(count) if pointer is None else Pointer(pointer, dtype=Int64)

    def _add_group(self, group: PipelineGroup) -> Barriers:
        """The barriers of a group: full of each member, then one empty for all."""
        stages = group.num_stages
        first = self._storage(group, stages * (len(group.members) + 1))
        members = [
            self._made(
                group.members, member, first + index * stages, first + len(group.members) * stages
            )
            for index, member in enumerate(group.members)
        ]
        return members[0]

    def _made(
        self,
        sharing: list[MemoryResource],
        resource: MemoryResource,
        full: Pointer,
        empty: Pointer,
    ) -> Barriers:
        config = resource.pipeline_config
        assert config is not None and self._barriers is not None
        producers, fill_all = arrivals(self.tasks, [resource], is_producer=True)
        consumers, empty_all = arrivals(self.tasks, sharing, is_producer=False)
        if config.kind is PipelineType.TmaAsync:
            producers = 1
        barriers = Barriers(config, full, empty, producers, consumers, (fill_all, empty_all))
        self._barriers[id(resource)] = barriers
        return barriers


_WITHOUT_EFFECT = {
    "verbose",
    "exhaustive_deadlock_race_check",
    "dma_consumer_release_labels",
    "assume_pdl_wait_completed",
    "tmem_capacity_columns",
}
