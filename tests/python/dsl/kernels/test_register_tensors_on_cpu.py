"""Register tensors of threads on the CPU: sums as vectors, loops around one barrier, values of lanes side by
side. Each kernel with its threads as loops and as coroutines, against NumPy."""

import os
import re
import subprocess
import sys

import numpy as np
import pytest

from fairlead import Float32, Float64, Int32, cute
from fairlead.cute.nvgpu import MmaUniversalOp, warp

THREADS = 64


def float32(*shape):
    return cute.runtime.make_fake_compact_tensor(
        Float32, shape, stride_order=tuple(reversed(range(len(shape))))
    )


def both_forms(program, *arguments):
    """The program with threads as loops, and suspended where they wait."""
    yield cute.compile(program, *arguments, options="--target cpu")
    os.environ["FAIRLEAD_CPU_COROUTINES"] = "1"
    try:
        yield cute.compile(program, *arguments, options="--target cpu --no-cache")
    finally:
        del os.environ["FAIRLEAD_CPU_COROUTINES"]


class Products:
    """Fragments of (m, n) elements a thread, added to in a loop over k."""

    def __init__(self, dtype, m, n):
        self.dtype, self.m, self.n = dtype, m, n

    @cute.jit
    def __call__(self, a: cute.Tensor, b: cute.Tensor, c: cute.Tensor):
        mma = cute.make_tiled_mma(MmaUniversalOp(self.dtype), cute.make_layout((4, 4, 1)))
        self.kernel(a, b, c, mma).launch(grid=(1, 1, 1), block=(16, 1, 1))

    @cute.kernel
    def kernel(self, a: cute.Tensor, b: cute.Tensor, c: cute.Tensor, mma: cute.TiledMma):
        thread, _, _ = cute.arch.thread_idx()
        mine = mma.get_slice(thread)
        tCgA, tCgB, tCgC = mine.partition_A(a), mine.partition_B(b), mine.partition_C(c)
        tCrA, tCrB = mine.make_fragment_A(tCgA), mine.make_fragment_B(tCgB)
        tCrC = mine.make_fragment_C(tCgC)
        tCrC.fill(0)
        cute.autovec_copy(tCgA, tCrA)
        cute.autovec_copy(tCgB, tCrB)
        cute.gemm(mma, tCrC, tCrA, tCrB, tCrC)
        cute.autovec_copy(tCrC, tCgC)


@pytest.mark.parametrize("options", ["", " --no-fmad", " --check all"])
@pytest.mark.parametrize("dtype", [Float32, Float64, Int32])
@pytest.mark.parametrize(("m", "n"), [(8, 8), (4, 4), (3, 5), (1, 7), (12, 2), (6, 4)])
def test_products_of_fragments_of_many_shapes(dtype, m, n, options):
    shapes = (4 * m, 3), (4 * n, 3), (4 * m, 4 * n)
    fakes = [
        cute.runtime.make_fake_compact_tensor(dtype, shape, stride_order=(1, 0)) for shape in shapes
    ]
    program = cute.compile(Products(dtype, m, n), *fakes, options="--target cpu" + options)
    random = np.random.default_rng(0)
    numbers = {Float32: np.float32, Float64: np.float64, Int32: np.int32}[dtype]
    a, b = (random.integers(-9, 10, shape).astype(numbers) for shape in shapes[:2])
    c = np.full(shapes[2], 77, numbers)
    program(a, b, c)
    np.testing.assert_array_equal(c, a.astype(np.float64) @ b.astype(np.float64).T)


def test_each_sum_is_rounded_as_by_itself():
    """A chain of fused multiply-adds for each element, in the order of k."""
    shapes = (32, 5), (32, 5), (32, 32)
    program = cute.compile(
        Products(Float32, 8, 8), *(float32(*shape) for shape in shapes), options="--target cpu"
    )
    random = np.random.default_rng(1)
    a, b = (random.standard_normal(shape).astype(np.float32) for shape in shapes[:2])
    c = np.zeros(shapes[2], np.float32)
    program(a, b, c)
    expected = np.zeros(shapes[2], np.float32)
    for k in range(5):
        # Exact in 64 bits but for the sum, whose double rounding these numbers do not show.
        products = a[:, k, None].astype(np.longdouble) * b[None, :, k].astype(np.longdouble)
        expected = (products + expected.astype(np.longdouble)).astype(np.float32)
    np.testing.assert_array_equal(c, expected)


@cute.kernel
def device_one_barrier(a: cute.Tensor, n: Int32, out: cute.Tensor):
    """In each round a thread writes, waits, and reads what its neighbour wrote; two places in turn."""
    thread, _, _ = cute.arch.thread_idx()
    tile = cute.SmemAllocator().allocate_tensor(Float32, cute.make_layout((THREADS, 2)))
    sums = cute.make_rmem_tensor(4, Float32)
    sums.fill(0.0)
    carried, stage = Float32(1.0), Int32(0)
    for i in range(n):
        value = a[thread] + i
        tile[thread, stage] = value * carried
        for j in cute.range_constexpr(4):
            sums[j] += value * (j + 1)
        cute.arch.sync_threads()
        other = tile[(thread + 1) % THREADS, stage]
        for j in cute.range_constexpr(4):
            sums[j] += other * (j - 1)
        carried = carried * 0.5 + other
        stage = 1 - stage
    for j in cute.range_constexpr(4):
        out[thread, j] = sums[j] + carried


@cute.jit
def one_barrier(a: cute.Tensor, n: Int32, out: cute.Tensor):
    device_one_barrier(a, n, out).launch(grid=(1, 1, 1), block=(THREADS, 1, 1))


def one_barrier_by_numpy(a, n):
    sums, carried = np.zeros((THREADS, 4)), np.ones(THREADS)
    steps = np.arange(4)
    for i in range(n):
        value = a.astype(np.float64) + i
        other = np.roll(value * carried, -1)
        sums += value[:, None] * (steps + 1) + other[:, None] * (steps - 1)
        carried = carried * 0.5 + other
    return sums + carried[:, None]


@pytest.mark.parametrize("rounds", [0, 1, 2, 3, 8])
def test_loops_around_one_barrier(rounds):
    a = np.linspace(-0.5, 0.5, THREADS).astype(np.float32)
    for program in both_forms(one_barrier, float32(THREADS), Int32, float32(THREADS, 4)):
        out = np.full((THREADS, 4), np.nan, np.float32)
        program(a, rounds, out)
        np.testing.assert_allclose(out, one_barrier_by_numpy(a, rounds), rtol=2e-5, atol=2e-5)


@cute.kernel
def device_lanes(a: cute.Tensor, n: Int32, out: cute.Tensor):
    """Registers between shuffles; lanes write some of them by themselves."""
    thread, _, _ = cute.arch.thread_idx()
    kept = cute.make_rmem_tensor(4, Float32)
    fresh = cute.make_rmem_tensor(2, Float32)
    for j in cute.range_constexpr(4):
        kept[j] = a[thread] * (j + 1)
    for _ in range(n):
        fresh[0] = kept[0] + 1.0
        fresh[1] = cute.arch.shuffle_sync_bfly(fresh[0], offset=1)
        kept[0] = cute.arch.shuffle_sync_down(kept[1], offset=2) + fresh[1]
        if thread % 3 == 0:
            kept[1] = kept[2] - fresh[0]
            fresh[0] = kept[3]
        kept[2] = cute.arch.shuffle_sync_bfly(fresh[0], offset=4) + kept[1]
    for j in cute.range_constexpr(4):
        out[thread, j] = kept[j]


@cute.jit
def lanes(a: cute.Tensor, n: Int32, out: cute.Tensor):
    device_lanes(a, n, out).launch(grid=(1, 1, 1), block=(THREADS, 1, 1))


def lanes_by_numpy(a, n):
    thread = np.arange(THREADS)
    kept = [a * np.float32(j + 1) for j in range(4)]
    down = np.where(thread % 32 + 2 < 32, thread + 2, thread) % THREADS
    for _ in range(n):
        first = kept[0] + np.float32(1)
        second = first[thread ^ 1]
        kept[0] = kept[1][down] + second
        mine = thread % 3 == 0
        kept[1] = np.where(mine, kept[2] - first, kept[1])
        first = np.where(mine, kept[3], first)
        kept[2] = first[thread ^ 4] + kept[1]
    return np.stack(kept, 1)


@pytest.mark.parametrize("rounds", [0, 1, 2, 5])
def test_registers_between_operations_of_a_warp(rounds):
    a = np.random.default_rng(2).standard_normal(THREADS).astype(np.float32)
    for program in both_forms(lanes, float32(THREADS), Int32, float32(THREADS, 4)):
        out = np.full((THREADS, 4), np.nan, np.float32)
        program(a, rounds, out)
        np.testing.assert_array_equal(out, lanes_by_numpy(a, rounds))


def wide_multiply_adds(text):
    """Multiply-adds of more than one number."""
    return len(re.findall(r"vfmadd\d+p[sd]", text)), len(re.findall(r"vfmadd\d+s[sd]", text))


ASSEMBLY = """
import sys
sys.path.insert(0, sys.argv[1])
from test_register_tensors_on_cpu import *
program = cute.compile(Products(Float32, 8, 8), *(float32(*s) for s in ((32, 4), (32, 4), (32, 32))),
                       options="--target cpu:x86-64-v3")
print(program.__asm__)
"""


def test_products_of_fragments_are_vector_instructions():
    folder = os.path.dirname(os.path.abspath(__file__))
    done = subprocess.run(
        [sys.executable, "-c", ASSEMBLY, folder], capture_output=True, text=True, check=True
    )
    if "vfmadd" not in done.stdout and "x86" not in os.uname().machine:
        pytest.skip("not a processor of the x86 family")
    packed, single = wide_multiply_adds(done.stdout)
    # 64 sums a step of k, eight a vector.
    assert packed >= 32 and single == 0


def test_an_operand_of_many_atoms_is_unpacked_once():
    """Two atoms along N share A: one call for it."""
    from support import gemm_programs

    from fairlead import Float16

    program = gemm_programs.DirectGemm(warp.MmaF16BF16Op(Float16, Float32, (16, 8, 16)))
    fakes = [
        cute.runtime.make_fake_compact_tensor(dtype, shape, stride_order=(1, 0))
        for dtype, shape in ((Float16, (16, 16)), (Float16, (32, 16)), (Float32, (16, 32)))
    ]
    text = cute.compile(program, *fakes, options="--target cpu").__asm__
    calls = re.findall(r"call\w*\s+\S*fairlead\.mma\.\S+?(\.a|\.b|)(?:@PLT)?\"?\s", text)
    assert (calls.count(".a"), calls.count(".b"), calls.count("")) == (1, 4, 4)


@cute.kernel
def sums_between_barriers(a: cute.Tensor, place: cute.Tensor, b: cute.Tensor):
    """One block of the loop reads and writes the register tensor, which nothing has written before."""
    t, _, _ = cute.arch.thread_idx()
    total = cute.make_rmem_tensor(2, Float32)
    at = place[0]
    for i in range(a.shape[0]):
        cute.arch.sync_threads()
        total[at] = cute.where(i == 0, Float32(0.0), total[at]) + a[i] * (t + 1)
    b[t] = total[at]


@cute.jit
def sum_between_barriers(a: cute.Tensor, place: cute.Tensor, b: cute.Tensor):
    sums_between_barriers(a, place, b).launch(grid=(1, 1, 1), block=(64, 1, 1))


@pytest.mark.parametrize("level", [0, 1, 3])
def test_registers_outlive_barriers_of_a_loop(level, monkeypatch):
    """Coroutines give the same; their memory is in a frame, or on the stack of the thread that resumes them."""
    monkeypatch.setenv("FAIRLEAD_CPU_COROUTINES", "1")
    fakes = [
        cute.runtime.make_fake_compact_tensor(dtype, (cute.sym_int(),))
        for dtype in (Float32, cute.Int32, Float32)
    ]
    compiled = cute.compile(
        sum_between_barriers, *fakes, options=f"--target cpu --opt-level {level}"
    )
    a, b = np.arange(1, 9, dtype=np.float32), np.zeros(64, np.float32)
    compiled(a, np.ones(1, np.int32), b)
    np.testing.assert_array_equal(b, 36 * np.arange(1, 65))
