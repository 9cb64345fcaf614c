"""Copies of threads, of neighbouring bytes and of matrices: results on the CPU, and PTX."""

import numpy as np
import pytest
from support.byte_matrix_programs import FORMS, arrays_of
from support.functions_support import instructions, ptx, run

from fairlead import Float16, Float32, Int32, Int64, Uint8, cute, primitives
from fairlead.primitives import AddressSpace, Array, MMALayout, Pointer

SMEM = AddressSpace.smem


def shared(dtype, shape, alignment=128):
    return Array(dtype, shape, space=SMEM, alignment=alignment)


@pytest.mark.parametrize("size", [4, 8, 16])
def test_copies_of_a_thread(size):
    def body(t, a, out):
        memory = shared(Uint8, (32, 16))
        source = Pointer(a) + t * 16
        primitives.cp_async_shared_global(memory.data_ptr((t, 0)), source, size, "ca")
        primitives.cp_async_commit_group()
        primitives.cp_async_wait_group(0)
        primitives.barrier_cta_sync()
        for i in cute.range_constexpr(size):
            out[t, i] = memory[31 - t, i]

    a = np.random.default_rng(1).integers(0, 256, (32, 16), dtype=np.uint8)
    out = np.zeros_like(a)
    run(body, a, out)
    np.testing.assert_array_equal(out[:, :size], a[::-1, :size])
    assert not out[:, size:].any()


def test_a_copy_of_fewer_bytes_fills_with_zeros():
    def body(t, a, out):
        memory = shared(Int32, (32, 4))
        source = Pointer(a) + t * 4
        primitives.cp_async_shared_global(memory.data_ptr((t, 0)), source, 16, "cg", cp_size=t % 17)
        primitives.cp_async_wait_group(0)
        for i in cute.range_constexpr(4):
            out[t, i] = memory[t, i]

    a = np.full((32, 4), -1, np.int32)
    out = np.ones_like(a)
    run(body, a, out)
    for t in range(32):
        assert out[t].tobytes() == b"\xff" * (t % 17) + b"\0" * (16 - t % 17)


def moved(t, a, out):
    memory = shared(Float32, 64)
    barrier = shared(Int64, 1, 8)
    if t == 0:
        primitives.mbarrier_init(barrier, 1)
    primitives.fence_mbarrier_init()
    primitives.barrier_cta_sync()
    if t == 0:
        primitives.cp_async_bulk_prefetch(a.iterator, 256)
        primitives.mbarrier_arrive_expect_tx(barrier, 256)
        primitives.cp_async_bulk_shared_cluster_global(memory, a.iterator, barrier, 256)
    while not primitives.mbarrier_try_wait_parity(barrier, 0):
        pass
    memory[t] = memory[t] * 2.0
    primitives.fence_proxy("async_shared", space="shared_cta")
    primitives.barrier_cta_sync()
    if t == 0:
        primitives.cp_async_bulk_global_shared_cta(out.iterator, memory, 256)
        primitives.cp_reduce_async_bulk_global_shared_cta(
            out.iterator + 64, memory, 256, op="add", type="f32"
        )
        primitives.cp_async_bulk_commit_group()
        primitives.cp_async_bulk_wait_group(0, read=True)
        primitives.cp_async_bulk_wait_group(0)


def test_neighbouring_bytes():
    a, out = np.arange(64, dtype=np.float32), np.ones(128, np.float32)
    run(moved, a, out, threads=64)
    np.testing.assert_array_equal(out, np.r_[a * 2, a * 2 + 1])


def test_chosen_bytes_of_a_copy():
    def body(t, out):
        memory = shared(Uint8, 32)
        memory[t] = t
        primitives.barrier_cta_sync()
        if t == 0:
            primitives.cp_async_bulk_global_shared_cta(out.iterator, memory, 32, byte_mask=0x8001)

    out = np.full(32, 255, np.uint8)
    run(body, out)
    assert out.tolist() == [0] + [255] * 14 + [15, 16] + [255] * 14 + [31]
    text = ptx(body, out, arch="sm_100a")
    assert instructions(text, "cp.async.bulk.global.shared::cta.bulk_group.cp_mask")


def to_the_other_block(t, out):
    rank = primitives.cluster_ctarank()
    source, target = shared(Int32, 32), shared(Int32, 32)
    barrier = shared(Int64, 1, 8)
    source[t] = rank * 100 + t
    if t == 0:
        primitives.mbarrier_init(barrier, 1)
        primitives.mbarrier_arrive_expect_tx(barrier, 128)
    primitives.fence_mbarrier_init()
    primitives.fence_proxy("async")
    primitives.barrier_cluster_arrive()
    primitives.barrier_cluster_wait()
    if t == 0:
        primitives.cp_async_bulk_shared_cluster_shared_cta(
            primitives.mapa(target, 1 - rank), source, primitives.mapa(barrier, 1 - rank), 128
        )
    while not primitives.mbarrier_try_wait_parity(barrier, 0):
        pass
    out[rank, t] = target[t]
    primitives.barrier_cluster_arrive()
    primitives.barrier_cluster_wait()


def test_bytes_for_the_other_block():
    out = np.zeros((2, 32), np.int32)
    run(to_the_other_block, out, cluster=2)
    np.testing.assert_array_equal(out, [100 + np.arange(32), np.arange(32)])


@pytest.mark.parametrize("num", [1, 2, 4])
@pytest.mark.parametrize("layouts", [("row", "row"), ("row", "col"), ("col", "row")])
def test_matrices(num, layouts):
    def body(t, a, out):
        first, second = shared(Float16, (8 * num, 8)), shared(Float16, (8 * num, 8))
        if t < 8 * num:
            for i in cute.range_constexpr(8):
                first[t, i] = a[t, i]
        primitives.barrier_cta_sync()
        row = t % (8 * num)
        words = primitives.ldmatrix(first.data_ptr((row, 0)), num, layouts[0])
        primitives.stmatrix(second.data_ptr((row, 0)), words, layouts[1])
        primitives.barrier_cta_sync()
        if t < 8 * num:
            for i in cute.range_constexpr(8):
                out[t, i] = second[t, i]

    a = np.arange(num * 64, dtype=np.float16).reshape(num * 8, 8)
    out = np.zeros_like(a)
    run(body, a, out)
    expected = (
        a if layouts == ("row", "row") else a.reshape(num, 8, 8).swapaxes(1, 2).reshape(a.shape)
    )
    np.testing.assert_array_equal(out, expected)


def test_instructions(tmp_path):
    def body(t, a, out):
        memory = shared(Float32, (32, 4))
        place = memory.data_ptr((t, 0))
        primitives.cp_async_shared_global(place, a.iterator, 16, "cg")
        primitives.cp_async_shared_global(place, a.iterator, 4, "ca", cp_size=t)
        primitives.cp_async_commit_group()
        primitives.cp_async_wait_group(1)
        words = primitives.ldmatrix(place, 4, MMALayout.COL)
        primitives.stmatrix(place, [words[0], words[1]], MMALayout.ROW)
        primitives.stmatrix(place, words[3], "col")

    arrays = np.zeros(64, np.float32), np.zeros(128, np.float32)
    text = ptx(body, *arrays, folder=tmp_path)
    assert "cp.async.cg.shared.global" in text and ", 16;" in text
    for name in (
        "cp.async.ca.shared.global",
        "cp.async.commit_group",
        "cp.async.wait_group",
        "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16",
        "stmatrix.sync.aligned.m8n8.x2.shared.b16",
        "stmatrix.sync.aligned.m8n8.x1.trans.shared.b16",
    ):
        assert name in instructions(text, name.split(".")[0]), name
    text = ptx(moved, *arrays, threads=64, folder=tmp_path)
    for name in (
        "cp.async.bulk.prefetch.L2.global",
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes",
        "cp.async.bulk.global.shared::cta.bulk_group",
        "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32",
        "cp.async.bulk.commit_group",
        "cp.async.bulk.wait_group",
        "cp.async.bulk.wait_group.read",
        "fence.proxy.async.shared::cta",
        "fence.mbarrier_init.release.cluster",
    ):
        assert name in instructions(text, name.split(".")[0]), name
    # The program has chosen the thread: none is elected.
    assert not instructions(text, "elect.sync")
    text = ptx(to_the_other_block, np.zeros((2, 32), np.int32), cluster=2, folder=tmp_path)
    name = "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes"
    assert name in instructions(text, "cp")


def test_a_copy_to_several_blocks_and_with_a_policy(tmp_path):
    def body(t, a):
        memory, barrier = shared(Float32, 64), shared(Int64, 1, 8)
        if t == 0:
            primitives.cp_async_bulk_shared_cluster_global(
                memory, a.iterator, barrier, 256, multicast_mask=3, l2_cache_hint=0x12F0000000000000
            )
            primitives.cp_async_bulk_global_shared_cta(
                a.iterator, memory, 16, l2_cache_hint=1 << 62
            )

    text = ptx(body, np.zeros(64, np.float32), cluster=2, folder=tmp_path)
    for end in (
        "global.mbarrier::complete_tx::bytes.multicast::cluster.L2::cache_hint",
        "shared::cta.bulk_group.L2::cache_hint",
    ):
        assert end in text, end


def test_matrices_of_bytes_are_for_blackwell(tmp_path):
    def body(t, a):
        memory = shared(Uint8, (32, 16))
        place = memory.data_ptr((t, 0))
        words = primitives.ldmatrix(place, 4, "col", shape="m16n16", src_format="b8")
        primitives.stmatrix(place, words, "row", shape="m16n8")
        memory[t, 0] = primitives.ldmatrix(
            place, 1, "row", shape="m8n16", src_format="b6x16_p32"
        ).to(Uint8)

    text = ptx(body, np.zeros(1, np.int32), arch="sm_100a", folder=tmp_path)
    for name in (
        "ldmatrix.sync.aligned.m16n16.x2.trans.shared.b8",
        "stmatrix.sync.aligned.m16n8.x4.trans.shared.b8",
        "ldmatrix.sync.aligned.m8n16.x1.shared.b8x16.b6x16_p32",
    ):
        assert name in instructions(text, name.split(".")[0]), name
    for target, name in (("cpu", "stmatrix of m16n8"), ("cuda:sm_90a", "ldmatrix of m16n16")):
        with pytest.raises(ValueError, match=f"{name}` is supported only for sm_100a"):
            run(body, np.zeros(1, np.int32), target=target)


@pytest.mark.parametrize("name", ["m16n16.x2.trans.shared.b8", "m8n16.x2.shared.b8x16.b4x16_p64"])
def test_matrices_of_bytes_on_the_cpu(name):
    rows, registers, expected = arrays_of(name)
    _, transposed, matrices, _ = FORMS[name]
    form, count = name.split(".")[0], len(rows)

    def body(t, source, words):
        memory = shared(Uint8, (count, 16))
        for place in range(t, 16 * count, 32):
            memory[place // 16, place % 16] = source[place]
        primitives.barrier_cta_sync()
        loaded = primitives.ldmatrix(
            memory.data_ptr((t % count, 0)),
            2 * matrices if transposed else matrices,
            "col" if transposed else "row",
            shape=form,
            src_format=name.rpartition(".")[2],
        )
        for index in range(expected.shape[1] // 4):
            words[t, index] = loaded[index]

    words = registers.view(np.int32)
    run(body, rows.view(np.uint8).reshape(-1), words)
    np.testing.assert_array_equal(words.view(np.int8), expected)


def test_zeros_in_shared_memory(tmp_path):
    def body(t, out):
        memory = shared(Int32, 32)
        memory[t] = 7
        primitives.barrier_cta_sync()
        if t == 0:
            primitives.st_bulk(memory, 64)
        primitives.barrier_cta_sync()
        out[t] = memory[t]

    out = np.zeros(32, np.int32)
    run(body, out)
    assert out.tolist() == [0] * 16 + [7] * 16
    assert instructions(ptx(body, out, arch="sm_100a", folder=tmp_path), "st.bulk")


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (
            lambda s, g: primitives.cp_async_shared_global(s, g, 12, "ca"),
            ValueError,
            "4, 8 or 16 as size",
        ),
        (
            lambda s, g: primitives.cp_async_shared_global(s, g, 8, "cg"),
            ValueError,
            "size of 16 bytes",
        ),
        (
            lambda s, g: primitives.cp_async_shared_global(g, s, 8, "ca"),
            TypeError,
            "shared memory as dst",
        ),
        (lambda s, g: primitives.cp_async_wait_group(Int32(1)), TypeError, "known while tracing"),
        (lambda s, g: primitives.cp_async_wait_group(-1), ValueError, "0 or more"),
        (
            lambda s, g: primitives.cp_async_bulk_global_shared_cta(g, s, 24),
            ValueError,
            "multiple of 16",
        ),
        (
            lambda s, g: primitives.cp_async_bulk_shared_cluster_shared_cta(s, s, s, 16),
            TypeError,
            "mapa. as dst_mem",
        ),
        (lambda s, g: primitives.ldmatrix(s, 3, "row"), ValueError, "1, 2 or 4 as num"),
        (lambda s, g: primitives.ldmatrix(s, 1, "rows"), ValueError, "mean `row`"),
        (lambda s, g: primitives.ldmatrix(g, 1, "row"), TypeError, "in shared memory as ptr"),
        (lambda s, g: primitives.stmatrix(s, [1, 2, 3], "row"), ValueError, "1, 2 or 4 sources"),
        (lambda s, g: primitives.st_bulk(s, 16, init_val=1), ValueError, "0 as init_val"),
        (
            lambda s, g: primitives.cp_reduce_async_bulk_global_shared_cta(g, s, 16, op="sub"),
            ValueError,
            "one of add, min",
        ),
    ],
)
def test_wrong_operands(call, error, message):
    def body(t, out):
        call(shared(Int32, 32), out.iterator)

    with pytest.raises(error, match=message):
        run(body, np.zeros(1, np.int32))
