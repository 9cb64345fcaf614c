"""Pipelines of ``cute.experimental``, which keep their states and their barriers themselves."""

from __future__ import annotations

import enum
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from fairlead import _compiler, pipeline
from fairlead.cute import arch
from fairlead.cute._operations import size
from fairlead.pipeline import (
    Agent,
    CooperativeGroup,
    PipelineState,
    PipelineUserType,
    make_pipeline_state,
)
from fairlead.pipeline._barriers import when
from fairlead.pipeline._tensor_products import _pair_of

__all__ = [
    "OperationTypeEnum",
    "TMAStorePipeline",
    "TMAToUMMAPipeline",
    "UMMAtoAsyncPipeline",
    "get_mbarrier",
    "pipeline_advance_iterator",
]


class OperationTypeEnum(enum.Enum):
    """An asynchronous operation that fills or empties stages."""

    SM90_TMA_LOAD = "tma load"
    SM90_TMA_LOAD_MULTICAST = "tma load, multicast"
    SM100_TMA_LOAD_2SM = "tma load of a pair"
    SM100_TMA_LOAD_2SM_MULTICAST = "tma load of a pair, multicast"
    SM100_MMA_1SM_SS = "product of a block"
    SM100_MMA_2SM_SS = "product of a pair"
    SM100_COPY_T2R = "copy from tensor memory"


def get_mbarrier(token: _compiler.Pointer) -> _compiler.Pointer:
    """Return the mbarrier of a stage that a producer has acquired."""
    return token


def pipeline_advance_iterator(raw_pipeline: object, state: PipelineState) -> PipelineState:
    """Move the state to the next stage, and return it: run-time loops carry the object itself."""
    state.advance()
    return state


class _Stages:
    """A pipeline with the states of both sides, which run-time regions carry."""

    def __init__(
        self, raw_pipeline: Any, producer_state: PipelineState, consumer_state: PipelineState
    ) -> None:
        self.raw_pipeline = raw_pipeline
        self.producer_state, self.consumer_state = producer_state, consumer_state

    @classmethod
    def _of(cls, raw_pipeline: object, stages: int) -> Any:
        return cls(
            raw_pipeline,
            make_pipeline_state(PipelineUserType.Producer, stages),
            make_pipeline_state(PipelineUserType.Consumer, stages),
        )

    def producer_acquire_and_get_stage(self) -> tuple[Any, Any]:
        """Wait until the next stage is empty; return its token and its number."""
        raw, state = self.raw_pipeline, self.producer_state
        raw.sync_object_empty.wait(state.index, state.phase)
        return raw.producer_get_barrier(state), state.index

    def producer_commit(self) -> None:
        """The stage is full, once what fills it has arrived."""
        self.raw_pipeline.producer_commit(self.producer_state)

    def producer_commit_and_advance(self) -> None:
        """producer_commit, then on to the next stage."""
        self.producer_commit()
        self.producer_state.advance()

    def consumer_wait_and_get_stage(self) -> tuple[Any, Any]:
        """Wait until the next stage is full; return its token and its number."""
        state = self.consumer_state
        self.raw_pipeline.consumer_wait(state)
        return self.raw_pipeline.producer_get_barrier(state), state.index

    def consumer_release_and_advance(self) -> None:
        """The stage is empty; on to the next one."""
        self.raw_pipeline.consumer_release(self.consumer_state)
        self.consumer_state.advance()

    def __extract_mlir_values__(self) -> list[Any]:
        return [
            *self.producer_state.__extract_mlir_values__(),
            *self.consumer_state.__extract_mlir_values__(),
        ]

    def __new_from_mlir_values__(self, values: list[Any]) -> Any:
        half = len(values) // 2
        return type(self)(
            self.raw_pipeline,
            self.producer_state.__new_from_mlir_values__(values[:half]),
            self.consumer_state.__new_from_mlir_values__(values[half:]),
        )


class TMAToUMMAPipeline(_Stages):
    """Stages that loads by TMA fill and products empty."""

    @classmethod
    def create(
        cls,
        *,
        num_stages: int,
        mma_operation_type: object = None,
        tma_operation_type: object = None,
        cluster_layout_vmnk: _compiler.Layout | None = None,
    ) -> Any:
        """Return the pipeline of ``num_stages`` stages, for the blocks of a cluster as (V, M, N, K); default one."""
        return cls._shared(num_stages, cluster_layout_vmnk, False)

    @classmethod
    def create_with_mask(
        cls,
        *,
        num_stages: int,
        mma_operation_type: object = None,
        tma_operation_type: object = None,
        cluster_layout_vmnk: _compiler.Layout | None = None,
    ) -> Any:
        """``create`` for tiles that blocks of the cluster share."""
        return cls._shared(num_stages, cluster_layout_vmnk, True)

    @classmethod
    def _shared(cls, stages: int, cluster: _compiler.Layout | None, shares: bool) -> Any:
        one = CooperativeGroup(Agent.Thread)
        releases = 1
        if shares and cluster is not None:
            releases = size(cluster, mode=[1]) + size(cluster, mode=[2]) - 1
        raw = pipeline.PipelineTmaUmma.create(
            num_stages=stages,
            producer_group=one,
            consumer_group=CooperativeGroup(Agent.Thread, releases),
            tx_count=0,
            cta_layout_vmnk=cluster,
            mcast_mode_mn=(1, 1) if shares else (0, 0),
        )
        if not shares:
            raw = replace(raw, consumer_mask=_pair_of(raw.cta_group)[0])
        return cls._of(raw, stages)

    def producer_commit(self) -> None:
        """One lane says that all loads of the stage have been asked for. Of a pair the even block does."""
        barrier = self.raw_pipeline.producer_get_barrier(self.producer_state)
        when(arch.elect_one(), lambda: arch.mbarrier_arrive(barrier))


class UMMAtoAsyncPipeline(_Stages):
    """Stages, accumulators, that products fill and threads empty."""

    @classmethod
    def create(
        cls,
        *,
        num_stages: int,
        consumer_arv_count: int,
        mma_operation_type: object = None,
        consumer: object = None,
        cluster_layout_vmnk: _compiler.Layout | None = None,
    ) -> Any:
        """Return the pipeline; ``consumer_arv_count`` threads, of both blocks of a pair, empty a stage."""
        raw = pipeline.PipelineUmmaAsync.create(
            num_stages=num_stages,
            producer_group=CooperativeGroup(Agent.Thread),
            consumer_group=CooperativeGroup(Agent.Thread, consumer_arv_count),
            cta_layout_vmnk=cluster_layout_vmnk,
        )
        return cls._of(raw, num_stages)

    def producer_acquire_and_get_stage(self) -> tuple[Any, Any]:
        state = self.producer_state
        self.raw_pipeline.producer_acquire(state)
        return self.raw_pipeline.producer_get_barrier(state), state.index


class TMAStorePipeline:
    """Buffers of shared memory that threads fill and one warp stores by TMA.

    Args:
        stages: number of buffers.
        arv_count: threads that fill a buffer.
        barrier_id: the barrier of the block where they meet.
        tma_warp_id: the warp that stores.
    """

    def __init__(
        self,
        *,
        stages: int,
        arv_count: int,
        barrier_id: int,
        tma_warp_id: int,
        index: _compiler.Int32 | None = None,
    ) -> None:
        self._stages, self._threads = stages, arv_count
        self._barrier, self._warp = barrier_id, tma_warp_id
        self._index = _compiler.Int32(0) if index is None else index

    def _by_warp(self, do: Callable[[], None]) -> None:
        when(arch.make_warp_uniform(arch.warp_idx()) == self._warp, do)

    def _meet(self) -> None:
        arch.barrier(barrier_id=self._barrier, number_of_threads=self._threads)

    def get_index(self) -> Any:
        """Return the number of the current buffer."""
        return self._index

    def acquire_sync(self) -> None:
        """Wait until the current buffer has been stored."""
        most = self._stages - 1
        self._by_warp(lambda: arch.cp_async_bulk_wait_group(most, read=True))
        self._meet()

    def commit_sync(self) -> None:
        """Wait until all threads have filled the buffer."""
        arch.fence_proxy("async.shared", space="cta")
        self._meet()

    def release_advance(self) -> None:
        """The stores of the buffer have been asked for; on to the next one."""
        self._by_warp(arch.cp_async_bulk_commit_group)
        self._index = (self._index + 1) % self._stages

    def tail(self) -> None:
        """Wait until all buffers have been stored."""
        self._by_warp(lambda: arch.cp_async_bulk_wait_group(0, read=True))

    def __extract_mlir_values__(self) -> list[Any]:
        return [self._index]

    def __new_from_mlir_values__(self, values: list[Any]) -> TMAStorePipeline:
        return TMAStorePipeline(
            stages=self._stages,
            arv_count=self._threads,
            barrier_id=self._barrier,
            tma_warp_id=self._warp,
            index=values[0],
        )
