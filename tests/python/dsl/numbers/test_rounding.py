"""Roundings, `ftz` and approximations of `cute.math`: instructions of GPUs; results on CPUs are no less precise."""

import math
import random
import struct
from fractions import Fraction

import numpy as np
import pytest

from fairlead import BFloat16, Float32, Float64, cute
from fairlead.cute.math import RoundingMode

CPU, GPU = "--target cpu", "--target cuda:sm_90a"


def float32s(count):
    """Return numbers of all magnitudes, subnormal ones included, and some that are close to others."""
    generator = random.Random(7)
    numbers = [struct.unpack("f", generator.randbytes(4))[0] for _ in range(count)]
    numbers += [
        1.0,
        -1.0,
        0.1,
        3.0,
        1e-45,
        -1e-45,
        3.4e38,
        -3.4e38,
        1.0 + 2**-23,
        2.0**-24,
        -(2.0**-60),
        1e-38,
    ]
    return np.array([x for x in numbers if math.isfinite(x)], np.float32)


def neighbours(exact):
    """Return the greatest Float32 that is not above a fraction, and the least that is not below it."""
    with np.errstate(over="ignore"):
        near = (
            np.float32(np.float64(exact))
            if abs(exact) < Fraction(2) ** 200
            else np.float32(math.copysign(math.inf, exact))
        )
    below = above = near
    while (
        not math.isfinite(below)
        and below > 0
        or (math.isfinite(below) and Fraction(float(below)) > exact)
    ):
        below = np.nextafter(below, np.float32(-np.inf))
    while (
        not math.isfinite(above)
        and above < 0
        or (math.isfinite(above) and Fraction(float(above)) < exact)
    ):
        above = np.nextafter(above, np.float32(np.inf))
    return below, above


def expected(exact, rounding):
    below, above = neighbours(exact)
    toward_zero = below if exact > 0 else above
    return {"rm": below, "rp": above, "rz": toward_zero}[rounding]


EXACT = {
    "add": lambda a, b, c: a + b,
    "sub": lambda a, b, c: a - b,
    "mul": lambda a, b, c: a * b,
    "fma": lambda a, b, c: a * b + c,
    "div": lambda a, b, c: a / b,
    "rcp": lambda a, b, c: 1 / a,
}
OPERANDS = {"fma": 3, "rcp": 1}


def computed(name, rounding, a, b, c, **options):
    function, count = getattr(cute.math, name), OPERANDS.get(name, 2)

    @cute.kernel
    def kernel(a: cute.Tensor, b: cute.Tensor, c: cute.Tensor, out: cute.Tensor):
        for i in range(out.shape[0]):
            out[i] = function(*(a[i], b[i], c[i])[:count], rounding=rounding)

    @cute.jit
    def run(a: cute.Tensor, b: cute.Tensor, c: cute.Tensor, out: cute.Tensor):
        kernel(a, b, c, out).launch(grid=1, block=1)

    out = np.zeros_like(a)
    cute.compile(run, a, b, c, out, options=CPU)(a, b, c, out)
    return out


@pytest.mark.parametrize("rounding", ["rz", "rm", "rp"])
@pytest.mark.parametrize("name", EXACT)
def test_directions_on_the_cpu(name, rounding):
    """Each result is the neighbour of the exact one in that direction."""
    a = float32s(300)
    b, c = np.roll(a, 1), np.roll(a, 2)
    nonzero = (a != 0) & (b != 0)
    a, b, c = a[nonzero], b[nonzero], c[nonzero]
    out = computed(name, rounding, a, b, c)
    for index, numbers in enumerate(zip(a, b, c, strict=True)):
        exact = EXACT[name](*(Fraction(float(x)) for x in numbers))
        if exact:
            assert out[index] == expected(exact, rounding), numbers


def test_directions_are_exact_where_the_result_is():
    a = np.array([1.5, -3.0, 4.0, np.inf, np.nan], np.float32)
    b = np.array([2.5, 3.0, -0.5, 1.0, 1.0], np.float32)
    for name in ("add", "mul", "fma"):
        exact = computed(name, None, a, b, b)
        for rounding in ("rz", "rm", "rp", RoundingMode.ZERO):
            np.testing.assert_array_equal(computed(name, rounding, a, b, b), exact)


def ptx(compute, dtype=np.float32):
    """Return the PTX of a kernel that applies a function to numbers, and that of one for whole tensors."""

    @cute.kernel
    def kernel(a: cute.Tensor, whole: cute.Constexpr):
        if whole:
            values = a.load()
            a.store(compute(values, values, values))
        else:
            a[0] = compute(a[0], a[1], a[2])

    @cute.jit
    def run(a: cute.Tensor, whole: cute.Constexpr):
        kernel(a, whole).launch(grid=1, block=1)

    a = np.zeros(4, dtype)
    given = cute.runtime.from_dlpack(a)
    return [cute.compile(run, given, whole, options=GPU).__ptx__ for whole in (False, True)]


M = cute.math
INSTRUCTIONS = {
    "add.rz.f32": lambda a, b, c: M.add(a, b, rounding=RoundingMode.ZERO),
    "add.rn.ftz.f32": lambda a, b, c: M.add(a, b, ftz=True),
    "sub.rm.ftz.f32": lambda a, b, c: M.sub(a, b, rounding="rm", ftz=True),
    "mul.rp.f32": lambda a, b, c: M.mul(a, b, rounding=RoundingMode.UP),
    "fma.rm.f32": lambda a, b, c: M.fma(a, b, c, rounding=RoundingMode.DOWN),
    "fma.rn.ftz.f32": lambda a, b, c: M.fma(a, b, c, ftz=True),
    "div.approx.f32": lambda a, b, c: M.div(a, b, approx=True),
    "div.approx.ftz.f32": lambda a, b, c: M.div(a, b, approx=True, ftz=True),
    "div.full.f32": lambda a, b, c: M.div(a, b, full=True),
    "div.full.ftz.f32": lambda a, b, c: M.div(a, b, full=True, ftz=True),
    "div.rz.f32": lambda a, b, c: M.div(a, b, rounding="rz"),
    "rcp.approx.f32": lambda a, b, c: M.rcp(a, approx=True),
    "rcp.approx.ftz.f32": lambda a, b, c: M.rcp(a, approx=True, ftz=True),
    "rcp.rp.f32": lambda a, b, c: M.rcp(a, rounding="rp"),
    "ex2.approx.f32": lambda a, b, c: M.exp2(a, approx=True),
    "ex2.approx.ftz.f32": lambda a, b, c: M.exp2(a, approx=True, ftz=True),
    "lg2.approx.f32": lambda a, b, c: M.log2(a, approx=True),
    "sin.approx.ftz.f32": lambda a, b, c: M.sin(a, approx=True, ftz=True),
    "cos.approx.f32": lambda a, b, c: M.cos(a, approx=True),
    "tanh.approx.f32": lambda a, b, c: M.tanh(a, approx=True, ftz=True),
    "sqrt.approx.f32": lambda a, b, c: M.sqrt(a, approx=True),
    "rsqrt.approx.ftz.f32": lambda a, b, c: M.rsqrt(a, approx=True, ftz=True),
}


@pytest.mark.parametrize("instruction", INSTRUCTIONS)
def test_instructions_of_gpus(instruction):
    numbers, whole = ptx(INSTRUCTIONS[instruction])
    assert numbers.count(f" {instruction} ") + numbers.count(f"\t{instruction} ") == 1
    assert whole.count(f" {instruction} ") + whole.count(f"\t{instruction} ") == 4


def test_other_types_on_gpus():
    assert "add.rz.f64" in ptx(lambda a, b, c: M.add(a, b, rounding="rz"), np.float64)[0]
    assert "ftz" not in ptx(lambda a, b, c: M.add(a, b, ftz=True), np.float64)[0]
    assert "approx" not in ptx(lambda a, b, c: M.div(a, b, approx=True), np.float64)[0]
    flushing = ptx(lambda a, b, c: M.abs(a, ftz=True))[0]
    assert flushing.count("mul.rn.ftz.f32") == 1
    assert ptx(lambda a, b, c: M.sqrt(a, ftz=True))[0].count("mul.rn.ftz.f32") == 2


@pytest.mark.parametrize("instruction", INSTRUCTIONS)
def test_on_the_cpu(instruction):
    """Approximations are exact there, and subnormal numbers count."""
    compute = INSTRUCTIONS[instruction]

    @cute.jit
    def run(a: cute.Tensor, out: cute.Tensor):
        out[0] = compute(a[0], a[1], a[2])

    a, out = np.array([0.75, 3.0, 0.1], np.float32), np.zeros(1, np.float32)
    cute.compile(run, a, out, options=CPU)(a, out)
    with np.errstate(all="ignore"):
        x, y, z = a.astype(np.float64)
        exact = {
            **{
                "add": x + y,
                "sub": x - y,
                "mul": x * y,
                "fma": x * y + z,
                "div": x / y,
                "rcp": 1 / x,
            },
            **{"ex2": 2**x, "lg2": np.log2(x), "sin": np.sin(x), "cos": np.cos(x)},
            **{"tanh": np.tanh(x), "sqrt": np.sqrt(x), "rsqrt": 1 / np.sqrt(x)},
        }[instruction.split(".")[0]]
    np.testing.assert_allclose(out[0], exact, rtol=2.5e-7)


def traced(compute, dtype):
    @cute.jit
    def run(x: dtype):
        compute(x)

    cute.compile(run, dtype(1.0), options=CPU)


def test_refusals():
    message = "add: expected Float32 numbers .on GPUs also Float64. with the rounding rz, but got "
    with pytest.raises(ValueError, match=message + "BFloat16"):
        traced(lambda x: M.add(x, x, rounding="rz"), BFloat16)
    with pytest.raises(ValueError, match=message + "Float64 on the CPU"):
        traced(lambda x: M.add(x, x, rounding="rz"), Float64)
    with pytest.raises(ValueError, match=message + "Python numbers"):
        M.add(1.0, 2.0, rounding="rz")
    with pytest.raises(
        ValueError, match="add: expected rn, rz, rm or rp as rounding, but got 'up'"
    ):
        traced(lambda x: M.add(x, x, rounding="up"), Float32)
    with pytest.raises(
        ValueError, match="div: expected one of approx, full and rounding, but got approx and full"
    ):
        traced(lambda x: M.div(x, x, approx=True, full=True), Float32)
    with pytest.raises(ValueError, match="rcp: expected approx or rounding, but got both"):
        traced(lambda x: M.rcp(x, approx=True, rounding="rz"), Float32)


def test_inline_ptx_on_the_cpu():
    @cute.kernel
    def kernel(a: cute.Tensor, out: cute.Tensor):
        out[0], out[1] = cute.arch.add_packed_f32x2((a[0], a[0]), (a[1], a[2]), rnd="rp")
        out[2] = cute.arch.inline_ptx(
            "mul.rz.f32 {$w0}, {$r0}, {$r1};",
            write_only_types=[Float32],
            read_only_args=[a[0], a[1]],
        )

    @cute.jit
    def run(a: cute.Tensor, out: cute.Tensor):
        kernel(a, out).launch(grid=1, block=1)

    a, out = np.array([1 + 2**-23, 1e-10, 1 + 2**-23], np.float32), np.zeros(3, np.float32)
    cute.compile(run, a, out, options=CPU)(a, out)
    exact = [Fraction(float(x)) for x in a]
    assert out[0] == expected(exact[0] + exact[1], "rp") > np.float32(1 + 2**-23)
    assert out[1] == exact[0] + exact[2]
    assert out[2] == expected(exact[0] * exact[1], "rz")
