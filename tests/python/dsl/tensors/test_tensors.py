"""Tensors of more modes, static and symbolic layouts, slices, printing."""

import numpy as np
import pytest
from support import dsl_support as support

from fairlead import Float32, Int32, cute


@cute.kernel
def device_transpose(a: cute.Tensor, b: cute.Tensor):
    j, i, _ = cute.arch.block_idx()
    t = cute.arch.thread_idx()[0]
    column = j * 32 + t
    if column < a.shape[1]:
        b[column, i] = a[i, column]


@cute.jit
def transpose(a: cute.Tensor, b: cute.Tensor):
    device_transpose(a, b).launch(grid=(cute.ceil_div(a.shape[1], 32), a.shape[0]), block=32)


def row_major(dtype, shape):
    order = tuple(reversed(range(len(shape))))
    return cute.runtime.make_fake_compact_tensor(dtype, shape, stride_order=order)


@pytest.mark.parametrize("shape", [(1, 1), (3, 5), (17, 70)])
def test_two_modes_of_symbols(shape):
    m, n = cute.sym_int(), cute.sym_int()
    compiled = cute.compile(
        transpose, row_major(Float32, (m, n)), row_major(Float32, (n, m)), options="--target cpu"
    )
    a = np.random.default_rng(0).standard_normal(shape).astype(np.float32)
    b = support.poisoned(shape[::-1], np.float32)
    compiled(a, b)
    np.testing.assert_array_equal(b, a.T)


def test_two_static_modes():
    compiled = cute.compile(
        transpose, row_major(Int32, (6, 40)), row_major(Int32, (40, 6)), options="--target cpu"
    )
    a = np.arange(240, dtype=np.int32).reshape(6, 40)
    b = support.poisoned((40, 6), np.int32)
    compiled(a, b)
    np.testing.assert_array_equal(b, a.T)
    with pytest.raises(ValueError, match=r"Mismatched a.shape\[1\].*expected 40, but got 39"):
        compiled(a[:, :39].copy(), b)


def test_column_major_is_the_default():
    fake = cute.runtime.make_fake_compact_tensor(Float32, (3, 5))
    assert fake.stride[0].coefficient == 1 and fake.stride[1].coefficient == 3
    m, n = cute.sym_int(), cute.sym_int()
    compiled = cute.compile(
        transpose,
        cute.runtime.make_fake_compact_tensor(Float32, (m, n)),
        cute.runtime.make_fake_compact_tensor(Float32, (n, m)),
        options="--target cpu",
    )
    a = np.asfortranarray(np.random.default_rng(0).standard_normal((7, 9)).astype(np.float32))
    b = np.asfortranarray(support.poisoned((9, 7), np.float32))
    compiled(a, b)
    np.testing.assert_array_equal(b, a.T)
    with pytest.raises(ValueError, match="strides"):
        compiled(np.ascontiguousarray(a), b)


def test_symbolic_strides():
    m, n = cute.sym_int(), cute.sym_int()
    s = [cute.sym_int64() for _ in range(4)]
    a_fake = cute.runtime.make_fake_tensor(Float32, (m, n), (s[0], s[1]))
    b_fake = cute.runtime.make_fake_tensor(Float32, (n, m), (s[2], s[3]))
    compiled = cute.compile(transpose, a_fake, b_fake, options="--target cpu")
    whole = np.random.default_rng(0).standard_normal((20, 30)).astype(np.float32)
    for a in (whole, whole.T, whole[::2, ::3], whole[:, 3:4]):
        store = support.poisoned((64, 64), np.float32)
        b = store[: a.shape[1] * 2 : 2, 1 : a.shape[0] + 1]
        compiled(a, b)
        np.testing.assert_array_equal(b, a.T)
        assert np.isnan(store).sum() == store.size - a.size


@cute.kernel
def device_slices(a: cute.Tensor, out: cute.Tensor):
    i = cute.arch.thread_idx()[0]
    row = a[i, None, 1]
    assert row.shape == (5,) and row.ndim == 1 and row.element_type is Float32
    total = Float32(0.0)
    for k in range(row.shape[0]):
        total += row[k]
    same = a[None]
    total += same[i, 0, 2] + a[(i, 0, 0)] * 100.0
    out[i] = total


def test_slices():
    @cute.jit
    def host(a, out):
        device_slices(a, out).launch(grid=1, block=4)

    compiled = cute.compile(
        host, row_major(Float32, (4, 5, 3)), support.vector(Float32), options="--target cpu"
    )
    a = np.random.default_rng(0).standard_normal((4, 5, 3)).astype(np.float32)
    out = support.poisoned(4, np.float32)
    compiled(a, out)
    np.testing.assert_allclose(out, a[:, :, 1].sum(1) + a[:, 0, 2] + a[:, 0, 0] * 100, rtol=1e-5)


def test_linear_index_counts_mode_0_fastest():
    @cute.kernel
    def device(a, out):
        i = cute.arch.thread_idx()[0]
        out[i] = a[i]

    @cute.jit
    def host(a, out):
        device(a, out).launch(grid=1, block=12)

    compiled = cute.compile(
        host, row_major(Int32, (3, 4)), support.vector(Int32), options="--target cpu"
    )
    a, out = np.arange(12, dtype=np.int32).reshape(3, 4), support.poisoned(12, np.int32)
    compiled(a, out)
    np.testing.assert_array_equal(out, a.ravel(order="F"))


def test_three_dimensional_launch():
    @cute.kernel
    def device(out):
        tx, ty, tz = cute.arch.thread_idx()
        bx, by, bz = cute.arch.block_idx()
        dx, dy, dz = cute.arch.block_dim()
        gx, gy, gz = cute.arch.grid_dim()
        x, y, z = bx * dx + tx, by * dy + ty, bz * dz + tz
        out[x, y, z] = x + 100 * y + 10000 * z + (gx * gy * gz) * 1000000

    @cute.jit
    def host(out):
        device(out).launch(grid=(2, 3, 4), block=[4, 2, 1])

    compiled = cute.compile(host, row_major(Int32, (8, 6, 4)), options="--target cpu")
    out = support.poisoned((8, 6, 4), np.int32)
    compiled(out)
    x, y, z = np.indices((8, 6, 4))
    np.testing.assert_array_equal(out, x + 100 * y + 10000 * z + 24000000)


def test_printing_while_tracing():
    texts = []

    @cute.jit
    def host(a, b):
        texts.extend([str(a), str(a.layout), str(b), str(b.shape), str(a.shape), str(a.stride)])
        texts.append(a.memspace)

    n = cute.sym_int(divisibility=4)
    cute.compile(
        host, row_major(Float32, (4, 3)), row_major(cute.Float16, (n, 8)), options="--target cpu"
    )
    assert texts == [
        "tensor<ptr<f32, gmem> o (4,3):(3,1)>",
        "(4,3):(3,1)",
        "tensor<ptr<f16, gmem> o (?{div=4},8):(8,1)>",
        "(?{div=4}, 8)",
        "(4, 3)",
        "(3, 1)",
        cute.AddressSpace.gmem,
    ]


def test_shape_functions():
    sizes = []

    @cute.jit
    def host(a, b):
        sizes.extend(
            [cute.size(a), cute.size(a, mode=[1]), cute.rank(a), cute.size(a.layout), len(a)]
        )
        sizes.append(repr(cute.size(b)))

    cute.compile(host, row_major(Float32, (4, 3)), support.vector(Float32), options="--target cpu")
    assert sizes == [12, 3, 2, 12, 4, "?"]
    assert (
        cute.ceil_div(10, 3) == 4
        and cute.ceil_div((10, 9), (3, 3)) == (4, 3)
        and cute.round_up(10, 4) == 12
    )


def test_from_dlpack_layouts():
    a = np.zeros((30, 20), np.float32)
    tensor = cute.runtime.from_dlpack(a)
    assert tensor.shape == (30, 20) and tensor.stride == (20, 1) and tensor.element_type is Float32
    assert str(tensor) == f"Tensor<0x{a.ctypes.data:016x}@generic o (30,20):(20,1)>"
    tensor.mark_layout_dynamic()
    assert str(tensor).endswith("(?,?):(?{i64},1)>")
    assert str(cute.from_dlpack(a.T).mark_layout_dynamic(leading_dim=-2)).endswith(
        "(?,?):(1,?{i64})>"
    )
    assert str(cute.from_dlpack(np.zeros((1, 5), np.int8)).mark_layout_dynamic()).endswith(
        "(?,?):(?{i64},1)>"
    )


def test_compile_with_framework_tensors():
    a, b = (
        np.random.default_rng(0).standard_normal((5, 6)).astype(np.float32),
        support.poisoned((6, 5), np.float32),
    )
    static = cute.compile(transpose, cute.from_dlpack(a), cute.from_dlpack(b))
    assert (
        str(static.signature)
        == "transpose(a: Tensor([5, 6], float32), out b: Tensor([6, 5], float32))"
    )
    static(a, b)
    np.testing.assert_array_equal(b, a.T)
    dynamic = cute.compile(
        transpose,
        cute.from_dlpack(a).mark_layout_dynamic(),
        cute.from_dlpack(b).mark_layout_dynamic(),
    )
    a, b = np.ones((3, 40), np.float32), support.poisoned((40, 3), np.float32)
    dynamic(cute.from_dlpack(a), cute.from_dlpack(b))
    np.testing.assert_array_equal(b, a.T)
    assert str(dynamic.target) == "cpu"


def test_the_published_name_of_loaded_values():
    seen = []

    @cute.jit
    def function(a: cute.Tensor):
        seen.append(isinstance(a.load(), cute.TensorSSA))

    cute.compile(
        function, cute.runtime.from_dlpack(np.zeros(4, np.float32)), options="--target cpu"
    )
    assert seen == [True]
