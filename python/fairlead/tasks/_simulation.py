"""Finds schedules that wait forever, and stages that are filled or emptied too often.

Every step of a task takes from and adds to counters that only grow, and no step takes the count that another task
waits for: if any order of the tasks' steps gets stuck, all do. One order is therefore enough.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from fairlead.tasks._enums import ScheduleStage
from fairlead.tasks._errors import ScheduleError
from fairlead.tasks._pipelines import PipelineGroup
from fairlead.tasks._resources import MemoryResource
from fairlead.tasks._schedule import Call, DomainLoop, Guard, TileLoop
from fairlead.tasks._task import Task

_S = ScheduleStage
_COUNTED = (_S.ProducerAcquire, _S.ProducerCommit, _S.ConsumerWait, _S.ConsumerRelease)
#: Iterations and tiles of loops whose number the run decides.
_SOME = 2
#: Steps beyond which loops are taken as those of unknown length.
_MOST_STEPS = 200_000


class Steps:
    """The steps of a task that pipelines count, in order.

    Args:
        lengths: whether loops have their own number of iterations; else ``_SOME``.
        skips: whether all tiles are skipped.
        is_true: what run-time values of ``when_true`` and ``when_false`` are.
    """

    def __init__(self, task: Task, lengths: bool, skips: bool, is_true: bool) -> None:
        self._lengths, self._skips, self._is_true = lengths, skips, is_true
        self.task = task
        self.steps = list(self._expanded(task.schedule.steps, 0, 1))
        self.next = 0

    def _expanded(
        self, steps: list[Any], index: int, count: int
    ) -> Iterator[tuple[ScheduleStage, MemoryResource]]:
        for step in steps:
            if isinstance(step, Call):
                if step.method is None and step.stage in _COUNTED:
                    resource = step.resource
                    members = (
                        resource.members if isinstance(resource, PipelineGroup) else [resource]
                    )
                    for member in members:
                        if member.pipeline_config is not None:
                            yield step.stage, member
            elif isinstance(step, Guard):
                if self._holds(step, index, count):
                    yield from self._expanded(step.body, index, count)
            elif isinstance(step, TileLoop):
                for _ in range(_SOME):
                    yield from self._expanded(step.body, index, count)
            else:
                trips = self._trips(step)
                for number in range(trips):
                    yield from self._expanded(step.body, number, trips)

    def _trips(self, loop: DomainLoop) -> int:
        trips = loop.trips()
        if trips is None:
            return _SOME
        return trips if self._lengths else min(trips, _SOME)

    def _holds(self, guard: Guard, index: int, count: int) -> bool:
        return {
            "first": index == 0,
            "last": index == count - 1,
            "every": index >= guard.start and (index - guard.start) % guard.period == 0,
            "skippable": not self._skips,
            "true": self._is_true,
            "false": not self._is_true,
        }[guard.kind]


class Counters:
    """How often each task has done what to each resource."""

    def __init__(self, all_steps: Sequence[Steps]) -> None:
        self.done: dict[tuple[ScheduleStage, int], dict[int, int]] = {}
        for number, steps in enumerate(all_steps):
            for stage, resource in set(steps.steps):
                self.done.setdefault((stage, id(resource)), {})[number] = 0

    def least(self, stage: ScheduleStage, resource: MemoryResource) -> int:
        """Return the number of steps of the slowest task; 0 without tasks."""
        return min(self.done.get((stage, id(resource)), {}).values(), default=0)

    def may(self, task: int, stage: ScheduleStage, resource: MemoryResource) -> bool:
        """Return whether a step does not wait."""
        count = self.done[stage, id(resource)][task]
        config = resource.pipeline_config
        assert config is not None
        if stage is _S.ProducerAcquire:
            return count - self.least(_S.ConsumerRelease, resource) < config.num_stages
        if stage is _S.ConsumerWait:
            return self.least(_S.ProducerCommit, resource) > count
        return True

    def note(self, task: int, stage: ScheduleStage, resource: MemoryResource) -> None:
        """Count a step."""
        self.done[stage, id(resource)][task] += 1


def simulate(tasks: Sequence[Task]) -> None:
    """Raise ScheduleError if the tasks wait for each other forever, or leave stages unused."""
    has_lengths = all(
        loop.trips() is not None for task in tasks for loop in task.schedule.loops(DomainLoop)
    )
    if has_lengths:
        trips = [loop.trips() or 0 for task in tasks for loop in task.schedule.loops(DomainLoop)]
        if sum(trips) > _MOST_STEPS:
            if len(set(trips)) > 1:
                return
            has_lengths = False
    tiles = any(task.schedule.loops(TileLoop) for task in tasks)
    guards = {guard.kind for task in tasks for guard in task.schedule.loops(Guard)}
    for skips in (False, True)[: 1 + tiles]:
        for is_true in (True, False)[: 1 + bool(guards & {"true", "false"})]:
            _simulate([Steps(task, has_lengths, skips, is_true) for task in tasks])


def _simulate(all_steps: list[Steps]) -> None:
    counters = Counters(all_steps)
    moves = True
    while moves:
        moves = False
        for number, steps in enumerate(all_steps):
            while steps.next < len(steps.steps) and counters.may(number, *steps.steps[steps.next]):
                counters.note(number, *steps.steps[steps.next])
                steps.next += 1
                moves = True
    _check_ended(all_steps, counters)
    _check_used(all_steps, counters)


def _check_ended(all_steps: list[Steps], counters: Counters) -> None:
    blocked = [steps for steps in all_steps if steps.next < len(steps.steps)]
    if not blocked:
        return
    lines = []
    for steps in blocked:
        stage, resource = steps.steps[steps.next]
        awaited = _S.ProducerCommit if stage is _S.ConsumerWait else _S.ConsumerRelease
        users = counters.done.get((awaited, id(resource)), {})
        if users:
            slowest = min(users, key=lambda number: users[number])
            other = f"only {users[slowest]} of task '{all_steps[slowest].task.name}'"
        else:
            other = "none of any task"
        count = sum(step == (stage, resource) for step in steps.steps[: steps.next])
        stages = resource.pipeline_config.num_stages if resource.pipeline_config else 0
        expected = count + 1 if stage is _S.ConsumerWait else count + 1 - stages
        lines.append(
            f"  Task '{steps.task.name}' waits forever at {stage.value} {count} of resource '{resource.name}' "
            f"({stages} stages): expected {expected} {awaited.value} before it, got {other}"
        )
    raise ScheduleError("\n".join(["the schedules block each other:", *lines]))


def _check_used(all_steps: list[Steps], counters: Counters) -> None:
    resources = {id(resource): resource for steps in all_steps for _, resource in steps.steps}
    pairs = (
        (_S.ProducerAcquire, _S.ProducerCommit),
        (_S.ProducerCommit, _S.ConsumerWait),
        (_S.ConsumerWait, _S.ConsumerRelease),
    )
    for resource in resources.values():
        for before, after in pairs:
            left = counters.done.get((before, id(resource)), {})
            right = counters.done.get((after, id(resource)), {})
            counts = {*left.values(), *(right.values() or [0])}
            if len(counts) > 1:
                raise ScheduleError(
                    f"resource '{resource.name}': expected as many {after.value} as {before.value}, got "
                    f"{_named(all_steps, left)} {before.value} and {_named(all_steps, right)} {after.value}"
                )


def _named(all_steps: list[Steps], counts: dict[int, int]) -> str:
    return (
        ", ".join(
            f"{count} of task '{all_steps[number].task.name}'" for number, count in counts.items()
        )
        or "0"
    )
