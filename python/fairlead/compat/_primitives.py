"""``cutlass.experimental.primitives``: Fairlead's, conversions of packed floats, and products of a warp."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fairlead import _compiler, primitives
from fairlead.compat._described_products import mma_block_scale, wgmma_mma_async
from fairlead.compat._ir_types import StructType
from fairlead.compat._mlir._narrow_floats import cvt_packfloat, cvt_packfloat_f32
from fairlead.compat._places import forwarding, taking_place
from fairlead.cute._assembly import inline_asm
from fairlead.cute._types import Choice
from fairlead.cute.nvgpu import warpgroup
from fairlead.errors import make_error
from fairlead.primitives import MMAIntOverflow, MMALayout, MMAType

__all__ = [
    *primitives.__all__,
    "WgmmaSmemDesc",
    "cvt_packfloat",
    "cvt_packfloat_f32",
    "mma_block_scale",
    "mma_sync",
    "wgmma_commit_group_sync_aligned",
    "wgmma_fence_aligned",
    "wgmma_mma_async",
    "wgmma_wait_group_sync_aligned",
]

#: The word that describes an operand of a warpgroup's product in shared memory.
WgmmaSmemDesc = _compiler.Int64


def _expect(name: str, value: object, *expected: object) -> Any:
    if value not in expected:
        raise make_error(
            "ArgumentValue",
            function="mma_sync",
            expected=f"{' or '.join(map(str, expected))} as {name}",
            got=repr(value),
        )
    return value


def mma_sync(
    res: object,
    shape: Sequence[int],
    layout_a: Choice,
    layout_b: Choice,
    operand_a: Sequence[Any],
    operand_b: Sequence[Any],
    operand_c: Sequence[Any],
    *,
    b1_op: object = None,
    int_overflow_behavior: Choice | None = None,
    multiplicand_a_ptx_type: Choice | None = None,
    multiplicand_b_ptx_type: Choice | None = None,
    loc: object = None,
    ip: object = None,
) -> Any:
    """Multiply matrices in the registers of a warp, and add; for GPUs, and the CPU.

    Args:
        res: not looked at; results have the class of ``operand_c``.
        shape: M, N and K.
        layout_a, layout_b: ROW and COL.
        operand_a, operand_b: 32-bit integers with the elements of PTX's fragments.
        operand_c: Float32, Int32, or 32-bit integers with pairs of Float16.
        b1_op: None; products of bits are not supported.
        int_overflow_behavior: None or WRAPPED.
        multiplicand_a_ptx_type, multiplicand_b_ptx_type: MMAType of the elements.

    Returns:
        A struct of the results, for ``llvm.extractvalue``.
    """
    _expect("layout_a", layout_a, MMALayout.ROW)
    _expect("layout_b", layout_b, MMALayout.COL)
    _expect("b1_op", b1_op, None)
    _expect("int_overflow_behavior", int_overflow_behavior, None, MMAIntOverflow.WRAPPED)
    a = _expect("multiplicand_a_ptx_type", multiplicand_a_ptx_type, *MMAType).value
    b = _expect("multiplicand_b_ptx_type", multiplicand_b_ptx_type, *MMAType).value
    cls = type(operand_c[0])
    added = "f32" if cls is _compiler.Float32 else "s32" if a[0] in "su" else "f16"
    groups, first = [], 0
    for group in (operand_c, operand_a, operand_b, operand_c):
        groups.append(f"{{{', '.join(f'${first + place}' for place in range(len(group)))}}}")
        first += len(group)
    letter = "f" if cls is _compiler.Float32 else "r"
    constraints = [f"={letter}"] * len(operand_c) + ["r"] * (len(operand_a) + len(operand_b))
    return inline_asm(
        StructType.get_literal([cls] * len(operand_c)),
        [*operand_a, *operand_b, *operand_c],
        f"mma.sync.aligned.m{shape[0]}n{shape[1]}k{shape[2]}.row.col.{added}.{a}.{b}.{added} {', '.join(groups)};",
        ",".join([*constraints, *[letter] * len(operand_c)]),
    )


wgmma_commit_group_sync_aligned = taking_place(warpgroup.commit_group)
wgmma_fence_aligned = taking_place(warpgroup.fence)
wgmma_wait_group_sync_aligned = taking_place(warpgroup.wait_group)

__getattr__, __dir__ = forwarding(globals(), primitives)
