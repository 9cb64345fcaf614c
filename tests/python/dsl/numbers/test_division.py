"""Integer division that has no quotient gives a number and does not stop the process."""

import numpy as np
import pytest
from support import division_programs as programs
from support import dsl_support as support

from fairlead import Float32, Int32, cute


@pytest.fixture(autouse=True)
def on_the_cpu(monkeypatch):
    monkeypatch.setenv("FAIRLEAD_TARGET", "cpu")


@pytest.mark.parametrize("dtype", programs.TYPES)
def test_every_pair(dtype):
    a, b = programs.operands(dtype)
    quotient, rest = np.full_like(a, 99), np.full_like(a, 99)
    programs.divide(a, b, quotient, rest)
    want = programs.expected(a, b)
    assert np.array_equal(quotient, want[0])
    assert np.array_equal(rest, want[1])


@pytest.mark.parametrize("divisor", [-1, -2, 1, 3, 4])
def test_by_a_number_that_is_known(divisor):
    @cute.jit
    def host(a: cute.Tensor, b: cute.Tensor):
        for i in range(a.shape[0]):
            b[i] = a[i] // divisor + 10 * (a[i] % divisor)

    a = np.array([0, 5, -5, 2**31 - 1, -(2**31)], np.int32)
    b = np.zeros_like(a)
    host(a, b)
    want = [x // divisor + 10 * (x % divisor) for x in a.tolist()]
    assert b.tolist() == [(x + 2**31) % 2**32 - 2**31 for x in want]


def test_by_zero_in_the_arm_that_is_not_taken():
    @cute.jit
    def host(a: cute.Tensor, b: cute.Tensor):
        for i in range(a.shape[0]):
            b[i] = cute.where(a[i] != 0, 100 // a[i], -1)

    a, b = np.array([0, 3, 0, -7], np.int32), np.zeros(4, np.int32)
    host(a, b)
    assert b.tolist() == [-1, 33, -1, -15]


@pytest.mark.parametrize("operation", [lambda x: x // 0, lambda x: x % 0])
def test_by_a_zero_that_is_known(operation):
    @cute.jit
    def host(a: cute.Tensor, n: Int32):
        a[0] = operation(n)

    with pytest.raises(ZeroDivisionError, match=r"Int32 .+ 0"):
        host(np.zeros(1, np.int32), 3)


@pytest.mark.parametrize("target", ["cpu", "cuda:sm_90a"])
def test_an_extent_of_zero_is_no_division(target):
    """Indices of a tensor without elements are computed too, and never used."""

    @cute.kernel
    def device_set(a: cute.Tensor, i: Int32):
        a[i] = 1.0

    @cute.jit
    def assign(a: cute.Tensor, b: cute.Tensor, i: Int32):
        b[:] = a[:] + 1.0
        device_set(a, i).launch(grid=0, block=1)

    described = cute.runtime.make_fake_compact_tensor(Float32, (0, 4))
    compiled = cute.compile(assign, described, described, 1, options=f"--target {target}")
    if target == "cpu":
        compiled(np.zeros((0, 4), np.float32), np.zeros((0, 4), np.float32), 1)
    else:
        assert "div." not in compiled.__ptx__ and "rem." not in compiled.__ptx__


def test_divmod_in_functions_that_are_not_rewritten():
    """Lambdas keep Python's builtin, which asks the operands."""
    values = np.array([-7, -6, -1, 0, 1, 5, 6, 7], np.int32)
    for function, python in (
        (lambda x: sum(divmod(x, 3)), lambda x: sum(divmod(x, 3))),
        (lambda x: divmod(x, x * x + 2)[1], lambda x: x % (x * x + 2)),
        (lambda x: divmod(100, x * x + 3)[0], lambda x: 100 // (x * x + 3)),
    ):
        expected = [python(int(x)) for x in values]
        np.testing.assert_array_equal(support.run_map(function, np.int32, values), expected)
    floats = np.array([-7.5, 2.0, 9.25], np.float32)
    found = support.run_map(lambda x: divmod(x, 2)[0] * 10 + divmod(x, 2)[1], np.float32, floats)
    np.testing.assert_array_equal(found, floats // 2 * 10 + floats % 2)
    with pytest.raises(TypeError, match="unsupported operand"):
        support.run_map(lambda x: divmod(x, "a")[0], np.int32, values)


def test_powers_have_no_modulus():
    with pytest.raises(ValueError, match="pow: expected no modulus"):
        support.run_map(lambda x: pow(x, 2, 5), np.int32, np.arange(4, dtype=np.int32))
