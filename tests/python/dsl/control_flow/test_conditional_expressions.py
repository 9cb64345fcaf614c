"""``a if p else b`` on a run-time condition: the kinds of its arms, and its result."""

import numpy as np
import pytest
from support import dsl_support as support

import fairlead
from fairlead import Boolean, Float16, Float32, Int8, Int32, Int64, cute

X = np.arange(-20, 20, dtype=np.int32)


def type_of(body, *kinds):
    """Return the numeric class of the result of ``body`` for values of these classes."""
    seen = []

    @cute.jit
    def function(values: tuple, out: cute.Tensor):
        seen.append(type(body(*values)).__name__)

    cute.compile(function, kinds, support.vector(Float32), options="--target cpu")
    return seen[0]


@cute.jit
def choose(x, y):
    return x if x > 0 else y


@cute.jit
def or_zero(x):
    return 0 if x > 0 else x


@cute.jit
def or_float(x):
    return x if x > 0 else 0.5


@cute.jit
def two_literals(x):
    return 1 if x > 0 else 2.5


@cute.jit
def three_arms(x, y):
    return x if x > 1 else y if x > 0 else 7


@pytest.mark.parametrize(
    ("body", "kinds", "name"),
    [
        (choose, (Int32, Int32), "Int32"),
        (choose, (Int8, Int64), "Int64"),
        (choose, (Float16, Float32), "Float32"),
        (choose, (Int32, Boolean), "Int32"),
        (or_zero, (Float32,), "Float32"),
        (or_zero, (Int8,), "Int8"),
        (or_float, (Float16,), "Float16"),
        (three_arms, (Float32, Float32), "Float32"),
    ],
)
def test_arms_of_one_kind(body, kinds, name):
    """The wider of two widths; a number of Python takes the other arm's type."""
    assert type_of(body, *kinds) == name


@pytest.mark.parametrize(
    ("body", "kinds", "left", "right"),
    [
        (choose, (Int32, Float32), "Int32", "Float32"),
        (choose, (Float32, Int64), "Float32", "Int64"),
        (choose, (Float32, Boolean), "Float32", "Boolean"),
        (or_float, (Int32,), "Int32", "float"),
        (two_literals, (Int32,), "int", "float"),
        (three_arms, (Int32, Float32), "Int32", "Float32"),
    ],
)
def test_arms_of_two_kinds(body, kinds, left, right):
    with pytest.raises(
        TypeError,
        match="unsupported operands for `a if p else b`, whose arms are both integers or both floats: "
        f"{left} and {right}",
    ):
        type_of(body, *kinds)


def test_a_condition_known_while_tracing_chooses_any_arm():
    @cute.jit
    def function(x, flag: fairlead.Constexpr):
        return x if flag else 0.5

    for flag, expected in ((True, X), (False, np.full(len(X), 0.5))):
        got = support.run_map(lambda x, flag=flag: function(x, flag) + 0.0, np.float32, X)
        np.testing.assert_array_equal(got, np.float32(expected))


def test_values():
    @cute.jit
    def function(x):
        y = x.to(Float32) * 0.5
        z = 0 if x < 0 else y
        w = y if x % 2 == 0 else 1.25
        return z * 100.0 + w

    expected = [
        (0 if x < 0 else x * 0.5) * 100 + (x * 0.5 if x % 2 == 0 else 1.25) for x in X.tolist()
    ]
    np.testing.assert_array_equal(support.run_map(function, np.float32, X), np.float32(expected))


def test_literals_that_do_not_fit():
    @cute.jit
    def function(x):
        return x if x > 0 else 300

    with pytest.raises(ValueError, match="in the range of Int8, but got 300"):
        type_of(function, Int8)
