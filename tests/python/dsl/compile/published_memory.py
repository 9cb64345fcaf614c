"""Memory of published programs: recast layouts, tensor maps, cache operators, atomic operations, addresses."""

import numpy as np
import pytest

import fairlead.compat  # noqa: F401  before the names that it defines

# isort: split
import cutlass
import cutlass.cute as cute
from cutlass import Float16, Float32, Int32, Int64, Uint32
from cutlass._mlir.dialects import llvm
from cutlass.cutlass_dsl import T
from support.published_kernels import ptx_of, run


def test_tensor_maps_of_tiles_that_are_contiguous_along_another_mode():
    """TMA does not transpose: the copy reads the memory in the order of shared memory, which is a warning."""

    @cute.kernel
    def kernel(load: cute.CopyAtom, source: cute.Tensor, out: cute.Tensor):
        smem = cutlass.utils.SmemAllocator()
        tile = smem.allocate_tensor(Float16, cute.make_layout((64, 8)), 128)
        barrier = smem.allocate_array(cutlass.Int64, 1)
        shared, parts = cute.nvgpu.cpasync.tma_partition(
            load,
            0,
            cute.make_layout(1),
            cute.group_modes(tile, 0, 2),
            cute.group_modes(cute.local_tile(source, (64, 8), (0, 0)), 0, 2),
        )
        t = cute.arch.thread_idx()[0]
        if t == 0:
            cute.arch.mbarrier_init(barrier, 1)
            cute.arch.mbarrier_init_fence()
            cute.arch.mbarrier_arrive_and_expect_tx(barrier, 64 * 8 * 2)
        cute.arch.sync_threads()
        cute.copy(load, parts, shared, tma_bar_ptr=barrier)
        cute.arch.mbarrier_wait(barrier, 0)
        for column in cutlass.range_constexpr(8):
            out[t, column] = tile[t, column].to(Float32)

    @cute.jit
    def host(x: cute.Tensor, out: cute.Tensor):
        load, source = cute.nvgpu.cpasync.make_tiled_tma_atom(
            cute.nvgpu.cpasync.CopyBulkTensorTileG2SOp(), x, cute.make_layout((64, 8)), (64, 8)
        )
        kernel(load, source, out).launch(grid=(1, 1, 1), block=(32, 1, 1))

    x = np.arange(64 * 64, dtype=np.float16).reshape(64, 64)
    out = np.zeros((32, 8), np.float32)
    fakes = [
        cute.runtime.make_fake_compact_tensor(dtype, shape, stride_order=(1, 0), assumed_align=16)
        for dtype, shape in ((Float16, (64, 64)), (Float32, (32, 8)))
    ]
    with pytest.warns(UserWarning, match="make_tiled_tma_atom: TMA does not transpose"):
        compiled = cute.compile(host, *fakes)
    compiled(x, out)
    # The stride of one element between columns is less than a unit of 16 bytes, and counts as 0.
    np.testing.assert_array_equal(out, np.repeat(np.arange(32)[:, None], 8, 1))


def test_recast_tensors_of_composed_layouts():
    @cute.kernel
    def kernel(words: cute.Tensor, out: cute.Tensor):
        swizzle = cute.make_swizzle(2, 3, 3)
        layout = cute.make_composed_layout(swizzle, 64, cute.make_layout((8, 32), stride=(32, 1)))
        halves = cute.make_tensor(cute.recast_ptr(words.iterator, dtype=cutlass.Uint16), layout)
        pairs = cute.recast_tensor(halves, Uint32)
        assert str(pairs.layout) == "S<2,2,3> o 32 o (8,16):(16,1)"
        t = cute.arch.thread_idx()[0]
        for row in cutlass.range_constexpr(8):
            out[row, t] = halves[row, t].to(Uint32)
            out[row + 8, t] = pairs[row, t // 2]

    words = np.random.default_rng(0).integers(0, 1 << 32, 160, dtype=np.uint32)
    out = np.zeros((16, 32), np.uint32)
    run(kernel, words, out)
    halves, pairs = out[:8].reshape(8, 16, 2), out[8:].reshape(8, 16, 2)[:, :, 0]
    np.testing.assert_array_equal(pairs, halves[..., 0] | halves[..., 1] << 16)
    assert set(pairs.ravel()) == set(words[32:])


def test_layouts_of_runtime_strides_are_recast():
    """Run-time strides count as whole new elements, and run-time extents are rounded up to them."""

    @cute.kernel
    def kernel(out: cute.Tensor, count: Int32, stride: cutlass.Int64):
        layout = cute.make_layout((4, count), stride=(stride, 1))
        pairs = cute.recast_layout(32, 16, layout)
        assert str(pairs) == "(4,?):(?{i64},1)"
        bytes_ = cute.recast_layout(8, 16, layout)
        out[0], out[1] = pairs.shape[1], pairs.stride[0].to(Int32)
        out[2], out[3] = bytes_.shape[1], bytes_.stride[0].to(Int32)
        tensor = cute.make_tensor(cute.recast_ptr(out.iterator, dtype=cutlass.Uint16), layout)
        out[4] = cute.size(cute.recast_tensor(tensor, Uint32))

    @cute.jit
    def host(out: cute.Tensor, count: Int32, stride: cutlass.Int64):
        kernel(out, count, stride).launch(grid=(1, 1, 1), block=(1, 1, 1))

    out = np.zeros(8, np.int32)
    fake = cute.runtime.make_fake_compact_tensor(Int32, (8,), stride_order=(0,))
    compiled = cute.compile(host, fake, 1, 1)
    compiled(out, 6, 10)
    assert list(out[:5]) == [3, 5, 12, 20, 12]
    compiled(out, 7, 8)
    assert list(out[:5]) == [4, 4, 14, 16, 16]
    with pytest.raises(ValueError, match="recast_layout is not defined"):
        cute.recast_layout(32, 16, cute.make_layout((3, 5), stride=(5, 1)))


def test_recast_tensors_have_no_swizzle():
    """As of the other compiler: a program swizzles the coordinates of bytes itself."""

    @cute.kernel
    def kernel(out: cute.Tensor):
        smem = cutlass.utils.SmemAllocator()
        memory = smem.allocate_array(cutlass.Uint8, 1024)
        swizzled = cute.recast_ptr(memory, cute.make_swizzle(2, 4, 3), dtype=cutlass.Float16)
        numbers = cute.make_tensor(swizzled, cute.make_layout((16, 32), stride=(32, 1)))
        recast = cute.recast_tensor(numbers, cutlass.Uint8)
        plain = cute.make_tensor(memory, cute.make_layout((16, 64), stride=(64, 1)))
        t = cute.arch.thread_idx()[0]
        recast[2, t] = cutlass.Uint8(t)
        cute.arch.sync_threads()
        out[t] = plain[2, t]

    @cute.jit
    def host(out: cute.Tensor):
        kernel(out).launch(grid=1, block=64)

    out = np.zeros(64, np.uint8)
    host(out)
    np.testing.assert_array_equal(out, np.arange(64))


def test_a_number_in_a_struct_is_its_pointer():
    @cute.struct
    class Storage:
        numbers: Int32
        after: Int32

    @cute.kernel
    def kernel(out: cute.Tensor):
        storage = cutlass.utils.SmemAllocator().allocate(Storage)
        storage.numbers = 5
        (storage.numbers + 1).store(Int32(6))
        whole = cute.make_tensor(storage.numbers, cute.make_layout(2))
        out[0] = whole[0] * 10 + whole[1]
        out[1] = storage.after[0]
        out[2] = cute.arch.atomic_add(storage.after, Int32(1))
        out[3] = storage.after.ptr.load()

    out = np.zeros(4, np.int32)
    run(kernel, out, threads=1)
    assert out.tolist() == [56, 6, 6, 7]


@pytest.mark.parametrize(
    ("words", "instruction"),
    [
        ({"cop": "cg"}, "ld.relaxed.gpu"),
        ({"cop": "cv"}, "ld.relaxed.sys"),
        ({"sem": "volatile"}, "ld.relaxed.sys"),
        ({"cop": "cs"}, "ld.global"),
    ],
)
def test_loops_repeat_loads_that_bypass_caches(tmp_path, monkeypatch, words, instruction):
    @cute.kernel
    def kernel(x: cute.Tensor):
        number = cute.arch.load(x.iterator, Int32, **words)
        while number != 1:
            cute.arch.nanosleep(sleep_time=20)
            number = cute.arch.load(x.iterator, Int32, **words)
        x[1] = number

    assert ptx_of(kernel, tmp_path, monkeypatch).count(instruction) >= 2


def test_stores_take_cache_operators(tmp_path, monkeypatch):
    @cute.kernel
    def kernel(x: cute.Tensor):
        cute.arch.store(x.iterator, Int32(1), cop="wt")
        cute.arch.store(x.iterator + 1, Int32(2), cop="cs")

    text = ptx_of(kernel, tmp_path, monkeypatch)
    assert "st.relaxed.sys" in text and "st.global" in text


def test_unknown_cache_operators_are_errors():
    @cute.kernel
    def kernel(x: cute.Tensor):
        x[0] = cute.arch.load(x.iterator, Int32, cop="wt")

    with pytest.raises(ValueError, match="cop.*ca, cg, cs, lu, cv.*wt"):
        run(kernel, np.zeros(1, np.int32))


def test_atomic_operations_have_the_type_of_their_number():
    """As published programs that keep the greatest Float32 by its bits."""

    @cute.kernel
    def kernel(x: cute.Tensor, old: cute.Tensor):
        bits = Float32(2.5).bitcast(Int32)
        before = cute.arch.atomic_max(x.iterator, bits)
        assert before.dtype is Int32
        old[0] = before.bitcast(Float32)
        lesser = Float32(-4.0).bitcast(Uint32)
        cute.arch.atomic_max(x.iterator + 1, val=lesser, sem="relaxed")
        cute.arch.atomic_cas(x.iterator + 2, cmp=Uint32(0x40400000), val=Uint32(0x41000000))
        cute.arch.atomic_add(x.iterator + 3, 0.5)

    x, old = np.array([1.5, -3, 3, 7], np.float32), np.zeros(1, np.float32)
    run(kernel, x, old, threads=1)
    assert old[0] == 1.5 and x.tolist() == [2.5, -4.0, 8.0, 7.5]


def test_stores_by_pointer_write_the_bits_of_their_number():
    @cute.kernel
    def kernel(x: cute.Tensor):
        cute.arch.store(x.iterator, Float32(2.5).bitcast(Int32))
        cute.arch.store(x.iterator + 1, Int32(0x40400000), sem="relaxed")
        cute.arch.store(x.iterator + 2, 7.0)
        (x.iterator + 3).store(Int32(5))

    x = np.zeros(4, np.float32)
    run(kernel, x, threads=1)
    assert x.tolist() == [2.5, 3.0, 7.0, 5.0]


def address_types(x):
    """Return the types of addresses in shared memory, registers, tensor memory, global and generic memory."""
    shared = cutlass.utils.SmemAllocator().allocate_array(Float32, 32)
    pointers = [shared, cute.make_rmem_tensor(4, Float32).iterator]
    pointers.append(cute.make_ptr(Float32, Int32(16), cute.AddressSpace.tmem))
    pointers.append(x.iterator)
    pointers.append(cute.make_ptr(Float32, Int64(16), cute.AddressSpace.generic))
    return [type(pointer.toint()) for pointer in pointers]


@pytest.mark.parametrize("target", ["cuda:sm_100a", "cpu"])
def test_types_of_addresses(target):
    """Int32 of memories whose addresses have 32 bits. On the CPU, shared memory and registers are in its memory."""
    types = []

    @cute.kernel
    def kernel(x: cute.Tensor):
        types.extend(address_types(x))

    @cute.jit
    def host(x: cute.Tensor):
        kernel(x).launch(grid=(1, 1, 1), block=(32, 1, 1))

    x = cute.runtime.make_fake_compact_tensor(Float32, (32,), stride_order=(0,))
    cute.compile(host, x, options=f"--target {target}")
    short = Int64 if target == "cpu" else Int32
    assert types == [short, short, Int32, Int64, Int64]


def test_tensors_of_whole_numbers():
    @cute.kernel
    def kernel(out: cute.Tensor):
        i, _, _ = cute.arch.thread_idx()
        known = cute.make_tensor(5, cute.make_layout((4, 2), stride=(2, 1)))
        assert str(known) == "tensor<5 o (4,2):(2,1)>" and known[3, 1] == 12 and known.iterator == 5
        assert str(known[None, 1]) == "tensor<6 o (4):(2)>"
        assert str(cute.make_tensor(0, (4, 2))) == "tensor<0 o (4,2):(1,4)>"
        moving = cute.make_tensor(i, cute.make_layout((4, 2), stride=(2, 1)))
        out[i, 0] = known[i % 4, 1]
        out[i, 1] = moving[i % 4, 1]

    out = np.zeros((8, 2), np.int32)
    run(kernel, out, threads=8)
    lanes = np.arange(8)
    expected = np.stack([6 + 2 * (lanes % 4), lanes + 1 + 2 * (lanes % 4)], 1)
    np.testing.assert_array_equal(out, expected)
    with pytest.raises(TypeError, match="make_tensor takes a pointer"):
        cute.make_tensor(1.5, cute.make_layout(4))


def test_the_place_of_a_block_may_be_a_coordinate():
    from cutlass.cute.nvgpu import cpasync

    parts = []

    @cute.kernel
    def kernel(load: cute.CopyAtom, source: cute.Tensor):
        tile = cutlass.utils.SmemAllocator().allocate_tensor(
            Float16, cute.make_layout((64, 8)), 128
        )
        tiles = cute.group_modes(cute.local_tile(source, (64, 8), (0, 0)), 0, 2)
        for place in (1, (1,), 0):
            shared, boxes = cpasync.tma_partition(
                load, place, cute.make_layout(2), cute.group_modes(tile, 0, 2), tiles
            )
            parts.append((str(shared), str(boxes)))

    @cute.jit
    def host(source: cute.Tensor):
        op = cpasync.CopyBulkTensorTileG2SMulticastOp()
        load, coordinates = cpasync.make_tiled_tma_atom(
            op, source, cute.make_layout((64, 8)), (64, 8), num_multicast=2
        )
        kernel(load, coordinates).launch(grid=(2, 1, 1), block=(32, 1, 1), cluster=(2, 1, 1))

    source = cute.runtime.make_fake_compact_tensor(Float16, (64, 8), stride_order=(0, 1))
    cute.compile(host, source, options="--target cuda:sm_90a")
    assert parts[0] == parts[1] != parts[2]


def test_addresses_of_other_blocks_in_inline_ptx():
    """On the CPU a later instruction knows the block of an address that an earlier one has mapped."""

    def mapped(address, rank):
        return Int32(
            llvm.inline_asm(
                T.i32(),
                [Int32(address).ir_value(), Int32(rank).ir_value()],
                "mapa.shared::cluster.u32 $0, $1, $2;",
                "=r,r,r",
            )
        )

    @cute.kernel
    def kernel(out: cute.Tensor):
        smem = cutlass.utils.SmemAllocator()
        barrier, word = smem.allocate_array(Int64, 1), smem.allocate_array(Int32, 1)
        rank = cute.arch.block_idx_in_cluster()
        if cute.arch.thread_idx()[0] == 0:
            cute.arch.mbarrier_init(barrier, 1)
            cute.arch.mbarrier_init_fence()
            cute.arch.mbarrier_arrive_and_expect_tx(barrier, 4)
        cute.arch.cluster_arrive()
        cute.arch.cluster_wait()
        if cute.arch.thread_idx()[0] == 0:
            llvm.inline_asm(
                None,
                [
                    mapped(word.toint(), rank ^ 1).ir_value(),
                    (rank + 5).ir_value(),
                    mapped(barrier.toint(), rank ^ 1).ir_value(),
                ],
                "st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [$0], $1, [$2];",
                "r,r,r",
                has_side_effects=True,
            )
        cute.arch.mbarrier_wait(barrier, 0)
        out[cute.arch.block_idx()[0]] = word.load()

    @cute.jit
    def host(out: cute.Tensor):
        kernel(out).launch(grid=4, block=32, cluster=(2, 1, 1))

    out = np.zeros(4, np.int32)
    host(out)
    assert out.tolist() == [6, 5, 6, 5]
