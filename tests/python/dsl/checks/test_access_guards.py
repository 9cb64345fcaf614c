"""Guards, on by default: accesses outside of their memory end calls with an error, on the CPU."""

import importlib.util
import platform
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from support.check_support import found, lines_of, zeros

import fairlead
from fairlead import Float32, Int32, cute
from fairlead.cute.nvgpu import cpasync

CPU = "--target cpu"


@pytest.fixture(autouse=True)
def default_checks(monkeypatch):
    monkeypatch.delenv("FAIRLEAD_CHECK", raising=False)


@cute.kernel
def copy_kernel(a: cute.Tensor, out: cute.Tensor):
    i = cute.arch.block_idx()[0] * 64 + cute.arch.thread_idx()[0]
    if i < a.shape[0]:
        out[i] = a[i]


@cute.jit
def copy(a: cute.Tensor, out: cute.Tensor):
    copy_kernel(a, out).launch(grid=cute.ceil_div(a.shape[0], 64), block=64)


@cute.kernel
def gather_kernel(a: cute.Tensor, indices: cute.Tensor, out: cute.Tensor):
    t, _, _ = cute.arch.thread_idx()
    out[t] = a[indices[t]]


@cute.jit
def gather(a: cute.Tensor, indices: cute.Tensor, out: cute.Tensor):
    gather_kernel(a, indices, out).launch(grid=1, block=32)


@cute.kernel
def registers_kernel(out: cute.Tensor, index: Int32):
    values = cute.make_rmem_tensor((4,), Int32)
    for i in range(4):
        values[i] = i
    out[0] = values[index]


@cute.jit
def registers(out: cute.Tensor, index: Int32):
    registers_kernel(out, index).launch(grid=1, block=1)


@cute.kernel
def shared_kernel(out: cute.Tensor, shift: Int32):
    t, _, _ = cute.arch.thread_idx()
    tile = cute.SmemAllocator().allocate_tensor(Int32, 64)
    tile[t] = t
    cute.arch.sync_threads()
    out[t] = tile[t + shift]


@cute.jit
def shared(out: cute.Tensor, shift: Int32):
    shared_kernel(out, shift).launch(grid=1, block=64)


@cute.kernel
def wide_kernel(a: cute.Tensor, out: cute.Tensor, first: Int32):
    t, _, _ = cute.arch.thread_idx()
    part = cute.make_tensor(a.iterator + first + 4 * t, cute.make_layout(4))
    target = cute.make_tensor(out.iterator + 4 * t, cute.make_layout(4))
    target.store(part.load())


@cute.jit
def wide(a: cute.Tensor, out: cute.Tensor, first: Int32):
    wide_kernel(a, out, first).launch(grid=1, block=8)


@cute.kernel
def count_kernel(bins: cute.Tensor, index: Int32):
    cute.arch.atomic_add(bins.iterator + index, Int32(1))


@cute.jit
def count(bins: cute.Tensor, index: Int32):
    count_kernel(bins, index).launch(grid=1, block=32)


@cute.jit
def fill(out: cute.Tensor, n: Int32):
    for i in range(n):
        out[i] = Float32(1.0)


def error_of(function, *arguments) -> fairlead.CheckError:
    with pytest.raises(fairlead.CheckError) as raised:
        function(*arguments)
    return raised.value


def test_a_shorter_output_is_an_error_that_names_it():
    error = error_of(copy, np.ones(1000, np.float32), np.zeros(999, np.float32))
    assert "index 999 of mode 0, which has extent 999, of argument `out: Float32 (999,)`" in str(
        error
    )
    assert "out[i] = a[i]" in str(error) and "test_access_guards.py" in str(error)
    (finding,) = error.findings
    assert finding.kind == "bounds" and finding.accesses[0].thread == (39, 0, 0)


def test_nothing_is_written_past_the_end():
    memory = np.zeros(1000, np.float32)
    error_of(copy, np.ones(1000, np.float32), memory[:100])
    assert not memory[100:].any()


def test_calls_in_bounds_go_well_after_one_that_failed():
    a, out = np.arange(1000, dtype=np.float32), np.zeros(1000, np.float32)
    error_of(copy, a, np.zeros(10, np.float32))
    copy(a, out)
    assert (out == a).all()


def test_columns_of_matrices():
    @cute.kernel
    def kernel(a: cute.Tensor, out: cute.Tensor):
        t, _, _ = cute.arch.thread_idx()
        row, _, _ = cute.arch.block_idx()
        out[row, t] = a[row, t]

    @cute.jit
    def rows(a: cute.Tensor, out: cute.Tensor):
        kernel(a, out).launch(grid=a.shape[0], block=a.shape[1])

    error = error_of(rows, np.ones((8, 32), np.float32), np.zeros((7, 32), np.float32))
    assert "index 7 of mode 0, which has extent 7, of argument `out: " in str(error)


@pytest.mark.parametrize("index", [-1, 128, 2**30, -(2**31)])
def test_indices_from_memory(index):
    a = np.arange(128, dtype=np.float32)
    indices = np.arange(32, dtype=np.int32)
    out = np.zeros(32, np.float32)
    gather(a, indices, out)
    assert (out == a[:32]).all()
    indices[7] = index
    error = error_of(gather, a, indices, out)
    assert f"index {index} of mode 0, which has extent 128, of argument `a: " in str(error)
    assert error.findings[0].accesses[0].thread == (7, 0, 0)


@pytest.mark.parametrize("index", [-1, 4, 1 << 28])
def test_register_tensors(index):
    out = np.zeros(1, np.int32)
    registers(out, 3)
    assert out[0] == 3
    (line,) = {
        number
        for number, text in enumerate(Path(__file__).read_text().splitlines(), 1)
        if text == "    values = cute.make_rmem_tensor((4,), Int32)"
    }
    error = error_of(registers, out, index)
    assert f"the 16 bytes of the register tensor that line {line} makes" in str(error)


@cute.kernel
def view_kernel(out: cute.Tensor, last: Int32):
    t, _, _ = cute.arch.thread_idx()
    allocator = cute.SmemAllocator()
    first, second = (allocator.allocate_tensor(Int32, 64) for _ in range(2))
    first[t], second[t] = t, t
    cute.arch.sync_threads()
    both = cute.make_tensor(first.iterator, cute.make_layout(128))
    out[t] = both[2 * t + last]


@cute.jit
def view(out: cute.Tensor, last: Int32):
    view_kernel(out, last).launch(grid=1, block=64)


def test_views_do_not_join_allocations():
    """In published programs they may, with a warning: published_semantics.py."""
    error = error_of(view, np.zeros(64, np.int32), 1)
    assert "256 bytes of shared memory that test_access_guards.py" in str(error)


@pytest.mark.parametrize("shift", [1, -1, 1 << 28])
def test_shared_memory(shift):
    out = np.zeros(64, np.int32)
    shared(out, 0)
    assert (out == np.arange(64)).all()
    error = error_of(shared, out, shift)
    assert "256 bytes of shared memory that test_access_guards.py" in str(error)


@pytest.mark.parametrize("first", [-2, 2])
def test_vectors_that_cross_the_end(first):
    a, out = np.arange(32, dtype=np.float32), np.zeros(32, np.float32)
    wide(a, out, 0)
    assert (out == a).all()
    assert "argument `a: Float32 (32,)`" in str(error_of(wide, a, out, first))


def test_atomics():
    bins = np.zeros(4, np.int32)
    count(bins, 3)
    assert bins[3] == 32
    assert "index 4 of mode 0" in str(error_of(count, bins, 4))


def test_host_functions():
    out = np.zeros(8, np.float32)
    fill(out, 8)
    assert out.all()
    error = error_of(fill, out, 9)
    assert "index 8 of mode 0, which has extent 8, of argument `out: " in str(error)
    assert "host function" in str(error)


def test_predicated_accesses_are_no_error():
    @cute.kernel
    def kernel(a: cute.Tensor, out: cute.Tensor):
        t, _, _ = cute.arch.thread_idx()
        atom = cute.make_copy_atom(cute.nvgpu.CopyUniversalOp(), Float32)
        predicate = cute.make_rmem_tensor((1,), cute.Boolean)
        predicate[0] = t < a.shape[0]
        values = cute.make_rmem_tensor((1,), Float32)
        values.fill(0.0)
        source = cute.make_tensor(a.iterator + t, cute.make_layout(1))
        cute.copy(atom, source, values, pred=predicate)
        out[t] = values[0]

    @cute.jit
    def function(a: cute.Tensor, out: cute.Tensor):
        kernel(a, out).launch(grid=1, block=64)

    out = np.ones(64, np.float32)
    function(np.ones(40, np.float32), out)
    assert out.sum() == 40


def test_bulk_copies():
    @cute.kernel
    def kernel(a: cute.Tensor, out: cute.Tensor):
        words = cute.SmemAllocator().allocate_tensor(Float32, 128, 16)
        t, _, _ = cute.arch.thread_idx()
        words[t] = a[t] * 2.0
        cute.arch.fence_proxy("async.shared", space="cta")
        cute.arch.sync_threads()
        store = cute.make_copy_atom(
            cute.nvgpu.cpasync.CopyBulkS2GOp(), Float32, num_bits_per_copy=128 * 32
        )
        if t < 32:
            cute.copy(store, words, out)
            cute.arch.cp_async_bulk_commit_group()
            cute.arch.cp_async_bulk_wait_group(0)

    @cute.jit
    def function(a: cute.Tensor, out: cute.Tensor):
        whole = cute.make_tensor(out.iterator, cute.make_layout(128))
        kernel(a, whole).launch(grid=1, block=128)

    out = np.zeros(128, np.float32)
    function(np.ones(128, np.float32), out)
    assert (out == 2).all()
    assert "argument `out: " in str(
        error_of(function, np.ones(128, np.float32), np.zeros(120, np.float32))
    )
    short = np.zeros(120, np.float32)
    (finding,) = found(function, np.ones(128, np.float32), short, checks="bounds")
    assert finding.message.startswith("512 bytes")


@pytest.mark.parametrize("checks", ["guards", "bounds", "memory", "all"])
def test_bulk_copies_beyond_shared_memory(checks):
    """They leave other memory of the process as it is."""

    @cute.kernel
    def kernel(a: cute.Tensor, last: Int32):
        memory = cute.SmemAllocator()
        full = memory.allocate_array(cute.Int64, 1)
        stages = memory.allocate_tensor(Float32, cute.make_layout((128, 2)), 16)
        t, _, _ = cute.arch.thread_idx()
        if t == 0:
            cute.arch.mbarrier_init(full, 1)
        cute.arch.mbarrier_init_fence()
        cute.arch.sync_threads()
        load = cute.make_copy_atom(
            cute.nvgpu.cpasync.CopyBulkG2SOp(), Float32, num_bits_per_copy=128 * 32
        )
        with cute.arch.elect_one():
            cute.arch.mbarrier_arrive_and_expect_tx(full, 512)
        cute.copy(load, a, cute.make_tensor(stages.iterator + last * 128, 128), mbar_ptr=full)
        cute.arch.mbarrier_wait(full, 0)
        a[t] = stages[t, 1]

    @cute.jit
    def function(a: cute.Tensor, last: Int32):
        whole = cute.make_tensor(a.iterator, cute.make_layout(128))
        kernel(whole, last).launch(grid=1, block=32)

    with fairlead.checks.on(checks):
        function(np.ones(128, np.float32), 1)
    with fairlead.checks.on(checks), pytest.raises(fairlead.CheckError) as caught:
        function(np.ones(128, np.float32), 2)
    assert "bounds: 512 bytes" in str(caught.value)
    assert "cute.copy(load, a, " in str(caught.value)


def initialise(barrier):
    cute.arch.mbarrier_init(barrier, 1)


def wait(barrier):
    cute.arch.mbarrier_wait(barrier, 1)


def ask(barrier):
    cute.arch.mbarrier_try_wait(barrier, 1)


def arrive(barrier):
    cute.arch.mbarrier_arrive(barrier)


def expect(barrier):
    cute.arch.mbarrier_expect_tx(barrier, 16)


@pytest.mark.parametrize("use", [initialise, wait, ask, arrive, expect])
@pytest.mark.parametrize("checks", ["guards", "bounds", "memory", "race", "sync", "init", "all"])
def test_mbarriers_beyond_shared_memory(checks, use):
    @cute.kernel
    def kernel(a: cute.Tensor, place: Int32):
        memory = cute.SmemAllocator()
        barriers = memory.allocate_array(cute.Int64, 2)
        t, _, _ = cute.arch.thread_idx()
        if t < 2:
            cute.arch.mbarrier_init(barriers + t, 1)
        cute.arch.mbarrier_init_fence()
        cute.arch.sync_threads()
        if t == 0:
            use(barriers + place)
        a[t] = 1

    @cute.jit
    def function(a: cute.Tensor, place: Int32):
        kernel(a, place).launch(grid=1, block=32)

    a = np.zeros(32, np.float32)
    if use is not initialise:
        function(a, 1)
        assert (a == 1).all()
    for place in (2, -1, 10**7):
        with fairlead.checks.on(checks), pytest.raises(fairlead.CheckError) as caught:
            function(a, place)
        finding = caught.value.findings[0]
        assert finding.message.startswith("8 bytes that begin ")
        assert "the 16 bytes of shared memory" in finding.message
        assert lines_of(finding)[0].startswith("cute.arch.mbarrier_")


@pytest.mark.parametrize("use", [initialise, wait, ask, arrive, expect])
@pytest.mark.parametrize("checks", ["guards", "race", "all"])
def test_misaligned_mbarriers(checks, use):
    @cute.kernel
    def kernel(a: cute.Tensor, place: Int32):
        words = cute.SmemAllocator().allocate_array(Int32, 8, 8)
        t, _, _ = cute.arch.thread_idx()
        if t < 4:
            cute.arch.mbarrier_init(cute.recast_ptr(words, dtype=cute.Int64) + t, 1)
        cute.arch.mbarrier_init_fence()
        cute.arch.sync_threads()
        if t == 0:
            use(words + place)
        a[t] = 1

    @cute.jit
    def function(a: cute.Tensor, place: Int32):
        kernel(a, place).launch(grid=1, block=32)

    a = np.zeros(32, np.float32)
    if use is not initialise:
        function(a, 2)
        assert (a == 1).all()
    error = fairlead.CheckError if checks == "guards" else AssertionError
    with fairlead.checks.on(checks), pytest.raises(error) as caught:
        function(a, 3)
    assert "the address of an mbarrier is not a multiple of 8 bytes" in str(caught.value)
    assert "test_access_guards.py:" in str(caught.value)


def test_misaligned_mbarriers_while_tracing():
    @cute.kernel
    def kernel(a: cute.Tensor):
        words = cute.SmemAllocator().allocate_array(Int32, 8, 8)
        cute.arch.mbarrier_init(words + 3, 1)

    @cute.jit
    def function(a: cute.Tensor):
        kernel(a).launch(grid=1, block=32)

    with pytest.raises(TypeError, match="at byte 12 of the block's memory, no multiple of 8"):
        function(np.zeros(32, np.float32))


@cute.kernel
def box_kernel(atom: cute.CopyAtom, tiles: cute.Tensor, out: cute.Tensor, stage: Int32):
    memory = cute.SmemAllocator()
    full = memory.allocate_array(cute.Int64, 1)
    s = memory.allocate_tensor(Float32, cute.make_layout((8, 32, 2), stride=(32, 1, 256)), 128)
    t, _, _ = cute.arch.thread_idx()
    if t == 0:
        cute.arch.mbarrier_init(full, 1)
    cute.arch.mbarrier_init_fence()
    cute.arch.sync_threads()
    part = cute.local_tile(tiles, (8, 32), (0, 0))
    to, source = cpasync.tma_partition(
        atom, 0, cute.make_layout(1), cute.group_modes(s, 0, 2), cute.group_modes(part, 0, 2)
    )
    with cute.arch.elect_one():
        cute.arch.mbarrier_arrive_and_expect_tx(full, 1024)
    cute.copy(atom, source, to[None, stage], tma_bar_ptr=full)
    cute.arch.mbarrier_wait(full, 0)
    out[t] = s[0, t, 1]


@cute.jit
def load_box(a: cute.Tensor, out: cute.Tensor, stage: Int32):
    rows = cute.make_layout((8, 32), stride=(32, 1))
    atom, tiles = cpasync.make_tiled_tma_atom(cpasync.CopyBulkTensorTileG2SOp(), a, rows, (8, 32))
    box_kernel(atom, tiles, out, stage).launch(grid=1, block=32)


@pytest.mark.parametrize("checks", ["guards", "bounds", "memory", "all"])
def test_boxes_beyond_shared_memory(checks):
    a, out = np.ones((8, 32), np.float32), np.zeros(32, np.float32)
    with fairlead.checks.on(checks):
        load_box(a, out, 1)
    assert (out == 1).all()
    for stage, place in [(2, "at the end of"), (-1, "1024 bytes before"), (10**8, "after the end")]:
        finding = found(load_box, a, out, stage, checks=checks)[0]
        assert finding.message.startswith("1024 bytes that begin ")
        assert place in finding.message
        assert lines_of(finding) == ["cute.copy(atom, source, to[None, stage], tma_bar_ptr=full)"]


def test_empty_tensors():
    error_of(copy, np.ones(8, np.float32), np.zeros(0, np.float32))
    copy(np.zeros(0, np.float32), np.zeros(0, np.float32))


def test_views_with_other_strides():
    a, memory = np.arange(50, dtype=np.float32), np.zeros(100, np.float32)
    copy(a, memory[::2])
    assert (memory[::2] == a).all() and not memory[1::2].any()
    error_of(copy, a, memory[:90:2])


@cute.kernel
def turned_kernel(a: cute.Tensor, out: cute.Tensor, bits: Int32):
    t, _, _ = cute.arch.thread_idx()
    out[t] = a[t ^ bits]


@cute.jit
def turned(a: cute.Tensor, out: cute.Tensor, bits: Int32):
    turned_kernel(a, out, bits).launch(grid=1, block=out.shape[0])


def test_a_dry_run_decides_where_the_host_cannot():
    # Of `t ^ 1` with t below 24 the host knows that it is below 32.
    a, out = np.arange(24, dtype=np.float32), np.zeros(24, np.float32)
    turned(a, out, 1)
    assert (out == a[np.arange(24) ^ 1]).all()
    out[:] = -1.0
    error = error_of(turned, a, out, 8)
    assert "index 24 of mode 0, which has extent 24, of argument `a: " in str(error)
    assert error.findings[0].accesses[0].thread == (16, 0, 0)
    assert (out == -1.0).all()  # the kernel itself did not run


@cute.kernel
def tail_kernel(out: cute.Tensor):
    first = 8 * cute.arch.block_idx()[0]
    values = cute.make_rmem_tensor((20,), Int32)
    for i in range(min(8, 20 - first)):
        values[first + i] = first + i
        out[first + i] = values[first + i]


@cute.jit
def tail(out: cute.Tensor):
    tail_kernel(out).launch(grid=3, block=1)


def test_loops_that_end_with_the_memory_need_no_dry_run():
    """The host knows that `first + i` is below 20, although `first` and `i` alone reach 16 and 7."""
    out = np.zeros(20, np.int32)
    fake = cute.runtime.make_fake_compact_tensor(Int32, (20,))
    function = cute.compile(tail, fake, options="--target cpu")
    function(out)
    assert (out == np.arange(20)).all()
    assert "dry_run" not in function.ir


def test_branches_that_memory_decides():
    @cute.kernel
    def kernel(a: cute.Tensor, out: cute.Tensor):
        t, _, _ = cute.arch.thread_idx()
        if a[t] > 0.0:
            out[t] = a[t]

    @cute.jit
    def function(a: cute.Tensor, out: cute.Tensor):
        kernel(a, out).launch(grid=1, block=a.shape[0])

    a, out = np.ones(24, np.float32), np.zeros(16, np.float32)
    assert "argument `out: " in str(error_of(function, a, out))
    a[16:] = 0.0  # their threads do not write
    function(a, out)
    assert out.all()


@cute.kernel
def ring_kernel(out: cute.Tensor, stages: Int32, last: Int32):
    values = cute.make_rmem_tensor((3,), Int32)
    for i in range(3):
        values[i] = i
    stage = Int32(0)
    for step in range(out.shape[0]):
        out[step] = values[stage]
        stage = stage + 1 if stage + 1 < stages else last


@cute.jit
def ring(out: cute.Tensor, stages: Int32, last: Int32):
    ring_kernel(out, stages, last).launch(grid=1, block=1)


def test_indices_that_a_loop_carries():
    out = np.zeros(7, np.int32)
    ring(out, 3, 0)
    assert out.tolist() == [0, 1, 2, 0, 1, 2, 0]
    assert "register tensor" in str(error_of(ring, out, 4, 0))
    assert "register tensor" in str(error_of(ring, out, 3, -1))
    ring(np.zeros(3, np.int32), 4, -1)  # ends before it is wrong


@cute.kernel
def four_kernel(a: cute.Tensor):
    t, _, _ = cute.arch.thread_idx()
    part = cute.make_tensor(a.iterator + 4 * t, cute.make_layout(4))
    for i in fairlead.range_constexpr(4):
        part[i] = Float32(1.0)


@cute.jit
def four(a: cute.Tensor):
    four_kernel(a).launch(grid=1, block=8)


def test_neighbours_are_guarded_as_one():
    a = np.zeros(32, np.float32)
    four(a)
    assert a.all()
    error = error_of(four, a[:30])
    assert "index 31 of mode 0, which has extent 30, of argument `a: " in str(error)
    assert error.findings[0].accesses[0].thread == (7, 0, 0)


def test_host_functions_with_many_accesses_write_nothing_outside():
    @cute.jit
    def function(a: cute.Tensor, first: Int32):
        for i in fairlead.range_constexpr(200):
            a[first + i] = Float32(1.0)

    memory = np.zeros(260, np.float32)
    function(memory[:200], 0)
    assert memory[:200].all() and not memory[200:].any()
    memory[:] = 0.0
    assert "argument `a: " in str(error_of(function, memory[:200], 1))
    assert not memory[200:].any()


MODULE = """
from fairlead import Float32, cute

@cute.kernel
def kernel(a: cute.Tensor, out: cute.Tensor):
    own = cute.make_rmem_tensor((4,), Float32)
    own.fill(2.0)
    t, _, _ = cute.arch.thread_idx()
    out[t] = a[t]
    if t == 0:
        a[0] = own[out.shape[0] - 3]

@cute.jit
def copy(a: cute.Tensor, out: cute.Tensor):
    kernel(a, out).launch(grid=1, block=a.shape[0])
"""


def compiled_in(folder: Path, lines_above: int):
    folder.mkdir()
    path = folder / "kernels_to_move.py"
    path.write_text("\n" * lines_above + MODULE)
    spec = importlib.util.spec_from_file_location("kernels_to_move", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    n, m = cute.sym_int(), cute.sym_int()
    make = cute.runtime.make_fake_compact_tensor
    return cute.compile(module.copy, make(Float32, (n,)), make(Float32, (m,)), options=CPU)


def test_moved_source_is_found_in_the_cache_and_named_by_errors(cache_dir, tmp_path):
    functions = [
        compiled_in(tmp_path / folder, lines)
        for folder, lines in (("here", 0), ("there", 0), ("below", 3))
    ]
    assert [function.artifact.cached for function in functions] == [False, True, True]
    for function, folder, line in zip(functions, ("here", "there", "below"), (9, 9, 12)):
        error = error_of(function, np.ones(8, np.float32), np.zeros(6, np.float32))
        (access,) = error.findings[0].accesses
        assert access.file == str(tmp_path / folder / "kernels_to_move.py")
        assert (access.line, access.source) == (line, "out[t] = a[t]")
        error = error_of(function, np.ones(9, np.float32), np.zeros(9, np.float32))
        assert "register tensor" in str(error) and f"kernels_to_move.py:{line + 2} " in str(error)
    here, there, below = (tmp_path / f"{name}.so" for name in ("here", "there", "below"))
    for function, path in zip(functions, (here, there, below)):
        function.export_library(path)
    assert here.read_bytes() == there.read_bytes()
    module = cute.runtime.load_module(below)
    error = error_of(module.copy, np.ones(8, np.float32), np.zeros(6, np.float32))
    assert "access  kernels_to_move.py:12 " in str(error)


@pytest.mark.skipif(platform.machine() != "x86_64", reason="code for a level of x86-64")
def test_conditions_that_memory_decides_do_not_end_vectors(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)

    @cute.kernel
    def kernel(a: cute.Tensor, out: cute.Tensor):
        i = cute.arch.block_idx()[0] * 64 + cute.arch.thread_idx()[0]
        if i < a.shape[0]:
            if a[i] > 2.0:
                out[i] = a[i] + 1.0

    @cute.jit
    def function(a: cute.Tensor, out: cute.Tensor):
        kernel(a, out).launch(grid=cute.ceil_div(a.shape[0], 64), block=64)

    n, m = cute.sym_int(), cute.sym_int()
    make = cute.runtime.make_fake_compact_tensor
    compiled = cute.compile(
        function,
        make(Float32, (n,)),
        make(Float32, (m,)),
        options="--target cpu:x86-64-v3 --keep-asm",
        no_cache=True,
    )
    kernel_code = compiled.__asm__.split("\nkernel:")[1].split(".cfi_endproc")[0]
    assert "ymm" in kernel_code and "OutOfBounds" not in kernel_code
    a, out = np.arange(100, dtype=np.float32), np.zeros(100, np.float32)
    compiled(a, out)
    np.testing.assert_array_equal(out, np.where(a > 2, a + 1, 0))
    error = error_of(compiled, a, out[:90])
    assert "index 90 of mode 0, which has extent 90, of argument `out: " in str(error)
    assert error.findings[0].accesses[0].thread == (26, 0, 0)
    a[90:] = 0.0  # their threads do not write
    compiled(a, out[:90])
    np.testing.assert_array_equal(out[:90], np.where(a > 2, a + 1, 0)[:90])


def compiled(check: str):
    return cute.compile(
        copy, zeros(1000), zeros(1000), options=f"{CPU} --keep-asm {check}", no_cache=True
    )


def test_none_leaves_the_guards_out(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    assert "FairleadCpuOutOfBounds" in compiled("").__asm__
    assert "OutOfBounds" not in compiled("--check none").__asm__


@pytest.mark.parametrize("target", ["cuda:sm_90a", "cuda:sm_80"])
def test_code_for_gpus_has_no_guards(target, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    ptx = [
        cute.compile(
            copy, zeros(1000), zeros(1000), options=f"--target {target} --keep-ptx {check}"
        ).__ptx__
        for check in ("", "--check none")
    ]
    assert ptx[0] == ptx[1] and "guarded" not in ptx[0]


def test_functions_for_gpus_and_the_cpu_have_guards_on_the_cpu():
    n, m = cute.sym_int(), cute.sym_int()
    make = cute.runtime.make_fake_compact_tensor
    guarded, plain = (
        cute.compile(
            copy,
            make(Float32, (n,)),
            make(Float32, (m,)),
            targets=["ptx:compute_90", "cpu"],
            options=f"--check {check}",
            no_cache=True,
        )
        for check in ("guards", "none")
    )
    assert guarded.artifact.ptx == plain.artifact.ptx
    a, out = np.arange(1000, dtype=np.float32), np.zeros(1000, np.float32)
    guarded(a, out)
    assert (out == a).all()
    assert "argument `out: " in str(error_of(guarded, a, out[:999]))


def test_a_process_survives_many_errors():
    program = (
        f"import sys; sys.path[:0] = {[str(Path(__file__).parent), *sys.path]!r}"
        + """
import numpy as np, fairlead
from test_access_guards import copy, gather, registers, shared
for number in range(50):
    for function, arguments in (
        (copy, (np.ones(100000, np.float32), np.zeros(1000 + number, np.float32))),
        (gather, (np.ones(8, np.float32), np.full(32, 9 + number, np.int32), np.zeros(32, np.float32))),
        (registers, (np.zeros(1, np.int32), 4 + number)),
        (shared, (np.zeros(64, np.int32), 1 + number)),
    ):
        try:
            function(*arguments)
        except fairlead.CheckError:
            continue
        raise SystemExit("no error")
print("alive")
"""
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout == "alive\n", done.stderr
