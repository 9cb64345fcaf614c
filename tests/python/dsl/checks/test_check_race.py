"""--check race: accesses that nothing orders, with both lines, whatever order the CPU runs threads in."""

import mmap

import numpy as np
import pytest
from support.check_support import checked, findings, lines_of, raced, zeros

from fairlead import Float32, Int32, Int64, cute

MAP_NORESERVE = 0x4000  #: Linux; the module `mmap` has it from Python 3.11 on


@cute.kernel
def block_sums(a: cute.Tensor, out: cute.Tensor, barrier: cute.Constexpr):
    t, _, _ = cute.arch.thread_idx()
    x, _, _ = cute.arch.block_idx()
    value = cute.arch.warp_reduction_sum(a[x * 256 + t])
    sums = cute.SmemAllocator().allocate_tensor(Float32, 8)
    if cute.arch.lane_idx() == 0:
        sums[cute.arch.warp_idx()] = value
    if cute.const_expr(barrier):
        cute.arch.sync_threads()
    if t == 0:
        total = Float32(0.0)
        for w in range(8):
            total = total + sums[w]
        cute.arch.atomic_add(out.iterator, total)


SUMS = {"sums[cute.arch.warp_idx()] = value", "total = total + sums[w]"}


@cute.jit
def total(a: cute.Tensor, out: cute.Tensor, barrier: cute.Constexpr):
    block_sums(a, out, barrier).launch(grid=a.shape[0] // 256, block=256)


def test_a_missing_barrier():
    out = zeros(1)
    checked(total, zeros(1024) + 1, out, True)
    assert out[0] == 1024
    (finding,) = raced(total, zeros(1024) + 1, out, False)
    assert finding.kind == "race"
    assert set(lines_of(finding)) == SUMS
    assert {access.what for access in finding.accesses} == {"write", "read"}
    assert {access.thread for access in finding.accesses} == {(32, 0, 0), (0, 0, 0)}
    assert finding.count == 7 * 4 and finding.blocks == 4
    assert finding.tensor.startswith(
        "shared memory, offset 4 of the 32 bytes that test_check_race.py:"
    )
    assert "No barrier orders them" in finding.hint


@cute.kernel
def overwritten(a: cute.Tensor, barrier: cute.Constexpr):
    t, _, _ = cute.arch.thread_idx()
    s = cute.SmemAllocator().allocate_tensor(Float32, 64)
    for i in range(4):
        s[t] = a[t] + i.to(Float32)
        cute.arch.sync_threads()
        a[t] = s[63 - t]
        if cute.const_expr(barrier):
            cute.arch.sync_threads()


@cute.jit
def reverse(a: cute.Tensor, barrier: cute.Constexpr):
    overwritten(a, barrier).launch(grid=1, block=64)


def test_memory_that_is_written_again_too_early():
    checked(reverse, zeros(64), True)
    (finding,) = raced(reverse, zeros(64), False)
    assert lines_of(finding) == ["a[t] = s[63 - t]", "s[t] = a[t] + i.to(Float32)"]
    assert [access.what for access in finding.accesses] == ["read", "write"]


@cute.kernel
def neighbours(a: cute.Tensor, offset: Int32):
    t, _, _ = cute.arch.thread_idx()
    b, _, _ = cute.arch.block_idx()
    i = b * 32 + t
    if i + offset < a.shape[0]:
        a[i] = a[i + offset] * 2


@cute.jit
def shift(a: cute.Tensor, offset: Int32):
    neighbours(a, offset).launch(grid=a.shape[0] // 32, block=32)


def test_races_in_global_memory():
    checked(shift, zeros(128), 0)
    within, *others = raced(shift, zeros(128), 1)
    assert lines_of(within) == ["a[i] = a[i + offset] * 2"] * 2
    assert within.tensor == "a[1] of a: Float32 (128,)"


def test_races_between_blocks():
    (finding,) = raced(shift, zeros(128), 32)
    assert {access.block for access in finding.accesses} == {(0, 0, 0), (1, 0, 0)}
    assert "Blocks run at the same time" in finding.hint


def test_elements_beside_each_other_do_not_race():
    """Narrow elements in one word belong to several threads."""
    for dtype in ("float16", "int8"):
        a = zeros(128, dtype=dtype) + np.dtype(dtype).type(1)
        assert findings(shift, a, 0) == [] and (a == 2).all()


@cute.kernel
def all_write(out: cute.Tensor, value: cute.Tensor, same: cute.Constexpr):
    t, _, _ = cute.arch.thread_idx()
    if cute.const_expr(same):
        out[0] = value[0]
    else:
        out[0] = value[t]


@cute.jit
def write_one(out: cute.Tensor, value: cute.Tensor, same: cute.Constexpr):
    all_write(out, value, same).launch(grid=2, block=32)


def test_writes_of_one_value_are_left_alone():
    values = zeros(32) + range(32)
    checked(write_one, zeros(1), values, True)
    assert raced(write_one, zeros(1), values, False)


@cute.kernel
def count(out: cute.Tensor, plain: cute.Constexpr):
    if cute.const_expr(plain):
        out[0] = out[0] + 1
    else:
        cute.arch.atomic_add(out.iterator, Int32(1))


@cute.jit
def counted(out: cute.Tensor, plain: cute.Constexpr):
    count(out, plain).launch(grid=4, block=64)


def test_atomics():
    out = zeros(1, dtype="int32")
    checked(counted, out, False)
    assert out[0] == 256
    (finding,) = raced(counted, out, True)
    assert finding.accesses[0].line == finding.accesses[1].line


@cute.kernel
def count_in_blocks(out: cute.Tensor):
    cute.arch.atomic_add(out.iterator, Int32(1), scope="cta")


@cute.jit
def counted_in_blocks(out: cute.Tensor, blocks: cute.Int32):
    count_in_blocks(out).launch(grid=blocks, block=64)


def test_atomics_of_a_blocks_scope():
    """They are none for the threads of other blocks."""
    checked(counted_in_blocks, zeros(1, dtype="int32"), 1)
    (finding,) = raced(counted_in_blocks, zeros(1, dtype="int32"), 2)
    assert "scope" in finding.hint


@cute.kernel
def one_line(a: cute.Tensor, writes_only: cute.Constexpr):
    t, _, _ = cute.arch.thread_idx()
    s = cute.SmemAllocator().allocate_tensor(Float32, 64)
    s[t] = a[t]
    cute.arch.sync_threads()
    if cute.const_expr(writes_only):
        s[t // 2] = t.to(Float32)
    else:
        s[t] = s[t] + s[t ^ 1]
    cute.arch.sync_threads()
    a[t] = s[t]


@cute.jit
def run_one_line(a: cute.Tensor, writes_only: cute.Constexpr):
    one_line(a, writes_only).launch(grid=1, block=64)


@pytest.mark.parametrize("writes_only", [False, True], ids=["reads and writes", "writes"])
def test_a_line_with_itself_names_a_remedy(writes_only):
    """No barrier can stand between the accesses, so the hint says what to write instead."""
    (finding,) = raced(run_one_line, zeros(64), writes_only)
    assert {access.what for access in finding.accesses} == (
        {"write"} if writes_only else {"read", "write"}
    )
    remedy = "an element of its own" if writes_only else "read it into a variable, then"
    assert remedy in finding.hint and "atomic operation" in finding.hint
    assert "No barrier orders them" not in finding.hint


@cute.kernel
def poll(flag: cute.Tensor, out: cute.Tensor, access: cute.Constexpr):
    """Even threads read the flag by atomic loads, odd ones in the way that ``access`` names."""
    t, _, _ = cute.arch.thread_idx()
    if t % 2 == 0:
        out[t] = cute.arch.load(flag.iterator, sem="relaxed", scope="gpu")
    elif cute.const_expr(access == "read"):
        out[t] = flag[0]
    elif cute.const_expr(access == "atomic"):
        cute.arch.atomic_add(flag.iterator, Int32(1))
    elif t == 33:
        flag[0] = Int32(1)


@cute.jit
def polled(flag: cute.Tensor, out: cute.Tensor, access: cute.Constexpr):
    poll(flag, out, access).launch(grid=1, block=64)


def test_atomic_loads_only_read():
    for access in ("read", "atomic"):
        checked(polled, zeros(1, dtype="int32"), zeros(64, dtype="int32"), access)
    (finding,) = raced(polled, zeros(1, dtype="int32"), zeros(64, dtype="int32"), "write")
    assert {access.what for access in finding.accesses} == {"atomic", "write"}


@cute.kernel
def mixed_poll(flag: cute.Tensor, out: cute.Tensor):
    """Atomic loads, a plain read, and an atomic store that only the plain read races with."""
    t, _, _ = cute.arch.thread_idx()
    if t % 2 == 0:
        out[t] = cute.arch.load(flag.iterator, sem="relaxed", scope="gpu")
    elif t == 33:
        out[t] = flag[0]
    elif t == 63:
        cute.arch.store(flag.iterator, Int32(1), sem="relaxed", scope="gpu")


@cute.jit
def polled_by_both(flag: cute.Tensor, out: cute.Tensor):
    mixed_poll(flag, out).launch(grid=1, block=64)


def test_a_plain_read_beside_an_atomic_store():
    (finding,) = raced(polled_by_both, zeros(1, dtype="int32"), zeros(64, dtype="int32"))
    assert {access.what for access in finding.accesses} == {"atomic", "read"}


@cute.kernel
def warp_exchange(a: cute.Tensor, sync: cute.Constexpr):
    t, _, _ = cute.arch.thread_idx()
    s = cute.SmemAllocator().allocate_tensor(Float32, 128)
    s[t] = a[t]
    if cute.const_expr(sync == "warp"):
        cute.arch.sync_warp()
    elif cute.const_expr(sync == "block"):
        cute.arch.sync_threads()
    a[t] = s[t ^ 1]
    if cute.const_expr(sync == "warp"):
        cute.arch.sync_warp()
    elif cute.const_expr(sync == "block"):
        cute.arch.sync_threads()
    s[t ^ 32] = a[t]


@cute.jit
def exchange(a: cute.Tensor, sync: cute.Constexpr):
    warp_exchange(a, sync).launch(grid=1, block=128)


@pytest.mark.parametrize("coroutines", ["0", "1"])
def test_barriers_of_a_warp(monkeypatch, coroutines):
    monkeypatch.setenv("FAIRLEAD_CPU_COROUTINES", coroutines)
    with_block = zeros(128) + range(128)
    checked(exchange, with_block, "block")
    # Writes elements of another warp, which that warp writes and reads before or after.
    between = [set(lines_of(each)) for each in raced(exchange, zeros(128) + range(128), "warp")]
    assert between and all("s[t ^ 32] = a[t]" in lines for lines in between)
    (within, *_) = raced(exchange, zeros(128) + range(128), "none")
    assert set(lines_of(within)) == {"s[t] = a[t]", "a[t] = s[t ^ 1]"}


@pytest.mark.parametrize("coroutines", ["0", "1"])
def test_both_forms_of_kernels_find_the_same(monkeypatch, coroutines):
    monkeypatch.setenv("FAIRLEAD_CPU_COROUTINES", coroutines)
    checked(total, zeros(1024), zeros(1), True)
    (finding,) = raced(total, zeros(1024), zeros(1), False)
    assert set(lines_of(finding)) == SUMS


@cute.kernel
def half_barriers(a: cute.Tensor, right: cute.Constexpr):
    """Warps 0 and 1 hand values to warps 2 and 3 by a barrier of all 128 threads, at which they do not wait."""
    t, _, _ = cute.arch.thread_idx()
    s = cute.SmemAllocator().allocate_tensor(Float32, 64)
    if t < 64:
        s[t] = a[t]
        cute.arch.barrier_arrive(barrier_id=1, number_of_threads=128)
    else:
        if cute.const_expr(right):
            cute.arch.barrier(barrier_id=1, number_of_threads=128)
        a[t] = s[127 - t]
        if cute.const_expr(not right):
            cute.arch.barrier(barrier_id=1, number_of_threads=128)


@cute.jit
def hand_over(a: cute.Tensor, right: cute.Constexpr):
    half_barriers(a, right).launch(grid=1, block=128)


def test_named_barriers():
    checked(hand_over, zeros(128) + 1, True)
    (finding,) = raced(hand_over, zeros(128) + 1, False)
    assert set(lines_of(finding)) == {"s[t] = a[t]", "a[t] = s[127 - t]"}


@cute.kernel
def by_mbarrier(a: cute.Tensor, elected: cute.Constexpr):
    """Warp 0 writes for warp 1. All lanes have to arrive: one lane's arrival tells of its own writes only."""
    t, _, _ = cute.arch.thread_idx()
    smem = cute.SmemAllocator()
    s = smem.allocate_tensor(Float32, 32)
    full = smem.allocate_array(cute.Int64, 1)
    if t == 0:
        cute.arch.mbarrier_init(full, 1 if cute.const_expr(elected) else 32)
    cute.arch.sync_threads()
    if t < 32:
        s[t] = a[t]
        if cute.const_expr(elected):
            if t == 0:
                cute.arch.mbarrier_arrive(full)
        else:
            cute.arch.mbarrier_arrive(full)
    else:
        cute.arch.mbarrier_wait(full, 0)
        a[t] = s[63 - t]


@cute.jit
def producer(a: cute.Tensor, elected: cute.Constexpr):
    by_mbarrier(a, elected).launch(grid=1, block=64)


def test_an_elected_lane_arrives_for_its_warp():
    checked(producer, zeros(64) + 1, False)
    (finding,) = raced(producer, zeros(64) + 1, True)
    assert lines_of(finding) == ["s[t] = a[t]", "a[t] = s[63 - t]"]
    assert finding.count == 31


@cute.kernel
def staged(a: cute.Tensor, out: cute.Tensor, wait: cute.Constexpr, barrier: cute.Constexpr):
    t, _, _ = cute.arch.thread_idx()
    s = cute.SmemAllocator().allocate_tensor(Float32, cute.make_layout((4, 64), stride=(1, 4)), 16)
    atom = cute.make_copy_atom(cute.nvgpu.cpasync.CopyG2SOp(), Float32, num_bits_per_copy=128)
    cute.copy(atom, a[None, t], s[None, t])
    cute.arch.cp_async_commit_group()
    if cute.const_expr(wait):
        cute.arch.cp_async_wait_group(0)
    if cute.const_expr(barrier):
        cute.arch.sync_threads()
    for i in range(4):
        out[i, t] = s[i, 63 - t if cute.const_expr(barrier) else t]


@cute.jit
def stage(a: cute.Tensor, out: cute.Tensor, wait: cute.Constexpr, barrier: cute.Constexpr):
    staged(a, out, wait, barrier).launch(grid=1, block=64)


def columns(count):
    return zeros(count, 4).T


def test_asynchronous_copies_are_waited_for():
    a = cute.make_fake_tensor(Float32, (4, 64), stride=(1, 4), assumed_align=16)
    b = cute.make_fake_tensor(Float32, (4, 64), stride=(1, 4), assumed_align=16)

    def run(wait, barrier):
        made = cute.compile(stage, a, b, wait, barrier, options="--target cpu --check all")
        made(columns(64), columns(64))

    run(True, True)
    run(True, False)
    import fairlead

    with pytest.raises(fairlead.CheckError) as caught:
        run(False, False)
    (finding,) = caught.value.findings
    assert [access.what for access in finding.accesses] == ["copy", "read"]
    assert lines_of(finding)[0] == "cute.copy(atom, a[None, t], s[None, t])"
    assert "wait for its copy before: cp_async_wait_group" in finding.hint
    with pytest.raises(fairlead.CheckError, match="has to wait for its copy before a barrier"):
        run(False, True)


@cute.kernel
def differently(out: cute.Tensor, what: cute.Constexpr, block: Int32):
    """Blocks that do the same in shared memory, but for one."""
    t, _, _ = cute.arch.thread_idx()
    x, _, _ = cute.arch.block_idx()
    s = cute.SmemAllocator().allocate_tensor(Float32, 128)
    if cute.const_expr(what == "less before"):
        if x != block:
            s[t + 64] = 1.0
            cute.arch.sync_threads()
    s[t] = Float32(t)
    if cute.const_expr(what == "barrier"):
        if x != block:
            cute.arch.sync_threads()
    else:
        cute.arch.sync_threads()
    if cute.const_expr(what == "place"):
        if x == block:
            s[t + 1] = 2.0
    elif cute.const_expr(what == "rounds"):
        for i in range(x // block):
            s[t + i] = 2.0
    out[x * 64 + t] = s[63 - t]


@cute.jit
def one_block(out: cute.Tensor, what: cute.Constexpr, block: Int32):
    differently(out, what, block).launch(grid=8, block=64)


@pytest.mark.parametrize(
    ("what", "blocks", "lines"),
    [
        ("barrier", 1, {"s[t] = Float32(t)", "out[x * 64 + t] = s[63 - t]"}),
        ("place", 1, {"s[t + 1] = 2.0", "out[x * 64 + t] = s[63 - t]"}),
        ("rounds", 3, {"s[t + i] = 2.0", "out[x * 64 + t] = s[63 - t]"}),
    ],
)
def test_a_race_of_one_block_among_others_that_do_the_same(what, blocks, lines):
    findings = raced(one_block, zeros(512), what, 5)
    finding = next(each for each in findings if set(lines_of(each)) == lines)
    assert finding.blocks == blocks
    checked(one_block, zeros(512), what, 9, checks="race")


def test_blocks_that_do_less_are_no_race():
    for block in (0, 3, 7, 9):
        assert findings(one_block, zeros(512), "less before", block, checks="race") == []


@cute.kernel
def two_loads(a: cute.Tensor, out: cute.Tensor, waits: cute.Constexpr):
    """Two copies of a thread arrive at an mbarrier each."""
    t, _, _ = cute.arch.thread_idx()
    memory = cute.SmemAllocator()
    tiles = memory.allocate_tensor(Float32, cute.make_layout((128, 2)), 16)
    full = memory.allocate_array(Int64, 2)
    if t == 0:
        for tile in range(2):
            cute.arch.mbarrier_init(full + tile, 1)
    cute.arch.mbarrier_init_fence()
    cute.arch.sync_threads()
    load = cute.make_copy_atom(
        cute.nvgpu.cpasync.CopyBulkG2SOp(), Float32, num_bits_per_copy=128 * 32
    )
    if t < 32:
        for tile in range(2):
            with cute.arch.elect_one():
                cute.arch.mbarrier_arrive_and_expect_tx(full + tile, 512)
            cute.copy(load, a[None, tile], tiles[None, tile], mbar_ptr=full + tile)
    for tile in cute.range_constexpr(2):
        if cute.const_expr(tile in waits):
            cute.arch.mbarrier_wait(full + tile, 0)
    out[t] = tiles[t, 0] + tiles[t, 1]


@pytest.mark.parametrize("waits", [(0,), (1,), ()])
def test_waits_for_another_load(waits):
    """A wait for one copy says nothing of the same thread's other copies, earlier or later."""

    @cute.jit
    def host(a: cute.Tensor, out: cute.Tensor, waits: cute.Constexpr):
        columns = cute.make_tensor(a.iterator, cute.make_layout((128, 2)))
        two_loads(columns, out, waits).launch(grid=1, block=128)

    out = zeros(128)
    checked(host, zeros(256) + 1, out, (0, 1))
    assert (out == 2).all()
    found = raced(host, zeros(256) + 1, zeros(128), waits)
    assert found
    for finding in found:
        assert (
            "cute.copy(load, a[None, tile], tiles[None, tile], mbar_ptr=full + tile)"
            in lines_of(finding)
        )


@cute.kernel
def far_counts(a: cute.Tensor, every_block: cute.Constexpr):
    t, _, _ = cute.arch.thread_idx()
    x, _, _ = cute.arch.block_idx()
    row = 0 if every_block else x
    a[row, t] = a[row, t] + 1
    cute.arch.atomic_add(a[row, None].iterator + 64, Float32(1))


@cute.jit
def count_far(a: cute.Tensor, every_block: cute.Constexpr):
    far_counts(a, every_block).launch(grid=a.shape[0], block=32)


def test_elements_far_apart():
    """Rows that are 1 TiB apart. What the checks remember does not grow with the distance."""
    distance = 1 << 40
    memory = mmap.mmap(
        -1, 3 * distance + 4096, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | MAP_NORESERVE
    )
    a = np.ndarray((4, 65), np.float32, buffer=memory, strides=(distance, 4))
    checked(count_far, a, False)
    assert np.array_equal(a, np.repeat([[1.0] * 32 + [0] * 32 + [32]], 4, axis=0))
    (finding,) = raced(count_far, a, True)
    assert finding.kind == "race" and finding.count >= 32
