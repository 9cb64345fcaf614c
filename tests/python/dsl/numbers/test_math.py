"""Math functions: the tolerances stated here are in units of the type's epsilon, relative to float64."""

import numpy as np
import pytest
from support import dsl_support as support

from fairlead import cute


def _erf(x):
    import math

    return np.vectorize(math.erf)(x)


# name: (float64 reference, domain, tolerance in epsilons)
FUNCTIONS = {
    "exp": (np.exp, (-10, 10), 4),
    "exp2": (np.exp2, (-10, 10), 4),
    "log": (np.log, (0.01, 100), 4),
    "log2": (np.log2, (0.01, 100), 4),
    "log10": (np.log10, (0.01, 100), 4),
    "sin": (np.sin, (-6, 6), 4),
    "cos": (np.cos, (-6, 6), 4),
    "tan": (np.tan, (-1.5, 1.5), 8),
    "tanh": (np.tanh, (-4, 4), 8),
    "sqrt": (np.sqrt, (0, 100), 1),
    "rsqrt": (lambda x: 1 / np.sqrt(x), (0.01, 100), 4),
    "erf": (_erf, (-3, 3), 8),
    "floor": (np.floor, (-50, 50), 0),
    "ceil": (np.ceil, (-50, 50), 0),
}


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_function(name, dtype):
    reference, (low, high), tolerance = FUNCTIONS[name]
    x = np.random.default_rng(1).uniform(low, high, 1001).astype(dtype)
    got = support.run_map(getattr(cute.math, name), dtype, x).astype(np.float64)
    limit = tolerance * np.finfo(dtype).eps
    np.testing.assert_allclose(got, reference(x.astype(np.float64)), rtol=limit, atol=limit)


@pytest.mark.parametrize("name", ["exp", "sin", "sqrt", "tanh"])
def test_float16(name):
    reference, (low, high), _ = FUNCTIONS[name]
    x = np.random.default_rng(2).uniform(max(low, -4), min(high, 4), 333).astype(np.float16)
    got = support.run_map(getattr(cute, name), np.float16, x).astype(np.float64)
    np.testing.assert_allclose(got, reference(x.astype(np.float64)), rtol=2e-3, atol=2e-3)


def test_integers_become_float32():
    x = np.arange(1, 50, dtype=np.int32)
    np.testing.assert_allclose(support.run_map(cute.sqrt, np.float32, x), np.sqrt(x), rtol=1e-6)


def test_static_numbers_stay_python():
    assert cute.math.exp(0) == 1.0 and cute.sqrt(16) == 4.0 and cute.math.rsqrt(4.0) == 0.5


def test_min_max():
    import fairlead

    a, b = (np.random.default_rng(seed).integers(-9, 9, 100).astype(np.int32) for seed in (1, 2))
    np.testing.assert_array_equal(support.run_map(fairlead.min, np.int32, a, b), np.minimum(a, b))
    got = support.run_map(lambda x, y: fairlead.max(x, y, 3), np.int32, a, b)
    np.testing.assert_array_equal(got, np.maximum(np.maximum(a, b), 3))
    x = np.array([0.5, np.nan, -1], np.float32)
    got = support.run_map(lambda v: fairlead.max(v, 0.0), np.float32, x)
    assert got[0] == 0.5 and got[2] == 0


def test_no_wide_abs_in_ptx():
    """ptxas drops comparisons of -abs.s64(x) with constants."""

    @cute.kernel
    def device(a: cute.Tensor):
        i, _, _ = cute.arch.thread_idx()
        v = a[i]
        a[i] = min(min(v, -v), -7)

    @cute.jit
    def run(a: cute.Tensor):
        device(a).launch(grid=[1, 1, 1], block=[4, 1, 1])

    a = np.array([3, -9, 0, 7], np.int64)
    ptx = cute.compile(run, a, options="--target cuda:sm_90a").__ptx__
    assert "max.s64" in ptx and "abs.s64" not in ptx
    run(a)
    assert a.tolist() == [-7, -9, -7, -7]


@pytest.mark.parametrize("kind", ["Int8", "Int16", "Int32", "Int64"])
def test_abs_and_negation_of_integers(kind):
    """The least number stays itself. ptxas makes 16 bits wider first, so there they are written out."""
    import fairlead

    @cute.kernel
    def device(a: cute.Tensor, size: cute.Tensor, minus: cute.Tensor):
        i, _, _ = cute.arch.thread_idx()
        size[i] = abs(a[i]).to(fairlead.Int64)
        minus[i] = (-a[i]).to(fairlead.Int64)

    @cute.jit
    def run(a: cute.Tensor, size: cute.Tensor, minus: cute.Tensor):
        device(a, size, minus).launch(grid=1, block=4)

    ends = np.iinfo(support.DTYPES[kind])
    a = np.array([5, -5, ends.min, ends.max], support.DTYPES[kind])
    size, minus = np.zeros(4, np.int64), np.zeros(4, np.int64)
    cute.compile(run, a, size, minus, options="--target cpu")(a, size, minus)
    assert size.tolist() == [5, 5, ends.min, ends.max]
    assert minus.tolist() == [-5, 5, ends.min, -ends.max]
    ptx = cute.compile(run, a, size, minus, options="--target cuda:sm_90a").artifact.ptx
    if kind == "Int16":
        assert "not.b16" in ptx and "neg.s16" not in ptx and "abs.s16" not in ptx
