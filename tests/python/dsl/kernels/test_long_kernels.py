"""Kernels of thousands of operations: code generation cuts their blocks, and the numbers are those of short ones."""

import numpy as np
import pytest

from fairlead import cute, range_constexpr


@pytest.fixture(autouse=True)
def on_the_cpu(monkeypatch):
    monkeypatch.setenv("FAIRLEAD_TARGET", "cpu")


@pytest.mark.parametrize("options", ["", "--no-fmad"])
def test_one_block(options):
    """Products with 0.5 are exact, so that fusing makes no difference."""
    count = 4000

    @cute.kernel
    def device(a: cute.Tensor, b: cute.Tensor):
        i, _, _ = cute.arch.thread_idx()
        x, y = a[i], a[i] + 1.0
        for k in range_constexpr(count):
            x, y = y * 0.5 + float(k % 7), x
        b[i] = x - y

    @cute.jit
    def host(a: cute.Tensor, b: cute.Tensor):
        device(a, b).launch(grid=(1, 1, 1), block=(64, 1, 1))

    a = np.linspace(-3, 3, 64, dtype=np.float32)
    b = np.zeros_like(a)
    cute.compile(host, a, b, options=options)(a, b)
    x, y = a.copy(), a + np.float32(1)
    for k in range(count):
        x, y = y * np.float32(0.5) + np.float32(k % 7), x
    np.testing.assert_array_equal(b, x - y)


def test_a_loop_that_carries_hundreds_of_values():
    """More than a piece of a block holds."""
    count, rounds = 700, 3

    @cute.kernel
    def device(a: cute.Tensor, b: cute.Tensor, turns: cute.Int32):
        i, _, _ = cute.arch.thread_idx()
        values = tuple(a[i] + float(k) for k in range(count))
        for _ in range(turns):
            for _ in range_constexpr(rounds):
                values = tuple(value * 0.5 + 1.0 for value in (*values[1:], values[0]))
        total = a[i]
        for value in values:
            total = total + value
        b[i] = total

    @cute.jit
    def host(a: cute.Tensor, b: cute.Tensor, turns: cute.Int32):
        device(a, b, turns).launch(grid=(1, 1, 1), block=(8, 1, 1))

    a = np.arange(8, dtype=np.float32)
    b = np.zeros_like(a)
    cute.compile(host, a, b, cute.Int32)(a, b, 4)
    values = [a + np.float32(k) for k in range(count)]
    for _ in range(4 * rounds):
        values = [v * np.float32(0.5) + np.float32(1) for v in (*values[1:], values[0])]
    total = a
    for value in values:
        total = total + value
    np.testing.assert_array_equal(b, total)
