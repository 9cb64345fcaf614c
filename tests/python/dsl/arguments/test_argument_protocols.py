"""Objects of user classes as arguments: by their own protocol, by adapters; in calls, kernels and run-time regions."""

import ctypes
import dataclasses
import pickle

import numpy as np
import pytest
from support.dsl_support import vector

import fairlead
from fairlead import Float32, Int32, Int64, cute
from fairlead.cute._protocols import PointerType

CPU = "--target cpu"


class Affine:
    """``scale * x + shift``: two C values."""

    def __init__(self, scale, shift):
        self.scale, self.shift = scale, shift
        if isinstance(scale, (int, float)):
            self.cells = ctypes.c_float(scale), ctypes.c_int32(shift)

    def __c_pointers__(self):
        return [ctypes.addressof(self.cells[0]), ctypes.pointer(self.cells[1])]

    def __get_mlir_types__(self):
        return [Float32.mlir_type, Int32.mlir_type]

    def __extract_mlir_values__(self):
        return [self.scale, self.shift]

    def __new_from_mlir_values__(self, values):
        return Affine(*values)

    def __call__(self, x):
        return self.scale * x + self.shift


@cute.kernel
def device_apply(affine, out: cute.Tensor):
    thread, _, _ = cute.arch.thread_idx()
    if thread < out.shape[0]:
        out[thread] = affine(out[thread])


@cute.jit
def apply(affine: Affine, out: cute.Tensor):
    device_apply(affine, out).launch(grid=1, block=32)


def array(*values, dtype=np.float32):
    return np.array(values, dtype)


def test_an_object_with_the_protocol():
    function = cute.compile(apply, Affine(1.0, 1), vector(Float32), options=CPU)
    assert str(function.signature) == (
        "apply(affine[0]: float32, affine[1]: int32, inout out: Tensor([n0], float32))"
    )
    out = array(1, 2)
    function(Affine(2.0, 10), out)
    assert out.tolist() == [12, 14]
    function(out=out, affine=Affine(0.5, -1))
    assert out.tolist() == [5, 6]
    again = pickle.loads(pickle.dumps(function))
    again(Affine(2.0, 0), out)
    assert out.tolist() == [10, 12]
    with pytest.raises(
        TypeError,
        match="Mismatched type of affine on argument #0 .*expected an object that follows the protocol of arguments, "
        "but got int",
    ):
        function(3, out)


def test_direct_calls_with_protocol_objects():
    out, affine = array(1, 2), Affine(2.0, 1)
    apply(affine, out)
    assert out.tolist() == [3, 5]
    apply(affine, out)
    assert out.tolist() == [7, 11]


def test_inside_structures():
    @cute.jit
    def both(parts: tuple, out: cute.Tensor):
        out[0] = parts[0](parts[1](out[0]))

    function = cute.compile(both, (Affine(1.0, 1), Affine(1.0, 1)), vector(Float32), options=CPU)
    out = array(1)
    function((Affine(2.0, 0), Affine(3.0, 4)), out)
    assert out[0] == 14


def test_carried_through_regions():
    @cute.jit
    def looped(affine: Affine, n: Int32, out: cute.Tensor):
        for _ in range(n):
            affine = Affine(affine.scale * 2.0, affine.shift + 1)
        out[0] = affine(1.0)

    function = cute.compile(looped, Affine(1.0, 1), Int32, vector(Float32), options=CPU)
    out = array(0)
    function(Affine(1.0, 0), 3, out)
    assert out[0] == 11


class Matrix:
    """A foreign class: rows, columns and memory, without any protocol."""

    def __init__(self, array):
        self.array = array


@fairlead.register_jit_arg_adapter(Matrix)
class MatrixAdapter:
    def __init__(self, matrix):
        self.matrix = matrix
        rows, columns = matrix.array.shape
        self.cells = (
            ctypes.c_void_p(matrix.array.ctypes.data),
            ctypes.c_int64(rows),
            ctypes.c_int64(columns),
        )

    def __c_pointers__(self):
        return [ctypes.addressof(cell) for cell in self.cells]

    def __get_mlir_types__(self):
        return [PointerType.get(), Int64.mlir_type, Int64.mlir_type]

    def __new_from_mlir_values__(self, values):
        address, rows, columns = values
        pointer = cute.make_ptr(Float32, address, cute.AddressSpace.generic)
        return cute.make_tensor(pointer, cute.make_layout((rows, columns), stride=(columns, 1)))


class SquareMatrix(Matrix):
    """The adapter is that of the nearest base."""


@pytest.mark.parametrize("cls", [Matrix, SquareMatrix])
def test_an_adapter(cls):
    @cute.jit
    def corner(matrix, out: cute.Tensor):
        out[0] = matrix[matrix.shape[0] - 1, matrix.shape[1] - 1]

    example = cls(np.zeros((2, 2), np.float32))
    function = cute.compile(corner, example, vector(Float32), options=CPU)
    out = array(0)
    for shape in ((3, 4), (1, 7)):
        matrix = np.arange(np.prod(shape), dtype=np.float32).reshape(shape)
        function(cls(matrix), out)
        assert out[0] == matrix[-1, -1]
    corner(example, out)
    assert out[0] == 0


@pytest.mark.parametrize(
    ("method", "value", "problem"),
    [
        ("__get_mlir_types__", ["i32"], "neither the mlir_type of a numeric class"),
        ("__get_mlir_types__", [fairlead.Float16, Int32], "C has no type for its Float16"),
    ],
)
def test_types_that_are_none(method, value, problem):
    class Broken(Affine):
        pass

    setattr(Broken, method, lambda self: value)
    with pytest.raises(TypeError, match=f"`Broken` cannot be an argument: .*{problem}"):
        cute.compile(apply, Broken(1.0, 1), vector(Float32), options=CPU)


@pytest.mark.parametrize(
    ("pointers", "problem"),
    [
        ([1], "1 addresses for 2 types"),
        ([0, 0], "gave no address"),
        (["x", "y"], "gave no address"),
    ],
)
def test_addresses_that_are_none(pointers, problem):
    function = cute.compile(apply, Affine(1.0, 1), vector(Float32), options=CPU)

    class Broken(Affine):
        def __c_pointers__(self):
            return pointers

    with pytest.raises(TypeError, match=problem):
        function(Broken(1.0, 1), array(0))


def test_register_takes_classes():
    with pytest.raises(TypeError, match="register_jit_arg_adapter takes classes"):
        fairlead.register_jit_arg_adapter("Matrix")


@dataclasses.dataclass(frozen=True)
class Pair:
    x: Float32
    y: cute.Tensor


def look_at(values):
    """Not traced: Python's own code."""
    with pytest.raises(TypeError, match="consists of 2 values, but new_from_mlir_values got 1"):
        fairlead.new_from_mlir_values(values, [values[0]])


def test_values_in_and_out():
    seen = []

    @cute.jit
    def look(affine: Affine, pair: Pair, out: cute.Tensor):
        values = fairlead.extract_mlir_values((affine, pair, 3))
        seen.append([type(value).__name__ for value in values])
        made = fairlead.new_from_mlir_values((affine, pair, 3), values)
        out[0] = made[0](made[1].x) + made[1].y[0] + made[2]
        nested = fairlead.extract_mlir_values((affine, (pair, 3)), structured=True)
        assert len(nested[0]) == 2
        assert nested[1][0]["x"] is pair.x and nested[1][0]["y"] is pair.y and nested[1][1] == []
        again = fairlead.new_from_mlir_values((affine, (pair, 3)), nested, structured=True)
        assert again[1][0].x is pair.x and again[1][1] == 3
        look_at((affine.scale, affine.shift))

    function = cute.compile(
        look, Affine(1.0, 1), Pair(1.0, vector(Float32)), vector(Float32), options=CPU
    )
    assert seen == [["Float32", "Int32", "Float32", "Tensor"]]
    out = array(0)
    function(Affine(2.0, 1), (5.0, array(100)), out)
    assert out[0] == 114


def test_user_operations():
    @fairlead.dsl_user_op
    def add(a, b, *, loc, ip):
        assert loc is None and ip is None
        return a + b

    @cute.dsl_user_op
    def multiply(a, b):
        """Multiplies."""
        return a * b

    assert multiply.__doc__ == "Multiplies." and multiply.__name__ == "multiply"

    @cute.jit
    def both(a: cute.Tensor, out: cute.Tensor):
        if a[0] > 1.0:
            out[0] = add(multiply(a[0], 2.0, loc=None), 1.0, ip=None)

    out = array(0)
    cute.compile(both, vector(Float32), vector(Float32), options=CPU)(array(4), out)
    assert out[0] == 9
