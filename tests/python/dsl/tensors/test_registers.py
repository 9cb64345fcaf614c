"""Register tensors, whole-tensor values in kernels, copies."""

import re

import numpy as np
import pytest

from fairlead import cute


def run(device, *arrays, block=(32, 1, 1), grid=(1, 1, 1)):
    """Launches `device` on the arrays, one block unless told."""
    names = "abcdef"[: len(arrays)]
    namespace = {"device": device, "grid": grid, "block": block}
    exec(
        f"def host({', '.join(names)}):\n    device({', '.join(names)}).launch(grid=grid, block=block)\n",
        namespace,
    )
    host = cute.jit(preprocess=False)(namespace["host"])
    compiled = cute.compile(host, *(cute.runtime.from_dlpack(x) for x in arrays))
    compiled(*arrays)


def test_load_reads_now():
    @cute.kernel
    def device(a: cute.Tensor, b: cute.Tensor):
        t, _, _ = cute.arch.thread_idx()
        mine = cute.local_tile(a, (4,), (t,))
        values = mine.load()
        mine.fill(0.0)
        cute.local_tile(b, (4,), (t,)).store(values * 2.0 + 1.0)

    a = np.random.default_rng(0).standard_normal(128).astype(np.float32)
    b, before = np.zeros_like(a), a.copy()
    run(device, a, b)
    np.testing.assert_array_equal(b, before * 2 + 1)
    assert not a.any()


def test_overlapping_assignment():
    @cute.kernel
    def device(a: cute.Tensor):
        first = cute.make_tensor(a.iterator, 7)
        second = cute.make_tensor(a.iterator + 1, 7)
        second.store(first.load())

    a = np.arange(8, dtype=np.float32)
    run(device, a, block=(1, 1, 1))
    assert a.tolist() == [0, 0, 1, 2, 3, 4, 5, 6]


def test_register_tensors():
    @cute.kernel
    def device(a: cute.Tensor, b: cute.Tensor, n: cute.Tensor):
        t, _, _ = cute.arch.thread_idx()
        x, _, _ = cute.arch.block_idx()
        mine = cute.make_rmem_tensor((2, 3), cute.Float32)
        for i in range(2):
            for j in range(3):
                mine[i, j] = a[x, t, i, j]
        # A run-time index: kept in memory.
        mine[n[0]] = mine[n[0]] + 100.0
        other = cute.make_fragment_like(mine)
        other.store(mine.load() - 1.0)
        for i in range(2):
            for j in range(3):
                b[x, t, i, j] = other[i, j]

    a = np.random.default_rng(1).standard_normal((5, 40, 2, 3)).astype(np.float32)
    b, n = np.zeros_like(a), np.array([3], np.int32)
    run(device, a, b, n, block=(40, 1, 1), grid=(5, 1, 1))
    expected = a.copy()
    expected[..., 1, 1] += 100
    np.testing.assert_array_equal(b, expected - 1)


def test_register_tensor_across_a_barrier():
    @cute.kernel
    def device(a: cute.Tensor, b: cute.Tensor):
        t, _, _ = cute.arch.thread_idx()
        mine = cute.make_rmem_tensor(3, cute.Int32)
        for i in range(3):
            mine[i] = a[t] * i
        cute.arch.sync_threads()
        b[t] = mine[0] + mine[1] + mine[2] + cute.arch.shuffle_sync_bfly(mine[2], 1)

    a = np.arange(32, dtype=np.int32)
    b = np.zeros_like(a)
    run(device, a, b)
    np.testing.assert_array_equal(b, a * 3 + (a ^ 1) * 2)


def test_reduce_where_and_element():
    @cute.kernel
    def device(a: cute.Tensor, b: cute.Tensor):
        t, _, _ = cute.arch.thread_idx()
        x = cute.local_tile(a, (8,), (t,)).load()
        b[t, 0] = x.reduce(cute.ReductionOp.ADD, cute.Float32(0.0), reduction_profile=0)
        b[t, 1] = x.reduce(cute.ReductionOp.MAX, cute.Float32(-1e30), reduction_profile=0)
        positive = cute.where(x > 0.0, x, cute.zeros_like(x))
        b[t, 2] = positive.reduce(cute.ReductionOp.ADD, cute.Float32(0.0), reduction_profile=0)
        b[t, 3] = x[5] + cute.exp(x)[0]
        assert x.shape == (8,) and x.dtype is cute.Float32
        assert (x > 0.0).dtype is cute.Boolean

    a = np.random.default_rng(2).standard_normal(256).astype(np.float32)
    b = np.zeros((32, 4), np.float32)
    run(device, a, b)
    rows = a.reshape(32, 8)
    np.testing.assert_allclose(b[:, 0], rows.sum(axis=1), rtol=1e-5, atol=1e-5)
    np.testing.assert_array_equal(b[:, 1], rows.max(axis=1))
    np.testing.assert_allclose(b[:, 2], np.maximum(rows, 0).sum(axis=1), rtol=1e-5)
    np.testing.assert_allclose(b[:, 3], rows[:, 5] + np.exp(rows[:, 0]), rtol=1e-5, atol=1e-6)


def test_maxima_wait_for_few_others():
    @cute.kernel
    def device(a: cute.Tensor, b: cute.Tensor):
        t, _, _ = cute.arch.thread_idx()
        x = cute.local_tile(a, (1, 37), (t, 0)).load()
        largest = x.reduce(cute.ReductionOp.MAX, cute.Float32(-np.inf), reduction_profile=0)
        least = x.reduce(cute.ReductionOp.MIN, cute.Float32(3.0), reduction_profile=(None, 1))
        b[t, 0] = largest
        b[t, 1] = least[0]

    @cute.jit
    def host(a: cute.Tensor, b: cute.Tensor):
        device(a, b).launch(grid=1, block=16)

    a = np.random.default_rng(4).standard_normal((16, 37)).astype(np.float32)
    a[3, 36] = np.nan
    a[4] = -np.inf
    a[5] = 7.0
    b = np.zeros((16, 2), np.float32)
    compiled = cute.compile(
        host, *(cute.runtime.from_dlpack(x) for x in (a, b)), options="--target cuda:sm_90a,cpu"
    )
    compiled(a, b)
    np.testing.assert_array_equal(b[:, 0], a.max(axis=1))
    np.testing.assert_array_equal(b[:, 1], np.minimum(a.min(axis=1), 3))
    depth = {}
    for result, operands in re.findall(
        r"\t(?:max|min)\.NaN\.f32 \t(%r\d+), ([^;]*);", compiled.__ptx__
    ):
        depth[result] = 1 + max(depth.get(operand, 0) for operand in operands.split(", "))
    assert len(depth) == 36 + 37 and max(depth.values()) == 6, depth  # one after the other: 37


def test_conditional_copy():
    @cute.kernel
    def device(a: cute.Tensor, b: cute.Tensor):
        t, _, _ = cute.arch.thread_idx()
        pred = cute.make_rmem_tensor(4, cute.Boolean)
        for i in range(4):
            pred[i] = t * 4 + i < 50
        cute.basic_copy_if(pred, cute.local_tile(a, (4,), (t,)), cute.local_tile(b, (4,), (t,)))

    a = np.random.default_rng(3).standard_normal(128).astype(np.float32)
    b = np.zeros_like(a)
    run(device, a, b)
    np.testing.assert_array_equal(b, np.where(np.arange(128) < 50, a, 0))


@pytest.mark.parametrize("width, instruction", [(4, "v4.b32"), (2, "v2.b32")])
def test_wide_accesses(width, instruction, tmp_path, monkeypatch):
    """Neighbouring elements of known alignment move in one access."""
    monkeypatch.chdir(tmp_path)  # where the kept PTX goes

    @cute.kernel
    def device(a: cute.Tensor, b: cute.Tensor):
        t, _, _ = cute.arch.thread_idx()
        x, _, _ = cute.arch.block_idx()
        tile_a = cute.zipped_divide(a, width * 128)[None, x]
        tile_b = cute.zipped_divide(b, width * 128)[None, x]
        cute.logical_divide(tile_b, width)[None, t].store(
            cute.logical_divide(tile_a, width)[None, t].load() + 1.0
        )

    @cute.jit
    def host(a: cute.Tensor, b: cute.Tensor):
        device(a, b).launch(grid=[cute.size(a) // (width * 128), 1, 1], block=[128, 1, 1])

    n = cute.sym_int(divisibility=width)
    tensors = [
        cute.runtime.make_fake_compact_tensor(cute.Float32, (n,), assumed_align=4 * width)
        for _ in range(2)
    ]
    options = "--enable-tvm-ffi --gpu-arch sm_90"
    ptx = cute.compile(host, *tensors, options=options).__ptx__
    assert f"ld.global.{instruction}" in ptx and f"st.global.{instruction}" in ptx
