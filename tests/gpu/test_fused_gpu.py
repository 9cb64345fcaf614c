"""Fused multiply-adds: the same numbers as on the CPU."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from support import fused_programs as programs  # noqa: E402

from fairlead import cute  # noqa: E402

pytestmark = pytest.mark.gpu


def run(function, dtype, options="", shape=(4, programs.COUNT)):
    given = programs.operands(dtype)
    on_gpu = [torch.from_numpy(each).cuda() for each in (*given, np.full(shape, 99, dtype))]
    cute.compile(function, *on_gpu, options=options)(*on_gpu)
    return given, on_gpu[3].cpu().numpy()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("options", ["", "--opt-level 0"])
def test_rounded_once(dtype, options):
    given, out = run(programs.forms, dtype, options)
    for row, form in zip(out, programs.FORMS, strict=True):
        np.testing.assert_array_equal(row, programs.once(form, *given), form)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_each_rounded(dtype):
    given, out = run(programs.forms, dtype, "--no-fmad")
    for row, form in zip(out, programs.FORMS, strict=True):
        np.testing.assert_array_equal(row, programs.each(form, *given), form)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_wherever_the_product_is_used(dtype):
    given, out = run(programs.others, dtype, shape=(5, programs.COUNT))
    np.testing.assert_array_equal(out, programs.expected_others(*given))


def test_halves_are_rounded_one_by_one():
    given, out = run(programs.forms, np.float16)
    for row, form in zip(out, programs.FORMS, strict=True):
        np.testing.assert_array_equal(row, programs.each(form, *given), form)


def test_whole_tensors():
    given, out = run(programs.whole, np.float32, shape=programs.COUNT)
    np.testing.assert_array_equal(out, programs.once("a * b + c", *given))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_parts_of_a_product(dtype):
    given, out = run(programs.parts, dtype)
    np.testing.assert_array_equal(out, programs.expected_parts(*given))
