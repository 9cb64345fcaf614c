"""``cutlass.utils.mixed_input_helpers``: products of integers and floats, whose operand A is converted before it is
multiplied."""

from __future__ import annotations

import dataclasses
import enum
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

from fairlead import _compiler
from fairlead.compat._later_gpus import stand_in
from fairlead.compat._places import take_places
from fairlead.cute import (
    arch,
    autovec_copy,
    coalesce,
    copy,
    filter_zeros,
    flat_divide,
    group_modes,
    make_composed_layout,
    make_copy_atom,
    make_cotiled_copy,
    make_layout,
    make_rmem_tensor,
    make_swizzle,
    make_tensor,
    make_tiled_copy_S,
    rank,
    size,
)
from fairlead.cute._operations import ceil_div
from fairlead.cute._types import DType, Int
from fairlead.cute.nvgpu import CopyUniversalOp, OperandMajorMode, cpasync, tcgen05
from fairlead.utils import blackwell_helpers
from fairlead.utils._blackwell_epilogue import (
    epilogue_smem_copy_and_partition,
    epilogue_tmem_copy_and_partition,
    transform_partitioned_tensor_layout,
)

__all__ = [
    "ContiguousGroupSearchState",
    "ContiguousGroupWorkTileInfo",
    "TransformMode",
    "compute_smem_layout",
    "contiguous_group_search",
    "create_initial_contiguous_group_search_state",
    "cvt_tensor_a",
    "epilog_gmem_copy_and_partition",
    "epilog_smem_copy_and_partition",
    "epilog_tmem_copy_and_partition",
    "get_copy_atom_a_transform",
    "get_divisibility",
    "get_gmem_layout_scale",
    "get_smem_layout_scale",
    "get_tma_atom_kind",
    "get_transform_a_source",
    "is_shuffle_a",
    "is_valid_mma_tiler_and_cluster_shape",
    "is_valid_scale_granularity",
    "is_valid_tensor_alignment",
    "make_contiguous_group_work_tile_info",
    "scale_partition",
    "scale_tma_partition",
    "store_transformed_a",
    "transform_partition",
]


class TransformMode(enum.Enum):
    """The treatment of operand A: it is converted, or converted and scaled."""

    ConvertOnly = "convert"
    ConvertScale = "convert and scale"


def get_transform_a_source(a_major_mode: OperandMajorMode) -> tcgen05.OperandSource:
    """Return where converted elements of A go: to tensor memory if K is contiguous, else to shared memory."""
    return (
        tcgen05.OperandSource.TMEM
        if a_major_mode is OperandMajorMode.K
        else tcgen05.OperandSource.SMEM
    )


def compute_smem_layout(
    tiled_mma: _compiler.TiledMma,
    mma_tiler_mnk: Sequence[int],
    a_dtype: DType,
    b_dtype: DType,
    num_load2trans_stage: int,
    num_trans2mma_stage: int,
) -> tuple[Any, Any, Any]:
    """Return the layouts in shared memory of A as it is loaded, of A as it is multiplied, and of B.

    Args:
        tiled_mma: whose element type A is converted to.
        mma_tiler_mnk: the extents of a tile.
        a_dtype, b_dtype: the types of the elements that are loaded.
        num_load2trans_stage, num_trans2mma_stage: stages of loaded tiles, and of converted ones.
    """
    mma_dtype = tiled_mma.op.a_dtype
    layouts = (
        blackwell_helpers.make_smem_layout_a(
            tiled_mma, mma_tiler_mnk, a_dtype, num_load2trans_stage
        ),
        blackwell_helpers.make_smem_layout_a(
            tiled_mma, mma_tiler_mnk, mma_dtype, num_trans2mma_stage
        ),
        blackwell_helpers.make_smem_layout_b(
            tiled_mma, mma_tiler_mnk, b_dtype, num_load2trans_stage
        ),
    )
    return layouts


def cvt_tensor_a(tensor: _compiler.Tensor, mma_dtype: DType, shuffle: bool = False) -> Any:
    """Return the elements of a tensor in registers as ones of ``mma_dtype``.

    Raises NotImplementedError for ``shuffle``, elements in another order, which programs ask for with CUDA 13.1 alone.
    """
    if shuffle:
        raise NotImplementedError("cvt_tensor_a: shuffled elements are for CUDA 13.1")
    return tensor.load().to(mma_dtype)


def store_transformed_a(
    r_tensor: _compiler.Tensor, dst: _compiler.Tensor, dst_copy: _compiler.CopyAtom | None = None
) -> None:
    """Write converted elements from registers to ``dst``, by the tiled copy ``dst_copy`` unless it is None."""
    if dst_copy is None:
        autovec_copy(r_tensor, dst)
    else:
        copy(dst_copy, r_tensor, dst)


def is_shuffle_a(*_: object, **__: object) -> bool:
    """False: no elements are stored in another order."""
    return False


def get_gmem_layout_scale(
    shape_mkl: tuple[Int, ...],
    scale_granularity_m: int,
    scale_granularity_k: int,
    scale_major: object,
) -> Any:
    """Return the layout of scales as one of A: each scale counts for a tile of its elements.

    Args:
        shape_mkl: the extents of A.
        scale_granularity_m, scale_granularity_k: the tile of elements that share a scale.
        scale_major: the OperandMajorMode that is contiguous among scales.
    """
    m, k, batch = shape_mkl
    rows, columns = ceil_div(m, scale_granularity_m), ceil_div(k, scale_granularity_k)
    along_m = scale_major is OperandMajorMode.MN
    steps = (1, rows) if along_m else (columns, 1)
    shape = ((scale_granularity_m, rows), (scale_granularity_k, columns))
    return make_layout((*shape, batch), stride=((0, steps[0]), (0, steps[1]), rows * columns))


def get_smem_layout_scale(
    mma_tiler: Sequence[int],
    use_2cta_instrs: bool,
    scale_granularity_m: int,
    scale_granularity_k: int,
    scale_major: object,
    scale_dtype: DType,
    num_stages: int,
) -> tuple[tuple[int, int], Any, Any]:
    """Return the extents of a block's tile of A, and the layouts of its scales in shared memory: of one stage, and of
    all.

    Args:
        mma_tiler: the extents of a product's tile.
        use_2cta_instrs: two blocks have half of the rows each.
        scale_granularity_m, scale_granularity_k, scale_major: as of get_gmem_layout_scale.
        scale_dtype: the type of scales.
        num_stages: stages of shared memory.

    Raises ValueError for a tile whose scales are less than 128 bytes, which TMA does not copy.
    """
    rows, depth = mma_tiler[0] // (2 if use_2cta_instrs else 1), mma_tiler[2]
    per_row, per_column = min(scale_granularity_m, rows), min(scale_granularity_k, depth)
    m, k = rows // per_row, depth // per_column
    if m * k * scale_dtype.width < 128 * 8:
        raise ValueError(
            f"get_smem_layout_scale: expected scales of at least 128 bytes, but got {m} x {k} of {scale_dtype.__name__}"
        )
    steps = (1, m) if scale_major is OperandMajorMode.MN else (k, 1)
    shape, stride = ((per_row, m), (per_column, k)), ((0, steps[0]), (0, steps[1]))
    plain = make_swizzle(0, 4, 3)
    one = make_composed_layout(plain, 0, make_layout(shape, stride=stride))
    staged = make_layout((*shape, num_stages), stride=(*stride, m * k))
    return (rows, depth), one, make_composed_layout(plain, 0, staged)


def get_tma_atom_kind(is_multicast: bool, use_2cta_instrs: bool, is_b: bool) -> Any:
    """Return the operation that loads an operand: for the pair of blocks only of B, as each block converts its A."""
    group = tcgen05.CtaGroup.TWO if is_b and use_2cta_instrs else tcgen05.CtaGroup.ONE
    if is_multicast:
        return cpasync.CopyBulkTensorTileG2SMulticastOp(group)
    return cpasync.CopyBulkTensorTileG2SOp(group)


def get_copy_atom_a_transform(
    mma_dtype: DType,
    use_2cta_instrs: bool,
    transform_a_source: object,
    a_smem_shape: Sequence[Any],
    a_dtype: DType,
) -> Any:
    """Return the atom that writes converted elements of A: 32 bits of shared memory, or columns of tensor memory.

    Args:
        mma_dtype, a_dtype: the types of the multiplied and of the loaded elements.
        use_2cta_instrs: two blocks have half of the rows each.
        transform_a_source: where converted elements go, an OperandSource.
        a_smem_shape: the shape of a block's partition of A, ((rows, K), ...).
    """
    if transform_a_source is tcgen05.OperandSource.SMEM:
        return make_copy_atom(CopyUniversalOp(), a_dtype, num_bits_per_copy=32)
    if a_smem_shape[0][0] == 64 and not use_2cta_instrs:
        return make_copy_atom(tcgen05.St16x256bOp(tcgen05.Repetition.x1), mma_dtype)
    return make_copy_atom(tcgen05.St32x32bOp(tcgen05.Repetition.x8), mma_dtype)


def transform_partition(
    transform_a_source: object,
    scale_mode: TransformMode,
    copy_atom_a_input: Any,
    copy_atom_a_transform: Any,
    sA_input: _compiler.Tensor,
    A_transform: _compiler.Tensor,
    transform_local_tidx: Int,
) -> tuple[Any, Any, Any, Any]:
    """Return the tiled copies that read loaded elements of A (None unless they are scaled) and write converted ones
    (None for shared memory), and a thread's parts of both.

    Args:
        transform_a_source: where converted elements go, an OperandSource.
        scale_mode: the treatment of A.
        copy_atom_a_input, copy_atom_a_transform: atoms that read and write elements.
        sA_input: loaded elements in shared memory, ((rows, K), tiles, tiles, stages).
        A_transform: converted elements in tensor or shared memory, of the same modes.
        transform_local_tidx: the thread's index among the 128 that convert.
    """
    stage = A_transform[(None, None, None, 0)]
    written = None
    if transform_a_source is tcgen05.OperandSource.TMEM:
        tiled = written = tcgen05.make_tmem_copy(copy_atom_a_transform, stage)
        if size(A_transform, mode=[0, 0]) == 2 * size(sA_input, mode=[0, 0]):
            sA_input = _rows_twice(sA_input)
    else:
        elements = make_layout((128, 8), stride=(8, 1))
        tiled = make_cotiled_copy(copy_atom_a_transform, elements, stage.layout)
    read = None
    if scale_mode is TransformMode.ConvertScale:
        read = make_tiled_copy_S(copy_atom_a_input, tiled)
    part = tiled.get_slice(transform_local_tidx)
    return read, written, part.partition_S(sA_input), part.partition_D(A_transform)


def _rows_twice(tensor: _compiler.Tensor) -> Any:
    """Return ((rows, K), ...) with all rows again behind the others, as the blocks of a pair hold A of 64 rows."""
    layout = tensor.layout
    (rows, depth), *shape = layout.shape
    (step, along), *stride = layout.stride
    twice = make_layout((((rows, 2), depth), *shape), stride=(((step, 0), along), *stride))
    return make_tensor(tensor.iterator, twice)


def _epilogue_choices(c_layout: object, c_dtype: DType, acc_dtype: DType, **others: object) -> Any:
    return SimpleNamespace(c_layout=c_layout, c_dtype=c_dtype, acc_dtype=acc_dtype, **others)


def epilog_tmem_copy_and_partition(
    cta_tile_shape_mnk: tuple[int, ...],
    c_layout: object,
    c_dtype: DType,
    acc_dtype: DType,
    tidx: Int,
    tAcc: _compiler.Tensor,
    gC_mnl: _compiler.Tensor,
    epi_tile: Sequence[Any],
    use_2cta_instrs: bool,
) -> tuple[Any, Any, Any]:
    """Return the copy from tensor memory by a thread of 128, its parts, and registers for one of them.

    Args:
        cta_tile_shape_mnk: the extents of the block's tile.
        c_layout: which mode of the result is contiguous, a LayoutEnum.
        c_dtype, acc_dtype: the types of the result and of the accumulators.
        tidx: the thread's index among the 128.
        tAcc: partitions of the accumulators, ((M, N), tiles, tiles, stages).
        gC_mnl: the result, partitioned by the product.
        epi_tile: the tile that is copied at once.
        use_2cta_instrs: whether two blocks multiply together.
    """
    choices = _epilogue_choices(c_layout, c_dtype, acc_dtype, cta_tile_shape_mnk=cta_tile_shape_mnk)
    accumulators, result = (
        transform_partitioned_tensor_layout(partition) for partition in (tAcc, gC_mnl)
    )
    return epilogue_tmem_copy_and_partition(
        choices, tidx, accumulators, result, epi_tile, use_2cta_instrs
    )


def epilog_smem_copy_and_partition(
    c_layout: Any,
    c_dtype: DType,
    acc_dtype: DType,
    tiled_copy_t2r: Any,
    tTR_rC: _compiler.Tensor,
    tidx: Int,
    sC: _compiler.Tensor,
) -> tuple[Any, Any, Any]:
    """Return the copy of registers to shared memory, the registers as it takes them, and its parts of ``sC``.

    Args:
        c_layout, c_dtype, acc_dtype, tidx: as of epilog_tmem_copy_and_partition.
        tiled_copy_t2r: the copy that filled the registers.
        tTR_rC: a thread's elements of one tile of the result.
        sC: tiles of the result, (M, N, stages).
    """
    choices = _epilogue_choices(c_layout, c_dtype, acc_dtype)
    return epilogue_smem_copy_and_partition(choices, tiled_copy_t2r, tTR_rC, tidx, sC)


def epilog_gmem_copy_and_partition(
    c_dtype: DType,
    tidx: Int,
    tma_atom_c: Any,
    tiled_copy_t2r: Any,
    gC_for_tma: Any,
    gC_for_simt: Any,
    epi_tile: Sequence[Any],
    sC: Any,
) -> tuple[Any, Any, Any, Any, Any]:
    """Return how tiles of the result are stored: by TMA, the atom and the parts of shared memory and of coordinates;
    by threads, an atom and the thread's part of the result. What a caller passes None for is None.

    Args:
        c_dtype: the type of the result.
        tidx: the thread's index among the 128 of the epilogue.
        tma_atom_c: of the store by TMA, or None.
        tiled_copy_t2r: the copy from tensor memory, or None.
        gC_for_tma, gC_for_simt: the result, partitioned by the product, or None.
        epi_tile: the tile that is copied at once.
        sC: tiles of the result in shared memory, (M, N, stages), or None.
    """
    shared = boxes = simt_atom = part = None
    if tma_atom_c is not None:
        tiles = flat_divide(transform_partitioned_tensor_layout(gC_for_tma), epi_tile)
        shared, boxes = cpasync.tma_partition(
            tma_atom_c, 0, make_layout(1), group_modes(sC, 0, 2), group_modes(tiles, 0, 2)
        )
    if tiled_copy_t2r is not None:
        tiles = flat_divide(transform_partitioned_tensor_layout(gC_for_simt), epi_tile)
        part = tiled_copy_t2r.get_slice(tidx).partition_D(tiles)
        simt_atom = make_copy_atom(CopyUniversalOp(), c_dtype)
    return tma_atom_c, shared, boxes, simt_atom, part


def scale_tma_partition(
    tCsS: _compiler.Tensor,
    tCgS: _compiler.Tensor,
    tma_atom: _compiler.CopyAtom,
    block_coord_vmnk: Sequence[Any],
    cta_layout: _compiler.Layout,
) -> tuple[Any, Any]:
    """Return the parts of shared memory and of the tensor of scales that the block copies by TMA.

    Args:
        tCsS, tCgS: scales in shared memory and of the tensor's coordinates, as the product divides A.
        block_coord_vmnk: the block's place in the cluster.
        cta_layout: the blocks that share tiles.
    """
    shared, coordinates = (
        group_modes(tensor, 0, 3) if rank(tensor) > 3 else group_modes(tensor, 0, rank(tensor))
        for tensor in (tCsS, tCgS)
    )
    return cpasync.tma_partition(tma_atom, block_coord_vmnk[2], cta_layout, shared, coordinates)


def scale_partition(
    src_copy: Any, tCsS: object, local_tidx: Int, mma_dtype: DType
) -> tuple[Any, Any, Any, Any]:
    """Return how a thread reads scales: the copy's slice, its part of shared memory, registers of the scales, and the
    same registers with a scale for each element.

    Args:
        src_copy: the tiled copy that reads elements of A.
        tCsS: scales in shared memory, as the product divides A.
        local_tidx: the thread's index among the converting threads.
        mma_dtype: of the scales in registers.
    """
    thread_copy = src_copy.get_slice(local_tidx)
    part = thread_copy.partition_S(tCsS)
    one_stage = part[(None,) * (rank(part) - 1) + (0,)]
    layout = one_stage.layout
    registers = make_rmem_tensor(coalesce(filter_zeros(layout)).shape, mma_dtype)
    compact = make_layout(layout.shape, stride=_compact(layout.shape, layout.stride, 1)[0])
    return thread_copy, part, registers, make_tensor(registers.iterator, compact)


def _compact(shape: Any, stride: Any, step: int) -> tuple[Any, int]:
    """Return the strides of a compact layout of the modes whose stride is not 0, and one more than its largest index
    in steps of ``step``."""
    if not isinstance(shape, tuple):
        return (0, step) if stride == 0 else (step, step * shape)
    steps = []
    for extent, along in zip(shape, stride, strict=True):
        mode, step = _compact(extent, along, step)
        steps.append(mode)
    return tuple(steps), step


@dataclasses.dataclass
class ContiguousGroupSearchState:
    """How far the search for the group of a tile has come. Groups lie side by side; ``cur_group_idx`` counts from 1."""

    last_tile_count: Any
    cur_boundary: Any
    cur_tile_count: Any
    cur_group_idx: Any
    cur_offset: Any
    cur_start: Any

    def __extract_mlir_values__(self) -> list[Any]:
        return [getattr(self, field.name) for field in dataclasses.fields(self)]

    def __new_from_mlir_values__(self, values: list[Any]) -> ContiguousGroupSearchState:
        return ContiguousGroupSearchState(*values)


def create_initial_contiguous_group_search_state() -> ContiguousGroupSearchState:
    """Return the state before the first search."""
    return ContiguousGroupSearchState(*(_compiler.Int32(0) for _ in range(6)))


def contiguous_group_search(
    cluster_tile_shape_mnk: tuple[int, int, int],
    group_count: Int,
    tile_idx: Int,
    search_state: ContiguousGroupSearchState,
    cumsum: _compiler.Tensor,
    search_mode: int,
) -> ContiguousGroupSearchState:
    """Return the state for the tile ``tile_idx``, which never falls from call to call.

    Args:
        cluster_tile_shape_mnk: the extents of the tile of a cluster.
        group_count: how many groups there are; with ``cur_group_idx`` above it, no tile is left.
        tile_idx: the tile's number along the mode.
        cumsum: (group_count + 1) where each group begins along the mode, and the end.
        search_mode: the mode along which groups lie, 0 for M or 1 for N.
    """
    extent = cluster_tile_shape_mnk[search_mode]

    def tiles_of(group: Any) -> Any:
        return ceil_div(cumsum[group] - cumsum[group - 1], extent)

    def goes_on(values: list[Any]) -> Any:
        group, _, end = values
        return (group <= group_count) & ((group == 0) | (tile_idx >= end))

    def step(values: list[Any]) -> list[Any]:
        group, _, end = values
        after = group + 1
        inside = _compiler.min(after, _compiler.Int32(group_count))
        tiles = _compiler.select(after <= group_count, tiles_of(inside), _compiler.Int32(0))
        return [after, end, end + tiles]

    group, before, end = _compiler.while_loop(
        ["group", "tiles before", "tiles"],
        [search_state.cur_group_idx, search_state.last_tile_count, search_state.cur_tile_count],
        goes_on,
        step,
    )
    last_group = _compiler.min(group, _compiler.Int32(group_count))
    offset = cumsum[last_group - 1]
    start = offset + (tile_idx - before) * extent
    return ContiguousGroupSearchState(before, cumsum[last_group], end, group, offset, start)


class ContiguousGroupWorkTileInfo:
    """A tile of one of several groups.

    Attributes:
        cta_coord_m: the block's tile along M.
        coord_n: where its columns begin.
        group_idx: the group, from 0.
        distance_to_boundary: columns up to the group's end.
    """

    def __init__(self, group_count: object, fields: Any) -> None:
        self._group_count, self._fields = group_count, list(fields)

    cta_coord_m = property(lambda tile: tile._fields[0])
    coord_n = property(lambda tile: tile._fields[1])
    group_idx = property(lambda tile: tile._fields[2])
    distance_to_boundary = property(lambda tile: tile._fields[3])

    @property
    def is_valid_tile(self) -> Any:
        """True if the tile exists."""
        return self.group_idx < self._group_count

    def __extract_mlir_values__(self) -> list[Any]:
        return list(self._fields)

    def __new_from_mlir_values__(self, values: list[Any]) -> ContiguousGroupWorkTileInfo:
        return ContiguousGroupWorkTileInfo(self._group_count, values)


def make_contiguous_group_work_tile_info(group_count: Int, info: Any) -> Any:
    """Return the tile that four Int32 in shared memory tell, for the whole warp."""
    fields = [arch.make_warp_uniform(info[place]) for place in range(4)]
    return ContiguousGroupWorkTileInfo(group_count, fields)


def get_divisibility(contiguous_extent: int, upper_bound: int = 128) -> int:
    """Return the greatest power of two that divides an extent, at most ``upper_bound``."""
    return min(contiguous_extent & -contiguous_extent, upper_bound)


def is_valid_scale_granularity(
    scale_granularity_m: int, scale_granularity_k: int, a_dtype: DType, k: int, mma_tiler_k: int
) -> bool:
    """True if elements of ``a_dtype`` can have scales for tiles of this granularity: those of 8 bits have none, and
    Int4 has one a row for a multiple of ``mma_tiler_k`` columns that divides ``k``."""
    if a_dtype.width == 8:
        return scale_granularity_m == scale_granularity_k == 0
    return (
        scale_granularity_m == 1
        and scale_granularity_k != 0
        and k % scale_granularity_k == 0
        and scale_granularity_k % mma_tiler_k == 0
    )


def is_valid_tensor_alignment(
    m: int,
    n: int,
    k: int,
    a_dtype: DType,
    b_dtype: DType,
    c_dtype: DType,
    scale_dtype: DType,
    a_major: str,
    b_major: str,
    c_major: str,
    mma_tiler: Sequence[int],
    use_2cta_instrs: bool,
    cluster_shape_mn: tuple[int, int],
    scale_granularity_m: int,
    scale_granularity_k: int,
) -> bool:
    """True if rows of A, B and C are multiples of 16 bytes, and each block of a cluster loads at least 128 bytes of
    scales.

    Args:
        m, n, k: the extents of the product.
        a_dtype, b_dtype, c_dtype, scale_dtype: element types.
        a_major, b_major, c_major: the contiguous mode of each: "m", "n" or "k".
        mma_tiler: the extents of a product's tile.
        use_2cta_instrs: whether two blocks multiply together.
        cluster_shape_mn: blocks of a cluster; those along N share scales.
        scale_granularity_m, scale_granularity_k: the tile of elements that share a scale; 0 without scales.
    """
    extents = {"m": m, "n": n, "k": k}
    rows = ((a_dtype, a_major), (b_dtype, b_major), (c_dtype, c_major))
    if any(extents[major] * dtype.width % 128 for dtype, major in rows):
        return False
    if scale_granularity_m == 0 or scale_granularity_k == 0:
        return True
    scales = mma_tiler[0] // (2 if use_2cta_instrs else 1) // scale_granularity_m
    scales *= max(1, mma_tiler[2] // scale_granularity_k)
    scale_bits = scales * scale_dtype.width // cluster_shape_mn[1]
    return m // scale_granularity_m * scale_dtype.width % 128 == 0 and scale_bits >= 128 * 8


def is_valid_mma_tiler_and_cluster_shape(
    mma_tiler: Sequence[int], cluster_shape_mn: tuple[Int, ...], use_2cta_instrs: bool
) -> bool:
    """True if a block has 64 or 128 rows of the tile, and the cluster whole pairs of blocks where two work together."""
    blocks = 2 if use_2cta_instrs else 1
    return cluster_shape_mn[0] % blocks == 0 and mma_tiler[0] // blocks in (64, 128)


take_places(
    globals(),
    [
        "compute_smem_layout",
        "contiguous_group_search",
        "create_initial_contiguous_group_search_state",
        "cvt_tensor_a",
        "epilog_gmem_copy_and_partition",
        "epilog_smem_copy_and_partition",
        "epilog_tmem_copy_and_partition",
        "make_contiguous_group_work_tile_info",
        "scale_partition",
        "scale_tma_partition",
        "store_transformed_a",
        "transform_partition",
    ],
)


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    return globals().setdefault(name, stand_in(f"mixed_input_helpers.{name}"))
