"""Stores to a cluster's blocks and cluster barriers under --check, for clusters of one block."""

import pytest
from check_support import checked, found, lines_of, zeros

from fairlead import Float32, Int64, cute


@cute.kernel
def stored(out: cute.Tensor, without: cute.Constexpr):
    memory = cute.SmemAllocator()
    came = memory.allocate_tensor(Float32, cute.make_layout(64), 16)
    barrier = memory.allocate(Int64)
    thread, _, _ = cute.arch.thread_idx()
    if thread == 0:
        cute.arch.mbarrier_init(barrier, 1)
        cute.arch.mbarrier_arrive_and_expect_tx(barrier, 64 * 4)
    cute.arch.mbarrier_init_fence()
    if cute.const_expr(without != "barrier"):
        cute.arch.cluster_arrive()
        cute.arch.cluster_wait()
    cute.arch.store_async_dsmem(came.iterator + (63 - thread), out[thread], barrier, 0)
    if cute.const_expr(without != "wait"):
        cute.arch.mbarrier_wait(barrier, 0)
    out[thread] = came[thread] + 1.0
    cute.arch.cluster_arrive()
    cute.arch.cluster_wait()


@cute.jit
def store(out: cute.Tensor, without: cute.Constexpr):
    stored(out, without).launch(grid=1, block=64, cluster=(1, 1, 1))


@cute.kernel
def copied(source: cute.Tensor, out: cute.Tensor, waits: cute.Constexpr):
    memory = cute.SmemAllocator()
    barrier = memory.allocate(Int64)
    first = memory.allocate_tensor(Float32, cute.make_layout(64), 128)
    second = memory.allocate_tensor(Float32, cute.make_layout(64), 128)
    thread, _, _ = cute.arch.thread_idx()
    if thread == 0:
        cute.arch.mbarrier_init(barrier, 1)
        cute.arch.mbarrier_arrive_and_expect_tx(barrier, 256)
    first[thread] = source[thread]
    cute.arch.mbarrier_init_fence()
    cute.arch.fence_proxy("async.shared", space="cta")
    cute.arch.cluster_arrive()
    cute.arch.cluster_wait()
    if thread < 32:
        send = cute.make_copy_atom(
            cute.nvgpu.cpasync.CopyBulkS2SOp(), Float32, num_bits_per_copy=64 * 32
        )
        cute.copy(send, first, second, mbar_ptr=barrier, cta_rank=0)
    if cute.const_expr(waits):
        cute.arch.mbarrier_wait(barrier, 0)
    out[thread] = second[thread]
    cute.arch.cluster_arrive()
    cute.arch.cluster_wait()


@cute.jit
def copy(source: cute.Tensor, out: cute.Tensor, waits: cute.Constexpr):
    copied(source, out, waits).launch(grid=1, block=64, cluster=(1, 1, 1))


def test_right_programs():
    out = zeros(64)
    out[:] = range(64)
    checked(store, out, "")
    assert out.tolist() == [64.0 - i for i in range(64)]
    checked(copy, out, zeros(64), True)


def test_a_store_that_nobody_waits_for():
    findings = found(store, zeros(64), "wait")
    races = [each for each in findings if each.kind == "race"]
    read = "out[thread] = came[thread] + 1.0"
    assert any(
        read in lines_of(race) and "store_async_dsmem" in "".join(lines_of(race)) for race in races
    )


def test_an_mbarrier_that_other_threads_may_not_see_yet():
    findings = found(store, zeros(64), "barrier")
    assert "may not be initialised yet" in findings[0].message


def test_a_copy_that_nobody_waits_for():
    (race,) = [each for each in found(copy, zeros(64), zeros(64), False) if each.kind == "race"]
    assert lines_of(race) == [
        "cute.copy(send, first, second, mbar_ptr=barrier, cta_rank=0)",
        "out[thread] = second[thread]",
    ]


@pytest.mark.parametrize("checks", ["race", "init", "sync", "all"])
def test_larger_clusters_are_refused(checks):
    @cute.jit
    def pairs(out: cute.Tensor):
        stored(out, "").launch(grid=2, block=64, cluster=(2, 1, 1))

    with pytest.raises(ValueError, match="clusters of one block under checks of shared memory"):
        checked(pairs, zeros(64), checks=checks)
