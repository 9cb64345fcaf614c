"""Vectors: arithmetic, slices, reductions and conversions against NumPy."""

import numpy as np
import pytest
from support.primitives_support import floats, run

from fairlead import (
    BFloat16,
    Boolean,
    Float16,
    Float32,
    Int8,
    Int32,
    Uint8,
    Uint32,
    cute,
    primitives,
)
from fairlead.primitives import Vector, vector


def values(source, count, shape=None):
    """The first elements of a tensor as a Vector."""
    loaded = primitives.Array(source).load(0, count)
    return loaded if shape is None else loaded.reshape(shape)


def store(out, *vectors):
    """Write vectors to the rows of ``out``."""
    for row, each in enumerate(vectors):
        for place, element in enumerate(each.to_elements()):
            out[row, place] = element


def test_arithmetic_with_vectors_and_scalars():
    def body(a, b, out):
        x, y = values(a, 4), values(b, 4)
        scale = b[1]
        store(out, x + y, x - y, x * y, x / y, -x, 2.0 * x, x * scale + 1, 1 - x, abs(-x))

    a, b = floats(4), floats(4)[::-1].copy()
    out = np.zeros((9, 4), np.float32)
    run(body, a, b, out)
    expected = [a + b, a - b, a * b, a / b, -a, 2 * a, a * b[1] + 1, 1 - a, a]
    np.testing.assert_array_equal(out, np.array(expected, np.float32))


def test_integer_arithmetic():
    def body(a, b, out):
        x, y = values(a, 4), values(b, 4)
        store(out, x // y, x % y, x << 2, x >> 1, x & y, x | y, x ^ y, ~x)

    a, b = np.array([100, -7, 9, 12], np.int32), np.array([3, 5, 7, 8], np.int32)
    out = np.zeros((8, 4), np.int32)
    run(body, a, b, out)
    expected = [a // b, a % b, a << 2, a >> 1, a & b, a | b, a ^ b, ~a]
    np.testing.assert_array_equal(out, expected)


def test_comparisons_give_booleans():
    def body(a, b, out):
        x, y = values(a, 4), values(b, 4)
        masks = [x == y, x != y, x < y, x <= y, x > 2.5, y >= 3]
        assert all(mask.dtype is Boolean for mask in masks)
        store(out, *[mask.to(Int32) for mask in masks])

    a, b = floats(4), floats(4)[::-1].copy()
    b[1] = a[1]
    out = np.zeros((6, 4), np.int32)
    run(body, a, b, out)
    np.testing.assert_array_equal(out, [a == b, a != b, a < b, a <= b, a > 2.5, b >= 3])


def test_slices_are_those_of_numpy():
    def body(a, out):
        matrix = values(a, 12, (3, 4))
        parts = [
            matrix[:, 1:3],
            matrix[1:, ::2],
            matrix[2, 1:],
            matrix[0],
            matrix[::-1, 3],
            matrix[-1, -2:],
        ]
        assert [part.shape for part in parts] == [(3, 2), (2, 2), (1, 3), (1, 4), (3, 1), (1, 2)]
        store(out, *parts)
        out[6, 0], out[6, 1] = matrix[1, 2], matrix[-1, -1]

    a = floats(3, 4)
    out = np.zeros((7, 6), np.float32)
    run(body, a.reshape(-1), out)
    expected = [a[:, 1:3], a[1:, ::2], a[2:, 1:], a[:1], a[::-1, 3:], a[-1:, -2:]]
    for row, part in zip(out, expected):
        np.testing.assert_array_equal(row[: part.size], part.reshape(-1))
    np.testing.assert_array_equal(out[6, :2], [a[1, 2], a[-1, -1]])


def test_a_run_time_index():
    def body(a, out):
        thread = cute.arch.thread_idx()[0]
        out[thread] = values(a, 8)[7 - thread]

    a, out = floats(8), np.zeros(8, np.float32)
    run(body, a, out, threads=8)
    np.testing.assert_array_equal(out, a[::-1])


def test_reductions_of_all_elements():
    def body(a, out):
        x = values(a, 7)
        for place, op in enumerate(["add", "mul", "min", "max"]):
            out[place] = x.reduce(op)
        out[4] = x.reduce("add", acc=100.0)
        out[5] = x.reduce("max", acc=100.0)

    a, out = floats(7)[::-1].copy(), np.zeros(6, np.float32)
    run(body, a, out)
    np.testing.assert_array_equal(out, [28, 5040, 1, 7, 128, 100])


def test_sums_take_one_element_after_the_other():
    def body(a, out):
        out[0] = values(a, 5).reduce()

    a = np.array([1e8, 1, -1e8, 3, 1e-8], np.float32)
    out = np.zeros(1, np.float32)
    run(body, a, out)
    expected = np.float32(0)
    for number in a:
        expected = np.float32(expected + number)
    assert out[0] == expected and expected != a.astype(np.float64).sum().astype(np.float32)


@pytest.mark.parametrize("dim", [0, 1, -1, (0, 2), [1]])
def test_reductions_along_axes(dim):
    def body(a, out):
        result = values(a, 24, (2, 3, 4)).reduce("add", dim=dim)
        assert result.shape == expected.shape
        store(out, result)

    a = floats(2, 3, 4)
    expected = a.sum(axis=tuple(dim) if isinstance(dim, list) else dim)
    out = np.zeros((1, expected.size), np.float32)
    run(body, a.reshape(-1), out)
    np.testing.assert_array_equal(out[0], expected.reshape(-1))


def test_conversions_round_and_truncate():
    def body(a, halves, integers, unsigned):
        x = values(a, 4)
        primitives.Array(halves).store(x.to(Float16))
        primitives.Array(integers).store(x.to(Int32))
        primitives.Array(unsigned).store(x.to(Int32).with_signedness(False) >> 1)

    a = np.array([1.1, -2.7, 3.999, 1000.3], np.float32)
    halves, integers = np.zeros(4, np.float16), np.zeros(4, np.int32)
    unsigned = np.zeros(4, np.uint32)
    run(body, a, halves, integers, unsigned)
    np.testing.assert_array_equal(halves, a.astype(np.float16))
    np.testing.assert_array_equal(integers, a.astype(np.int32))
    np.testing.assert_array_equal(unsigned, a.astype(np.int32).view(np.uint32) >> 1)


def test_bits_keep_their_order():
    def body(a, words, bytes_, pairs):
        halves = values(a, 8, (2, 4))
        packed = halves.bitcast(Uint32)
        assert packed.shape == (2, 2) and packed.dtype is Uint32
        store(words, packed)
        split = packed.bitcast(Uint8)
        assert split.shape == (2, 8)
        store(bytes_, split)
        store(pairs, split.bitcast(Float16))
        assert Vector.from_elements((1, 2), Int8).bitcast(Uint8).shape == (2,)

    a = floats(8).astype(np.float16)
    words, bytes_ = np.zeros((1, 4), np.uint32), np.zeros((1, 16), np.uint8)
    again = np.zeros((1, 8), np.float16)
    run(body, a, words, bytes_, again)
    np.testing.assert_array_equal(words[0], a.view(np.uint32))
    np.testing.assert_array_equal(bytes_[0], a.view(np.uint8))
    np.testing.assert_array_equal(again[0], a)


def test_making_and_combining():
    def body(a, out, flags):
        x = values(a, 4)
        rows = vector.broadcast_to(x, (2, 4))
        product = vector.outerproduct(x[:2], x[1:])
        assert product.shape == (2, 3)
        added = vector.outerproduct(x[:2], x[1:], acc=product)
        chosen = vector.where(x > 2, x, -1.0)
        store(
            out,
            rows,
            rows[:, 1:3],
            product,
            added,
            chosen,
            vector.full((2, 2), 7, Float32),
            vector.ones_like(x) + vector.zeros_like(x),
        )
        mask = vector.create_mask((2, 3), (Int32(1), 2))
        store(flags, mask.to(Int32))
        flags[1, 0] = vector.all_(x > 0).to(Int32)
        flags[1, 1] = vector.any_(x > 4).to(Int32)

    a, out = floats(4), np.zeros((7, 8), np.float32)
    flags = np.zeros((2, 6), np.int32)
    run(body, a, out, flags)
    rows, product = np.broadcast_to(a, (2, 4)), np.outer(a[:2], a[1:])
    expected = [rows, rows[:, 1:3], product, 2 * product, [-1, -1, 3, 4], [7] * 4, [1] * 4]
    for row, part in zip(out, map(np.ravel, expected)):
        np.testing.assert_array_equal(row[: part.size], part)
    np.testing.assert_array_equal(flags[0], [1, 1, 0, 0, 0, 0])
    assert flags[1, 0] == 1 and flags[1, 1] == 0


def test_whole_tensor_values_become_vectors():
    def body(a, out):
        x = Vector(cute.make_tensor(a.iterator, cute.make_layout((2, 2))).load())
        assert x.shape == (4,) and x.numel() == 4 and len(x) == 4
        store(out, x, Vector(x, dtype=BFloat16).to(Float32))

    a, out = floats(4), np.zeros((2, 4), np.float32)
    run(body, a, out)
    np.testing.assert_array_equal(out, [a, a])


MISTAKES = {
    "no elements": (lambda x: Vector.from_elements(()), TypeError, r"one or more scalars"),
    "a shape of another size": (lambda x: x.reshape((3,)), ValueError, "4 elements"),
    "two lengths": (lambda x: x + x[:3], ValueError, r"extent 3 of axis 0"),
    "two ranks": (lambda x: x + x.reshape((2, 2)), ValueError, "2 axes"),
    "an index outside": (lambda x: x[4], IndexError, "extent 4 of axis 0"),
    "too many indices": (lambda x: x[0, 0], IndexError, "2 entries"),
    "an empty slice": (lambda x: x[3:1], IndexError, "extent 4 of axis 0"),
    "an axis that it lacks": (lambda x: x.reduce("add", dim=1), ValueError, "axes from 0 to 0"),
    "another reduction": (lambda x: x.reduce("sub"), ValueError, "one of add, mul, min, max"),
    "bits that do not fit": (lambda x: x[:3].bitcast(Uint8).bitcast(Uint32)[3], IndexError, "axis"),
    "a width that does not divide": (
        lambda x: x.to(Float16)[:3].bitcast(Uint32),
        ValueError,
        "axis 0 of 3 Float16",
    ),
    "a broadcast that does not fit": (
        lambda x: vector.broadcast_to(x, (2, 3)),
        ValueError,
        "extent 4 of axis 0",
    ),
    "signs of floats": (lambda x: x.with_signedness(True), TypeError, "integer elements"),
    "a product of matrices": (
        lambda x: vector.outerproduct(x.reshape((2, 2)), x),
        ValueError,
        "one axis as a",
    ),
    "a mask of other axes": (
        lambda x: vector.create_mask((2, 2), (1,)),
        ValueError,
        r"2 sizes for the shape \(2, 2\)",
    ),
    "a truth": (lambda x: bool(x), TypeError, "Vector"),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes(name):
    mistake, kind, text = MISTAKES[name]

    def body(a):
        mistake(values(a, 4))

    with pytest.raises(kind, match=text):
        run(body, floats(4))


def test_elements_are_not_assigned():
    def body(a):
        values(a, 4)[0] = 1.0

    with pytest.raises(TypeError, match="cannot be changed in place"):
        run(body, floats(4))
