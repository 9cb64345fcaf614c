"""``cute.nvgpu.tcgen05``: Fairlead's part of it, and stand-ins for the names that programs for several architectures
import besides."""

from __future__ import annotations

import abc
from typing import Any

from fairlead import _compiler
from fairlead.compat._later_gpus import stand_in
from fairlead.compat._places import forwarding
from fairlead.cute._types import DType
from fairlead.cute.nvgpu import tcgen05
from fairlead.errors import make_error
from fairlead.utils._blackwell_epilogue import find_tmem_tensor_col_offset

__all__ = [
    *tcgen05.__all__,
    "BlockScaledMmaOp",
    "MmaFP8Op",
    "MmaMXF8Op",
    "MmaOp",
    "find_tmem_tensor_col_offset",
]


class MmaOp(abc.ABC):  # noqa: B024  programs ask whether a value is one, and annotate parameters
    """Operations of products in tensor memory."""


class BlockScaledMmaOp(abc.ABC):  # noqa: B024  as MmaOp
    """Operations of products in tensor memory with block scaling."""


MmaOp.register(tcgen05._MmaOp)
BlockScaledMmaOp.register(tcgen05._ScaledMmaOp)


class MmaFP8Op(tcgen05.MmaF8F6F4Op):
    """Products of Float8E4M3FN or Float8E5M2, A and B of one type; the arguments after it are those of MmaF8F6F4Op."""

    def __init__(self, ab_dtype: DType, *choices: Any, **named: Any) -> None:
        _require_bytes(type(self).__name__, ab_dtype)
        super().__init__(ab_dtype, ab_dtype, *choices, **named)
        self.ab_dtype = ab_dtype


class MmaMXF8Op(tcgen05.MmaMXF8F6F4Op):
    """Products with block scaling of Float8E4M3FN or Float8E5M2, A and B of one type; the arguments after it are those
    of MmaMXF8F6F4Op."""

    def __init__(self, ab_dtype: DType, *choices: Any, **named: Any) -> None:
        _require_bytes(type(self).__name__, ab_dtype)
        super().__init__(ab_dtype, *choices, **named)
        self.ab_dtype = ab_dtype


def _require_bytes(name: str, dtype: DType) -> None:
    if dtype not in (_compiler.Float8E4M3FN, _compiler.Float8E5M2):
        raise make_error(
            "AtomUse",
            expected=f"Float8E4M3FN or Float8E5M2 as ab_dtype of {name}",
            got=repr(dtype),
        )


__getattr__, __dir__ = forwarding(globals(), tcgen05, lambda name: stand_in(f"tcgen05.{name}"))
