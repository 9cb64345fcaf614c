"""The manager of a kernel's tasks, which checks them, sets up their barriers and makes their code."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence

from fairlead._compiler import Int64
from fairlead.pipeline._barriers import linear_thread
from fairlead.primitives import Array, Pointer
from fairlead.tasks._checks import arrivals, check
from fairlead.tasks._enums import PipelineType
from fairlead.tasks._errors import ScheduleError
from fairlead.tasks._memory import MOST_COLUMNS, SmemAllocator, TmemAllocator
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
        resource_dependency_graph: for each written resource, the resources that it is computed from; for the checks.
        skip_validation: True if a check that fails is a warning.
        smem_allocator: that of resources with ``get_smem_requirements``; their pipelines' barriers are in it.
        tmem_allocator: that of resources with ``get_tmem_requirements``.
        tmem_ptr_i32: the Int32 in shared memory that holds the address of tensor memory, by default the one of
            ``smem_allocator.add_tmem_ptr``. The kernel reserves the columns and writes the address.
        smem_capacity_bytes: the most shared memory that the allocator may use, 227 KiB by default.
        tmem_capacity_columns: the most columns of tensor memory, 512 by default.
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
        tmem_allocator: TmemAllocator | None = None,
        tmem_ptr_i32: Array | None = None,
        smem_capacity_bytes: int | None = None,
        tmem_capacity_columns: int | None = None,
        **options: object,
    ) -> None:
        for option in options:
            if not option.startswith("iket_") and option not in _WITHOUT_EFFECT:
                raise ScheduleError(f"TaskManager has no option {option!r}")
        self.tasks, self.resource_dependency_graph = list(tasks), dict(resource_dependency_graph)
        self.smem_allocator = smem_allocator
        self.tmem_allocator = tmem_allocator
        self._most_columns = (
            MOST_COLUMNS if tmem_capacity_columns is None else tmem_capacity_columns
        )
        self._capacity = 232448 if smem_capacity_bytes is None else smem_capacity_bytes
        self._skips_validation = skip_validation
        self._context = ResourceContext(tmem_ptr_i32=tmem_ptr_i32)
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
            self._check_columns()
        except ScheduleError as error:
            if not self._skips_validation:
                raise
            warnings.warn(str(error), stacklevel=3)

    def _check_columns(self) -> None:
        columns = 0 if self.tmem_allocator is None else self.tmem_allocator.total_tmem_columns
        if columns > self._most_columns:
            raise ScheduleError(
                f"the resources ask for {columns} columns of tensor memory, more than {self._most_columns}"
            )

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
            address = self.smem_allocator.tmem_ptr_alloc
            if address is not None and self._context.tmem_ptr_i32 is None:
                self._context.tmem_ptr_i32 = self.smem_allocator.get(address)
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
}
