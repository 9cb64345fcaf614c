"""``cute.experimental``: threads' parts of tiles, and copies that stop where a kernel's parameters end."""

import numpy as np
import pytest

from fairlead import cute
from fairlead.cute import experimental
from fairlead.cute.runtime import from_dlpack

TILE, STEP = (16, 8), (16, 4)
#: 4 threads along rows with 4 elements each, 4 along columns.
TV = cute.make_layout(((4, 4), (4, 1)), stride=((4, 16), (1, 64)))
PART = cute.make_layout(((4, 1), (1, 2)), stride=((1, 4), (1, 4)))


def _part(tensor, thread):
    tiles = cute.zipped_divide(tensor, TILE)
    row, column, _ = cute.arch.block_idx()
    tile = tiles[(None, None), (row, column)]
    return experimental.partition(tile, thread, layout_tv=TV, tiler=STEP)


def _atom():
    return cute.make_copy_atom(cute.nvgpu.CopyUniversalOp(), cute.Float32, num_bits_per_copy=128)


@experimental.kernel
def _add_one(source: cute.Tensor, target: cute.Tensor):
    thread, _, _ = cute.arch.thread_idx()
    rows = experimental.allocate(cute.Float32, cute.AddressSpace.rmem, PART, alignment=16)
    rows.fill(0.0)
    experimental.copy(_part(source, thread), rows, copy_atom=_atom())
    rows.store(rows.load() + 1.0)
    experimental.copy(rows, _part(target, thread), copy_atom=_atom())


@experimental.jit
def _host(source: cute.Tensor, target: cute.Tensor):
    grid = cute.ceil_div(target.shape[0], TILE[0]), cute.ceil_div(target.shape[1], TILE[1]), 1
    _add_one(source, target).launch(grid=grid, block=(16, 1, 1))


def _column_major(rows, columns, spare=0):
    """A tensor of these extents, and the memory around it."""
    memory = np.full((columns + spare, rows), -1, np.float32)
    view = memory[:columns].T
    tensor = from_dlpack(view, assumed_align=16).mark_layout_dynamic(leading_dim=0)
    return (
        tensor.mark_compact_shape_dynamic(mode=0, stride_order=(1, 0), divisibility=4),
        view,
        memory,
    )


@pytest.mark.parametrize("rows, columns", [(16, 8), (20, 7), (4, 1), (36, 19)])
def test_copies_stop_at_the_edge_of_a_parameter(rows, columns):
    source, values, _ = _column_major(rows, columns)
    target, out, memory = _column_major(rows, columns, spare=8)
    values[:] = np.arange(rows * columns).reshape(rows, columns)
    _host(source, target)
    np.testing.assert_array_equal(out, values + 1)
    assert (memory[columns:] == -1).all()


def test_loads_stop_at_the_edge_of_their_own_parameter():
    source, values, _ = _column_major(12, 3)
    target, out, _ = _column_major(20, 7)
    values[:] = np.arange(36).reshape(12, 3)
    _host(source, target)
    expected = np.ones((20, 7), np.float32)
    expected[:12, :3] += values
    np.testing.assert_array_equal(out, expected)


@pytest.mark.parametrize("rows", [18, 19, 3, 33])
def test_vectors_that_cross_the_edge_are_copied_in_part(rows):
    """The extent is not a multiple of a vector's elements. The memory after it stays unchanged."""
    padded, columns = rows + 8 - rows % 4, 7
    memory = np.full((2, columns, padded), -1, np.float32)
    views = memory[:, :, :rows].transpose(0, 2, 1)
    views[0] = np.arange(rows * columns).reshape(rows, columns)
    memory[0, :, rows:] = 1000
    tensors = [from_dlpack(view, assumed_align=16) for view in views]
    _host(*tensors)
    np.testing.assert_array_equal(views[1], views[0] + 1)
    assert (memory[1, :, rows:] == -1).all()


@experimental.kernel
def _copy_of_tiled_copy(source: cute.Tensor, target: cute.Tensor):
    thread, _, _ = cute.arch.thread_idx()
    threads, values = cute.make_layout((8, 4)), cute.make_layout((4, 1))
    part = cute.make_tiled_copy_tv(_atom(), threads, values).get_slice(thread)
    row, column, _ = cute.arch.block_idx()
    tile = cute.local_tile(source, (32, 4), (row, column))
    rows = cute.make_rmem_tensor_like(part.partition_S(tile))
    rows.fill(0.0)
    experimental.partition_and_copy(part, tile, rows)
    experimental.partition_and_copy(part, rows, cute.local_tile(target, (32, 4), (row, column)))


def test_parts_of_a_tiled_copy():
    @cute.jit
    def host(source: cute.Tensor, target: cute.Tensor):
        _copy_of_tiled_copy(source, target).launch(grid=(2, 2, 1), block=(32, 1, 1))

    source, values, _ = _column_major(40, 6)
    target, out, memory = _column_major(40, 6, spare=4)
    values[:] = np.arange(240).reshape(40, 6)
    host(source, target)
    np.testing.assert_array_equal(out, values)
    assert (memory[6:] == -1).all()


@experimental.kernel
def _copy_of_other_memory(source: cute.Tensor):
    rows = cute.make_rmem_tensor(4, cute.Int32)
    view = cute.recast_tensor(cute.make_tensor(source.iterator, 4), cute.Int32)
    experimental.copy(view, rows, copy_atom=_atom())


@experimental.kernel
def _copy_of_other_sizes(source: cute.Tensor):
    rows = cute.make_rmem_tensor(8, cute.Float32)
    experimental.copy(rows, cute.make_rmem_tensor(12, cute.Float32), copy_atom=_atom())


@experimental.kernel
def _copy_of_run_time_size(source: cute.Tensor):
    experimental.copy(source, cute.make_rmem_tensor(12, cute.Float32), copy_atom=_atom())


@experimental.kernel
def _copy_of_half_a_vector(source: cute.Tensor):
    experimental.copy(
        cute.make_rmem_tensor(6, cute.Float32),
        cute.make_rmem_tensor(6, cute.Float32),
        copy_atom=_atom(),
    )


@pytest.mark.parametrize(
    "device, text",
    [
        (_copy_of_other_memory, "src in global memory to be a view of a parameter"),
        (_copy_of_other_sizes, "as many elements in dst as in src, 8"),
        (_copy_of_run_time_size, "size is known while tracing"),
        (_copy_of_half_a_vector, "multiple of the 4 elements"),
    ],
)
def test_copies_that_are_refused(device, text):
    @cute.jit
    def host(source: cute.Tensor):
        device(source).launch(grid=1, block=1)

    with pytest.raises(ValueError, match=text):
        host(np.zeros(8, np.float32))


def test_no_derivations_are_kept_after_a_kernel():
    from fairlead.cute import _derivation

    source, _, _ = _column_major(16, 8)
    _host(source, source)
    assert _derivation._views.by_view is None
