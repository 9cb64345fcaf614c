"""``cutlass.experimental``: the layer of primitives, and task scheduling."""

from fairlead.compat import _primitives as primitives
from fairlead.compat import _tasks as task_scheduling
from fairlead.compat import _tensor_maps as cuda

__all__ = ["cuda", "primitives", "task_scheduling"]
