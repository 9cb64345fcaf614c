"""The barriers of pipelines in a kernel, and the stage that each task has reached."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from fairlead import primitives
from fairlead._compiler import Int32, Int64
from fairlead.cute._operations import where
from fairlead.cute._types import Int
from fairlead.primitives import AddressSpace, Array, Pointer
from fairlead.tasks._enums import PipelineType
from fairlead.tasks._pipelines import PipelineConfig

_ALL_LANES = 0xFFFFFFFF


class Barriers:
    """The barriers of one resource: ``full`` of each stage, then ``empty``, which members of a group share.

    Args:
        config: the pipeline.
        full, empty: pointers to Int64 in shared memory, one for each stage.
        producers, consumers: arrivals that fill and empty a stage.
        every_thread: whether each thread that fills, and each that empties, arrives; else one of each warp.
    """

    def __init__(
        self,
        config: PipelineConfig,
        full: Pointer,
        empty: Pointer,
        producers: int,
        consumers: int,
        every_thread: tuple[bool, bool],
    ) -> None:
        self.config, self.full, self.empty = config, full, empty
        self.producers, self.consumers, self.every_thread = producers, consumers, every_thread
        self.is_tma = config.kind is PipelineType.TmaAsync

    def initialise_full(self) -> None:
        """Begin the barriers that producers arrive at; by one thread."""
        for stage in range(self.config.num_stages):
            primitives.mbarrier_init(self.full + stage, self.producers)

    def initialise_empty(self) -> None:
        """Begin the barriers that consumers arrive at; by one thread."""
        for stage in range(self.config.num_stages):
            primitives.mbarrier_init(self.empty + stage, self.consumers)


class Position:
    """The stage that a task has reached in a pipeline, and the parity that it waits for there."""

    def __init__(self, barriers: Barriers, is_producer: bool) -> None:
        self.barriers = barriers
        self.stage: Any = Int32(0)
        self.parity: Any = Int32(1 if is_producer else 0)

    def advance(self) -> None:
        """Go on to the next stage."""
        stages = self.barriers.config.num_stages
        if stages == 1:
            self.parity = self.parity ^ 1
            return
        following = self.stage + 1
        wraps = following == stages
        self.parity = where(wraps, self.parity ^ 1, self.parity)
        self.stage = where(wraps, Int32(0), following)

    def acquire(self) -> None:
        """Wait until the stage is empty."""
        wait(self.barriers.empty + self.stage, self.parity)

    def wait(self) -> None:
        """Wait until the stage is full."""
        wait(self.barriers.full + self.stage, self.parity)

    def full_barrier(self) -> Array:
        """Return the barrier that copies to the stage signal."""
        return Array(self.barriers.full + self.stage, shape=(1,))


def wait(barrier: Pointer, parity: Int) -> None:
    """Wait until the phase of a parity has ended."""
    from fairlead.cute import arch

    arch.mbarrier_wait(barrier.pointer, parity)


def arrive(barrier: Pointer, every_thread: bool, when: Callable[..., None]) -> None:
    """Arrive at a barrier: each thread, or one of each warp."""
    if every_thread:
        primitives.mbarrier_arrive(barrier)
        return
    primitives.bar_warp_sync(_ALL_LANES)
    when(primitives.elect_sync(), lambda: primitives.mbarrier_arrive(barrier))


def new_barriers(count: int) -> Pointer:
    """Return a pointer to new shared memory for barriers."""
    return Array(Int64, count, space=AddressSpace.smem, alignment=8).data_ptr()
