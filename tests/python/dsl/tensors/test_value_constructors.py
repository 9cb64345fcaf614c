"""Values of a whole tensor that are made of numbers: ``full`` and its kin, ``TensorSSA(values, shape, dtype)``."""

import numpy as np
import pytest

import fairlead
from fairlead import Float32, Int32, Uint32, cute

TARGETS = ("cpu", "cuda:sm_90a")


def run(device, array):
    """A kernel of one thread on an array; compiled for a GPU too."""
    kernel = cute.kernel(device)

    @cute.jit
    def host(a: cute.Tensor):
        kernel(a).launch(grid=1, block=1)

    for target in reversed(TARGETS):
        compiled = cute.compile(host, cute.runtime.from_dlpack(array), options=f"--target {target}")
    compiled(array)
    return array


def test_full_and_its_kin():
    def device(a):
        row = a[0, None]
        row.store(cute.full((4,), 2, Float32) + cute.ones_like(row) * 0.5)
        values = cute.full_like(row.load(), 7.0) + cute.zeros_like(row)
        a[1, None].store(values)
        a[2, None].store(cute.ones_like(row.load(), Int32).to(Float32))

    got = run(device, np.zeros((3, 4), np.float32))
    np.testing.assert_array_equal(got, [[2.5] * 4, [7.0] * 4, [1.0] * 4])


def test_tensorssa_of_values():
    def device(a):
        values = a.load()
        assert str(values.shape) == "(2, 4)" and values.dtype is Int32
        flat = cute.TensorSSA(values, 8, Int32)
        wide = cute.TensorSSA(flat * 2, (4, 2), Int32)
        # Mode 0 is the fastest.
        assert isinstance(wide, cute.TensorSSA) and str(wide) == "vector<8xi32> o (4, 2)"
        a.store(cute.TensorSSA((wide[1, 0], wide[0, 1], *[3] * 6), (2, 4), Int32))

    array = np.arange(8, dtype=np.int32).reshape(2, 4)
    column = array.ravel(order="F").copy() * 2
    got = run(device, array)
    assert got[0, 0] == column[1] and got[1, 0] == column[4]
    assert (got.ravel(order="F")[2:] == 3).all()


def test_tensorssa_reads_integers_of_as_many_bits():
    def device(a):
        bits = cute.TensorSSA(a.load(), (4,), Uint32)
        a.store(cute.TensorSSA(bits >> 28, (4,), Int32))

    got = run(device, np.array([-1, 1, -(2**31), 2**30], np.int32))
    np.testing.assert_array_equal(got, [15, 0, 8, 4])


@pytest.mark.parametrize(
    ("make", "kind", "text"),
    [
        (
            lambda a: cute.TensorSSA(a.load(), (2, 3), Float32),
            ValueError,
            "expected (2,3), but got 4",
        ),
        (lambda a: cute.TensorSSA(a.load(), 4, Int32), TypeError, "cannot store Float32"),
        (lambda a: cute.TensorSSA("abcd", 4, Float32), TypeError, "TensorSSA() takes a number"),
        (lambda a: cute.TensorSSA((1, "b"), 2, Float32), TypeError, "an element of TensorSSA()"),
        (lambda a: cute.TensorSSA((1, 2), 2, int), TypeError, "numeric class"),
        (lambda a: cute.TensorSSA((1, 2), (Int32(a[0]),), Float32), (ValueError, TypeError), ""),
    ],
)
def test_what_does_not_fit(make, kind, text):
    with pytest.raises(kind) as caught:
        run(lambda a: a.store(make(a)), np.zeros(4, np.float32))
    assert isinstance(caught.value, fairlead.DSLError) and text in str(caught.value)
