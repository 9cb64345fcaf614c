"""Copies from global to shared memory that run beside the threads' other work."""

from __future__ import annotations

from typing import Any

from fairlead import _compiler
from fairlead._hints import missing
from fairlead.cute.nvgpu._operations import CopyOp, LoadCacheMode

__all__ = ["CopyG2SOp", "LoadCacheMode"]


class CopyG2SOp(CopyOp):
    """From global to shared memory, 32, 64 or 128 bits of a thread at once: ``cp.async``.

    Copies end at ``cute.arch.cp_async_wait_group``; on the CPU where they are asked for. LoadCacheMode.GLOBAL, which
    takes 128 bits, goes around the L1 cache.
    """

    def __init__(self, cache_mode: LoadCacheMode = LoadCacheMode.ALWAYS) -> None:
        super().__init__(cache_mode=cache_mode)
        self.cache_mode = cache_mode

    def _copy_op(self) -> Any:
        return _compiler.CopyOp("cp.async", list(LoadCacheMode).index(self.cache_mode))


__getattr__ = missing(__name__)
