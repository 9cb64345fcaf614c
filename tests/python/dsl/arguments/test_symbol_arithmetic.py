"""Extents of stand-ins that follow from symbols, which calls check."""

import numpy as np
import pytest

from fairlead import Int32, cute

fake = cute.runtime.make_fake_compact_tensor


@cute.jit
def extents(a: cute.Tensor, b: cute.Tensor, out: cute.Tensor):
    out[0] = a.shape[0]
    out[1] = b.shape[0]
    out[2] = b.shape[1]


def columns(rows, count):
    return np.zeros((count, rows), np.int32).T


def compiled(n, *extents_of_b):
    return cute.compile(
        extents, fake(Int32, (n,)), fake(Int32, extents_of_b), fake(Int32, (3,)),
        options="--target cpu",
    )  # fmt: skip


def test_products():
    """Products of symbols that other arguments have, and of a symbol that no argument has."""
    n, m = cute.sym_int(symbol="n"), cute.sym_int(symbol="m")
    function = compiled(n, n * 4, 2 * m * 3)
    assert function.artifact.signature.symbols[1:] == [("n1", 32, 4), ("n2", 32, 6)]
    out = np.zeros(3, np.int32)
    function(np.zeros(5, np.int32), columns(20, 12), out)
    assert out.tolist() == [5, 20, 12]
    with pytest.raises(AssertionError, match=r"expected 4 \* n as shape\[0\] of `b`"):
        function(np.zeros(5, np.int32), columns(16, 12), out)
    with pytest.raises(ValueError, match=r"b.shape\[1\].*expected .*6"):
        function(np.zeros(5, np.int32), columns(20, 11), out)


def test_factors_of_no_argument():
    m = cute.sym_int(symbol="m")
    function = compiled(cute.sym_int(), m * 4, m * 2)
    out = np.zeros(3, np.int32)
    function(np.zeros(5, np.int32), columns(20, 10), out)
    with pytest.raises(AssertionError, match=r"expected 2 \* m as shape\[1\] of `b`"):
        function(np.zeros(5, np.int32), columns(20, 12), out)


@pytest.mark.parametrize(
    ("derive", "value", "text"),
    [
        (lambda n: n // 8, 2, "n // 8"),
        (lambda n: n % 8, 4, "n % 8"),
        (lambda n: n + 1, 21, "n + 1"),
        (lambda n: n - 3, 17, "n - 3"),
        (lambda n: (n + 7) // 8, 3, "(n + 7) // 8"),
        (lambda n: n // 8 * 16, 32, "16 * (n // 8)"),
        (lambda n: n % 8 + n, 24, "(n % 8) + n"),
    ],
)
def test_others_are_checked_at_the_call(derive, value, text):
    n = cute.sym_int(symbol="n")
    function = compiled(n, derive(n), derive(n))
    out = np.zeros(3, np.int32)
    function(np.zeros(20, np.int32), columns(value, value), out)
    assert out.tolist() == [20, value, value]
    for wrong, place in ((columns(value + 16, value), 0), (columns(value, value + 16), 1)):
        with pytest.raises((AssertionError, ValueError)) as error:
            function(np.zeros(20, np.int32), wrong, out)
        known = f"expected {text} as shape[{place}] of `b`"
        assert known in str(error.value) or "Mismatched b.shape" in str(error.value)


def test_known_multiples_are_numbers():
    n = cute.sym_int(divisibility=64)
    assert n % 8 == 0 and n * 2 % 128 == 0
    assert (n * 8 // 8).symbols == (n,) and n // 8 is n // 8
    assert (n // 8).divisibility == 8 and (n + 32).divisibility == 32


def test_symbols_of_no_argument_are_not_checked():
    function = compiled(cute.sym_int(), cute.sym_int() + 1, 4)
    out = np.zeros(3, np.int32)
    function(np.zeros(20, np.int32), columns(9, 4), out)
    assert out.tolist() == [20, 9, 4]


def test_numbers_of_other_classes():
    with pytest.raises(TypeError):
        cute.sym_int() * 1.5
    with pytest.raises(TypeError):
        cute.sym_int() // 0


def test_strides_follow_too():
    n = cute.sym_int(symbol="n")

    @cute.jit
    def last(a: cute.Tensor, out: cute.Tensor):
        out[0] = a[1, 0]

    padded = cute.runtime.make_fake_tensor(Int32, (2, n), (n + 4, 1))
    function = cute.compile(last, padded, fake(Int32, (1,)), options="--target cpu")
    out = np.zeros(1, np.int32)
    memory = np.arange(24, dtype=np.int32).reshape(2, 12)
    function(memory[:, :8], out)
    assert out[0] == 12
    with pytest.raises(AssertionError, match=r"expected n \+ 4 as stride\[0\] of `a`"):
        function(memory[:, :7], out)
