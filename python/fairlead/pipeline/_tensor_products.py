"""Pipelines one side of which are products with tensor memory (``tcgen05``, of compute capability 10.0)."""

from __future__ import annotations

from typing import Any

from fairlead import _compiler
from fairlead.cute.typing import Int
from fairlead.pipeline._barriers import CooperativeGroup, PipelineOp, blocks_of
from fairlead.pipeline._pipelines import PipelineAsync, synchronize
from fairlead.pipeline._state import PipelineState

__all__ = ["PipelineAsyncUmma", "PipelineTmaUmma", "PipelineUmmaAsync"]


class PipelineUmmaAsync(PipelineAsync):
    """PipelineAsync whose stages, accumulators, are filled by the products that a warp asks for: producer_commit
    counts once, when they are done."""

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
        """See PipelineAsync.create. ``cta_layout_vmnk``: the blocks of the cluster as (V, M, N, K); default one."""
        full, empty = cls._arrays(barrier_storage, num_stages, producer_group, consumer_group, 0)
        synchronize(cta_layout_vmnk, defer_sync)
        return cls(full, empty, num_stages, None, None)

    def producer_acquire(self, state: PipelineState, try_acquire_token: object = None) -> None:
        super().producer_acquire(state, try_acquire_token)
        _compiler.fence_tensor_after()

    def consumer_wait(self, state: PipelineState, try_wait_token: object = None) -> None:
        super().consumer_wait(state, try_wait_token)
        _compiler.fence_tensor_after()

    def consumer_release(self, state: PipelineState) -> None:
        # What the thread read from tensor memory comes before the products that overwrite it.
        _compiler.fence_tensor_before()
        super().consumer_release(state)

    def producer_commit(self, state: PipelineState) -> None:
        """The stage is full when the products that the warp has asked for are done."""
        _compiler.commit_tensor_products(self.sync_object_full.get_barrier(state.index), None, True)


class PipelineAsyncUmma(PipelineAsync):
    """PipelineAsync whose stages, operands, are emptied by the products that a warp asks for: consumer_release counts
    once, when they are done."""

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
        """See PipelineUmmaAsync.create."""
        full, empty = cls._arrays(barrier_storage, num_stages, producer_group, consumer_group, 0)
        synchronize(cta_layout_vmnk, defer_sync)
        return cls(full, empty, num_stages, None, None)

    def consumer_release(self, state: PipelineState) -> None:
        """The stage is empty when the products that the warp has asked for are done."""
        barrier = self.sync_object_empty.get_barrier(state.index)
        _compiler.commit_tensor_products(barrier, self.consumer_mask, True)


class PipelineTmaUmma(PipelineAsyncUmma):
    """PipelineAsyncUmma whose stages are filled by copies of boxes: producer_acquire also announces their bytes."""

    _producer_op = PipelineOp.TmaLoad

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
            tx_count: bytes that fill a stage.
            cta_layout_vmnk: the blocks of the cluster as (V, M, N, K); default one.
            mcast_mode_mn: whether blocks share along M, and along N.
        """
        full, empty = cls._arrays(
            barrier_storage, num_stages, producer_group, consumer_group, tx_count
        )
        mask = cls._sharing(cta_layout_vmnk, mcast_mode_mn)
        synchronize(cta_layout_vmnk, defer_sync)
        return cls(full, empty, num_stages, None, mask)

    @staticmethod
    def _sharing(layout: Any, modes: tuple[int, int]) -> Any:
        """The blocks whose loads also fill this one's memory, as bits; None for itself alone."""
        from fairlead.cute import arch
        from fairlead.cute._layout import make_layout_image_mask

        if blocks_of(layout) == 1:
            return None
        own = layout.get_flat_coord(arch.make_warp_uniform(arch.block_idx_in_cluster()))
        mask = None
        for shared, mode in zip(modes, (2, 1), strict=True):
            if shared:
                along = make_layout_image_mask(layout, own, mode)
                mask = along if mask is None else mask | along
        return mask

    def producer_acquire(self, state: PipelineState, try_acquire_token: object = None) -> None:
        super().producer_acquire(state, try_acquire_token)
        self.sync_object_full.arrive(state.index)

    def producer_commit(self, state: PipelineState) -> None:
        """Nothing: copies count their bytes themselves."""
