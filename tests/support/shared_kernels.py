"""Kernels that tests of several folders compile: 1 is added to the elements of a vector."""

from fairlead import cute

BLOCK = 128


@cute.kernel
def device_add_one(a: cute.Tensor, b: cute.Tensor):
    i = cute.arch.block_idx()[0] * BLOCK + cute.arch.thread_idx()[0]
    if i < a.shape[0]:
        b[i] = a[i] + 1.0


@cute.jit
def add_one(a: cute.Tensor, b: cute.Tensor):
    device_add_one(a, b).launch(grid=cute.ceil_div(a.shape[0], BLOCK), block=BLOCK)


@cute.jit
def add_one_on_stream(a: cute.Tensor, b: cute.Tensor, stream):
    device_add_one(a, b).launch(grid=cute.ceil_div(a.shape[0], BLOCK), block=BLOCK, stream=stream)
