"""Mathematical functions on the CPU: one input has one value, in vectors, in the rest of a loop and in scalar code,
at every level of optimisation and of the processor; and how far from the truth it is."""

import functools
import itertools

import numpy as np
import pytest
from support import dsl_support as support
from support.thinned import thinned

import fairlead
from fairlead import cute

#: Units in the last place that docs/language-numbers.md states: Float32, Float64.
UNITS = {
    "exp": (1.1, 1.1),
    "exp2": (1.1, 1.1),
    "log": (0.9, 1.3),
    "log2": (0.9, 1.8),
    "log10": (0.8, 1.8),
    "sin": (0.51, 3.0),
    "cos": (0.51, 3.0),
    "tan": (0.51, 5.0),
    "tanh": (1.4, 3.0),
    "erf": (1.1, 2.5),
    "pow": (0.51, 1.2),
}
TARGETS = ["cpu", "cpu:x86-64", "cpu:x86-64-v2", "cpu:x86-64-v3", "cpu:x86-64-v4"]
DTYPES = {"Float32": np.float32, "Float64": np.float64, "Float16": np.float16}


@functools.cache
def highest_level():
    """Levels of x86-64, up to this processor's."""
    words = next(line for line in open("/proc/cpuinfo") if line.startswith("flags")).split()
    if {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"} <= set(words):
        return 4
    return 3 if {"avx2", "fma", "f16c", "bmi2"} <= set(words) else 2


def runs_here(target):
    return "-v" not in target or int(target[-1]) <= highest_level()


def function(name):
    if name == "pow":
        return lambda x: x ** (x * 0.25 + 1.5)
    return getattr(cute.math, name)


@cute.kernel
def device(of: fairlead.Constexpr, x: cute.Tensor, out: cute.Tensor):
    i = cute.arch.block_idx()[0] * 64 + cute.arch.thread_idx()[0]
    if i < x.shape[0]:
        out[i] = of(x[i])


@cute.jit
def run(of: fairlead.Constexpr, x: cute.Tensor, out: cute.Tensor):
    device(of, x, out).launch(grid=cute.ceil_div(x.shape[0], 64), block=64)


def compiled(name, dtype, options):
    n = cute.sym_int()
    fakes = [cute.runtime.make_fake_compact_tensor(getattr(fairlead, dtype), (n,))] * 2
    return cute.compile(run, function(name), *fakes, options=options)


def arguments(name, dtype):
    generator = np.random.default_rng(11)
    n = 1500
    special = [0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 0.5, 2.0, 1e-40, 5e-324, 3e38, 1e300]
    if name.startswith("exp"):
        x = (
            generator.uniform(-110, 95, n)
            if dtype != "Float64"
            else generator.uniform(-750, 715, n)
        )
    elif name.startswith("log"):
        x = np.concatenate([np.exp(generator.uniform(-80, 80, n)), generator.uniform(0.5, 2, n)])
    elif name in ("sin", "cos", "tan"):
        far = generator.standard_normal(n) * 10.0 ** generator.uniform(
            -8, 38 if dtype == "Float32" else 300, n
        )
        x = np.concatenate([generator.uniform(-10, 10, n), far, np.arange(1, n) * np.pi / 2])
    elif name == "pow":
        x = generator.uniform(0, 60, n)
    else:
        x = np.concatenate([generator.standard_normal(n) * 2, 10.0 ** generator.uniform(-20, 1, n)])
    with np.errstate(all="ignore"):
        return np.concatenate([x, special]).astype(DTYPES[dtype])


def bits(x):
    raw = x.view(f"u{x.dtype.itemsize}").copy()
    raw[np.isnan(x)] = 1
    return raw


# In the default run, few functions of Float16, which are those of Float32 between two conversions.
FEW = [(name, dtype) for name in UNITS for dtype in ("Float32", "Float64")]
FEW += [("exp", "Float16"), ("pow", "Float16")]


@pytest.mark.parametrize("name, dtype", thinned(itertools.product(UNITS, DTYPES), FEW))
def test_one_value(name, dtype):
    x = arguments(name, dtype)
    first = None
    for target in TARGETS:
        if not runs_here(target):
            continue
        for level in (0, 3):
            f = compiled(name, dtype, f"--target {target} --opt-level {level}")
            whole = np.zeros_like(x)
            f(x, whole)
            if first is None:
                first = bits(whole)
            np.testing.assert_array_equal(bits(whole), first, err_msg=f"{target} at level {level}")
            pieces = np.zeros_like(x)
            for start in range(0, len(x), 5):
                f(x[start : start + 5], pieces[start : start + 5])
            np.testing.assert_array_equal(
                bits(pieces), first, err_msg=f"{target} at level {level}, in pieces"
            )


@pytest.mark.parametrize("n", [50, 67, 130])
def test_many_of_one_number(n):
    for name in UNITS:
        x, out = np.ones(n, np.float32), np.zeros(n, np.float32)
        compiled(name, "Float32", "--target cpu")(x, out)
        assert len(set(out.tolist())) == 1, name


def truth(name, x):
    wide = x.astype(np.longdouble)
    with np.errstate(all="ignore"):
        if name == "pow":
            exponent = (x * x.dtype.type(0.25) + x.dtype.type(1.5)).astype(np.longdouble)
            return np.float_power(wide, exponent)
        return getattr(np, name)(wide)


@pytest.mark.parametrize("dtype", ["Float32", "Float64"])
@pytest.mark.parametrize("name", [name for name in UNITS if name != "erf"])
def test_accuracy(name, dtype):
    if np.finfo(np.longdouble).nmant < 60:
        pytest.skip("no wider floats to compare with")
    x = arguments(name, dtype)
    got = np.zeros_like(x)
    f = compiled(name, dtype, "--target cpu --no-fmad")
    f(x, got)
    expected = truth(name, x)
    with np.errstate(all="ignore"):
        near = expected.astype(x.dtype)
        plain = np.isfinite(near) & np.isfinite(got)
        unit = np.spacing(np.maximum(np.abs(near[plain]), np.finfo(x.dtype).tiny)).astype(
            np.longdouble
        )
        units = np.abs(got[plain].astype(np.longdouble) - expected[plain]) / unit
    assert np.array_equal(np.isnan(got), np.isnan(near))
    assert units.max() <= UNITS[name][dtype == "Float64"], x[plain][units.argmax()]


@pytest.mark.parametrize("dtype", ["Float32", "Float64"])
def test_accuracy_of_erf(dtype):
    import math

    x = arguments("erf", dtype)
    x = x[~np.isnan(x)]
    got = np.zeros_like(x)
    compiled("erf", dtype, "--target cpu")(x, got)
    expected = np.array([math.erf(value) for value in x.astype(np.float64)])
    unit = np.spacing(np.maximum(np.abs(expected.astype(x.dtype)), np.finfo(x.dtype).tiny)).astype(
        np.float64
    )
    # math.erf is itself off by less than a unit.
    slack = 1.0 if dtype == "Float64" else 0.0
    assert (np.abs(got - expected) / unit).max() <= UNITS["erf"][dtype == "Float64"] + slack


def test_constants_have_the_values_of_the_run():
    x = [0.3, 1.7, 2.9]

    @cute.jit
    def run(out: cute.Tensor):
        for k in fairlead.range_constexpr(3):
            out[k] = cute.math.exp(fairlead.Float32(x[k]))
            out[3 + k] = cute.math.sin(fairlead.Float32(x[k]))

    out = np.zeros(6, np.float32)
    cute.compile(run, out, options="--target cpu")(out)
    values = np.array(x, np.float32)
    for row, name in enumerate(("exp", "sin")):
        expected = support.run_map(getattr(cute.math, name), np.float32, values)
        assert np.array_equal(out[3 * row : 3 * row + 3], expected)
