"""``cutlass.cute.nvgpu.cpasync``: Fairlead's, traits of copies by TMA."""

from __future__ import annotations

from fairlead.compat import _cpasync
from fairlead.compat._later_gpus import stand_in
from fairlead.compat._places import forwarding
from fairlead.compat._traits import Trait

__all__ = [
    *_cpasync.__all__,
    "CopyBulkTensorTileG2SMulticastNonExecTrait",
    "CopyBulkTensorTileG2SMulticastTrait",
    "CopyBulkTensorTileG2SNonExecTrait",
    "CopyBulkTensorTileG2STrait",
    "CopyBulkTensorTileS2GNonExecTrait",
    "CopyReduceBulkTensorTileS2GNonExecTrait",
    "TMA_DESC_PTR_FIELD_NAME",
    "TMA_MBAR_PTR_FIELD_NAME",
    "TMA_MCAST_MASK_FIELD_NAME",
]


class CopyBulkTensorTileG2SNonExecTrait(Trait):
    """The trait of a load: ``cute.CopyAtom(op, trait)`` is its atom."""


class CopyBulkTensorTileG2SMulticastNonExecTrait(Trait):
    """The trait of a load into several blocks of a cluster."""


class CopyBulkTensorTileS2GNonExecTrait(Trait):
    """The trait of a store."""


class CopyReduceBulkTensorTileS2GNonExecTrait(Trait):
    """The trait of a store that combines the tile with the elements in memory."""


# With their barriers and masks, as operations of the IR take them.
CopyBulkTensorTileG2STrait, CopyBulkTensorTileG2SMulticastTrait = (
    stand_in(name, "a trait of an atom with its barrier, which Fairlead has no atoms with")
    for name in ("CopyBulkTensorTileG2STrait", "CopyBulkTensorTileG2SMulticastTrait")
)
# The fields of such an atom, by their names in the IR.
TMA_DESC_PTR_FIELD_NAME, TMA_MBAR_PTR_FIELD_NAME, TMA_MCAST_MASK_FIELD_NAME = (
    stand_in(
        f"TMA_{name}_FIELD_NAME",
        "a field of an atom with its barrier, which Fairlead has no atoms with",
    )
    for name in ("DESC_PTR", "MBAR_PTR", "MCAST_MASK")
)

__getattr__, __dir__ = forwarding(globals(), _cpasync)
