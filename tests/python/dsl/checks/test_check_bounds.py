"""--check bounds: an index outside of its mode and an address outside of its tensor, with the user's line."""

import numpy as np
import pytest
from support.check_support import checked, findings, found, lines_of, zeros

import fairlead
from fairlead import Float32, Int32, cute


@cute.kernel
def store_past_the_end(a: cute.Tensor):
    t, _, _ = cute.arch.thread_idx()
    b, _, _ = cute.arch.block_idx()
    a[b * 32 + t] = Float32(1.0)


@cute.jit
def fill(a: cute.Tensor, blocks: Int32):
    store_past_the_end(a).launch(grid=blocks, block=32)


def test_an_index_past_the_end():
    a = zeros(40)
    (finding,) = found(fill, a, 2)
    assert finding.kind == "bounds"
    assert finding.message.startswith("index 40 of mode 0, which has extent 40, of global Float32")
    assert lines_of(finding) == ["a[b * 32 + t] = Float32(1.0)"]
    assert finding.count == 24 and finding.blocks == 1
    assert finding.accesses[0].thread == (8, 0, 0) and finding.accesses[0].block == (1, 0, 0)
    assert a.tolist() == [1.0] * 40  # what is in bounds was done


@cute.kernel
def element_100(a: cute.Tensor):
    a[100] = Float32(1.0)


@cute.jit
def fill_element_100(a: cute.Tensor):
    element_100(a).launch(grid=1, block=1)


def test_a_constant_index_past_an_extent_of_the_run():
    (finding,) = found(fill_element_100, zeros(40))
    assert finding.message.startswith("index 100 of mode 0, which has extent 40, of global Float32")
    assert lines_of(finding) == ["a[100] = Float32(1.0)"]
    a = zeros(101)
    checked(fill_element_100, a)
    assert a[100] == 1.0


def test_in_bounds_nothing_is_found():
    a = zeros(64)
    checked(fill, a, 2)
    assert a.tolist() == [1.0] * 64


def test_the_report_names_line_thread_and_block():
    with pytest.raises(fairlead.CheckError, match="bounds: index 40") as caught:
        checked(fill, zeros(40), 2)
    text = str(caught.value)
    assert "a[b * 32 + t] = Float32(1.0)" in text
    assert "thread (8, 0, 0) of block (1, 0, 0)" in text
    assert "test_check_bounds.py:" in text
    assert "24 accesses like this in 1 block." in text


@cute.kernel
def neighbours(a: cute.Tensor, out: cute.Tensor):
    i, _, _ = cute.arch.thread_idx()
    row, _, _ = cute.arch.block_idx()
    out[row, i] = a[row, i] + a[row, i + 1]


@cute.jit
def sums(a: cute.Tensor, out: cute.Tensor):
    neighbours(a, out).launch(grid=a.shape[0], block=a.shape[1])


def test_an_index_in_the_next_row_is_outside_of_its_mode():
    """The memory is the tensor's, but for the last row."""
    (finding,) = found(sums, zeros(4, 8), zeros(4, 8))
    assert "index 8 of mode 1, which has extent 8" in finding.message
    assert finding.count == 4 and finding.blocks == 4


@cute.kernel
def before_the_start(a: cute.Tensor, out: cute.Tensor):
    i, _, _ = cute.arch.thread_idx()
    out[i] = a[i - 1]


@cute.jit
def shifted(a: cute.Tensor, out: cute.Tensor):
    before_the_start(a, out).launch(grid=1, block=a.shape[0])


def test_a_negative_index():
    (finding,) = found(shifted, zeros(8), zeros(8))
    assert finding.message.startswith("index -1 of mode 0")
    assert finding.hint == "Indices do not count from the end."


@cute.kernel
def shared_and_registers(out: cute.Tensor, past: Int32):
    t, _, _ = cute.arch.thread_idx()
    s = cute.SmemAllocator().allocate_tensor(Float32, 16)
    r = cute.make_rmem_tensor(4, Float32)
    for i in range(4 + past):
        r[i] = Float32(1.0)
    s[t + past] = r[0]
    out[t] = s[t]


@cute.jit
def local(out: cute.Tensor, past: Int32):
    shared_and_registers(out, past).launch(grid=1, block=16)


def test_shared_and_register_tensors():
    checked(local, zeros(16), 0, checks="bounds")
    registers, shared = found(local, zeros(16), 1, checks="bounds")
    assert "index 4 of mode 0, which has extent 4, of register Float32" in registers.message
    assert "index 16 of mode 0, which has extent 16, of shared Float32" in shared.message
    assert lines_of(shared) == ["s[t + past] = r[0]"]


@cute.kernel
def by_pointer(a: cute.Tensor, past: Int32):
    t, _, _ = cute.arch.thread_idx()
    (a.iterator + t + past).store(Float32(2.0))


@cute.jit
def pointers(a: cute.Tensor, past: Int32):
    by_pointer(a, past).launch(grid=1, block=8)


def test_addresses_outside_of_the_tensor_that_they_are_computed_from():
    checked(pointers, zeros(8), 0)
    (finding,) = found(pointers, zeros(8), 3)
    assert finding.tensor == "a: Float32 (8,)"
    assert finding.message == "4 bytes that begin at the end of the memory of a: Float32 (8,)"
    (finding,) = found(pointers, zeros(8), -2)
    assert "begin 8 bytes before the memory of a" in finding.message


@cute.kernel
def tile_past_the_end(a: cute.Tensor, out: cute.Tensor):
    b, _, _ = cute.arch.block_idx()
    tile = cute.local_tile(a, (4,), (b,))
    cute.local_tile(out, (4,), (b,)).store(tile.load())


@cute.jit
def tiles(a: cute.Tensor, out: cute.Tensor):
    tile_past_the_end(a, out).launch(grid=cute.ceil_div(a.shape[0], 4), block=1)


def test_a_tile_that_the_tensor_has_only_a_part_of():
    checked(tiles, zeros(16), zeros(16))
    finding = found(tiles, zeros(10), zeros(12))[0]
    assert finding.tensor == "a: Float32 (10,)"
    assert finding.accesses[0].block == (2, 0, 0)


def test_views_of_one_array_may_reach_into_each_other():
    whole = zeros(32)
    # It is a race.
    assert findings(tiles, whole[4:20], whole[0:16], checks="bounds") == []


def test_a_tensor_with_a_negative_stride_is_in_bounds():
    a, out = np.arange(16, dtype=np.float32), zeros(16)
    checked(tiles, a[::-1], out)
    assert out.tolist() == a[::-1].tolist()


@cute.kernel
def aligned_copy(a: cute.Tensor, out: cute.Tensor, first: cute.Int32):
    four = cute.make_layout(4)
    source = cute.make_tensor((a.iterator + first).align(16), four)
    cute.make_tensor(out.iterator, four).store(source.load())


@cute.jit
def copy_aligned(a: cute.Tensor, out: cute.Tensor, first: cute.Int32):
    aligned_copy(a, out, first).launch(grid=1, block=1)


def test_an_address_that_is_no_multiple_of_its_alignment():
    """Without a check the process, or a GPU's context, would end."""
    memory, out = np.arange(16, dtype=np.float32), zeros(4)
    first = -(memory.ctypes.data // 4) % 4
    checked(copy_aligned, memory, out, first, checks="bounds")
    assert (out == memory[first : first + 4]).all()
    with pytest.raises(
        AssertionError, match=r"align\(16\): the address is not a multiple of 16 bytes"
    ):
        checked(copy_aligned, memory, out, first + 1, checks="bounds")


def test_the_option_and_the_environment(monkeypatch):
    compiled = cute.compile(fill, zeros(40), 2, options="--target cpu --check bounds")
    with pytest.raises(fairlead.CheckError):
        compiled(zeros(40), 2)
    with pytest.raises(fairlead.CheckError):
        cute.compile[cute.Check("bounds")](fill, zeros(40), 2)(zeros(40), 2)
    monkeypatch.setenv("FAIRLEAD_CHECK", "race,bounds")
    with pytest.raises(fairlead.CheckError):
        fill(zeros(40), 2)


def test_checks_are_part_of_the_program_and_nothing_else_is(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # --keep-ir writes files
    plain = cute.compile(
        fill, zeros(64), 2, options="--target cpu --check none --keep-ir --no-cache"
    )
    again = cute.compile(
        fill, zeros(64), 2, options="--target cpu --check none --keep-ir --no-cache"
    )
    made = cute.compile(fill, zeros(64), 2, options="--target cpu --check bounds --no-cache")
    assert plain.artifact.ir == again.artifact.ir
    assert "FairleadCheck" not in plain.artifact.ir and "fairlead.checks" not in plain.__mlir__
    assert "FairleadCheckIndex" in made.artifact.ir
    direct = zeros(64)
    fill(direct, 2)  # compiled without checks
    with fairlead.checks.on("bounds"), pytest.raises(fairlead.CheckError):
        fill(zeros(40), 2)


def test_of_kernels_for_gpus_only_bounds_are_checked(monkeypatch):
    with pytest.raises(ValueError, match="--check needs the CPU target: kernels for cuda:sm_90a"):
        cute.compile(fill, zeros(64), 2, options="--target cuda:sm_90a --check race")
    monkeypatch.setenv("FAIRLEAD_CHECK", "bounds")
    assert cute.compile(fill, zeros(64), 2, options="--target cuda:sm_90a").ptx


def test_other_names_of_checks():
    with pytest.raises(
        ValueError,
        match="expects a list of bounds, memory, init, race, sync, float, schedule and all",
    ):
        cute.compile(fill, zeros(64), 2, options="--target cpu --check bound")


def test_a_later_call_is_not_spoiled():
    for _ in range(2):
        found(fill, zeros(40), 2)
        checked(fill, zeros(64), 2)


def test_blocks_of_several_threads_report():
    """Enough blocks that the pool shares them."""
    (finding,) = found(fill, zeros(40), 4096, checks="bounds")
    assert finding.count == 4096 * 32 - 40


@cute.kernel
def reverse_in_dynamic_memory(a: cute.Tensor):
    t, _, _ = cute.arch.thread_idx()
    s = cute.make_tensor(cute.arch.get_dyn_smem(Float32), cute.make_layout(32))
    s[t] = a[t]
    cute.arch.sync_threads()
    a[t] = s[31 - t]


@cute.kernel
def in_the_rest(a: cute.Tensor, shift: Int32, reserved: cute.Constexpr):
    """An access behind the reserved memory."""
    t, _, _ = cute.arch.thread_idx()
    cute.SmemAllocator().allocate_tensor(Float32, reserved)
    rest = cute.make_tensor(cute.arch.get_dyn_smem(Float32), cute.make_layout(4096))
    rest[t + shift] = a[t]
    cute.arch.sync_threads()
    a[t] = rest[t + shift]


@cute.jit
def uses_the_rest(a: cute.Tensor, bytes_: Int32, shift: Int32, reserved: cute.Constexpr):
    in_the_rest(a, shift, reserved).launch(grid=2, block=32, smem=bytes_)


def test_all_of_what_the_launch_asks_for_is_in_bounds():
    for size, shift, reserved in ((256, 0, 32), (512, 64, 32), (128, 0, 0)):
        a = zeros(32) + range(32)
        assert findings(uses_the_rest, a, size, shift, reserved, checks="bounds") == []
        assert a.tolist() == list(range(32))


@pytest.mark.parametrize(
    ("bytes_", "shift", "count", "words"),
    [
        (256, 1, 1, "at the end of the 128 bytes of shared memory that the launch asks"),
        (252, 0, 1, "the 124 bytes of shared memory"),
        (128, 0, 32, "the 0 bytes of shared memory"),
    ],
)
def test_more_than_the_launch_asks_for(bytes_, shift, count, words):
    findings = found(uses_the_rest, zeros(32), bytes_, shift, 32, checks="bounds")
    assert [lines_of(each) for each in findings] == [
        ["rest[t + shift] = a[t]"],
        ["a[t] = rest[t + shift]"],
    ]
    assert all(words in each.message and each.count == 2 * count for each in findings)
    assert "that the launch asks for from test_check_bounds.py:" in findings[0].message


@cute.jit
def reverse(a: cute.Tensor):
    reverse_in_dynamic_memory(a).launch(grid=1, block=32, smem=128)


def test_memory_that_the_launch_asks_for_is_no_empty_allocation():
    a = np.arange(32, dtype=np.float32)
    checked(reverse, a)
    assert a.tolist() == list(range(31, -1, -1))
