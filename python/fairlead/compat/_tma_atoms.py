"""``cutlass.cute.nvgpu.cpasync``: Fairlead's, traits of copies by TMA, and an older name."""

from __future__ import annotations

from typing import Any

from fairlead.compat import _cpasync
from fairlead.compat._places import forwarding, take_places
from fairlead.compat._traits import Trait
from fairlead.cute import group_modes, rank

__all__ = [
    *_cpasync.__all__,
    "CopyBulkTensorTileG2SMulticastNonExecTrait",
    "CopyBulkTensorTileG2SNonExecTrait",
    "CopyBulkTensorTileS2GNonExecTrait",
    "CopyReduceBulkTensorTileS2GNonExecTrait",
    "group_bulk_copy_modes",
]


class CopyBulkTensorTileG2SNonExecTrait(Trait):
    """The trait of a load: ``cute.CopyAtom(op, trait)`` is its atom."""


class CopyBulkTensorTileG2SMulticastNonExecTrait(Trait):
    """The trait of a load into several blocks of a cluster."""


class CopyBulkTensorTileS2GNonExecTrait(Trait):
    """The trait of a store."""


class CopyReduceBulkTensorTileS2GNonExecTrait(Trait):
    """The trait of a store that combines the tile with what is there."""


def group_bulk_copy_modes(src: Any, dst: Any) -> tuple[Any, Any]:
    """Return two tensors with all their modes in mode 0, as a bulk copy takes them: ``group_modes`` of each."""
    grouped = [group_modes(tensor, 0, rank(tensor)) for tensor in (src, dst)]
    return grouped[0], grouped[1]


take_places(globals(), ["group_bulk_copy_modes"])
__getattr__, __dir__ = forwarding(globals(), _cpasync)
