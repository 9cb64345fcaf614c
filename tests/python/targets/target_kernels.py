"""A function to compile for many targets."""

import numpy as np

from fairlead import Float32, cute


@cute.kernel
def scale_kernel(a: cute.Tensor, b: cute.Tensor, c: cute.Float32):
    i = cute.arch.block_idx()[0] * 64 + cute.arch.thread_idx()[0]
    if i < a.shape[0]:
        b[i] = a[i] * c + 1.0


@cute.jit
def scale(a: cute.Tensor, b: cute.Tensor, c: cute.Float32):
    scale_kernel(a, b, c).launch(grid=((a.shape[0] + 63) // 64, 1, 1), block=(64, 1, 1))


@cute.kernel
def some_kernel(a: cute.Tensor, b: cute.Tensor):
    i = cute.arch.block_idx()[0] * 64 + cute.arch.thread_idx()[0]
    if i < a.shape[0]:
        if a[i] > 2.0:
            b[i] = a[i] + 1.0


@cute.jit
def some(a: cute.Tensor, b: cute.Tensor):
    some_kernel(a, b).launch(grid=((a.shape[0] + 63) // 64, 1, 1), block=(64, 1, 1))


def compile_some(target):
    """A function whose stores are conditional: vector code for AVX-512 has masks."""
    n = cute.sym_int()
    make = cute.runtime.make_fake_compact_tensor
    return cute.compile(
        some, make(Float32, (n,)), make(Float32, (n,)), options=f"--target {target}"
    )


def compile_scale(options=None, **how):
    n = cute.sym_int()
    make = cute.runtime.make_fake_compact_tensor
    return cute.compile(
        scale, make(Float32, (n,)), make(Float32, (n,)), 1.0, options=options, **how
    )


def check(function, size=1000):
    a = np.arange(size, dtype=np.float32)
    b = np.full(size, np.nan, np.float32)
    function(a, b, 3.0)
    np.testing.assert_array_equal(b, a * 3 + 1)
