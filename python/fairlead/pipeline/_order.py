"""Groups of threads that take turns."""

from __future__ import annotations

from typing import Any

from fairlead import _compiler
from fairlead.cute._types import Int
from fairlead.pipeline._barriers import (
    CooperativeGroup,
    MbarrierArray,
    PipelineOp,
    alloc_reserved_mbarrier,
)
from fairlead.pipeline._pipelines import synchronize
from fairlead.pipeline._state import PipelineState

__all__ = ["PipelineOrder"]


class PipelineOrder:
    """Groups that take turns: ``wait`` is for the turn of the calling group, ``arrive`` ends it."""

    def __init__(
        self, barriers: MbarrierArray, depth: int, length: int, group_id: Int, state: PipelineState
    ) -> None:
        self.sync_object_full, self.depth, self.length = barriers, depth, length
        self.group_id, self.state = group_id, state

    @classmethod
    def create(
        cls,
        *,
        depth: int,
        length: int,
        group_id: Int,
        producer_group: CooperativeGroup,
        barrier_storage: _compiler.Pointer | None = None,
        defer_sync: bool = False,
        name: str = "",
    ) -> PipelineOrder:
        """Args:
        depth: turns of a group that may be open at once.
        length: groups.
        group_id: the calling one, from 0 on.
        producer_group: the threads of a group.
        barrier_storage: a pointer to ``depth * length`` Int64 in shared memory; default memory of its own.
        """
        if barrier_storage is None:
            barrier_storage = alloc_reserved_mbarrier(depth, multiplier=length)
        barriers = MbarrierArray(
            barrier_storage, depth * length, (PipelineOp.AsyncThread, producer_group)
        )
        barriers.mbarrier_init()
        synchronize(None, defer_sync)
        if isinstance(group_id, int):
            phase: Any = int(group_id == 0)
        else:
            phase = _compiler.select(group_id == 0, _compiler.Int32(1), _compiler.Int32(0))
        return cls(barriers, depth, length, group_id, PipelineState(depth, 0, 0, phase))

    def __extract_mlir_values__(self) -> list[Any]:
        return self.state.__extract_mlir_values__()

    def __new_from_mlir_values__(self, values: list[Any]) -> PipelineOrder:
        state = self.state.__new_from_mlir_values__(values)
        return PipelineOrder(self.sync_object_full, self.depth, self.length, self.group_id, state)

    def _place(self, state: PipelineState, group: object) -> Any:
        return state.index * self.length + group

    def wait(self, state: PipelineState | None = None) -> None:
        """Waits until it is this group's turn; ``state`` replaces the own one."""
        current = self.state if state is None else state
        self.sync_object_full.wait(self._place(current, self.group_id), current.phase)

    def arrive(self, state: PipelineState | None = None) -> PipelineState:
        """Ends the turn of this group: the next group goes on. Returns the state of the next turn, which the own one
        becomes unless ``state`` replaces it."""
        current = self.state if state is None else state.clone()
        following = (self.group_id + 1) % self.length
        self.sync_object_full.arrive_mbarrier(self._place(current, following))
        current.advance()
        return current
