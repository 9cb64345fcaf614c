"""PipelineOrder: groups of threads that take turns."""

from __future__ import annotations

import numpy as np
import pytest

from fairlead import Int32, Int64, cute, pipeline, range_constexpr, utils

GROUPS, TURNS = 3, 7


class Turns:
    """log (depth, groups * turns): the groups that went through each of the sections of a loop, in their order."""

    def __init__(self, depth, own_state):
        self.depth, self.own_state = depth, own_state

    @cute.jit
    def __call__(self, log: cute.Tensor, turns: Int32):
        self.kernel(log, turns).launch(grid=(1, 1, 1), block=(32 * GROUPS, 1, 1))

    @cute.kernel
    def kernel(self, log: cute.Tensor, turns: Int32):
        thread, _, _ = cute.arch.thread_idx()
        group = cute.arch.make_warp_uniform(cute.arch.warp_idx())
        memory = utils.SmemAllocator()
        taken = memory.allocate_tensor(Int32, cute.make_layout(self.depth), 16)
        order = pipeline.PipelineOrder.create(
            depth=self.depth,
            length=GROUPS,
            group_id=group,
            producer_group=pipeline.CooperativeGroup(pipeline.Agent.Thread, 32),
            barrier_storage=memory.allocate_array(Int64, self.depth * GROUPS),
        )
        if thread < self.depth:
            taken[thread] = 0
        cute.arch.sync_threads()
        state = order.state
        turn = Int32(0)
        while turn < turns:
            for section in range_constexpr(self.depth):
                if self.own_state:
                    order.wait()
                else:
                    order.wait(state)
                if thread % 32 == 0:
                    log[section, taken[section]] = group
                    taken[section] = taken[section] + 1
                cute.arch.sync_warp()
                if self.own_state:
                    order.arrive()
                else:
                    state = order.arrive(state)
            turn += 1


@pytest.mark.parametrize("depth", [1, 2])
@pytest.mark.parametrize("own_state", [True, False])
@pytest.mark.parametrize("options", ["", "--check all", "--schedule random:5"])
def test_groups_take_turns(depth, own_state, options):
    log = np.full((depth, GROUPS * TURNS), -1, np.int32)
    tensor = cute.runtime.from_dlpack(log)
    program = cute.compile(
        Turns(depth, own_state), tensor, TURNS, options=f"--target cpu {options}"
    )
    program(tensor, TURNS)
    np.testing.assert_array_equal(log, np.tile(np.arange(GROUPS), (depth, TURNS)))
