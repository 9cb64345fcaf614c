"""Pipelines: producers fill stages of shared memory, consumers empty them, and barriers tell them when."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from fairlead import _compiler
from fairlead.cute import arch
from fairlead.cute._types import Number
from fairlead.cute.typing import Int
from fairlead.errors import make_error, wrong_argument
from fairlead.pipeline._barriers import (
    Agent,
    CooperativeGroup,
    MbarrierArray,
    PipelineOp,
    PipelineUserType,
    TmaStoreFence,
    agent_sync,
    alloc_reserved_mbarrier,
    blocks_of,
    check_cluster,
    linear_thread,
    when,
)
from fairlead.pipeline._participants import PipelineConsumer, PipelineProducer
from fairlead.pipeline._state import PipelineState, make_pipeline_state

__all__ = [
    "PipelineAsync",
    "PipelineCpAsync",
    "PipelineTmaAsync",
    "PipelineTmaStore",
]


def _negated(token: object) -> Any:
    return not token if isinstance(token, (bool, int)) else token == _compiler.Boolean(False)


def synchronize(cluster: object, defer_sync: bool) -> None:
    """After barriers were initialized."""
    if defer_sync:
        return
    arch.mbarrier_init_fence()
    several = blocks_of(cluster) > 1
    agent_sync(Agent.ThreadBlockCluster if several else Agent.ThreadBlock)


@dataclass(frozen=True, eq=False)
class PipelineAsync:
    """Stages that threads fill and threads empty: each arrives at the barrier of a stage when it is done with it.

    Made by ``create``. A ``state`` is a PipelineState of the calling side.
    """

    _producer_op: ClassVar[PipelineOp] = PipelineOp.AsyncThread
    _consumer_op: ClassVar[PipelineOp] = PipelineOp.AsyncThread

    sync_object_full: MbarrierArray
    sync_object_empty: MbarrierArray
    num_stages: int
    # No defaults: classes of programs add fields that have none.
    producer_mask: Any
    consumer_mask: Any

    def __post_init__(self) -> None:
        if isinstance(self.sync_object_empty, MbarrierArray):
            self.sync_object_empty.guards_reads = True

    @classmethod
    def create(
        cls,
        *,
        num_stages: int,
        producer_group: CooperativeGroup,
        consumer_group: CooperativeGroup,
        barrier_storage: _compiler.Pointer | None = None,
        producer_mask: object = None,
        consumer_mask: object = None,
        defer_sync: bool = False,
        name: str = "",
    ) -> Any:
        """Return the pipeline, whose barriers one thread of the block initializes.

        Args:
            num_stages: known while tracing.
            producer_group, consumer_group: the threads that arrive when a stage is full, and when it is empty.
            barrier_storage: a pointer to ``2 * num_stages`` Int64 in shared memory; default memory of its own.
            producer_mask, consumer_mask: the block of the cluster at whose barriers the side arrives; default its own.
            defer_sync: leaves it to pipeline_init_arrive and pipeline_init_wait to make the barriers known.
        """
        full, empty = cls._arrays(barrier_storage, num_stages, producer_group, consumer_group, 0)
        synchronize(None, defer_sync)
        return cls(full, empty, num_stages, producer_mask, consumer_mask)

    @staticmethod
    def _make_sync_object(
        barrier_storage: _compiler.Pointer,
        num_stages: int,
        agent: tuple[PipelineOp, CooperativeGroup],
        tx_count: Int | None = 0,
    ) -> MbarrierArray:
        """The barriers of one side, which one thread of the block initializes: for classes that derive from this."""
        barriers = MbarrierArray(barrier_storage, num_stages, agent, tx_count)
        barriers.mbarrier_init()
        return barriers

    @classmethod
    def _arrays(
        cls,
        storage: _compiler.Pointer | None,
        num_stages: int,
        producer_group: CooperativeGroup,
        consumer_group: CooperativeGroup,
        tx_count: Int | None,
    ) -> tuple[MbarrierArray, MbarrierArray]:
        for name, group in (("producer_group", producer_group), ("consumer_group", consumer_group)):
            if not hasattr(group, "size"):
                raise wrong_argument(f"{cls.__name__}.create", name, "a CooperativeGroup", group)
        if storage is None:
            storage = alloc_reserved_mbarrier(num_stages)
        producer = (cls._producer_op, producer_group)
        consumer = (cls._consumer_op, consumer_group)
        return (
            cls._make_sync_object(storage, num_stages, producer, tx_count),
            cls._make_sync_object(storage + num_stages, num_stages, consumer),
        )

    def producer_acquire(self, state: PipelineState, try_acquire_token: object = None) -> None:
        """Wait until the stage is empty, unless the token says that it is."""
        self._wait(self.sync_object_empty, state, try_acquire_token)

    def producer_try_acquire(self, state: PipelineState) -> Any:
        """True if the stage is empty: a token for producer_acquire."""
        return self.sync_object_empty.try_wait(state.index, state.phase)

    def producer_commit(self, state: PipelineState) -> None:
        """The stage is full, as far as this thread is concerned."""
        self.sync_object_full.arrive(state.index, self.producer_mask)

    def producer_get_barrier(self, state: PipelineState) -> Any:
        """Return the barrier of a full stage."""
        return self.sync_object_full.get_barrier(state.index)

    def producer_tail(self, state: PipelineState, try_acquire_token: object = None) -> None:
        """Wait until all stages have been emptied: then a producer of a cluster may end."""
        for _ in range(self.num_stages):
            self.sync_object_empty.wait(state.index, state.phase)
            state.advance()

    def consumer_wait(self, state: PipelineState, try_wait_token: object = None) -> None:
        """Wait until the stage is full, unless the token says that it is."""
        self._wait(self.sync_object_full, state, try_wait_token)

    def consumer_try_wait(self, state: PipelineState) -> Any:
        """True if the stage is full: a token for consumer_wait."""
        return self.sync_object_full.try_wait(state.index, state.phase)

    def consumer_release(self, state: PipelineState) -> None:
        """The stage is empty, as far as this thread is concerned."""
        self.sync_object_empty.arrive(state.index, self.consumer_mask)

    def consumer_get_barrier(self, state: PipelineState) -> Any:
        """Return the barrier of an empty stage."""
        return self.sync_object_empty.get_barrier(state.index)

    @staticmethod
    def _wait(barriers: MbarrierArray, state: PipelineState, token: object) -> None:
        if token is None:
            barriers.wait(state.index, state.phase)
        else:
            when(_negated(token), lambda: barriers.wait(state.index, state.phase))

    def make_producer(self) -> PipelineProducer:
        """Return a producer with its own state."""
        return PipelineProducer(
            self, make_pipeline_state(PipelineUserType.Producer, self.num_stages)
        )

    def make_consumer(self) -> PipelineConsumer:
        """Return a consumer with its own state."""
        return PipelineConsumer(
            self, make_pipeline_state(PipelineUserType.Consumer, self.num_stages)
        )

    def make_participants(self) -> tuple[PipelineProducer, PipelineConsumer]:
        """Acquire and commit."""
        return self.make_producer(), self.make_consumer()


@dataclass(frozen=True, eq=False)
class PipelineCpAsync(PipelineAsync):
    """PipelineAsync whose stages are filled by the ``cpasync`` copies of threads."""

    _producer_op: ClassVar[PipelineOp] = PipelineOp.AsyncLoad


@dataclass(frozen=True, eq=False)
class PipelineTmaAsync(PipelineAsync):
    """PipelineAsync whose stages are filled by copies of boxes: producer_acquire also announces their bytes.

    A producer is a warp. Of each warp of a consumer one thread arrives at each block that fills this one's memory.
    """

    _producer_op: ClassVar[PipelineOp] = PipelineOp.TmaLoad

    is_signalling_thread: Any

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
        tidx: Number | None = None,
        mcast_mode_mn: tuple[int, int] = (1, 1),
        enable_multicast_signaling: bool = False,
        defer_sync: bool = False,
        name: str = "",
    ) -> Any:
        """See PipelineAsync.create.

        Args:
            consumer_group: its size counts one arrival of each warp for each block of the cluster that it receives
                from; with ``enable_multicast_signaling`` it is computed, and the size counts the threads of a block,
                or its warps for ``Agent.Warp``.
            tx_count: bytes that fill a stage, including bytes that other blocks load.
            cta_layout_vmnk: the blocks of the cluster as (V, M, N, K); default one.
            tidx: the thread's place in its block.
            mcast_mode_mn: whether blocks share along M, and along N.
        """
        check_cluster(cta_layout_vmnk)
        blocks = blocks_of(cta_layout_vmnk)
        if enable_multicast_signaling:
            shares = 1
            if cta_layout_vmnk is not None and blocks > 1:
                _, m, n, _ = cta_layout_vmnk.shape
                shares = (m if mcast_mode_mn[0] else 1) + (n if mcast_mode_mn[1] else 1) - 1
            warps = consumer_group.size
            if consumer_group.agent is not Agent.Warp:
                warps = warps // arch.WARP_SIZE
            consumer_group = CooperativeGroup(consumer_group.agent, warps * shares)
        full, empty = cls._arrays(
            barrier_storage, num_stages, producer_group, consumer_group, tx_count
        )
        thread = linear_thread() if tidx is None else tidx
        target, signals = cls._signals(cta_layout_vmnk, blocks, thread, mcast_mode_mn)
        synchronize(cta_layout_vmnk, defer_sync)
        return cls(full, empty, num_stages, None, target, signals)

    @staticmethod
    def init_empty_barrier_arrive_signal(
        cta_layout_vmnk: _compiler.Layout, tidx: Number, mcast_mode_mn: tuple[int, int] = (1, 1)
    ) -> tuple[Any, Any]:
        """Return the block at whose barrier a thread arrives for its warp, and whether it does."""
        blocks = blocks_of(cta_layout_vmnk)
        target, signals = PipelineTmaAsync._signals(cta_layout_vmnk, blocks, tidx, mcast_mode_mn)
        return (_compiler.Int32(0) if target is None else target), signals

    @staticmethod
    def _signals(
        layout: _compiler.Layout | None, blocks: int, tidx: Number, modes: tuple[int, int]
    ) -> tuple[Any, Any]:
        lane = tidx % arch.WARP_SIZE
        if layout is None or blocks == 1:
            return None, lane == 0
        if not any(modes):
            raise make_error(
                "ArgumentValue",
                function="a pipeline of a cluster",
                expected="a mode along which blocks share tiles as mcast_mode_mn",
                got="(0, 0)",
            )
        # Spread over the warp, so that neighbours do not wait for each other.
        target = (lane // 8) * 4 + (lane % 8) // 2
        place = layout.get_flat_coord(arch.block_idx_in_cluster())
        other = layout.get_flat_coord(target % blocks)
        shares = _compiler.Boolean(False)
        if modes[0]:
            shares = shares | (place[2] == other[2])
        if modes[1]:
            shares = shares | (place[1] == other[1])
        if layout.shape[3] != 1:
            shares = shares & (place[3] == other[3])
        return target, (lane % 2 == 0) & (target < blocks) & shares

    def producer_acquire(self, state: PipelineState, try_acquire_token: object = None) -> None:
        super().producer_acquire(state, try_acquire_token)
        self.sync_object_full.arrive(state.index)

    def producer_commit(self, state: PipelineState) -> None:
        """Do nothing: copies count their bytes themselves."""

    def consumer_release(self, state: PipelineState) -> None:
        when(
            self.is_signalling_thread,
            lambda: self.sync_object_empty.arrive_mbarrier(state.index, self.consumer_mask),
        )


class PipelineTmaStore:
    """Stages of shared memory that are stored by copies of boxes. All threads of the storing warp call it."""

    def __init__(self, fence: TmaStoreFence, num_stages: int) -> None:
        self.sync_object_full, self.num_stages = fence, num_stages

    @classmethod
    def create(
        cls, *, num_stages: int, producer_group: CooperativeGroup, name: str = ""
    ) -> PipelineTmaStore:
        """Return a pipeline of ``num_stages`` buffers, which needs no barriers: stores are waited for by groups.

        ``producer_group`` and ``name`` are those of published programs, and have no effect.
        """
        return cls(TmaStoreFence(num_stages), num_stages)

    def producer_acquire(self) -> None:
        """Wait until a stage has been read."""
        self.sync_object_full.wait()

    def producer_commit(self) -> None:
        """The stores of a stage have been asked for."""
        self.sync_object_full.arrive()

    def producer_tail(self) -> None:
        """Wait until all stages have been read."""
        self.sync_object_full.tail()

    def consumer_wait(self, *_: object) -> None:
        """Do nothing."""

    def consumer_release(self, *_: object) -> None:
        """Do nothing."""
