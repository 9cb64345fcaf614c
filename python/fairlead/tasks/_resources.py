"""Resources: what tasks read and write."""

from __future__ import annotations

import dataclasses
from typing import Any

from fairlead.cute import arch
from fairlead.tasks._enums import TileSchedulerType
from fairlead.tasks._errors import ScheduleError
from fairlead.tasks._memory import SmemAllocation
from fairlead.tasks._pipelines import PipelineConfig, PipelineGroup
from fairlead.tasks._work import consumer_work, producer_work
from fairlead.utils import StaticPersistentTileScheduler, WorkTileInfo

__all__ = [
    "MemoryResource",
    "PdlLaunchBarrier",
    "PdlWaitBarrier",
    "ResourceContext",
    "StageInfo",
    "TileSchedulerConfig",
    "WorkQueue",
]


@dataclasses.dataclass
class ResourceContext:
    """The memory that resources share.

    Attributes:
        smem_base: the block of the SmemAllocator, an Array of Int8; None without one.
        tmem_ptr_i32: the address of tensor memory, an Array of one Int32 in shared memory; None without one.
    """

    smem_base: Any = None
    tmem_ptr_i32: Any = None


@dataclasses.dataclass
class StageInfo:
    """The position in a schedule at which a work method is called.

    Attributes:
        loop_offset, loop_start, loop_end, loop_step: of the domain loop; before it the offset is its start, after it
            its end. None in a schedule without one.
        stage_idx: the stage of the resource's pipeline; None without one.
        label: the name of the method.
        barrier: of a producer, the barrier that counts the bytes of the stage, an Array of one Int64; else None.
        work_tile: the tile that a work_tile_loop works on; None without one.
        num_active_stages: number of stages of the pipeline; None without one.
        context: the memory that resources share.
        task_cache: a dict of the task, for values that its methods want to keep while tracing.
    """

    loop_offset: Any = None
    loop_start: Any = None
    loop_end: Any = None
    loop_step: Any = None
    stage_idx: Any = None
    label: str = ""
    barrier: Any = None
    work_tile: Any = None
    num_active_stages: int | None = None
    context: ResourceContext | None = None
    task_cache: dict[Any, Any] = dataclasses.field(default_factory=dict)


@dataclasses.dataclass(kw_only=True, eq=False, repr=False)
class MemoryResource:
    """Memory or a queue of tiles that a task reads or writes. Subclasses have work methods.

    Args:
        name: for messages.
        is_barrier: whether it stands for an order alone.
        pipeline_config: the stages through which one task hands it to another; None for a resource of one task.
    """

    name: str = ""
    is_barrier: bool = False
    pipeline_config: PipelineConfig | None = None
    consumer_wait_signaling_threads: object = None

    pipeline_group: PipelineGroup | None = dataclasses.field(init=False, default=None)

    def __init_subclass__(cls, **options: object) -> None:
        super().__init_subclass__(**options)
        # Resources are keys of graphs: dataclasses that compare fields would make them unhashable.
        for method in ("__eq__", "__hash__", "__repr__"):
            if method not in vars(cls):
                setattr(cls, method, getattr(MemoryResource, method))

    def __repr__(self) -> str:
        return f"<{type(self).__name__} '{self.name}'>"

    @property
    def pipeline(self) -> PipelineConfig | None:
        """The pipeline, None without one."""
        return self.pipeline_config

    def get_smem_requirements(self) -> list[SmemAllocation]:
        """Return the shared memory that the resource needs, for ``SmemAllocator.add_resource``."""
        return []

    def get_tmem_requirements(self) -> list[Any]:
        """Return the tensor memory that the resource needs: none."""
        return []


class TileSchedulerConfig:
    """How a WorkQueue hands out tiles; made by ``create_static_persistent_tile_scheduler_params``."""

    def __init__(self, kind: TileSchedulerType, params: Any) -> None:
        self.kind, self.params = kind, params

    @staticmethod
    def create_static_persistent_tile_scheduler_params(
        tile_scheduler_params: object,
    ) -> TileSchedulerConfig:
        """Return the configuration that gives each block every n-th tile of n blocks.

        Args:
            tile_scheduler_params: a ``utils.PersistentTileSchedulerParams``.
        """
        return TileSchedulerConfig(TileSchedulerType.StaticPersistent, tile_scheduler_params)


@dataclasses.dataclass(kw_only=True, eq=False, repr=False)
class WorkQueue(MemoryResource):
    """The tiles that a persistent block works on, for ``work_tile_loop``.

    A schedule calls ``get_and_advance_work_tile()`` once for each tile. ``try_wait``, ``wait`` and ``release`` cost
    nothing: the tiles are known without asking another block.

    Args:
        tile_scheduler_config: how tiles are handed out.
    """

    tile_scheduler_config: TileSchedulerConfig | None = None

    def make_scheduler(self) -> Any:
        """Return the scheduler of the running block."""
        if self.tile_scheduler_config is None:
            raise ScheduleError(f"WorkQueue '{self.name}' has no tile_scheduler_config")
        return StaticPersistentTileScheduler.create(
            self.tile_scheduler_config.params, arch.block_idx(), arch.grid_dim()
        )

    def skip_work_tile_if(self, work_tile: WorkTileInfo) -> Any:
        """Return whether a tile is skipped; for ``work_tile_loop(queue, skip_if=...)``."""
        return False


@dataclasses.dataclass(kw_only=True, eq=False, repr=False)
class PdlWaitBarrier(MemoryResource):
    """The end of the kernel before this one, of programmatic dependent launches."""

    @consumer_work
    def wait_griddep(self, stage_info: StageInfo) -> None:
        """Wait for it."""
        arch.griddepcontrol_wait()


@dataclasses.dataclass(kw_only=True, eq=False, repr=False)
class PdlLaunchBarrier(MemoryResource):
    """The beginning of the kernel after this one, of programmatic dependent launches."""

    @producer_work
    def launch_griddep(self, stage_info: StageInfo) -> None:
        """Let it begin."""
        arch.griddepcontrol_launch_dependents()
