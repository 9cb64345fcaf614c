"""Blocks of a cluster that end while others still use their shared memory, and answers of launch control."""

import numpy as np
import pytest
from support.functions_support import compiled

from fairlead import Float16, Float32, Int32, Int64, checks, primitives
from fairlead.primitives import Array, ClusterLaunchControlQueryType, Tcgen05SmemDesc

RIGHT, WRONG = (np.array([number], np.int32) for number in (0, 1))


def findings_of(function, *arrays):
    with pytest.raises(checks.CheckError) as error:
        function(list(arrays))
    return error.value.findings


def arrivals_in_both_blocks(t, told):
    """The even block commits a product to mbarriers of both; the odd one waits for that, or ends."""
    left = Array(Float16, (2, 128, 8), space="smem", alignment=128)
    right = Array(Float16, (2, 32, 8), space="smem", alignment=128)
    done = Array(Int64, 1, space="smem", alignment=8)
    slot = Array(Int32, 1, space="smem")
    for row in range(4):
        left[0, t + 32 * row, 0] = left[1, t + 32 * row, 0] = Float16(0)
    right[0, t, 0] = right[1, t, 0] = Float16(0)
    if t == 0:
        primitives.mbarrier_init(done, 1)
    primitives.fence_mbarrier_init()
    primitives.fence_proxy("async_shared", space="shared_cta")
    primitives.barrier_cluster_arrive()
    primitives.barrier_cluster_wait()
    even = primitives.cluster_ctarank() == 0
    if even:
        primitives.tcgen05_alloc(slot, 32)
        primitives.barrier_cta_sync()
        memory = primitives.make_tmem_ptr(slot[0], Int32)
        if primitives.elect_sync():
            a, b = Tcgen05SmemDesc.build(left, 2048, 128), Tcgen05SmemDesc.build(right, 512, 128)
            idesc = primitives.Tcgen05InstrDesc.build(Float32, n_dim=32, m_dim=128)
            primitives.tcgen05_mma("f16", "cta_1", memory, a, b, idesc, False)
            primitives.tcgen05_commit(done, multicast_mask=3)
        while not primitives.mbarrier_try_wait_parity(done, 0):
            pass
        primitives.tcgen05_dealloc(memory, 32)
    elif told[0] == 0:
        while not primitives.mbarrier_try_wait_parity(done, 0):
            pass


@pytest.mark.parametrize("schedule", ["forward", "backward"])
def test_a_commit_that_comes_to_a_block_after_its_end(schedule):
    options = f"--check all --schedule {schedule}"
    function = compiled(arrivals_in_both_blocks, (RIGHT,), cluster=2, more=options)
    function([RIGHT])
    (finding,) = findings_of(function, WRONG)
    assert finding.kind == "sync"
    assert "an mbarrier in " in finding.message
    assert "of a block that may have ended" in finding.message
    assert finding.accesses[0].source.startswith("primitives.tcgen05_commit(")


def operands_of_both_blocks(t, told):
    """The even block multiplies for the pair; the odd one waits for that, or ends."""
    left = Array(Float16, (2, 64, 8), space="smem", alignment=128)
    right = Array(Float16, (2, 16, 8), space="smem", alignment=128)
    done = Array(Int64, 1, space="smem", alignment=8)
    slot = Array(Int32, 1, space="smem")
    for row in range(2):
        left[0, t + 32 * row, 0] = left[1, t + 32 * row, 0] = Float16(0)
    if t < 16:
        right[0, t, 0] = right[1, t, 0] = Float16(0)
    if t == 0:
        primitives.mbarrier_init(done, 1)
    primitives.fence_mbarrier_init()
    primitives.fence_proxy("async_shared", space="shared_cta")
    primitives.tcgen05_alloc(slot, 32, group="cta_2")
    primitives.barrier_cluster_arrive()
    primitives.barrier_cluster_wait()
    memory = primitives.make_tmem_ptr(slot[0], Int32)
    odd = primitives.cluster_ctarank() != 0
    if odd == False:  # noqa: E712
        if primitives.elect_sync():
            a, b = Tcgen05SmemDesc.build(left, 1024, 128), Tcgen05SmemDesc.build(right, 256, 128)
            idesc = primitives.Tcgen05InstrDesc.build(Float32, n_dim=32, m_dim=128)
            primitives.tcgen05_mma("f16", "cta_2", memory, a, b, idesc, False)
            primitives.tcgen05_commit(done, multicast_mask=3, group="cta_2")
    if told[0] == 0 or odd == False:  # noqa: E712
        while not primitives.mbarrier_try_wait_parity(done, 0):
            pass
    primitives.tcgen05_dealloc(memory, 32, group="cta_2")


def test_a_block_ends_while_products_of_its_pair_read_its_memory():
    function = compiled(operands_of_both_blocks, (RIGHT,), cluster=2, more="--check all")
    function([RIGHT])
    findings = findings_of(function, WRONG)
    lines = {(each.kind, each.accesses[0].source.partition("(")[0]) for each in findings}
    assert ("sync", "primitives.tcgen05_mma") in lines, findings
    assert ("sync", "primitives.tcgen05_commit") in lines, findings
    (freed,) = [each for each in findings if each.kind == "race"]
    sources = " ".join(access.source for access in freed.accesses)
    assert "tcgen05_mma(" in sources and "tcgen05_dealloc(" in sources


def answers_to_both_blocks(t, told, out):
    """One block asks for both; the other one waits for the answer, or ends."""
    answer = Array(Int32, 4, space="smem", alignment=16)
    arrived = Array(Int64, 1, space="smem", alignment=8)
    if t == 0:
        primitives.mbarrier_init(arrived, 1)
    primitives.fence_mbarrier_init()
    primitives.barrier_cluster_arrive()
    primitives.barrier_cluster_wait()
    asks = primitives.cluster_ctarank() == 0
    if t == 0:
        primitives.mbarrier_arrive_expect_tx(arrived, 16)
    primitives.barrier_cluster_arrive()
    primitives.barrier_cluster_wait()
    if asks:
        if primitives.elect_sync():
            primitives.clusterlaunchcontrol_try_cancel(answer, arrived, multicast=True)
    if told[0] != 1 or asks:
        while not primitives.mbarrier_try_wait_parity(arrived, 0):
            pass
        kinds = ClusterLaunchControlQueryType
        query = primitives.clusterlaunchcontrol_query_cancel
        taken = query(kinds.IS_CANCELED, answer)
        x = query(kinds.GET_FIRST_CTA_ID_X, answer)
        if taken or told[0] == 2:
            out[t] = x


def test_answers_of_launch_control():
    out = np.full(32, -1, np.int32)
    function = compiled(answers_to_both_blocks, (RIGHT, out), cluster=2, more="--check all")
    function([RIGHT, out])
    assert out.tolist() == [-1] * 32, "no cluster was left"
    (finding,) = findings_of(function, WRONG, out)
    assert "of a block that may have ended" in finding.message
    assert "clusterlaunchcontrol_try_cancel(" in finding.accesses[0].source
    (finding,) = findings_of(function, np.array([2], np.int32), out)
    assert finding.kind == "init"
    assert "The first block of an answer that refuses a cluster has no value" in finding.hint
    assert finding.accesses[0].source == "out[t] = x"
