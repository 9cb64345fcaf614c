"""Mistakes that are certain while a kernel is traced are errors with the line, on every target; others are not."""

import re

import numpy as np
import pytest
from support.dsl_support import in_kernel

import fairlead
from fairlead import Float32, Int32, cute

TARGETS = ["cpu", "cuda:sm_90a"]


def message_of(function, *arguments, target="cpu"):
    with pytest.raises(fairlead.DSLError) as caught:
        cute.compile(function, *arguments, options=f"--target {target}")
    return str(caught.value)


def vector(n=8):
    return cute.runtime.make_fake_compact_tensor(Float32, (n or cute.sym_int(),))


def write_past_the_end(a: cute.Tensor):
    a[8] = 1.0


def read_before_the_tensor(a: cute.Tensor):
    a[0] = a[-1]


def shared_past_the_end(a: cute.Tensor):
    s = fairlead.utils.SmemAllocator().allocate_tensor(Float32, cute.make_layout(16))
    s[20] = a[0]


def register_past_the_end(a: cute.Tensor):
    r = cute.make_rmem_tensor((4,), Float32)
    r[7] = a[0]


def mode_past_its_extent(a: cute.Tensor):
    square = cute.make_tensor(a.iterator, cute.make_layout((2, 4)))
    square[2, 1] = 1.0


def nested_mode_past_its_extent(a: cute.Tensor):
    nested = cute.make_tensor(a.iterator, cute.make_layout(((2, 2), 2)))
    nested[4, 0] = 1.0


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize(
    ("body", "text", "line"),
    [
        (write_past_the_end, "index 8 is outside the 8 elements", "a[8] = 1.0"),
        (read_before_the_tensor, "index -1 is outside the 8 elements", "a[0] = a[-1]"),
        (shared_past_the_end, "index 20 is outside the 16 elements", "s[20] = a[0]"),
        (register_past_the_end, "index 7 is outside the 4 elements", "r[7] = a[0]"),
        (mode_past_its_extent, "index 2 is outside mode 0, of extent 2, of", "square[2, 1] = 1.0"),
        (
            nested_mode_past_its_extent,
            "index 4 is outside mode 0, of extent 4, of",
            "nested[4, 0] = 1.0",
        ),
    ],
)
def test_constant_indices_outside(body, text, line, target):
    message = message_of(in_kernel(body), vector(), target=target)
    assert text in message and line in message


def test_a_negative_index_of_a_dynamic_extent():
    message = message_of(in_kernel(read_before_the_tensor), vector(None))
    assert "index -1 is outside the elements " in message and "a[a.shape[0] - 1]" in message


def test_constant_indices_inside_are_no_mistake():
    def inside(a: cute.Tensor):
        if cute.arch.thread_idx()[0] == 0:
            square = cute.make_tensor(a.iterator, cute.make_layout((2, 4)))
            square[1, 3] = 1.0
            square[6] = 2.0  # counted through all modes
            a[a.shape[0] - 2] = square[6] + 1.0

    a = np.zeros(8, np.float32)
    cute.compile(in_kernel(inside), vector(), options="--target cpu")(a)
    assert list(a) == [0, 0, 0, 0, 0, 0, 3, 1]


def test_views_may_begin_outside_where_they_are_masked():
    """Copies whose predicates are all false."""

    def masked(a: cute.Tensor, n: Int32):
        tiles = cute.zipped_divide(a, (4,))
        beyond = tiles[None, 2]
        for i in cutlass_range(4):
            if 8 + i < n:
                beyond[i] = 1.0

    cutlass_range = fairlead.range_constexpr
    device = cute.kernel(masked)

    @cute.jit
    def host(a: cute.Tensor, n: Int32):
        device(a, n).launch(grid=(1, 1, 1), block=(1, 1, 1))

    a = np.zeros(8, np.float32)
    cute.compile(host, vector(), 8, options="--target cpu")(a, 8)
    assert not a.any()


def test_a_kernel_that_is_called_and_not_launched_is_shown_where_it_is_called():
    device = cute.kernel(write_one)

    @cute.jit
    def host(a: cute.Tensor):
        device(a)

    message = message_of(host, vector())
    assert "kernel `write_one` is called but not launched" in message
    assert "device(a)\n    ^~~~" in message


def write_one(a: cute.Tensor):
    a[0] = 1.0


def test_a_kernel_that_an_exception_keeps_from_being_launched_is_not_what_is_reported():
    device = cute.kernel(write_one)

    @cute.jit
    def host(a: cute.Tensor):
        device(a)
        raise ValueError("the program's own")

    with pytest.raises(ValueError, match="the program's own"):
        cute.compile(host, vector(), options="--target cpu")


def test_what_a_kernel_returns():
    def returns(a: cute.Tensor):
        return a[0] + 1.0

    message = message_of(in_kernel(returns), vector())
    assert "kernel `returns` returns Float32" in message and "return a[0] + 1.0" in message


def test_a_launch_without_a_grid():
    device = cute.kernel(write_one)

    @cute.jit
    def host(a: cute.Tensor):
        device(a).launch(block=(1, 1, 1))

    assert "missing `grid`" in message_of(host, vector())


def barrier_in_a_branch(a: cute.Tensor):
    t = cute.arch.thread_idx()[0]
    if t < 32:
        a[t % 8] = 1.0
        cute.arch.sync_threads()
    a[0] = 2.0


def barrier_in_a_loop_in_a_branch(a: cute.Tensor):
    t = cute.arch.thread_idx()[0]
    if t >= 32:
        for _ in cute.range(4):
            cute.arch.sync_threads()
    a[0] = 1.0


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize(
    ("body", "condition"),
    [(barrier_in_a_branch, "x < 32"), (barrier_in_a_loop_in_a_branch, "x >= 32")],
)
def test_barriers_that_some_threads_never_reach(body, condition, target):
    message = message_of(in_kernel(body), vector(), target=target)
    assert "blocks of 64 x 1 x 1 threads" in message
    assert f"(the thread index {condition})" in message


@pytest.mark.parametrize("block", [32, 16])
def test_a_branch_that_all_threads_take_may_hold_a_barrier(block):
    a = np.zeros(8, np.float32)
    cute.compile(in_kernel(barrier_in_a_branch, block), vector(), options="--target cpu")(a)
    assert a.tolist() == [2] + [1] * 7


def test_a_barrier_in_a_branch_behind_which_threads_end_is_no_mistake():
    def ends(a: cute.Tensor):
        t = cute.arch.thread_idx()[0]
        if t < 8:
            a[t] = 1.0
            cute.arch.sync_threads()
            reversed_ = a[7 - t]
            cute.arch.sync_threads()
            a[t] = reversed_ + 1.0

    a = np.zeros(8, np.float32)
    cute.compile(in_kernel(ends), vector(), options="--target cpu")(a)
    assert list(a) == [2.0] * 8


def shuffle_of_the_whole_warp(t, a):
    a[t % 8] = cute.arch.shuffle_sync(a[t % 8], 0)


def vote_of_the_whole_warp(t, a):
    a[t % 8] = cute.arch.vote_any_sync(a[t % 8] > 0).to(Float32)


def barrier_of_the_whole_warp(t, a):
    cute.arch.sync_warp()


def product(t, a):
    mma = cute.make_tiled_mma(cute.nvgpu.warp.MmaF16BF16Op(cute.Float16, cute.Float32, (16, 8, 16)))
    fragments = [mma.make_fragment_A(mma.partition_shape_A((16, 16))),
                 mma.make_fragment_B(mma.partition_shape_B((8, 16))),
                 mma.make_fragment_C(mma.partition_shape_C((16, 8)))]  # fmt: skip
    for each in fragments:
        each.fill(1.0)
    cute.gemm(mma, fragments[2], *fragments)
    a[t % 8] = fragments[2][0]


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize(
    ("work", "what"),
    [
        (shuffle_of_the_whole_warp, "a shuffle"),
        (vote_of_the_whole_warp, "a vote"),
        (barrier_of_the_whole_warp, "a barrier of the warp"),
        (product, "an MMA"),
    ],
)
def test_work_of_a_warp_that_some_lanes_never_reach(work, what, target):
    def some(a: cute.Tensor):
        t = cute.arch.thread_idx()[0]
        if t < 40:
            work(t, a)
        a[0] = 1.0

    message = message_of(in_kernel(some), vector(), target=target)
    assert f"has {what} inside a branch that only some lanes of a warp take" in message
    assert "(the thread index x < 40)" in message


def test_work_of_the_lanes_that_take_a_branch_is_no_mistake():
    def some(a: cute.Tensor):
        t = cute.arch.thread_idx()[0]
        if t < 32:
            a[t % 8] = cute.arch.shuffle_sync(a[t % 8], 0)
        if t < 8:
            a[t] = cute.arch.shuffle_sync(a[t], 0, mask=0xFF)
        a[0] = 1.0

    a = np.arange(1, 9, dtype=np.float32)  # a[0] is 1 at all times
    cute.compile(in_kernel(some), vector(), options="--target cpu")(a)
    assert a.tolist() == [1] * 8


def test_barriers_on_both_sides_and_of_some_threads_are_no_mistake():
    def both(a: cute.Tensor):
        t = cute.arch.thread_idx()[0]
        if t < 32:
            cute.arch.sync_threads()
        else:
            cute.arch.sync_threads()
        if t < 32:
            cute.arch.barrier(barrier_id=1, number_of_threads=32)
        a[0] = 1.0

    ptx = cute.compile(in_kernel(both), vector(), options="--target cuda:sm_90a").__ptx__
    assert re.search(r"bar\.sync\s+0;", ptx) and re.search(r"bar\.sync\s+1, 32;", ptx)


def shuffles_elected(a: cute.Tensor):
    with cute.arch.elect_one():
        a[0] = cute.arch.shuffle_sync(a[1], 0)


def shuffles_in_an_elected_loop(a: cute.Tensor):
    """A loop with one iteration in the elected lane, and none in the others."""
    times = cute.where(cute.arch.elect_one(), 1, 0)
    for _ in range(times):
        a[0] = cute.arch.shuffle_sync(a[1], 0)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("body", [shuffles_elected, shuffles_in_an_elected_loop])
def test_work_of_a_warp_where_one_lane_is_elected(body, target):
    message = message_of(in_kernel(body), vector(), target=target)
    assert "a shuffle inside a branch that only some lanes of a warp take (elect_one())" in message


def test_work_of_a_warp_beside_an_election():
    def body(a: cute.Tensor):
        t, _, _ = cute.arch.thread_idx()
        if t < 32:
            with cute.arch.elect_one():
                a[0] = a[1] + 1.0
            cute.arch.sync_warp()

    numbers = np.arange(8, dtype=np.float32)
    cute.compile(in_kernel(body), vector(), options="--target cpu")(numbers)
    assert numbers[0] == 2.0
