"""Names of the parts that programs build copies by TMA from, by operations of an IR that Fairlead does not have:
``cpasync.make_tiled_tma_atom`` makes such copies."""

from __future__ import annotations

from typing import Any

from fairlead.cute.nvgpu import cpasync
from fairlead.cute.nvgpu.cpasync import *  # noqa: F403

__all__ = [
    *cpasync.__all__,
    "CopyBulkTensorTileG2SMulticastNonExecTrait",
    "CopyBulkTensorTileG2SNonExecTrait",
    "CopyBulkTensorTileS2GNonExecTrait",
    "CopyReduceBulkTensorTileS2GNonExecTrait",
]


class _Part:
    def __init__(self, *_: Any, **__: Any) -> None:
        raise NotImplementedError(
            f"{type(self).__name__} is of an IR that Fairlead does not have: make_tiled_tma_atom makes copies by TMA"
        )


class CopyBulkTensorTileG2SNonExecTrait(_Part):
    """Of a load."""


class CopyBulkTensorTileG2SMulticastNonExecTrait(_Part):
    """Of a load into several blocks of a cluster."""


class CopyBulkTensorTileS2GNonExecTrait(_Part):
    """Of a store."""


class CopyReduceBulkTensorTileS2GNonExecTrait(_Part):
    """Of a store that adds to what is there."""


__getattr__ = cpasync.__getattr__
