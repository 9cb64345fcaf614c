"""Functions to compile, and helpers for the tests of the cache."""

import numpy as np

from fairlead import Float32, cute


@cute.kernel
def add_kernel(a: cute.Tensor, b: cute.Tensor, c: cute.Constexpr):
    i = cute.arch.block_idx()[0] * 64 + cute.arch.thread_idx()[0]
    if i < a.shape[0]:
        b[i] = a[i] + c


@cute.jit
def add(a: cute.Tensor, b: cute.Tensor, c: cute.Constexpr):
    add_kernel(a, b, c).launch(grid=((a.shape[0] + 63) // 64, 1, 1), block=(64, 1, 1))


def vectors(dtype=Float32, **how):
    n = cute.sym_int()
    make = cute.runtime.make_fake_compact_tensor
    return make(dtype, (n,), **how), make(dtype, (n,), **how)


def compile_add(c=1.0, options="--target cpu", **how):
    return cute.compile(add, *vectors(), c, options=options, **how)


def check(function, c, size=1000):
    a = np.arange(size, dtype=np.float32)
    b = np.full(size, np.nan, np.float32)
    function(a, b)
    np.testing.assert_array_equal(b, a + np.float32(c))


def files(folder, kind="*"):
    """The entries below a cache folder."""
    return sorted(path for path in folder.glob(f"{kind}/??/*") if path.is_file())
