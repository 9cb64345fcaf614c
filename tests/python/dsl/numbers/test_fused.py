"""Fused multiply-adds: expressions that are rounded once, at every optimization level, and others."""

import numpy as np
import pytest
from support import fused_programs as programs

from fairlead import DSLError, cute


@pytest.fixture(autouse=True)
def on_the_cpu(monkeypatch):
    monkeypatch.setenv("FAIRLEAD_TARGET", "cpu")


def run(function, dtype, options="", rows=4):
    given = programs.operands(dtype)
    out = np.full((rows, programs.COUNT) if rows else programs.COUNT, 99, dtype)
    cute.compile(function, *given, out, options=options)(*given, out)
    return given, out


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("level", range(4))
def test_rounded_once(dtype, level):
    given, out = run(programs.forms, dtype, f"--opt-level {level}")
    for row, form in zip(out, programs.FORMS, strict=True):
        np.testing.assert_array_equal(row, programs.once(form, *given), form)
        assert not np.array_equal(row, programs.each(form, *given))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("options", ["--no-fmad", "--no-fmad --opt-level 0"])
def test_each_rounded(dtype, options):
    given, out = run(programs.forms, dtype, options)
    for row, form in zip(out, programs.FORMS, strict=True):
        np.testing.assert_array_equal(row, programs.each(form, *given), form)


def test_typed_option():
    given = programs.operands(np.float32)
    out = np.zeros((4, programs.COUNT), np.float32)
    cute.compile[cute.NoFmad](programs.forms, *given, out)(*given, out)
    np.testing.assert_array_equal(out[0], programs.each("a * b + c", *given))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_wherever_the_product_is_used(dtype):
    given, out = run(programs.others, dtype, rows=5)
    np.testing.assert_array_equal(out, programs.expected_others(*given))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("options", ["", "--opt-level 0", "--no-fmad"])
def test_the_parts_of_a_product(dtype, options):
    """An explicit multiply-add is rounded once, and a product with other uses than sums is rounded for these too."""
    given, out = run(programs.parts, dtype, options)
    np.testing.assert_array_equal(out, programs.expected_parts(*given))
    assert np.count_nonzero(out[1]) > programs.COUNT // 2


def test_halves_are_rounded_one_by_one():
    given, out = run(programs.forms, np.float16)
    for row, form in zip(out, programs.FORMS, strict=True):
        np.testing.assert_array_equal(row, programs.each(form, *given), form)


def test_whole_tensors():
    given, out = run(programs.whole, np.float32, rows=0)
    np.testing.assert_array_equal(out, programs.once("a * b + c", *given))


def test_host_functions_round_one_by_one():
    @cute.jit
    def host(a: cute.Tensor, b: cute.Tensor, c: cute.Tensor, out: cute.Tensor):
        for i in range(a.shape[0]):
            out[i] = a[i] * b[i] + c[i]

    given, out = run(host, np.float32, rows=0)
    np.testing.assert_array_equal(out, programs.each("a * b + c", *given))


def test_cpu_without_the_instruction():
    """A processor of 2003: the fused operation is a call there."""
    given, out = run(programs.forms, np.float32, "--target cpu:x86-64")
    np.testing.assert_array_equal(out[0], programs.once("a * b + c", *given))


def test_ptx():
    given = programs.operands(np.float32)
    out = np.zeros((4, programs.COUNT), np.float32)

    def ptx(options):
        return cute.compile(programs.forms, *given, out, options=options).__ptx__

    fused = ptx("--target cuda:sm_90a")
    assert fused.count("fma.rn.f32") == 4
    assert "mul.rn.f32" not in fused
    assert "fma.rn.f32" not in ptx("--target cuda:sm_90a --no-fmad")
    parts = cute.compile(programs.parts, *given, out, options="--target cuda:sm_90a").__ptx__
    assert parts.count("fma.rn.f32") == 1  # the sums of the product are additions


def test_misspelled():
    with pytest.raises(DSLError, match="--no-fmad"):
        cute.compile(programs.forms, options="--no-fma")


@cute.kernel
def device_rows(out: cute.Tensor):
    rows = cute.make_rmem_tensor((4, 2), cute.Float32)
    rows.fill(2)
    flat = cute.make_rmem_tensor((4,), cute.Float32)
    flat.fill(3)
    total = rows[None, 0]
    total.store(cute.math.fma(flat.load(), rows[None, 1].load(), total.load()))
    flat.store(cute.math.fma(rows[None, 1].load(), flat.load(), 1.0))
    out[0], out[1] = total[3], flat[3]


@cute.jit
def of_rows(out: cute.Tensor):
    device_rows(out).launch(grid=1, block=1)


def test_a_row_and_a_tensor_of_one_mode():
    out = np.zeros(2, np.float32)
    of_rows(out)
    assert out.tolist() == [8, 7]
