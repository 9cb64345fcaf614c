"""``cutlass.utils``: Fairlead's helpers, copies of whole tiles by TMA, and names of later GPUs."""

from __future__ import annotations

import importlib
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


#: Names that ``cutlass.utils`` takes from its helpers: of tiles of each kind of GPU, and of mixed operands. Names of
#: Hopper's have a prefix.
_HELPERS = {
    "blockscaled_layout": (
        "BlockScaledBasicChunk make_smem_layout_sfa make_smem_layout_sfb make_tmem_layout_sfa make_tmem_layout_sfb "
        "tile_atom_to_shape_SF"
    ),
    "mixed_input_helpers": (
        "TransformMode compute_smem_layout contiguous_group_search create_initial_contiguous_group_search_state "
        "cvt_tensor_a epilog_gmem_copy_and_partition epilog_smem_copy_and_partition epilog_tmem_copy_and_partition "
        "get_copy_atom_a_transform get_divisibility get_gmem_layout_scale get_smem_layout_scale get_tma_atom_kind "
        "get_transform_a_source is_shuffle_a is_valid_mma_tiler_and_cluster_shape is_valid_scale_granularity "
        "is_valid_tensor_alignment make_contiguous_group_work_tile_info scale_partition scale_tma_partition "
        "store_transformed_a transform_partition"
    ),
    "blackwell_helpers": (
        "cluster_shape_to_tma_atom_A cluster_shape_to_tma_atom_B cluster_shape_to_tma_atom_SFB get_permutation_mnk "
        "get_smem_layout_atom_ab get_smem_store_op get_tmem_load_op make_blockscaled_trivial_tiled_mma "
        "make_smem_layout make_smem_layout_a make_smem_layout_b make_smem_layout_epi make_trivial_tiled_mma"
    ),
    "hopper_helpers": (
        "compute_tile_shape_or_override sm90_get_smem_layout_atom sm90_get_smem_store_op sm90_make_smem_layout_a "
        "sm90_make_smem_layout_b sm90_make_smem_layout_epi sm90_make_trivial_tiled_mma"
    ),
}
_HELPER_OF = {name: module for module, names in _HELPERS.items() for name in names.split()}


def _from_helpers(name: str) -> Any:
    if name not in _HELPER_OF:
        return getattr(utils, name)
    helpers = importlib.import_module(f"cutlass.utils.{_HELPER_OF[name]}")
    return getattr(helpers, name.removeprefix("sm90_"))


take_places(globals(), ["block_copy"])
__getattr__, __dir__ = forwarding(globals(), utils, _from_helpers)
