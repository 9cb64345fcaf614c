"""The barriers 0 to 15 of a block, each of some of its threads."""

from __future__ import annotations

import dataclasses
import warnings

from fairlead.cute import arch
from fairlead.cute._warp_arguments import check_integer
from fairlead.errors import make_error

__all__ = [
    "NamedBarrier",
    "arrive",
    "arrive_and_wait",
    "arrive_unaligned",
    "sync",
    "wait_unaligned",
]


@dataclasses.dataclass(frozen=True)
class NamedBarrier:
    """Barrier ``barrier_id`` of a block, for ``num_threads`` of its threads, a multiple of 32.

    It may be made outside of kernels, and is part of the program. Barrier 0 is that of ``sync_threads``.
    """

    barrier_id: int
    num_threads: int

    def __post_init__(self) -> None:
        check_integer("NamedBarrier", "barrier_id", self.barrier_id)
        check_integer("NamedBarrier", "num_threads", self.num_threads)
        if isinstance(self.barrier_id, int) and not 0 <= self.barrier_id < 16:
            raise make_error(
                "LayoutMode",
                expected="barrier_id from 0 to 15 for NamedBarrier",
                got=self.barrier_id,
            )
        if isinstance(self.num_threads, int) and (self.num_threads <= 0 or self.num_threads % 32):
            raise make_error(
                "LayoutMode",
                expected="num_threads in multiples of 32 for NamedBarrier",
                got=self.num_threads,
            )

    def arrive_and_wait(self) -> None:
        """Wait until all of the threads have come here; writes before it are seen after it."""
        arch.barrier(barrier_id=self.barrier_id, number_of_threads=self.num_threads)

    sync = arrive_and_wait

    def arrive(self) -> None:
        """Counts the threads of the warp without waiting: others of them do."""
        arch.barrier_arrive(barrier_id=self.barrier_id, number_of_threads=self.num_threads)

    arrive_unaligned = arrive

    def wait(self) -> None:
        """arrive_and_wait: nobody waits without arriving; warns."""
        warnings.warn("NamedBarrier.wait arrives, too: see arrive_and_wait", stacklevel=2)
        self.arrive_and_wait()

    wait_unaligned = wait


def arrive(barrier_id: int, num_threads: int) -> None:
    """Counts the threads of the warp at barrier ``barrier_id`` (0 to 15) for ``num_threads``, without waiting."""
    arch.barrier_arrive(barrier_id=barrier_id, number_of_threads=num_threads)


arrive_unaligned = arrive


def arrive_and_wait(barrier_id: int, num_threads: int) -> None:
    """Wait at barrier ``barrier_id`` (0 to 15) for ``num_threads`` threads, a multiple of 32."""
    arch.barrier(barrier_id=barrier_id, number_of_threads=num_threads)


wait_unaligned = arrive_and_wait


def sync(barrier_id: int = 0) -> None:
    """Wait at barrier ``barrier_id`` (0 to 15) for all threads of the block."""
    arch.barrier(barrier_id=barrier_id)
