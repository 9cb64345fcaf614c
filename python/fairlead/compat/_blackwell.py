"""Modules that programs for several architectures import, and use for compute capability 10.0 alone."""

from __future__ import annotations

from typing import Any

from fairlead.compat._later_gpus import stand_in
from fairlead.compat._places import taking_place
from fairlead.cute.nvgpu import tcgen05
from fairlead.errors import make_error
from fairlead.utils._blackwell_epilogue import (  # noqa: F401  published names
    epilogue,
    epilogue_smem_copy_and_partition,
    epilogue_tma_store,
    epilogue_tmem_copy_and_partition,
    transform_partitioned_tensor_layout,
)
from fairlead.utils._scaled_warp_products import thrfrg_SFA, thrfrg_SFB
from fairlead.utils.blackwell_helpers import *  # noqa: F403

tile_to_mma_shape = taking_place(tcgen05.tile_to_mma_shape)
thrfrg_SFA = taking_place(thrfrg_SFA)
thrfrg_SFB = taking_place(thrfrg_SFB)


def get_tmem_copy_properties(
    atom: object, *, loc: object = None, ip: object = None
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


def check_gemm_tma_alignment(
    m: int, n: int, k: int, a_dtype: Any, b_dtype: Any, output_dtype: Any, a_major: str, b_major: str,
    output_major: str, output_tensor_name: str = "C",
) -> None:  # fmt: skip
    """Raise ValueError unless rows of the operands and of the result of a GEMM are multiples of 16 bytes, as TMA needs.

    Args:
        m, n, k: extents.
        a_dtype, b_dtype, output_dtype: numeric classes.
        a_major, b_major, output_major: the mode whose elements are neighbours: "m", "n" or "k".
        output_tensor_name: the result's name, for the message.
    """
    extents = {"m": m, "n": n, "k": k}
    for name, dtype, major in (
        ("A", a_dtype, a_major), ("B", b_dtype, b_major), (output_tensor_name, output_dtype, output_major),
    ):  # fmt: skip
        bits = extents[major] * dtype.width
        if bits % 128:
            raise make_error(
                "ArgumentValue",
                function="check_gemm_tma_alignment",
                expected=f"rows of {name} along {major.upper()} to be a multiple of 16 bytes",
                got=f"{extents[major]} elements of {dtype.__name__}, {bits} bits",
            )


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    return globals().setdefault(name, stand_in(name))
