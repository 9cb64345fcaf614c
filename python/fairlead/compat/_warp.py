"""``cutlass.cute.nvgpu.warp``: Fairlead's, and the copies of matrices of compute capability 10.0 by name."""

from __future__ import annotations

from typing import Any

from fairlead.cute.nvgpu import warp
from fairlead.cute.nvgpu.warp import *  # noqa: F403

__all__ = [*warp.__all__, "LdMatrix16x16x8bOp", "StMatrix16x8x8bOp"]


class _OfLaterGpus:
    def __init__(self, *_: Any, **__: Any) -> None:
        raise NotImplementedError(
            f"{type(self).__name__} is for compute capability 10.0 (Blackwell), whose instructions Fairlead has not"
        )


class LdMatrix16x16x8bOp(_OfLaterGpus):
    """Matrices of bytes, transposed on the way to registers."""


class StMatrix16x8x8bOp(_OfLaterGpus):
    """Matrices of bytes, transposed on the way to shared memory."""


__getattr__ = warp.__getattr__
