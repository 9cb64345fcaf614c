"""A tile that goes through shared memory by TMA, in several boxes."""

from __future__ import annotations

from fairlead import Int64, cute, utils
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
