"""``cutlass.experimental.task_scheduling`` and its modules: Fairlead's ``tasks``."""

from __future__ import annotations

from fairlead import tasks
from fairlead.compat._places import forwarding

__all__ = [*tasks.__all__, "Schedule"]

#: The name of a recorded schedule in annotations.
Schedule = tasks.ScheduleResult

__getattr__, __dir__ = forwarding(globals(), tasks)
