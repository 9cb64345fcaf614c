"""``cutlass.utils``: Fairlead's helpers, copies of whole tiles by TMA, and names of later GPUs."""

from __future__ import annotations

from typing import Any

from fairlead import _compiler, utils
from fairlead.compat._places import forwarding, take_places
from fairlead.compat._schedulers import StaticPersistentRuntimeTileScheduler
from fairlead.compat._values import SmemAllocator
from fairlead.cute import (
    AddressSpace,
    arch,
    copy,
    group_modes,
    make_layout,
    make_layout_image_mask,
    rank,
)
from fairlead.cute.nvgpu import cpasync
from fairlead.errors import make_error

__all__ = [
    *utils.__all__,
    "SmemAllocator",
    "StaticPersistentRuntimeTileScheduler",
    "block_copy",
]


def _expect_multicast(option: object) -> None:
    """Raise ArgumentValue unless ``option`` is a dict of both entries."""
    expected = (
        "a dict of cluster_shape, rows and columns of blocks, multicast_dim, 'M' or 'N' (and perhaps "
        "use_2cta_mma_inst, for an even number of rows),"
    )
    if (
        not isinstance(option, dict)
        or set(option) - {"use_2cta_mma_inst"} != {"cluster_shape", "multicast_dim"}
        or option["multicast_dim"] not in ("M", "N")
        or not isinstance(option["cluster_shape"], (tuple, list))
        or len(option["cluster_shape"]) < 2
        or (option.get("use_2cta_mma_inst") and option["cluster_shape"][0] % 2 != 0)
    ):
        raise make_error(
            "ArgumentValue", function="block_copy", expected=f"{expected} as tma_multicast", got=repr(option),
        )  # fmt: skip


def _shared_by(
    atom: _compiler.TensorCopyAtom, blocks: int, arguments: dict[str, Any]
) -> _compiler.TensorCopyAtom | None:
    """Return the atom for loads of tiles that so many blocks share; None if each block loads the whole tile."""
    op = getattr(atom, "op", None)
    if isinstance(op, cpasync.CopyBulkTensorTileG2SMulticastOp):
        return atom
    if blocks == 1 or arguments.get("tma_desc_ptr") is not None:
        return None
    if not isinstance(op, cpasync.CopyBulkTensorTileG2SOp):
        return None
    multicast = cpasync.CopyBulkTensorTileG2SMulticastOp(op.cta_group)
    return atom._share_tile(multicast, multicast._copy_op(), blocks)


def block_copy(
    atom: _compiler.CopyAtom,
    src: _compiler.Tensor,
    dst: _compiler.Tensor,
    *,
    tma_multicast: dict[str, Any] | None = None,
    **arguments: Any,
) -> None:
    """Copies a tile between global and shared memory by a TMA atom, which one thread asks for.

    Args:
        atom: of ``make_tiled_tma_atom``.
        src, dst: the tile in both memories, one of them of the atom's tensor of coordinates.
        tma_multicast: for a load into several blocks, ``cluster_shape`` (rows and columns of blocks) and
            ``multicast_dim``: "M", blocks of the same row get the tile together, each a part of it, or "N", those of
            the same column. For an atom of whole tiles (CopyBulkTensorTileG2SOp) the host makes a tensor map with
            smaller boxes; with ``tma_desc_ptr`` each block loads the whole tile. With ``use_2cta_mma_inst`` the rows
            are pairs of blocks, and "N" joins the first or the second blocks of all pairs of the column.
        arguments: what ``cute.copy`` takes (``tma_bar_ptr``, ``mcast_mask``).
    """
    if not isinstance(atom, _compiler.TensorCopyAtom):
        expected = "an atom of make_tiled_tma_atom as the first argument"
        raise make_error(
            "ArgumentValue", function="block_copy", expected=expected, got=type(atom).__name__
        )
    if tma_multicast is not None:
        _expect_multicast(tma_multicast)
    to_shared = getattr(dst, "memspace", None) is AddressSpace.smem
    shared, other = (dst, src) if to_shared else (src, dst)
    place, blocks = 0, make_layout(1)
    if tma_multicast is not None and to_shared:
        rows, columns = tma_multicast["cluster_shape"][:2]
        pair = 2 if tma_multicast.get("use_2cta_mma_inst") else 1
        cluster = make_layout((pair, rows // pair, columns))
        along = 2 if tma_multicast["multicast_dim"] == "M" else 1
        sharing = _shared_by(atom, cluster.shape[along], arguments)
        if sharing is not None:
            number = arch.block_idx_in_cluster()
            coordinates = (number % pair, number // pair % (rows // pair), number // rows)
            atom, place, blocks = sharing, coordinates[along], make_layout(cluster.shape[along])
            arguments["mcast_mask"] = make_layout_image_mask(cluster, coordinates, along)
    parts = cpasync.tma_partition(
        atom,
        place,
        blocks,
        group_modes(shared, 0, rank(shared)),
        group_modes(other, 0, rank(other)),
    )
    copy(atom, *(reversed(parts) if to_shared else parts), **arguments)


take_places(globals(), ["block_copy"])
__getattr__, __dir__ = forwarding(globals(), utils)
