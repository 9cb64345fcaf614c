"""Integers of published programs: conversions to unsigned types, sums of Booleans, written numbers out of range, and
the types of bit instructions. Compared with NumPy."""

import numpy as np
import pytest

import fairlead.compat  # noqa: F401  before the names that it defines

# isort: split
import cutlass
import cutlass.cute as cute
from cutlass import Boolean, Int8, Int16, Int32, Int64, Uint8, Uint16, Uint32, Uint64
from support.published_kernels import run

_NUMBERS = np.array([-(2**31), -100, -2, -1, 0, 1, 7, 2**31 - 1], np.int32)


@pytest.mark.parametrize("source, bits", [(Int8, 8), (Int16, 16), (Int32, 32)])
def test_signed_numbers_keep_their_bits_in_wider_unsigned_ones(source, bits):
    """In conversions, operators and stores, and in those of whole tensors."""

    @cute.kernel
    def kernel(x: cute.Tensor, out: cute.Tensor):
        i, _, _ = cute.arch.thread_idx()
        number = source(x[i])
        out[i, 0] = Int64(Uint64(number))
        out[i, 1] = Int64(number.to(Uint64))
        out[i, 2] = Int64(number + Uint64(1))
        out[i, 3] = Int64(number < Uint64(1 << 40))
        wide = cute.make_rmem_tensor(1, Uint64)
        wide[0] = number
        out[i, 4] = Int64(wide[0])
        wide.fill(number)
        out[i, 5] = Int64(wide[0])
        narrow = cute.make_rmem_tensor(1, source)
        narrow[0] = number
        out[i, 6] = Int64(narrow.load().to(Uint64)[0])
        out[i, 7] = Int64(number)
        if cutlass.const_expr(source.width < 32):
            out[i, 8] = Int64(Uint32(number))

    out = np.zeros((8, 9), np.int64)
    run(kernel, _NUMBERS, out, threads=8)
    narrow = _NUMBERS.astype(f"int{bits}")
    kept = narrow.view(f"uint{bits}").astype(np.int64)
    expected = [kept, kept, kept + 1, np.ones(8), kept, kept, kept, narrow]
    expected += [kept if bits < 32 else np.zeros(8)]
    np.testing.assert_array_equal(out.T, expected)


def test_written_numbers_keep_their_sign_in_wider_unsigned_ones():
    @cute.kernel
    def kernel(x: cute.Tensor, out: cute.Tensor):
        i, _, _ = cute.arch.thread_idx()
        out[i, 0] = Int64(Uint64(x[i] & 7) + -1)
        out[i, 1] = Int64(Uint64(Int32(-5)))

    out = np.zeros((8, 2), np.int64)
    run(kernel, _NUMBERS, out, threads=8)
    np.testing.assert_array_equal(out.T, [(_NUMBERS & 7) - 1, np.full(8, -5)])


def test_sums_of_booleans_are_booleans():
    @cute.kernel
    def kernel(x: cute.Tensor, out: cute.Tensor):
        i, _, _ = cute.arch.thread_idx()
        a, b = x[i] > 0, x[i] > 5
        total = a + b
        assert total.dtype is (a - b).dtype is (a * b).dtype is Boolean
        out[i, 0] = Int32(total)
        out[i, 1] = Int32(a - b)
        out[i, 2] = Int32(a * b)
        out[i, 3] = a + True
        out[i, 4] = Int32(a) + Int32(b)
        out[i, 5] = Int32(cute.arch.warp_reduction_sum(a))

    x = np.arange(-16, 16, dtype=np.int32)
    out = np.zeros((32, 6), np.int32)
    run(kernel, x, out)
    a, b = x > 0, x > 5
    expected = [a | b, a ^ b, a & b, a + 1, a.astype(int) + b, np.ones(32)]
    np.testing.assert_array_equal(out.T, expected)


def test_absolute_values_take_unsigned_numbers_for_signed_ones():
    @cute.kernel
    def kernel(x: cute.Tensor, out: cute.Tensor):
        i, _, _ = cute.arch.thread_idx()
        out[i, 0] = Int64(abs(Uint32(x[i])))
        out[i, 1] = Int64(abs(Uint8(x[i])))
        out[i, 2] = Int64(cute.math.absi(Uint32(x[i])))
        out[i, 3] = Int64(abs(x[i]))

    x = np.array([-100, -2, -1, 0, 1, 7, 100, 127], np.int32)
    out = np.zeros((8, 4), np.int64)
    run(kernel, x, out, threads=8)
    np.testing.assert_array_equal(out.T, [np.abs(x)] * 4)


def test_written_numbers_out_of_range_wrap():
    @cute.kernel
    def kernel(x: cute.Tensor, out: cute.Tensor):
        i, _, _ = cute.arch.thread_idx()
        number = Uint32(x[i])
        out[i, 0] = Int64(Int8(65535))
        out[i, 1] = Int64(Uint16(1000003))
        out[i, 2] = Int64(Uint8(-1.9))
        out[i, 3] = Int64(number // -3)
        out[i, 4] = Int64(number % -3)
        out[i, 5] = Int64(number <= -1)
        out[i, 6] = Int64(Uint64(number) > -5)
        out[i, 7] = Int64(Uint32(-3) % 3)

    out = np.zeros((8, 8), np.int64)
    run(kernel, _NUMBERS, out, threads=8)
    number = _NUMBERS.view(np.uint32).astype(np.int64)
    minus_three = 2**32 - 3
    expected = [np.full(8, -1), np.full(8, 1000003 % 65536), np.full(8, 255)]
    expected += [number // minus_three, number % minus_three, np.ones(8), np.zeros(8)]
    expected += [np.full(8, minus_three % 3)]
    np.testing.assert_array_equal(out.T, expected)


def test_types_of_bit_instructions():
    @cute.kernel
    def kernel(x: cute.Tensor, out: cute.Tensor):
        i, _, _ = cute.arch.thread_idx()
        number = x[i]
        ballot = cute.arch.vote_ballot_sync(number < 0)
        assert ballot.dtype is Int32
        assert cute.arch.vote_sync_op(number < 0, "ballot").dtype is Int32
        assert cute.arch.clz(number).dtype is Uint32
        assert cute.arch.popc(Uint16(number)).dtype is Uint16
        assert cute.arch.popc(Int64(number)).dtype is Int64
        assert cute.arch.make_warp_uniform(Uint32(number)).dtype is Int32
        assert cute.arch.warp_redux_sync(number, "umax").dtype is Int32
        out[i, 0] = Int64(ballot)
        out[i, 1] = Int64(ballot >> 31)
        out[i, 2] = Int64(31 - cute.arch.clz(number))
        out[i, 3] = Int64(cute.arch.warp_redux_sync(number, "umax"))
        out[i, 4] = Int64(cute.arch.warp_redux_sync(number, "umin"))
        out[i, 5] = Int64(cute.arch.prmt(number, number, 0x3210))

    x = np.arange(15, -17, -1, dtype=np.int32)
    out = np.zeros((32, 6), np.int64)
    run(kernel, x, out)
    places = [31 - (32 - int(number).bit_length() if number >= 0 else 0) for number in x]
    expected = [np.full(32, -(2**16)), np.full(32, -1), np.array(places) % 2**32]
    expected += [np.full(32, -1), np.zeros(32), x]
    np.testing.assert_array_equal(out.T, expected)
