"""Tensor memory by primitives: copies, products and launch control, on the CPU and as PTX."""

import numpy as np
import pytest
from support.functions_support import instructions, ptx, run

from fairlead import (
    Float16,
    Float32,
    Float64,
    Int8,
    Int32,
    Int64,
    primitives,
    range_constexpr,
)
from fairlead.primitives import Array, S2TCopyMode, Vector

ARCH = "sm_100a"


def tensor_memory(dtype=Int32, columns=64, group=None):
    slot = Array(Int32, 1, space="smem")
    primitives.tcgen05_alloc(slot, columns, group=group)
    primitives.tcgen05_relinquish_alloc_permit(group=group)
    primitives.barrier_cta_sync()
    return primitives.make_tmem_ptr(slot[0], dtype)


def free(memory, columns=64, group=None):
    primitives.tcgen05_fence("before_thread_sync")
    primitives.barrier_cta_sync()
    primitives.tcgen05_dealloc(memory, columns, group=group)


def copied(shape, num, registers):
    def body(t, out):
        memory = tensor_memory()
        primitives.tcgen05_st("32x32b", memory, [t * 100 + i for i in range(32)])
        primitives.tcgen05_wait("store")
        loaded = primitives.tcgen05_ld(shape, memory, num=num)
        for r in range_constexpr(registers):
            out[t, r] = loaded[r]
        free(memory)

    return body


#: Lane and column of register r of thread t, from the PTX ISA.
PLACES = {
    "32x32b": lambda t, r: (t, r),
    "16x64b": lambda t, r: (t // 4 + 8 * (t % 2), 2 * r + t // 2 % 2),
    "16x128b": lambda t, r: (t // 4 + 8 * (r % 2), 4 * (r // 2) + t % 4),
    "16x256b": lambda t, r: (t // 4 + 8 * (r // 2 % 2), 8 * (r // 4) + 2 * (t % 4) + r % 2),
}


@pytest.mark.parametrize(
    "shape, num, registers",
    [("32x32b", 32, 32), ("16x64b", 4, 4), ("16x128b", 2, 4), ("16x256b", 2, 8)],
)
def test_copies_from_and_to_registers(shape, num, registers, tmp_path):
    out = np.zeros((32, registers), np.int32)
    body = copied(shape, num, registers)
    run(body, out)
    expected = [[PLACES[shape](t, r) for r in range(registers)] for t in range(32)]
    assert out.tolist() == [[100 * lane + column for lane, column in row] for row in expected]
    text = ptx(body, out, arch=ARCH, folder=tmp_path)
    assert f"tcgen05.ld.sync.aligned.{shape}.x{num}.b32" in text


@pytest.mark.parametrize("offset", [0, 4, 9])
def test_a_load_whose_halves_read_columns_apart(offset, tmp_path):
    def body(t, out):
        memory = tensor_memory()
        primitives.tcgen05_st("32x32b", memory, [t * 100 + i for i in range(32)])
        primitives.tcgen05_wait("store")
        loaded = primitives.tcgen05_ld("16x32bx2", memory, num=4, offset=offset)
        for r in range_constexpr(4):
            out[t, r] = loaded[r]
        free(memory)

    out = np.zeros((32, 4), np.int32)
    run(body, out)
    expected = [
        [100 * (t % 16) + r + (offset if t >= 16 else 0) for r in range(4)] for t in range(32)
    ]
    assert out.tolist() == expected
    assert f", {offset};" in ptx(body, out, arch=ARCH, folder=tmp_path)


def test_packed_halves(tmp_path):
    def body(t, out):
        memory = tensor_memory(Float16)
        numbers = Vector.from_elements([t + i for i in range(8)], Float16)
        primitives.tcgen05_st("32x32b", memory, numbers, unpack=True)
        primitives.tcgen05_wait("store")
        loaded = primitives.tcgen05_ld("32x32b", memory, num=4, pack=True)
        words = primitives.tcgen05_ld("32x32b", primitives.make_tmem_ptr(0, Int32), num=8)
        for i in range_constexpr(8):
            out[t, i] = loaded[i].to(Int32)
            out[t, 8 + i] = words[i] & 0xFFFF
        free(memory)

    out = np.zeros((32, 16), np.int32)
    run(body, out)
    numbers = np.arange(32)[:, None] + np.arange(8)
    np.testing.assert_array_equal(out[:, :8], numbers)
    np.testing.assert_array_equal(out[:, 8:], numbers.astype(np.float16).view(np.uint16))
    text = ptx(body, out, arch=ARCH, folder=tmp_path)
    assert ".x4.unpack::16b.b32" in text and ".x4.pack::16b.b32" in text


def test_addresses_count_columns_of_bytes():
    def body(t, out):
        base = primitives.make_tmem_ptr(5 << 16 | 7, Int8)
        out[0] = base.subview(9).toint().to(Int32)
        out[1] = (base.data_ptr() + 9 - 1).toint().to(Int32)
        out[2] = primitives.make_tmem_ptr_from_warp_row_col(7, 2, 40, Int8).toint().to(Int32)
        out[3] = primitives.TmemAddr.from_row_col(3, 4).as_ptr(Float32).toint().to(Int32)

    out = np.zeros(4, np.int32)
    run(body, out, threads=1)
    assert out.tolist() == [5 << 16 | 16, 5 << 16 | 15, 64 << 16 | 40, 3 << 16 | 4]


@pytest.mark.parametrize("check", ["all", "init"])
def test_stores_without_a_reservation(check):
    """The values are of memory that nothing has written."""

    def body(t, out):
        shared = Array(Int32, 32, space="smem")
        if out[0] != 0:
            shared[t] = 0
        primitives.tcgen05_st("32x32b", primitives.make_tmem_ptr(0, Int32), [shared[t]])
        primitives.tcgen05_wait("store")

    with pytest.raises(RuntimeError, match="copies columns 0 to 0 of tensor memory"):
        run(body, np.zeros(1, np.int32), more=f"--check {check}")


#: Products.


def product(m, n, k, collector=None, multicast=None):
    """One block multiplies a (m, k) and b (n, k) of float16, whose rows are in shared memory without a swizzle."""

    def body(t, a, b, out):
        left = Array(Float16, (k // 8, m, 8), space="smem", alignment=128)
        right = Array(Float16, (k // 8, n, 8), space="smem", alignment=128)
        done = Array(Int64, 1, space="smem", alignment=8)
        slot = Array(Int32, 1, space="smem")
        if t == 0:
            primitives.mbarrier_init(done, 1)
        if t < 32:
            primitives.tcgen05_alloc(slot, 256)
            primitives.tcgen05_relinquish_alloc_permit()
        for column in range_constexpr(k):
            left[column // 8, t, column % 8] = a[t, column]
            if t < n:
                right[column // 8, t, column % 8] = b[t, column]
        primitives.fence_mbarrier_init()
        primitives.fence_proxy("async_shared", space=primitives.SharedSpace.shared_cta)
        primitives.barrier_cta_sync()
        memory = primitives.make_tmem_ptr(slot[0], Int8)
        if t < 32:
            if primitives.elect_sync():
                a_rows = primitives.Tcgen05SmemDesc.build(left, m * 16, 128)
                b_rows = primitives.Tcgen05SmemDesc.build(right, n * 16, 128)
                idesc = primitives.Tcgen05InstrDesc.build(Float32, n_dim=n, m_dim=m)
                for step in range_constexpr(k // 16):
                    primitives.tcgen05_mma(
                        "f16", "cta_1", memory, a_rows.advance_start_address(step * m * 32),
                        b_rows.advance_start_address(step * n * 32), idesc, step > 0,
                        collector_op=collector,
                    )  # fmt: skip
                primitives.tcgen05_commit(done, multicast_mask=multicast)
        while not primitives.mbarrier_try_wait_parity(done, 0):
            pass
        primitives.tcgen05_fence("after_thread_sync")
        for first in range_constexpr(0, n, 8):
            base = primitives.TmemAddr.from_row_col(t // 32 * 32, (slot[0] & 0xFFFF) + first)
            sums = primitives.tcgen05_ld("32x32b", base.as_ptr(Float32), num=8)
            for i in range_constexpr(8):
                out[t, first + i] = sums[i]
        primitives.tcgen05_wait("load")
        primitives.barrier_cta_sync()
        if t < 32:
            primitives.tcgen05_dealloc(memory, 256)

    return body


@pytest.mark.parametrize("n, k, collector", [(32, 64, None), (128, 16, "fill"), (8, 32, "lastuse")])
def test_a_product_by_primitives_alone(n, k, collector, tmp_path):
    rng = np.random.default_rng(n + k)
    a, b = (rng.standard_normal((rows, k)).astype(np.float16) for rows in (128, n))
    out = np.zeros((128, n), np.float32)
    body = product(128, n, k, collector)
    run(body, a, b, out, threads=128)
    exact = a.astype(np.float64) @ b.astype(np.float64).T
    np.testing.assert_allclose(out, exact, rtol=0, atol=1e-5 * np.abs(exact).max())
    text = ptx(body, a, b, out, arch=ARCH, folder=tmp_path, threads=128)
    found = instructions(text, "tcgen05.mma")
    use = f".collector::a::{collector}" if collector else ""
    assert found == [f"tcgen05.mma.cta_group::1.kind::f16{use}"] * (k // 16)


#: Instructions that only GPUs have, and all forms as PTX.


def assembled(call, tmp_path, arch=ARCH):
    """The instructions on tensor memory of a kernel that calls ``call(memory, descriptor)``."""

    def body(t, out):
        memory = primitives.make_tmem_ptr(out[0], Int32)
        call(memory, primitives.Tcgen05SmemDesc.build(0, 16, 128))

    text = ptx(body, np.zeros(8, np.int32), arch=arch, folder=tmp_path)
    return [name.rstrip(".") for name in instructions(text, "tcgen05.")]


def descriptor(**others):
    return primitives.Tcgen05InstrDesc.build(n_dim=64, m_dim=128, **others)


def scaled(**others):
    return primitives.Tcgen05MxInstrDesc.build(n_dim=64, m_dim=128, **others)


FORMS = {
    "tcgen05.mma.cta_group::1.kind::f16.ashift": lambda d, s: primitives.tcgen05_mma(
        "f16", "cta_1", d, d, s, descriptor(), True, a_shift=True
    ),
    "tcgen05.mma.cta_group::1.kind::f16": lambda d, s: primitives.tcgen05_mma(
        "f16", "cta_1", d, s, s, descriptor(), True, scale_input_d=3, write_disable_mask=[1, 0, 0, 7]
    ),
    "tcgen05.mma.cta_group::1.kind::i8": lambda d, s: primitives.tcgen05_mma(
        "int8", "cta_1", d, s, s, descriptor(c_dtype=2, a_dtype=1, b_dtype=1, saturate=1), True
    ),
    "tcgen05.mma.cta_group::1.kind::tf32": lambda d, s: primitives.tcgen05_mma(
        "tf32", "cta_1", d, s, s, d.toint().to(Int32), True
    ),
    "tcgen05.mma.sp.cta_group::1.kind::f16": lambda d, s: primitives.tcgen05_mma_sp(
        "f16", "cta_1", d, s, s, descriptor(sparsity=1), True, d
    ),
    "tcgen05.mma.ws.cta_group::1.kind::f16.collector::b1::fill": lambda d, s: (
        primitives.tcgen05_mma_ws(
            "f16", d, s, s, descriptor(), True, collector_b_buffer="b1", collector_op="fill",
            col_b_zero_mask=5,
        )
    ),
    "tcgen05.mma.ws.sp.cta_group::1.kind::f16": lambda d, s: primitives.tcgen05_mma_ws_sp(
        "f16", d, s, s, descriptor(sparsity=1), True, d
    ),
    "tcgen05.mma.cta_group::1.kind::mxf8f6f4.block_scale.scale_vec::1X": lambda d, s: (
        primitives.tcgen05_mma_block_scale(
            "mxf8f6f4", "cta_1", d, s, s, scaled().set_sf_ids(d.toint(), 1), True, d, d
        )
    ),
    "tcgen05.mma.cta_group::1.kind::mxf8f6f4.block_scale.scale_vec::1X.collector::a::fill": lambda d, s: (
        primitives.tcgen05_mma_block_scale("mxf8f6f4", "cta_1", d, d, s, scaled(), True, d, d, collector_op="fill")
    ),
    "tcgen05.mma.sp.cta_group::1.kind::mxf8f6f4.block_scale.scale_vec::1X": lambda d, s: (
        primitives.tcgen05_mma_sp_block_scale(
            "mxf8f6f4", "cta_1", d, s, s, scaled(sparsity=1), True, d, d, d
        )
    ),
    "tcgen05.shift.cta_group::1.down": lambda d, s: primitives.tcgen05_shift(d),
    "tcgen05.cp.cta_group::1.128x256b.b8x16.b4x16_p64": lambda d, s: primitives.tcgen05_cp(
        "128x256b", d, s, src_format="b4x16_p64"
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", FORMS)
def test_forms_of_instructions(name, tmp_path):
    assert name in assembled(FORMS[name], tmp_path)


@pytest.mark.parametrize("mode", [name for name in vars(S2TCopyMode) if name.startswith("S2T")])
def test_copies_from_shared_memory(mode, tmp_path):
    shape, warps = getattr(S2TCopyMode, mode)
    (name,) = assembled(lambda d, s: primitives.tcgen05_cp(shape, d, s, multicast=warps), tmp_path)
    expected = mode[4:].lower().replace("_warpx2_", ".warpx2::").replace("_warpx4", ".warpx4")
    assert name == f"tcgen05.cp.cta_group::1.{expected}"


@pytest.mark.parametrize("op, nan", [("max", None), ("min", True)])
def test_the_extreme_of_a_load(op, nan, tmp_path):
    def body(t, out):
        memory = tensor_memory(Float32)
        numbers = [Float32(t + i) for i in range(3)] + [Float32(float("nan"))]
        primitives.tcgen05_st("32x32b", memory, numbers)
        primitives.tcgen05_wait("store")
        out[t] = primitives.tcgen05_ld_red("32x32b", memory, op, num=4, nan=nan)[1]
        free(memory)

    out = np.zeros(32, np.float32)
    run(body, out)
    assert np.isnan(out).all() if nan else out.tolist() == [t + 2 for t in range(32)]
    text = ptx(body, out, arch="sm_103a", folder=tmp_path)
    assert f"tcgen05.ld.red.sync.aligned.32x32b.x4.{op}{'.NaN' if nan else ''}.f32" in text


#: Launch control.


def taken(t, out):
    """Let the first block take over as many blocks as it can; each block writes its number."""
    answer = Array(Int32, 4, space="smem", alignment=16)
    arrived = Array(Int64, 1, space="smem", alignment=8)
    primitives.mbarrier_init(arrived, 1)
    primitives.fence_mbarrier_init()
    primitives.mbarrier_arrive_expect_tx(arrived, 16)
    primitives.clusterlaunchcontrol_try_cancel(answer, arrived)
    while not primitives.mbarrier_try_wait_parity(arrived, 0):
        pass
    cancelled = primitives.clusterlaunchcontrol_query_cancel("is_canceled", answer)
    place = primitives.clusterlaunchcontrol_query_cancel("get_first_cta_id_x", answer)
    if cancelled:
        primitives.red(
            "add",
            "s32",
            primitives.Pointer(out.iterator) + place,
            1,
            mem_order="relaxed",
            mem_scope="gpu",
        )


def test_clusters_that_are_taken_over(tmp_path):
    out = np.zeros(64, np.int32)
    run(taken, out, threads=1, blocks=64)
    assert set(out.tolist()) <= {0, 1} and 1 in out.tolist() and out[0] == 0
    text = ptx(taken, out, arch=ARCH, folder=tmp_path, threads=1)
    assert "clusterlaunchcontrol.try_cancel.async" in text
    assert "clusterlaunchcontrol.query_cancel.is_canceled" in text


#: Mistakes.

MISTAKES = {
    "columns": (lambda d, s: primitives.tcgen05_dealloc(d, 48), "a power of two from 32 to 512 as n_cols"),
    "few columns": (lambda d, s: primitives.tcgen05_dealloc(d, 16), "32 to 512 as n_cols, but got 16"),
    "exclusive": (lambda d, s: primitives.tcgen05_dealloc(d, 32, is_exclusive=True), "as is_exclusive"),
    "memory": (
        lambda d, s: primitives.tcgen05_ld("32x32b", Array(Int32, 4, space="smem")),
        "an address in tensor memory as tmem_addr",
    ),
    "place": (lambda d, s: primitives.tcgen05_alloc(d, 32), "an address in shared memory as addr"),
    "number": (lambda d, s: primitives.tcgen05_ld("16x256b", d, num=64), "from 1 to 32 as num, but got 64"),
    "shape": (lambda d, s: primitives.tcgen05_ld("32x64b", d), "one of 16x32bx2"),
    "offset": (lambda d, s: primitives.tcgen05_ld("32x32b", d, offset=4), "None for shape 32x32b as offset"),
    "no offset": (lambda d, s: primitives.tcgen05_ld("16x32bx2", d), "an int of 0 to 511"),
    "registers": (lambda d, s: primitives.tcgen05_st("32x32b", d, [1, 2, 3]), "as num, but got 3"),
    "word": (lambda d, s: primitives.tcgen05_st("32x32b", d, Float64(1.0)), "a number of 32 bits as val"),
    "warps": (lambda d, s: primitives.tcgen05_cp("32x128b", d, s), "warpx4 for shape 32x128b"),
    "descriptor": (lambda d, s: primitives.tcgen05_cp("4x256b", d, Int32(3)), "64 bits as smem_desc"),
    "mask": (
        lambda d, s: primitives.tcgen05_commit(Array(Int64, 1, space="smem"), multicast_mask=1 << 16),
        "0 to 65535 as multicast_mask",
    ),
    "kind": (
        lambda d, s: primitives.tcgen05_mma("mxf4", "cta_1", d, s, s, descriptor(), True),
        "f16, tf32, f8f6f4 or int8 as mma_kind",
    ),
    "types": (
        lambda d, s: primitives.tcgen05_mma("tf32", "cta_1", d, s, s, descriptor(), True),
        "2 \\(tf32\\) as type of A for kind tf32 as idesc",
    ),
    "extents": (
        lambda d, s: primitives.tcgen05_mma(
            "f16", "cta_1", d, s, s, primitives.Tcgen05InstrDesc.build(n_dim=64, m_dim=256), True
        ),
        "extent M of 64 or 128",
    ),
    "scale": (
        lambda d, s: primitives.tcgen05_mma("f16", "cta_1", d, s, s, descriptor(), True, scale_input_d=16),
        "0 to 15 as scale_input_d",
    ),
    "lanes": (
        lambda d, s: primitives.tcgen05_mma("f16", "cta_2", d, s, s, descriptor(), True, write_disable_mask=[0] * 4),
        "a vector of 8 words as write_disable_mask",
    ),
    "shifted": (
        lambda d, s: primitives.tcgen05_mma("f16", "cta_1", d, s, s, descriptor(), True, a_shift=True),
        "None for A in shared memory as a_shift",
    ),
    "vector": (
        lambda d, s: primitives.tcgen05_mma_block_scale("mxf4nvf4", "cta_1", d, s, s, scaled(), True, d, d),
        "for kind mxf4nvf4 as scale_vec_size",
    ),
    "sparsity": (
        lambda d, s: primitives.tcgen05_mma_sp("f16", "cta_1", d, s, s, descriptor(), True, d),
        "a descriptor with sparsity=1 as idesc",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes(name, tmp_path):
    call, message = MISTAKES[name]
    with pytest.raises((TypeError, ValueError), match=message):
        assembled(call, None)


@pytest.mark.parametrize(
    "arch, call, gpus",
    [
        ("sm_90a", lambda d, s: primitives.tcgen05_wait("load"), "sm_100a and its family"),
        ("sm_90a", lambda d, s: primitives.tcgen05_ld("32x32b", d), "sm_100a and its family"),
        ("sm_100a", lambda d, s: primitives.tcgen05_ld_red("32x32b", d, "max"), "sm_103a"),
        ("sm_100f", lambda d, s: primitives.tcgen05_shift(d), "sm_100a, sm_103a and sm_110a"),
    ],
)
def test_architectures(arch, call, gpus):
    with pytest.raises(ValueError, match=f"supported only for {gpus}"):
        assembled(call, None, arch)


@pytest.mark.parametrize(
    "name",
    [
        name
        for name in FORMS
        if not name.endswith("mma.cta_group::1.kind::mxf8f6f4.block_scale.scale_vec::1X")
    ],
)
def test_what_the_cpu_lacks_is_an_error(name):
    def body(t, out):
        memory = primitives.make_tmem_ptr(0, Int32)
        FORMS[name](memory, primitives.Tcgen05SmemDesc.build(0, 16, 128))

    with pytest.raises(ValueError, match="is supported only for .* compiled for cpu"):
        run(body, np.zeros(1, np.int32))
