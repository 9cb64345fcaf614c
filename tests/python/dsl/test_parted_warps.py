"""Tensor cores on the CPU behind conditions that only the run tells, for kernels as loops and as suspended threads."""

import numpy as np
import pytest

import fairlead
from fairlead import Constexpr, Float16, Float32, Int32, const_expr, cute
from fairlead.cute.nvgpu import warp

NEXT, END, PER_THREAD = 2, 3, 4  # places in the numbers that kernels read


@cute.jit
def product(a: cute.Tensor, b: cute.Tensor, c: cute.Tensor):
    """c += a b^T of one warp; A comes through ldmatrix."""
    lane = cute.arch.lane_idx()
    tiled = cute.make_tiled_mma(warp.MmaF16BF16Op(Float16, Float32, (16, 8, 16)))
    mine = tiled.get_slice(lane)
    load = cute.make_tiled_copy_A(
        cute.make_copy_atom(warp.LdMatrix8x8x16bOp(False, 4), Float16), tiled
    )
    b_part, c_part = mine.partition_B(b), mine.partition_C(c)
    a_mine, b_mine = tiled.make_fragment_A(mine.partition_A(a)), tiled.make_fragment_B(b_part)
    sums = tiled.make_fragment_C(c_part)
    cute.copy(load, load.get_slice(lane).partition_S(a), load.retile(a_mine))
    cute.autovec_copy(b_part, b_mine)
    cute.autovec_copy(c_part, sums)
    cute.gemm(tiled, sums, a_mine, b_mine, sums)
    cute.autovec_copy(sums, c_part)


@cute.kernel
def products(way: Constexpr, a: cute.Tensor, b: cute.Tensor, c: cute.Tensor, numbers: cute.Tensor):
    thread, _, _ = cute.arch.thread_idx()
    own = cute.arch.warp_idx()
    shared = fairlead.utils.SmemAllocator().allocate_tensor(Float16, a.layout, 16)
    for i in range(thread, 256, 64):
        shared[i] = a[i]
    cute.arch.sync_threads()
    c = c[None, None, own]
    if const_expr(way == "loaded"):
        if numbers[0] > 0:
            product(shared, b, c)
    elif const_expr(way == "of the warp"):
        if numbers[own] > 0:
            product(shared, b, c)
    elif const_expr(way == "of each thread"):
        if numbers[PER_THREAD + thread] > 0:
            product(shared, b, c)
    elif const_expr(way == "while"):
        i = Int32(0)
        while i < numbers[own]:
            product(shared, b, c)
            i += 1
    elif const_expr(way == "for"):
        for _ in range(numbers[own].to(fairlead.Int64)):
            product(shared, b, c)
    else:  # a loop over tiles, whose barriers all warps come to
        tile = numbers[NEXT]
        while tile < numbers[END]:
            if numbers[own] > 0:
                product(shared, b, c)
            cute.arch.sync_threads()
            tile += 1


@cute.jit
def run(way: Constexpr, a: cute.Tensor, b: cute.Tensor, c: cute.Tensor, numbers: cute.Tensor):
    a = cute.make_tensor(a.iterator, cute.make_layout((16, 16), stride=(16, 1)))
    b = cute.make_tensor(b.iterator, cute.make_layout((8, 16), stride=(16, 1)))
    c = cute.make_tensor(c.iterator, cute.make_layout((16, 8, 2), stride=(8, 1, 128)))
    products(way, a, b, c, numbers).launch(grid=1, block=64)


@pytest.mark.parametrize("coroutines", ["0", "1"])
@pytest.mark.parametrize(
    ("way", "times"),
    [
        ("loaded", (1, 1)),
        ("of the warp", (1, 0)),
        ("of each thread", (0, 1)),
        ("while", (1, 0)),
        ("for", (1, 0)),
        ("tiles", (2, 0)),
    ],
)
def test_products_behind_conditions(way, times, coroutines, monkeypatch):
    monkeypatch.setenv("FAIRLEAD_CPU_COROUTINES", coroutines)
    random = np.random.default_rng(3)
    a = random.integers(-4, 5, (16, 16)).astype(np.float16)
    b = random.integers(-4, 5, (8, 16)).astype(np.float16)
    c = np.zeros((2, 16, 8), np.float32)
    numbers = np.zeros(PER_THREAD + 64, np.int32)
    numbers[: PER_THREAD + 1] = 1, 0, 5, 7, 0
    numbers[PER_THREAD + 32 :] = 1
    cute.compile(run, way, a, b, c, numbers, options="--target cpu")(a, b, c, numbers)
    whole = a.astype(np.float32) @ b.astype(np.float32).T
    np.testing.assert_array_equal(c, np.stack([count * whole for count in times]))
