"""Symbols that exported code needs: libm's exact functions, libc's memory functions, Fairlead's runtime,
and nothing of a compiler's own library, for every type, operation and processor."""

import subprocess

import pytest
from support.thinned import thinned

import fairlead
from fairlead import cute

TYPES = [
    "Boolean",
    "Int8",
    "Int16",
    "Int32",
    "Int64",
    "Int128",
    "Uint8",
    "Uint16",
    "Uint32",
    "Uint64",
    "Uint128",
]
TYPES += ["Float16", "BFloat16", "Float32", "Float64", "TFloat32", "Float8E5M2", "Float8E4M3FN"]
ALLOWED = {
    "fmod",
    "fmodf",
    "fma",
    "fmaf",
    "floor",
    "floorf",
    "ceil",
    "ceilf",
    "memcpy",
    "memset",
    "memmove",
}
RUNTIME = ("Fairlead", "TVMFFI", "CuteDSLRT", "_GLOBAL_OFFSET_TABLE_")
MATH = [
    "exp",
    "exp2",
    "log",
    "log2",
    "log10",
    "sin",
    "cos",
    "tan",
    "tanh",
    "sqrt",
    "rsqrt",
    "erf",
    "floor",
    "ceil",
]
# The others are converted to Float32 first, as Int32 is; conversions are among the operations of every type.
OF_MATH = thinned(TYPES, ["Int32", "Float16", "BFloat16", "Float32", "Float64", "TFloat32"])
CROSSING = [t for t in TYPES if t not in ("Int128", "Uint128", "Float8E5M2", "Float8E4M3FN")]


def with_every_operation(name):
    """A function of a type whose kernel does all that the type can."""
    cls = getattr(fairlead, name)
    crossing = cls if name in CROSSING else fairlead.Float32
    functions = MATH if name in OF_MATH else []

    @cute.kernel
    def device(a: cute.Tensor, b: cute.Tensor, out: cute.Tensor, s: crossing):
        i = cute.arch.block_idx()[0] * 64 + cute.arch.thread_idx()[0]
        if i < out.shape[0]:
            x, y = a[i], b[i]
            total = fairlead.Float64(0.0)
            for value in (
                x + y,
                x - y,
                x * y,
                x / y,
                x // y,
                x % y,
                fairlead.min(x, y),
                fairlead.max(x, y),
                x**3,
            ):
                total += value.to(fairlead.Float64)
            if fairlead.const_expr(cls.is_integer):
                for value in (x & y, x | y, x ^ y, x << y, x >> y):
                    total += value.to(fairlead.Float64)
            else:
                total += (x**y).to(fairlead.Float64)
            for function in functions:
                total += getattr(cute.math, function)(x).to(fairlead.Float64)
            for other in TYPES:
                total += x.to(getattr(fairlead, other)).to(fairlead.Float64)
                total += x.to(getattr(fairlead, other)).to(cls).to(fairlead.Float64)
            out[i] = cute.where(x < y, total + s.to(fairlead.Float64), total).to(cls)

    @cute.jit
    def run(a: cute.Tensor, b: cute.Tensor, out: cute.Tensor, s: crossing):
        device(a, b, out, s).launch(grid=cute.ceil_div(out.shape[0], 64), block=64)

    n = cute.sym_int()
    return run, [cute.runtime.make_fake_compact_tensor(cls, (n,))] * 3 + [crossing(1)]


def undefined(path):
    lines = subprocess.run(
        ["nm", "-u", str(path)], check=True, capture_output=True, text=True
    ).stdout.splitlines()
    return {line.split()[-1] for line in lines}


def choices():
    """Every type for the least processor; the level of each instruction that a type may need: conversions of 16-bit
    floats (v3, v4), fused multiply-adds (v3), rounding (v2); and some without optimisation."""
    for name in TYPES:
        yield name, "cpu:x86-64", 3
    for name in ("Float16", "BFloat16", "Int128"):
        yield name, "cpu:x86-64", 0
    for name, levels in (("Float16", "34"), ("BFloat16", "4"), ("Float32", "23")):
        for level in levels:
            yield name, f"cpu:x86-64-v{level}", 3
    yield "Int128", "cpu", 3


@pytest.mark.parametrize("name, target, level", list(choices()))
def test_every_type(name, target, level, tmp_path):
    run, arguments = with_every_operation(name)
    function = cute.compile(run, *arguments, options=f"--target {target} --opt-level {level}")
    path = tmp_path / "f.o"
    function.export_to_c(str(path), function_name="f")
    found = {symbol for symbol in undefined(path) if not symbol.startswith(RUNTIME)}
    assert found <= ALLOWED


def test_other_processors(tmp_path):
    run, arguments = with_every_operation("BFloat16")
    path = tmp_path / "f.o"
    cute.compile(run, *arguments, options="--target cpu --host-target linux-aarch64").export_to_c(
        str(path), function_name="f"
    )
    lines = subprocess.run(
        ["readelf", "-sW", str(path)], check=True, capture_output=True, text=True
    ).stdout
    found = {
        line.split()[-1]
        for line in lines.splitlines()
        if " UND " in line and line.split()[-1] != "UND"
    }
    assert {symbol for symbol in found if not symbol.startswith(RUNTIME)} <= ALLOWED
