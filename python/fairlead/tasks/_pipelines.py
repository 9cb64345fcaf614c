"""Pipelines of stages between tasks, and groups of pipelines that share barriers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fairlead.pipeline import CooperativeGroup
from fairlead.tasks._enums import PipelineGroupMode, PipelineType, SignalingThreads
from fairlead.tasks._errors import ScheduleError

if TYPE_CHECKING:
    from fairlead.tasks._resources import MemoryResource

__all__ = ["PipelineConfig", "PipelineGroup"]

#: Bytes of one mbarrier.
BARRIER_BYTES = 8


class PipelineConfig:
    """The stages of a resource, and how many threads fill and empty them; made by ``create_..._pipeline_cfg``.

    Args:
        kind: a PipelineType.
        num_stages: 1 or more.
        producer_group, consumer_group: how many arrivals fill and empty a stage.
        num_bytes: that TMA copies bring in a stage; None for threads.
        barrier_ptr: a pointer to ``2 * num_stages`` Int64 in shared memory; by default the allocator makes them.
    """

    def __init__(
        self,
        kind: PipelineType,
        num_stages: int,
        producer_group: CooperativeGroup,
        consumer_group: CooperativeGroup,
        num_bytes: int | None = None,
        barrier_ptr: object = None,
    ) -> None:
        if not isinstance(num_stages, int) or num_stages < 1:
            raise ScheduleError(f"num_stages of a pipeline: expected 1 or more, got {num_stages!r}")
        for name, group in (("producer_group", producer_group), ("consumer_group", consumer_group)):
            if not isinstance(group, CooperativeGroup):
                raise ScheduleError(
                    f"{name} of a pipeline: expected a CooperativeGroup, got {type(group).__name__}"
                )
        if kind is PipelineType.TmaAsync and not (isinstance(num_bytes, int) and num_bytes > 0):
            raise ScheduleError(
                f"num_bytes of a pipeline that TMA fills: expected 1 or more, got {num_bytes!r}"
            )
        self.kind, self.num_stages, self.num_bytes = kind, num_stages, num_bytes
        self.producer_group, self.consumer_group = producer_group, consumer_group
        self.barrier_ptr = barrier_ptr

    @property
    def pipeline_type(self) -> PipelineType:
        """Who fills and who empties the stages."""
        return self.kind

    @staticmethod
    def create_async_async_pipeline_cfg(
        num_stages: int,
        producer_group: CooperativeGroup,
        consumer_group: CooperativeGroup,
        cta_layout_vmnk: object = None,
        producer_signaling_threads: object = SignalingThreads.All,
        consumer_signaling_threads: object = SignalingThreads.All,
        barrier_ptr: object = None,
        **options: object,
    ) -> PipelineConfig:
        """Return the configuration of stages that threads fill and threads empty.

        Args:
            num_stages: 1 or more.
            producer_group, consumer_group: as many arrivals as the tasks have threads, or warps.
            cta_layout_vmnk: blocks of the cluster; one.
            producer_signaling_threads, consumer_signaling_threads: ``SignalingThreads.All``.
            barrier_ptr: a pointer to ``2 * num_stages`` Int64 in shared memory; by default the allocator makes them.

        Raises ScheduleError for other values, and options that are not supported.
        """
        _check_options(
            options, cta_layout_vmnk, producer_signaling_threads, consumer_signaling_threads
        )
        return PipelineConfig(
            PipelineType.AsyncAsync,
            num_stages,
            producer_group,
            consumer_group,
            barrier_ptr=barrier_ptr,
        )

    @staticmethod
    def create_tma_async_pipeline_cfg(
        num_stages: int,
        num_bytes: int,
        producer_group: CooperativeGroup,
        consumer_group: CooperativeGroup,
        cta_layout_vmnk: object = None,
        producer_signaling_threads: object = SignalingThreads.All,
        consumer_signaling_threads: object = SignalingThreads.All,
        barrier_ptr: object = None,
        **options: object,
    ) -> PipelineConfig:
        """Return the configuration of stages that TMA copies fill and threads empty.

        Args:
            num_bytes: that the copies bring in a stage.
            producer_group: one thread.

        The other arguments and errors are those of ``create_async_async_pipeline_cfg``.
        """
        _check_options(
            options, cta_layout_vmnk, producer_signaling_threads, consumer_signaling_threads
        )
        return PipelineConfig(
            PipelineType.TmaAsync,
            num_stages,
            producer_group,
            consumer_group,
            num_bytes,
            barrier_ptr,
        )


def _check_options(options: dict[str, Any], cluster: object, *signaling: object) -> None:
    from fairlead.cute._operations import size

    for name, value in options.items():
        if value not in (None, False, 1):
            raise ScheduleError(f"pipelines have no option {name}={value!r}")
    if cluster is not None and size(cluster) != 1:
        raise ScheduleError(
            f"cta_layout_vmnk of a pipeline: expected the layout of one block, got {cluster}"
        )
    for threads in signaling:
        if threads != SignalingThreads.All:
            raise ScheduleError(
                f"signaling threads of a pipeline: expected SignalingThreads.All, got {threads!r}"
            )


class PipelineGroup:
    """Resources whose stages one call releases: their consumers arrive at one barrier for all members.

    Args:
        name: for messages.
        members: resources with pipelines of the same number of stages; each is an attribute of its own name.
        mode: ``PipelineGroupMode.Merge``.
    """

    def __init__(
        self,
        *,
        name: str,
        members: list[MemoryResource],
        mode: PipelineGroupMode = PipelineGroupMode.Merge,
        pipeline_config: object = None,
    ) -> None:
        if mode is not PipelineGroupMode.Merge:
            raise ScheduleError(
                f"mode of PipelineGroup '{name}': expected PipelineGroupMode.Merge, got {mode!r}"
            )
        if len(members) < 2:
            raise ScheduleError(
                f"members of PipelineGroup '{name}': expected two or more, got {len(members)}"
            )
        self.name, self.members, self.mode = name, list(members), mode
        self.pipeline_config = pipeline_config
        for member in self.members:
            if member.pipeline_config is None:
                raise ScheduleError(
                    f"member '{member.name}' of PipelineGroup '{name}' has no pipeline_config"
                )
            if member.pipeline_group is not None:
                raise ScheduleError(
                    f"member '{member.name}' of PipelineGroup '{name}' is in '{member.pipeline_group.name}' already"
                )
        stages = {
            member.name: member.pipeline_config.num_stages
            for member in self.members
            if member.pipeline_config is not None
        }
        if len(set(stages.values())) > 1:
            raise ScheduleError(
                f"members of PipelineGroup '{name}': expected the same num_stages, got {stages}"
            )
        for member in self.members:
            member.pipeline_group = self

    @property
    def num_stages(self) -> int:
        """Number of stages of each member."""
        config = self.members[0].pipeline_config
        assert config is not None
        return config.num_stages

    def __getattr__(self, name: str) -> Any:
        for member in self.__dict__.get("members", ()):
            if member.name == name:
                return member
        raise AttributeError(f"PipelineGroup has no member {name!r}")
