"""Floats that fit no integer become the nearest one, NaN becomes 0; at run time and known while tracing alike."""

import numpy as np
import pytest
from support import dsl_support as support

import fairlead
from fairlead import cute

VALUES = [1e30, -1e30, np.inf, -np.inf, np.nan, 2147483648.0, -2147483904.0, -1.5, 3.9, 4e9]


@pytest.mark.parametrize("kind", ["Int32", "Int64", "Uint32", "Uint64"])
def test_conversion(kind):
    cls, dtype = getattr(fairlead, kind), support.DTYPES[kind]
    values = np.array(VALUES, np.float32)

    @cute.kernel
    def device(a: cute.Tensor, out: cute.Tensor):
        t, _, _ = cute.arch.thread_idx()
        out[0, t] = a[t].to(cls)
        for index in fairlead.range_constexpr(len(VALUES)):
            out[1, index] = fairlead.Float32(float(values[index])).to(cls)

    @cute.jit
    def run(a: cute.Tensor, out: cute.Tensor):
        device(a, out).launch(grid=[1, 1, 1], block=[len(VALUES), 1, 1])

    out = np.full((2, len(VALUES)), 77, dtype)
    run(values, out)
    info = np.iinfo(dtype)
    expected = [
        0
        if np.isnan(value)
        else int(max(info.min, min(info.max, value if np.isinf(value) else int(value))))
        for value in values.tolist()
    ]
    assert out[0].tolist() == expected
    assert out[1].tolist() == expected


def test_integers_too_large_for_a_half():
    """LLVM knows all bits of powers of two, but not that they do not fit."""

    @cute.kernel
    def device(a: cute.Tensor, out: cute.Tensor):
        t, _, _ = cute.arch.thread_idx()
        odd = a[t] | 1
        out[0, t] = (odd << 40).to(fairlead.Float16).to(fairlead.Float32)
        out[1, t] = (-(odd << 40)).to(fairlead.Float16) + fairlead.Float32(1.0)
        out[2, t] = (odd << 13).to(fairlead.Float16).to(fairlead.Float32)

    @cute.jit
    def run(a: cute.Tensor, out: cute.Tensor):
        device(a, out).launch(grid=[1, 1, 1], block=[4, 1, 1])

    out = np.zeros((3, 4), np.float32)
    run(np.arange(4) * 2, out)
    assert out.tolist() == [[np.inf] * 4, [-np.inf] * 4, [8192.0, 24576.0, 40960.0, 57344.0]]
