"""Numeric classes that published programs derive by the metaclass of floats, as quack.complex does."""

from __future__ import annotations

import struct

import numpy as np
import pytest

import fairlead.compat  # noqa: F401  before the names that it defines

# isort: split
import cutlass
import cutlass.cute as cute
from cutlass import Float32, Float64, Int32, Numeric
from cutlass._mlir import ir
from cutlass._mlir.dialects import arith
from cutlass._mlir.extras import types as T
from cutlass._mlir_helpers.arith import bitcast
from cutlass.base_dsl.typing import FloatMeta


class Pair(Float32, metaclass=FloatMeta, width=64, mlir_type=T.f64):
    """Two Float32 in the bits of a Float64, the first in the lower half."""

    def __init__(self, first, second=None, *, loc=None, ip=None):
        if isinstance(first, Pair):
            Numeric.__init__(self, first.value)
        elif isinstance(first, ir.Value):
            assert first.type == T.f64()
            Numeric.__init__(self, first)
        elif isinstance(first, (int, float)):
            halves = np.array([first, second or 0], np.float32)
            Numeric.__init__(self, float(halves.view(np.float64)[0]))
        else:
            halves = (Float32(first), Float32(0.0 if second is None else second))
            low, high = (arith.extui(T.i64(), bitcast(half.ir_value(), T.i32())) for half in halves)
            high = arith.shli(high, arith.constant(T.i64(), 32))
            Numeric.__init__(self, bitcast(arith.ori(low, high), T.f64()))

    def halves(self):
        bits = bitcast(self.ir_value(), T.i64())
        high = arith.shrui(bits, arith.constant(T.i64(), 32))
        return [Float32(bitcast(arith.trunci(T.i32(), half), T.f32())) for half in (bits, high)]

    def __add__(self, other):
        return Pair(*(a + b for a, b in zip(self.halves(), Pair(other).halves(), strict=True)))

    __radd__ = __add__


class Sums:
    """sums[i] = start + the pairs of row i + (1, 0), by way of registers and of shared memory."""

    @cute.jit
    def __call__(self, rows: cute.Tensor, sums: cute.Tensor, start: Pair, count: Int32):
        assert rows.element_type is Pair and isinstance(start, Pair)
        self.kernel(rows, sums, start, count).launch(grid=(1, 1, 1), block=(4, 1, 1))

    @cute.kernel
    def kernel(self, rows: cute.Tensor, sums: cute.Tensor, start: Pair, count: Int32):
        t, _, _ = cute.arch.thread_idx()
        total = start
        for i in cutlass.range(count):
            total = total + rows[t, i]
        own = cute.make_rmem_tensor(2, Pair)
        own[0] = Float32(1.0) + total
        own[1] = Float64(0.5)  # a number, not the bits of a pair
        shared = cutlass.utils.SmemAllocator().allocate_tensor(Pair, cute.make_layout(4))
        shared[t] = own[0] + own[1]
        cute.arch.sync_threads()
        pairs = cute.recast_tensor(sums, Pair)
        again = cute.recast_tensor(cute.recast_tensor(pairs, Float32), Pair)
        again[t] = shared[t]


def fake(*shape):
    strides = tuple(int(np.prod(shape[mode + 1 :])) for mode in range(len(shape)))
    return cute.runtime.make_fake_tensor(Pair, shape, stride=strides, assumed_align=8)


def test_pairs_in_tensors_loops_and_arguments():
    rng = np.random.default_rng(3)
    pairs = rng.integers(-9, 9, (4, 6, 2)).astype(np.float32)
    sums = np.zeros((4, 2), np.float32)
    # `sums` is a tensor of the class that keeps the pairs.
    kept = cute.runtime.make_fake_tensor(Float64, (4,), stride=(1,), assumed_align=8)
    function = cute.compile(Sums(), fake(4, 6), kept, Pair(0.0, 0.0), Int32(1))
    start = Pair(2.0, -3.0)
    assert isinstance(start, Float32) and isinstance(Pair, FloatMeta)
    assert struct.unpack("2f", struct.pack("d", start.value)) == (2.0, -3.0)
    function(pairs.view(np.float64)[..., 0], sums.view(np.float64)[:, 0], start, 6)
    np.testing.assert_array_equal(sums, pairs.sum(1) + np.array([3.5, -3], np.float32))


def test_whole_tensors_of_pairs_are_no_values():
    @cute.kernel
    def kernel(rows: cute.Tensor):
        rows.load()

    @cute.jit
    def host(rows: cute.Tensor):
        kernel(rows).launch(grid=(1, 1, 1), block=(1, 1, 1))

    with pytest.raises(AttributeError, match="TensorOfClass has no attribute `load`"):
        cute.compile(host, fake(4))


def test_the_width_is_that_of_the_class_that_keeps_the_bits():
    with pytest.raises(TypeError, match="Half: Float64 has 64 bits, not the width 16"):

        class Half(Float32, metaclass=FloatMeta, width=16, mlir_type=T.f64):
            pass
