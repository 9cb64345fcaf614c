"""``cute.nvgpu.tcgen05``: Fairlead's part of it, and stand-ins for the names that programs for several architectures
import besides."""

from __future__ import annotations

import abc

from fairlead.compat._later_gpus import stand_in
from fairlead.compat._places import forwarding
from fairlead.cute.nvgpu import tcgen05
from fairlead.utils._blackwell_epilogue import find_tmem_tensor_col_offset

__all__ = [*tcgen05.__all__, "BlockScaledMmaOp", "MmaOp", "find_tmem_tensor_col_offset"]


class MmaOp(abc.ABC):  # noqa: B024  programs ask whether a value is one, and annotate parameters
    """Operations of products in tensor memory."""


class BlockScaledMmaOp(abc.ABC):  # noqa: B024  as MmaOp
    """Operations of products in tensor memory with block scaling."""


MmaOp.register(tcgen05._MmaOp)
BlockScaledMmaOp.register(tcgen05._ScaledMmaOp)

__getattr__, __dir__ = forwarding(globals(), tcgen05, lambda name: stand_in(f"tcgen05.{name}"))
