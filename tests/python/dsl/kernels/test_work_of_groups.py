"""Instructions of a warp or a warpgroup (MMAs, tcgen05) that only some of its threads reach: errors while tracing."""

import re

import pytest
from support.dsl_support import in_kernel

import fairlead
from fairlead import Float32, cute
from fairlead.cute.nvgpu import OperandMajorMode, tcgen05, warpgroup
from fairlead.utils import SmemAllocator
from fairlead.utils import blackwell_helpers as sm100

MAJOR = OperandMajorMode.K


def message_of(function, target):
    with pytest.raises(fairlead.DSLError) as caught:
        cute.compile(function, vector(), options=f"--target {target}")
    return str(caught.value)


def ptx(function):
    return cute.compile(function, vector(), options="--target cuda:sm_100a").__ptx__


def vector():
    return cute.runtime.make_fake_compact_tensor(Float32, (8,))


def product_of_a_warpgroup():
    op = warpgroup.MmaF16BF16Op(
        cute.Float16, Float32, (64, 64, 16), warpgroup.OperandSource.SMEM, MAJOR, MAJOR
    )
    mma = cute.make_tiled_mma(op)
    smem = SmemAllocator()
    tiles = [smem.allocate_tensor(cute.Float16, cute.make_layout((64, 16)), 1024) for _ in range(2)]
    for each in tiles:
        each[0, 0] = 1.0
    part = mma.get_slice(0)
    sums = cute.make_rmem_tensor(mma.partition_shape_C((64, 64)), Float32)
    sums.fill(0.0)
    a, b = part.partition_A(tiles[0]), part.partition_B(tiles[1])
    cute.gemm(mma, sums, mma.make_fragment_A(a), mma.make_fragment_B(b), sums)


def in_branch(work, condition):
    def body(a: cute.Tensor):
        if condition(cute.arch.thread_idx()[0]):
            work()
        a[0] = 1.0

    return body


def elected(work):
    def body(a: cute.Tensor):
        with cute.arch.elect_one():
            work()

    return body


WARPGROUP_WORK = [
    (product_of_a_warpgroup, "an MMA of a warpgroup"),
    (warpgroup.fence, "a fence of a warpgroup"),
    (warpgroup.commit_group, "a commit of a warpgroup's MMAs"),
    (lambda: warpgroup.wait_group(0), "a wait for a warpgroup's MMAs"),
]


def warpgroup_mistakes(work):
    return [
        (in_branch(work, lambda t: t < 64), "the thread index x < 64"),
        (in_branch(work, lambda t: t >= 160), "the thread index x >= 160"),
        (elected(work), "elect_one()"),
    ]


@pytest.mark.parametrize(("work", "what"), WARPGROUP_WORK)
@pytest.mark.parametrize("target", ["cpu", "cuda:sm_90a"])
def test_work_of_a_warpgroup_that_some_threads_never_reach(work, what, target):
    for body, condition in warpgroup_mistakes(work):
        message = message_of(in_kernel(body, 256), target)
        branch = "inside a branch that only some threads of a warpgroup take"
        assert f"has {what} {branch} ({condition}), but it takes the whole warpgroup" in message


@pytest.mark.parametrize("work", [work for work, _ in WARPGROUP_WORK])
@pytest.mark.parametrize("bound", [128, 256])
def test_work_of_whole_warpgroups_is_no_mistake(work, bound):
    body = in_branch(work, lambda t: t < bound)
    ptx = cute.compile(in_kernel(body, 288), vector(), options="--target cuda:sm_90a").__ptx__
    assert "wgmma." in ptx


def tensor_memory():
    return cute.arch.retrieve_tmem_ptr(Float32, 16, stored_place())


def stored_place():
    place = SmemAllocator().allocate(cute.Int32)
    place.store(0)
    return place


def copy_of_tensor_memory(op):
    tensor = cute.make_tensor(tensor_memory(), cute.make_layout((128, 64), stride=(65536, 1)))
    registers = cute.make_rmem_tensor(cute.make_layout(((64, 1), 1)), Float32)
    registers.fill(1.0)
    atom = cute.make_copy_atom(op(tcgen05.Repetition.x64), Float32)
    copy = tcgen05.make_tmem_copy(atom, tensor)
    part = copy.get_slice(0)
    if op is tcgen05.St32x32bOp:
        cute.copy(copy, registers, part.partition_D(tensor))
    else:
        cute.copy(copy, part.partition_S(tensor), registers)


def product_in_tensor_memory(writes=(True, True)):
    """Multiply tiles of A and B in shared memory; `writes` tells which of them are written before."""
    mma = sm100.make_trivial_tiled_mma(
        cute.Float16, MAJOR, MAJOR, Float32, tcgen05.CtaGroup.ONE, (128, 64)
    )
    shape = (128, 64, 64)
    smem = SmemAllocator()
    layouts = [
        sm100.make_smem_layout_a(mma, shape, cute.Float16, 1),
        sm100.make_smem_layout_b(mma, shape, cute.Float16, 1),
    ]
    tiles = [smem.allocate_tensor(cute.Float16, each.outer, 1024, each.inner) for each in layouts]
    for tile, written in zip(tiles, writes, strict=True):
        if written:
            tile.iterator.store(1.0)
    sums = mma.make_fragment_C(mma.partition_shape_C(shape[:2]))
    sums = cute.make_tensor(tensor_memory(), sums.layout)
    at = (None, None, 0, 0)
    a, b = mma.make_fragment_A(tiles[0])[at], mma.make_fragment_B(tiles[1])[at]
    cute.gemm(mma, sums, a, b, sums)


TENSOR_MEMORY_WORK = [
    (lambda: cute.arch.alloc_tmem(64, stored_place()), "tcgen05.alloc"),
    (lambda: cute.arch.dealloc_tmem(tensor_memory(), 64), "tcgen05.dealloc"),
    (lambda: cute.arch.relinquish_tmem_alloc_permit(), "tcgen05.relinquish_alloc_permit"),
    (lambda: copy_of_tensor_memory(tcgen05.Ld32x32bOp), "tcgen05.ld"),
    (lambda: copy_of_tensor_memory(tcgen05.St32x32bOp), "tcgen05.st"),
    (lambda: cute.arch.fence_view_async_tmem_load(), "tcgen05.wait"),
]


@pytest.mark.parametrize(("work", "what"), TENSOR_MEMORY_WORK)
def test_work_on_tensor_memory_that_some_lanes_never_reach(work, what):
    for body, condition in (
        (in_branch(work, lambda t: t < 16), "the thread index x < 16"),
        (elected(work), "elect_one()"),
    ):
        message = message_of(in_kernel(body), "cuda:sm_100a")
        branch = f"inside a branch that only some lanes of a warp take ({condition})"
        assert f"has {what} {branch}" in message


@pytest.mark.parametrize(("work", "what"), TENSOR_MEMORY_WORK)
def test_work_of_a_warp_on_tensor_memory_is_no_mistake(work, what):
    body = in_branch(work, lambda t: t < 32)
    ptx = cute.compile(in_kernel(body), vector(), options="--target cuda:sm_100a").__ptx__
    assert what in ptx


def test_product_in_tensor_memory_by_some_lanes():
    body = in_branch(product_in_tensor_memory, lambda t: t < 16)
    message = message_of(in_kernel(body), "cuda:sm_100a")
    assert "a tcgen05 instruction (of an elected lane) inside a branch" in message


def commits_in_tensor_memory():
    product_in_tensor_memory()
    tcgen05.commit(SmemAllocator().allocate(cute.Int64))


@pytest.mark.parametrize(
    "body",
    [
        elected(commits_in_tensor_memory),
        in_branch(commits_in_tensor_memory, lambda t: t == 0),
    ],
)
def test_a_chosen_lane_multiplies_in_tensor_memory_without_another_election(body):
    text = ptx(in_kernel(body))
    product = r"setp.ne.b32 added, [^;]*; tcgen05.mma.cta_group::1.kind::f16 "
    assert len(re.findall(product, text)) == 1
    assert "elect.sync _|p" not in text


def test_all_lanes_elect_the_one_that_multiplies_in_tensor_memory():
    text = ptx(in_kernel(in_branch(product_in_tensor_memory, lambda t: t < 32)))
    assert len(re.findall(r"elect.sync _\|p, -1; @p tcgen05.mma", text)) == 1


@pytest.mark.parametrize(
    ("writes", "size"),
    [((False, True), "16384"), ((True, False), "8192"), ((False, False), "16384")],
)
def test_product_of_tiles_that_nothing_writes(writes, size):
    """The accumulator's address is a number that the kernel loads, and no address of shared memory."""

    def multiplies(a: cute.Tensor):
        product_in_tensor_memory(writes)

    message = message_of(in_kernel(multiplies), "cuda:sm_100a")
    assert "reads shared memory at test_work_of_groups.py:" in message
    assert (
        f"that nothing in it writes on any path ({size} bytes of Float16, allocated at " in message
    )


def test_product_of_tiles_that_are_written():
    def multiplies(a: cute.Tensor):
        product_in_tensor_memory()

    assert "tcgen05.mma.cta_group::1" in ptx(in_kernel(multiplies))
