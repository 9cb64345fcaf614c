"""Python's `//` and `%` of floats, signs of zero and infinities included; integers that floats stop at."""

import math

import numpy as np
import pytest
from support import dsl_support as support

import fairlead
from fairlead import cute

EDGES = [0.0, 1.0, 0.1, 0.5, 2.0, 3.0, 7.5, 1e-3, 6e4, math.inf, math.nan]
EDGES += [-value for value in EDGES]


def quotient(x, y):
    if y == 0:
        return (
            math.nan
            if x == 0 or math.isnan(x)
            else math.copysign(math.inf, x) * math.copysign(1, y)
        )
    return x // y


def modulo(x, y):
    return math.nan if y == 0 or math.isinf(x) or math.isnan(x) or math.isnan(y) else x % y


def same(got, want):
    """Equal, NaN like NaN, zeros with their sign."""
    return (np.isnan(got) & np.isnan(want)) | (
        (got == want) & (np.signbit(got) == np.signbit(want))
    )


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_every_pair(dtype):
    generator = np.random.default_rng(3)
    with np.errstate(over="ignore"):
        some = np.concatenate(
            [EDGES, generator.standard_normal(40) * 10.0 ** generator.integers(-4, 5, 40)]
        )
        values = some.astype(dtype)
    x, y = (each.ravel().copy() for each in np.meshgrid(values, values))
    with np.errstate(all="ignore"):
        for function, python in ((lambda a, b: a // b, quotient), (lambda a, b: a % b, modulo)):
            got = support.run_map(function, dtype, x, y)
            want = np.array([python(float(a), float(b)) for a, b in zip(x, y, strict=True)]).astype(
                dtype
            )
            wrong = ~same(got, want)
            assert not wrong.any(), list(
                zip(x[wrong][:5], y[wrong][:5], got[wrong][:5], want[wrong][:5], strict=True)
            )


def test_named_cases():
    x = np.array([1.0, -1.0, -0.0, 5.0, -5.0], np.float64)
    y = np.array([0.1, math.inf, 3.0, -math.inf, 5.0], np.float64)
    assert support.run_map(lambda a, b: a // b, np.float64, x, y).tolist() == [
        9.0,
        -1.0,
        -0.0,
        -1.0,
        -1.0,
    ]
    got = support.run_map(lambda a, b: a % b, np.float64, x, y)
    assert got.tolist() == [1.0 % 0.1, math.inf, 0.0, -math.inf, 0.0]


@pytest.mark.parametrize("name", ["Int8", "Uint8", "Int16", "Uint16"])
def test_narrow_integers_stop_at_their_ends(name):
    cls, dtype = getattr(fairlead, name), support.DTYPES[name]
    numbers = [300.0, -300.0, 127.6, 255.9, -0.9, 1e9, -1e9, math.inf, -math.inf, math.nan, 65535.0]
    x = np.array(numbers * 5, np.float32)

    @cute.kernel
    def device(x: cute.Tensor, out: cute.Tensor):
        for i in range(x.shape[0]):
            out[0, i] = x[i].to(cls)
        for k in fairlead.range_constexpr(len(numbers)):
            out[1, k] = fairlead.Float32(numbers[k]).to(cls)

    @cute.jit
    def run(x: cute.Tensor, out: cute.Tensor):
        device(x, out).launch(grid=1, block=1)

    out = np.full((2, len(x)), 77, dtype)
    cute.compile(run, x, out, options="--target cpu")(x, out)
    info = np.iinfo(dtype)
    want = [0 if math.isnan(v) else int(max(info.min, min(info.max, v))) for v in x.tolist()]
    assert out[0].tolist() == want
    assert out[1, : len(numbers)].tolist() == want[: len(numbers)]


def test_a_divisor_that_folds_to_zero_was_not_written():
    x = np.array([3, 4], np.int32)
    assert support.run_map(lambda a: a // (a < a), np.int32, x).tolist() == [3, 4]
    assert support.run_map(lambda a: a % (a < a), np.int32, x).tolist() == [0, 0]
