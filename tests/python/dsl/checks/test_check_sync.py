"""--check sync, and the checks of asynchronous work: right programs, and programs with one mistake."""

import numpy as np
import pytest
from support import async_programs as programs
from support.check_support import checked, findings, found, lines_of, zeros

from fairlead import cute


def test_bulk_copies_from_shared_memory():
    out = zeros(2, 128)
    checked(programs.stored_twice, zeros(128) + 1, out, "")
    np.testing.assert_array_equal(out, [[1.0] * 128, [2.0] * 128])


WRITES = "words[t] = a[t] + i.to(Float32)"
STORES = "cute.copy(store, words, out[None, i])"


@pytest.mark.parametrize(
    ("bug", "kind", "lines", "hint"),
    [
        ("wait", "race", [STORES, WRITES], "wait until its copies have read"),
        ("fence", "race", [WRITES, STORES], "fence_proxy"),
        ("barrier", "race", [WRITES, STORES], ""),
        ("tail", "init", [STORES], "before it was written"),
    ],
)
def test_mistakes_with_bulk_copies(bug, kind, lines, hint):
    findings = found(programs.stored_twice, zeros(128), zeros(2, 128), bug)
    (finding,) = [each for each in findings if each.kind == kind]
    assert sorted(lines_of(finding)) == sorted(lines)
    assert hint in finding.hint


def halves():
    numbers = np.random.default_rng(0)
    return [numbers.integers(-2, 3, (64, 64)).astype(np.float16) for _ in range(2)]


def test_a_product_of_a_warpgroup():
    a, b = halves()
    c = zeros(64, 64)
    checked(programs.product, a, b, c, "")
    np.testing.assert_array_equal(c, a.astype(np.float32) @ b.T.astype(np.float32))


COPIES = "cute.copy(atom, origin, to[None, 0], tma_bar_ptr=barrier)"
PRODUCT = "cute.gemm(mma, sums, ra[None, None, step, 0], rb[None, None, step, 0], sums)"
RESULT = "cute.basic_copy(sums, part.partition_C(cute.local_tile(c, (64, 64), (0, 0))))"
INITS = "cute.arch.mbarrier_init(barrier, 1)"


@pytest.mark.parametrize(
    ("bug", "kind", "lines", "hint"),
    [
        ("arrival", "race", [COPIES, PRODUCT], "wait for its copy"),
        ("overwritten", "race", [PRODUCT, "sb[tid % 64, 0, 0] = sb.element_type(0)"], "wait_group"),
        (
            "unfenced",
            "race",
            [
                "sb[tid % 64, tid // 64, 0] = sb[tid % 64, tid // 64, 0] + sb.element_type(0)",
                PRODUCT,
            ],
            "fence_proxy",
        ),
        ("wait", "sync", [PRODUCT, RESULT], "warpgroup.wait_group(0)"),
        ("registers fence", "sync", [PRODUCT], "warpgroup.fence()"),
        (
            "init barrier",
            "sync",
            [INITS, "cute.arch.mbarrier_wait(barrier, 0)"],
            "a barrier of the block",
        ),
        ("one tile", "init", [RESULT], "before it was written"),
    ],
)
def test_mistakes_with_products(bug, kind, lines, hint):
    findings = found(programs.product, *halves(), zeros(64, 64), bug)
    assert (kind, lines) in [(each.kind, lines_of(each)) for each in findings]
    assert any(hint in each.hint for each in findings if each.kind == kind)
    if bug not in ("arrival", "overwritten", "unfenced"):
        assert {each.kind for each in findings} == {kind}


BEGINS = 'cute.arch.mbarrier_init(full, 31 if cute.const_expr(bug == "count") else 32)'
WAITS = 'cute.arch.mbarrier_wait(full, 1 if cute.const_expr(bug == "parity") else 0)'


@pytest.mark.parametrize(
    ("bug", "line", "message", "hint"),
    [
        ("none", "cute.arch.mbarrier_arrive(full)", "nothing has initialised", "mbarrier_init"),
        ("warps", BEGINS, "two warps initialise one mbarrier", "One thread has to initialise it"),
        ("lane", WAITS, "wait for each other", "lacks 1 of 32 arrivals"),
        ("parity", WAITS, "wait for each other", "of parity 1, lacks 32 of 32 arrivals"),
    ],
)
def test_mistakes_with_mbarriers(bug, line, message, hint):
    checked(programs.arrivals, zeros(64), "")
    findings = found(programs.arrivals, zeros(64), bug, checks="sync")
    assert {each.kind for each in findings} == {"sync"}
    (finding,) = [each for each in findings if line in lines_of(each)]
    assert message in finding.message
    assert hint in finding.hint


def test_a_phase_that_ends_too_early():
    """One missing arrival is enough: nothing waits for the last lane's writes."""
    findings = found(programs.arrivals, zeros(64), "count")
    assert ["s[t] = a[t]", "a[t] = s[63 - t]"] in [lines_of(each) for each in findings]


@pytest.mark.parametrize(
    ("bug", "message"),
    [
        ("unequal", "barrier 1 for 128 threads and for 96"),
        ("few", "barrier 1 for 96 threads, to which 128 come"),
        ("missing", "64 of 128 threads (0-63) at barrier 1 for 128 threads"),
    ],
)
def test_mistakes_with_numbered_barriers(bug, message):
    checked(programs.barriers, zeros(128), "")
    (finding,) = found(programs.barriers, zeros(128), bug, checks="sync")
    assert finding.kind == "sync"
    assert message in finding.message
    assert all("barrier(" in line for line in lines_of(finding))


@pytest.mark.parametrize(
    ("bug", "line", "message"),
    [
        (
            "ended",
            "a[t] = cute.arch.shuffle_sync_down(a[t], 1)",
            "reads from a lane which takes no part",
        ),
        (
            "mask",
            "a[t] = cute.arch.shuffle_sync(a[t], 31, mask=0xFFFF)",
            "reads from a lane which takes no part",
        ),
        ("branches", "cute.arch.sync_warp()", "wait for each other"),
    ],
)
def test_lanes_that_do_not_come(bug, line, message):
    checked(programs.lanes, zeros(64), 40, "")
    findings = found(programs.lanes, zeros(64), 16 if bug == "mask" else 40, bug, checks="sync")
    (finding,) = [each for each in findings if line in lines_of(each)]
    assert finding.kind == "sync"
    assert message in finding.message


def test_threads_that_have_ended_are_no_part_of_a_barrier():
    """The rule of PTX for `exit`; a barrier for a number of threads differs."""
    assert findings(programs.lanes, zeros(64), 40, "meeting") == []


@pytest.mark.parametrize("number", [16, -1])
@pytest.mark.parametrize("function", [cute.arch.barrier, cute.arch.barrier_arrive])
def test_a_barrier_beyond_those_of_a_block_is_seen_while_tracing(number, function):
    @cute.kernel
    def device(a: cute.Tensor):
        function(barrier_id=number, number_of_threads=64)
        a[0] = 1.0

    @cute.jit
    def host(a: cute.Tensor):
        device(a).launch(grid=1, block=64)

    with pytest.raises(ValueError, match=f"barrier.*0 to 15.*got {number}"):
        host(zeros(1))
