"""Swizzled pointers, addresses as integers, and other memory spaces."""

import numpy as np
import pytest
from support.primitives_support import device_floats, floats, ptx, run

from fairlead import Float16, Float32, Int32, Int64, cute, primitives
from fairlead.primitives import AddressSpace, Array, Pointer, inttoptr

#: Swizzles of 128, 64 and 32 bytes: a byte offset, and the offset after the swizzle.
MOVES = {
    (3, 4, 3): {0x0: 0x0, 0x80: 0x90, 0x100: 0x120, 0x3F0: 0x380, 0x410: 0x410},
    (2, 4, 3): {0x80: 0x90, 0x100: 0x120, 0x180: 0x1B0},
    (1, 4, 3): {0x80: 0x90, 0x100: 0x100},
}


@pytest.mark.parametrize("numbers", MOVES)
def test_a_swizzle_moves_addresses(numbers):
    def body(out):
        memory = Array(Float16, 1024, space=AddressSpace.smem, alignment=1024)
        base = memory.data_ptr()
        for place, offset in enumerate(MOVES[numbers]):
            moved = (base + offset // 2).apply_swizzle(cute.make_swizzle(*numbers))
            out[place] = moved.toint() - base.toint()

    out = np.zeros(len(MOVES[numbers]), np.int32)
    run(body, out)
    assert list(out) == list(MOVES[numbers].values())


@pytest.mark.parametrize("count", [1, 8, 32])
def test_swizzled_vectors_are_split_at_their_atoms(count):
    def body(a, out):
        swizzle = cute.make_swizzle(3, 4, 3)
        memory = Array(Float16, 1024, space=AddressSpace.smem, alignment=1024)
        thread = cute.arch.thread_idx()[0]
        start = thread * count
        target = memory.data_ptr(start)
        target.store_swizzled(Array(a).load(start, count), swizzle, alignment=2 * count)
        cute.arch.sync_threads()
        values = target.load_swizzled(swizzle, 2 * count, count=count)
        Array(out).store(values, start)
        # The order in memory.
        for place in cute.range_constexpr(count):
            plain = memory[start + place]
            Array(out)[1024 + start + place] = plain

    threads = min(1024 // count, 128)
    a = floats(1024).astype(np.float16)
    out = np.zeros(2048, np.float16)
    run(body, a, out, threads=threads)
    used = threads * count
    np.testing.assert_array_equal(out[:used], a[:used])
    offsets = 2 * np.arange(1024)
    moved = (offsets ^ ((offsets >> 3) & 0x70)) // 2
    expected = np.zeros(1024, np.float16)
    expected[moved[:used]] = a[:used]
    written = np.isin(np.arange(1024), moved[:used])
    shown = written[:used]
    np.testing.assert_array_equal(out[1024 : 1024 + used][shown], expected[:used][shown])


def test_a_swizzled_load_is_one_access(tmp_path, monkeypatch):
    def body(a, out):
        memory = Array(Float16, 1024, space=AddressSpace.smem, alignment=1024)
        thread = cute.arch.thread_idx()[0]
        target = memory.data_ptr(thread * 8)
        target.store(Array(a).load(thread * 8, 8, alignment=16), alignment=16)
        cute.arch.sync_threads()
        values = target.load_swizzled(cute.make_swizzle(3, 4, 3), 16, count=8)
        Array(out).store(values, thread * 8, alignment=16)

    a = device_floats(1024, Float16)
    text = ptx(body, a, a, tmp_path=tmp_path, monkeypatch=monkeypatch, threads=128)
    assert text.count("ld.shared.v4") == 1


def test_addresses_as_integers_and_back():
    def body(a, out, shared):
        memory = Array(Float32, 8, space=AddressSpace.smem, alignment=16)
        memory[3] = a[1]
        address = memory.data_ptr(3).toint()
        assert type(address) is Int32
        assert type(memory.data_ptr(3).toint(Int64)) is Int64
        out[0] = inttoptr(address, AddressSpace.smem, Float32).load()
        out[1] = inttoptr(address - 4 + 4, 3, Float32)[0]
        wide = Array(a).data_ptr(2).toint()
        assert type(wide) is Int64
        out[2] = inttoptr(wide, "gmem", Float32).load()
        shared[0] = address - memory.toint()

    a, out = floats(4), np.zeros(3, np.float32)
    shared = np.zeros(1, np.int32)
    run(body, a, out, shared)
    assert list(out) == [2, 2, 3] and shared[0] == 12


def test_generic_addresses():
    def body(a, out):
        memory = Array(Float32, 4, space=AddressSpace.smem)
        memory[1] = a[0]
        generic = memory.tospace(AddressSpace.generic)
        assert generic.space is AddressSpace.generic and generic.shape == (4,)
        out[0] = generic[1]
        out[1] = generic.tospace("smem")[1]
        out[2] = Pointer(a).tospace(0)[3]

    a, out = floats(4), np.zeros(3, np.float32)
    run(body, a, out)
    assert list(out) == [1, 1, 4]


def test_memory_of_another_block():
    @cute.kernel
    def device(out: Array):
        thread, rank = cute.arch.thread_idx()[0], cute.arch.block_idx_in_cluster()
        memory = Array(Float32, (2, 2), space=AddressSpace.smem)
        memory[thread] = (rank * 10 + thread).to(Float32)
        cute.arch.cluster_arrive()
        cute.arch.cluster_wait()
        remote = primitives.mapa(memory, 1 - rank)
        assert type(remote) is Array and remote.space is AddressSpace.dsmem
        assert remote.shape == (2, 2) and remote.data_ptr().space is AddressSpace.dsmem
        out[rank * 8 + thread] = remote[thread // 2, thread % 2]
        out[rank * 8 + 4 + thread] = (remote.data_ptr(3) - thread).load()
        cute.arch.cluster_arrive()
        cute.arch.cluster_wait()

    @cute.jit
    def host(out: Array):
        device(out).launch(grid=2, block=4, cluster=2)

    out = np.zeros(16, np.float32)
    host(out)
    expected = [10, 11, 12, 13, 13, 12, 11, 10, 0, 1, 2, 3, 3, 2, 1, 0]
    np.testing.assert_array_equal(out, expected)


def test_spaces_of_a_gpu(tmp_path, monkeypatch):
    def body(a, out):
        memory = Array(Float32, 4, space=AddressSpace.smem)
        memory[cute.arch.thread_idx()[0]] = a[0]
        generic = memory.tospace(AddressSpace.generic)
        out[0] = generic[1]
        out[1] = generic.tospace("smem")[2]

    a = device_floats(4)
    text = ptx(body, a, a, tmp_path=tmp_path, monkeypatch=monkeypatch, threads=4)
    assert "cvta.shared.u64" in text and "cvta.to.shared.u64" in text


def test_pointers_that_cannot_be():
    def body(a):
        with pytest.raises(TypeError, match="Pointer takes a pointer or a tensor, but got float"):
            Pointer(1.5)
        with pytest.raises(ValueError, match="a memory space: generic"):
            inttoptr(0, 9, Float32)
        with pytest.raises(TypeError):
            inttoptr(0, 3, "float32")

    run(body, floats(4))
    assert primitives.Pointer is Pointer
