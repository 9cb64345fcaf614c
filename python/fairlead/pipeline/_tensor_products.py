"""Pipelines with products in tensor memory (``tcgen05``, of compute capability 10.0) on one side."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from fairlead import _compiler
from fairlead.cute import arch
from fairlead.cute._layout import make_layout_image_mask
from fairlead.cute._operations import size
from fairlead.cute.nvgpu.tcgen05 import CtaGroup
from fairlead.cute.typing import Int
from fairlead.pipeline._barriers import (
    CooperativeGroup,
    PipelineOp,
    blocks_of,
    check_cluster,
    when,
)
from fairlead.pipeline._pipelines import PipelineAsync, synchronize
from fairlead.pipeline._state import PipelineState

__all__ = ["PipelineAsyncUmma", "PipelineTmaUmma", "PipelineUmmaAsync"]


def group_of(layout: object) -> CtaGroup:
    """Return how many blocks of a cluster, (V, M, N, K), multiply together."""
    check_cluster(layout)
    several = layout is not None and size(layout, mode=[0]) == 2
    return CtaGroup.TWO if several else CtaGroup.ONE


def _own_rank() -> Any:
    return arch.make_warp_uniform(arch.block_idx_in_cluster())


def _pair_of(group: CtaGroup) -> tuple[Any, Any]:
    """Return the bits of both blocks of the pair, and the rank of the even one; Nones for one block."""
    if group is CtaGroup.ONE:
        return None, None
    leader = _own_rank() & ~1
    return _compiler.Int16(_compiler.Int32(3) << leader), leader


@dataclass(frozen=True, eq=False)
class PipelineUmmaAsync(PipelineAsync):
    """PipelineAsync whose stages, accumulators, are filled by the products that a warp asks for: producer_commit
    counts once, when they are done."""

    _producer_op: ClassVar[PipelineOp] = PipelineOp.TCGen05Mma

    cta_group: CtaGroup

    @classmethod
    def create(  # type: ignore[override]
        cls,
        *,
        num_stages: int,
        producer_group: CooperativeGroup,
        consumer_group: CooperativeGroup,
        barrier_storage: _compiler.Pointer | None = None,
        cta_layout_vmnk: _compiler.Layout | None = None,
        defer_sync: bool = False,
        name: str = "",
    ) -> Any:
        """See PipelineAsync.create.

        Args:
            consumer_group: the threads that arrive when a stage is empty; for a pair, the threads of both blocks.
            cta_layout_vmnk: the blocks of the cluster as (V, M, N, K); default one. V = 2 for pairs: the even block's
                products fill stages of both, so that only it calls producer_acquire and producer_commit.
        """
        full, empty = cls._arrays(barrier_storage, num_stages, producer_group, consumer_group, 0)
        group = group_of(cta_layout_vmnk)
        pair, leader = _pair_of(group)
        synchronize(cta_layout_vmnk, defer_sync)
        return cls(full, empty, num_stages, pair, leader, group)

    def producer_acquire(self, state: PipelineState, try_acquire_token: object = None) -> None:
        super().producer_acquire(state, try_acquire_token)
        _compiler.fence_tensor_after()

    def consumer_wait(self, state: PipelineState, try_wait_token: object = None) -> None:
        super().consumer_wait(state, try_wait_token)
        _compiler.fence_tensor_after()

    def consumer_release(self, state: PipelineState) -> None:
        # Reads from tensor memory by the thread precede the products that overwrite it.
        _compiler.fence_tensor_before()
        super().consumer_release(state)

    def producer_commit(self, state: PipelineState) -> None:
        """The stage is full when the products that the warp has asked for are done."""
        self.sync_object_full.arrive(state.index, self.producer_mask, self.cta_group)

    def producer_tail(self, state: PipelineState, try_acquire_token: object = None) -> None:
        """Wait until all stages have been emptied. Of a pair the even block does."""
        if self.cta_group is CtaGroup.ONE:
            return super().producer_tail(state, try_acquire_token)
        tail = super().producer_tail
        when((_own_rank() & 1) == 0, lambda: tail(state.clone(), try_acquire_token))
        return None


@dataclass(frozen=True, eq=False)
class PipelineAsyncUmma(PipelineAsync):
    """PipelineAsync whose stages, operands, are emptied by the products that a warp asks for: consumer_release counts
    once, when they are done."""

    _consumer_op: ClassVar[PipelineOp] = PipelineOp.TCGen05Mma

    cta_group: CtaGroup

    @classmethod
    def create(  # type: ignore[override]
        cls,
        *,
        num_stages: int,
        producer_group: CooperativeGroup,
        consumer_group: CooperativeGroup,
        barrier_storage: _compiler.Pointer | None = None,
        cta_layout_vmnk: _compiler.Layout | None = None,
        defer_sync: bool = False,
        name: str = "",
    ) -> Any:
        """See PipelineAsync.create.

        Args:
            producer_group: the threads that arrive when a stage is full; for a pair, the threads of both blocks.
            cta_layout_vmnk: as in PipelineUmmaAsync.create. Of a pair only the even block calls consumer_wait and
                consumer_release.
        """
        full, empty = cls._arrays(barrier_storage, num_stages, producer_group, consumer_group, 0)
        group = group_of(cta_layout_vmnk)
        pair, leader = _pair_of(group)
        synchronize(cta_layout_vmnk, defer_sync)
        return cls(full, empty, num_stages, leader, pair, group)

    def consumer_release(self, state: PipelineState) -> None:
        """The stage is empty when the products that the warp has asked for are done."""
        self.sync_object_empty.arrive(state.index, self.consumer_mask, self.cta_group)


@dataclass(frozen=True, eq=False)
class PipelineTmaUmma(PipelineAsync):
    """PipelineAsyncUmma whose stages are filled by copies of boxes: producer_acquire also announces their bytes.

    Both blocks of a pair load, and the barrier of the even block counts the bytes of both.
    """

    _producer_op: ClassVar[PipelineOp] = PipelineOp.TmaLoad
    _consumer_op: ClassVar[PipelineOp] = PipelineOp.TCGen05Mma

    is_leader_cta: Any
    cta_group: CtaGroup

    @classmethod
    def create(  # type: ignore[override]
        cls,
        *,
        num_stages: int,
        producer_group: CooperativeGroup,
        consumer_group: CooperativeGroup,
        tx_count: Int,
        barrier_storage: _compiler.Pointer | None = None,
        cta_layout_vmnk: _compiler.Layout | None = None,
        mcast_mode_mn: tuple[int, int] = (1, 1),
        defer_sync: bool = False,
        name: str = "",
    ) -> Any:
        """See PipelineAsync.create.

        Args:
            consumer_group: its size counts the blocks of the cluster that this one receives from, itself among them.
            tx_count: bytes that fill a stage, of both blocks of a pair.
            cta_layout_vmnk: the blocks of the cluster as (V, M, N, K); default one.
            mcast_mode_mn: whether blocks share along M, and along N.
        """
        full, empty = cls._arrays(
            barrier_storage, num_stages, producer_group, consumer_group, tx_count
        )
        mask = cls._sharing(cta_layout_vmnk, mcast_mode_mn)
        group = group_of(cta_layout_vmnk)
        leads = True if group is CtaGroup.ONE else (_own_rank() & 1) == 0
        synchronize(cta_layout_vmnk, defer_sync)
        return cls(full, empty, num_stages, None, mask, leads, group)

    @staticmethod
    def _sharing(layout: Any, modes: tuple[int, int]) -> Any:
        """Return the blocks whose loads fill memory that this one's products read, as bits; None for itself alone."""
        if blocks_of(layout) == 1:
            return None
        rank, mask = _own_rank(), None
        # Products of a pair read the memory of both.
        ranks = [rank] if group_of(layout) is CtaGroup.ONE else [rank, rank ^ 1]
        for block in ranks:
            place = layout.get_flat_coord(block)
            for shared, mode in zip(modes, (2, 1), strict=True):
                if shared:
                    along = make_layout_image_mask(layout, place, mode)
                    mask = along if mask is None else mask | along
        return mask

    def producer_acquire(self, state: PipelineState, try_acquire_token: object = None) -> None:
        super().producer_acquire(state, try_acquire_token)
        when(self.is_leader_cta, lambda: self.sync_object_full.arrive(state.index))

    consumer_release = PipelineAsyncUmma.consumer_release

    def producer_commit(self, state: PipelineState) -> None:
        """Do nothing: copies count their bytes themselves."""
