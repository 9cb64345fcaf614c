"""Copies from global to shared memory that programs for GPUs let run beside their other work."""

from __future__ import annotations

import enum

from fairlead.cute.nvgpu._operations import _CopyOp

__all__ = ["CopyG2SOp", "LoadCacheMode"]


class LoadCacheMode(enum.Enum):
    """Which caches a copy goes through; a hint, without effect."""

    ALWAYS = "always"
    GLOBAL = "global"
    STREAMING = "streaming"
    LAST_USE = "last_use"
    NONE = "none"


class CopyG2SOp(_CopyOp):
    """From global to shared memory. The copy is made where it is asked for, by a load and a store, so that it has ended
    before any ``cp_async_wait_group``: results are those of an asynchronous one, its overlap is not.
    """

    def __init__(self, cache_mode: LoadCacheMode = LoadCacheMode.ALWAYS) -> None:
        super().__init__(cache_mode=cache_mode)
