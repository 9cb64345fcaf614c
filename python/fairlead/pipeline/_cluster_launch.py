"""A pipeline of answers of cluster launch control: a cluster takes over other clusters (cute.arch.issue_clc_query)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from fairlead import _compiler
from fairlead.cute import arch
from fairlead.cute.typing import Int
from fairlead.errors import make_error
from fairlead.pipeline._barriers import CooperativeGroup, PipelineOp, blocks_of, when
from fairlead.pipeline._pipelines import PipelineAsync, synchronize
from fairlead.pipeline._state import PipelineState

__all__ = ["PipelineClcFetchAsync"]

_RESPONSE_BYTES = 16


@dataclass(frozen=True, eq=False)
class PipelineClcFetchAsync(PipelineAsync):
    """PipelineAsync whose stages are filled by answers of cluster launch control, which all blocks of a cluster get.

    A warp of the cluster's first block is the producer, for all blocks. Consumers of every block arrive there.
    """

    _producer_op: ClassVar[PipelineOp] = PipelineOp.ClcLoad

    cluster_size: int

    @classmethod
    def create(  # type: ignore[override]
        cls,
        *,
        num_stages: int,
        producer_group: CooperativeGroup,
        consumer_group: CooperativeGroup,
        tx_count: Int = 16,
        barrier_storage: _compiler.Pointer | None = None,
        cta_layout_vmnk: _compiler.Layout | None = None,
        defer_sync: bool = False,
        name: str = "",
    ) -> Any:
        """Return the pipeline, whose barriers one thread of the block initializes; see PipelineAsync.create.

        Args:
            consumer_group: the threads of all blocks of the cluster that release a stage.
            tx_count: bytes of an answer: 16.
            cta_layout_vmnk: the blocks of the cluster, at most 32, as (V, M, N, K); default one.

        Raises ValueError (ArgumentValue) for other bytes, and for a larger cluster.
        """
        blocks = blocks_of(cta_layout_vmnk)
        for is_wrong, expected, got in (
            (tx_count != _RESPONSE_BYTES, "16 bytes, those of an answer, as tx_count", tx_count),
            (blocks > arch.WARP_SIZE, "a cluster of up to 32 blocks as cta_layout_vmnk", blocks),
        ):
            if is_wrong:
                function = "PipelineClcFetchAsync.create"
                raise make_error("ArgumentValue", function=function, expected=expected, got=got)
        full, empty = cls._arrays(
            barrier_storage, num_stages, producer_group, consumer_group, tx_count
        )
        synchronize(cta_layout_vmnk, defer_sync)
        first = None if blocks == 1 else _compiler.Int32(0)
        return cls(full, empty, num_stages, None, first, blocks)

    def producer_acquire(self, state: PipelineState, try_acquire_token: object = None) -> None:
        """Wait until all consumers have released the stage, and announce the next answer to all blocks."""
        super().producer_acquire(state, try_acquire_token)
        barrier = self.sync_object_full.get_barrier(state.index)
        lane = arch.lane_idx()
        block = None if self.cluster_size == 1 else lane
        when(
            lane < self.cluster_size,
            lambda: arch.mbarrier_arrive_and_expect_tx(barrier, _RESPONSE_BYTES, block),
        )

    def producer_commit(self, state: PipelineState) -> None:
        """Do nothing: answers count their bytes themselves."""
