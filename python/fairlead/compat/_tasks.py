"""``cutlass.experimental.task_scheduling`` and its modules: Fairlead's ``tasks``."""

from __future__ import annotations

from fairlead import tasks
from fairlead.compat._places import forwarding

__all__ = list(tasks.__all__)

__getattr__, __dir__ = forwarding(globals(), tasks)
