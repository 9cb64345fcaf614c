"""Clusters under --check: stores to other blocks, cluster barriers, multicasts, the end of a block's shared memory."""

import numpy as np
import pytest
from support import hopper_programs as programs
from support.check_support import checked, found, lines_of, zeros

from fairlead import Float32, Int64, cute
from fairlead.cute.runtime import from_dlpack


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


@cute.kernel
def swapped(out: cute.Tensor, size: cute.Constexpr, without: cute.Constexpr):
    """out (blocks, 64): each block writes the row that the one before it has in shared memory."""
    mine = cute.SmemAllocator().allocate_tensor(Float32, cute.make_layout(64), 16)
    thread, block = cute.arch.thread_idx()[0], cute.arch.block_idx()[0]
    rank = cute.arch.block_idx_in_cluster()
    writers = 32 if cute.const_expr(without == "write") else 64
    if thread < writers:
        mine[thread] = out[block, thread]
    elif thread > 63:  # nobody
        mine[0] = 0.0
    if cute.const_expr(without != "barrier"):
        cute.arch.cluster_arrive()
        cute.arch.cluster_wait()
    there = cute.arch.map_dsmem_ptr(mine.iterator, (rank + size - 1) % size)
    other = cute.make_tensor(there, cute.make_layout(64))
    place = 63 - thread
    if cute.const_expr(without == "bounds"):
        place = 64 - thread
    value = other[place]
    out[block, place % 64] = value
    if cute.const_expr(without != "end"):
        cute.arch.cluster_arrive()
        cute.arch.cluster_wait()


class Swap:
    def __init__(self, size, without=""):
        self.size, self.without = size, without

    @cute.jit
    def __call__(self, out: cute.Tensor):
        swapped(out, self.size, self.without).launch(
            grid=(out.shape[0], 1, 1), block=(64, 1, 1), cluster=(self.size, 1, 1)
        )


def rows(blocks):
    return np.arange(blocks * 64, dtype=np.float32).reshape(blocks, 64)


@pytest.mark.parametrize("size", [2, 3, 4])
def test_right_exchanges_between_blocks(size):
    out = rows(4 * size)
    wanted = np.roll(out.reshape(4, size, 64), 1, axis=1).reshape(out.shape)
    checked(Swap(size), out)
    np.testing.assert_array_equal(out, wanted)


def test_a_read_of_another_block_before_it_has_written():
    races = [each for each in found(Swap(2, "barrier"), rows(4)) if each.kind == "race"]
    lines = {"mine[thread] = out[block, thread]", "value = other[place]"}
    race, *_ = [each for each in races if set(lines_of(each)) == lines]
    one, two = race.accesses
    assert one.block != two.block and {one.block, two.block} in (
        {(0, 0, 0), (1, 0, 0)},
        {(2, 0, 0), (3, 0, 0)},
    )


def test_a_block_that_ends_while_others_read_its_memory():
    findings = found(Swap(2, "end"), rows(4))
    assert {each.kind for each in findings} == {"sync"}
    assert "of a block that may have ended" in findings[0].message
    assert lines_of(findings[0]) == ["value = other[place]"]
    assert "cluster_wait()" in findings[0].hint


def test_another_blocks_memory_without_values():
    findings = [each for each in found(Swap(2, "write"), rows(4)) if each.kind == "init"]
    assert lines_of(findings[0]) == ["out[block, place % 64] = value"]


def test_an_index_past_the_end_of_another_blocks_tensor():
    findings = [each for each in found(Swap(2, "bounds"), rows(4)) if each.kind == "bounds"]
    assert "index 64" in findings[0].message
    assert lines_of(findings[0]) == ["value = other[place]"]


@cute.kernel
def shared_out(source: cute.Tensor, out: cute.Tensor, waits: cute.Constexpr):
    memory = cute.SmemAllocator()
    barrier = memory.allocate(Int64)
    whole = memory.allocate_tensor(Float32, cute.make_layout(256), 128)
    tid, block = cute.arch.thread_idx()[0], cute.arch.block_idx()[0]
    rank, size = cute.arch.block_idx_in_cluster(), cute.arch.cluster_size()
    if tid == 0:
        cute.arch.mbarrier_init(barrier, 1)
        cute.arch.mbarrier_arrive_and_expect_tx(barrier, 1024)
    cute.arch.mbarrier_init_fence()
    cute.arch.cluster_arrive()
    cute.arch.cluster_wait()
    if rank == 0 and tid < 32:
        load = cute.make_copy_atom(
            cute.nvgpu.cpasync.CopyBulkG2SMulticastOp(), Float32, num_bits_per_copy=256 * 32
        )
        cute.copy(load, source, whole, mbar_ptr=barrier, mcast_mask=cute.Int16((1 << size) - 1))
    if cute.const_expr(waits):
        cute.arch.mbarrier_wait(barrier, 0)
    for i in cute.range(tid, 256, 64):
        out[block, i] = whole[i]
    cute.arch.cluster_arrive()
    cute.arch.cluster_wait()


class Multicast:
    def __init__(self, waits):
        self.waits = waits

    @cute.jit
    def __call__(self, source: cute.Tensor, out: cute.Tensor):
        shared_out(source, out, self.waits).launch(
            grid=(out.shape[0], 1, 1), block=(64, 1, 1), cluster=(2, 1, 1)
        )


def test_a_multicast_that_a_block_does_not_wait_for():
    numbers, out = np.arange(256, dtype=np.float32), zeros(4, 256)
    source = from_dlpack(numbers, assumed_align=16)
    checked(Multicast(True), source, out)
    np.testing.assert_array_equal(out, np.broadcast_to(numbers, (4, 256)))
    findings = found(Multicast(False), source, zeros(4, 256))
    copy = (
        "cute.copy(load, source, whole, mbar_ptr=barrier, mcast_mask=cute.Int16((1 << size) - 1))"
    )
    races = [lines_of(each) for each in findings if each.kind == "race"]
    assert [copy, "out[block, i] = whole[i]"] in [sorted(each) for each in races]


@cute.kernel
def signalled(out: cute.Tensor, arrivals: cute.Constexpr, own: cute.Constexpr):
    memory = cute.SmemAllocator()
    barrier = memory.allocate(Int64)
    word = memory.allocate_tensor(Float32, cute.make_layout(1), 16)
    tid, block = cute.arch.thread_idx()[0], cute.arch.block_idx()[0]
    rank = cute.arch.block_idx_in_cluster()
    if tid == 0:
        cute.arch.mbarrier_init(barrier, arrivals)
    cute.arch.mbarrier_init_fence()
    cute.arch.cluster_arrive()
    cute.arch.cluster_wait()
    if tid == 0:
        other = cute.make_tensor(cute.arch.map_dsmem_ptr(word.iterator, rank ^ 1), 1)
        other[0] = rank.to(Float32)
        cute.arch.mbarrier_arrive(barrier, rank if own else rank ^ 1)
    cute.arch.mbarrier_wait(barrier, 0)
    if tid == 0:
        out[block] = word[0]
    cute.arch.cluster_arrive()
    cute.arch.cluster_wait()


class Signal:
    def __init__(self, arrivals, own=False):
        self.arrivals, self.own = arrivals, own

    @cute.jit
    def __call__(self, out: cute.Tensor):
        signalled(out, self.arrivals, self.own).launch(
            grid=(out.shape[0], 1, 1), block=(64, 1, 1), cluster=(2, 1, 1)
        )


def test_an_arrival_in_another_block_orders_what_was_written_there():
    out = zeros(4)
    checked(Signal(1), out)
    assert out.tolist() == [1, 0, 1, 0]


def test_an_arrival_in_the_own_block_instead():
    """The other block's writes are not ordered."""
    races = [each for each in found(Signal(1, own=True), zeros(4)) if each.kind == "race"]
    lines = {"other[0] = rank.to(Float32)", "out[block] = word[0]"}
    assert any(set(lines_of(race)) == lines for race in races)


def test_an_mbarrier_that_waits_for_more_arrivals_than_come():
    findings = [each for each in found(Signal(2), zeros(4)) if each.kind == "sync"]
    assert "lacks 1 of 2 arrivals" in findings[0].hint
    assert "cute.arch.mbarrier_wait(barrier, 0)" in lines_of(findings[0])


@pytest.mark.parametrize("program", ["copies", "neighbours", "exchanged", "gemm"])
def test_working_programs_of_clusters(program):
    if program == "copies":
        source, target = np.arange(256, dtype=np.float32), zeros(4, 256)
        checked(programs.ClusterCopies(2), from_dlpack(source, assumed_align=16), target)
        wanted = np.repeat([[0.0], [1.0], [0.0], [1.0]], 256, axis=1) + source
        np.testing.assert_array_equal(target, wanted)
    elif program == "neighbours":
        checked(programs.Neighbours(4), rows(8))
    elif program == "exchanged":
        checked(programs.exchanged, np.arange(30, dtype=np.int32).reshape(6, 5))
    else:
        a, b = (np.ones((extent, 64, 1), np.float16) for extent in (256, 128))
        c = np.zeros((256, 128, 1), np.float16)
        gemm = programs.PersistentGemm(cluster=(2, 1), tile_n=64, stages=2, clusters=2)
        given = [from_dlpack(each, assumed_align=16) for each in (a, b, c)]
        checked(gemm, *given)
        np.testing.assert_array_equal(c, np.full(c.shape, 64, np.float16))
