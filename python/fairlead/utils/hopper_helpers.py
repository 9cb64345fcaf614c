"""Choices of GEMM programs for compute capability 9.0: layouts in shared memory, tiled MMAs, copies of results."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fairlead import _compiler
from fairlead.cute._atoms import CopyAtom, TiledMma, make_copy_atom, make_tiled_mma
from fairlead.cute._layout import tile_to_shape
from fairlead.cute._types import DType, Extents, Int
from fairlead.cute.nvgpu import CopyUniversalOp, OperandMajorMode
from fairlead.cute.nvgpu.warp import StMatrix8x8x16bOp
from fairlead.cute.nvgpu.warpgroup import (
    MmaF8Op,
    MmaF16BF16Op,
    MmaI8Op,
    OperandSource,
    SmemLayoutAtomKind,
    make_smem_layout_atom,
)
from fairlead.errors import make_error
from fairlead.utils._layout_enum import LayoutEnum
from fairlead.utils.tensor_helpers import is_fp8_dtype

__all__ = [
    "compute_tile_shape_or_override",
    "get_smem_layout_atom",
    "get_smem_store_op",
    "make_smem_layout_a",
    "make_smem_layout_b",
    "make_smem_layout_epi",
    "make_trivial_tiled_mma",
    "sm90_get_smem_store_op",
]

#: Bits of a row, the widest first.
_ROWS = (("SW128", 1024), ("SW64", 512), ("SW32", 256), ("INTER", 128))


def get_smem_layout_atom(
    layout: LayoutEnum, element_type: type[_compiler.Numeric], major_mode_size: int
) -> SmemLayoutAtomKind:
    """Return the kind with the widest rows that the contiguous mode of a tile, of ``major_mode_size`` elements,
    consists of.

    ValueError for modes that are no multiple of 16 bytes.
    """
    bits = major_mode_size * element_type.width
    major = "MN" if layout is LayoutEnum.COL_MAJOR else "K"
    for name, row in _ROWS:
        if bits % row == 0:
            return SmemLayoutAtomKind[f"{major}_{name}"]
    raise make_error(
        "ArgumentValue",
        function="a tile in shared memory",
        expected="whole 16 bytes along its contiguous mode",
        got=f"{major_mode_size} elements of {element_type.__name__}",
    )


def _staged(
    layout: LayoutEnum,
    dtype: type[_compiler.Numeric],
    shape: tuple[int, ...],
    k_fastest: bool,
    order: Extents | None = None,
) -> Any:
    size = shape[1] if k_fastest else shape[0]
    atom = make_smem_layout_atom(get_smem_layout_atom(layout, dtype, size), dtype)
    if order is None:
        order = (0, 1, 2) if k_fastest else (1, 0, 2)
    return tile_to_shape(atom, shape, order)


def make_smem_layout_a(
    a_layout: LayoutEnum,
    mma_tiler_mnk: Sequence[int],
    a_dtype: type[_compiler.Numeric],
    num_stages: int,
) -> Any:
    """Return the layout of operand A in shared memory, (M, K, stages), as a composed layout."""
    shape = (mma_tiler_mnk[0], mma_tiler_mnk[2], num_stages)
    return _staged(a_layout, a_dtype, shape, a_layout.is_k_major_a())


def make_smem_layout_b(
    b_layout: LayoutEnum,
    mma_tiler_mnk: Sequence[int],
    b_dtype: type[_compiler.Numeric],
    num_stages: int,
) -> Any:
    """Return the layout of operand B in shared memory, (N, K, stages), as a composed layout."""
    shape = (mma_tiler_mnk[1], mma_tiler_mnk[2], num_stages)
    return _staged(b_layout, b_dtype, shape, b_layout.is_k_major_b())


def make_smem_layout_epi(
    epi_dtype: type[_compiler.Numeric],
    epi_layout: LayoutEnum,
    epi_tile: Sequence[Any],
    epi_stage: int,
    smem_trg_shape: tuple[Int, ...] | None = None,
    smem_order: Extents | None = None,
) -> Any:
    """Return the layout of tiles of the result in shared memory, (M, N, stages), as a composed layout.

    Args:
        smem_trg_shape: another shape, of more modes.
        smem_order: the order of its modes, the smallest number fastest.
    """
    by_rows = epi_layout.is_n_major_c()
    size = epi_tile[1] if by_rows else epi_tile[0]
    size = size if isinstance(size, int) else size.shape
    atom = make_smem_layout_atom(get_smem_layout_atom(epi_layout, epi_dtype, size), epi_dtype)
    shape = (*epi_tile, epi_stage) if smem_trg_shape is None else smem_trg_shape
    if smem_order is None:
        smem_order = (0, 1, 2) if by_rows else (1, 0, 2)
    return tile_to_shape(atom, shape, smem_order)


def compute_tile_shape_or_override(
    tile_shape_mnk: Sequence[Any],
    element_type: type[_compiler.Numeric],
    is_cooperative: bool = False,
    epi_tile_override: tuple[int, int] | None = None,
) -> tuple[int, int]:
    """Return the tile of the result that is stored at once: of all warpgroups together, or of each."""
    if epi_tile_override is not None:
        return epi_tile_override
    rows, columns = tile_shape_mnk[0], tile_shape_mnk[1]
    if is_cooperative:
        return min(128, rows), min(32, columns)
    return min(64, rows), min(64 if element_type.width == 8 else 32, columns)


def make_trivial_tiled_mma(
    a_dtype: type[_compiler.Numeric],
    b_dtype: type[_compiler.Numeric],
    a_leading_mode: OperandMajorMode,
    b_leading_mode: OperandMajorMode,
    acc_dtype: type[_compiler.Numeric],
    atom_layout_mnk: Sequence[int],
    tiler_mn: Sequence[int],
    a_source: OperandSource = OperandSource.SMEM,
) -> TiledMma:
    """Warpgroups, laid out as ``atom_layout_mnk``, that each multiply tiles of ``tiler_mn`` = (64, N).

    TypeError for element types that they do not have.
    """
    shape, modes = tuple(tiler_mn), (a_source, a_leading_mode, b_leading_mode)
    if a_dtype in (_compiler.Float16, _compiler.BFloat16):
        if a_dtype is not b_dtype:
            raise make_error(
                "LayoutMode", expected=f"{a_dtype.__name__} as b_dtype too", got=b_dtype.__name__
            )
        op: Any = MmaF16BF16Op(a_dtype, acc_dtype, (*shape, 16), *modes)
    elif is_fp8_dtype(a_dtype) and is_fp8_dtype(b_dtype):
        op = MmaF8Op(a_dtype, b_dtype, acc_dtype, (*shape, 32), *modes)
    elif a_dtype in (_compiler.Int8, _compiler.Uint8):
        op = MmaI8Op(a_dtype, b_dtype, acc_dtype, (*shape, 32), *modes)
    else:
        raise make_error(
            "LayoutMode",
            expected="Float16, BFloat16, floats of 8 bits, Int8 or Uint8 for make_trivial_tiled_mma",
            got=f"{a_dtype} and {b_dtype}",
        )
    return make_tiled_mma(op, tuple(atom_layout_mnk))


def get_smem_store_op(layout_d: LayoutEnum, elem_ty_d: DType, elem_ty_acc: DType) -> CopyAtom:
    """How accumulators, converted to ``elem_ty_d``, go to shared memory: stmatrix for elements of 16 bits."""
    if elem_ty_d.width == 16 and elem_ty_acc.width in (16, 32):
        return make_copy_atom(StMatrix8x8x16bOp(layout_d.is_m_major_c(), 4), elem_ty_d)
    return make_copy_atom(CopyUniversalOp(), elem_ty_d)


sm90_get_smem_store_op = get_smem_store_op
