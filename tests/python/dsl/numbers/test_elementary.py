"""Functions that consist of others: accuracy against NumPy in Float64, and the ends of their ranges."""

import math

import numpy as np
import pytest

from fairlead import BFloat16, Float32, Int32, cute

RANDOM = np.random.default_rng(18)
EDGES = [0.0, -0.0, np.inf, -np.inf, np.nan, 1, -1, 0.5, -0.5, 1.5, 2.5, -2.5, 1e-30, 1e30, 88.9]

# name: NumPy's or Python's, the range, units in the last place.
FUNCTIONS = {
    "asin": (np.arcsin, -1, 1, 4),
    "acos": (np.arccos, -1, 1, 4),
    "atan": (np.arctan, -50, 50, 3),
    "sinh": (np.sinh, -80, 80, 4),
    "cosh": (np.cosh, -80, 80, 4),
    "asinh": (np.arcsinh, -1e4, 1e4, 4),
    "acosh": (np.arccosh, 1, 1e4, 4),
    "atanh": (np.arctanh, -1, 1, 4),
    "expm1": (np.expm1, -5, 5, 4),
    "log1p": (np.log1p, -0.99, 5, 4),
    "cbrt": (np.cbrt, -1e6, 1e6, 2),
    "trunc": (np.trunc, -9, 9, 0),
    "roundeven": (np.rint, -9, 9, 0),
}


def applied(function, x, out):
    @cute.jit
    def run(x: cute.Tensor, out: cute.Tensor):
        for i in range(x.shape[0]):
            out[i] = function(x[i])

    cute.compile(run, x, out, options="--target cpu")(x, out)
    return out


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_accuracy(name, dtype):
    reference, low, high, units = FUNCTIONS[name]
    x = np.concatenate([EDGES, RANDOM.uniform(low, high, 500), RANDOM.uniform(0, 1, 200) ** 4])
    x = x.astype(dtype)
    found = applied(getattr(cute.math, name), x, np.zeros_like(x))
    with np.errstate(all="ignore"):
        exact = reference(x.astype(np.float64))
        expected = exact.astype(dtype)
    np.testing.assert_array_equal(np.isnan(found), np.isnan(expected))
    np.testing.assert_array_equal(np.isinf(found), np.isinf(expected))
    zero = expected == 0
    np.testing.assert_array_equal(np.signbit(found[zero]), np.signbit(expected[zero]))
    regular = np.isfinite(expected) & ~zero
    error = np.abs(found[regular].astype(np.float64) - exact[regular])
    assert (error <= (units + 0.5) * np.spacing(np.abs(expected[regular]))).all()


def test_the_complement_of_the_error_function():
    x = np.concatenate([[np.inf, -np.inf, 0, 0.5, 40], RANDOM.uniform(-5, 9, 500)])
    found = applied(cute.math.erfc, x, np.zeros_like(x))
    np.testing.assert_allclose(found, [math.erfc(each) for each in x], rtol=1e-12)
    # The rounding error of the square in the exponent grows with it.
    exact = [math.erfc(each) for each in x.astype(np.float32).astype(np.float64)]
    found = applied(cute.math.erfc, x.astype(np.float32), np.zeros(len(x), np.float32))
    np.testing.assert_allclose(found, exact, rtol=1e-5)


def test_angles_of_points():
    ends = [0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 1e-30, 1e30]
    y, x = (each.ravel() for each in np.meshgrid(ends, ends))
    y = np.concatenate([y, RANDOM.standard_normal(300)]).astype(np.float32)
    x = np.concatenate([x, RANDOM.standard_normal(300)]).astype(np.float32)
    out = np.zeros_like(x)

    @cute.jit
    def run(y: cute.Tensor, x: cute.Tensor, out: cute.Tensor):
        for i in range(x.shape[0]):
            out[i] = cute.math.atan2(y[i], x[i])

    cute.compile(run, y, x, out, options="--target cpu")(y, x, out)
    expected = np.arctan2(y, x)
    np.testing.assert_allclose(out, expected, rtol=4e-7, atol=1e-44)
    zero = expected == 0
    np.testing.assert_array_equal(np.signbit(out[zero]), np.signbit(expected[zero]))


def test_kinds_of_numbers_and_whole_tensors():
    x = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1.0, 1e-40, -2.5], np.float32)
    out = np.zeros((8, 8), np.float32)

    @cute.jit
    def run(x: cute.Tensor, out: cute.Tensor):
        v = cute.make_tensor(x.iterator, cute.make_layout(8)).load()
        rows = cute.make_tensor(out.iterator, cute.make_layout((8, 8), stride=(8, 1)))
        kinds = [cute.isnan(v), cute.isinf(v), cute.isfinite(v), cute.isnormal(v)]
        values = [
            *(kind.to(Float32) for kind in kinds),
            cute.copysign(cute.abs(v), -1.0),
            cute.round(v),
            cute.clamp(v, -1.0, 0.5),
            cute.fma(v, 2.0, 1.0),
        ]
        for place, value in enumerate(values):
            rows[place, None].store(value)

    cute.compile(run, x, out, options="--target cpu")(x, out)
    with np.errstate(all="ignore"):
        normal = np.isfinite(x) & (np.abs(x) >= np.finfo(np.float32).tiny)
        expected = [
            np.isnan(x),
            np.isinf(x),
            np.isfinite(x),
            normal,
            -np.abs(x),
            np.copysign(np.floor(np.abs(x) + 0.5), x),
            np.clip(x, -1, 0.5),
            x * 2 + 1,
        ]
    np.testing.assert_array_equal(out, np.stack(expected).astype(np.float32))


def test_remainders_powers_and_pairs():
    @cute.jit
    def run(out: cute.Tensor, a: Int32, x: Float32):
        out[0] = cute.math.rem(a, 3).to(Float32)
        out[1] = cute.math.rem(x, 1.5)
        out[2] = cute.math.ipowi(a, 3).to(Float32)
        out[3] = cute.math.fpowi(x, -2)
        sine, cosine = cute.math.sincos(x)
        out[4] = sine
        out[5] = cosine
        out[6] = cute.math.pow(x * x, 1.5)
        out[7] = cute.math.div(cute.math.mul(x, 3.0), 4.0)

    out = np.zeros(8, np.float32)
    cute.compile(run, out, 0, 0.0, options="--target cpu")(out, -7, -4.0)
    expected = [-1, -1, -343, 1 / 16, -math.sin(4), math.cos(4), 64, -3]
    np.testing.assert_allclose(out, np.array(expected, np.float32), rtol=1e-6)


def test_narrow_floats_are_computed_in_float32():
    @cute.jit
    def run(out: cute.Tensor, x: Float32):
        out[0] = cute.math.log1p(x.to(BFloat16)).to(Float32)

    out = np.zeros(1, np.float32)
    cute.compile(run, out, 0.0, options="--target cpu")(out, 0.5)
    assert out[0] == 0.40625


def test_python_numbers_stay_so():
    assert cute.math.atan2(1.0, 1.0) == math.atan2(1, 1)
    assert cute.math.trunc(-2.7) == -2.0 and cute.math.round(2.5) == 3.0
    assert cute.math.roundeven(2.5) == 2.0 and cute.math.isnan(float("nan")) is True
    assert cute.math.clamp(5, 0, 3) == 3 and cute.math.rem(-7, 3) == -1


def test_roundings_that_there_are_not():
    with pytest.raises(
        ValueError, match="fma: expected Float32 .* with the rounding rz, but got Python"
    ):
        cute.math.fma(1.0, 2.0, 3.0, rounding=cute.math.RoundingMode.ZERO)
    with pytest.raises(TypeError, match="exponent of ipowi"):
        cute.math.ipowi(2, -1)


PAIRS = np.array([(1, 2), (2, 1), (np.nan, 1), (1, np.nan), (np.nan, np.nan), (-np.inf, np.nan)])


def extremes(dtype, propagate_nan, options="--target cpu"):
    """Return the compiled function, and the least and the greatest of each pair."""

    @cute.jit
    def run(a: cute.Tensor, b: cute.Tensor, out: cute.Tensor):
        for i in range(a.shape[0]):
            out[i, 0] = cute.math.min(a[i], b[i], propagate_nan)
            out[i, 1] = cute.math.max(a[i], b[i], propagate_nan=propagate_nan)
            out[i, 2] = cute.math.clamp(a[i], 0.0, 1.5, propagate_nan=propagate_nan)

    a, b = (np.ascontiguousarray(column) for column in PAIRS.T.astype(dtype))
    out = np.zeros((len(a), 3), dtype)
    compiled = cute.compile(run, a, b, out, options=options)
    if options == "--target cpu":
        compiled(a, b, out)
    return compiled, a, b, out


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_extremes_keep_nan(dtype):
    _, a, b, out = extremes(dtype, True)
    np.testing.assert_array_equal(out[:, 0], np.minimum(a, b))
    np.testing.assert_array_equal(out[:, 1], np.maximum(a, b))
    np.testing.assert_array_equal(out[:, 2], np.clip(a, 0, 1.5))


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_extremes_of_numbers_only(dtype):
    _, a, b, out = extremes(dtype, False)
    np.testing.assert_array_equal(out[:, 0], np.fmin(a, b))
    np.testing.assert_array_equal(out[:, 1], np.fmax(a, b))
    np.testing.assert_array_equal(out[:, 2], np.fmin(np.fmax(a, 0), 1.5))


def test_extremes_of_whole_tensors_and_python_numbers():
    @cute.jit
    def run(a: cute.Tensor, out: cute.Tensor):
        out.store(cute.math.max(a.load(), 0.5, propagate_nan=False))

    a = np.array([np.nan, 0, 1, np.nan], np.float32)
    out = np.zeros_like(a)
    arguments = [cute.runtime.from_dlpack(array) for array in (a, out)]
    cute.compile(run, *arguments, options="--target cpu")(*arguments)
    np.testing.assert_array_equal(out, np.fmax(a, np.float32(0.5)))
    assert math.isnan(cute.math.clamp(math.nan, 0.0, 1.0))
    assert cute.math.clamp(math.nan, 0.0, 1.0, propagate_nan=False) == 0.0


def test_instructions_of_extremes():
    kernels = []
    for propagate_nan in (True, False):

        @cute.kernel
        def kernel(a: cute.Tensor, out: cute.Tensor):
            out[0] = cute.math.min(a[0], a[1], propagate_nan)  # noqa: B023
            out[1] = cute.math.max(a[0], a[1], propagate_nan)  # noqa: B023

        @cute.jit
        def run(a: cute.Tensor, out: cute.Tensor):
            kernel(a, out).launch(grid=1, block=1)  # noqa: B023

        a = np.zeros(2, np.float32)
        kernels.append(cute.compile(run, a, a.copy(), options="--target cuda:sm_90a").__ptx__)
    assert "min.NaN.f32" in kernels[0] and "max.NaN.f32" in kernels[0]
    assert kernels[0] != kernels[1]
