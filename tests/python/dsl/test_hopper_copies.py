"""Bulk copies, tensor maps that kernels change or make, and stores to blocks of a cluster, for Hopper."""

from __future__ import annotations

import re

import numpy as np
import pytest
from support.assemblers import assemble_for_warpgroups
from support.hopper_programs import (
    CHOICES,
    ClusterCopies,
    EditedMap,
    MapsOfParts,
    Neighbours,
    bulk_copies,
    copy_by_a_chosen_thread,
    exchanged,
)

from fairlead import (
    Float16,
    Float32,
    Float64,
    Int64,
    cute,
    utils,
)


def test_bulk_copies_on_the_cpu():
    source, target = np.arange(256, dtype=np.float32), np.zeros(256, np.float32)
    vector = cute.make_fake_compact_tensor(Float32, (256,), assumed_align=16)
    cute.compile(bulk_copies, vector, vector, options="--target cpu")(source, target)
    np.testing.assert_array_equal(target, source + 1)


@pytest.mark.parametrize("chosen", CHOICES)
def test_a_copy_inside_a_branch_of_one_thread_elects_no_other(chosen):
    """An election there would wait for lanes that never come."""
    shaped = cute.make_fake_compact_tensor(Float32, (64, 32), stride_order=(1, 0), assumed_align=16)
    copy = copy_by_a_chosen_thread(chosen)
    source, target = (
        np.arange(2048, dtype=np.float32).reshape(64, 32),
        np.zeros((64, 32), np.float32),
    )
    cute.compile(copy, shaped, shaped, options="--target cpu")(source, target)
    np.testing.assert_array_equal(target, source)
    ptx = cute.compile(copy, shaped, shaped, options="--target cuda:sm_90a --keep-ptx").__ptx__
    lines = [line for line in ptx.splitlines() if "cp.async.bulk.tensor" in line]
    assert lines and not any("elect.sync" in line for line in lines)


@cute.kernel
def bulk_rows_kernel(source: cute.Tensor, target: cute.Tensor, bits: cute.Constexpr):
    memory = utils.SmemAllocator()
    rows = memory.allocate_tensor(Float32, cute.make_layout((8, 32), stride=(32, 1)), 16)
    barrier = memory.allocate(cute.Int64)
    cute.arch.mbarrier_init(barrier, 1)
    cute.arch.mbarrier_init_fence()
    cute.arch.sync_warp()
    with cute.arch.elect_one():
        cute.arch.mbarrier_arrive_and_expect_tx(barrier, 1024)
    load = cute.make_copy_atom(cute.nvgpu.cpasync.CopyBulkG2SOp(), Float32, num_bits_per_copy=bits)
    # Columns first: rows of 32 are neighbours, and lie apart in the source.
    by_row = cute.select(rows, mode=[1, 0]), cute.select(source, mode=[1, 0])
    cute.copy(load, by_row[1], by_row[0], mbar_ptr=barrier)
    cute.arch.mbarrier_wait(barrier, 0)
    lane = cute.arch.lane_idx()
    for i in range(8):
        target[i, lane] = rows[i, lane]


@cute.jit
def bulk_rows(source: cute.Tensor, target: cute.Tensor, bits: cute.Constexpr):
    source = cute.make_tensor(source.iterator, cute.make_layout((8, 32), stride=(64, 1)))
    bulk_rows_kernel(source, target, bits).launch(grid=1, block=32)


def rows_of(bits, options):
    source = cute.make_fake_compact_tensor(Float32, (512,), assumed_align=16)
    target = cute.make_fake_compact_tensor(Float32, (8, 32), stride_order=(1, 0))
    return cute.compile(bulk_rows, source, target, bits, options=options)


@pytest.mark.parametrize("bits", [0, 128, 32 * 32])
def test_bulk_copies_of_rows(bits):
    source, target = np.arange(512, dtype=np.float32), np.zeros((8, 32), np.float32)
    rows_of(bits, "--target cpu")(source, target)
    np.testing.assert_array_equal(target, source.reshape(8, 64)[:, :32])
    ptx = rows_of(bits, "--gpu-arch sm_90a").__ptx__
    instructions = ptx.count("cp.async.bulk.shared::cluster.global.mbarrier")
    assert instructions == (8 if bits != 128 else 64)


def test_bulk_copies_of_elements_apart():
    with pytest.raises(TypeError, match="whole instructions"):
        rows_of(64 * 32, "--target cpu")


@pytest.mark.parametrize("size", [1, 2, 4])
def test_bulk_copies_to_blocks_of_a_cluster(size):
    source, target = np.arange(256, dtype=np.float32), np.zeros((8, 256), np.float32)
    vector = cute.make_fake_compact_tensor(Float32, (256,), assumed_align=16)
    rows = cute.make_fake_compact_tensor(Float32, (8, 256), stride_order=(1, 0), assumed_align=16)
    cute.compile(ClusterCopies(size), vector, rows, options="--target cpu")(source, target)
    np.testing.assert_array_equal(target, source + np.arange(8)[:, None] % size)
    text = cute.compile(ClusterCopies(size), vector, rows, options="--target cuda:sm_90a").__ptx__
    assert "multicast::cluster" in text and "mbarrier::complete_tx::bytes" in text


@pytest.mark.parametrize("mode", list(utils.TensorMapUpdateMode))
def test_tensor_maps_that_kernels_change(mode):
    def matrix(shape=None):
        shape = shape or (cute.sym_int(), cute.sym_int())
        return cute.make_fake_compact_tensor(Float32, shape, stride_order=(1, 0), assumed_align=16)

    space = cute.make_fake_compact_tensor(cute.Uint8, (128,), assumed_align=16)
    arguments = matrix(), matrix(), matrix((64, 64)), space
    text = cute.compile(EditedMap(mode), *arguments, options="--target cuda:sm_90a").__ptx__
    where = "shared::cta" if mode is utils.TensorMapUpdateMode.SMEM else "global"
    assert f"tensormap.replace.tile.global_dim.{where}.b1024.b32" in text
    # Lanes of a warp copy a word of the map each.
    assert "ld.param.v2.b64" not in text
    rng = np.random.default_rng(1)
    first, other = (rng.random(shape, np.float32) for shape in ((96, 128), (128, 192)))
    target, memory = np.full((64, 64), np.nan, np.float32), np.zeros(128, np.uint8)
    cute.compile(EditedMap(mode), *arguments, options="--target cpu")(first, other, target, memory)
    np.testing.assert_array_equal(target, other[64:, 64:128])


def parts(offsets):
    """Arrays and arguments of MapsOfParts, and what the first array should become."""
    offsets = np.array(offsets, np.int32)
    target = np.zeros((offsets[-1] + 3, 32), np.float32)
    memory = np.zeros(128 * len(offsets), np.uint8)
    first = -memory.ctypes.data % 128
    space = memory[first : first + 128 * (len(offsets) - 1)].reshape(-1, 128)
    filled = target.copy()
    for part in range(len(offsets) - 1):
        filled[offsets[part] : offsets[part + 1]] = part + 1
    arguments = [
        cute.runtime.from_dlpack(array, assumed_align=align)
        for array, align in ((target, 16), (offsets, 4), (space, 128))
    ]
    return target, arguments, filled


@pytest.mark.parametrize("options", ["", "--check all"])
def test_tensor_maps_that_kernels_make(options):
    target, arguments, filled = parts([0, 5, 21, 22, 30])
    filling = cute.compile(MapsOfParts(), *arguments, options=f"--target cpu {options}")
    filling(*arguments)
    np.testing.assert_array_equal(target, filled)
    _, arguments, _ = parts([0, 5, 21, 21, 30])
    with pytest.raises(RuntimeError, match="a tensor map with an extent of 0, which a GPU reads"):
        filling(*arguments)


def test_tensor_maps_that_kernels_of_gpus_make(tmp_path):
    _, arguments, _ = parts([0, 5, 21])
    text = cute.compile(MapsOfParts(), *arguments, options="--target cuda:sm_90a").__ptx__
    # A loop copies the words, so that few registers hold them.
    assert text.count("ld.param.v2.b64") == 1
    copied = text.index("ld.param.v2.b64")
    replaced = re.findall(r"tensormap\.replace\.tile\.(\w+)\.global", text[copied:])
    assert replaced == ["global_address", "global_dim", "global_dim", "global_stride"]
    assemble_for_warpgroups(text, tmp_path)


def test_an_atom_that_a_kernel_makes_has_no_map_for_copies():
    @cute.kernel
    def kernel(a: cute.Tensor, own: cute.Constexpr):
        first = cute.arch.block_idx()[0] if own else a.shape[0] // 2
        atom, _ = MapsOfParts().atom_of(cute.make_tensor(a.iterator + 64 * first, a.layout))
        cute.nvgpu.cpasync.prefetch_descriptor(atom)

    @cute.jit
    def host(a: cute.Tensor, own: cute.Constexpr):
        kernel(a, own).launch(grid=1, block=32)

    tensor = parts([0, 1])[1][0]
    with pytest.raises(
        TypeError, match="tma_desc_ptr, a map that copy_tensormap wrote.* but got none"
    ):
        cute.compile(host, tensor, True, options="--target cpu")
    # The host makes the map if the arguments of the kernel say what is in it.
    text = cute.compile(host, tensor, False, options="--target cuda:sm_90a").__ptx__
    assert "prefetch.tensormap" in text and "tensormap.replace" not in text


@pytest.mark.parametrize("size", [1, 2, 8])
@pytest.mark.parametrize("numeric", [Float32, Int64, Float64])
def test_stores_to_blocks_of_a_cluster(size, numeric, tmp_path):
    rows = cute.make_fake_compact_tensor(numeric, (cute.sym_int(), 64), stride_order=(1, 0))
    numbers = np.arange(16 * 64).reshape(16, 64).astype(numeric.__name__.lower())
    wanted = np.roll(numbers.reshape(-1, size, 64), 1, axis=1) * np.arange(size)[:, None]
    cute.compile(Neighbours(size), rows, options="--target cpu")(numbers)
    np.testing.assert_array_equal(numbers, wanted.reshape(16, 64))
    text = cute.compile(Neighbours(size), rows, options="--target cuda:sm_90a").__ptx__
    instruction = f"st.async.shared::cluster.mbarrier::complete_tx::bytes.b{numeric.width}"
    assert f"{instruction} [at], " in text
    assemble_for_warpgroups(text, tmp_path)


def test_stores_to_blocks_as_inline_ptx(tmp_path):
    """The CPU reads it: addresses are words, four numbers a vector of registers."""
    rows = cute.make_fake_compact_tensor(cute.Int32, (cute.sym_int(), 5), stride_order=(1, 0))
    numbers = np.arange(30, dtype=np.int32).reshape(6, 5)
    wanted = numbers.reshape(3, 2, 5)[:, ::-1].reshape(6, 5).copy()
    cute.compile(exchanged, rows, options="--target cpu")(numbers)
    np.testing.assert_array_equal(numbers, wanted)
    text = cute.compile(exchanged, rows, options="--target cuda:sm_90a").__ptx__
    assert ".v4.s32 [" in text
    assemble_for_warpgroups(text, tmp_path)


@pytest.mark.parametrize("store, message", [
    (lambda shared, out, barrier: (out.iterator, Float32(1), barrier, 0), "an address in shared memory"),
    (lambda shared, out, barrier: (shared.iterator, Float16(1), barrier, 0), "a number of 32 or 64 bits"),
    (lambda shared, out, barrier: (shared.iterator, Float32(1), out.iterator, 0), "the address of an mbarrier"),
    (lambda shared, out, barrier: (shared, Float32(1), barrier, 0), "smem_ptr"),
])  # fmt: skip
def test_wrong_stores_to_blocks(store, message):
    @cute.kernel
    def kernel(out: cute.Tensor):
        memory = utils.SmemAllocator()
        shared = memory.allocate_tensor(Float32, cute.make_layout(4), 16)
        cute.arch.store_async_dsmem(*store(shared, out, memory.allocate(Int64)))

    @cute.jit
    def program(out: cute.Tensor):
        kernel(out).launch(grid=(2, 1, 1), block=(32, 1, 1), cluster=(2, 1, 1))

    with pytest.raises(TypeError, match=message):
        cute.compile(
            program, cute.make_fake_compact_tensor(Float32, (4,)), options="--target cuda:sm_90a"
        )
