"""Functions that the cases call."""

import functools

import numpy as np

from fairlead import Float32, cute


def vector(dtype=Float32, n=None, **options):
    return cute.runtime.make_fake_compact_tensor(dtype, (n or cute.sym_int(),), **options)


def compile_host(function, *arguments, options="--target cpu"):
    return cute.compile(cute.jit(function), *arguments, options=options)


def in_kernel(function, *arguments, options="--target cpu"):
    """Compiles ``function`` as a kernel that is launched on one thread."""
    device = cute.kernel(function)

    @cute.jit
    def host(a, b):
        device(a, b).launch(grid=1, block=1)

    return cute.compile(host, *(arguments or (vector(), vector())), options=options)


@cute.jit
def double(a: cute.Tensor, b: cute.Tensor):
    b[:] = a[:] * 2.0


@cute.jit
def nothing(a, b):
    pass


@cute.jit
def ignore_two(a: cute.Tensor, b: cute.Tensor):
    pass


@cute.jit
def take_pointer(a: cute.Pointer):
    pass


@cute.jit
def scale(a: cute.Tensor, factor: Float32, b: cute.Tensor):
    b[:] = a[:] * factor


@functools.cache
def scaled():
    """``scale`` for vectors of one length."""
    n = cute.sym_int()
    return cute.compile(scale, vector(n=n), Float32, vector(n=n), options="--target cpu")


@functools.cache
def compiled():
    """``double`` for vectors of one length, a multiple of 4, aligned to 16 bytes."""
    n = cute.sym_int(divisibility=4)
    return cute.compile(
        double, vector(n=n, assumed_align=16), vector(n=n, assumed_align=16), options="--target cpu"
    )


def zeros(n=8, dtype=np.float32):
    """Aligned to 64 bytes."""
    store = np.zeros(n + 64, dtype)
    offset = -(store.ctypes.data // store.itemsize) % (64 // store.itemsize)
    return store[offset : offset + n]
