"""``cutlass.pipeline``: Fairlead's pipelines, and those of later GPUs."""

from __future__ import annotations

import abc
from typing import Any

from fairlead import _compiler, pipeline
from fairlead.compat._places import forwarding
from fairlead.cute import arch
from fairlead.cute._keywords import methods_ignore_keywords
from fairlead.cute._types import Int
from fairlead.errors import make_error
from fairlead.pipeline import CooperativeGroup, PipelineOp, PipelineState
from fairlead.pipeline._barriers import blocks_of
from fairlead.pipeline._pipelines import synchronize

__all__ = [
    *pipeline.__all__,
    "MbarrierArray",
    "NamedBarrier",
    "PipelineEmpty",
    "PipelineTmaMultiConsumersAsync",
    "SyncObject",
]


def _nothing(self: object, *args: object, **kwargs: object) -> None:
    """Do nothing."""


class PipelineEmpty:
    """A pipeline without barriers, for kernels that need one in some of their forms only: its methods do nothing."""

    @classmethod
    def create(cls, *args: object, **kwargs: object) -> PipelineEmpty:
        """Return such a pipeline, whatever it is made of."""
        return cls()

    producer_acquire = producer_commit = producer_try_acquire = _nothing
    consumer_wait = consumer_release = consumer_try_wait = _nothing


class SyncObject(abc.ABC):  # noqa: B024  others are registered
    """Barriers and fences of stages: a class for annotations and ``isinstance``."""


class MbarrierArray(pipeline.MbarrierArray):
    """Fairlead's barriers of stages, which one thread of the block initializes when the object is made."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.mbarrier_init()
        arch.mbarrier_init_fence()


class NamedBarrier(pipeline.NamedBarrier):
    """Fairlead's barrier of some threads, which ``create`` makes as well. A branch may choose another barrier."""

    _carried_fields = ("barrier_id", "num_threads")

    @classmethod
    def create(cls, *args: Any, **kwargs: Any) -> NamedBarrier:
        return cls(*args, **kwargs)


class PipelineTmaMultiConsumersAsync(pipeline.PipelineAsync):
    """PipelineAsync whose stages are filled by copies of boxes, and emptied both by products with tensor memory and by
    threads. For one block: there are no clusters."""

    _producer_op = PipelineOp.TmaLoad

    @classmethod
    def create(  # type: ignore[override]
        cls,
        *,
        num_stages: int,
        producer_group: CooperativeGroup,
        consumer_group_umma: CooperativeGroup,
        consumer_group_async: CooperativeGroup,
        tx_count: Int,
        barrier_storage: _compiler.Pointer | None = None,
        cta_layout_vmnk: object = None,
        defer_sync: bool = False,
        name: str = "",
    ) -> Any:
        """Return the pipeline, whose barriers one thread of the block initializes; see PipelineAsync.create.

        Args:
            consumer_group_umma: its size counts the warps that ask for products.
            consumer_group_async: its size counts the threads that arrive.
            tx_count: bytes that fill a stage.
            cta_layout_vmnk: the blocks of the cluster: one.

        Raises ValueError (ArgumentValue) for a cluster of several blocks.
        """
        if blocks_of(cta_layout_vmnk) > 1:
            raise make_error(
                "ArgumentValue",
                function="PipelineTmaMultiConsumersAsync.create",
                expected="a cluster of one block as cta_layout_vmnk",
                got=str(cta_layout_vmnk),
            )
        consumers = CooperativeGroup(
            consumer_group_async.agent, consumer_group_umma.size + consumer_group_async.size
        )
        full, empty = cls._arrays(barrier_storage, num_stages, producer_group, consumers, tx_count)
        synchronize(None, defer_sync)
        return cls(full, empty, num_stages, None, None)

    def producer_acquire(self, state: PipelineState, try_acquire_token: object = None) -> None:
        super().producer_acquire(state, try_acquire_token)
        self.sync_object_full.arrive(state.index)

    def producer_commit(self, state: PipelineState) -> None:
        """Do nothing: copies count their bytes themselves."""

    def consumer_release(
        self, state: PipelineState, op_type: PipelineOp = PipelineOp.AsyncThread
    ) -> None:
        """The stage is empty, as far as this consumer is concerned.

        Args:
            op_type: ``PipelineOp.TCGen05Mma``: once the products that the warp has asked for are done;
                ``PipelineOp.AsyncThread``: now.

        Raises ValueError (ArgumentValue) for another ``op_type``.
        """
        if op_type is PipelineOp.TCGen05Mma:
            barrier = self.sync_object_empty.get_barrier(state.index)
            _compiler.commit_tensor_products(barrier, self.consumer_mask, True, False)
        elif op_type is PipelineOp.AsyncThread:
            super().consumer_release(state)
        else:
            raise make_error(
                "ArgumentValue",
                function="consumer_release",
                expected="PipelineOp.TCGen05Mma or AsyncThread as op_type",
                got=str(op_type),
            )


for _barrier in (pipeline.MbarrierArray, pipeline.NamedBarrier, pipeline.TmaStoreFence):
    SyncObject.register(_barrier)
methods_ignore_keywords(MbarrierArray)
methods_ignore_keywords(PipelineTmaMultiConsumersAsync)
__getattr__, __dir__ = forwarding(globals(), pipeline)
