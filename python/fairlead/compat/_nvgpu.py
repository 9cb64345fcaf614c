"""``cutlass.cute.nvgpu``: Fairlead's operations, and names of later GPUs."""

from __future__ import annotations

from fairlead.compat._later_gpus import stand_in
from fairlead.compat._places import forwarding
from fairlead.cute import nvgpu

__all__ = [*nvgpu.__all__, "CacheEvictionPriority"]


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


CacheEvictionPriority = stand_in(
    "CacheEvictionPriority", "what copies of Fairlead do not take: LoadCacheMode is"
)

__getattr__, __dir__ = forwarding(globals(), nvgpu)
