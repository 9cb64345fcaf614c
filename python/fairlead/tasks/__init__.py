"""Task scheduling: kernels described by the reads and writes of their warps, and their order.

A resource is memory, or a queue of tiles, with methods that work on it; a schedule is the recorded order of a task's
calls; a task is a range of warps with one schedule. ``TaskManager`` checks all of them together, and makes
the code: branches for the warps, loops, waits and arrivals at barriers. Everything happens while a kernel is traced.
"""

from fairlead.tasks._enums import (
    PipelineGroupMode,
    PipelineType,
    ScheduleStage,
    SignalingThreads,
    TileSchedulerType,
    WorkAttr,
)
from fairlead.tasks._errors import ScheduleError
from fairlead.tasks._manager import TaskManager
from fairlead.tasks._memory import (
    SmemAllocation,
    SmemAllocator,
    TmemAllocation,
    TmemAllocator,
)
from fairlead.tasks._pipelines import PipelineConfig, PipelineGroup
from fairlead.tasks._resources import (
    MemoryResource,
    PdlLaunchBarrier,
    PdlWaitBarrier,
    ResourceContext,
    StageInfo,
    TileSchedulerConfig,
    WorkQueue,
)
from fairlead.tasks._schedule import (
    ScheduleResult,
    domain_loop,
    schedule,
    when_false,
    when_true,
    work_tile_loop,
)
from fairlead.tasks._task import Task
from fairlead.tasks._work import TaskLocalVariable, consumer_work, producer_work
from fairlead.utils import WorkTileInfo

__all__ = [
    "MemoryResource",
    "PdlLaunchBarrier",
    "PdlWaitBarrier",
    "PipelineConfig",
    "PipelineGroup",
    "PipelineGroupMode",
    "PipelineType",
    "ResourceContext",
    "ScheduleError",
    "ScheduleResult",
    "ScheduleStage",
    "SignalingThreads",
    "SmemAllocation",
    "SmemAllocator",
    "StageInfo",
    "Task",
    "TaskLocalVariable",
    "TaskManager",
    "TileSchedulerConfig",
    "TileSchedulerType",
    "TmemAllocation",
    "TmemAllocator",
    "WorkAttr",
    "WorkQueue",
    "WorkTileInfo",
    "consumer_work",
    "domain_loop",
    "producer_work",
    "schedule",
    "when_false",
    "when_true",
    "work_tile_loop",
]
