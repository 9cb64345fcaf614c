"""Int128 and Uint128, and Int4: numbers of kernels, against Python's."""

import numpy as np
import pytest
from support import dsl_support as support

from fairlead import Float64, Int4, Int8, Int64, Int128, Uint64, Uint128

generator = np.random.default_rng(9)
A = generator.integers(-(2**63), 2**63 - 1, 300, np.int64, True)
B = generator.integers(-(2**63), 2**63 - 1, 300, np.int64, True)
B[B == 0] = 1
SMALL = generator.integers(1, 60, 300, np.int64)


def wrap(number, bits=64):
    number &= (1 << bits) - 1
    return number - (1 << bits) if number >> (bits - 1) else number


def check(function, python, a=A, b=B):
    got = support.run_map(function, np.int64, a, b)
    expected = [wrap(python(int(x), int(y))) for x, y in zip(a, b, strict=True)]
    np.testing.assert_array_equal(got, np.array(expected, np.int64))


def test_products():
    check(lambda a, b: ((a.to(Int128) * b.to(Int128)) >> 64).to(Int64), lambda a, b: (a * b) >> 64)
    check(lambda a, b: (a.to(Int128) * b + a).to(Int64), lambda a, b: a * b + a)


def test_sums_shifts_and_comparisons():
    check(
        lambda a, b: (((a.to(Int128) << 60) - b.to(Int128)) >> 59).to(Int64),
        lambda a, b: ((a << 60) - b) >> 59,
    )
    check(
        lambda a, b: ((a.to(Int128) << 40) < b.to(Int128)).to(Int64),
        lambda a, b: int((a << 40) < b),
    )
    check(
        lambda a, b: (~(a.to(Int128) & b.to(Int128)) ^ (b.to(Int128) | 5)).to(Int64),
        lambda a, b: ~(a & b) ^ (b | 5),
    )


@pytest.mark.parametrize("shift", [0, 40, 62])
def test_division(shift):
    check(
        lambda a, b: ((a.to(Int128) << shift) // b.to(Int128)).to(Int64),
        lambda a, b: (a << shift) // b,
    )
    check(
        lambda a, b: ((a.to(Int128) << shift) % b.to(Int128)).to(Int64),
        lambda a, b: (a << shift) % b,
    )


def test_unsigned():
    check(
        lambda a, b: ((a.to(Uint64).to(Uint128) * b.to(Uint64).to(Uint128)) >> 64).to(Int64),
        lambda a, b: ((a % 2**64) * (b % 2**64)) >> 64,
    )


def test_floats():
    # Float64 holds these exactly.
    check(
        lambda a, b: ((a.to(Int128) << 50).to(Float64) * 2.0**-50).to(Int64),
        lambda a, b: a << 0,
        a=SMALL,
    )
    check(
        lambda a, b: ((a.to(Float64) * 2.0**70).to(Int128) >> 70).to(Int64),
        lambda a, b: a,
        a=SMALL,
    )


def test_int4():
    got = support.run_map(lambda a: a.to(Int4).to(Int64), np.int64, A)
    np.testing.assert_array_equal(got, [wrap(int(x), 4) for x in A])
    got = support.run_map(
        lambda a: (a.to(Int4) + a.to(Int4) * a.to(Int4)).to(Int8).to(Int64), np.int64, A
    )
    expected = [wrap(wrap(int(x), 4) + wrap(int(x), 4) ** 2, 4) for x in A]
    np.testing.assert_array_equal(got, expected)
    assert Int4.width == 4 and Int128.width == 128 and Uint128.signed is False
