"""Barriers of parts of a block, and pipelines of stages in shared memory, as objects."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fairlead._hints import missing
from fairlead.cute._keywords import methods_ignore_keywords
from fairlead.pipeline._barriers import (
    Agent,
    CooperativeGroup,
    MbarrierArray,
    PipelineOp,
    PipelineUserType,
    TmaStoreFence,
    agent_sync,
    alloc_reserved_mbarrier,
    pipeline_init_arrive,
    pipeline_init_wait,
)
from fairlead.pipeline._cluster_launch import PipelineClcFetchAsync
from fairlead.pipeline._named_barrier import (
    NamedBarrier,
    arrive,
    arrive_and_wait,
    arrive_unaligned,
    sync,
    wait_unaligned,
)
from fairlead.pipeline._order import PipelineOrder
from fairlead.pipeline._participants import PipelineConsumer, PipelineProducer
from fairlead.pipeline._pipelines import (
    PipelineAsync,
    PipelineCpAsync,
    PipelineTmaAsync,
    PipelineTmaStore,
)
from fairlead.pipeline._state import PipelineState, make_pipeline_state
from fairlead.pipeline._tensor_products import (
    PipelineAsyncUmma,
    PipelineTmaUmma,
    PipelineUmmaAsync,
)

__all__ = [
    "Agent",
    "CooperativeGroup",
    "MbarrierArray",
    "NamedBarrier",
    "PipelineAsync",
    "PipelineAsyncUmma",
    "PipelineClcFetchAsync",
    "PipelineConsumer",
    "PipelineCpAsync",
    "PipelineOp",
    "PipelineOrder",
    "PipelineProducer",
    "PipelineState",
    "PipelineTmaAsync",
    "PipelineTmaStore",
    "PipelineTmaUmma",
    "PipelineUmmaAsync",
    "PipelineUserType",
    "TmaStoreFence",
    "agent_sync",
    "alloc_reserved_mbarrier",
    "arrive",
    "arrive_and_wait",
    "arrive_unaligned",
    "make_pipeline_state",
    "pipeline_init_arrive",
    "pipeline_init_wait",
    "sync",
    "wait_unaligned",
]

for _each in (
    MbarrierArray,
    NamedBarrier,
    PipelineAsync,
    PipelineAsyncUmma,
    PipelineClcFetchAsync,
    PipelineConsumer,
    PipelineCpAsync,
    PipelineOrder,
    PipelineProducer,
    PipelineState,
    PipelineTmaAsync,
    PipelineTmaStore,
    PipelineTmaUmma,
    PipelineUmmaAsync,
    TmaStoreFence,
):
    methods_ignore_keywords(_each)

if not TYPE_CHECKING:  # a type checker knows the names that there are
    __getattr__ = missing(__name__)
