"""Choices of products of warps with block scaling (compute capability 12.0): the order of atoms, and the scale factors
that each thread holds."""

from __future__ import annotations

from typing import Any

from fairlead import _compiler
from fairlead._compiler import Layout, Tensor
from fairlead.cute._atoms import TiledMma
from fairlead.cute._layout import (
    composition,
    logical_divide,
    make_layout,
    make_tensor,
    right_inverse,
)
from fairlead.cute._operations import rank, size
from fairlead.cute._values import make_fragment_like
from fairlead.cute.nvgpu.warp import _ScaledOp
from fairlead.errors import make_error

__all__ = [
    "get_layoutSFA_TV",
    "get_layoutSFB_TV",
    "get_permutation_mnk",
    "partition_fragment_SFA",
    "partition_fragment_SFB",
    "thrfrg_SFA",
    "thrfrg_SFB",
]


def get_permutation_mnk(
    tile_shape_mnk: tuple[int, ...], sf_vec_size: int, use_mxf8f6f4: bool
) -> tuple[Any, ...]:
    """Return the permutation of a tiled MMA whose warps lie 4 x 2 or 2 x 2 along M and N.

    Args:
        tile_shape_mnk: the extents of a block's tile; N a multiple of 8.
        sf_vec_size: elements along K that share a scale factor, 16 or 32.
        use_mxf8f6f4: True for products of K = 32 elements.

    Raises TypeError for another ``sf_vec_size``.
    """
    if sf_vec_size not in (16, 32):
        raise make_error(
            "LayoutMode",
            expected="16 or 32 as sf_vec_size of get_permutation_mnk",
            got=repr(sf_vec_size),
        )
    if len(tile_shape_mnk) != 3 or min(tile_shape_mnk) < 1:
        raise make_error(
            "LayoutMode",
            expected="three extents of 1 or more as the tile of get_permutation_mnk",
            got=repr(tile_shape_mnk),
        )
    columns = tile_shape_mnk[1]
    order: Any = 8
    if columns >= 32:
        order = make_layout((8, 2, 2), stride=(1, 16, 8))
    elif columns >= 16:
        order = make_layout((8, 2), stride=(1, 8))
    return (min(tile_shape_mnk[0], 128), order, 32 if use_mxf8f6f4 else 64)


def _joined(*layouts: Layout) -> Any:
    """Return the layout whose modes are these layouts."""
    return make_layout(
        tuple(layout.shape for layout in layouts), stride=tuple(layout.stride for layout in layouts)
    )


def _require_scaled(function: str, tiled_mma: object) -> None:
    if not isinstance(getattr(tiled_mma, "op", None), _ScaledOp):
        raise make_error(
            "LayoutMode",
            expected=f"a product of a warp with block scaling, such as warp.MmaMXF4Op, for {function}",
            got=repr(tiled_mma),
        )


def _of_threads(layout: Layout, tiled_mma: TiledMma, mode: int) -> tuple[Any, Any, Any, Any, Any]:
    """Return the layouts of a tile (rows, K) along the lanes of a warp, the warps along rows and K, the values of a
    product, and the products along rows and K."""
    depth = tiled_mma.shape_mnk[2]
    rows = tiled_mma.shape_mnk[mode]
    permutation = tiled_mma.permutation_mnk
    tile: Any = tuple(size(permutation[index]) for index in (mode, 2))
    extents: Any = [size(layout, mode=[index]) for index in (0, 1)] if rank(layout) == 2 else []
    if not extents or any(
        isinstance(extent, int) and extent % whole
        for extent, whole in zip(extents, tile, strict=True)
    ):
        raise make_error(
            "LayoutMode",
            expected=f"scale factors of whole tiles {tile} of the tiled MMA",
            got=repr(layout),
        )
    permuted = logical_divide(layout, (permutation[mode], permutation[2]))
    divided = logical_divide(permuted, (make_layout(rows), make_layout(depth)))
    product, rest = _joined(divided[0][0], divided[1][0]), (divided[0][1], divided[1][1])
    # Lanes 4 i and 4 i + 1 have rows i and i + 8 of A; lanes 4 i to 4 i + 3 have row i of B.
    lanes: Any = make_layout(((2, 2, 8), depth), stride=((8, 0, 1), rows))
    if mode == 1:
        lanes = make_layout(((4, 8), depth), stride=((0, 1), rows))
    of_lanes = composition(product, lanes)
    warps = tiled_mma.thr_layout_vmnk
    along = [
        logical_divide(part, make_layout(size(warps, mode=[index])))
        for part, index in zip(rest, (mode + 1, 3), strict=True)
    ]
    return of_lanes[0], (along[0][0], along[1][0]), of_lanes[1], along[0][1], along[1][1]


def _thread_parts(function: str, scales: Any, tiled_mma: TiledMma, mode: int) -> Any:
    _require_scaled(function, tiled_mma)
    is_layout = isinstance(scales, _compiler.Layout)
    layout: Any = scales if is_layout else scales.layout
    lanes, warps, values, rows, steps = _of_threads(layout, tiled_mma, mode)
    parts = _joined(_joined(lanes, _joined(*warps)), _joined(values, _joined(rows, steps)))
    return parts if is_layout else make_tensor(scales.iterator, parts)


def thrfrg_SFA(sfa_tensor: Layout | Tensor, tiled_mma: TiledMma) -> Any:
    """Return a tile of A's scale factors, by threads: ((lanes of a warp, (warps along M, along K)), (values of a
    product, (products along M, along K))).

    Args:
        sfa_tensor: a tensor (M, K) of scale factors, or its layout, which then is the result.
        tiled_mma: a tiled MMA of ``warp`` with block scaling, or a thread's slice of it. TypeError for others.
    """
    return _thread_parts("thrfrg_SFA", sfa_tensor, tiled_mma, 0)


def thrfrg_SFB(sfb_tensor: Layout | Tensor, tiled_mma: TiledMma) -> Any:
    """Return a tile of B's scale factors, (N, K), by threads; see thrfrg_SFA."""
    return _thread_parts("thrfrg_SFB", sfb_tensor, tiled_mma, 1)


def _fragment(function: str, tensor: Tensor, thr_mma: Any, mode: int) -> Any:
    _require_scaled(function, thr_mma)
    _, _, values, rows, steps = _of_threads(tensor.layout, thr_mma, mode)
    part = make_tensor(tensor.iterator, _joined(values, rows, steps))
    return make_fragment_like(part, thr_mma.op.sf_dtype)


def partition_fragment_SFA(
    sfa_tensor: _compiler.Tensor, thr_mma: _compiler.ThrMma, tidx: object
) -> Any:
    """Return registers for a thread's scale factors of A: (values of a product, products along M, along K).

    Args:
        sfa_tensor: the scale factors of one stage, such as those of sm120_make_smem_layout_sfa.
        thr_mma: the thread's slice of a tiled MMA of ``warp`` with block scaling. TypeError for others.
        tidx: the thread, which the registers do not depend on.
    """
    return _fragment("partition_fragment_SFA", sfa_tensor, thr_mma, 0)


def partition_fragment_SFB(
    sfb_tensor: _compiler.Tensor, thr_mma: _compiler.ThrMma, tidx: object
) -> Any:
    """Return registers for a thread's scale factors of B; see partition_fragment_SFA."""
    return _fragment("partition_fragment_SFB", sfb_tensor, thr_mma, 1)


def _thread_values(function: str, tiled_mma: TiledMma, mode: int) -> Any:
    _require_scaled(function, tiled_mma)
    permutation = tiled_mma.permutation_mnk
    tile = make_layout((size(permutation[mode]), size(permutation[2])))
    lanes, (along, along_k), values, rows, steps = _of_threads(tile, tiled_mma, mode)
    warps = tiled_mma.thr_layout_vmnk
    # Warps along the other of M and N have the same scale factors.
    other = make_layout(size(warps, mode=[2 - mode]), stride=0)
    of_warps = (along, other) if mode == 0 else (other, along)
    threads = composition(_joined(lanes, *of_warps, along_k), right_inverse(warps))
    return _joined(threads, _joined(values, rows, steps))


def get_layoutSFA_TV(tiled_mma: TiledMma) -> Any:
    """Return (thread, value) to the place of A's scale factor in a tile (M, K) of the permutation, column-major.

    Args:
        tiled_mma: of ``warp`` with block scaling. TypeError for others.
    """
    return _thread_values("get_layoutSFA_TV", tiled_mma, 0)


def get_layoutSFB_TV(tiled_mma: TiledMma) -> Any:
    """Return (thread, value) to the place of B's scale factor in a tile (N, K); see get_layoutSFA_TV."""
    return _thread_values("get_layoutSFB_TV", tiled_mma, 1)
