"""--check sync finds threads that go past a barrier, or an operation of a warp, that others come to.

As CUDA defines it, threads that have left the kernel do not count: blocks, warps and lanes may end early.
"""

import numpy as np
import pytest
from support import async_programs as programs
from support.check_support import checked, findings, found, lines_of, zeros

import fairlead
from fairlead import Float32, Int32, cute

THREADS = 128


@cute.kernel
def mistakes(a: cute.Tensor, bug: cute.Constexpr):
    t, _, _ = cute.arch.thread_idx()
    if cute.const_expr(bug == "lanes"):
        if a[t] < 60:
            cute.arch.sync_threads()  # lanes
        a[t] = 1.0
    elif cute.const_expr(bug == "warps"):
        if a[t] < 64:
            a[t] = 0.0
        else:
            cute.arch.sync_threads()  # warps
        a[t] = a[t] + 1.0
    elif cute.const_expr(bug == "lines"):
        if a[t] < 64:
            cute.arch.sync_threads()  # the first line
        else:
            a[t] = 0.0
            cute.arch.sync_threads()  # the other line
    elif cute.const_expr(bug == "next barrier"):
        if a[t] < 96:
            cute.arch.sync_threads()  # before
        a[t] = 2.0
        cute.arch.sync_threads()  # behind
    elif cute.const_expr(bug == "loop"):
        for _ in range(a[t].to(Int32) // 32):
            cute.arch.sync_threads()  # in the loop
        a[t] = 3.0
    elif cute.const_expr(bug == "skipped iteration"):
        for i in range(4):
            if a[t] < 32 * i + 31:
                cute.arch.sync_threads()  # in some iterations
            a[t] = a[t] + 1.0
    elif cute.const_expr(bug == "nested"):
        if a[0] < 2:
            if a[t] > 3:
                cute.arch.sync_threads()  # nested
            a[t] = 1.0
    elif cute.const_expr(bug == "numbered"):
        if a[t] < 80:
            if a[t] > 15:
                cute.arch.barrier(barrier_id=1, number_of_threads=64)  # numbered
            a[t] = 4.0
    elif cute.const_expr(bug == "arrival"):
        if a[t] < 32:
            cute.arch.barrier(barrier_id=1, number_of_threads=96)  # waits
        elif a[t] < 112:
            if a[t] > 47:
                cute.arch.barrier_arrive(barrier_id=1, number_of_threads=96)  # arrives
            a[t] = 5.0
    else:
        warp_mistakes(a, bug)


@cute.jit
def warp_mistakes(a: cute.Tensor, bug: cute.Constexpr):
    t, _, _ = cute.arch.thread_idx()
    if cute.const_expr(bug == "sync_warp"):
        if a[t] < 60:
            cute.arch.sync_warp()  # sync_warp
        a[t] = 6.0
    elif cute.const_expr(bug == "shuffle"):
        value = a[t]
        if value < 60:
            value = cute.arch.shuffle_sync(value, 0)  # shuffle
        a[t] = value
    elif cute.const_expr(bug == "two shuffles"):
        value = a[t]
        if value < 60:
            value = cute.arch.shuffle_sync(value, 0)  # one shuffle
        else:
            value = cute.arch.shuffle_sync(value, 0) + 1.0  # another shuffle
        a[t] = value
    elif cute.const_expr(bug == "vote"):
        if a[t] < 60:
            if cute.arch.vote_any_sync(a[t] > 50):  # vote
                a[t] = 7.0
        a[t] = a[t] + 1.0
    elif cute.const_expr(bug == "elect"):
        if a[t] < 60:
            with cute.arch.elect_one():  # elect
                a[t] = 8.0
        a[t] = a[t] + 1.0


@cute.jit
def run_mistakes(a: cute.Tensor, bug: cute.Constexpr):
    mistakes(a, bug).launch(grid=1, block=THREADS)


def numbers():
    return np.arange(THREADS, dtype=np.float32)


SKIPS = [
    # The mistake, its line, the line of the branch, and the message's part about the threads.
    (
        "lanes",
        "sync_threads()  # lanes",
        "if a[t] < 60:",
        "60 (0-59) come to it, 68 (60-127) do not",
    ),
    (
        "warps",
        "sync_threads()  # warps",
        "if a[t] < 64:",
        "64 (64-127) come to it, 64 (0-63) do not",
    ),
    (
        "loop",
        "sync_threads()  # in the loop",
        "for _ in range(a[t].to(Int32) // 32):",
        "come to it",
    ),
    (
        "nested",
        "sync_threads()  # nested",
        "if a[t] > 3:",
        "124 (4-127) come to it, 4 (0-3) do not",
    ),
    (
        "numbered",
        "64)  # numbered",
        "if a[t] > 15:",
        "barrier 1 for 64 threads: 16 (16-31) come to it",
    ),
    (
        "arrival",
        "96)  # arrives",
        "if a[t] > 47:",
        "barrier 1 for 96 threads: 16 (48-63) come to it",
    ),
    (
        "sync_warp",
        "sync_warp()  # sync_warp",
        "if a[t] < 60:",
        "sync_warp of lanes 0xffffffff: 28 (32-59)",
    ),
    (
        "shuffle",
        "0)  # shuffle",
        "if value < 60:",
        "a shuffle of lanes 0xffffffff: 28 (32-59) come",
    ),
    (
        "vote",
        "> 50):  # vote",
        "if a[t] < 60:",
        "a vote of lanes 0xffffffff: 28 (32-59) come to it",
    ),
    (
        "elect",
        "elect_one():  # elect",
        "if a[t] < 60:",
        "elect_one: 28 (32-59) come to it, 4 (60-63)",
    ),
]


@pytest.mark.parametrize(("bug", "line", "branch", "message"), SKIPS, ids=[row[0] for row in SKIPS])
def test_threads_that_go_past(bug, line, branch, message):
    findings = found(run_mistakes, numbers(), bug, checks="sync")
    (finding,) = [each for each in findings if message in each.message]
    assert finding.kind == "sync"
    lines = lines_of(finding)
    assert line in lines[0] and lines[-1] == branch
    assert finding.accesses[-1].what == "skips"


@pytest.mark.parametrize(
    ("bug", "lines", "message"),
    [
        (
            "lines",
            ["# the first line", "# the other line", "if a[t] < 64:"],
            "64 (0-63) in test_check_divergence.py",
        ),
        ("next barrier", ["# before", "# behind", "if a[t] < 96:"], "96 (0-95) in"),
        (
            "skipped iteration",
            ["# in some iterations", "for i in range(4):"],
            "in different iterations of a loop",
        ),
        ("two shuffles", ["# one shuffle", "# another shuffle", "if value < 60:"], "28 (32-59) in"),
    ],
)
def test_threads_that_meet_at_different_places(bug, lines, message):
    findings = found(run_mistakes, numbers(), bug, checks="sync")
    (finding,) = [each for each in findings if message in each.message]
    assert all(part in line for part, line in zip(lines, lines_of(finding), strict=True))


@cute.kernel
def clean(a: cute.Tensor, n: Int32, way: cute.Constexpr):
    t, _, _ = cute.arch.thread_idx()
    x, _, _ = cute.arch.block_idx()
    if cute.const_expr(way == "blocks end"):
        if a[x] > 0:
            return
        cute.arch.sync_threads()
        a[t] = 1.0
    elif cute.const_expr(way == "warps end"):
        if a[t] < 64:
            a[t] = 0.0
            return
        cute.arch.sync_threads()
        a[t] = 1.0
    elif cute.const_expr(way == "lanes end"):
        if a[t] >= 100:
            return
        cute.arch.sync_threads()
        a[t] = 1.0
        cute.arch.sync_threads()
        a[t] = 2.0
    elif cute.const_expr(way == "end in a loop"):
        for i in range(4):
            if a[t] < i * 32:
                return
            cute.arch.sync_threads()
        a[t] = 1.0
    elif cute.const_expr(way == "same for all"):
        if a[0] < 2:
            cute.arch.sync_threads()
        cute.arch.sync_threads()
        a[t] = 1.0
    elif cute.const_expr(way == "same loop"):
        for _ in range(a[3].to(Int32)):
            cute.arch.sync_threads()
            a[t] = a[t] + 1.0
            cute.arch.sync_threads()
        a[t] = 1.0
    elif cute.const_expr(way == "apart before"):
        for _ in range(a[t].to(Int32) % 5):
            a[t] = a[t] + 1.0
        cute.arch.sync_threads()
        a[t] = 1.0
    else:
        clean_warps(a, n, way)


@cute.jit
def clean_warps(a: cute.Tensor, n: Int32, way: cute.Constexpr):
    t, _, _ = cute.arch.thread_idx()
    if cute.const_expr(way == "numbered"):
        if a[t] < 64:
            cute.arch.barrier(barrier_id=1, number_of_threads=64)
        else:
            cute.arch.barrier(barrier_id=2, number_of_threads=64)
        a[t] = 1.0
    elif cute.const_expr(way == "arrival"):
        if a[t] < 64:
            cute.arch.barrier_arrive(barrier_id=1, number_of_threads=128)
        else:
            cute.arch.barrier(barrier_id=1, number_of_threads=128)
        a[t] = 1.0
    elif cute.const_expr(way == "whole warps"):
        value = a[t]
        if value < 64:
            value = cute.arch.shuffle_sync(value, 0)
            cute.arch.sync_warp()
        a[t] = value
    elif cute.const_expr(way == "masks"):
        value = a[t]
        if value < 16:
            value = cute.arch.shuffle_sync(value, 0, mask=0xFFFF)
        a[t] = value
    elif cute.const_expr(way == "lanes end before a vote"):
        if a[t] < 100:
            if cute.arch.vote_any_sync(a[t] > 50):
                a[t] = 1.0
    elif cute.const_expr(way == "elected"):
        if a[t] < 32:
            with cute.arch.elect_one():
                a[t] = 1.0
        a[t] = a[t] + 1.0


@cute.jit
def run_clean(a: cute.Tensor, n: Int32, way: cute.Constexpr):
    clean(a, n, way).launch(grid=2 if cute.const_expr(way == "blocks end") else 1, block=THREADS)


WAYS = [
    "blocks end",
    "warps end",
    "lanes end",
    "end in a loop",
    "same for all",
    "same loop",
    "apart before",
    "numbered",
    "arrival",
    "whole warps",
    "masks",
    "lanes end before a vote",
    "elected",
]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("coroutines", ["0", "1"])
def test_threads_that_may_end_or_agree(way, coroutines, monkeypatch):
    monkeypatch.setenv("FAIRLEAD_CPU_COROUTINES", coroutines)
    assert findings(run_clean, numbers(), 40, way, checks="sync") == []


@cute.kernel
def product(
    a: cute.Tensor, b: cute.Tensor, c: cute.Tensor, mma: cute.TiledMma, bug: cute.Constexpr
):
    t, _, _ = cute.arch.thread_idx()
    part = mma.get_slice(t)
    parts = part.partition_A(a), part.partition_B(b), part.partition_C(c)
    ra, rb = mma.make_fragment_A(parts[0]), mma.make_fragment_B(parts[1])
    sums = mma.make_fragment_C(parts[2])
    cute.autovec_copy(parts[0], ra)
    cute.autovec_copy(parts[1], rb)
    sums.fill(0.0)
    if cute.const_expr(bug):
        if c[t % 16, 0] < 7:
            cute.gemm(mma, sums, ra, rb, sums)  # of some lanes
    else:
        if c[0, 0] < 7:
            cute.gemm(mma, sums, ra, rb, sums)
    cute.autovec_copy(sums, parts[2])


@cute.jit
def run_product(a: cute.Tensor, b: cute.Tensor, c: cute.Tensor, bug: cute.Constexpr):
    mma = cute.make_tiled_mma(cute.nvgpu.warp.MmaF16BF16Op(cute.Float16, Float32, (16, 8, 16)))
    a = cute.make_tensor(a.iterator, cute.make_layout((16, 16), stride=(16, 1)))
    b = cute.make_tensor(b.iterator, cute.make_layout((8, 16), stride=(16, 1)))
    c = cute.make_tensor(c.iterator, cute.make_layout((16, 8), stride=(8, 1)))
    product(a, b, c, mma, bug).launch(grid=1, block=32)


def test_a_product_in_a_branch_that_some_lanes_take():
    a, b = np.ones((16, 16), np.float16), np.ones((8, 16), np.float16)
    c = np.repeat(np.arange(16, dtype=np.float32)[:, None], 8, axis=1)
    checked(run_product, a, b, c.copy(), False, checks="sync")
    (finding,) = found(run_product, a, b, c.copy(), True, checks="sync")
    assert "disagree about a branch around" in finding.message
    lines = lines_of(finding)
    assert "# of some lanes" in lines[0] and lines[1] == "if c[t % 16, 0] < 7:"


def test_a_warpgroup_of_which_some_threads_commit():
    numbers = np.random.default_rng(0)
    a, b = (numbers.integers(-2, 3, (64, 64)).astype(np.float16) for _ in range(2))
    c = np.repeat(np.arange(64, dtype=np.float32)[:, None], 64, axis=1)
    findings = found(programs.product, a, b, c, "divergent", checks="sync")
    (finding,) = [each for each in findings if "threads of a warpgroup go past" in each.message]
    assert "46 (41-63, 105-127) come to it, 82 (0-40, 64-104) do not" in finding.message
    assert lines_of(finding)[-1] == "if first > 40.0:"


def test_a_deadlock_names_the_branch():
    (finding,) = found(programs.barriers, zeros(128), "missing", checks="sync")
    assert "does not take the branch in async_programs.py:" in finding.hint


def test_the_report_names_both_lines():
    with pytest.raises(fairlead.CheckError) as caught:
        checked(run_mistakes, numbers(), "lanes", checks="sync")
    report = str(caught.value)
    assert "threads go past sync_threads: 60 (0-59) come to it, 68 (60-127) do not" in report
    assert "waits" in report and "skips" in report
    assert "thread (60, 0, 0) of block (0, 0, 0)" in report


@cute.kernel
def sum_by_shuffles(a: cute.Tensor):
    t, _, _ = cute.arch.thread_idx()
    total = a[t]
    for distance in (16, 8, 4, 2, 1):
        total += cute.arch.shuffle_sync_down(total, distance)
    if t == 0:
        a[0] = total


@cute.jit
def run_sum_by_shuffles(a: cute.Tensor):
    sum_by_shuffles(a).launch(grid=1, block=a.shape[0])


def test_a_lane_that_the_block_does_not_have():
    checked(run_sum_by_shuffles, np.ones(32, np.float32), checks="sync")
    findings = found(run_sum_by_shuffles, np.ones(20, np.float32), checks="sync")
    assert "reads from a lane which takes no part in it" in findings[0].message
    assert lines_of(findings[0]) == ["total += cute.arch.shuffle_sync_down(total, distance)"]


@cute.kernel
def shuffle_of_the_first_half(a: cute.Tensor):
    t, _, _ = cute.arch.thread_idx()
    a[t] = cute.arch.shuffle_sync(a[t], 3, mask=0xFFFF)


@cute.jit
def run_shuffle_of_the_first_half(a: cute.Tensor):
    shuffle_of_the_first_half(a).launch(grid=1, block=32)


@pytest.mark.parametrize("coroutines", ["0", "1"])
def test_a_lane_that_its_mask_leaves_out(coroutines, monkeypatch):
    """PTX does not define the result. The lanes take part, as programs expect, and ``sync`` reports them."""
    monkeypatch.setenv("FAIRLEAD_CPU_COROUTINES", coroutines)
    a = np.arange(32, dtype=np.float32)
    run_shuffle_of_the_first_half(a)
    np.testing.assert_array_equal(a, 3)
    findings = found(run_shuffle_of_the_first_half, a, checks="sync")
    assert [lines_of(finding) for finding in findings] == [
        ["a[t] = cute.arch.shuffle_sync(a[t], 3, mask=0xFFFF)"]
    ]
    assert "a shuffle of lanes 0x0000ffff by a lane that its mask leaves out" in findings[0].message
