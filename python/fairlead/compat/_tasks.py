"""``cutlass.experimental.task_scheduling`` and its modules: Fairlead's ``tasks``."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from fairlead import tasks
from fairlead.compat._places import forwarding
from fairlead.tasks._schedule import Iterations

__all__ = [*tasks.__all__, "Every", "IterationPredicate", "Schedule"]

#: The name of a recorded schedule in annotations.
Schedule = tasks.ScheduleResult


class IterationPredicate:
    """A condition on the number of an iteration, from 0 on."""

    def fires(self, iter_idx: int, num_iters: int) -> bool:
        """True if steps under the condition are executed in iteration ``iter_idx`` of ``num_iters``."""
        raise NotImplementedError(f"{type(self).__name__}.fires")


@dataclass(frozen=True)
class Every(IterationPredicate):
    """The iterations ``start``, ``start + period`` and so on: a condition for ``when_true``."""

    period: int
    start: int = 0

    def fires(self, iter_idx: int, num_iters: int) -> bool:
        """True for each ``period``-th iteration from ``start`` on."""
        return iter_idx >= self.start and (iter_idx - self.start) % self.period == 0


def when_true(cond: object, *, key: object = None) -> Any:
    """``tasks.when_true``, also of an ``Every`` inside a ``domain_loop``."""
    if not isinstance(cond, IterationPredicate):
        return tasks.when_true(cond, key=key)
    if not isinstance(cond, Every):
        raise tasks.ScheduleError(f"when_true(): expected Every, got {type(cond).__name__}")
    return Iterations().every(cond.period, start=cond.start)


#: Methods that published classes of tasks override to change how they run.
_STEPS = (
    "_create_stage_info",
    "_run_pre_work_loop_entries",
    "_run_task_body_impl",
    "_run_task_body_persistent",
)


def _not_a_step(name: str) -> Callable[..., Any]:
    def step(self: object, *args: object) -> Any:
        raise NotImplementedError(f"Task.{name}: Fairlead runs tasks as their schedules say")

    step.__name__ = name
    step.is_stand_in = True  # type: ignore[attr-defined]
    return step


class Task(tasks.Task):
    """Fairlead's tasks. NotImplementedError for an object of a class that changes how tasks are run."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        cls = type(self)
        for name in _STEPS:
            if getattr(cls, name) is not getattr(Task, name):
                raise NotImplementedError(
                    f"{cls.__name__}.{name}: Fairlead runs tasks as their schedules say, and calls no such method"
                )
        super().__init__(*args, **kwargs)


for _name in _STEPS:
    setattr(Task, _name, _not_a_step(_name))

__getattr__, __dir__ = forwarding(globals(), tasks)
