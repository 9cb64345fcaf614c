"""Annotations that say the extents of tensors: `cute.Tensor["n", "m"]`."""

from typing import Annotated

import numpy as np
import pytest

from fairlead import cute


@cute.jit
def multiply(a: cute.Tensor["m", "k"], b: cute.Tensor["k", "n"], c: cute.Tensor["m", "n"]):  # noqa: F821
    for i in range(c.shape[0]):
        for j in range(c.shape[1]):
            total = cute.Float32(0)
            for k in range(a.shape[1]):
                total += a[i, k] * b[k, j]
            c[i, j] = total


def arrays(m, k, n):
    values = np.random.default_rng(0).random
    return values((m, k), np.float32), values((k, n), np.float32), np.zeros((m, n), np.float32)


def test_direct_calls_check_what_is_tied():
    for sizes in ((3, 4, 5), (7, 2, 9)):
        a, b, c = arrays(*sizes)
        multiply(a, b, c)
        np.testing.assert_allclose(c, a @ b, rtol=1e-5)
    assert len(multiply.compiled) <= 1
    a, _, c = arrays(3, 4, 5)
    _, b, _ = arrays(3, 6, 5)
    before = c.copy()
    with pytest.raises(
        ValueError, match=r"b\.shape\[0\].*expected to match a\.shape\[1\] = 4, but got 6"
    ):
        multiply(a, b, c)
    np.testing.assert_array_equal(c, before)


def test_the_annotation_is_the_signature():
    @cute.jit
    def scale(x: cute.Tensor[cute.Float16, "n", 4], y: cute.Tensor[cute.Float16, "n", None]):  # noqa: F821
        y[0, 0] = x[0, 0]

    text = str(cute.compile(scale, options="--target cpu").signature)
    assert text.startswith("scale(x: Tensor([n, 4], float16"), text
    assert "y: Tensor([n, " in text


def test_fake_tensors_are_tied_as_well():
    matrix = cute.runtime.make_fake_compact_tensor(
        cute.Float32, (cute.sym_int(), cute.sym_int()), stride_order=(1, 0)
    )
    others = [
        cute.runtime.make_fake_compact_tensor(
            cute.Float32, (cute.sym_int(), cute.sym_int()), stride_order=(1, 0)
        )
        for _ in range(2)
    ]
    compiled = cute.compile(multiply, matrix, *others, options="--target cpu")
    text = str(compiled.signature)
    assert "[m, k]" in text and "[k, n]" in text and "[m, n]" in text
    a, b, c = arrays(3, 4, 5)
    compiled(a, b, c)
    np.testing.assert_allclose(c, a @ b, rtol=1e-5)
    with pytest.raises(ValueError, match="expected to match a"):
        compiled(a, b, np.zeros((4, 5), np.float32))


@pytest.mark.parametrize(
    ("shape", "dtype", "text"),
    [
        ((4,), np.float32, r"to be Tensor\[Float32, 'n', 4\], but got a tensor of 1 modes"),
        ((4, 4), np.float64, "but got a tensor of Float64"),
        ((4, 5), np.float32, r"x\.shape\[1\].*expected 4, but got 5"),
    ],
)
def test_what_does_not_fit(shape, dtype, text):
    @cute.jit
    def function(x: cute.Tensor[cute.Float32, "n", 4]):  # noqa: F821
        x[0, 0] = 1.0

    with pytest.raises((TypeError, ValueError), match=text):
        function(np.zeros(shape, dtype))


def test_numbers_that_differ_are_found_while_binding():
    @cute.jit
    def function(x: cute.Tensor["n"], y: cute.Tensor["n"]):  # noqa: F821
        x[0] = y[0]

    first, second = (
        cute.runtime.make_fake_compact_tensor(cute.Float32, (extent,)) for extent in (4, 5)
    )
    with pytest.raises(TypeError, match="`n` is 5, after one of 4"):
        cute.compile(function, first, second)
    symbol = cute.runtime.make_fake_compact_tensor(cute.Float32, (cute.sym_int(),))
    with pytest.raises(TypeError, match="`n` is a run-time number, after one of 4"):
        cute.compile(function, first, symbol)


def test_annotations_are_checked():
    for bad in (1.5, "no name", -1, [3]):
        with pytest.raises(TypeError, match="expected an element type, and for each mode"):
            cute.Tensor[bad]
    assert repr(cute.Tensor[cute.Float32, "n", None]) == "Tensor[Float32, 'n', None]"


def test_kernels_take_them_too():
    @cute.kernel
    def device(x: cute.Tensor["n"]):  # noqa: F821
        x[cute.arch.thread_idx()[0]] = 2.0

    @cute.jit
    def launch(x: cute.Tensor["n"] | None):  # noqa: F821
        device(x).launch(grid=1, block=4)

    x = np.zeros(4, np.float32)
    launch(x)
    assert x.tolist() == [2] * 4


Rows = Annotated[cute.Tensor, "n", 4]


def test_annotated_says_the_same():
    """The form that type checkers and linters accept."""

    @cute.kernel
    def device(x: Rows, y: Annotated[cute.Tensor, cute.Float32, "n", None]):
        t = cute.arch.thread_idx()[0]
        y[t, 0] = x[t, 0]

    @cute.jit
    def copy(
        x: Rows,
        y: Annotated[cute.Tensor, cute.Float32, "n", None],
        scale: Annotated[cute.Int32, "unused"] = 1,
        z: Annotated[cute.Tensor, "n"] | None = None,
    ):
        device(x, y).launch(grid=1, block=x.shape[0])
        if z is not None:
            z[0] = y[0, 0]

    x, y, z = np.ones((3, 4), np.float32), np.zeros((3, 2), np.float32), np.zeros(3, np.float32)
    copy(x, y)
    copy(x, y, 1, z)
    assert y[:, 0].tolist() == [1] * 3 and z[0] == 1
    with pytest.raises(ValueError, match=r"x\.shape\[1\].*expected 4, but got 5"):
        copy(np.ones((3, 5), np.float32), y)
    with pytest.raises(ValueError, match=r"y\.shape\[0\].*expected to match x\.shape\[0\] = 3"):
        copy(x, np.zeros((2, 2), np.float32))
    with pytest.raises(ValueError, match=r"z\.shape\[0\].*expected to match x\.shape\[0\] = 3"):
        copy(x, y, 1, np.zeros(2, np.float32))
    with pytest.raises(TypeError, match="expects argument #1 .*Float32"):
        copy(x, y.astype(np.float64))
