"""Choices of GEMM programs for compute capability 10.0: layouts in shared memory, tiled MMAs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fairlead import _compiler
from fairlead.cute._atoms import CopyAtom, TiledMma, make_copy_atom, make_tiled_mma
from fairlead.cute._layout import (
    coalesce,
    logical_divide,
    make_composed_layout,
    make_layout,
    tile_to_shape,
)
from fairlead.cute._operations import size
from fairlead.cute.nvgpu import CopyUniversalOp, OperandMajorMode, cpasync
from fairlead.cute.nvgpu.tcgen05 import (
    _NARROW_FLOATS,
    CtaGroup,
    MmaF8F6F4Op,
    MmaF16BF16Op,
    MmaI8Op,
    MmaMXF4NVF4Op,
    MmaMXF4Op,
    MmaMXF8F6F4Op,
    MmaTF32Op,
    OperandSource,
    SmemLayoutAtomKind,
    make_smem_layout_atom,
)
from fairlead.cute.nvgpu.warp import StMatrix8x8x16bOp
from fairlead.errors import make_error
from fairlead.utils._blackwell_epilogue import (
    cluster_shape_to_tma_atom_A,
    cluster_shape_to_tma_atom_B,
    compute_epilogue_tile_shape,
    get_smem_store_op,
    get_tmem_load_op,
)
from fairlead.utils._layout_enum import LayoutEnum
from fairlead.utils._scaled_warp_products import (
    get_layoutSFA_TV,
    get_layoutSFB_TV,
    get_permutation_mnk,
    partition_fragment_SFA,
    partition_fragment_SFB,
)
from fairlead.utils.hopper_helpers import get_smem_layout_atom

__all__ = [
    "make_blockscaled_trivial_tiled_mma",
    "cluster_shape_to_tma_atom_A",
    "cluster_shape_to_tma_atom_B",
    "cluster_shape_to_tma_atom_SFB",
    "compute_epilogue_tile_shape",
    "get_smem_layout_atom_ab",
    "get_layoutSFA_TV",
    "get_layoutSFB_TV",
    "get_permutation_mnk",
    "get_smem_store_op",
    "get_tmem_load_op",
    "make_smem_layout",
    "make_smem_layout_a",
    "make_smem_layout_atom",
    "make_smem_layout_b",
    "make_smem_layout_epi",
    "make_trivial_tiled_mma",
    "partition_fragment_SFA",
    "partition_fragment_SFB",
    "sm120_get_smem_store_op",
]


def sm120_get_smem_store_op(
    layout_d: LayoutEnum,
    elem_ty_d: type[_compiler.Numeric],
    elem_ty_acc: type[_compiler.Numeric],
) -> CopyAtom:
    """Return the atom that copies accumulators of warps to shared memory: stmatrix of two matrices for results of 16
    bits, which have 4 values of a product of 16 x 8, and the plain copy for others.

    Args:
        layout_d: which mode of the result is contiguous.
        elem_ty_d: the type of the result's elements.
        elem_ty_acc: the type of the accumulators.
    """
    if elem_ty_d.width == 16 and elem_ty_acc.width in (16, 32):
        return make_copy_atom(StMatrix8x8x16bOp(layout_d.is_m_major_c(), 2), elem_ty_d)
    return make_copy_atom(CopyUniversalOp(), elem_ty_d)


def get_smem_layout_atom_ab(
    major_mode: OperandMajorMode,
    element_type: type[_compiler.Numeric],
    smem_shape_mn_k: tuple[int, int],
) -> SmemLayoutAtomKind:
    """Return the kind of rows that tiles of an operand in shared memory consist of, for make_smem_layout_atom.

    Args:
        major_mode: the mode whose elements are neighbours, ``OperandMajorMode.K`` or ``.MN``.
        element_type: the type of the elements.
        smem_shape_mn_k: the tile's extents of M or N, and of K. The widest row of 128, 64, 32 or 16 bytes that divides
            the major one is taken. For 32-bit elements whose M or N is contiguous: rows of 128 bytes, swizzled in
            chunks of 32 bytes.

    Raises TypeError for another ``major_mode``, and for extents that no row divides.
    """
    if not isinstance(major_mode, OperandMajorMode):
        raise make_error(
            "LayoutMode",
            expected="OperandMajorMode.K or .MN as major_mode of get_smem_layout_atom_ab",
            got=repr(major_mode),
        )
    k_fastest = major_mode is OperandMajorMode.K
    if element_type.width == 32 and not k_fastest:
        return SmemLayoutAtomKind.MN_SW128_32B
    kind = LayoutEnum.ROW_MAJOR if k_fastest else LayoutEnum.COL_MAJOR
    return get_smem_layout_atom(kind, element_type, smem_shape_mn_k[1 if k_fastest else 0])


def make_smem_layout(
    leading_mode: OperandMajorMode,
    smem_tile_shape: tuple[int, int],
    element_type: type[_compiler.Numeric],
    num_stages: int,
) -> Any:
    """Return the layout (M or N, K, stages) of an operand in shared memory, as a composed layout.

    Args:
        leading_mode: the mode whose elements are neighbours, ``OperandMajorMode.K`` or ``.MN``. Its extent decides the
            swizzle: that of the widest row of 128, 64, 32 or 16 bytes that divides it. For 32-bit elements whose M or N
            is contiguous: rows of 128 bytes, swizzled in chunks of 32 bytes.
        smem_tile_shape: extents of M or N, and of K.
        num_stages: number of tiles.

    Raises TypeError for another ``leading_mode``, and for extents that no row divides.
    """
    if not isinstance(leading_mode, OperandMajorMode):
        raise make_error(
            "LayoutMode",
            expected="OperandMajorMode.K or .MN as leading_mode of make_smem_layout",
            got=repr(leading_mode),
        )
    k_fastest = leading_mode is OperandMajorMode.K
    atom = make_smem_layout_atom(
        get_smem_layout_atom_ab(leading_mode, element_type, smem_tile_shape), element_type
    )
    shape = (*smem_tile_shape, num_stages)
    return tile_to_shape(atom, shape, (0, 1, 2) if k_fastest else (1, 0, 2))


def make_smem_layout_epi(
    epi_dtype: type[_compiler.Numeric],
    epi_layout: LayoutEnum,
    epi_tile: Sequence[Any],
    epi_stage: int,
) -> Any:
    """Return the layout of tiles of the result in shared memory, (M, N, stages), as a composed layout.

    Args:
        epi_dtype: the type of the result's elements.
        epi_layout: which of its modes is contiguous.
        epi_tile: the tile, of integers or layouts, such as compute_epilogue_tile_shape returns.
        epi_stage: number of tiles.
    """
    by_rows = epi_layout.is_n_major_c()
    contiguous = epi_tile[1 if by_rows else 0]
    if not isinstance(contiguous, int):
        shape = contiguous.shape
        contiguous = shape[0] if isinstance(shape, tuple) else shape
    atom = make_smem_layout_atom(get_smem_layout_atom(epi_layout, epi_dtype, contiguous), epi_dtype)
    shape = (size(epi_tile[0]), size(epi_tile[1]), epi_stage)
    return tile_to_shape(atom, shape, (0, 1, 2) if by_rows else (1, 0, 2))


def _staged(
    tiled_mma: TiledMma,
    tile: tuple[int, Any],
    major: OperandMajorMode,
    is_k_major: bool | None,
    dtype: type[_compiler.Numeric],
    stages: int,
) -> Any:
    if is_k_major is not None:
        major = OperandMajorMode.K if is_k_major else OperandMajorMode.MN
    op, blocks, (mode, extents) = tiled_mma.op, size(tiled_mma.thr_id), tile
    rows, depth = op.shape_mnk[mode] // blocks, op.shape_mnk[2]
    smem_tile = (
        _whole_products("MN"[mode], extents[mode], op.shape_mnk[mode]) // blocks,
        _whole_products("K", extents[2], depth),
    )
    return _in_products(make_smem_layout(major, smem_tile, dtype, stages), rows, depth)


def _whole_products(mode: str, extent: int, extent_of_product: int) -> int:
    """Return the extent that products of a tile read: a smaller tile is read as if it were one product."""
    if extent > extent_of_product and extent % extent_of_product:
        raise make_error(
            "LayoutMode",
            expected=f"a tile of whole products, {mode} a multiple of {extent_of_product}",
            got=str(extent),
        )
    return max(extent, extent_of_product)


def _in_products(staged: Any, rows: int, depth_of_product: int) -> Any:
    """Return ((rows, K), rest, rest, stages) of a layout (rows and rest, K and rest, stages)."""
    divided = logical_divide(staged.outer, (rows, depth_of_product, None))
    modes: Any = ((mode[0], mode[1]) if index < 2 else mode for index, mode in enumerate(divided))
    (first, second), (depth, rest), last = modes
    shape = ((first.shape, depth.shape), second.shape, rest.shape, last.shape)
    stride = ((first.stride, depth.stride), second.stride, rest.stride, last.stride)
    outer = coalesce(make_layout(shape, stride=stride), ((1, 1), 1, 1, 1))
    return make_composed_layout(staged.inner, 0, outer)


def make_smem_layout_a(
    tiled_mma: TiledMma,
    mma_tiler_mnk: object,
    a_dtype: type[_compiler.Numeric],
    num_stages: int,
    *,
    is_k_major: bool | None = None,
) -> Any:
    """Return the layout of a block's part of A in shared memory, ((M, K), tiles of M, tiles of K, stages), as a
    composed layout.

    Args:
        tiled_mma: of ``tcgen05``; its shape is (M, N, K).
        mma_tiler_mnk: the extents of a tile of the result, of both blocks of a pair. Smaller ones than the product's
            count as the product's. TypeError for larger ones that are no multiples of them.
        a_dtype: the type of the elements in shared memory.
        num_stages: number of tiles.
        is_k_major: whether K is contiguous; default as the product reads it.
    """
    op = tiled_mma.op
    return _staged(tiled_mma, (0, mma_tiler_mnk), op.a_major_mode, is_k_major, a_dtype, num_stages)


def make_smem_layout_b(
    tiled_mma: TiledMma,
    mma_tiler_mnk: object,
    b_dtype: type[_compiler.Numeric],
    num_stages: int,
    *,
    is_k_major: bool | None = None,
) -> Any:
    """Return the layout of a block's part of B in shared memory, ((N, K), tiles of N, tiles of K, stages), as a
    composed layout. The arguments are those of make_smem_layout_a."""
    op = tiled_mma.op
    return _staged(tiled_mma, (1, mma_tiler_mnk), op.b_major_mode, is_k_major, b_dtype, num_stages)


def make_trivial_tiled_mma(
    ab_dtype: type[_compiler.Numeric], *choices: Any, **named: Any
) -> TiledMma:
    """Return the product of one tile of ``mma_tiler_mn`` at a time.

    Called as ``(ab_dtype, a_leading_mode, b_leading_mode, acc_dtype, cta_group, mma_tiler_mn, a_source)``, or with the
    type of B's elements behind that of A's.

    Args:
        ab_dtype: the type of A's and B's elements, or of A's.
        choices, named: ``a_leading_mode`` and ``b_leading_mode``, of OperandMajorMode; ``acc_dtype``, the type of the
            accumulators; ``cta_group``, a CtaGroup; ``mma_tiler_mn``, the extents (M, N) of both blocks of a pair;
            ``a_source``, an OperandSource, default SMEM.

    Raises TypeError for element types that ``tcgen05`` lacks.
    """
    if choices and _compiler.is_dtype(choices[0]):
        return _trivial_tiled_mma(ab_dtype, *choices, **named)
    b_dtype = named.pop("b_dtype", ab_dtype)
    return _trivial_tiled_mma(named.pop("a_dtype", ab_dtype), b_dtype, *choices, **named)


def _trivial_tiled_mma(
    a_dtype: type[_compiler.Numeric],
    b_dtype: type[_compiler.Numeric],
    a_leading_mode: OperandMajorMode,
    b_leading_mode: OperandMajorMode,
    acc_dtype: type[_compiler.Numeric],
    cta_group: CtaGroup,
    mma_tiler_mn: Sequence[int],
    a_source: OperandSource = OperandSource.SMEM,
) -> TiledMma:
    shape = _extents("make_trivial_tiled_mma", mma_tiler_mn)
    choices = (shape, cta_group, a_source, a_leading_mode, b_leading_mode)
    op: Any
    if a_dtype in _NARROW_FLOATS and b_dtype in _NARROW_FLOATS:
        op = MmaF8F6F4Op(a_dtype, b_dtype, acc_dtype, *choices)
    elif a_dtype is not b_dtype or a_dtype not in _PRODUCTS:
        raise make_error(
            "LayoutMode",
            expected="Float16, BFloat16, TFloat32, floats of 4, 6 or 8 bits, Int8 or Uint8 for make_trivial_tiled_mma",
            got=repr(a_dtype) if a_dtype is b_dtype else f"{a_dtype!r} and {b_dtype!r}",
        )
    else:
        op = _PRODUCTS[a_dtype](a_dtype, acc_dtype, choices)
    if op.acc_dtype is not acc_dtype:
        raise make_error(
            "LayoutMode",
            expected=f"{op.acc_dtype.__name__} as acc_dtype of products of {a_dtype.__name__}",
            got=repr(acc_dtype),
        )
    return make_tiled_mma(op)


def _extents(function: str, mma_tiler_mn: object) -> tuple[int, ...]:
    if not isinstance(mma_tiler_mn, (tuple, list)):
        raise make_error(
            "LayoutMode",
            expected=f"extents (M, N) as mma_tiler_mn of {function}",
            got=repr(mma_tiler_mn),
        )
    return tuple(mma_tiler_mn)


_PRODUCTS: dict[Any, Any] = {
    **dict.fromkeys(
        (_compiler.Float16, _compiler.BFloat16),
        lambda dtype, sums, choices: MmaF16BF16Op(dtype, sums, *choices),
    ),
    **dict.fromkeys(
        (_compiler.TFloat32, _compiler.Float32), lambda dtype, sums, choices: MmaTF32Op(*choices)
    ),
    **dict.fromkeys(
        (_compiler.Int8, _compiler.Uint8), lambda dtype, sums, choices: MmaI8Op(dtype, *choices)
    ),
}


def make_blockscaled_trivial_tiled_mma(
    ab_dtype: type[_compiler.Numeric], *choices: object, **named: object
) -> TiledMma:
    """Return the product with block scaling of one tile of ``mma_tiler_mn`` at a time.

    Called as ``(ab_dtype, a_leading_mode, b_leading_mode, sf_dtype, sf_vec_size, cta_group, mma_tiler_mn, a_source)``,
    or with the type of B's elements behind that of A's.

    Args:
        ab_dtype: the type of A's and B's elements, or of A's.
        choices, named: ``a_leading_mode`` and ``b_leading_mode``, of OperandMajorMode; ``sf_dtype``, the type of scale
            factors; ``sf_vec_size``, elements along K that share one, 16 or 32; ``cta_group``, a CtaGroup;
            ``mma_tiler_mn``, the extents (M, N); ``a_source``, an OperandSource, default SMEM.

    Raises TypeError for types that no such product has.
    """
    b_dtype: Any = named.pop("b_dtype", None)
    a_dtype: Any = named.pop("a_dtype", ab_dtype)
    others: Any = choices
    if b_dtype is None and others and _compiler.is_dtype(others[0]):
        b_dtype, others = others[0], others[1:]
    options: Any = named
    return _scaled_tiled_mma(a_dtype, b_dtype or a_dtype, *others, **options)


def _scaled_tiled_mma(
    a_dtype: type[_compiler.Numeric],
    b_dtype: type[_compiler.Numeric],
    a_leading_mode: OperandMajorMode,
    b_leading_mode: OperandMajorMode,
    sf_dtype: type[_compiler.Numeric],
    sf_vec_size: int,
    cta_group: CtaGroup,
    mma_tiler_mn: tuple[int, ...],
    a_source: OperandSource = OperandSource.SMEM,
) -> TiledMma:
    shape = _extents("make_blockscaled_trivial_tiled_mma", mma_tiler_mn)
    if a_dtype is b_dtype is _compiler.Float4E2M1FN:
        for name, mode in (("a_leading_mode", a_leading_mode), ("b_leading_mode", b_leading_mode)):
            if mode is not OperandMajorMode.K:
                raise make_error(
                    "LayoutMode",
                    expected=f"OperandMajorMode.K as {name} of products of packed Float4E2M1FN",
                    got=repr(mode),
                )
        if sf_vec_size == 16:
            return make_tiled_mma(MmaMXF4NVF4Op(sf_dtype, shape, cta_group, a_source))
        op: Any = MmaMXF4Op(shape, cta_group, a_source)
    else:
        op = MmaMXF8F6F4Op(
            a_dtype, b_dtype, shape, cta_group, a_source, a_leading_mode, b_leading_mode
        )
    if (op.sf_dtype, op.sf_vec_size) != (sf_dtype, sf_vec_size):
        raise make_error(
            "LayoutMode",
            expected=f"{op.sf_dtype.__name__} for each {op.sf_vec_size} elements as scale factors of {op!r}",
            got=f"{sf_dtype!r} for each {sf_vec_size}",
        )
    return make_tiled_mma(op)


def cluster_shape_to_tma_atom_SFB(
    cluster_shape_mn: tuple[int, ...], atom_thr_id: _compiler.Layout
) -> Any:
    """Return the copy of boxes that loads scale factors of B: a multicast if blocks of the cluster share them.

    Args:
        cluster_shape_mn: blocks of a cluster along M and N.
        atom_thr_id: the layout of the blocks of a product, ``tiled_mma.thr_id``.
    """
    if size(atom_thr_id) == 2:
        return cpasync.CopyBulkTensorTileG2SMulticastOp(CtaGroup.TWO)
    return cluster_shape_to_tma_atom_B(cluster_shape_mn, atom_thr_id)
