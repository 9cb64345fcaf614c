"""Pointers of published programs forget that integers are unsigned: tensors that are made of them have signed elements.
CuTe DSL 4.8.1 gives the same types and numbers."""

import numpy as np
import pytest

import fairlead.compat  # noqa: F401  before the names that it defines

# isort: split
import cutlass
import cutlass.cute as cute
from cutlass import Int8, Int16, Int32, Int64, Uint8, Uint16, Uint32, Uint64
from support.published_kernels import run

_SIGNED = {Uint8: Int8, Uint16: Int16, Uint32: Int32, Uint64: Int64}
_NUMPY = {Uint8: np.uint8, Uint16: np.uint16, Uint32: np.uint32, Uint64: np.uint64}
_LAYOUT = cute.make_layout(32)


def _of_iterator(a, dtype):
    return cute.make_tensor(a.iterator, _LAYOUT)


def _recast(a, dtype):
    bytes_of_it = cute.recast_ptr(a.iterator, dtype=cutlass.Float32)
    return cute.make_tensor(cute.recast_ptr(bytes_of_it, dtype=dtype), _LAYOUT)


def _of_number(a, dtype):
    address = a.iterator.toint()
    width = dtype.width // 8
    return cute.make_tensor(
        cute.make_ptr(dtype, address, cute.AddressSpace.gmem, assumed_align=width), _LAYOUT
    )


def _composed(a, dtype):
    return cute.composition(a, _LAYOUT)


def _moved(a, dtype):
    return cute.domain_offset((0,), a)


@pytest.mark.parametrize("dtype", _SIGNED)
@pytest.mark.parametrize("view", [_of_iterator, _recast, _of_number, _composed, _moved])
def test_views_of_unsigned_integers_are_signed(view, dtype):
    @cute.kernel
    def kernel(a: cute.Tensor, out: cute.Tensor):
        i, _, _ = cute.arch.thread_idx()
        tensor = view(a, dtype)
        number = tensor[i]
        assert number.dtype is tensor.element_type is _SIGNED[dtype]
        out[i, 0], out[i, 1] = Int64(number >> 1), Int64(number // 3)
        out[i, 2], out[i, 3] = Int64(number < 100), Int64(number)

    a = np.random.default_rng(5).integers(0, 1 << 63, 32, np.uint64).astype(_NUMPY[dtype])
    a[:2] = [np.iinfo(a.dtype).max, 0]
    out = np.zeros((32, 4), np.int64)
    run(kernel, a, out)
    signed = a.view(a.dtype.name[1:]).astype(np.int64)
    np.testing.assert_array_equal(out.T, [signed >> 1, signed // 3, signed < 100, signed])


def test_tensors_keep_their_unsigned_type():
    """Arguments, allocated tensors, recast tensors, and the views of their modes; pointers of numbers, too."""

    @cute.kernel
    def kernel(a: cute.Tensor, out: cute.Tensor):
        i, _, _ = cute.arch.thread_idx()
        shared = cutlass.utils.SmemAllocator().allocate_tensor(Uint8, cute.make_layout(32), 16)
        shared[i] = a[i, 0]
        registers = cute.make_rmem_tensor((4,), Uint8)
        registers[0] = shared[i]
        assert a[i, None].element_type is cute.local_tile(a, (1, 4), (0, 0)).element_type is Uint8
        assert cute.recast_tensor(registers, Uint32).element_type is Uint32
        assert a.iterator.dtype is cute.recast_tensor(a, Uint8).iterator.dtype is Int8
        address = cute.make_ptr(Uint32, a.iterator.toint(), cute.AddressSpace.gmem)
        assert address.dtype is Uint32
        out[i] = Int32(registers[0] >> 1)

    a = np.arange(200, 328, dtype=np.uint8).reshape(32, 4)
    out = np.zeros(32, np.int32)
    run(kernel, a, out)
    np.testing.assert_array_equal(out, a[:, 0] >> 1)


def test_bytes_are_copied_between_signed_and_unsigned_tensors():
    @cute.kernel
    def kernel(a: cute.Tensor, out: cute.Tensor):
        part = cute.make_tensor(a.iterator, cute.make_layout(4))
        atom = cute.make_copy_atom(cute.nvgpu.CopyUniversalOp(), Uint8, num_bits_per_copy=32)
        for row in cutlass.range_constexpr(3):
            registers = cute.make_rmem_tensor((4,), Uint8)
            if cutlass.const_expr(row == 0):
                cute.copy(atom, part, registers)
            elif cutlass.const_expr(row == 1):
                cute.basic_copy(part, registers)
            else:
                registers.store(part.load())
            for i in cutlass.range_constexpr(4):
                out[row, i] = Int32(registers[i])

    a = np.array([250, 1, 128, 7], np.uint8)
    out = np.zeros((3, 4), np.int32)
    run(kernel, a, out, threads=1)
    np.testing.assert_array_equal(out, [a, a, a])
