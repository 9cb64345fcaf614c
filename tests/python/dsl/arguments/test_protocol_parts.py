"""Objects of user classes that hold tensors, pointers, structs of C and other such objects."""

import ctypes

import numpy as np
import pytest
from support import dsl_support as support

import fairlead
from fairlead import Boolean, Float32, Int32, Int64, cute
from fairlead.cute.runtime import from_dlpack, make_ptr

CPU = "--target cpu"


ir, llvm = support.published("_mlir.ir", "_mlir.dialects.llvm")


class Pair:
    """A tensor or pointer, and a number: its methods are made of theirs."""

    def __init__(self, data, index):
        self.data, self.index = data, index

    def __c_pointers__(self):
        return self.data.__c_pointers__() + self.index.__c_pointers__()

    def __get_mlir_types__(self):
        return self.data.__get_mlir_types__() + self.index.__get_mlir_types__()

    def __extract_mlir_values__(self):
        return self.data.__extract_mlir_values__() + self.index.__extract_mlir_values__()

    def __new_from_mlir_values__(self, values):
        return Pair(values[0], values[1])


class Two:
    """Objects in an object."""

    def __init__(self, first, second):
        self.first, self.second = first, second

    def __c_pointers__(self):
        return self.first.__c_pointers__() + self.second.__c_pointers__()

    def __get_mlir_types__(self):
        return self.first.__get_mlir_types__() + self.second.__get_mlir_types__()

    def __extract_mlir_values__(self):
        return self.first.__extract_mlir_values__() + self.second.__extract_mlir_values__()

    def __new_from_mlir_values__(self, values):
        return Two(
            self.first.__new_from_mlir_values__(values[:2]),
            self.second.__new_from_mlir_values__(values[2:]),
        )


def tensor(n, dtype=np.float32):
    return from_dlpack(np.arange(n, dtype=dtype)).mark_layout_dynamic()


@cute.kernel
def device_read(pair, out: cute.Tensor):
    out[0] = pair.data[pair.index]


@cute.jit
def read(pair, out: cute.Tensor):
    device_read(pair, out).launch(grid=1, block=1)


def test_a_tensor_and_a_number():
    function = cute.compile(read, Pair(tensor(4), Int32(1)), support.vector(Float32), options=CPU)
    assert str(function.signature) == (
        "read(pair[0]: Tensor([n0], float32), pair[1]: int32, out out: Tensor([n1], int32))".replace(
            "int32))", "float32))"
        )
    )
    out = np.zeros(1, np.float32)
    for n in (3, 9):
        function(Pair(tensor(n), Int32(n - 1)), out)
        assert out[0] == n - 1
    read(Pair(tensor(6), Int32(2)), out)
    assert out[0] == 2


def test_the_tensor_is_checked():
    function = cute.compile(read, Pair(tensor(4), Int32(1)), support.vector(Float32), options=CPU)
    out = np.zeros(1, np.float32)
    with pytest.raises(TypeError, match="Mismatched dtype .* expected float32, but got float64"):
        function(Pair(tensor(4, np.float64), Int32(1)), out)

    class Wrong(Pair):
        def __c_pointers__(self):
            return [1, *self.index.__c_pointers__()]

    with pytest.raises(
        TypeError, match="gave 1 for a tensor, expected what the tensor's own gives"
    ):
        function(Wrong(tensor(4), Int32(1)), out)


def test_stand_ins():
    """Tensors without data and types of numbers, before an object exists."""

    class Spec(Pair):
        def __get_mlir_types__(self):
            return [*self.data.__get_mlir_types__(), self.index.mlir_type]

    function = cute.compile(
        read, Spec(support.vector(Float32), Int32), support.vector(Float32), options=CPU
    )
    out = np.zeros(1, np.float32)
    function(Pair(tensor(5), Int32(4)), out)
    assert out[0] == 4


@pytest.mark.parametrize("steps", [0, 3])
def test_objects_in_objects(steps):
    @cute.jit
    def walk(two, n: Int32, out: cute.Tensor):
        for _ in range(n):
            two = Two(Pair(two.first.data, two.first.index + 1), two.second)
        if n > 2:
            two = Two(two.first, Pair(two.second.data + 1, two.second.index))
        out[0] = two.first.data[two.first.index]
        out[1] = cute.make_tensor(two.second.data, cute.make_layout(4))[two.second.index]

    data = np.arange(10, 20, dtype=np.float32)

    def two(index):
        pointer = make_ptr(Float32, data.ctypes.data)
        return Two(
            Pair(from_dlpack(data).mark_layout_dynamic(), Int32(index)), Pair(pointer, Int32(2))
        )

    function = cute.compile(walk, two(0), Int32, support.vector(Float32), options=CPU)
    assert "two[0]: Tensor([n0], float32), two[1]: int32, two[2]: Pointer(float32)" in str(
        function.signature
    )
    out = np.zeros(2, np.float32)
    function(two(1), steps, out)
    assert out.tolist() == [11 + steps, 12 + (steps > 2)]


class CMatrix(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p),
        ("transposed", ctypes.c_bool),
        ("shape", ctypes.c_int32 * 2),
        ("stride", ctypes.c_int64 * 2),
    ]


I32, I64 = ir.IntegerType.get_signless(32), ir.IntegerType.get_signless(64)
SHAPE, STRIDE = llvm.StructType.get_literal([I32, I32]), llvm.StructType.get_literal([I64, I64])
MATRIX = llvm.StructType.get_literal([llvm.PointerType.get(), Boolean.mlir_type, SHAPE, STRIDE])


class MatrixValue(ir.Value):
    """The struct as the traced function sees it."""

    def __init__(self, value):
        assert isinstance(value, ir.Value)
        super().__init__(value)

    def _pair(self, kind, struct, place):
        part = llvm.extractvalue(struct, self, [place])
        return tuple(kind(llvm.extractvalue(kind.mlir_type, part, [mode])) for mode in range(2))

    @property
    def tensor(self):
        address = llvm.extractvalue(llvm.PointerType.get(), self, [0])
        layout = cute.make_layout(self._pair(Int32, SHAPE, 2), stride=self._pair(Int64, STRIDE, 3))
        return cute.make_tensor(make_ptr(Float32, address), layout)

    @property
    def transposed(self):
        return llvm.extractvalue(Boolean.mlir_type, self, [1])

    @property
    def rows(self):
        return Int32(llvm.extractvalue(I32, self, [2, 0]))


class Matrix:
    """One argument: a struct of C."""

    def __init__(self, array, transposed=False):
        self.array = array
        strides = (each // array.itemsize for each in array.strides)
        self.struct = CMatrix(
            array.ctypes.data,
            transposed,
            (ctypes.c_int32 * 2)(*array.shape),
            (ctypes.c_int64 * 2)(*strides),
        )

    def __c_pointers__(self):
        return [ctypes.pointer(self.struct)]

    def __get_mlir_types__(self):
        return [MATRIX]

    def __new_from_mlir_values__(self, values):
        (value,) = values
        return MatrixValue(value)


@cute.kernel
def device_corner(matrix, out: cute.Tensor):
    out[0] = matrix.tensor[matrix.rows - 1, 1]


@cute.jit
def corner(matrix, out: cute.Tensor):
    if matrix.transposed:
        out[0] = matrix.tensor[1, 0]
    else:
        device_corner(matrix, out).launch(grid=1, block=1)


def test_structs_of_c():
    """Laid out as a C compiler lays them out; in branches and kernels one value."""
    array = np.arange(12, dtype=np.float32).reshape(3, 4)
    function = cute.compile(corner, Matrix(array), support.vector(Float32), options=CPU)
    out = np.zeros(1, np.float32)
    for given, expected in (
        (Matrix(array), array[2, 1]),
        (Matrix(array[:2]), array[1, 1]),
        (Matrix(array[:, ::2]), array[2, 2]),
        (Matrix(array, transposed=True), array[1, 0]),
    ):
        function(given, out)
        assert out[0] == expected
        out[0] = -1
        corner(given, out)
        assert out[0] == expected


def test_structs_are_carried():
    @cute.jit
    def function(matrix, n: Int32, out: cute.Tensor):
        for _ in range(n):
            matrix = matrix.__new_from_mlir_values__(
                [each if not isinstance(each, Int32) else each + 1 for each in matrix.leaves()]
            )
        out[0] = matrix.rows

    compiled = cute.compile(
        function, Matrix(np.zeros((2, 2), np.float32)), Int32, support.vector(Int32), options=CPU
    )
    out = np.zeros(1, np.int32)
    compiled(Matrix(np.zeros((2, 2), np.float32)), 3, out)
    assert out[0] == 5


def test_positions_that_are_none():
    @cute.jit
    def function(matrix, out: cute.Tensor):
        out[0] = llvm.extractvalue(I32, matrix, [2, 2])

    with pytest.raises(TypeError, match=r"extractvalue of position \[2, 2\] finds nothing there"):
        cute.compile(
            function, Matrix(np.zeros((2, 2), np.float32)), support.vector(Int32), options=CPU
        )


def test_a_struct_does_not_hold_a_tensor():
    class Wrong(Pair):
        def __get_mlir_types__(self):
            return [llvm.StructType.get_literal([self.data, I32])]

    with pytest.raises(TypeError, match="a struct of C does not hold its tensor"):
        cute.compile(read, Wrong(tensor(4), Int32(1)), support.vector(Float32), options=CPU)


def test_numbers_say_what_they_are():
    for value in (Int32(-7), Int64(2**40), Float32(1.5), Boolean(True)):
        (pointer,) = value.__c_pointers__()
        assert value.__get_mlir_types__() == [type(value)]
        assert pointer.contents.value == (float(value) if value.is_float else int(value))
    assert fairlead.extract_mlir_values(3) == []


def test_the_value_in_the_ir():
    @cute.jit
    def function(n: Int32, out: cute.Tensor):
        out[0] = Int32(n.ir_value()) + 1

    out = np.zeros(1, np.int32)
    cute.compile(function, Int32, support.vector(Int32), options=CPU)(4, out)
    assert out[0] == 5
