"""Mbarriers: phases, states and bytes on the CPU, and PTX."""

import numpy as np
import pytest
from support.functions_support import ptx, run

from fairlead import Float32, Int32, Int64, primitives
from fairlead.primitives import AddressSpace, Array, MBarrierScope, MBarrierWait, MemScope

SMEM = AddressSpace.smem


def barriers(count):
    return Array(Int64, count, space=SMEM, alignment=8)


def test_phases_of_a_barrier_of_one_arrival():
    def body(t, out):
        barrier = barriers(1)
        primitives.mbarrier_init(barrier, 1)
        primitives.fence_mbarrier_init()
        out[0] = primitives.mbarrier_try_wait_parity(barrier, 1).to(Int32)
        out[1] = primitives.mbarrier_wait_parity(barrier, 0, "test").to(Int32)
        primitives.mbarrier_arrive(barrier)
        out[2] = primitives.mbarrier_wait_parity(barrier, 0, MBarrierWait.TEST).to(Int32)
        out[3] = primitives.mbarrier_wait_parity(barrier, 1, "test").to(Int32)
        primitives.mbarrier_inval(barrier)

    out = np.zeros(4, np.int32)
    run(body, out, threads=1)
    assert out.tolist() == [1, 0, 1, 0]


def test_states_that_arrivals_return():
    def body(t, out):
        barrier = barriers(1)
        primitives.mbarrier_init(barrier, 2)
        for i in range(Int32(3)):
            first = primitives.mbarrier_arrive(barrier)
            out[i, 0] = primitives.mbarrier_test_wait(barrier, first).to(Int32)
            second = primitives.mbarrier_arrive(barrier)
            out[i, 1] = primitives.mbarrier_wait(barrier, first, "test").to(Int32)
            out[i, 2] = primitives.mbarrier_try_wait_timelimit(barrier, second, 1000).to(Int32)
            out[i, 3] = primitives.mbarrier_try_wait(barrier, second).to(Int32)

    out = np.zeros((3, 4), np.int32)
    run(body, out, threads=1)
    assert out.tolist() == [[0, 1, 1, 1]] * 3


def test_bytes_and_arrivals():
    def ended(barrier):
        return primitives.mbarrier_wait_parity(barrier, 0, "test").to(Int32)

    def body(t, out):
        one, two = barriers(1), barriers(1)
        primitives.mbarrier_init(one, 1)
        primitives.mbarrier_arrive_expect_tx(one, 128)
        out[0] = ended(one)
        primitives.mbarrier_complete_tx(one, 64)
        out[1] = ended(one)
        primitives.mbarrier_complete_tx(one, 64)
        out[2] = ended(one)
        primitives.mbarrier_init(two, 3)
        primitives.mbarrier_expect_tx(two, 16)
        primitives.mbarrier_arrive(two, count=2)
        out[3] = ended(two)
        primitives.mbarrier_complete_tx(two, 16)
        out[4] = ended(two)
        primitives.mbarrier_arrive(two)
        out[5] = ended(two)

    out = np.zeros(6, np.int32)
    run(body, out, threads=1)
    assert out.tolist() == [0, 0, 1, 0, 0, 1]


def test_a_dropped_arrival_is_not_expected_again():
    def body(t, out):
        barrier = barriers(1)
        primitives.mbarrier_init(barrier, 3)
        primitives.mbarrier_arrive_drop(barrier)
        primitives.mbarrier_arrive(barrier, count=2)
        out[0] = primitives.mbarrier_wait_parity(barrier, 0, "test").to(Int32)
        primitives.mbarrier_arrive(barrier)
        out[1] = primitives.mbarrier_wait_parity(barrier, 1, "test").to(Int32)
        state = primitives.mbarrier_arrive_drop_expect_tx(barrier, 8)
        out[2] = primitives.mbarrier_test_wait(barrier, state).to(Int32)
        primitives.mbarrier_complete_tx(barrier, 8)
        out[3] = primitives.mbarrier_test_wait(barrier, state).to(Int32)
        primitives.mbarrier_arrive(barrier)
        out[4] = primitives.mbarrier_wait_parity(barrier, 0, "test").to(Int32)

    out = np.zeros(5, np.int32)
    run(body, out, threads=1)
    assert out.tolist() == [1, 0, 0, 1, 1]


def filled(t, a, out):
    """One warp fills stages, the other one empties them."""
    stages = 2
    memory = Array(Float32, (stages, 32), space=SMEM)
    full, empty = barriers(stages), barriers(stages)
    if t == 0:
        for s in range(stages):
            primitives.mbarrier_init(full.subview(s), 32)
            primitives.mbarrier_init(empty.subview(s), 32)
    primitives.fence_mbarrier_init()
    primitives.barrier_cta_sync()
    if t < 32:
        for i in range(Int32(6)):
            stage, parity = i % stages, (i // stages + 1) % 2
            while not primitives.mbarrier_try_wait_parity(empty.subview(stage), parity):
                pass
            memory[stage, t] = a[i, t]
            primitives.mbarrier_arrive(full.subview(stage))
    else:
        for i in range(Int32(6)):
            stage, parity = i % stages, (i // stages) % 2
            while not primitives.mbarrier_try_wait_parity(
                full.subview(stage), parity, order="acquire"
            ):
                pass
            out[i, t - 32] = memory[stage, 63 - t]
            primitives.mbarrier_arrive(empty.subview(stage))


def test_a_pipeline_of_two_warps():
    a = np.arange(6 * 32, dtype=np.float32).reshape(6, 32)
    out = np.zeros_like(a)
    run(filled, a, out, threads=64)
    np.testing.assert_array_equal(out, a[:, ::-1])


def signalled(t, out):
    """Each block of the cluster arrives at the barrier of the other one."""
    rank = primitives.cluster_ctarank()
    barrier = barriers(1)
    if t == 0:
        primitives.mbarrier_init(barrier, 2)
        primitives.mbarrier_expect_tx(barrier, 64)
    primitives.fence_mbarrier_init()
    primitives.barrier_cluster_arrive_relaxed()
    primitives.barrier_cluster_wait()
    if t == 0:
        there = primitives.mapa(barrier, 1 - rank)
        primitives.mbarrier_arrive(there, scope=MemScope.CLUSTER)
        primitives.mbarrier_arrive_expect_tx(there, 32)
        primitives.mbarrier_complete_tx(there, 96, scope=MBarrierScope.CLUSTER)
    while not primitives.mbarrier_try_wait_parity(barrier, 0, scope="cluster"):
        pass
    out[rank] = 1
    primitives.barrier_cluster_arrive()
    primitives.barrier_cluster_wait()


def test_blocks_of_a_cluster_signal_each_other():
    out = np.zeros(2, np.int32)
    run(signalled, out, cluster=2)
    assert out.tolist() == [1, 1]


def test_instructions(tmp_path):
    def body(t, out):
        barrier = barriers(1)
        primitives.mbarrier_init(barrier, 4)
        state = primitives.mbarrier_arrive(barrier)
        primitives.mbarrier_arrive(barrier, count=2, scope="cluster")
        primitives.mbarrier_arrive(barrier, relaxed=True)
        primitives.mbarrier_arrive_expect_tx(barrier, 16)
        primitives.mbarrier_expect_tx(barrier, 16)
        primitives.mbarrier_complete_tx(barrier, 16)
        primitives.mbarrier_arrive_nocomplete(barrier, 1)
        primitives.mbarrier_arrive_drop(barrier)
        primitives.mbarrier_arrive_drop_nocomplete(barrier, 1)
        primitives.mbarrier_arrive_drop_expect_tx(barrier, 16)
        out[0] = primitives.mbarrier_try_wait_parity(barrier, 0).to(Int32)
        out[1] = primitives.mbarrier_wait_parity(barrier, 0, "test", scope="cluster").to(Int32)
        out[2] = primitives.mbarrier_try_wait_timelimit(barrier, state, 100).to(Int32)
        out[3] = primitives.mbarrier_wait(barrier, state, "try").to(Int32)
        primitives.cp_async_mbarrier_arrive(barrier)
        primitives.cp_async_mbarrier_arrive(barrier, noinc=True)
        primitives.mbarrier_inval(barrier)

    text = ptx(body, np.zeros(4, np.int32), threads=1, folder=tmp_path)
    cta = ".shared::cta.b64"
    for part in (
        f"mbarrier.init{cta}",
        f"mbarrier.arrive{cta} %rd",
        f"mbarrier.arrive.release.cluster{cta} %rd",
        f"mbarrier.arrive.relaxed.cta{cta} %rd",
        f"mbarrier.arrive.expect_tx{cta} %rd",
        f"mbarrier.expect_tx.relaxed.cta{cta} [",
        f"mbarrier.complete_tx.relaxed.cta{cta} [",
        f"mbarrier.arrive.noComplete{cta} %rd",
        f"mbarrier.arrive_drop{cta} %rd",
        f"mbarrier.arrive_drop.noComplete{cta} %rd",
        f"mbarrier.arrive_drop.expect_tx{cta} %rd",
        f"mbarrier.try_wait.parity.acquire.cta{cta} p, [",
        f"mbarrier.test_wait.parity.acquire.cluster{cta} p, [",
        f"mbarrier.try_wait.acquire.cta{cta} p, [",
        f"cp.async.mbarrier.arrive{cta} [",
        f"cp.async.mbarrier.arrive.noinc{cta} [",
        f"mbarrier.inval{cta} [",
    ):
        assert part in text, part


def test_instructions_of_other_blocks(tmp_path):
    text = ptx(signalled, np.zeros(2, np.int32), cluster=2, folder=tmp_path)
    cluster = ".shared::cluster.b64"
    for part in (
        f"mbarrier.arrive.release.cluster{cluster} _, [",
        f"mbarrier.arrive.expect_tx.release.cluster{cluster} _, [",
        f"mbarrier.complete_tx.relaxed.cluster{cluster} [",
        "mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64",
    ):
        assert part in text, part


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (
            lambda b, a: primitives.mbarrier_init(a.iterator, 1),
            TypeError,
            "in shared memory as addr",
        ),
        (lambda b, a: primitives.mbarrier_init(1, 1), TypeError, "a pointer or an array as addr"),
        (lambda b, a: primitives.mbarrier_init(b, 0), ValueError, "1 to 1048575 as count"),
        (
            lambda b, a: primitives.mbarrier_arrive(b, scope="gpu"),
            ValueError,
            "one of cta, cluster",
        ),
        (lambda b, a: primitives.mbarrier_arrive_expect_tx(b, -1), ValueError, "as txcount"),
        (lambda b, a: primitives.mbarrier_wait(b, 0, "test"), TypeError, "an arrival returned"),
        (lambda b, a: primitives.mbarrier_wait_parity(b, 0, "tset"), ValueError, "mean `test`"),
        (lambda b, a: primitives.mbarrier_try_wait_parity(b, 2), ValueError, "0 to 1 as phase"),
        (
            lambda b, a: primitives.mbarrier_try_wait_parity(b, 0, order="release"),
            ValueError,
            "acquire or relaxed as order",
        ),
        (
            lambda b, a: primitives.mbarrier_init(primitives.mapa(b, 0), 1),
            TypeError,
            "mbarrier of this block",
        ),
    ],
)
def test_wrong_operands(call, error, message):
    def body(t, out):
        call(barriers(1), out)

    with pytest.raises(error, match=message):
        run(body, np.zeros(1, np.int32), threads=1)


def test_older_gpus_have_none():
    def body(t, out):
        primitives.mbarrier_init(barriers(1), 1)

    with pytest.raises(
        ValueError, match="`mbarrier_init` is supported only for sm_90 and newer GPUs"
    ):
        ptx(body, np.zeros(1, np.int32), arch="sm_80")
