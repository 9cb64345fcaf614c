"""The names of ``cute.experimental`` in published programs: kernels whose copies stop at the ends of their parameters,
memory of a kernel, a thread's part of a tile. ``jit`` and ``compile`` are those of ``cute``; ``iket`` marks events.
"""

from __future__ import annotations

from fairlead.cute._compile import compile  # noqa: A004  the published name
from fairlead.cute._jit import jit
from fairlead.cute.experimental import iket
from fairlead.cute.experimental._copies import allocate, copy, partition, partition_and_copy
from fairlead.cute.experimental._kernels import FollowingKernel, kernel

__all__ = [
    "FollowingKernel",
    "allocate",
    "compile",
    "copy",
    "iket",
    "jit",
    "kernel",
    "partition",
    "partition_and_copy",
]
