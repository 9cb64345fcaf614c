"""Integer division without a quotient: programs that run on the CPU and on GPUs, and their results."""

import numpy as np

from fairlead import cute

TYPES = (np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64)


@cute.kernel
def device_divide(a: cute.Tensor, b: cute.Tensor, quotient: cute.Tensor, rest: cute.Tensor):
    i = cute.arch.thread_idx()[0]
    if i < a.shape[0]:
        quotient[i] = a[i] // b[i]
        rest[i] = a[i] % b[i]


@cute.jit
def divide(a: cute.Tensor, b: cute.Tensor, quotient: cute.Tensor, rest: cute.Tensor):
    device_divide(a, b, quotient, rest).launch(grid=1, block=128)


def operands(dtype):
    """Pairs of numbers, 0 and the ends of the type among them."""
    ends = np.iinfo(dtype)
    some = [0, 1, 2, 7, ends.max, ends.min]
    if ends.min < 0:
        some += [-1, -2, -7]
    pairs = [(x, y) for x in some for y in some]
    return tuple(np.array(part, dtype) for part in zip(*pairs, strict=True))


def expected(a, b):
    """Python's floor division and modulo; of a division by 0 the dividend and 0; wrapped to the type."""
    bits = a.dtype.itemsize * 8
    quotients, rests = [], []
    for x, y in zip(a.tolist(), b.tolist(), strict=True):
        q, r = (x // y, x % y) if y else (x, 0)
        q &= 2**bits - 1
        if a.dtype.kind == "i" and q >= 2 ** (bits - 1):
            q -= 2**bits
        quotients.append(q)
        rests.append(r)
    return np.array(quotients, a.dtype), np.array(rests, a.dtype)
