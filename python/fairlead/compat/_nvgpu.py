"""``cutlass.cute.nvgpu``: Fairlead's operations, and hints of published programs."""

from __future__ import annotations

import enum
from typing import Any

from fairlead import _compiler
from fairlead._compiler import Float16, Float32
from fairlead.compat._places import forwarding
from fairlead.cute import nvgpu

__all__ = [*nvgpu.__all__, "CacheEvictionPriority", "CopyStgOp", "OutputMajorMode"]


class CopyG2ROp(nvgpu.CopyG2ROp):
    """From global memory to registers; the options are hints, without effect."""

    def __init__(self, **options: object) -> None:
        super().__init__()
        self.options = options


class CopyR2GOp(nvgpu.CopyR2GOp):
    """From registers to global memory; the options are hints, without effect."""

    def __init__(self, **options: object) -> None:
        super().__init__()
        self.options = options


class CopyStgOp(CopyR2GOp):
    """CopyR2GOp by the name of its instruction."""


class MmaUniversalOp(nvgpu.MmaUniversalOp):
    """One multiply-add of one thread; that of Float16 multiplies and adds in Float32, then rounds once."""

    def _mma_atom(self) -> Any:
        compute_dtype = Float32 if self.abacc_dtype is Float16 else self.abacc_dtype
        return _compiler.make_universal_mma_atom(self, self.abacc_dtype, compute_dtype)


class OutputMajorMode(enum.Enum):
    """The contiguous mode of a result."""

    M = "m"
    N = "n"


class CopyS2ROp(nvgpu.CopyS2ROp):
    """From shared memory to registers; the options are hints, without effect."""

    def __init__(self, **options: object) -> None:
        super().__init__()
        self.options = options


class CopyR2SOp(nvgpu.CopyR2SOp):
    """From registers to shared memory; the options are hints, without effect."""

    def __init__(self, **options: object) -> None:
        super().__init__()
        self.options = options


class CacheEvictionPriority(enum.Enum):
    """How soon the first cache drops a line that a copy touches: a hint, without effect."""

    EVICT_NORMAL = "evict_normal"
    EVICT_FIRST = "evict_first"
    EVICT_LAST = "evict_last"
    EVICT_UNCHANGED = "evict_unchanged"
    NO_ALLOCATE = "no_allocate"


__getattr__, __dir__ = forwarding(globals(), nvgpu)
