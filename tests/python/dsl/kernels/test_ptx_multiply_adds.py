"""Multiply-adds of 16 bits in inline PTX on the CPU round once, as on GPUs. Compared with exact rational numbers."""

from fractions import Fraction

import numpy as np
import pytest

from fairlead import BFloat16, Float16, Uint16, Uint32, cute
from fairlead.cute._assembly import inline_asm

#: Bits of the mantissa, with the leading one, and the exponent of the least subnormal number.
_FORMATS = {Float16: (11, -24), BFloat16: (8, -133)}


def _number(bits, dtype):
    """The exact number of finite bits."""
    digits, least = _FORMATS[dtype]
    exponent, fraction = (int(bits) & 0x7FFF) >> (digits - 1), int(bits) & ((1 << (digits - 1)) - 1)
    if exponent:
        fraction += 1 << (digits - 1)
    number = Fraction(fraction) * Fraction(2) ** (least + max(exponent - 1, 0))
    return -number if int(bits) & 0x8000 else number


def _rounded(number, dtype):
    """The bits of the nearest float, ties to even; of 0, the positive one."""
    digits, least = _FORMATS[dtype]
    magnitude, exponent = abs(number), least
    while magnitude >= Fraction(2) ** (exponent + digits):
        exponent += 1
    fraction = round(magnitude / Fraction(2) ** exponent)  # ties to even
    bits = fraction + ((exponent - least) << (digits - 1))
    return min(bits, (0x8000 - (1 << (digits - 1)))) | (0x8000 if number < 0 else 0)


def _operands(dtype):
    """Products on and beside a tie, with addends that are far smaller; then random numbers."""
    digits, _ = _FORMATS[dtype]
    tie = 1 + 2.0 ** -(digits - 1)  # its square lies beside a tie, and so do products with 1.5
    small = [2.0**-24, -(2.0**-24), 2.0**-14, -(2.0**-14)]
    if dtype is BFloat16:
        small += [2.0**-60, -(2.0**-60), 2.0**-133, -(2.0**-133)]
    rows = [[x, y, z] for x in (tie, -tie, 1.0, 1.5) for y in (tie, 1.5, 3.0) for z in small]
    rows += [[2.0**-8, 2.0**-8, z * s] for z in (1.0, 1.5, 2.0**-14) for s in (1, -1)]
    random = np.random.default_rng(11)
    rows += list(random.normal(size=(100, 3)))
    rows += list(np.exp2(random.uniform(-14, 4, (100, 3))) * random.choice([-1, 1], (100, 3)))
    encode = np.vectorize(lambda x: _rounded(Fraction(float(x)), dtype), otypes=[np.uint16])
    return encode(np.array(rows))


def _exact(operands, dtype):
    a, b, c = (_number(bits, dtype) for bits in operands)
    return _rounded(a * b + c, dtype)


@pytest.mark.parametrize("dtype, suffix", [(Float16, "f16"), (BFloat16, "bf16")])
def test_multiply_adds_round_once(dtype, suffix):
    @cute.kernel
    def kernel(numbers: cute.Tensor, out: cute.Tensor, pairs: cute.Tensor):
        t = cute.arch.thread_idx()[0] + cute.arch.block_idx()[0] * 32
        if t < numbers.shape[0]:
            a, b, c = numbers[t, 0], numbers[t, 1], numbers[t, 2]
            out[t] = inline_asm(Uint16, [a, b, c], f"fma.rn.{suffix} $0, $1, $2, $3;", "=h,h,h,h")
            words = [x.to(Uint32) | (y.to(Uint32) << 16) for x, y in ((a, b), (b, a), (c, c))]
            pairs[t] = inline_asm(Uint32, words, f"fma.rn.{suffix}x2 $0, $1, $2, $3;", "=r,r,r,r")

    @cute.jit
    def host(numbers: cute.Tensor, out: cute.Tensor, pairs: cute.Tensor):
        kernel(numbers, out, pairs).launch(grid=(numbers.shape[0] + 31) // 32, block=32)

    operands = _operands(dtype)
    out, pairs = np.zeros(len(operands), np.uint16), np.zeros(len(operands), np.uint32)
    cute.compile(host, operands, out, pairs, options="--target cpu")(operands, out, pairs)
    expected = np.array([_exact(row, dtype) for row in operands], np.uint16)
    is_zero = (expected & 0x7FFF) == 0  # the sign of an exact zero is not compared
    for result in (out, (pairs & 0xFFFF).astype(np.uint16), (pairs >> 16).astype(np.uint16)):
        np.testing.assert_array_equal(result[~is_zero], expected[~is_zero])
        assert not (result[is_zero] & 0x7FFF).any()
