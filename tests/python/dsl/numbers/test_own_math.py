"""The mathematical functions that the compiler carries for GPUs whose machine has no libdevice."""

import ctypes
import math
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from fairlead import Float32, Float64, cute

SOURCE = Path(__file__).resolve().parents[4] / "lib/lower/nvidia/ptx/math/Functions.c"
UNARY = ["exp", "exp2", "log", "log2", "log10", "sin", "cos", "tan", "tanh", "erf", "sqrt", "rsqrt"]
UNARY += ["floor", "ceil"]
# Units in the last place of a double that a result may be off.
MOST_DOUBLE = {"erf": 16, "tan": 6}


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    """The functions as code of this machine: they use no more than basic arithmetic."""
    compiler = shutil.which("gcc") or shutil.which("cc")
    if compiler is None:
        pytest.skip("no C compiler")
    path = tmp_path_factory.mktemp("math") / "libown.so"
    command = [compiler, "-O2", "-shared", "-fPIC", "-fno-math-errno", "-ffp-contract=off", "-w"]
    command += ["-DFAIRLEAD_MATH(name)=own_##name", str(SOURCE), "-o", str(path), "-lm"]
    subprocess.run(command, check=True)
    return ctypes.CDLL(str(path))


def arguments(name):
    generator = np.random.default_rng(7)
    if name in ("exp", "exp2"):
        x = generator.uniform(-700, 709, 5000)
    elif name in ("log", "log2", "log10", "sqrt", "rsqrt"):
        x = np.concatenate(
            [np.exp(generator.uniform(-700, 700, 5000)), generator.uniform(0.5, 2, 2000)]
        )
    elif name in ("sin", "cos", "tan"):
        wide = generator.standard_normal(5000) * 10.0 ** generator.uniform(-8, 300, 5000)
        x = np.concatenate(
            [generator.uniform(-10, 10, 5000), wide, np.arange(1, 2000) * math.pi / 2]
        )
    else:
        x = np.concatenate(
            [generator.standard_normal(5000) * 2, 10.0 ** generator.uniform(-20, 1, 2000)]
        )
    return np.concatenate([x, [0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan]])


def reference(name, x):
    wide = x.astype(np.longdouble)
    with np.errstate(all="ignore"):
        if name == "erf":
            return np.array([math.erf(value) for value in x], np.longdouble)
        if name == "rsqrt":
            return 1 / np.sqrt(wide)
        return getattr(np, name)(wide)


@pytest.mark.parametrize("name", UNARY)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_accuracy(library, name, dtype):
    if np.finfo(np.longdouble).nmant < 60:
        pytest.skip("no wider floats to compare with")
    with np.errstate(over="ignore"):
        x = arguments(name).astype(dtype)
        expected = reference(name, x)
        rounded = expected.astype(dtype)
    kind = ctypes.c_double if dtype is np.float64 else ctypes.c_float
    function = getattr(library, f"own_{name}" + ("" if dtype is np.float64 else "f"))
    function.restype, function.argtypes = kind, [kind]
    got = np.array([function(float(value)) for value in x], dtype)
    plain = np.isfinite(rounded) & (np.abs(rounded) >= np.finfo(dtype).tiny)
    np.testing.assert_array_equal(np.isnan(got), np.isnan(rounded))
    np.testing.assert_array_equal(got[np.isinf(rounded)], rounded[np.isinf(rounded)])
    units = np.abs(
        (got[plain].astype(np.longdouble) - expected[plain]) / np.spacing(np.abs(rounded[plain]))
    )
    assert units.max() <= (MOST_DOUBLE.get(name, 4) if dtype is np.float64 else 0.51)


def test_powers_and_remainders(library):
    values = [0.0, 1.0, 2.0, 0.5, 3.0, 2.5, math.inf, math.nan, 1e300, 1e-300, 5e-324]
    values += [-value for value in values]
    for name, python in (("pow", np.float_power), ("fmod", np.fmod)):
        function = getattr(library, f"own_{name}")
        function.restype, function.argtypes = ctypes.c_double, [ctypes.c_double] * 2
        for a in values:
            for b in values:
                with np.errstate(all="ignore"):
                    expected = float(python(a, b))
                got = function(a, b)
                np.testing.assert_allclose(got, expected, rtol=1e-12, err_msg=f"{name}({a}, {b})")
                assert math.isnan(got) or math.copysign(1, got) == math.copysign(1, expected)
    generator = np.random.default_rng(1)
    x = np.exp(generator.uniform(-30, 30, 3000))
    y = generator.uniform(-20, 20, 3000)
    library.own_pow.restype = ctypes.c_double
    got = np.array([library.own_pow(ctypes.c_double(a), ctypes.c_double(b)) for a, b in zip(x, y)])
    np.testing.assert_allclose(got, x**y, rtol=1e-12)


@pytest.mark.parametrize("dtype", [Float32, Float64], ids=["Float32", "Float64"])
def test_kernels_compile_without_libdevice(monkeypatch, dtype):
    monkeypatch.setenv("FAIRLEAD_LIBDEVICE", "builtin")

    @cute.kernel
    def device(a: cute.Tensor, out: cute.Tensor):
        i, _, _ = cute.arch.thread_idx()
        x = a[i]
        total = x**x + x % 0.75
        for name in UNARY:
            total = total + getattr(cute.math, name)(x)
        out[i] = total + cute.math.exp(x, fastmath=True) + cute.math.sin(x, fastmath=True)

    @cute.jit
    def host(a: cute.Tensor, out: cute.Tensor):
        device(a, out).launch(grid=1, block=32)

    fakes = [cute.runtime.make_fake_compact_tensor(dtype, (32,))] * 2
    compiled = cute.compile(host, *fakes, options="--target cuda:sm_80 --no-cache")
    assert ".extern .func" not in compiled.__ptx__ and "__nv_" not in compiled.__ptx__.split("(")[0]
