"""Shifts by the width or more: Python's meaning, cut to the type, wherever the number of places is known."""

import numpy as np
import pytest
from support import dsl_support as support

import fairlead
from fairlead import cute

INTEGERS = [name for name in support.DTYPES if name.startswith(("Int", "Uint"))]
COUNTS = [0, 1, 4, 7, 8, 15, 16, 31, 32, 63, 64, 100]


def expected(x, count, left, dtype):
    """A count of a type is read without a sign."""
    bits = dtype.itemsize * 8
    value = (int(x) << count if left else int(x) >> count) & (2**bits - 1)
    return value - 2**bits if dtype.kind == "i" and value >= 2 ** (bits - 1) else value


@pytest.mark.parametrize("level", ["--opt-level 0", "--opt-level 3"])
@pytest.mark.parametrize("name", INTEGERS)
def test_every_count(name, level):
    dtype, cls = np.dtype(support.DTYPES[name]), getattr(fairlead, name)
    info = np.iinfo(dtype)
    numbers = [5, 1, info.max, info.min, info.max - 2, 0, (info.min + 3) & info.max]
    counts = [count for count in COUNTS if count <= info.max]
    # More than a vector of elements, and a rest.
    pairs = [(x, count) for x in numbers for count in counts] * 3
    x = np.array([pair[0] for pair in pairs], dtype)
    by = np.array([pair[1] for pair in pairs], dtype)

    @cute.kernel
    def device(x: cute.Tensor, by: cute.Tensor, out: cute.Tensor):
        for i in range(x.shape[0]):
            out[0, i] = x[i] << by[i]
            out[1, i] = x[i] >> by[i]
            for k in fairlead.range_constexpr(len(counts)):
                out[2 + k, i] = x[i] << counts[k]
                out[2 + len(counts) + k, i] = x[i] >> counts[k]

    @cute.jit
    def run(x: cute.Tensor, by: cute.Tensor, out: cute.Tensor):
        device(x, by, out).launch(grid=1, block=1)

    out = np.full((2 + 2 * len(counts), len(x)), 77, dtype)
    cute.compile(run, x, by, out, options=f"--target cpu {level}")(x, by, out)
    for row, left in ((0, True), (1, False)):
        assert out[row].tolist() == [
            expected(a, int(c), left, dtype) for a, c in zip(x, by, strict=True)
        ]
    for k, count in enumerate(counts):
        assert out[2 + k].tolist() == [expected(a, count, True, dtype) for a in x]
        assert out[2 + len(counts) + k].tolist() == [expected(a, count, False, dtype) for a in x]
    assert cls is not None


def test_a_negative_count_is_a_large_one():
    x = np.array([5, -5, 5, -5], np.int32)
    by = np.array([-1, -1, -32, -32], np.int32)
    assert support.run_map(lambda a, b: a << b, np.int32, x, by).tolist() == [0, 0, 0, 0]
    assert support.run_map(lambda a, b: a >> b, np.int32, x, by).tolist() == [0, -1, 0, -1]


def test_constants():
    @cute.jit
    def run(out: cute.Tensor):
        x = fairlead.Int8(5)
        out[0] = x << 8
        out[1] = fairlead.Int8(-5) >> 100
        out[2] = x >> 8
        out[3] = (fairlead.Uint8(255) >> 8).to(fairlead.Int8)

    out = np.full(4, 77, np.int8)
    cute.compile(run, out, options="--target cpu")(out)
    assert out.tolist() == [0, -1, 0, 0]
