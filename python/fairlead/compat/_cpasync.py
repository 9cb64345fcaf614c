"""``cutlass.cute.nvgpu.cpasync``: Fairlead's."""

from __future__ import annotations

import warnings
from typing import Any

from fairlead._compiler import Layout, Tensor
from fairlead.compat._places import forwarding, taking_place
from fairlead.cute import crd2idx, group_modes, make_layout, make_tensor
from fairlead.cute._types import Coordinate
from fairlead.cute.nvgpu import cpasync
from fairlead.errors import DSLError

__all__ = [*cpasync.__all__, "group_bulk_copy_modes"]

#: Strides of tensor maps are counted in units of so many bytes.
_STRIDE_BYTES = 16


def _as_described(tensor: Tensor, smem_layout: Any) -> Tensor | None:
    """Return ``tensor`` with the strides that a tensor map has for a tile whose contiguous mode in shared memory is not
    contiguous in memory: 1 for that mode, and whole units for the others. None for strides that are not known while
    tracing, and for nested modes."""
    layout = getattr(smem_layout, "outer", smem_layout)
    first = [mode[0] if isinstance(mode, tuple) else mode for mode in layout.stride]
    strides = tensor.layout.stride
    if 1 not in first or not all(isinstance(stride, int) for stride in strides):
        return None
    unit = _STRIDE_BYTES * 8 // tensor.element_type.width
    strides = [stride // unit * unit for stride in strides]
    strides[first.index(1)] = 1
    return make_tensor(tensor.iterator, make_layout(tensor.shape, stride=tuple(strides)))


@taking_place
def make_tiled_tma_atom(
    op: Any, gmem_tensor: Tensor, smem_layout: Any, *args: Any, **options: Any
) -> Any:
    """Return the atom that copies tiles, as ``fairlead.cute.nvgpu.cpasync.make_tiled_tma_atom`` does.

    Published programs also make atoms for tiles that are contiguous along another mode in shared memory than in memory.
    TMA does not transpose: the copy reads other elements, as with the published package. That is a warning.
    """
    try:
        return cpasync.make_tiled_tma_atom(op, gmem_tensor, smem_layout, *args, **options)
    except DSLError as error:
        if error.diagnostic != "TensorMapContiguous":
            raise
        described = _as_described(gmem_tensor, smem_layout)
        if described is None:
            raise
        warnings.warn(
            f"make_tiled_tma_atom: TMA does not transpose: with the layout {smem_layout} in shared memory, copies of "
            f"{gmem_tensor} read its memory as {described}",
            stacklevel=2,
        )
        return cpasync.make_tiled_tma_atom(op, described, smem_layout, *args, **options)


@taking_place
def tma_partition(
    atom: object,
    cta_coord: Coordinate,
    cta_layout: Layout,
    smem_tensor: Tensor,
    gmem_tensor: Tensor,
) -> tuple[Any, Any]:
    """``fairlead.cute.nvgpu.cpasync.tma_partition``, which also takes a coordinate of ``cta_layout``."""
    place: Any = cta_coord
    if isinstance(place, tuple):
        shape = cta_layout.shape
        modes = shape if isinstance(shape, tuple) else (shape,)
        place = crd2idx(place, make_layout(modes))
    return cpasync.tma_partition(atom, place, cta_layout, smem_tensor, gmem_tensor)


@taking_place
def group_bulk_copy_modes(src: Tensor, dst: Tensor) -> tuple[Tensor, Tensor]:
    """Both tensors with all their modes in one, as a bulk copy of the whole takes them."""
    return group_modes(src, 0), group_modes(dst, 0)


__getattr__, __dir__ = forwarding(globals(), cpasync)
