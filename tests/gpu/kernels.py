"""Kernels and compiled functions that the GPU tests share."""

import functools

from support.shared_kernels import BLOCK, add_one, add_one_on_stream  # noqa: F401  for those who import this

import fairlead
from fairlead import cute


@cute.kernel
def device_row_sum(a: cute.Tensor, b: cute.Tensor):
    """b[row] = sum of a[row, :]; one thread a row, a run-time loop with a carried value."""
    block, _, _ = cute.arch.block_idx()
    thread, _, _ = cute.arch.thread_idx()
    row = block * BLOCK + thread
    if row < a.shape[0]:
        total = fairlead.Float32(0.0)
        for column in fairlead.range(a.shape[1]):
            total = total + a[row, column]
        b[row] = total


@cute.jit
def row_sum(a: cute.Tensor, b: cute.Tensor):
    device_row_sum(a, b).launch(grid=((a.shape[0] + BLOCK - 1) // BLOCK, 1, 1), block=(BLOCK, 1, 1))


@cute.jit
def add(a: cute.Tensor, b: cute.Tensor, c: cute.Tensor):
    c[:] = a[:] + b[:]


@cute.kernel
def device_math(a: cute.Tensor, b: cute.Tensor):
    block, _, _ = cute.arch.block_idx()
    thread, _, _ = cute.arch.thread_idx()
    i = block * BLOCK + thread
    if i < a.shape[0]:
        x = a[i]
        b[i] = cute.math.exp(x) + cute.math.sqrt(x * x + 1.0) * cute.math.sin(x)


@cute.jit
def math(a: cute.Tensor, b: cute.Tensor):
    device_math(a, b).launch(grid=((a.shape[0] + BLOCK - 1) // BLOCK, 1, 1), block=(BLOCK, 1, 1))


@cute.kernel
def device_least(a: cute.Tensor, b: cute.Tensor):
    i, _, _ = cute.arch.thread_idx()
    v = a[i]
    b[i] = min(min(v, -v), -7)


@cute.jit
def least(a: cute.Tensor, b: cute.Tensor):
    device_least(a, b).launch(grid=(1, 1, 1), block=(a.shape[0], 1, 1))


@cute.kernel
def device_shifted(a: cute.Tensor, b: cute.Tensor):
    i, _, _ = cute.arch.thread_idx()
    value = a[i]
    b[i] = b[i] + (-(value.to(cute.Int32)) >> 28)
    a[i] = value ^ 1  # all of the 64 bits are in use


@cute.jit
def shifted(a: cute.Tensor, b: cute.Tensor):
    device_shifted(a, b).launch(grid=(1, 1, 1), block=(a.shape[0], 1, 1))


@cute.kernel
def device_widened(a: cute.Tensor, minus: cute.Tensor, size: cute.Tensor):
    i, _, _ = cute.arch.thread_idx()
    minus[i] = (-a[i]).to(minus.element_type)
    size[i] = abs(a[i]).to(size.element_type)


@cute.jit
def widened(a: cute.Tensor, minus: cute.Tensor, size: cute.Tensor):
    device_widened(a, minus, size).launch(grid=(1, 1, 1), block=(a.shape[0], 1, 1))


def vector(dtype=None, n=None):
    return cute.runtime.make_fake_compact_tensor(dtype or cute.Float32, (n or cute.sym_int(),))


@functools.cache
def compiled(name: str, target: str = "cuda"):
    """One of the functions above, compiled once for vectors (or matrices) of any size."""
    options = f"--enable-tvm-ffi --target {target}"
    n = cute.sym_int()
    if name == "row_sum":
        matrix = cute.runtime.make_fake_compact_tensor(
            cute.Float32, (n, cute.sym_int()), stride_order=(1, 0)
        )
        return cute.compile(row_sum, matrix, vector(n=n), options=options)
    if name == "add":
        return cute.compile(add, vector(n=n), vector(n=n), vector(n=n), options=options)
    if name == "add_one_on_stream":
        stream = cute.runtime.make_fake_stream()
        return cute.compile(add_one_on_stream, vector(n=n), vector(n=n), stream, options=options)
    function = {"add_one": add_one, "math": math}[name]
    return cute.compile(function, vector(n=n), vector(n=n), options=options)
