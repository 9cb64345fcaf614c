"""Functions that the tests of frameworks call, compiled for the CPU unless a test says otherwise."""

import functools

import fairlead
from fairlead import cute

THREADS = 32


@cute.kernel
def _add_one(a: cute.Tensor, b: cute.Tensor):
    i = cute.arch.block_idx()[0] * THREADS + cute.arch.thread_idx()[0]
    if i < a.shape[0]:
        b[i] = a[i] + 1


@cute.jit
def add_one(a: cute.Tensor, b: cute.Tensor):
    """b = a + 1"""
    _add_one(a, b).launch(grid=((a.shape[0] + THREADS - 1) // THREADS, 1, 1), block=(THREADS, 1, 1))


@cute.kernel
def _axpy(alpha: fairlead.Float32, x: cute.Tensor, y: cute.Tensor):
    i = cute.arch.block_idx()[0] * THREADS + cute.arch.thread_idx()[0]
    if i < x.shape[0]:
        y[i] = y[i] + alpha * x[i]


@cute.jit
def axpy(x: cute.Tensor, alpha: fairlead.Float32, y: cute.Tensor):
    """y += alpha * x, in place"""
    _axpy(alpha, x, y).launch(
        grid=((x.shape[0] + THREADS - 1) // THREADS, 1, 1), block=(THREADS, 1, 1)
    )


@cute.kernel
def _outer(x: cute.Tensor, y: cute.Tensor, z: cute.Tensor):
    i, j = cute.arch.block_idx()[0], cute.arch.thread_idx()[0]
    z[i, j] = x[i] * y[j]


@cute.jit
def outer(x: cute.Tensor, y: cute.Tensor, z: cute.Tensor):
    """z[i, j] = x[i] * y[j]"""
    _outer(x, y, z).launch(grid=(x.shape[0], 1, 1), block=(y.shape[0], 1, 1))


@cute.kernel
def _rows(m: cute.Tensor, s: cute.Tensor):
    i = cute.arch.block_idx()[0] * THREADS + cute.arch.thread_idx()[0]
    if i < m.shape[0]:
        total = m.element_type(0)
        for j in range(m.shape[1]):
            total += m[i, j]
        s[i] = total


@cute.jit
def row_sums(m: cute.Tensor, s: cute.Tensor):
    """s[i] = sum over j of m[i, j]"""
    _rows(m, s).launch(grid=((m.shape[0] + THREADS - 1) // THREADS, 1, 1), block=(THREADS, 1, 1))


def vector(dtype=fairlead.Float32, extent=None, **options):
    extent = cute.sym_int() if extent is None else extent
    return cute.runtime.make_fake_compact_tensor(dtype, (extent,), **options)


@functools.cache
def compiled_add_one(dtype=fairlead.Float32, target="cpu"):
    n = cute.sym_int()
    options = f"--target {target}"
    return cute.compile(add_one, vector(dtype, n), vector(dtype, n), options=options)


@functools.cache
def compiled_axpy(target="cpu"):
    n = cute.sym_int()
    return cute.compile(
        axpy, vector(extent=n), fairlead.Float32, vector(extent=n), options=f"--target {target}"
    )


@functools.cache
def compiled_outer(target="cpu"):
    n, m = cute.sym_int(), cute.sym_int()
    z = cute.runtime.make_fake_compact_tensor(fairlead.Float32, (n, m), stride_order=(1, 0))
    arguments = vector(extent=n), vector(extent=m), z
    return cute.compile(outer, *arguments, options=f"--target {target}")


@functools.cache
def compiled_row_sums(column_major=False, target="cpu"):
    n, m = cute.sym_int(), cute.sym_int()
    order = (0, 1) if column_major else (1, 0)
    matrix = cute.runtime.make_fake_compact_tensor(fairlead.Float32, (n, m), stride_order=order)
    return cute.compile(row_sums, matrix, vector(extent=n), options=f"--target {target}")
