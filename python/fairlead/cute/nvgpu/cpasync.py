"""Copies that run besides the threads' other work: a thread's own, of boxes of tensors (TMA), of neighbouring bytes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from fairlead import _compiler
from fairlead._compiler import ReductionOp
from fairlead._hints import missing
from fairlead.cute._layout import (
    ComposedLayout,
    Swizzle,
    make_composed_layout,
    make_layout,
    slice_,
)
from fairlead.cute._operations import rank, size
from fairlead.cute._types import Extents, Int, Number
from fairlead.cute.nvgpu._operations import CopyOp, L2PrefetchSize, LoadCacheMode
from fairlead.errors import CheckedEnum, make_error, require

__all__ = [
    "CopyBulkG2SMulticastOp",
    "CopyBulkG2SOp",
    "CopyBulkS2GOp",
    "CopyBulkS2SOp",
    "CopyBulkTensorTileG2SMulticastOp",
    "CopyBulkTensorTileG2SOp",
    "CopyBulkTensorTileS2GOp",
    "CopyDsmemStoreOp",
    "CopyG2SOp",
    "CopyReduceBulkTensorTileS2GOp",
    "LoadCacheMode",
    "ReductionKind",
    "ReductionOp",
    "TmaInfo",
    "copy_tensormap",
    "cp_fence_tma_desc_release",
    "create_tma_multicast_mask",
    "fence_tma_desc_acquire",
    "fence_tma_desc_release",
    "make_tiled_tma_atom",
    "make_tiled_tma_atom_A",
    "make_tiled_tma_atom_B",
    "prefetch_descriptor",
    "tma_partition",
    "update_tma_descriptor",
]


class CopyG2SOp(CopyOp):
    """From global to shared memory, 32, 64 or 128 bits of a thread at once: ``cp.async``.

    Copies end at ``cute.arch.cp_async_wait_group``; on the CPU at once. LoadCacheMode.GLOBAL, which
    takes 128 bits, goes around the L1 cache. ``make_copy_atom(..., l2_prefetch_size=...)`` says what else goes to the
    L2 cache.
    """

    _prefetches = True

    def __init__(self, cache_mode: LoadCacheMode = LoadCacheMode.ALWAYS) -> None:
        super().__init__(cache_mode=cache_mode)
        self.cache_mode = cache_mode

    def _copy_op(self, prefetch: L2PrefetchSize = L2PrefetchSize.NONE) -> Any:
        if not isinstance(prefetch, L2PrefetchSize):
            raise make_error(
                "AtomUse", expected="an L2PrefetchSize as l2_prefetch_size", got=repr(prefetch)
            )
        cache = list(LoadCacheMode).index(self.cache_mode)
        return _compiler.CopyOp("cp.async", cache, prefetched=prefetch.value)


class ReductionKind(CheckedEnum):
    """The operation that combines a copy to global memory with the elements there."""

    ADD = "add"
    MIN = "min"
    MAX = "max"
    INC = "inc"
    DEC = "dec"
    AND = "and"
    OR = "or"
    XOR = "xor"


class _BulkOp(CopyOp):
    """A copy that one thread of a warp asks for: all of them come to it, and one is chosen."""

    _kind = ""
    #: True if a tensor map describes the copied tensor.
    _of_tensors = False

    def _copy_op(self) -> Any:
        return _compiler.CopyOp(self._kind)


class _BoxLoadOp(_BulkOp):
    _of_tensors = True

    def __init__(self, cta_group: object = None) -> None:
        super().__init__()
        self.cta_group = cta_group
        self._is_of_pair = getattr(cta_group, "name", None) == "TWO"

    def _copy_op(self) -> Any:
        op = super()._copy_op()
        return op._of_pair() if self._is_of_pair else op


class CopyBulkTensorTileG2SOp(_BoxLoadOp):
    """A box of a tensor in global memory to shared memory. ``copy`` takes ``tma_bar_ptr``, the mbarrier that counts its
    bytes, and ``cache_policy`` and ``tma_desc_ptr``.

    Args:
        cta_group: ``tcgen05.CtaGroup.TWO`` for loads of a pair of blocks: the mbarrier at the same place in the even
            block counts the bytes.
    """

    _kind = "tensor load"


class CopyBulkTensorTileG2SMulticastOp(_BoxLoadOp):
    """A copy of a box by TMA to shared memory of several blocks of a cluster: one bit of ``mcast_mask`` for each. The
    box goes to the same offset in each block. The mbarrier at the same offset counts its bytes, in that block or in the
    even block of its pair."""

    _kind = "tensor multicast"


class CopyBulkTensorTileS2GOp(_BulkOp):
    """A box from shared memory to a tensor in global memory: the part of it inside the tensor."""

    _kind, _of_tensors = "tensor store", True


class CopyReduceBulkTensorTileS2GOp(_BulkOp):
    """CopyBulkTensorTileS2GOp that combines elements with the values in memory, by a ReductionKind or a
    ``cute.ReductionOp`` of the same name."""

    _of_tensors = True

    def __init__(self, reduction_kind: ReductionKind = ReductionKind.ADD) -> None:
        if isinstance(reduction_kind, _compiler.ReductionOp):
            kind = getattr(ReductionKind, reduction_kind.name, None)
            if kind is None:
                raise make_error(
                    "AtomUse", expected="a ReductionKind for the operation", got=reduction_kind
                )
            reduction_kind = kind
        super().__init__(reduction_kind=reduction_kind)
        self.reduction_kind = reduction_kind

    def _copy_op(self) -> Any:
        return _compiler.CopyOp(
            "tensor reduce", reduction=list(ReductionKind).index(self.reduction_kind)
        )


class CopyBulkG2SOp(_BulkOp):
    """Neighbouring bytes, a multiple of 16, from global to shared memory. ``copy`` takes ``mbar_ptr``."""

    _kind = "bulk load"


class CopyBulkG2SMulticastOp(_BulkOp):
    """CopyBulkG2SOp to several blocks of a cluster (``mcast_mask``)."""

    _kind = "bulk multicast"


class CopyBulkS2GOp(_BulkOp):
    """Neighbouring bytes, a multiple of 16, from shared to global memory."""

    _kind = "bulk store"


class CopyBulkS2SOp(_BulkOp):
    """Neighbouring bytes to shared memory of block ``cta_rank`` of the cluster, whose ``mbar_ptr`` counts them."""

    _kind = "bulk to block"


class CopyDsmemStoreOp(CopyOp):
    """Registers of 32 or 64 bits to shared memory of another block of the cluster, without waiting.

    ``copy`` takes ``mbar_ptr``, the mbarrier there that counts the bytes. It and the destination are addresses in that
    block (``cute.arch.map_dsmem_ptr``). The kernel must be launched with ``cluster=``.
    """

    _kind = "store to block"

    def _copy_op(self) -> Any:
        return _compiler.CopyOp("universal")


@dataclass(frozen=True)
class TmaInfo:
    """The result of make_tiled_tma_atom. It unpacks to the atom and the tensor of coordinates."""

    atom: Any  #: copies one box
    tma_tensor: Any  #: the tensor's coordinates, as the atom counts them
    smem_layout: Any  #: the layout of shared memory that the atom was made for

    def __iter__(self) -> Iterator[Any]:
        return iter((self.atom, self.tma_tensor))

    def __len__(self) -> int:
        return 2

    def __getitem__(self, index: int | slice) -> Any:
        return (self.atom, self.tma_tensor)[index]


def make_tiled_tma_atom(
    op: CopyOp,
    gmem_tensor: _compiler.Tensor,
    smem_layout: _compiler.Layout | ComposedLayout,
    cta_tiler: Extents,
    num_multicast: int = 1,
    *,
    internal_type: object = None,
) -> TmaInfo:
    """The atom that copies tiles of a tensor between global and shared memory, and the tensor's coordinates.

    For ``@jit`` functions; both are arguments of kernels. The tensor map, which tells the GPU about the tensor, is made
    at each call of the compiled function. Inside a kernel the host makes it, too, if the kernel's arguments determine
    the tensor's address, extents and strides. Otherwise the atom is only for ``copy_tensormap``, which writes the map
    of the tensor that the thread sees; copies take it from there, as ``tma_desc_ptr``.

    Args:
        op: a copy of boxes, such as CopyBulkTensorTileG2SOp.
        gmem_tensor: up to 5 dimensions, one of them contiguous, the strides of the others multiples of 16 bytes.
        smem_layout: of one tile in shared memory; its swizzle is one of byte addresses. A mode behind those of the tile
            counts tiles.
        cta_tiler: the tile, an entry for each of the tensor's first modes, or as the layout of its coordinates,
            ``composition(make_identity_layout(shape), tile)``.
        num_multicast: blocks of a cluster that share the work of a tile.
        internal_type: the type of elements as the copy counts them, of as many bits.

    Raises TypeError for another operation, a layout that TMA cannot copy, or a tensor that does not fit.
    """
    if not getattr(op, "_of_tensors", False):
        raise make_error(
            "AtomUse",
            expected="an operation on boxes of tensors, such as CopyBulkTensorTileG2SOp, for make_tiled_tma_atom",
            got=repr(op),
        )
    swizzle, whole_layout = Swizzle(0, 4, 3), smem_layout
    if isinstance(smem_layout, ComposedLayout):
        swizzle, smem_layout = smem_layout.inner, smem_layout.outer
        if not isinstance(swizzle, Swizzle):
            raise make_error(
                "AtomUse", expected="a swizzle in the layout of shared memory", got=swizzle
            )
    if isinstance(cta_tiler, tuple) and rank(smem_layout) == len(cta_tiler) + 1:
        smem_layout = slice_(smem_layout, (*(None,) * len(cta_tiler), 0))
    assert not isinstance(smem_layout, ComposedLayout)
    atom, coordinates = _compiler.make_tensor_atom(
        op,
        op._copy_op(),
        gmem_tensor,
        smem_layout,
        swizzle,
        cta_tiler,
        num_multicast,
        internal_type,
    )
    return TmaInfo(atom, coordinates, whole_layout)


def _of_operand(name: str, modes: tuple[int, int], shares: int) -> Any:
    def make(
        op: CopyOp,
        gmem_tensor: _compiler.Tensor,
        smem_layout: _compiler.Layout | _compiler.ComposedLayout,
        mma_tiler_mnk: tuple[Int, ...],
        tiled_mma: _compiler.TiledMma,
        cluster_shape_vmnk: object = None,
        *,
        internal_type: object = None,
    ) -> TmaInfo:
        require(make, smem_layout=smem_layout, mma_tiler_mnk=mma_tiler_mnk, tiled_mma=tiled_mma)
        extents = _extents_of_cluster(make.__name__, cluster_shape_vmnk)
        blocks = extents[shares] if isinstance(op, CopyBulkTensorTileG2SMulticastOp) else 1
        tile = tuple(mma_tiler_mnk[mode] for mode in modes)
        if getattr(tiled_mma, "thr_id", None) is not None and size(tiled_mma.thr_id) == 2:
            tile = (_half_of(tile[0], tiled_mma.op.shape_mnk[modes[0]]), tile[1])
        of_tile = _undivided(smem_layout) if rank(smem_layout) > len(tile) else smem_layout
        info = make_tiled_tma_atom(
            op, gmem_tensor, of_tile, tile, blocks, internal_type=internal_type
        )
        return replace(info, smem_layout=smem_layout)

    make.__name__ = make.__qualname__ = f"make_tiled_tma_atom_{name}"
    make.__doc__ = f"""The atom that copies tiles of operand {name} of a product, and the tensor's coordinates.

    Args:
        op, gmem_tensor, smem_layout, internal_type: see make_tiled_tma_atom.
        mma_tiler_mnk: the extents of a block's tile along M, N and K.
        tiled_mma: the product; its operand's tile is that of the block, or of both blocks of a pair.
        cluster_shape_vmnk: the blocks of the cluster as (V, M, N, K); of multicast copies those along
            {"N" if name == "A" else "M"} share a tile. Default one block.
    """
    return make


make_tiled_tma_atom_A = _of_operand("A", (0, 2), 2)
make_tiled_tma_atom_B = _of_operand("B", (1, 2), 1)


def _extents_of_cluster(function: str, shape: Any) -> list[Any]:
    """Return how many blocks a cluster has along V, M, N and K: one each by default."""
    if shape is None:
        return [1, 1, 1, 1]
    extents = [size(shape, mode=[mode]) for mode in range(rank(shape))]
    if len(extents) != 4 or any(isinstance(extent, int) and extent < 1 for extent in extents):
        raise make_error(
            "ArgumentValue",
            function=function,
            expected="four extents of 1 or more, (V, M, N, K), as cluster_shape_vmnk",
            got=str(shape),
        )
    return extents


def _half_of(extent: Any, of_product: int) -> Any:
    """Return a block's part of an extent of a pair, ``of_product`` or a multiple of it: half of each ``of_product``."""
    if extent == of_product:
        return extent // 2
    return make_layout((of_product // 2, extent // of_product), stride=(1, of_product))


def _undivided(smem_layout: Any) -> Any:
    """((M, K), tiles of M, tiles of K), as products with tensor memory divide an operand, as (M, K)."""
    swizzle, layout = None, smem_layout
    if isinstance(smem_layout, ComposedLayout):
        swizzle, layout = smem_layout.inner, smem_layout.outer
    (rows, depth), *tiles = layout.shape
    (row_steps, depth_steps), *tile_steps = layout.stride
    undivided = make_layout(
        ((rows, tiles[0]), (depth, tiles[1])),
        stride=((row_steps, tile_steps[0]), (depth_steps, tile_steps[1])),
    )
    return undivided if swizzle is None else make_composed_layout(swizzle, 0, undivided)


def tma_partition(
    atom: Any,
    cta_coord: Number | None,
    cta_layout: _compiler.Layout,
    smem_tensor: _compiler.Tensor,
    gmem_tensor: _compiler.Tensor,
) -> tuple[Any, Any]:
    """The data that a block copies: both tensors, whose mode 0 is the tile, with mode 0 divided into the atom's boxes.

    Args:
        atom: of make_tiled_tma_atom.
        cta_coord: the place of the block among the blocks of ``cta_layout`` that share tiles (multicast).
        cta_layout: those blocks; one for copies without multicast.
        smem_tensor, gmem_tensor: (tile, rest...), in shared memory and of coordinates.

    Returns:
        The part of shared memory first.
    """
    return _compiler.partition_boxes(atom, cta_coord, cta_layout, smem_tensor, gmem_tensor)


def prefetch_descriptor(tma_atom: Any) -> None:
    """Brings the tensor map of ``tma_atom`` to where copies find it. All threads of a warp may call it."""
    _compiler.prefetch_map(tma_atom)


def copy_tensormap(tma_atom: Any, tensormap_ptr: _compiler.Pointer) -> None:
    """Copies the tensor map of ``tma_atom`` to the 128 bytes at ``tensormap_ptr``, a pointer into global or shared
    memory that is a multiple of 128. By one thread, or by several of one warp. An atom that was made inside the kernel
    describes the tensor there. No copy may use the map of a tensor with an extent of 0.
    """
    _compiler.copy_map(tma_atom, tensormap_ptr)


def update_tma_descriptor(
    tma_atom: _compiler.TensorCopyAtom,
    gmem_tensor: _compiler.Tensor,
    tma_desc_ptr: _compiler.Pointer,
) -> None:
    """Changes a tensor map in memory to describe another tensor. By one thread.

    Args:
        tma_atom: the atom whose map was copied there.
        gmem_tensor: a tensor with the modes and the element type of the atom's; its address, extents and strides are
            written into the map.
        tma_desc_ptr: the map's 128 bytes, in global or shared memory.
    """
    _compiler.update_map(tma_atom, gmem_tensor, tma_desc_ptr)


def fence_tma_desc_release() -> None:
    """After tensor maps in global memory were changed: others see that once they have acquired them."""
    _compiler.release_map()


def cp_fence_tma_desc_release(
    tma_desc_global_ptr: _compiler.Pointer, tma_desc_shared_ptr: _compiler.Pointer
) -> None:
    """Copies a tensor map that was changed in shared memory (``tma_desc_shared_ptr``) to global memory
    (``tma_desc_global_ptr``), so that others can acquire it. Both are 128 bytes at a multiple of 128. By all threads of
    a warp.
    """
    _compiler.publish_map(tma_desc_global_ptr, tma_desc_shared_ptr)


def fence_tma_desc_acquire(tma_desc_ptr: _compiler.Pointer) -> None:
    """Before copies by a tensor map (``tma_desc_ptr``) that others changed."""
    _compiler.acquire_map(tma_desc_ptr)


def create_tma_multicast_mask(
    cta_layout_vmnk: _compiler.Layout, cta_coord_vmnk: Any, mcast_mode: int
) -> Any:
    """The blocks of a cluster that differ from the one at ``cta_coord_vmnk`` in mode ``mcast_mode`` alone, as bits.

    Args:
        cta_layout_vmnk: a layout of four modes (V, M, N, K) that maps a block's coordinates to its rank.
        cta_coord_vmnk: the block's coordinates.
        mcast_mode: the mode along which the copy is shared, 0 to 3.
    """
    from fairlead.cute._layout import make_layout_image_mask

    return make_layout_image_mask(cta_layout_vmnk, cta_coord_vmnk, mcast_mode)


if not TYPE_CHECKING:  # a type checker knows the names that there are
    __getattr__ = missing(__name__)


def __dir__() -> list[str]:
    """The names that completion offers."""
    return sorted(__all__)
