"""Arguments as frameworks give them: NumPy's numbers, tensors without dimensions, lists, arrays of other machines."""

import numpy as np
import pytest

import fairlead
from fairlead import cute


@cute.jit
def add(a: cute.Tensor, n, b: cute.Tensor):
    b[0] = a[0] + n


@cute.jit
def scale(a: cute.Tensor, n: fairlead.Float32, b: cute.Tensor):
    b[0] = a[0] * n


NUMBERS = [
    (np.float32(2.5), "float32"),
    (np.float64(2.5), "float32"),
    (np.float16(2.5), "float16"),
    (np.int8(-3), "int8"),
    (np.int64(3), "int64"),
    (np.uint32(3), "uint32"),
    (np.bool_(True), "bool"),
]


def arrays():
    return np.full(1, 4, np.float32), np.zeros(1, np.float32)


@pytest.mark.parametrize(
    ("number", "name"), NUMBERS, ids=[type(each).__name__ for each, _ in NUMBERS]
)
def test_numbers_of_numpy(number, name):
    """They have their own types where a parameter does not say one."""
    a, b = arrays()
    add(a, number, b)
    assert b[0] == 4 + float(number)
    compiled = cute.compile(add, a, number, b)
    assert f"n: {name}," in str(compiled.signature)
    compiled(a, number, b)
    assert b[0] == 4 + float(number)
    scale(a, number, b)
    assert b[0] == np.float32(4) * np.float32(number)


def test_a_tensor_without_dimensions_is_no_number():
    a, b = arrays()
    with pytest.raises(
        TypeError, match=r"argument #1 \(n\) to be Float32, but got a tensor without .*\.item\(\)"
    ):
        scale(a, np.array(2.0), b)


@pytest.mark.parametrize("value", [[1.0], (1.0, 2.0)])
def test_lists_are_no_tensors(value):
    with pytest.raises(TypeError, match=r"argument #0 \(a\) to be Tensor, but got (list|tuple)"):
        scale(value, 1.0, arrays()[1])


def test_arrays_of_other_machines():
    a, b = arrays()
    swapped = a.astype(a.dtype.newbyteorder())
    with pytest.raises(
        TypeError, match="elements of type .f4, in the byte order of other machines"
    ):
        scale(swapped, 1.0, b)
    compiled = cute.compile(scale, a, 1.0, b)
    with pytest.raises(BufferError, match=r"byte order of other machines; pass array\.astype"):
        compiled(swapped, 1.0, b)
    compiled(swapped.astype(swapped.dtype.newbyteorder("=")), 1.0, b)
    assert b[0] == 4
