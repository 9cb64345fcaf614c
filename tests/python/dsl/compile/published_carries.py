"""Chains of instructions that leave a carry and take it, and powers of two at once: against Python and NumPy."""

import numpy as np
import pytest

import fairlead.compat  # noqa: F401  before the names that it defines

# isort: split
import cutlass.cute as cute
from cutlass import BFloat16, Float16, Int32
from support.published_kernels import ptx_of, run

_RANDOM = np.random.default_rng(7)


@pytest.mark.parametrize("bits", [32, 64])
def test_sums_differences_and_products_of_two_words(bits):
    @cute.kernel
    def kernel(x: cute.Tensor, out: cute.Tensor):
        i, _, _ = cute.arch.thread_idx()
        a, b, c, d = (x[i, place] for place in range(4))
        arch = cute.arch
        out[i, 0] = arch.add_cc(a, c)
        # The carry is taken, and stays.
        out[i, 1] = arch.addc(b, d)
        out[i, 2] = arch.addc(d, b)
        out[i, 3] = arch.sub_cc(a, c)
        out[i, 4] = arch.subc(b, d)
        out[i, 5] = arch.mad_cc(a, c, b)
        out[i, 6] = arch.madc(b, d, a)

    dtype = np.dtype(f"uint{bits}")
    x = _RANDOM.integers(0, 2**bits, (64, 4), dtype)
    x[:4] = [[2**bits - 1, 0, 1, 0], [0, 1, 1, 0], [0, 0, 1, 0], [2**bits - 1] * 4]
    out = np.zeros((64, 7), dtype)
    run(kernel, x, out, threads=64)
    for row, results in zip(x.tolist(), out.tolist()):
        a, b, c, d = row
        low, high = row[0] | b << bits, c | d << bits
        every = (1 << 2 * bits) - 1
        total, difference = (low + high) & every, (low - high) & every
        one = 2**bits
        assert results[:2] == [total % one, total // one]
        assert results[2] == results[1]
        assert results[3:5] == [difference % one, difference // one]
        lower = (a * c) % one + b
        assert results[5:] == [lower % one, (b * d + a + lower // one) % one]


def test_results_have_the_type_of_the_operands():
    @cute.kernel
    def kernel(x: cute.Tensor, out: cute.Tensor):
        total = cute.arch.add_cc(x[0], x[1])
        assert total.dtype is Int32
        out[0] = total
        out[1] = cute.arch.addc(x[1], 0)

    x, out = np.array([-1, 1], np.int32), np.zeros(2, np.int32)
    run(kernel, x, out, threads=1)
    assert out.tolist() == [0, 2]


def test_a_carry_needs_an_instruction_that_leaves_it():
    @cute.kernel
    def kernel(x: cute.Tensor):
        x[0] = cute.arch.addc(x[0], 1.5)

    with pytest.raises(TypeError, match="2 operands of Int32"):
        run(kernel, np.zeros(1, np.float32), threads=1)


def test_carries_are_ptx_on_gpus(tmp_path, monkeypatch):
    @cute.kernel
    def kernel(x: cute.Tensor):
        low = cute.arch.add_cc(x[0], x[1])
        x[0] = cute.arch.addc(x[1], x[0])
        x[1] = low
        x[2] = cute.arch.mad_cc(x[0], x[1], x[2])
        x[3] = cute.arch.madc(x[0], x[1], x[2])

    text = ptx_of(kernel, tmp_path, monkeypatch)
    order = [
        text.index(name) for name in ("add.cc.u32", "addc.u32", "mad.lo.cc.s32", "madc.lo.s32")
    ]
    assert order == sorted(order)


@pytest.mark.parametrize(
    "name, dtype", [("exp2_packed_f16x2", Float16), ("exp2_packed_bf16x2", BFloat16)]
)
def test_two_powers_of_two(name, dtype):
    @cute.kernel
    def kernel(x: cute.Tensor, out: cute.Tensor):
        i, _, _ = cute.arch.thread_idx()
        function = getattr(cute.arch, name)
        low, high = function((x[i, 0], x[i, 1]))
        assert low.dtype is dtype
        word = cute.make_rmem_tensor((2,), dtype)
        word[0], word[1] = x[i, 0].to(dtype), x[i, 1].to(dtype)
        powers = function(cute.recast_tensor(word, Int32)[0])
        assert powers.dtype is Int32
        both = cute.make_rmem_tensor((2,), Int32)
        both[0] = both[1] = powers
        halves = cute.recast_tensor(both, dtype)
        for place, power in enumerate((low, high, halves[0], halves[1])):
            out[i, place] = power.to(cute.Float32)

    x = np.zeros((32, 2), np.float32)
    x[:, 0] = np.linspace(-12, 12, 32).round(2)
    x[:, 1] = np.arange(32) - 16
    out = np.zeros((32, 4), np.float32)
    run(kernel, x, out)
    np.testing.assert_array_equal(out[:, 0], out[:, 2])
    np.testing.assert_array_equal(out[:, 1], 2.0 ** x[:, 1])
    np.testing.assert_array_equal(out[:, 3], out[:, 1])
    np.testing.assert_allclose(out[:, 0], 2.0 ** x[:, 0], rtol=2**-5)


def test_powers_of_two_are_one_instruction_on_gpus(tmp_path, monkeypatch):
    @cute.kernel
    def kernel(x: cute.Tensor):
        x[0] = cute.arch.exp2_packed_f16x2(x[0])
        x[1] = cute.arch.exp2_packed_bf16x2(x[1], predicate=x[0] > 0)

    text = ptx_of(kernel, tmp_path, monkeypatch)
    assert "ex2.approx.f16x2" in text and "ex2.approx.ftz.bf16x2" in text

    @cute.jit
    def host(x: cute.Tensor):
        kernel(x).launch(grid=1, block=32)

    fake = cute.runtime.make_fake_compact_tensor(Int32, (32,))
    with pytest.raises(ValueError, match="`exp2_packed_bf16x2`.*sm_90 and newer"):
        cute.compile(host, fake, options="--target cuda:sm_80")
