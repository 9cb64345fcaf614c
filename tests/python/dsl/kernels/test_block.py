"""Shared memory, barriers, warp collectives and atomics on the CPU target; printf."""

import re

import numpy as np
import pytest
from support import block_programs
from support import dsl_support as support
from support.functions_support import instructions, ptx, run

import fairlead
from fairlead import cute, primitives
from fairlead.utils import SmemAllocator


@pytest.fixture(params=["loops", "coroutines"])
def form(request, monkeypatch):
    """Run with each form of kernels whose threads wait for each other; some kernels have only the second."""
    monkeypatch.setenv("FAIRLEAD_CPU_COROUTINES", "1" if request.param == "coroutines" else "0")


def compiled(function, *arrays, level=3):
    given = (cute.runtime.from_dlpack(array) for array in arrays)
    return cute.compile(function, *given, options=f"--opt-level {level}")


@pytest.mark.parametrize("name", block_programs.PROGRAMS)
def test_program(name, form):
    function, inputs, output, expected = block_programs.case(name)
    compiled(function, *inputs, output)(*inputs, output)
    np.testing.assert_array_equal(output, expected)


@pytest.mark.parametrize("level", [0, 1, 3])
@pytest.mark.parametrize("name", ["tree_sum", "divergent", "two_groups", "matmul"])
def test_optimization_levels(name, level, form):
    function, inputs, output, expected = block_programs.case(name, seed=level)
    compiled(function, *inputs, output, level=level)(*inputs, output)
    np.testing.assert_array_equal(output, expected)


@pytest.mark.parametrize("dtype", list(support.DTYPES))
def test_shuffle_of_every_type(dtype, form):
    cls, numpy = getattr(cute, dtype), support.DTYPES[dtype]

    @cute.kernel
    def device(a: cute.Tensor, b: cute.Tensor):
        t, _, _ = cute.arch.thread_idx()
        b[t] = cute.arch.shuffle_sync(a[t], 31 - t)

    @cute.jit
    def swap(a: cute.Tensor, b: cute.Tensor):
        device(a, b).launch(grid=[1, 1, 1], block=[32, 1, 1])

    a = support.randoms(np.random.default_rng(3), numpy, 32)
    b = support.poisoned(32, numpy)
    cute.compile(swap, support.vector(cls, 32), support.vector(cls, 32))(a, b)
    np.testing.assert_array_equal(b, a[::-1])


def test_more_blocks_than_workers_and_odd_block():
    """Frames and shared memory are used again from block to block."""

    @cute.kernel
    def device(b: cute.Tensor):
        t, _, _ = cute.arch.thread_idx()
        x, _, _ = cute.arch.block_idx()
        tile = shared_ints(33)
        tile[t] = x * 100 + t
        cute.arch.sync_threads()
        b[x, t] = tile[(t + 1) % 33]

    @cute.jit
    def fill(b: cute.Tensor):
        device(b).launch(grid=[b.shape[0], 1, 1], block=[33, 1, 1])

    b = np.zeros((2000, 33), np.int32)
    fill(b)
    t = np.arange(33)
    np.testing.assert_array_equal(b, np.arange(2000)[:, None] * 100 + (t + 1) % 33)


def shared_ints(n):
    return SmemAllocator().allocate_tensor(cute.Int32, n)


def test_sizes_of_shared_memory():
    @cute.kernel
    def device(b: cute.Tensor):
        smem = SmemAllocator()
        first = smem.allocate(3)
        second = smem.allocate(cute.Float64)
        third = smem.allocate_array(cute.Int16, 5, byte_alignment=64)
        b[0] = cute.arch.dynamic_smem_size()
        base = first.toint()
        b[1] = (second.toint() - base).to(cute.Int32)
        b[2] = (third.toint() - base).to(cute.Int32)
        b[3] = (base % 1024).to(cute.Int32)
        third.store(7)
        b[4] = (third + 0).load().to(cute.Int32)

    @cute.jit
    def sizes(b: cute.Tensor):
        device(b).launch(grid=[1, 1, 1], block=[1, 1, 1])

    @cute.jit
    def more(b: cute.Tensor):
        device(b).launch(grid=[1, 1, 1], block=[1, 1, 1], smem=4096)

    b = np.zeros(5, np.int32)
    sizes(b)
    assert b.tolist() == [74, 8, 64, 0, 7]
    more(b)
    assert b[0] == 4096


def test_what_a_launch_asks_for_beyond_what_is_reserved(form):
    """Memory of the size that ``smem`` of the launch says, behind an array."""

    @cute.kernel
    def device(b: cute.Tensor):
        t, _, _ = cute.arch.thread_idx()
        first = cute.arch.alloc_smem(cute.Int32, 3)
        rest = cute.arch.get_dyn_smem(cute.Int32, alignment=64)
        turned = cute.make_tensor(rest, 32)
        first.store(5)
        turned[31 - t] = t
        cute.arch.sync_threads()
        b[t] = turned[t] + (rest.toint() - first.toint()).to(cute.Int32)
        if t == 0:
            b[32] = cute.arch.get_dyn_smem_size()

    @cute.jit
    def program(b: cute.Tensor):
        device(b).launch(grid=1, block=32, smem=64 + 128)

    b = np.zeros(33, np.int32)
    compiled(program, b)(b)
    assert b.tolist() == [64 + 31 - t for t in range(32)] + [192]


def test_an_index_that_is_read_in_a_branch_alone(form):
    @cute.kernel
    def device(out: cute.Tensor, n: cute.Int32):
        for i in range(n):
            if i < 3:
                x, y, z = cute.arch.thread_idx()
                out[z, y, x] = out[z, y, x] + x + 100 * y + 1000 * z
            cute.arch.sync_threads()

    @cute.jit
    def run(out: cute.Tensor, n: cute.Int32):
        device(out, n).launch(grid=1, block=[16, 4, 2])

    out = np.zeros((2, 4, 16), np.int32)
    run(out, 4)
    z, y, x = np.indices(out.shape)
    np.testing.assert_array_equal(out, 3 * (x + 100 * y + 1000 * z))


def test_threads_that_wait_in_vain():
    @cute.kernel
    def device(n: cute.Int32):
        t, _, _ = cute.arch.thread_idx()
        if t < n:
            cute.arch.sync_threads()
        else:
            cute.arch.sync_warp()

    @cute.jit
    def wait(n: cute.Int32):
        device(n).launch(grid=[100, 1, 1], block=[64, 1, 1])

    wait(32)  # whole warps: each meets at its own place
    with pytest.raises(
        RuntimeError,
        match=r"48 of 64 threads \(0-47\) at sync_threads.*, 16 \(48-63\) at sync_warp",
    ):
        wait(48)
    wait(64)


def test_printf(capfd):
    @cute.kernel
    def device(a: cute.Tensor):
        cute.printf("kernel {} {} 100%", a[0], (cute.Int64(1) << 40, cute.Uint8(200)))
        cute.printf("%5.2f|%x", a[0], cute.Int32(255))
        cute.printf(a[0] > 0.0)

    @cute.jit
    def show(a: cute.Tensor, n: cute.Int32):
        cute.printf("host {}", n + 1)
        device(a).launch(grid=[1, 1, 1], block=[1, 1, 1])

    show(np.array([1.5], np.float32), 41)
    assert capfd.readouterr().out.splitlines() == [
        "host 42",
        "kernel 1.500000 (1099511627776,200) 100%",
        " 1.50|ff",
        "1",
    ]


@pytest.mark.parametrize("name", block_programs.PROGRAMS)
def test_which_form(name):
    """Code that provably waits together becomes loops; parts of a block or of a warp are suspended threads."""
    function, inputs, output, _ = block_programs.case(name)
    suspends = "FairleadCpuRunThreads" in compiled(function, *inputs, output).ir
    assert suspends == (name in ("early_exit", "two_groups", "divergent"))


def test_reductions_of_floats():
    @cute.kernel
    def device(a: cute.Tensor, out: cute.Tensor):
        t, _, _ = cute.arch.thread_idx()
        for k, op in enumerate(["fmin", "fmax"]):
            out[t, k] = cute.arch.warp_redux_sync(a[t], op)
        with pytest.raises(ValueError, match="expected a float for fmax, but got Int32"):
            cute.arch.warp_redux_sync(t, "fmax")

    @cute.jit
    def host(a: cute.Tensor, out: cute.Tensor):
        device(a, out).launch(grid=1, block=32)

    a = np.random.default_rng(2).standard_normal(32).astype(np.float32)
    out = np.zeros((32, 2), np.float32)
    cute.compile(host, a, out, options="--target cpu")(a, out)
    assert (out == [a.min(), a.max()]).all()


@pytest.mark.parametrize("name", ["Int8", "Int32", "Uint32", "Int64", "Uint64"])
def test_bits_and_reductions(name):
    from fairlead import Int32

    kind = getattr(cute, name)

    @cute.kernel
    def device(a: cute.Tensor, out: cute.Tensor):
        t, _, _ = cute.arch.thread_idx()
        out[t, 0] = cute.arch.popc(a[t])
        small = (a[t] & 15).to(Int32)
        for k, op in enumerate(["add", "min", "max", "and", "or", "xor"]):
            out[t, k + 1] = cute.arch.warp_redux_sync(small, op)

    @cute.jit
    def host(a: cute.Tensor, out: cute.Tensor):
        device(a, out).launch(grid=1, block=64)

    dtype = {"Int8": np.int8, "Int32": np.int32, "Uint32": np.uint32}.get(name, np.int64)
    dtype = np.uint64 if name == "Uint64" else dtype
    info = np.iinfo(dtype)
    a = np.random.default_rng(2).integers(info.min, info.max, 64, dtype, True)
    out = np.zeros((64, 7), np.int32)
    fakes = [
        cute.runtime.make_fake_compact_tensor(kind, (64,)),
        cute.runtime.make_fake_compact_tensor(Int32, (64, 7), stride_order=(1, 0)),
    ]
    cute.compile(host, *fakes, options="--target cpu")(a, out)
    bits = [bin(int(x) & (1 << 8 * a.itemsize) - 1).count("1") for x in a]
    np.testing.assert_array_equal(out[:, 0], bits)
    small = (a & dtype(15)).astype(np.int32).reshape(2, 32)
    ufuncs = [np.add, np.minimum, np.maximum, np.bitwise_and, np.bitwise_or, np.bitwise_xor]
    for k, ufunc in enumerate(ufuncs):
        np.testing.assert_array_equal(out[:, k + 1], ufunc.reduce(small, axis=1).repeat(32))


@pytest.mark.parametrize("nan", [False, True])
def test_extrema_of_floats_over_a_warp(nan):
    """NaN counts only if requested."""

    @cute.kernel
    def device(a: cute.Tensor, out: cute.Tensor):
        t = cute.arch.thread_idx()[0]
        out[t, 0] = cute.arch.warp_redux_sync(a[t], "fmin", nan=nan)
        out[t, 1] = cute.arch.warp_redux_sync(a[t], "fmax", nan=nan)

    @cute.jit
    def host(a: cute.Tensor, out: cute.Tensor):
        device(a, out).launch(grid=1, block=32)

    a = np.linspace(-5, 7, 32).astype(np.float32)
    out = np.zeros((32, 2), np.float32)
    host(a, out)
    np.testing.assert_array_equal(out, np.tile(np.float32([-5, 7]), (32, 1)))
    a[[3, 31]] = np.nan
    host(a, out)
    expected = [np.nan, np.nan] if nan else [-5, a[30]]
    np.testing.assert_array_equal(out, np.tile(np.float32(expected), (32, 1)))


def reduce_floats(t, out):
    out[t] = cute.arch.warp_redux_sync(out[t], "fmin")


def test_extreme_of_a_part_of_a_warp(form):
    numbers = np.arange(20, 0, -1, dtype=np.float32)
    numbers[3], numbers[10] = 0, -0.0  # no butterfly takes lane 10 to lanes 16 to 19
    run(reduce_floats, numbers, threads=20)
    assert (numbers == 0).all() and np.signbit(numbers).all()


def reduce_integers(t, numbers, out):
    for k, kind in enumerate(("add", "min", "max", "and", "or", "xor")):
        out[k, t] = cute.arch.warp_redux_sync(numbers[t], kind).to(cute.Int32)


@pytest.mark.parametrize("threads", [20, 33, 64])
def test_reductions_of_a_part_of_a_warp(form, threads):
    """Lanes that the last warp of the block lacks do not count, and reading them is no finding."""
    ufuncs = [np.add, np.minimum, np.maximum, np.bitwise_and, np.bitwise_or, np.bitwise_xor]
    for dtype in (np.int32, np.uint16, np.int64):
        numbers = np.random.default_rng(3).integers(1, 1000, threads).astype(dtype)
        out = np.zeros((6, threads), np.int32)
        with fairlead.checks.on("all"):
            run(reduce_integers, numbers, out, threads=threads)
        for k, ufunc in enumerate(ufuncs):
            expected = [ufunc.reduce(numbers[t // 32 * 32 :][:32]) for t in range(threads)]
            np.testing.assert_array_equal(out[k], expected)


def reduce_what_is_left(t, numbers, stays, out):
    if stays[t] != 0:
        out[0, t] = cute.arch.warp_redux_sync(numbers[t], "add")
        out[1, t] = primitives.redux_sync(numbers[t], "MAX", -1)
        out[2, t] = primitives.redux_sync(numbers[t], "XOR", 0xFFFFFFFF)


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9])
def test_reductions_without_lanes_that_have_ended(form, share):
    numbers = np.random.default_rng(5).integers(-1000, 1000, 96).astype(np.int32)
    stays = (np.random.default_rng(int(10 * share)).random(96) < share).astype(np.int32)
    out = np.zeros((3, 96), np.int32)
    run(reduce_what_is_left, numbers, stays, out, threads=96)
    for first in range(0, 96, 32):
        warp = slice(first, first + 32)
        left = numbers[warp][stays[warp] != 0]
        for row, ufunc in zip(out, (np.add, np.maximum, np.bitwise_xor), strict=True):
            expected = ufunc.reduce(left) if len(left) else 0
            np.testing.assert_array_equal(row[warp], np.where(stays[warp], expected, 0))


def test_reductions_of_words_are_instructions(tmp_path):
    numbers, out = np.zeros(32, np.uint32), np.zeros((6, 32), np.int32)
    text = ptx(reduce_integers, numbers, out, arch="sm_80", folder=tmp_path)
    assert instructions(text, "redux.sync") == [
        f"redux.sync.{name}" for name in "add.u32 min.u32 max.u32 and.b32 or.b32 xor.b32".split()
    ]
    text = ptx(reduce_integers, numbers.astype(np.int64), out, arch="sm_80", folder=tmp_path)
    assert not instructions(text, "redux.sync")


def test_extreme_is_an_instruction_if_the_gpu_has_it(tmp_path):
    numbers = np.zeros(32, np.float32)
    text = ptx(reduce_floats, numbers, arch="sm_100a", folder=tmp_path)
    assert instructions(text, "redux.sync") == ["redux.sync.min.f32"]
    text = ptx(reduce_floats, numbers, arch="sm_110a", folder=tmp_path)
    assert len(instructions(text, "shfl.sync")) == 5 and not instructions(text, "redux.sync")


def numbered(thread, out):
    """All threads meet at barriers of a number, and warps in the branches of their own."""
    shared = primitives.Array(cute.Int32, 64, space="smem")
    shared[thread] = thread
    cute.arch.barrier()
    value = shared[63 - thread]
    cute.arch.barrier(barrier_id=1)
    shared[thread] = value * 2
    primitives.barrier_cta_sync(2)
    out[thread] = shared[63 - thread]


def in_branches(thread, out):
    shared = primitives.Array(cute.Int32, 64, space="smem")
    shared[thread] = thread
    if thread < 32:
        cute.arch.barrier(barrier_id=3)
    if thread >= 32:
        cute.arch.barrier(barrier_id=3)
    out[thread] = shared[63 - thread]


def test_barriers_of_all_threads_name_no_number_of_them(tmp_path):
    text = ptx(numbered, np.zeros(64, np.int32), threads=64, folder=tmp_path)
    found = re.findall(r"bar[\w.]*\s+(\S.*);", text)
    assert [operands.strip() for operands in found] == ["0", "1", "2"]


def test_barriers_of_all_threads_end_loops(tmp_path, monkeypatch):
    """Their threads need no coroutines."""
    monkeypatch.setenv("CUTE_DSL_DUMP_DIR", str(tmp_path))
    out = np.zeros(64, np.int32)
    run(numbered, out, threads=64, more="--keep-ir")
    np.testing.assert_array_equal(out, np.arange(64) * 2)
    files = list(tmp_path.glob("*.ll"))
    assert files and all(".resume" not in file.read_text() for file in files)


def test_a_numbered_barrier_in_branches():
    out = np.zeros(64, np.int32)
    run(in_branches, out, threads=64)
    np.testing.assert_array_equal(out, np.arange(64)[::-1])
