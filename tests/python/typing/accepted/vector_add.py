from __future__ import annotations

from typing import Annotated

import numpy as np

import fairlead
from fairlead import cute, pictures, tuning


@cute.kernel
def add_kernel(x: cute.Tensor, y: cute.Tensor, n: cute.Int32, threads: cute.Constexpr) -> None:
    thread, _, _ = cute.arch.thread_idx()
    block, _, _ = cute.arch.block_idx()
    i = block * threads + thread
    total = cute.Float32(0)
    for k in cute.range(4, unroll=2):
        total = total + k
    for k in cute.range_constexpr(2):
        total += k
    sums = cute.SmemAllocator().allocate_tensor(cute.Float32, 32)
    sums[thread] = total
    cute.arch.sync_threads()
    if i < n:
        y[i] = cute.math.exp(x[i]) + sums[thread]


@cute.jit
def add(x: cute.Tensor, y: cute.Tensor, n: cute.Int32, threads: cute.Constexpr = 32) -> None:
    add_kernel(x, y, n, threads).launch(grid=cute.ceil_div(n, threads), block=threads)


Vector = Annotated[cute.Tensor, cute.Float32, "n"]


@cute.jit
def add_rows(x: Annotated[cute.Tensor, "m", "n"], row: Vector, y: Vector | None = None) -> None:
    for i in range(x.shape[0]):
        x[i, 0] = x[i, 0] + row[0]


x = np.zeros(10, np.float32)
add_rows(np.zeros((3, 10), np.float32), x)
vector = cute.runtime.make_fake_compact_tensor(cute.Float32, (cute.sym_int(),))
compiled = cute.compile(add, vector, vector, cute.Int32, options="--target cpu")
compiled(x, x, 10)
text: str = compiled.ptx
phases: dict[str, float] = compiled.phases
compiled.export_to_c("add.o", function_name="add")
add(x, x, 10)
tuned = fairlead.tune(add, {"threads": [32, 64]}, args=(x, x, 10))
report: str = str(tuned.report())
tuned.report().save("tune.svg")
tuning.export_configs("tuned.json")
layout = cute.make_layout((4, 8), stride=(8, 1))
pictures.layout(layout).save("layout.svg")
module = cute.runtime.load_module("add.so")
module.add(x, x, 10)
