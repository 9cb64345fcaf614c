"""From accumulators in tensor memory to the result: tiles of the epilogue, copies, and whole epilogues
(``utils.gemm.sm100``)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from fairlead import _compiler
from fairlead.cute import arch
from fairlead.cute._atoms import CopyAtom, TiledCopy, copy, make_copy_atom, make_tiled_copy_D
from fairlead.cute._jit import jit
from fairlead.cute._layout import cosize, flat_divide, group_modes, make_layout, make_tensor
from fairlead.cute._operations import elem_less, rank, size
from fairlead.cute._types import Int
from fairlead.cute._values import make_rmem_tensor
from fairlead.cute.nvgpu import CopyUniversalOp, cpasync, tcgen05, warp
from fairlead.errors import make_error, require
from fairlead.utils._layout_enum import LayoutEnum

_MOST_COLUMNS, _LEAST_COLUMNS = 512, 32


def find_tmem_tensor_col_offset(tmem_tensor: _compiler.Tensor) -> int:
    """Return the number of columns of 32 bits of tensor memory that a tensor there reaches."""
    bits = cosize(tmem_tensor.layout) * tmem_tensor.element_type.width
    words: int = -(-bits // 32)
    return words & 0xFFFF  # above are the lanes


def get_num_tmem_alloc_cols(
    tmem_tensors: _compiler.Tensor | Sequence[_compiler.Tensor],
    rounding: bool = True,
    *,
    arch: str = "sm_100",
) -> int:
    """Return the number of columns to reserve for tensors that are placed one after the other.

    Args:
        tmem_tensors: a tensor in tensor memory, or a list of such.
        rounding: whether the number is rounded up to one that can be reserved: a power of two of 32 or more.
        arch: an architecture with tensor memory; all of them have 512 columns.

    Raises TypeError for more than 512 columns.
    """
    require(get_num_tmem_alloc_cols, tmem_tensors=tmem_tensors, arch=arch)
    tensors: Any = tmem_tensors if isinstance(tmem_tensors, (list, tuple)) else [tmem_tensors]
    columns = sum(find_tmem_tensor_col_offset(tensor) for tensor in tensors)
    if columns > _MOST_COLUMNS:
        raise make_error("TensorMemoryColumns", what="get_num_tmem_alloc_cols", got=str(columns))
    return max(_LEAST_COLUMNS, 1 << (columns - 1).bit_length()) if rounding else columns


def compute_epilogue_tile_shape(
    cta_tile_shape: Sequence[int],
    use_2cta_instrs: bool,
    layout_d: LayoutEnum,
    elem_ty_d: type[_compiler.Numeric],
    *,
    layout_c: LayoutEnum | None = None,
    elem_ty_c: type[_compiler.Numeric] | None = None,
) -> Any:
    """Return the tile (M, N) of the result that is copied at once, as a tiler of layouts.

    Args:
        cta_tile_shape: the block's tile, (M, N) or (M, N, K).
        use_2cta_instrs: whether two blocks multiply together.
        layout_d: which mode of the result is contiguous.
        elem_ty_d: the type of the result's elements.
        layout_c: as layout_d, of a matrix that is added; default none is.
        elem_ty_c: the type of its elements.
    """
    require(compute_epilogue_tile_shape, layout_c=layout_c, elem_ty_c=elem_ty_c)
    rows, columns = cta_tile_shape[0], cta_tile_shape[1]
    # If a pair has 64 rows, two warps share the columns.
    warps = (2, 2) if use_2cta_instrs and rows == 64 else (4, 1)
    tile_rows = min(rows, 32 * warps[0])

    def least(layout: LayoutEnum, dtype: type[_compiler.Numeric]) -> int:
        if layout.is_m_major_c():
            return 8 * warps[1]
        return 128 * warps[1] if dtype.width == 6 else 128 // dtype.width * warps[1]

    preferred = (8192 if elem_ty_d.width == 4 else 4096) // tile_rows
    bounds = [least(layout_d, elem_ty_d)]
    if elem_ty_c is not None and layout_c is not None:
        bounds.append(least(layout_c, elem_ty_c))
        widest = max(elem_ty_c.width, elem_ty_d.width)
        if widest == 32:
            preferred = 16 if rows > 64 and columns <= 128 else 32
        elif widest == 16:
            preferred = 32 if columns <= 128 else 64
        else:
            preferred = 64
    tile_columns = min(columns, max(preferred, *bounds))
    if columns % tile_columns:
        tile_columns = columns
    along_columns = (
        make_layout(tile_columns)
        if warps[1] == 1
        else make_layout((tile_columns // warps[1], warps[1]), stride=(1, columns // warps[1]))
    )
    return (make_layout(tile_rows), along_columns)


def get_tmem_load_op(
    cta_tile_shape: Sequence[int],
    layout_d: LayoutEnum,
    elem_ty_d: type[_compiler.Numeric],
    elem_ty_acc: type[_compiler.Numeric],
    epi_tile: Sequence[Any],
    use_2cta_instrs: bool,
) -> CopyAtom:
    """Return the atom that copies a warp's part of ``epi_tile`` to registers: as many columns as fit.

    Args:
        cta_tile_shape: the block's tile, (M, N) or (M, N, K); M is 128 or 64.
        layout_d: which mode of the result is contiguous.
        elem_ty_d: the type of the result's elements.
        elem_ty_acc: the type of the accumulators, of 32 or 16 bits.
        epi_tile: the tile of compute_epilogue_tile_shape.
        use_2cta_instrs: whether two blocks multiply together.

    Raises TypeError for tiles of other than 128 or 64 rows, and accumulators of other than 32 or 16 bits.
    """
    if cta_tile_shape[0] not in (64, 128) or elem_ty_acc.width not in (16, 32):
        raise make_error(
            "LayoutMode",
            expected="a tile of 64 or 128 rows and accumulators of 16 or 32 bits for get_tmem_load_op",
            got=f"{cta_tile_shape[0]} rows and {elem_ty_acc.__name__}",
        )
    across = 2 if use_2cta_instrs and cta_tile_shape[0] == 64 else 1  # warps side by side
    lanes = size(epi_tile[0]) * across // 4
    bits = size(epi_tile[1]) // across * elem_ty_acc.width
    op, step, registers = _load_of(lanes, layout_d.is_m_major_c(), elem_ty_d, elem_ty_acc)
    repetition = max(
        entry
        for entry in (repetition.value for repetition in tcgen05.Repetition)
        if bits % (entry * step) == 0 and entry * registers <= _MOST_REGISTERS
    )
    options = (tcgen05.Pack.PACK_16b_IN_32b,) if elem_ty_acc.width == 16 else ()
    return make_copy_atom(op(tcgen05.Repetition(repetition), *options), elem_ty_acc)


_MOST_REGISTERS = 128


def _load_of(
    lanes: int, m_major: bool, d: type[_compiler.Numeric], sums: type[_compiler.Numeric]
) -> tuple[Any, int, int]:
    """Return the operation that loads these lanes of each warp, the bits of a lane that a step moves, and its
    registers."""
    rows = (tcgen05.Ld32x32bOp, 32, 1)
    quarters, matrices = (tcgen05.Ld16x128bOp, 128, 2), (tcgen05.Ld16x256bOp, 256, 4)
    if sums.width == 16:
        return quarters if lanes == 16 or m_major else rows
    if lanes == 32:
        return matrices if m_major and d.width == 16 else rows
    if m_major or d.width == 16:
        return matrices
    return quarters if d.width == 32 else (tcgen05.Ld16x32bx2Op, 64, 1)


def get_smem_store_op(
    layout_d: LayoutEnum,
    elem_ty_d: type[_compiler.Numeric],
    elem_ty_acc: type[_compiler.Numeric],
    tiled_tmem_load: TiledCopy,
) -> CopyAtom:
    """Return the atom that copies registers of the epilogue to shared memory.

    It stores matrices of 8 x 8 elements if get_tmem_load_op spreads them over a warp so, and is the plain copy
    otherwise.

    Args:
        layout_d: which mode of the result is contiguous.
        elem_ty_d: the type of the result's elements.
        elem_ty_acc: the type of the accumulators.
        tiled_tmem_load: the copy that filled the registers.
    """
    load, m_major = tiled_tmem_load.op, layout_d.is_m_major_c()
    widths = (elem_ty_acc.width, elem_ty_d.width)
    of_matrices = (
        (isinstance(load, tcgen05.Ld16x256bOp) and widths == (32, 16))
        or (isinstance(load, tcgen05.Ld16x128bOp) and widths == (16, 16))
        or (isinstance(load, tcgen05.Ld16x128bOp) and widths == (32, 32) and not m_major)
    )
    if not of_matrices:
        return make_copy_atom(CopyUniversalOp(), elem_ty_d)
    count = 4 if load.repeat.value >= 2 else 2
    return make_copy_atom(warp.StMatrix8x8x16bOp(m_major, count), elem_ty_d)


def cluster_shape_to_tma_atom_A(
    cluster_shape_mn: Sequence[int], atom_thr_id: _compiler.Layout
) -> Any:  # noqa: N802  a published name
    """Return the copy of operand A for such clusters: to one block, or to all that share it along N."""
    return _load_op(cluster_shape_mn[1] > 1, atom_thr_id)


def cluster_shape_to_tma_atom_B(
    cluster_shape_mn: Sequence[int], atom_thr_id: _compiler.Layout
) -> Any:  # noqa: N802  a published name
    """Return the copy of operand B for such clusters: to one block, or to all that share it along M."""
    return _load_op(cluster_shape_mn[0] > size(atom_thr_id), atom_thr_id)


def _load_op(shared: bool, atom_thr_id: _compiler.Layout) -> Any:
    group = tcgen05.CtaGroup.TWO if size(atom_thr_id) == 2 else tcgen05.CtaGroup.ONE
    return (
        cpasync.CopyBulkTensorTileG2SMulticastOp(group)
        if shared
        else cpasync.CopyBulkTensorTileG2SOp(group)
    )


# --- whole epilogues


def transform_partitioned_tensor_layout(tensor: _compiler.Tensor | _compiler.CoordTensor) -> Any:
    """Return a partition of C, ((M, N), tiles of M, tiles of N, ...), as ((M, tiles), (N, tiles), ...): a matrix that
    tiles of the epilogue divide."""
    layout = tensor.layout
    shape, stride = layout.shape, layout.stride
    parts = [
        ((shape[0][mode], shape[1 + mode]), (stride[0][mode], stride[1 + mode])) for mode in (0, 1)
    ]
    parts += [(shape[mode], stride[mode]) for mode in range(3, rank(layout))]
    matrix = make_layout(tuple(part[0] for part in parts), stride=tuple(part[1] for part in parts))
    return make_tensor(tensor.iterator, matrix)


def epilogue_tmem_copy_and_partition(
    gemm: Any,
    tidx: Int,
    accumulators: _compiler.Tensor,
    c: _compiler.Tensor | _compiler.CoordTensor,
    epi_tile: Sequence[Any],
    use_2cta_instrs: bool,
) -> tuple[TiledCopy, Any, Any]:
    """Return the copy from tensor memory by a thread of 128, its parts, and registers for one of them.

    Args:
        gemm: an object with ``cta_tile_shape_mnk``, ``c_layout``, ``c_dtype`` and ``acc_dtype``.
        tidx: the thread's index among the 128.
        accumulators: (M, N, stages) in tensor memory.
        c: the block's tiles of the result, (M, N, ...).
        epi_tile: the tile that is copied at once.
        use_2cta_instrs: whether two blocks multiply together.

    Returns the tiled copy, the parts (copy, M, N, tiles of M, tiles of N, stages) and the registers (copy, M, N).
    """
    atom = get_tmem_load_op(
        gemm.cta_tile_shape_mnk, gemm.c_layout, gemm.c_dtype, gemm.acc_dtype, epi_tile,
        use_2cta_instrs,
    )  # fmt: skip
    tiles = flat_divide(accumulators, epi_tile)
    first = (None, None, *(0,) * (rank(tiles) - 2))
    tiled_copy = tcgen05.make_tmem_copy(atom, tiles[first])
    thread_copy = tiled_copy.get_slice(tidx)
    targets = thread_copy.partition_D(flat_divide(c, epi_tile))
    one = (None, None, None, *(0,) * (rank(targets) - 3))
    registers = make_rmem_tensor(targets[one].shape, gemm.acc_dtype)
    return tiled_copy, thread_copy.partition_S(tiles), registers


def epilogue_smem_copy_and_partition(
    gemm: Any,
    tiled_copy_t2r: TiledCopy,
    registers: _compiler.Tensor,
    tidx: Int,
    shared: _compiler.Tensor,
) -> tuple[TiledCopy, Any, Any]:
    """Return the copy of registers to shared memory by a thread of 128, the registers as it takes them, and its parts.

    Args:
        gemm: as for epilogue_tmem_copy_and_partition.
        tiled_copy_t2r: the copy that filled the registers.
        registers: a thread's elements of one tile of the result.
        tidx: the thread's index among the 128.
        shared: tiles of the result, (M, N, stages).
    """
    atom = get_smem_store_op(gemm.c_layout, gemm.c_dtype, gemm.acc_dtype, tiled_copy_t2r)
    tiled_copy = make_tiled_copy_D(atom, tiled_copy_t2r)
    return tiled_copy, tiled_copy.retile(registers), tiled_copy.get_slice(tidx).partition_D(shared)


@jit
def epilogue_tma_store(
    gemm: Any, epi_tidx: Int, warp_idx: Int, tma_atom_c: _compiler.CopyAtom,
    accumulators: _compiler.Tensor, shared: _compiler.Tensor,
    c: _compiler.Tensor | _compiler.CoordTensor, epi_tile: Sequence[Any],
    num_tiles_executed: Int, epilogue_op: Callable[[Any], Any],
    mma_tile_coord_mnl: Sequence[Int], acc_consumer_state: Any, acc_pipeline: Any, c_pipeline: Any,
) -> Any:  # fmt: skip
    """Store one tile of the result through shared memory, by TMA, and return the advanced state of the accumulators.

    Args:
        gemm: as for epilogue_tmem_copy_and_partition, with ``epilogue_warp_id``, ``epilog_sync_bar_id``,
            ``num_c_stage`` and ``use_2cta_instrs``.
        epi_tidx: the thread's index among those of the epilogue.
        warp_idx: the warp's index; the first of ``epilogue_warp_id`` starts the stores.
        tma_atom_c: of ``make_tiled_tma_atom`` for the result.
        accumulators: partitions of C in tensor memory, ((M, N), tiles, tiles, stages).
        shared: tiles of the result in shared memory, (M, N, stages).
        c: the result's coordinates, partitioned by the MMA: ((M, N), tiles, tiles, M, N, L).
        epi_tile: the tile that is copied at once.
        num_tiles_executed: tiles that this block has stored before.
        epilogue_op: a function of the values, traced.
        mma_tile_coord_mnl: the tile.
        acc_consumer_state: of ``acc_pipeline``.
        acc_pipeline: of the accumulators.
        c_pipeline: a PipelineTmaStore.
    """
    tidx, result = epi_tidx, transform_partitioned_tensor_layout(c)
    tiled_copy, parts, sums = epilogue_tmem_copy_and_partition(
        gemm, tidx, transform_partitioned_tensor_layout(accumulators), result, epi_tile,
        gemm.use_2cta_instrs,
    )  # fmt: skip
    values = make_rmem_tensor(sums.shape, gemm.c_dtype)
    to_shared, source, targets = epilogue_smem_copy_and_partition(
        gemm, tiled_copy, values, tidx, shared
    )
    stored, tiles = cpasync.tma_partition(
        tma_atom_c, 0, make_layout(1), group_modes(shared, 0, 2),
        group_modes(flat_divide(result, epi_tile), 0, 2),
    )  # fmt: skip
    tiles = tiles[(None, None, None, *mma_tile_coord_mnl)]
    tiles = group_modes(tiles, 1, rank(tiles))
    parts = parts[(None, None, None, None, None, acc_consumer_state.index)]
    parts = group_modes(parts, 3, rank(parts))
    barrier = {
        "barrier_id": gemm.epilog_sync_bar_id,
        "number_of_threads": 32 * len(gemm.epilogue_warp_id),
    }
    acc_pipeline.consumer_wait(acc_consumer_state)
    count = size(parts, mode=[3])
    for index in range(count):
        copy(tiled_copy, parts[None, None, None, index], sums)
        source.store(epilogue_op(to_shared.retile(sums).load().to(gemm.c_dtype)))
        stage = (num_tiles_executed * count + index) % gemm.num_c_stage
        copy(to_shared, source, targets[None, None, None, stage])
        arch.fence_proxy("async.shared", space="cta")
        arch.barrier(**barrier)
        if warp_idx == gemm.epilogue_warp_id[0]:
            copy(tma_atom_c, stored[None, stage], tiles[None, index])
            c_pipeline.producer_commit()
            c_pipeline.producer_acquire()
        arch.barrier(**barrier)
    with arch.elect_one():  # type: ignore[attr-defined]
        acc_pipeline.consumer_release(acc_consumer_state)
    acc_consumer_state.advance()
    return acc_consumer_state


@jit
def epilogue(
    gemm: Any, epi_tidx: Int, accumulators: _compiler.Tensor,
    c: _compiler.Tensor | _compiler.CoordTensor, epi_tile: Sequence[Any],
    epilogue_op: Callable[[Any], Any],
    mma_tile_coord_mnl: Sequence[Int], acc_consumer_state: Any, acc_pipeline: Any,
    tCcC_base: Any = None, mC_mnl: Any = None, overlapping_accum: bool = False,  # noqa: N803  published names
) -> Any:  # fmt: skip
    """Store one tile of the result from registers, and return the advanced state of the accumulators.

    The arguments are those of epilogue_tma_store; ``c`` is in global memory.

    Args:
        tCcC_base: coordinates of the result, partitioned as ``c``; by default all of the tile is inside of the result.
        mC_mnl: the result; elements outside of its shape are not stored.
        overlapping_accum: whether the two accumulators share columns: the phase says which one it is, the first is
            stored from its end, and both are released after subtile ``gemm.iter_acc_early_release_in_epilogue``.
    """
    result = transform_partitioned_tensor_layout(c)
    tiled_copy, parts, sums = epilogue_tmem_copy_and_partition(
        gemm, epi_tidx, transform_partitioned_tensor_layout(accumulators), result, epi_tile,
        gemm.use_2cta_instrs,
    )  # fmt: skip
    thread_copy = tiled_copy.get_slice(epi_tidx)
    targets = _subtiles(thread_copy, result, epi_tile, mma_tile_coord_mnl)
    values = make_rmem_tensor(sums.shape, gemm.c_dtype)
    inside, coordinates = None, None
    if tCcC_base is not None:
        coordinates = _subtiles(
            thread_copy, transform_partitioned_tensor_layout(tCcC_base), epi_tile, mma_tile_coord_mnl
        )  # fmt: skip
        inside = make_rmem_tensor(sums.shape, _compiler.Boolean)
    atom = make_copy_atom(CopyUniversalOp(), gemm.c_dtype)
    stage = acc_consumer_state.phase if overlapping_accum else acc_consumer_state.index
    parts = parts[(None, None, None, None, None, stage)]
    parts = group_modes(parts, 3, rank(parts))
    acc_pipeline.consumer_wait(acc_consumer_state)
    count = size(parts, mode=[3])
    for index in range(count):
        subtile = index
        if overlapping_accum:
            subtile = index + (1 - stage) * (count - 1 - 2 * index)
        copy(tiled_copy, parts[None, None, None, subtile], sums)
        if overlapping_accum:
            if index == gemm.iter_acc_early_release_in_epilogue:
                arch.fence_view_async_tmem_load()
                with arch.elect_one():  # type: ignore[attr-defined]
                    acc_pipeline.consumer_release(acc_consumer_state)
        values.store(epilogue_op(sums.load().to(gemm.c_dtype)))
        if coordinates is not None:
            _find_inside(inside, coordinates[None, None, None, subtile], mC_mnl.shape)
        copy(atom, values, targets[None, None, None, subtile], pred=inside)
    if not overlapping_accum:
        with arch.elect_one():  # type: ignore[attr-defined]
            acc_pipeline.consumer_release(acc_consumer_state)
    acc_consumer_state.advance()
    return acc_consumer_state


def _find_inside(inside: Any, places: Any, shape: Any) -> None:
    for index in range(size(inside)):
        inside[index] = elem_less(places[index], shape)


def _subtiles(
    thread_copy: Any, result: Any, epi_tile: Sequence[Any], mma_tile_coord_mnl: Sequence[Int]
) -> Any:
    """Return a thread's parts of a tile, (copy, M, N, subtiles)."""
    parts = thread_copy.partition_D(flat_divide(result, epi_tile))
    parts = parts[(None, None, None, None, None, *mma_tile_coord_mnl)]
    return group_modes(parts, 3, rank(parts))
