"""Names of the choices that resources, pipelines and schedules are made with."""

from __future__ import annotations

import enum

__all__ = [
    "PipelineGroupMode",
    "PipelineType",
    "ScheduleStage",
    "SignalingThreads",
    "TileSchedulerType",
    "WorkAttr",
]


class WorkAttr(enum.IntFlag):
    """What a work method is: AUXILIARY ones need no stage of the resource's pipeline."""

    NONE = 0
    AUXILIARY = 1


class PipelineType(enum.Enum):
    """Who fills and who empties the stages of a pipeline: threads (Async) or TMA."""

    AsyncAsync = "AsyncAsync"
    TmaAsync = "TmaAsync"


class PipelineGroupMode(enum.Enum):
    """Which side of the pipelines of a group has one barrier for all members: Merge, the consumers'."""

    Merge = "Merge"


class SignalingThreads(enum.IntFlag):
    """Which threads of a task arrive at barriers: all, or one of each warp."""

    All = 1
    TaskWarpLeader = 4


class TileSchedulerType(enum.Enum):
    """How a queue hands out tiles."""

    StaticPersistent = "StaticPersistent"


class ScheduleStage(enum.Enum):
    """What a step of a schedule does to its resource."""

    ConsumerAuxWork = "ConsumerAuxWork"
    ConsumerTryWait = "ConsumerTryWait"
    ConsumerWait = "ConsumerWait"
    ConsumerWork = "ConsumerWork"
    ConsumerRelease = "ConsumerRelease"
    ProducerAuxWork = "ProducerAuxWork"
    ProducerTryAcquire = "ProducerTryAcquire"
    ProducerAcquire = "ProducerAcquire"
    ProducerWork = "ProducerWork"
    ProducerCommit = "ProducerCommit"

    @property
    def is_producer(self) -> bool:
        """Whether the step is one of a destination, not of a source."""
        return self.value.startswith("Producer")
