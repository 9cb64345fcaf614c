"""Barriers of a block and of a cluster: results on the CPU, and PTX."""

import numpy as np
import pytest
from support.functions_support import instructions, ptx, run

from fairlead import Int32, primitives
from fairlead.primitives import AddressSpace, Array, BarrierRedux

SMEM = AddressSpace.smem


@pytest.mark.parametrize("threads", [32, 64, 128])
def test_reductions_over_the_threads_of_a_block(threads):
    def body(t, out):
        out[t, 0] = primitives.barrier_cta_red(t == 0, 0, BarrierRedux.OR).to(Int32)
        out[t, 1] = primitives.barrier_cta_red(t < threads, 1, "and").to(Int32)
        out[t, 2] = primitives.barrier_cta_red(t != 0, 2, "and", thread_count=threads).to(Int32)
        out[t, 3] = primitives.barrier_cta_red(t == 0, 0, "popc")
        out[t, 4] = primitives.barrier_cta_red_aligned(t > 4, 0, "popc")

    out = np.zeros((threads, 5), np.int32)
    run(body, out, threads=threads)
    np.testing.assert_array_equal(out, [[1, 1, 0, 1, threads - 5]] * threads)


def test_a_reduction_in_a_loop_begins_anew():
    def body(t, out):
        for i in range(Int32(4)):
            out[i, t] = primitives.barrier_cta_red(t <= i, 3, "popc", thread_count=64)

    out = np.zeros((4, 64), np.int32)
    run(body, out, threads=64)
    np.testing.assert_array_equal(out, np.repeat([[1], [2], [3], [4]], 64, 1))


def handed_over(t, out):
    memory = Array(Int32, 32, space=SMEM)
    if t < 32:
        memory[t] = t * 3
        primitives.barrier_cta_arrive(1, 64)
    else:
        primitives.barrier_cta_sync(1, thread_count=64)
        out[t - 32] = memory[63 - t]
    primitives.barrier_cta_sync()
    primitives.barrier_cta_sync_aligned(barrier_id=2)
    primitives.barrier(barrier_id=3, number_of_threads=64)


def test_one_warp_arrives_and_another_one_waits():
    out = np.zeros(32, np.int32)
    run(handed_over, out, threads=64)
    np.testing.assert_array_equal(out, np.arange(31, -1, -1) * 3)


def test_a_barrier_number_of_run_time():
    def body(t, out):
        memory = Array(Int32, 64, space=SMEM)
        memory[t] = t
        number = t // 32 + 4
        primitives.barrier_cta_sync(number, thread_count=32)
        out[t] = memory[t // 32 * 32 + 31 - t % 32]

    out = np.zeros(64, np.int32)
    run(body, out, threads=64)
    np.testing.assert_array_equal(out, np.r_[np.arange(31, -1, -1), np.arange(63, 31, -1)])


def in_cluster(t, out):
    rank = primitives.cluster_ctarank()
    memory = Array(Int32, 32, space=SMEM)
    memory[t] = rank * 100 + t
    primitives.barrier_cluster_arrive()
    primitives.barrier_cluster_wait()
    there = primitives.mapa(memory, 1 - rank)
    out[rank, t] = there[31 - t]
    beyond = primitives.mapa(memory.data_ptr(), 1 - rank)
    out[rank + 2, t] = beyond[t]
    primitives.barrier_cluster_arrive_relaxed()
    primitives.barrier_cluster_wait()
    primitives.barrier_cluster_arrive_relaxed_aligned()
    primitives.barrier_cluster_wait_aligned()


def test_blocks_of_a_cluster_read_from_each_other():
    out = np.zeros((4, 32), np.int32)
    run(in_cluster, out, cluster=2)
    up = np.arange(32)
    np.testing.assert_array_equal(out, [100 + up[::-1], up[::-1], 100 + up, up])


def test_instructions(tmp_path):
    text = ptx(handed_over, np.zeros(32, np.int32), threads=64, folder=tmp_path)
    assert "barrier.arrive 1, 64;" in text
    assert "barrier.sync 1, 64;" in text
    assert "barrier.sync 0;" in text
    assert "bar.sync 2;" in text

    def reductions(t, out):
        out[t] = primitives.barrier_cta_red(t == 0, 0, "popc")
        if primitives.barrier_cta_red(t == 0, 1, "or", thread_count=32):
            out[t] += 1
        if primitives.barrier_cta_red_aligned(t == 0, 0, "and"):
            out[t] += 1

    text = ptx(reductions, np.zeros(32, np.int32), folder=tmp_path)
    for name in ("barrier.red.popc.u32", "barrier.red.or.pred", "bar.red.and.pred"):
        assert instructions(text, name), name


def test_instructions_of_clusters(tmp_path):
    text = ptx(in_cluster, np.zeros((4, 32), np.int32), cluster=2, folder=tmp_path)
    names = (
        "barrier.cluster.arrive barrier.cluster.arrive.relaxed barrier.cluster.arrive.relaxed.aligned "
        "barrier.cluster.wait barrier.cluster.wait.aligned ld.shared::cluster.b32"
    )
    for name in names.split():
        assert name in instructions(text, name), name
    assert "mapa.shared::cluster" in text


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: primitives.barrier_cta_sync(16), ValueError, "0 to 15 as barrier_id, but got 16"),
        (lambda: primitives.barrier_cta_sync(0, thread_count=33), ValueError, "multiple of 32"),
        (lambda: primitives.barrier_cta_arrive(0, 2048), ValueError, "32 to 1024"),
        (lambda: primitives.barrier_cta_sync("0"), TypeError, "integer of 32 bits as barrier_id"),
        (lambda: primitives.barrier_cta_red(True, 0, "xor"), ValueError, "one of and, or, popc"),
        (lambda: primitives.barrier_cta_red(0.5, 0, "or"), TypeError, "as pred"),
    ],
)
def test_wrong_operands(call, error, message):
    def body(t, out):
        call()

    with pytest.raises(error, match=message):
        run(body, np.zeros(1, np.int32))


def test_clusters_need_their_gpus():
    def body(t, out):
        primitives.barrier_cluster_arrive()

    with pytest.raises(ValueError, match="is supported only for sm_90 and newer GPUs"):
        ptx(body, np.zeros(1, np.int32), arch="sm_80")
