"""Functions that the tests export, for the CPU unless they say otherwise."""

import sys
from pathlib import Path

import fairlead
from fairlead import cute

sys.path.append(str(Path(__file__).resolve().parents[1]))  # for processes that tests start
from support.shared_kernels import add_one, add_one_on_stream  # noqa: E402, F401  for those who import this


@cute.kernel
def device_scale(x: cute.Tensor, alpha: fairlead.Float32, offset: fairlead.Int64):
    i = cute.arch.block_idx()[0]
    j = cute.arch.thread_idx()[0]
    if j < x.shape[1]:
        x[i, j] = x[i, j] * alpha + offset


@cute.jit
def scale(x: cute.Tensor, alpha: fairlead.Float32 = 2.0, offset: fairlead.Int64 = 1, stream=None):
    device_scale(x, alpha, offset).launch(grid=x.shape[0], block=64, stream=stream)


@cute.kernel
def print_tensor_kernel(a: cute.Tensor):
    cute.printf("a: {} by {}", a.shape[0], a.shape[1])


@cute.jit
def print_tensor(a: cute.Tensor, stream):
    print_tensor_kernel(a).launch(grid=(1, 1, 1), block=(1, 1, 1), stream=stream)


def vector(n, dtype=fairlead.Float32):
    return cute.runtime.make_fake_compact_tensor(dtype, (n,))


def compiled_add_one(target="cpu"):
    n = cute.sym_int()
    return cute.compile(add_one, vector(n), vector(n), options=f"--target {target}")


def compiled_scale(target="cpu", width=32):
    shape = (cute.sym_int(width), cute.sym_int(width))
    x = cute.runtime.make_fake_compact_tensor(fairlead.Float32, shape, stride_order=(1, 0))
    stream = cute.runtime.make_fake_stream()
    return cute.compile(scale, x, 2.0, 1, stream, options=f"--target {target}")


def compiled_print(target="cpu"):
    shape = (cute.sym_int(divisibility=16), cute.sym_int())
    a = cute.runtime.make_fake_compact_tensor(fairlead.Float32, shape, stride_order=(1, 0))
    stream = cute.runtime.make_fake_stream()
    return cute.compile(print_tensor, a, stream, options=f"--target {target}")


#: A program that loads the file that it is given, and calls its add_one.
RUN_ADD_ONE = """
import sys
import numpy as np
from fairlead import cute
module = cute.runtime.load_module(sys.argv[1])
a, b = np.arange(9, dtype=np.float32), np.zeros(9, np.float32)
module.add_one(a, b)
assert (b == a + 1).all()
print("ran")
"""
