"""Tiled copies of tensors of unknown alignment, with predicates and without."""

import numpy as np

from fairlead import Boolean, Constexpr, Float32, cute, range_constexpr

ROWS, COLUMNS = 16, 128  # of a tile


@cute.kernel
def add_tile(a, b, c, coordinates, shape, guarded: Constexpr):
    thread, _, _ = cute.arch.thread_idx()
    block, _, _ = cute.arch.block_idx()
    tile = ((None, None), block)
    threads = cute.make_ordered_layout((4, 32), order=(1, 0))
    values = cute.make_ordered_layout((4, 4), order=(1, 0))
    atom = cute.make_copy_atom(cute.nvgpu.CopyUniversalOp(), Float32)
    mine = cute.make_tiled_copy_tv(atom, threads, values).get_slice(thread)
    from_a, from_b = mine.partition_S(a[tile]), mine.partition_S(b[tile])
    to_c, at = mine.partition_D(c[tile]), mine.partition_S(coordinates[tile])
    in_a, in_b, in_c = (cute.make_fragment_like(each) for each in (from_a, from_b, to_c))
    inside = cute.make_rmem_tensor(at.shape, Boolean)
    for i in range_constexpr(cute.size(inside)):
        inside[i] = cute.elem_less(at[i], shape)
    mask = inside if guarded else None
    cute.copy(atom, from_a, in_a, pred=mask)
    cute.copy(atom, from_b, in_b, pred=mask)
    in_c.store(in_a.load() + in_b.load())
    cute.copy(atom, in_c, to_c, pred=mask)


@cute.jit
def add(a: cute.Tensor, b: cute.Tensor, c: cute.Tensor, guarded: Constexpr = True):
    tile = (ROWS, COLUMNS)
    tiles = [cute.zipped_divide(each, tile) for each in (a, b, c)]
    coordinates = cute.zipped_divide(cute.make_identity_tensor(c.shape), tile)
    add_tile(*tiles, coordinates, c.shape, guarded).launch(
        grid=[cute.size(tiles[2], mode=[1]), 1, 1], block=[128, 1, 1]
    )


def any_matrix():
    return cute.runtime.make_fake_tensor(
        Float32, (cute.sym_int(), cute.sym_int()), stride=(cute.sym_int64(), 1)
    )


def compile_add(guarded=True, options=""):
    return cute.compile(add, any_matrix(), any_matrix(), any_matrix(), guarded, options=options)


#: rows, columns, elements between rows, elements before the first: aligned, then off by each of them
CASES = [
    (32, 256, 256, 0),
    (32, 256, 260, 4),
    (32, 256, 256, 1),
    (32, 256, 257, 0),
    (32, 256, 258, 2),
    (17, 130, 132, 0),
    (17, 131, 131, 3),
    (1, 3, 4, 0),
]


def check_case(function, case, on_device, to_host, guarded=True):
    """Compare with NumPy; memory outside the matrix stays as it was."""
    rows, columns, pitch, offset = case
    if not guarded and (rows % ROWS or columns % COLUMNS):
        return
    generator = np.random.default_rng(rows * columns + pitch)
    size = offset + rows * pitch

    def matrix(flat):
        return flat[offset : offset + rows * pitch].reshape(rows, pitch)[:, :columns]

    flats = [generator.standard_normal(size).astype(np.float32) for _ in range(3)]
    a, b, c = (on_device(flat) for flat in flats)
    function(matrix(a), matrix(b), matrix(c))
    expected = flats[2].copy()
    matrix(expected)[...] = matrix(flats[0]) + matrix(flats[1])
    np.testing.assert_array_equal(to_host(c), expected)
