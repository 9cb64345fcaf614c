"""Products and sums of kernels, with one rounding and with two: for the CPU's tests and the GPU's."""

from fractions import Fraction

import numpy as np

from fairlead import cute

#: Expressions of a, b, c: as text, exactly, and rounded one by one.
FORMS = {
    "a * b + c": (lambda a, b, c: a * b + c, lambda a, b, c: a * b + c),
    "c + a * b": (lambda a, b, c: a * b + c, lambda a, b, c: c + a * b),
    "a * b - c": (lambda a, b, c: a * b - c, lambda a, b, c: a * b - c),
    "c - a * b": (lambda a, b, c: c - a * b, lambda a, b, c: c - a * b),
}
COUNT = 512


def operands(dtype) -> list[np.ndarray]:
    """Return a, b, c; c is mostly close to the product, so that the product's lower bits remain."""
    rng = np.random.default_rng(3)
    a, b = (rng.standard_normal(COUNT).astype(dtype) for _ in range(2))
    c = rng.standard_normal(COUNT).astype(dtype)
    c[::2] = -(a * b)[::2]
    c[1::4] = (a * b)[1::4]
    return [a, b, c]


def rounded(exact: Fraction, dtype):
    """The float nearest to a number, of two as near the even one."""
    near = dtype(float(exact))
    around = [near, np.nextafter(near, dtype(np.inf)), np.nextafter(near, dtype(-np.inf))]
    bits = np.dtype(f"u{near.itemsize}")
    return min(around, key=lambda f: (abs(Fraction(float(f)) - exact), int(f.view(bits)) & 1))


def once(form: str, a, b, c) -> np.ndarray:
    """Rounded once."""
    exact = FORMS[form][0]
    numbers = (exact(*(Fraction(float(x)) for x in row)) for row in zip(a, b, c, strict=True))
    return np.array([rounded(number, a.dtype.type) for number in numbers], a.dtype)


def each(form: str, a, b, c) -> np.ndarray:
    """Rounded after each operation."""
    return FORMS[form][1](a, b, c)


@cute.kernel
def device_forms(a: cute.Tensor, b: cute.Tensor, c: cute.Tensor, out: cute.Tensor):
    block, _, _ = cute.arch.block_idx()
    thread, _, _ = cute.arch.thread_idx()
    i = block * 128 + thread
    out[0, i] = a[i] * b[i] + c[i]
    out[1, i] = c[i] + a[i] * b[i]
    out[2, i] = a[i] * b[i] - c[i]
    out[3, i] = c[i] - a[i] * b[i]


@cute.jit
def forms(a: cute.Tensor, b: cute.Tensor, c: cute.Tensor, out: cute.Tensor):
    """Row r of ``out`` is the r-th of FORMS."""
    device_forms(a, b, c, out).launch(grid=(COUNT // 128, 1, 1), block=(128, 1, 1))


@cute.kernel
def device_others(a: cute.Tensor, b: cute.Tensor, c: cute.Tensor, out: cute.Tensor):
    block, _, _ = cute.arch.block_idx()
    thread, _, _ = cute.arch.thread_idx()
    i = block * 128 + thread
    product = a[i] * b[i]
    out[0, i] = product
    if c[i] > 0.0:
        out[1, i] = product + c[i]
    else:
        out[1, i] = product + c[i]
    summed = a[i] * b[i]
    if c[i] > 0.5:
        out[4, i] = summed + c[i]
    else:
        out[4, i] = summed - c[i]
    out[2, i] = a[i] * b[i] + c[i] * c[i]
    total = c[i]
    for _ in range(3):
        total += a[i] * b[i]
    out[3, i] = total


@cute.jit
def others(a: cute.Tensor, b: cute.Tensor, c: cute.Tensor, out: cute.Tensor):
    """A product that is stored too, and in a sum in a branch; next to another product; in a loop; in two sums."""
    device_others(a, b, c, out).launch(grid=(COUNT // 128, 1, 1), block=(128, 1, 1))


def expected_others(a, b, c) -> np.ndarray:
    sums = [once("a * b + c", a, b, c)]
    for _ in range(2):
        sums.append(once("a * b + c", a, b, sums[-1]))
    two = np.where(c > 0.5, sums[0], once("a * b - c", a, b, c))
    return np.stack([a * b, a * b + c, once("a * b + c", a, b, c * c), sums[2], two])


@cute.kernel
def device_parts(a: cute.Tensor, b: cute.Tensor, c: cute.Tensor, out: cute.Tensor):
    block, _, _ = cute.arch.block_idx()
    thread, _, _ = cute.arch.thread_idx()
    i = block * 128 + thread
    product = a[i] * b[i]
    out[0, i] = product
    out[1, i] = cute.math.fma(a[i], b[i], -product)
    out[2, i] = cute.math.fma(product, 1.0, c[i]) - c[i]
    out[3, i] = product - c[i]


@cute.jit
def parts(a: cute.Tensor, b: cute.Tensor, c: cute.Tensor, out: cute.Tensor):
    """A product, what rounding has taken from it, and sums that mean the rounded product, as compensated arithmetic
    does."""
    device_parts(a, b, c, out).launch(grid=(COUNT // 128, 1, 1), block=(128, 1, 1))


def expected_parts(a, b, c) -> np.ndarray:
    return np.stack([a * b, once("a * b - c", a, b, a * b), a * b + c - c, a * b - c])


@cute.kernel
def device_whole(a: cute.Tensor, b: cute.Tensor, c: cute.Tensor, out: cute.Tensor):
    block, _, _ = cute.arch.block_idx()
    thread, _, _ = cute.arch.thread_idx()
    at = (block * 128 + thread,)
    tiles = [cute.zipped_divide(each, (4,)) for each in (a, b, c, out)]
    x, y, z = (tile[(None, at)].load() for tile in tiles[:3])
    tiles[3][(None, at)].store(x * y + z)


@cute.jit
def whole(a: cute.Tensor, b: cute.Tensor, c: cute.Tensor, out: cute.Tensor):
    """Four elements at a time."""
    device_whole(a, b, c, out).launch(grid=(COUNT // 512, 1, 1), block=(128, 1, 1))
