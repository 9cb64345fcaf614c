"""Modules that programs for several architectures import, and use for compute capability 10.0 alone."""

from __future__ import annotations

from typing import Any

from fairlead.compat._later_gpus import stand_in
from fairlead.cute.nvgpu import tcgen05
from fairlead.errors import make_error
from fairlead.utils._blackwell_epilogue import (  # noqa: F401  published names
    epilogue,
    epilogue_smem_copy_and_partition,
    epilogue_tma_store,
    epilogue_tmem_copy_and_partition,
    transform_partitioned_tensor_layout,
)
from fairlead.utils.blackwell_helpers import *  # noqa: F403


def get_tmem_copy_properties(
    atom: Any, *, loc: object = None, ip: object = None
) -> tuple[int, int, int, tcgen05.Pack | tcgen05.Unpack]:
    """Return lanes and bits of one step, the number of steps, and the packing of an atom's copy of tensor memory.

    Raises TypeError for an atom of another copy.
    """
    op = getattr(atom, "op", None)
    if not isinstance(op, tcgen05._TensorMemoryOp):
        raise make_error(
            "LayoutMode",
            expected="an atom of a copy of tensor memory, such as Ld32x32bOp, for get_tmem_copy_properties",
            got=str(atom),
        )
    lanes, bits = op._shape
    packing = op.pack if isinstance(op, tcgen05._LoadOp) else op.unpack
    return lanes, bits, op.repeat.value, packing


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    return globals().setdefault(name, stand_in(name))
