"""Who takes part in a pipeline, and the barriers in shared memory of its stages."""

from __future__ import annotations

import enum
from collections.abc import Callable
from typing import Any

from fairlead import _compiler
from fairlead.cute import arch
from fairlead.cute._mbarriers import MOST_ARRIVALS
from fairlead.cute._types import Number
from fairlead.cute._warp_arguments import check_integer, check_range
from fairlead.cute.nvgpu.tcgen05 import CtaGroup
from fairlead.cute.typing import Int
from fairlead.errors import CheckedEnum, make_error, wrong_argument

__all__ = [
    "Agent",
    "CooperativeGroup",
    "MbarrierArray",
    "PipelineOp",
    "PipelineUserType",
    "TmaStoreFence",
    "agent_sync",
    "alloc_reserved_mbarrier",
    "pipeline_init_arrive",
    "pipeline_init_wait",
]


class Agent(CheckedEnum):
    """The unit of counting in a group."""

    Thread = "thread"
    Warp = "warp"
    ThreadBlock = "thread block"
    ThreadBlockCluster = "thread block cluster"


class PipelineOp(CheckedEnum):
    """The kind of operation that arrives at a barrier."""

    AsyncThread = "async thread"
    TCGen05Mma = "tcgen05 mma"
    TmaLoad = "tma load"
    ClcLoad = "clc load"
    TmaStore = "tma store"
    Composite = "composite"
    AsyncLoad = "async load"


class PipelineUserType(CheckedEnum):
    """A side of a pipeline."""

    Producer = "producer"
    Consumer = "consumer"
    ProducerConsumer = "producer and consumer"


class CooperativeGroup:
    """``size`` agents: how often barriers are arrived at before a phase ends. ValueError for less than 1."""

    def __init__(self, agent: Agent, size: object = 1, alignment: object = None) -> None:
        if not isinstance(agent, enum.Enum):
            raise wrong_argument("CooperativeGroup", "agent", "an Agent", agent)
        if isinstance(size, float) and size.is_integer():
            size = int(size)
        if isinstance(size, bool) or not isinstance(size, (int, _compiler.Integer)):
            raise make_error(
                "LayoutMode", expected="an integer as the size of a CooperativeGroup", got=size
            )
        if isinstance(size, int) and size < 1:
            raise make_error(
                "ArgumentValue", function="CooperativeGroup", expected="1 agent or more", got=size
            )
        self.agent, self.size, self.alignment = agent, size, alignment

    def __repr__(self) -> str:
        return f"CooperativeGroup({self.agent}, {self.size})"


def when(condition: Number, do: Callable[[], Any]) -> None:
    """Does something where a condition holds, known while tracing or not."""
    if isinstance(condition, (bool, int)):
        if condition:
            do()
        return

    def region() -> list[Any]:
        do()
        return []

    _compiler.if_else(condition, [], [], region, lambda: [])


def linear_thread() -> Any:
    """Return the thread's place in its block."""
    x, y, z = arch.thread_idx()
    width, height, _ = arch.block_dim()
    return x + width * (y + height * z)


def check_cluster(layout: object) -> None:
    """Raise TypeError unless this is None, a layout of one block, or one of blocks (V, M, N, K)."""
    from fairlead.cute._operations import rank, size

    if layout is None or (
        isinstance(layout, _compiler.Layout) and (rank(layout) == 4 or size(layout) == 1)
    ):
        return
    raise make_error(
        "ArgumentKind",
        function="a pipeline",
        expected="a layout of blocks (V, M, N, K) as cta_layout_vmnk",
        got=repr(layout),
    )


def blocks_of(cluster: object) -> Any:
    """Return the blocks of a cluster given as a tuple of extents, a layout or None."""
    from fairlead.cute._operations import size

    return 1 if cluster is None else size(cluster)


def _check_stages(num_stages: Int) -> None:
    check_integer("a pipeline", "num_stages", num_stages)
    if num_stages < 1:
        raise make_error(
            "ArgumentValue", function="a pipeline", expected="1 stage or more", got=num_stages
        )


def alloc_reserved_mbarrier(num_stages: int, *, multiplier: int = 2) -> _compiler.Pointer:
    """Return a pointer to new shared memory for ``multiplier`` barriers (8 bytes each) for each of ``num_stages``
    stages."""
    _check_stages(num_stages)
    return _compiler.allocate_shared(_compiler.Int64, 8 * num_stages * multiplier, 8)


class MbarrierArray:
    """A barrier in shared memory for each stage.

    Args:
        barrier_storage: a pointer to ``num_stages`` Int64.
        agent: the arriving operation, and the group of arriving threads.
        tx_count: bytes that copies bring in a phase.
    """

    def __init__(
        self,
        barrier_storage: _compiler.Pointer,
        num_stages: int,
        agent: tuple[PipelineOp, CooperativeGroup],
        tx_count: Int | None = 0,
    ) -> None:
        if not isinstance(barrier_storage, _compiler.Pointer):
            raise make_error(
                "PointerExpected",
                what="barrier_storage",
                expected="a pointer",
                got=type(barrier_storage).__name__,
            )
        if barrier_storage.dtype.width != 64:
            raise make_error(
                "ArgumentKind",
                function="a pipeline",
                expected="a pointer to elements of 64 bits as barrier_storage",
                got=f"one to {barrier_storage.dtype.__name__}",
            )
        _check_stages(num_stages)
        if agent[0] is PipelineOp.TmaLoad:
            check_range("a pipeline", "tx_count", tx_count, 0, MOST_ARRIVALS)
        self.barrier_storage, self.num_stages = barrier_storage, num_stages
        self.tx_count: Any = tx_count
        self.op_type, self.cg = agent
        self.arrive_count = self.cg.size
        #: True if threads arrive after they have read a stage: then their arrivals order no writes.
        self.guards_reads = False

    def mbarrier_init(self) -> None:
        """One thread of the block initializes them."""

        def initialize() -> None:
            for index in range(self.num_stages):
                arch.mbarrier_init(self.get_barrier(index), self.arrive_count)

        when(linear_thread() == 0, initialize)

    def get_barrier(self, index: Number) -> Any:
        """Return the address of a stage's barrier."""
        return self.barrier_storage + index

    def arrive(self, index: Number, dst: Int | None = None, cta_group: object = None) -> None:
        """Arrive like the agent does.

        Args:
            index: the barrier.
            dst: a block of the cluster, whose barrier is meant; for products in tensor memory a mask of blocks.
            cta_group: for products in tensor memory, ``tcgen05.CtaGroup``: the blocks that multiply together.
        """
        if self.op_type is PipelineOp.TmaLoad:
            self.arrive_and_expect_tx(index, self.tx_count)
        elif self.op_type is PipelineOp.AsyncLoad:
            self.arrive_cp_async_mbarrier(index)
        elif self.op_type is PipelineOp.TCGen05Mma:
            self.arrive_tcgen05mma(index, dst, cta_group)
        else:
            self.arrive_mbarrier(index, dst)

    def arrive_mbarrier(self, index: Number, dst: Int | None = None) -> None:
        """Arrive at barrier ``index``, in block ``dst`` of the cluster if that is given."""
        if self.guards_reads:
            _compiler.mbarrier_arrive_after_reading(self.get_barrier(index), dst)
        else:
            arch.mbarrier_arrive(self.get_barrier(index), dst)

    def arrive_tcgen05mma(
        self, index: Number, mask: Int | None = None, cta_group: object = None
    ) -> None:
        """Arrive at barrier ``index``, in the blocks of ``mask``, when the warp's products so far are done."""
        of_pair = cta_group is CtaGroup.TWO
        _compiler.commit_tensor_products(self.get_barrier(index), mask, True, of_pair)

    def arrive_cp_async_mbarrier(self, index: Number) -> None:
        """Arrive at barrier ``index`` when the thread's earlier ``cp.async`` copies have completed."""
        arch.cp_async_mbarrier_arrive_noinc(self.get_barrier(index))

    def arrive_and_expect_tx(self, index: Number, tx_count: Int) -> None:
        """One thread of the warp arrives."""
        barrier = self.get_barrier(index)
        when(
            arch.elect_one(),
            lambda: arch.mbarrier_arrive_and_expect_tx(barrier, tx_count),
        )

    def try_wait(self, index: Number, phase: Int) -> Any:
        """True if barrier ``index`` has completed ``phase``; the hardware may wait some time before it answers."""
        return arch.mbarrier_try_wait(self.get_barrier(index), phase)

    def test_wait(self, index: Number, phase: Int) -> Any:
        """True if barrier ``index`` has completed ``phase``, without waiting."""
        return arch.mbarrier_test_wait(self.get_barrier(index), phase)

    def wait(self, index: Number, phase: Int) -> None:
        """Wait until barrier ``index`` has completed ``phase``."""
        arch.mbarrier_wait(self.get_barrier(index), phase)


class TmaStoreFence:
    """The groups of a thread's stores: at most ``num_stages`` under way."""

    def __init__(self, num_stages: int = 0) -> None:
        self.num_stages = num_stages

    def arrive(self) -> None:
        """End a group."""
        arch.cp_async_bulk_commit_group()

    def wait(self) -> None:
        """Until there is room for another one."""
        arch.cp_async_bulk_wait_group(max(self.num_stages - 1, 0), read=True)

    def tail(self) -> None:
        """Until all have been read."""
        arch.cp_async_bulk_wait_group(0, read=True)


def agent_sync(group: Agent, is_relaxed: bool = False) -> None:
    """Wait for all threads of a block or of a cluster.

    Args:
        group: ``Agent.ThreadBlock`` or ``Agent.ThreadBlockCluster``; TypeError for another.
        is_relaxed: of a cluster, whether the barrier leaves memory unordered.
    """
    if group is Agent.ThreadBlock:
        arch.sync_threads()
    elif group is Agent.ThreadBlockCluster:
        (arch.cluster_arrive_relaxed if is_relaxed else arch.cluster_arrive)()
        arch.cluster_wait()
    else:
        raise make_error(
            "LayoutMode", expected="Agent.ThreadBlock or ThreadBlockCluster", got=group
        )


def pipeline_init_arrive(cluster_shape_mn: object = None, is_relaxed: bool = False) -> None:
    """Says that this thread has initialised its barriers; call it after pipelines are made with ``defer_sync``.

    Args:
        cluster_shape_mn: the blocks of the cluster, a tuple of extents or a layout; None for no cluster.
        is_relaxed: whether the arrival at the cluster's barrier leaves memory unordered.
    """
    arch.mbarrier_init_fence()
    if blocks_of(cluster_shape_mn) > 1:
        (arch.cluster_arrive_relaxed if is_relaxed else arch.cluster_arrive)()


def pipeline_init_wait(cluster_shape_mn: object = None) -> None:
    """Wait until the barriers of all blocks of the cluster are initialised; ``cluster_shape_mn`` as in
    pipeline_init_arrive. Without a cluster, a barrier of the block.
    """
    if blocks_of(cluster_shape_mn) > 1:
        arch.cluster_wait()
    else:
        arch.sync_threads()
