"""The exception of schedules and tasks that do not fit together."""

from __future__ import annotations

__all__ = ["ScheduleError"]


class ScheduleError(ValueError):
    """A schedule, a task or a resource that cannot work; the message names it, the expected and the actual value."""
