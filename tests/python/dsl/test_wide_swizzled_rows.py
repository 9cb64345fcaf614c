"""Copies by TMA of tiles that take several boxes: rows longer than those of the swizzle, a box for each 128 bytes, and
dimensions of more than 256 elements."""

from __future__ import annotations

import numpy as np
import pytest

from fairlead import Float16, Float32, Int64, cute, utils
from fairlead.cute.nvgpu import cpasync

ROWS = 16


class Moved:
    """target = the tile at (1, 1) of source, through swizzled shared memory: by TMA on the way in, and if ``stores`` on
    the way out as well, otherwise element by element."""

    def __init__(self, dtype, columns, stores, rows=ROWS, swizzles=True):
        self.dtype, self.columns, self.stores = dtype, columns, stores
        self.rows, self.swizzles = rows, swizzles

    @cute.jit
    def __call__(self, source: cute.Tensor, target: cute.Tensor):
        tile = (self.rows, self.columns)
        layout = cute.make_layout(tile, stride=(self.columns, 1))
        if cute.const_expr(self.swizzles):
            layout = cute.make_composed_layout(cute.make_swizzle(3, 4, 3), 0, layout)
        load, origin = cpasync.make_tiled_tma_atom(
            cpasync.CopyBulkTensorTileG2SOp(), source, layout, tile
        )
        store, goal = cpasync.make_tiled_tma_atom(
            cpasync.CopyBulkTensorTileS2GOp(), target, layout, tile
        )
        self.kernel(load, origin, store, goal, target).launch(grid=1, block=(32, 1, 1))

    @cute.kernel
    def kernel(
        self, load: cute.CopyAtom, origin: cute.Tensor, store: cute.CopyAtom, goal: cute.Tensor, target: cute.Tensor,
    ):  # fmt: skip
        tile = (self.rows, self.columns)
        memory = utils.SmemAllocator()
        swizzle = cute.make_swizzle(3, 4, 3) if cute.const_expr(self.swizzles) else None
        words = memory.allocate_tensor(
            self.dtype, cute.make_layout(tile, stride=(self.columns, 1)), 1024, swizzle
        )
        barrier = memory.allocate(Int64)
        tid, _, _ = cute.arch.thread_idx()
        if tid == 0:
            cute.arch.mbarrier_init(barrier, 1)
        cute.arch.mbarrier_init_fence()
        cute.arch.sync_threads()
        with cute.arch.elect_one():
            cute.arch.mbarrier_arrive_and_expect_tx(
                barrier, self.rows * self.columns * self.dtype.width // 8
            )
        tiles = cute.local_tile(origin, tile, (None, None))
        inside, outside = cpasync.tma_partition(
            load, 0, cute.make_layout(1), cute.group_modes(words, 0, 2), cute.group_modes(tiles, 0, 2)
        )  # fmt: skip
        cute.copy(load, outside[None, 1, 1], inside, tma_bar_ptr=barrier)
        cute.arch.mbarrier_wait(barrier, 0)
        if cute.const_expr(self.stores):
            goals = cute.local_tile(goal, tile, (None, None))
            inside, outside = cpasync.tma_partition(
                store, 0, cute.make_layout(1), cute.group_modes(words, 0, 2), cute.group_modes(goals, 0, 2)
            )  # fmt: skip
            cute.copy(store, inside, outside[None, 0, 0])
            cute.arch.cp_async_bulk_commit_group()
            cute.arch.cp_async_bulk_wait_group(0)
        else:
            for row in range(self.rows):
                for column in range(tid, self.columns, 32):
                    target[row, column] = words[row, column]


def fake(dtype, columns):
    return cute.make_fake_compact_tensor(
        dtype, (cute.sym_int(), columns), stride_order=(1, 0), assumed_align=16
    )


@pytest.mark.parametrize("stores", [False, True])
@pytest.mark.parametrize("dtype, columns", [(Float16, 64), (Float16, 128), (Float32, 96)])
def test_tiles_arrive(dtype, columns, stores):
    """Rows of 128, 256 and 384 bytes."""
    numbers = np.arange(3 * ROWS * 2 * columns, dtype=np.float32) % 1999
    source = numbers.reshape(3 * ROWS, 2 * columns).astype(np.dtype(f"f{dtype.width // 8}"))
    target = np.full((ROWS, columns), -1, source.dtype)
    moved = cute.compile(
        Moved(dtype, columns, stores),
        fake(dtype, 2 * columns),
        fake(dtype, columns),
        options="--target cpu",
    )
    moved(source, target)
    np.testing.assert_array_equal(target, source[ROWS : 2 * ROWS, columns:])


@pytest.mark.parametrize("rows, columns, boxes", [(2, 512, 4), (512, 8, 2)])
def test_dimensions_of_more_than_256_elements(rows, columns, boxes):
    source = np.arange(4 * rows * columns, dtype=np.float32).reshape(2 * rows, 2 * columns)
    target = np.full((rows, columns), -1, np.float32)
    moved = cute.compile(
        Moved(Float32, columns, True, rows, swizzles=False),
        fake(Float32, 2 * columns),
        fake(Float32, columns),
        options="--target cpu,cuda:sm_90a --keep-ptx",
    )
    moved(source, target)
    np.testing.assert_array_equal(target, source[rows:, columns:])
    assert moved.__ptx__.count("cp.async.bulk.tensor.2d.shared::cluster.global") == boxes


def test_a_box_for_each_part_of_a_row():
    moved = cute.compile(
        Moved(Float16, 128, True), fake(Float16, 256), fake(Float16, 128),
        options="--gpu-arch sm_90a --keep-ptx",
    )  # fmt: skip
    text = moved.__ptx__
    assert text.count("cp.async.bulk.tensor.2d.shared::cluster.global") == 2 * ROWS
    assert text.count("cp.async.bulk.tensor.2d.global.shared::cta") == 2 * ROWS
