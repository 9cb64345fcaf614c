"""``cutlass.cute.nvgpu.warp``: Fairlead's, and operations of compute capability 10.0 and 12.0 by name."""

from __future__ import annotations

import abc
from collections.abc import Callable
from typing import Any

# ruff: noqa: F822  names that are made below
from fairlead import _compiler
from fairlead.compat._architecture import Arch
from fairlead.compat._core import _pack_shape
from fairlead.compat._later_gpus import stand_in
from fairlead.compat._mlir.dialects import cute_nvgpu as _cute_nvgpu_ir  # noqa: F401  a published name
from fairlead.compat._places import forwarding
from fairlead.compat._scaled_atoms import Field
from fairlead.compat._traits import Trait
from fairlead.cute.nvgpu import warp

_LATER = (
    "LdMatrix16x8x8bOp",
    "MmaSM120BlockScaledOp",
    "StMatrix16x8x8bOp",
)


class WarpMmaOp(abc.ABC):  # noqa: B024  programs derive operations from it
    """A base of operations of an MMA of a warp: ``_make_trait`` gives the trait of the atom's type."""

    def _make_trait(self, **_: object) -> Any:
        raise NotImplementedError(f"{type(self).__name__}._make_trait is not defined")

    def _mma_atom(self) -> Any:
        return self._make_trait().value._make_atom(self)


def _constructor(base: type[Any]) -> Callable[..., None]:
    """The constructor of an operation with scales: their type may have its published keyword, ``sf_type``."""

    def __init__(self: Any, *args: object, sf_type: object = None, **options: object) -> None:
        base.__init__(self, *args, **options, **({} if sf_type is None else {"sf_dtype": sf_type}))

    return __init__


for _operation in warp.__all__:
    if _operation.startswith("Mma"):
        WarpMmaOp.register(getattr(warp, _operation))
    if _operation.startswith("MmaMX"):
        # Products with scales of blocks, as programs ask before they choose one.
        _archs = [arch for arch in Arch if arch.major == 12 and arch.suffix]
        _base = getattr(warp, _operation)
        _members = {"__doc__": _base.__doc__, "admissible_archs": _archs}
        globals()[_operation] = type(
            _operation, (_base,), {**_members, "__init__": _constructor(_base)}
        )

#: Pairs of types of A and B whose widths differ.
MXF8F6F4_SUPPORTED_PAIRS = frozenset(
    pair
    for float8 in (_compiler.Float8E4M3FN, _compiler.Float8E5M2)
    for pair in ((_compiler.Float4E2M1FN, float8), (float8, _compiler.Float4E2M1FN))
)


__all__ = [
    *warp.__all__,
    *_LATER,
    "MXF8F6F4_SUPPORTED_PAIRS",
    "Field",
    "MmaFP8Trait",
    "Trait",
    "WarpMmaOp",
    "_pack_shape",
    "make_atom",
]

#: The trait of an MMA of floats of 8 bits.
MmaFP8Trait = Trait


def make_atom(type: Any, values: object = None, *, loc: object = None, ip: object = None) -> Any:
    """Return the atom of a type such as ``cute_nvgpu.MmaAtomSM89Type.get`` makes, for the operation's trait: the type
    itself, of which the operation's atom is made."""
    return type


globals().update({name: stand_in(name) for name in _LATER})

__getattr__, __dir__ = forwarding(globals(), warp)
