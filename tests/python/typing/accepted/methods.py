from __future__ import annotations

from collections.abc import Callable

import numpy as np

from fairlead import cute


class Scale:
    """A kernel and its launch as methods, with constants of the program in the object."""

    def __init__(self, threads: int, operation: Callable[[cute.Float32], cute.Float32]) -> None:
        self.threads, self.operation = threads, operation

    @cute.jit
    def __call__(self, x: cute.Tensor, out: cute.Tensor, stream: object = None) -> None:
        blocks = cute.ceil_div(cute.size(x), self.threads)
        self.kernel(x, out).launch(grid=(blocks, 1, 1), block=[self.threads, 1, 1], stream=stream)

    @cute.kernel
    def kernel(self, x: cute.Tensor, out: cute.Tensor) -> None:
        thread, _, _ = cute.arch.thread_idx()
        block, _, _ = cute.arch.block_idx()
        i = block * self.threads + thread
        if cute.elem_less(i, x.shape[0]):
            out[i] = self.operation(x[i])

    @cute.jit(preprocess=False)
    def twice(self, value: cute.Float32) -> cute.Float32:
        result: cute.Float32 = value + value
        return result

    @staticmethod
    @cute.jit
    def half(value: cute.Float32) -> float:
        return 0.5


scale = Scale(128, lambda value: value)
x = np.zeros(100, np.float32)
scale(x, x)
result: float = Scale.half(2.0)
compiled = cute.compile(scale, x, x)
compiled(x, x)
scale.kernel.set_name_prefix("scale")
