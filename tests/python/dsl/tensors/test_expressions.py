"""Whole-tensor expressions, in host functions and in kernels."""

import numpy as np
import pytest
from support import dsl_support as support

from fairlead import Float32, Int32, cute


def compiled_for(host, *dtypes):
    n = cute.sym_int()
    return cute.compile(
        host, *[support.vector(dtype, n) for dtype in dtypes], options="--target cpu"
    )


@pytest.mark.parametrize("n", support.SIZES)
def test_sum(n):
    @cute.jit
    def host(a, b, c):
        c[:] = a[:] + b[:]

    a, b = (np.random.default_rng(seed).standard_normal(n).astype(np.float32) for seed in (1, 2))
    c = support.poisoned(n, np.float32)
    compiled_for(host, Float32, Float32, Float32)(a, b, c)
    np.testing.assert_array_equal(c, a + b)


def test_operators_and_math():
    @cute.jit
    def host(a, b, c):
        x = (2.0 * a[...] - b.load() / 4.0) ** 2
        c.store(cute.math.sqrt(x + 1.0) + (a[:] > b[:]).to(Float32) - abs(-b[:]))

    a, b = (np.random.default_rng(seed).standard_normal(777).astype(np.float32) for seed in (1, 2))
    c = support.poisoned(777, np.float32)
    compiled_for(host, Float32, Float32, Float32)(a, b, c)
    np.testing.assert_allclose(
        c, np.sqrt((2 * a - b / 4) ** 2 + 1) + (a > b) - abs(b), rtol=1e-5, atol=1e-6
    )


def test_scalar_and_fill():
    @cute.jit
    def host(a, b, scale: Float32):
        a[:] = 3
        b.fill(scale * 2.0)

    a, b = support.poisoned(100, np.int32), support.poisoned(100, np.float32)
    compiled = cute.compile(
        host, support.vector(Int32), support.vector(Float32), 1.0, options="--target cpu"
    )
    compiled(a, b, 1.25)
    np.testing.assert_array_equal(a, np.full(100, 3))
    np.testing.assert_array_equal(b, np.full(100, 2.5))


def test_matrix_and_slice():
    @cute.jit
    def host(a, b):
        b[:] = a[:] * 2.0
        b[None, 0] = a[None, 1] if False else a[:, 1]

    def fake():
        return cute.runtime.make_fake_compact_tensor(Float32, (m, n), stride_order=(1, 0))

    m, n = cute.sym_int(), cute.sym_int()
    compiled = cute.compile(host, fake(), fake(), options="--target cpu")
    a = np.random.default_rng(0).standard_normal((13, 7)).astype(np.float32)
    b = support.poisoned((13, 7), np.float32)
    compiled(a, b)
    expected = a * 2
    expected[:, 0] = a[:, 1]
    np.testing.assert_array_equal(b, expected)


def test_in_a_kernel():
    @cute.kernel
    def device(a, b):
        i = cute.arch.thread_idx()[0]
        b[i, None] = a[i, None].load() + 1.0

    @cute.jit
    def host(a, b):
        device(a, b).launch(grid=1, block=4)

    fakes = [
        cute.runtime.make_fake_compact_tensor(Float32, (4, 6), stride_order=(1, 0))
        for _ in range(2)
    ]
    a, b = (
        np.random.default_rng(0).standard_normal((4, 6)).astype(np.float32),
        support.poisoned((4, 6), np.float32),
    )
    cute.compile(host, *fakes, options="--target cpu")(a, b)
    np.testing.assert_array_equal(b, a + 1)


def test_extents_that_turn_out_different():
    @cute.jit
    def host(a, b, c):
        c[:] = a[:] + b[:]

    compiled = cute.compile(
        host, *[support.vector(Float32) for _ in range(3)], options="--target cpu"
    )
    a, b, c = (np.zeros(size, np.float32) for size in (5, 6, 5))
    with pytest.raises(ValueError, match="b.shape"):
        compiled(a, b, c)


def test_other_shapes_and_types_of_the_same_bits():
    @cute.jit
    def run(out: cute.Tensor, bits: cute.Tensor):
        t = cute.make_rmem_tensor((2, 3), Float32)
        for i in cute.range_constexpr(6):
            t[i] = float(i)
        values = t.load().reshape((3, 2))
        out.store(values.reduce(cute.ReductionOp.ADD, 0.0, (None, 1)))
        bits.store(values.bitcast(Int32).reshape(6))

    out, bits = np.zeros(3, np.float32), np.zeros(6, np.int32)
    given = [cute.runtime.from_dlpack(each) for each in (out, bits)]
    cute.compile(run, *given, options="--target cpu")(out, bits)
    assert out.tolist() == [3, 5, 7]
    assert bits.tolist() == np.arange(6, dtype=np.float32).view(np.int32).tolist()

    @cute.jit
    def wrong(t: cute.Tensor):
        t.load().reshape((4, 2))

    with pytest.raises((TypeError, ValueError), match=r"\(4,2\)"):
        cute.compile(wrong, given[0], options="--target cpu")
