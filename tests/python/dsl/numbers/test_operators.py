"""Every operator, for every type, forward and reflected, against NumPy."""

import operator
import zlib

import numpy as np
import pytest
from support import dsl_support as support

import fairlead
from fairlead import cute

INTEGERS = ["Int8", "Int16", "Int32", "Int64", "Uint8", "Uint16", "Uint32", "Uint64"]
FLOATS = ["Float16", "Float32", "Float64"]
ARITHMETIC = [operator.add, operator.sub, operator.mul]
DIVISION = [operator.floordiv, operator.mod]
BITWISE = [operator.and_, operator.or_, operator.xor]
COMPARISONS = [operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge]
EPSILON = {"Float16": 2e-3, "Float32": 1e-6, "Float64": 1e-15}


def _pair(name, n=1000, nonzero=False):
    generator = np.random.default_rng(zlib.crc32(name.encode()))
    a, b = (support.randoms(generator, support.DTYPES[name], n) for _ in range(2))
    if nonzero:
        b[b == 0] = 1
        b[(b == -1) if b.dtype.kind == "i" else np.zeros(n, bool)] = (
            3  # the quotient of the least number by -1 overflows
        )
    return a, b


@pytest.mark.parametrize("name", INTEGERS)
@pytest.mark.parametrize("op", ARITHMETIC + DIVISION + BITWISE, ids=lambda op: op.__name__)
def test_integer_arithmetic(name, op):
    a, b = _pair(name, nonzero=True)
    with np.errstate(over="ignore"):
        np.testing.assert_array_equal(support.run_map(op, support.DTYPES[name], a, b), op(a, b))


@pytest.mark.parametrize("name", INTEGERS)
@pytest.mark.parametrize("op", [operator.lshift, operator.rshift], ids=lambda op: op.__name__)
def test_shifts(name, op):
    a, _ = _pair(name)
    bits = np.dtype(support.DTYPES[name]).itemsize * 8
    b = np.arange(len(a)).astype(a.dtype) % bits
    np.testing.assert_array_equal(support.run_map(op, a.dtype, a, b), op(a, b))


@pytest.mark.parametrize("name", FLOATS)
@pytest.mark.parametrize("op", [*ARITHMETIC, operator.truediv], ids=lambda op: op.__name__)
def test_float_arithmetic(name, op):
    a, b = _pair(name, nonzero=True)
    expected = op(a.astype(np.float64), b.astype(np.float64))
    got = support.run_map(op, support.DTYPES[name], a, b)
    np.testing.assert_allclose(
        got.astype(np.float64), expected, rtol=EPSILON[name], atol=EPSILON[name]
    )


@pytest.mark.parametrize("name", ["Float32", "Float64"])
@pytest.mark.parametrize("op", DIVISION, ids=lambda op: op.__name__)
def test_float_floor_division(name, op):
    a, b = _pair(name, nonzero=True)
    a *= 10
    b = np.sign(b) * (np.abs(b) + 0.5)
    got = support.run_map(op, support.DTYPES[name], a, b)
    np.testing.assert_allclose(got, op(a, b), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("name", [*INTEGERS, *FLOATS])
@pytest.mark.parametrize("op", COMPARISONS, ids=lambda op: op.__name__)
def test_comparisons(name, op):
    a, b = _pair(name)
    b[::3] = a[::3]
    np.testing.assert_array_equal(support.run_map(op, np.bool_, a, b), op(a, b))


@pytest.mark.parametrize("op", COMPARISONS, ids=lambda op: op.__name__)
def test_nan_compares_as_in_python(op):
    a = np.array([np.nan, 1.0, np.nan], np.float32)
    b = np.array([1.0, np.nan, np.nan], np.float32)
    np.testing.assert_array_equal(support.run_map(op, np.bool_, a, b), op(a, b))


@pytest.mark.parametrize("op", BITWISE, ids=lambda op: op.__name__)
def test_booleans_stay_boolean(op):
    a, b = (support.randoms(np.random.default_rng(seed), np.bool_, 100) for seed in (1, 2))

    def function(x, y):
        result = op(x, y)
        assert type(result) is fairlead.Boolean
        return result

    np.testing.assert_array_equal(support.run_map(function, np.bool_, a, b), op(a, b))


@pytest.mark.parametrize("name", ["Int8", "Int32", "Int64", "Float16", "Float32", "Float64"])
def test_unary(name):
    a, _ = _pair(name)
    dtype = support.DTYPES[name]
    np.testing.assert_array_equal(support.run_map(lambda x: -x, dtype, a), -a)
    np.testing.assert_array_equal(support.run_map(lambda x: +x, dtype, a), a)
    np.testing.assert_array_equal(support.run_map(abs, dtype, a), abs(a))
    if a.dtype.kind == "i":
        np.testing.assert_array_equal(support.run_map(lambda x: ~x, dtype, a), ~a)


REFLECTED = {
    "add": (lambda x: 7 + x, lambda x: 7 + x),
    "sub": (lambda x: 7 - x, lambda x: 7 - x),
    "mul": (lambda x: 7 * x, lambda x: 7 * x),
    "floordiv": (lambda x: 100 // x, lambda x: 100 // x),
    "mod": (lambda x: -100 % x, lambda x: -100 % x),
    "and": (lambda x: 12 & x, lambda x: 12 & x),
    "or": (lambda x: 12 | x, lambda x: 12 | x),
    "xor": (lambda x: 12 ^ x, lambda x: 12 ^ x),
    "shl": (lambda x: 1 << (x & 7), lambda x: 1 << (x & 7)),
    "shr": (lambda x: 4096 >> (x & 7), lambda x: 4096 >> (x & 7)),
    "less": (lambda x: (3 < x).to(cute.Int32), lambda x: (3 < x).astype(np.int32)),
}


@pytest.mark.parametrize("name", REFLECTED)
def test_literal_on_the_left(name):
    traced, python = REFLECTED[name]
    a = np.random.default_rng(5).integers(-50, 50, 500).astype(np.int32)
    a[a == 0] = 1
    np.testing.assert_array_equal(support.run_map(traced, np.int32, a), python(a))


def test_true_division_of_integers_is_float32():
    a, b = np.arange(-50, 50, dtype=np.int32), np.full(100, 3, np.int32)

    def function(x, y):
        result = x / y
        assert type(result) is fairlead.Float32
        return result

    np.testing.assert_allclose(support.run_map(function, np.float32, a, b), a / b, rtol=1e-6)


@pytest.mark.parametrize("exponent", [0, 1, 2, 3, 7])
def test_static_power(exponent):
    a = np.random.default_rng(3).standard_normal(100)
    np.testing.assert_allclose(
        support.run_map(lambda x: x**exponent, np.float64, a), a**exponent, rtol=1e-14
    )


def test_power():
    generator = np.random.default_rng(3)
    a, b = (
        generator.uniform(0.1, 3, 200).astype(np.float32),
        generator.uniform(-2, 2, 200).astype(np.float32),
    )
    expected = a.astype(np.float64) ** b.astype(np.float64)
    np.testing.assert_allclose(
        support.run_map(lambda x, y: x**y, np.float32, a, b), expected, rtol=1e-5
    )
    np.testing.assert_allclose(support.run_map(lambda y: 2.0**y, np.float32, b), 2.0**b, rtol=1e-5)


@pytest.mark.parametrize(
    ("left", "right", "result"),
    [
        ("Int32", "Float32", "Float32"),
        ("Int64", "Float16", "Float16"),
        ("Int8", "Int32", "Int32"),
        ("Int64", "Int32", "Int64"),
        ("Float16", "Float32", "Float32"),
        ("Float32", "Float64", "Float64"),
        ("Int32", "Uint32", "Uint32"),
        ("Boolean", "Int32", "Int32"),
    ],
)
def test_promotion(left, right, result):
    a, b = np.ones(3, support.DTYPES[left]), np.ones(3, support.DTYPES[right])

    def function(x, y):
        assert type(x + y) is type(y + x) is getattr(fairlead, result)
        return x + y

    np.testing.assert_array_equal(
        support.run_map(function, support.DTYPES[result], a, b), [2, 2, 2]
    )


@pytest.mark.parametrize(
    ("name", "literal", "result"),
    [
        ("Float16", 2.0, "Float16"),
        ("Float64", 2, "Float64"),
        ("Int64", 2, "Int64"),
        ("Uint8", 2, "Uint8"),
        ("Int32", 2.0, "Float32"),
    ],
)
def test_literal_adopts_the_type(name, literal, result):
    a = np.full(3, 3, support.DTYPES[name])

    def function(x):
        assert type(x * literal) is type(literal * x) is getattr(fairlead, result)
        return x * literal

    np.testing.assert_array_equal(support.run_map(function, support.DTYPES[result], a), [6, 6, 6])
