"""The cost of --check: calls of checked functions against the same functions without checks, on the CPU."""

import sys

import numpy as np
from _harness import compare, main

from fairlead import Float32, cute, range_constexpr


@cute.kernel
def scale_kernel(a: cute.Tensor, b: cute.Tensor):
    i = cute.arch.block_idx()[0] * 256 + cute.arch.thread_idx()[0]
    if i < a.shape[0]:
        b[i] = a[i] * 2.0 + 1.0


@cute.jit
def scale(a: cute.Tensor, b: cute.Tensor):
    scale_kernel(a, b).launch(grid=cute.ceil_div(a.shape[0], 256), block=256)


@cute.kernel
def sums_kernel(a: cute.Tensor, out: cute.Tensor):
    """A block reduction through shared memory."""
    t, _, _ = cute.arch.thread_idx()
    x, _, _ = cute.arch.block_idx()
    s = cute.SmemAllocator().allocate_tensor(Float32, 256)
    s[t] = a[x * 256 + t]
    cute.arch.sync_threads()
    for step in range_constexpr(8):
        if t < (128 >> step):
            s[t] = s[t] + s[t + (128 >> step)]
        cute.arch.sync_threads()
    if t == 0:
        out[x] = s[0]


@cute.jit
def sums(a: cute.Tensor, out: cute.Tensor):
    sums_kernel(a, out).launch(grid=a.shape[0] // 256, block=256)


_TILE = 16


@cute.kernel
def product_kernel(a: cute.Tensor, b: cute.Tensor, c: cute.Tensor):
    """C = A B by tiles of 16 x 16 in shared memory, one element a thread."""
    x, y, _ = cute.arch.thread_idx()
    column, row, _ = cute.arch.block_idx()
    smem = cute.SmemAllocator()
    layout = cute.make_layout((_TILE, _TILE), stride=(_TILE, 1))
    left, right = smem.allocate_tensor(Float32, layout), smem.allocate_tensor(Float32, layout)
    total = Float32(0.0)
    for k in range(a.shape[1] // _TILE):
        left[y, x] = a[row * _TILE + y, k * _TILE + x]
        right[y, x] = b[k * _TILE + y, column * _TILE + x]
        cute.arch.sync_threads()
        for i in range(_TILE):
            total = total + left[y, i] * right[i, x]
        cute.arch.sync_threads()
    c[row * _TILE + y, column * _TILE + x] = total


@cute.jit
def product(a: cute.Tensor, b: cute.Tensor, c: cute.Tensor):
    product_kernel(a, b, c).launch(
        grid=(c.shape[1] // _TILE, c.shape[0] // _TILE), block=(_TILE, _TILE)
    )


def programs():
    """(case, host function, arguments, checks)."""
    numbers = np.ones(1 << 22, np.float32)
    matrix = np.ones((256, 256), np.float32)
    block = (sums, (numbers, np.zeros(len(numbers) // 256, np.float32)))
    tiles = (product, (matrix, matrix, np.zeros_like(matrix)))
    elements = (scale, (numbers, np.zeros_like(numbers)))
    for checks in ("bounds", "bounds,init", "all"):
        yield f"elementwise, {checks}", *elements, checks
    for checks in ("bounds", "race", "all"):
        yield f"block reduction, {checks}", *block, checks
    for checks in ("bounds", "race", "all"):
        yield f"tiled GEMM, {checks}", *tiles, checks


def measure(rounds: int) -> list:
    from time import perf_counter

    rows = []
    for case, function, arguments, checks in programs():
        plain = cute.compile(function, *arguments, options="--target cpu")
        checked = cute.compile(function, *arguments, options=f"--target cpu --check {checks}")

        samples: dict[str, list[float]] = {"checked": [], "plain": []}
        for _ in range(min(rounds, 7)):  # a call takes milliseconds
            for name, call in (("checked", checked), ("plain", plain)):
                start = perf_counter()
                call(*arguments)
                samples[name].append(perf_counter() - start)
        rows.append(
            compare(case, samples, "checked", "plain", unit="ms", peer_name="without --check")
        )
    return rows


if __name__ == "__main__":
    sys.exit(main(__doc__, measure, with_peers=False))
