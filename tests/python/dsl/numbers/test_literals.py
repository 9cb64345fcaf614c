"""Python's integers in programs: the ends of every type, numbers beyond them, and their types."""

import numpy as np
import pytest
from support import dsl_support as support

import fairlead
from fairlead import Int32, Int64, Int128, Uint8, Uint32, Uint64, Uint128, cute

INTEGERS = ["Int4"] + [f"{sign}{width}" for width in (8, 16, 32, 64) for sign in ("Int", "Uint")]
OUT = "expected an integer in the range of {}, but got {}"


def numeric(name):
    return getattr(fairlead, name)


def bits_in_a_program(kind, number):
    """Return ``kind(number)`` in a program, as the number of its type."""

    @cute.jit
    def write(out: cute.Tensor):
        out[0] = kind(number).to(Int64)

    out = np.zeros(1, np.int64)
    cute.compile(write, support.vector(Int64), options="--target cpu")(out)
    return int(out[0]) % 2**64 if kind is Uint64 else int(out[0])


def wrapped(kind, number):
    number %= 2**kind.width
    return number - 2**kind.width if kind.signed and number >= 2 ** (kind.width - 1) else number


@pytest.mark.parametrize("name", INTEGERS)
def test_the_ends_of_every_type(name):
    """A number has the bits of its type, with either sign; all others are errors, outside of programs too."""
    kind = numeric(name)
    width = kind.width
    for number in (
        -(2 ** (width - 1)),
        -1,
        0,
        2 ** (width - 1) - 1,
        2 ** (width - 1),
        2**width - 1,
    ):
        assert int(kind(number)) == wrapped(kind, number)
        assert repr(kind(number)) == str(wrapped(kind, number))
        assert bits_in_a_program(kind, number) == wrapped(kind, number)
    for number in (-(2 ** (width - 1)) - 1, 2**width, 2**70, -(2**70)):
        with pytest.raises(ValueError, match=OUT.format(name, number)):
            kind(number)
        with pytest.raises(ValueError, match=OUT.format(name, number)):
            bits_in_a_program(kind, number)


@pytest.mark.parametrize("kind", [Int128, Uint128])
@pytest.mark.parametrize(
    "number", [2**127 - 1, 2**64, -(2**127), 0x0123456789ABCDEFFEDCBA9876543210]
)
def test_128_bits(kind, number):
    @cute.jit
    def halves(out: cute.Tensor):
        wide = kind(number)
        out[0] = wide.to(Uint64)
        out[1] = (wide >> 64).to(Uint64)

    out = np.zeros(2, np.uint64)
    cute.compile(halves, support.vector(Uint64), options="--target cpu")(out)
    assert out.tolist() == [number % 2**64, (number >> 64) % 2**64]


def test_128_bits_have_ends_too():
    @cute.jit
    def beyond(out: cute.Tensor):
        out[0] = Int128(2**128).to(Int64)

    with pytest.raises(ValueError, match=OUT.format("Int128", 2**128)):
        cute.compile(beyond, support.vector(Int64), options="--target cpu")


def test_large_numbers_beside_values():
    """They take the other operand's type, as small ones do."""

    @cute.jit
    def function(u: Uint64, i: Int64, f: fairlead.Float64, out: cute.Tensor):
        out[0] = u & (2**64 - 1)
        out[1] = u + 2**63
        out[2] = (i ^ 0xFFFFFFFFFFFFFFFF).to(Uint64)
        out[3] = 0xFFFFFFFFFFFFFFFE
        out[4] = Uint64(1) if u < 2**64 - 1 else Uint64(0)
        out[5] = (f * 2**64 / 2**60).to(Uint64)
        out[6] = (2**64 - 1) // u

    out = np.zeros(7, np.uint64)
    compiled = cute.compile(
        function, Uint64, Int64, fairlead.Float64, support.vector(Uint64), options="--target cpu"
    )
    compiled(5, 5, 3.0, out)
    assert out.tolist() == [
        5, 2**63 + 5, (5 ^ -1) % 2**64, 2**64 - 2, 1, 48, (2**64 - 1) // 5,
    ]  # fmt: skip


def tracing(body, kind=Int32):
    @cute.jit
    def function(x: kind, out: cute.Tensor):
        body(x, out)

    return cute.compile(function, kind, support.vector(Uint8), options="--target cpu")


@pytest.mark.parametrize(
    ("kind", "body", "name", "number"),
    [
        (Int32, lambda x, out: x + 2**40, "Int32", 2**40),
        (Int32, lambda x, out: x < 2**40, "Int32", 2**40),
        (Int32, lambda x, out: x == 2**33, "Int32", 2**33),
        (Int32, lambda x, out: x < 2**31, "Int32", 2**31),
        (Int32, lambda x, out: x & 2**64, "Int32", 2**64),
        (Uint32, lambda x, out: x > -1, "Uint32", -1),
        (Uint32, lambda x, out: x // -2, "Uint32", -2),
        (Uint32, lambda x, out: fairlead.max(x, -1), "Uint32", -1),
        (Int64, lambda x, out: x < 2**63, "Int64", 2**63),
        (Uint8, lambda x, out: x + 300, "Uint8", 300),
        (Int32, lambda x, out: out.__setitem__(0, 256), "Uint8", 256),
    ],
    ids=lambda value: getattr(value, "__name__", str(value)),
)
def test_numbers_that_are_beyond_the_other_operand(kind, body, name, number):
    """If the size counts and not the bits alone, the sign has to fit too."""
    with pytest.raises(ValueError, match=OUT.format(name, number)):
        tracing(body, kind)


def test_bits_with_either_sign():
    @cute.jit
    def function(i: Int32, u: Uint32, out: cute.Tensor):
        out[0] = (i & 0xFFFFFFFF).to(Int64)
        out[1] = (i ^ 0x80000000).to(Int64)
        out[2] = (u & ~15).to(Int64)
        out[3] = (u + -1).to(Int64)

    out = np.zeros(4, np.int64)
    cute.compile(function, Int32, Uint32, support.vector(Int64), options="--target cpu")(
        -7, 100, out
    )
    assert out.tolist() == [
        -7,
        (-7 ^ 0x80000000) - 2**32 if (-7 ^ 0x80000000) >= 2**31 else -7 ^ -(2**31),
        96,
        99,
    ]


def test_host_arithmetic_of_unsigned_numbers():
    assert int(Uint64(2**64 - 1) // 2) == 2**63 - 1
    assert float(Uint64(2**64 - 1)) == float(2**64 - 1)
    assert Uint64(2**63) > Uint64(1)


@pytest.mark.parametrize("kind", [Int32, Uint32, Int64, Uint64])
@pytest.mark.parametrize("number", [3e9, -3e9, 1e30, -1e30, -2.7, 2.7])
def test_floats_become_the_nearest_integer_that_there_is(kind, number):
    """Outside of programs as in them."""
    least = -(2 ** (kind.width - 1)) if kind.signed else 0
    most = least + 2**kind.width - 1
    expected = min(max(int(number), least), most)
    assert int(kind(number)) == expected
    assert bits_in_a_program(kind, number) == expected


def test_extents_beyond_32_bits():
    """Sizes and strides of layouts become Int64 where one that is known takes more than 32 bits."""
    seen = []

    @cute.jit
    def function(n: Int32, out: cute.Tensor):
        layout = cute.make_layout((n, 2**33), stride=(2**34, 1))
        seen.extend(type(each).__name__ for each in (cute.size(layout), layout((n, 0))))
        out[0] = cute.size(layout)
        out[1] = layout((n, 2**32))

    out = np.zeros(2, np.int64)
    cute.compile(function, Int32, support.vector(Int64), options="--target cpu")(3, out)
    assert seen == ["Int64", "Int64"]
    assert out.tolist() == [3 * 2**33, 3 * 2**34 + 2**32]


@pytest.mark.parametrize(
    "body",
    [
        lambda x, out: x * 2**33,
        lambda x, out: cute.elem_less((x, x), (2**33, 1)),
    ],
)
def test_other_arithmetic_beyond_32_bits(body):
    with pytest.raises(ValueError, match="in the range of Int32"):
        tracing(body)


MASKS = [~(1 << 31), ~0xFF, -1, 2**40 + 3, 2**32, 0, 0xF0F0]


@pytest.mark.parametrize("kind", [Uint8, Uint32, Uint64])
@pytest.mark.parametrize("mask", MASKS)
def test_masks_of_unsigned_numbers_may_have_bits_beyond_them(kind, mask):
    """``x & mask`` is then what Python has; other operators take no such number."""

    @cute.jit
    def write(x: cute.Tensor, out: cute.Tensor):
        out[0] = x[0] & mask
        out[1] = mask & x[0]

    number = 0xA5C3_96F1_8D2B_E477 % 2**kind.width
    dtype = support.DTYPES[kind.__name__]
    x, out = np.array([number], dtype), np.zeros(2, dtype)
    vector = support.vector(kind)
    cute.compile(write, vector, support.vector(kind), options="--target cpu")(x, out)
    assert [int(each) for each in out] == [number & mask] * 2


@pytest.mark.parametrize("mask", [~(1 << 31), 2**32])
def test_other_numbers_take_no_bits_beyond_them(mask):
    def compiled(kind, apply):
        @cute.jit
        def write(out: cute.Tensor):
            out[0] = apply(out[0])

        cute.compile(write, support.vector(kind), options="--target cpu")

    for kind, apply in (
        (Uint32, lambda x: x | mask),
        (Uint32, lambda x: x ^ mask),
        (Uint32, lambda x: x + mask),
        (Int32, lambda x: x & mask),
    ):
        with pytest.raises(ValueError, match=OUT.format(kind.__name__, mask)):
            compiled(kind, apply)
