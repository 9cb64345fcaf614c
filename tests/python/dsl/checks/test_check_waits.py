"""Loops that wait for memory: errors if nothing can write it, and turns for the threads and blocks that will."""

import numpy as np
import pytest
from support.check_support import checked, found, lines_of, zeros

from fairlead import Float32, Int32, cute


def value(flag):
    return cute.arch.load(flag.iterator, Int32, sem="acquire", scope="gpu")


@cute.kernel
def handed(flag: cute.Tensor, out: cute.Tensor, way: cute.Constexpr):
    t, _, _ = cute.arch.thread_idx()
    b, _, _ = cute.arch.block_idx()
    if b * 64 + t == 64 or cute.const_expr(way == "block") and t == 32:
        out[0] = Float32(3.0)
        cute.arch.store(flag.iterator, Int32(1), sem="release", scope="gpu")
    if b * 64 + t == 0:
        if cute.const_expr(way == "plain"):
            while flag[0] == 0:  # waits
                pass
        elif cute.const_expr(way == "add"):
            while cute.arch.atomic_add(flag.iterator, Int32(0), sem="acquire") == 0:  # waits
                pass
        elif cute.const_expr(way == "break"):
            while True:  # waits
                if value(flag) != 0:
                    break
        elif cute.const_expr(way == "carried"):
            come, naps = value(flag), Int32(8)
            while come < 1:  # waits
                naps = naps * 2
                cute.arch.nanosleep(naps)
                come = value(flag)
        else:
            while value(flag) == 0:  # waits
                pass
        out[1] = out[0]


@cute.jit
def hand(flag: cute.Tensor, out: cute.Tensor, way: cute.Constexpr):
    if cute.const_expr(way == "cooperative"):
        handed(flag, out, way).launch(grid=2, block=64, cooperative=True)
    elif cute.const_expr(way == "cluster"):
        handed(flag, out, way).launch(grid=2, block=64, cluster=(2, 1, 1))
    else:
        handed(flag, out, way).launch(grid=1 if way == "block" else 2, block=64)


def flag():
    return zeros(1, dtype=np.int32)


@pytest.mark.parametrize("way", ["load", "plain", "add", "break", "carried"])
def test_a_block_that_waits_for_a_later_one(way):
    (finding,) = found(hand, flag(), zeros(2), way)
    assert finding.kind == "sync"
    assert "block (0, 0, 0) waits for a value that only a later block can write" in finding.message
    assert "1 of 64 threads (0) at a loop that waits for memory" in finding.message
    assert lines_of(finding)[0].endswith("# waits")
    assert "cooperative=True" in finding.hint


@pytest.mark.parametrize("way", ["block", "cooperative", "cluster"])
@pytest.mark.parametrize("checks", [True, False])
def test_threads_that_run_at_the_same_time(way, checks):
    out = zeros(2)
    if checks:
        checked(hand, flag(), out, way)
    else:
        hand(flag(), out, way)
    np.testing.assert_array_equal(out, [3.0, 3.0])


@cute.kernel
def never(flag: cute.Tensor, out: cute.Tensor, tries: Int32):
    t, _, _ = cute.arch.thread_idx()
    tried = Int32(0)
    while value(flag) == 0 and (tries < 0 or tried < tries):
        tried += 1
    out[t] = tried.to(Float32)


@cute.jit
def wait(flag: cute.Tensor, out: cute.Tensor, tries: cute.Constexpr):
    never(flag, out, Int32(tries)).launch(grid=1, block=1)


def test_a_loop_that_counts_ends_by_itself():
    out = zeros(1)
    checked(wait, flag(), out, 300_000)
    assert out[0] == 300_000


@cute.kernel
def counted_under_a_lock(lock: cute.Tensor, sums: cute.Tensor):
    t, _, _ = cute.arch.thread_idx()
    if t % 32 == 0:
        while cute.arch.atomic_cas(lock.iterator, cmp=Int32(0), val=Int32(1), sem="acquire") != 0:
            pass
        sums[0] = sums[0] + 1.0
        cute.arch.atomic_exch(lock.iterator, Int32(0), sem="release")


@cute.jit
def count_under_a_lock(lock: cute.Tensor, sums: cute.Tensor):
    counted_under_a_lock(lock, sums).launch(grid=4, block=64)


def test_a_lock():
    sums = zeros(1)
    checked(count_under_a_lock, flag(), sums)
    assert sums[0] == 8


# --- what may be a mistake is noted, and fails nothing


@cute.kernel
def voted(a: cute.Tensor, out: cute.Tensor, what: cute.Constexpr):
    t, _, _ = cute.arch.thread_idx()
    if a[t] < 20:
        if cute.const_expr(what == "ballot"):
            out[t] = cute.arch.vote_ballot_sync(a[t] > 3.0).to(Float32)  # votes
        elif cute.const_expr(what == "all"):
            if cute.arch.vote_all_sync(a[t] > 3.0):  # votes
                out[t] = Float32(1.0)
        elif cute.const_expr(what == "named"):
            out[t] = cute.arch.vote_ballot_sync(a[t] > 3.0, (1 << 20) - 1).to(Float32)
        elif cute.const_expr(what == "present"):
            out[t] = cute.arch.vote_ballot_sync(True).to(Float32)
        else:
            out[t] = cute.arch.warp_redux_sync(a[t], "max")


@cute.jit
def vote(a: cute.Tensor, out: cute.Tensor, what: cute.Constexpr):
    voted(a, out, what).launch(grid=1, block=32)


@pytest.mark.parametrize(
    ("what", "noted"),
    [("ballot", True), ("all", True), ("named", False), ("present", False), ("redux", False)],
)
def test_a_vote_without_lanes_that_have_ended(what, noted, capfd):
    out = zeros(32)
    checked(vote, np.arange(32, dtype=np.float32), out, what)
    text = capfd.readouterr().err
    assert ("note: a vote of lanes 0xffffffff without the votes of 12 (20-31)" in text) == noted
    assert ("# votes" in text) == noted
    assert bool(text) == noted
    if what == "redux":
        np.testing.assert_array_equal(out, [19.0] * 20 + [0.0] * 12)


@cute.kernel
def doubled(a: cute.Tensor, out: cute.Tensor, n: Int32):
    x, y, _ = cute.arch.thread_idx()
    bx, by, _ = cute.arch.block_idx()
    i, j = by * 8 + y, bx * 8 + x
    if j < n:
        out[i, j] = a[i, j] * 2.0


@cute.jit
def double(a: cute.Tensor, out: cute.Tensor, way: cute.Constexpr):
    rows, columns = out.shape
    if cute.const_expr(way == "ceil"):
        doubled(a, out, columns).launch(
            grid=(cute.ceil_div(columns, 8), rows // 8, 1), block=(8, 8, 1)
        )
    else:
        count = 13 if way == "count" else columns
        doubled(a, out, count).launch(grid=(columns // 8, rows // 8, 1), block=(8, 8, 1))
    if cute.const_expr(way == "tail"):
        tail = cute.make_tensor(out.iterator + 16, cute.make_layout((16, 4), stride=(20, 1)))
        of = cute.make_tensor(a.iterator + 16, cute.make_layout((16, 4), stride=(20, 1)))
        doubled(of, tail, 4).launch(grid=(1, 2, 1), block=(8, 8, 1))


@pytest.mark.parametrize(
    ("way", "noted"), [("floor", True), ("ceil", False), ("tail", False), ("count", False)]
)
def test_a_grid_that_leaves_out_a_tail(way, noted, capfd):
    a, out = np.ones((16, 20), np.float32), zeros(16, 20)
    checked(double, a, out, way)
    text = capfd.readouterr().err
    message = "64 of 320 elements of out: Float32 (16, 20) are never written: indices 16 to 19 of"
    assert (message in text) == noted
    assert ("cute.ceil_div(20, 8)" in text) == noted
    assert bool(text) == noted
    if way in ("ceil", "tail"):
        assert (out == 2).all()
