"""Exports a function for the CPU: `exports.py OBJECT`."""

import sys

from fairlead import cute


@cute.kernel
def device_add_one(a: cute.Tensor, b: cute.Tensor):
    block, _, _ = cute.arch.block_idx()
    thread, _, _ = cute.arch.thread_idx()
    i = block * 128 + thread
    if i < a.shape[0]:
        b[i] = a[i] + 1.0


@cute.jit
def add_one(a: cute.Tensor, b: cute.Tensor):
    device_add_one(a, b).launch(grid=((a.shape[0] + 127) // 128, 1, 1), block=(128, 1, 1))


def compiled():
    n = cute.sym_int()
    tensors = [cute.runtime.make_fake_compact_tensor(cute.Float32, (n,)) for _ in range(2)]
    return cute.compile(add_one, *tensors, options="--target cpu")


if __name__ == "__main__":
    compiled().export_to_c(sys.argv[1], function_name="add_one")
