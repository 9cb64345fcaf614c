"""Names of the choices that resources, pipelines and schedules are made with."""

from __future__ import annotations

import enum

from fairlead.errors import CheckedEnum

__all__ = [
    "PipelineGroupMode",
    "PipelineType",
    "ScheduleStage",
    "SignalingThreads",
    "TileSchedulerType",
    "WorkAttr",
]


class WorkAttr(enum.IntFlag):
    """The kind of a work method: AUXILIARY ones need no stage of the resource's pipeline."""

    NONE = 0
    AUXILIARY = 1


class PipelineType(CheckedEnum):
    """Who fills and who empties the stages of a pipeline: threads (Async) or TMA."""

    AsyncAsync = "AsyncAsync"
    TmaAsync = "TmaAsync"


class PipelineGroupMode(CheckedEnum):
    """The side of the pipelines of a group that has one barrier for all members: Merge, the consumers'."""

    Merge = "Merge"


class SignalingThreads(enum.IntFlag):
    """The threads of a task that arrive at barriers: all, or one of each warp."""

    All = 1
    TaskWarpLeader = 4


class TileSchedulerType(CheckedEnum):
    """How a queue hands out tiles."""

    StaticPersistent = "StaticPersistent"


class ScheduleStage(CheckedEnum):
    """The effect of a schedule's step on its resource."""

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
        """True if the step is one of a destination, not of a source."""
        return self.value.startswith("Producer")
