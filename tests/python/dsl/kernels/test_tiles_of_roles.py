"""Warps with roles that go through the same tiles, and launches that the run chooses."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

from fairlead import Boolean, Int32, cute, utils


class Roles:
    """The first lanes of three warps add up tiles, from a state that also a function for the last warp holds."""

    @cute.kernel
    def kernel(self, n: Int32, out: cute.Tensor):
        params = utils.PersistentTileSchedulerParams((4, 1, 1), (1, 1, 1))
        scheduler = utils.StaticPersistentTileScheduler.create(
            params, cute.arch.block_idx(), cute.arch.grid_dim()
        )
        work_tile = scheduler.initial_work_tile_info()
        tid = cute.arch.thread_idx()[0]
        last = partial(self.last, tiles=(scheduler, work_tile))
        if tid == 0:
            while work_tile.is_valid_tile:
                if n > 0:
                    out[0] = out[0] + work_tile.tile_idx[0]
                scheduler.advance_to_next_work()
                work_tile = scheduler.get_current_work()
        if tid == 32:
            while work_tile.is_valid_tile:
                if n > 0:
                    out[1] = out[1] + 1
                scheduler.advance_to_next_work()
                work_tile = scheduler.get_current_work()
        if tid == 64:
            last(out, n)

    @cute.jit
    def last(self, out: cute.Tensor, n: Int32, tiles: tuple):
        scheduler, work_tile = tiles
        while work_tile.is_valid_tile:
            if n > 0:
                out[2] = out[2] + 2 * work_tile.tile_idx[0]
            scheduler.advance_to_next_work()
            work_tile = scheduler.get_current_work()

    @cute.jit
    def __call__(self, n: Int32, out: cute.Tensor):
        self.kernel(n, out).launch(grid=(1, 1, 1), block=(96, 1, 1))


@pytest.mark.parametrize("n, expected", [(1, [6, 4, 12]), (0, [0, 0, 0])])
def test_a_tile_in_a_function_that_runs_later(n, expected):
    out = np.zeros(3, np.int32)
    tensor = cute.runtime.from_dlpack(out)
    cute.compile(Roles(), n, tensor, options="--target cpu")(n, tensor)
    assert out.tolist() == expected


@cute.kernel
def _mark(out: cute.Tensor):
    cute.arch.griddepcontrol_wait()
    out[cute.arch.thread_idx()[0]] = Int32(7)


@cute.jit
def _launch(out: cute.Tensor, use_pdl: Boolean):
    _mark(out).launch(grid=(1, 1, 1), block=(4, 1, 1), use_pdl=use_pdl)


@pytest.mark.parametrize("use_pdl", [True, False])
def test_dependent_launch_that_the_run_chooses(use_pdl):
    out = np.zeros(4, np.int32)
    tensor = cute.runtime.from_dlpack(out)
    cute.compile(_launch, tensor, True, options="--target cpu")(tensor, use_pdl)
    assert out.tolist() == [7] * 4


def test_dependent_launch_that_the_run_chooses_compiles_for_a_gpu():
    out = cute.make_fake_compact_tensor(Int32, (4,), stride_order=(0,))
    function = cute.compile(_launch, out, True, options="--target cuda:sm_90a")
    assert "griddepcontrol.wait" in function.__ptx__
