"""What programs of TileLang's CuTe backend use: shared memory of the launch, comparisons and types of IR values."""

import re
from math import nan

import numpy as np
import pytest

import fairlead.compat  # noqa: F401  before the names that it defines

# isort: split
import cutlass
import cutlass._mlir.dialects.arith as arith
import cutlass._mlir.dialects.math as mlir_math
import cutlass.cute as cute
from cutlass._mlir.dialects import nvgpu
from cutlass._mlir.extras import types
from cutlass._mlir.ir import VectorType
from cutlass.base_dsl.typing import FloatMeta, Numeric, as_numeric
from cutlass.cute.nvgpu import cpasync
from cutlass.cute.runtime import from_dlpack
from cutlass.cutlass_dsl import T, dsl_user_op
from cutlass.impl_utils import check_type_in, check_value_in


@cute.kernel
def fill_both(a: cute.Tensor, alignment: cutlass.Constexpr):
    """The memory of the launch is named before the reservation."""
    tidx, _, _ = cute.arch.thread_idx()
    words = cute.arch.get_dyn_smem(cutlass.Int32, alignment=alignment)
    reserved = cute.arch.alloc_smem(cutlass.Int32, 32)
    words[tidx] = tidx
    reserved[tidx] = 100 + tidx
    cute.arch.sync_threads()
    a[tidx] = words[31 - tidx] * 1000 + reserved[31 - tidx]
    if tidx == 0:
        again = cute.arch.get_dyn_smem(cutlass.Int32)
        a[32] = cutlass.Int32(again.toint() - words.toint())
        a[33] = cutlass.Int32(words.toint() & (alignment - 1))


@cute.jit
def launch(a: cute.Tensor, smem: cutlass.Int32, alignment: cutlass.Constexpr):
    fill_both(a, alignment).launch(grid=1, block=32, smem=smem)


@cute.jit
def launch_known(a: cute.Tensor, smem: cutlass.Constexpr, alignment: cutlass.Constexpr):
    fill_both(a, alignment).launch(grid=1, block=32, smem=smem)


@pytest.mark.parametrize("launch", [launch, launch_known])
@pytest.mark.parametrize("alignment", [4, 1024])
def test_memory_of_the_launch_lies_beyond_later_reservations(launch, alignment):
    a = np.zeros(34, np.int32)
    launch(from_dlpack(a), 128, alignment)
    expected = [(31 - i) * 1000 + 131 - i for i in range(32)]
    assert a.tolist() == [*expected, 0, 0]


def test_addresses_of_both_memories_on_a_gpu():
    a = from_dlpack(np.zeros(34, np.int32))
    ptx = cute.compile(launch_known, a, 128, 1024, options="--gpu-arch=sm_90a").__ptx__
    shared = re.findall(r"st\.shared\.b32\s+\[%r\w+(\+\d+)?\]", ptx)
    assert sorted(shared) == ["", "+1024"], ptx


@dsl_user_op
def same_bits(value, target, *, loc=None, ip=None):
    return value.bitcast(target, loc=loc, ip=ip)


@cute.kernel
def compare(x: cute.Tensor, n: cute.Tensor, out: cute.Tensor):
    a, b, i, j = x[0], x[1], n[0].ir_value(), n[1].ir_value()
    for place, predicate in enumerate(cutlass.const_expr(arith.CmpFPredicate)):
        out[0, place] = cutlass.Int32(arith.cmpf(predicate, a.ir_value(), b.ir_value()))
    for place, predicate in enumerate(cutlass.const_expr(arith.CmpIPredicate)):
        out[1, place] = cutlass.Int32(arith.cmpi(predicate, i, j))
    out[1, 10] = cutlass.Int32(mlir_math.ctpop(i))
    out[1, 11] = same_bits(a, cutlass.Int32)


@cute.jit
def compared(x: cute.Tensor, n: cute.Tensor, out: cute.Tensor):
    compare(x, n, out).launch(grid=1, block=1)


@pytest.mark.parametrize("pair", [(1.0, 2.0), (2.0, 1.0), (2.0, 2.0), (nan, 1.0), (1.0, nan)])
@pytest.mark.parametrize("integers", [(3, 7), (7, 3), (5, 5), (-1, 1), (1, -1)])
def test_comparisons(pair, integers):
    x, n = np.array(pair, np.float32), np.array(integers, np.int32)
    out = np.zeros((2, 16), np.int32)
    compared(*map(from_dlpack, (x, n, out)))
    a, b = pair
    unordered = a != a or b != b
    ordered = [a == b, a > b, a >= b, a < b, a <= b, a < b or a > b, not unordered]
    either = [unordered or value for value in ordered[:6]]
    assert out[0].tolist() == [0, *ordered, *either, unordered, 1]
    i, j = integers
    u, v = (number % 2**32 for number in integers)
    orders = [i == j, i != j, i < j, i <= j, i > j, i >= j, u < v, u <= v, u > v, u >= v]
    assert out[1, :10].tolist() == orders
    assert out[1, 10] == bin(u).count("1")
    assert out[1, 11] == x.view(np.int32)[0]


@cute.jit
def widened(a: cute.Tensor, b: cute.Tensor):
    halves = a.load().ir_value()
    of_four = VectorType.get([4], cutlass.Float32.mlir_type)
    b.store(cute.TensorSSA(nvgpu.cvt_fpext(of_four, halves), (4,), cutlass.Float32))


def test_a_vector_of_wider_floats():
    a, b = np.array([1, 2.5, -3, 65504], np.float16), np.zeros(4, np.float32)
    widened(from_dlpack(a), from_dlpack(b))
    assert b.tolist() == a.tolist()
    with pytest.raises(TypeError, match="a number as src for a result of Float32, but got"):
        nvgpu.cvt_fpext(cutlass.Float32, [1.0])


def test_numbers_of_python():
    classes = {True: cutlass.Boolean, 1.5: cutlass.Float32, 7: cutlass.Int32, 2**40: cutlass.Int64}
    for number, cls in classes.items():
        assert type(as_numeric(number)) is cls
    assert cutlass.as_numeric is as_numeric and cute.typing.as_numeric is as_numeric
    with pytest.raises(ValueError, match="unable to convert x in type <class 'str'> to Numeric"):
        as_numeric("x")
    number = cutlass.Int64(3)
    assert as_numeric(number) is number
    assert Numeric.from_mlir_type(cutlass.Float16.mlir_type) is cutlass.Float16


def test_checks_of_arguments():
    check_value_in("sm_90", ["sm_90"], "arch")
    check_type_in("sm_90", [str], "arch")
    with pytest.raises(ValueError, match="invalid arch, got sm_80, must be one of"):
        check_value_in("sm_80", ["sm_90"], "arch")
    with pytest.raises(TypeError, match="invalid type for arch, got <class 'int'>"):
        check_type_in(1, [str], "arch")


def test_names():
    assert cute.ReductionKind is cpasync.ReductionKind
    assert T.f4E2M1FN() is cutlass.Float4E2M1FN and T.f8E8M0FNU() is cutlass.Float8E8M0FNU
    assert not isinstance(cutlass.Float32, (types.MemRefType, types.RankedTensorType))
    assert not isinstance(cutlass.Int32(1), arith.ArithValue)


def test_a_class_wider_than_its_storage():
    class Unpacked(cutlass.Float8E4M3FN, metaclass=FloatMeta, width=8, mlir_type=T.f4E2M1FN):
        """A float of 4 bits in a byte."""

    assert Unpacked.width == 8
    with pytest.raises(TypeError, match="tensors of Float4E2M1FN in 8 bits each"):
        cute.runtime.make_fake_tensor(Unpacked, (4,), stride=(1,))
