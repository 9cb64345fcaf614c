"""How fast the elements move: kernels of the DSL beside the device's own copy (GPU) and hand-written C (CPU).

On a GPU, an addition of two tensors with 128-bit accesses against torch's copy, in bytes per second; on the CPU, an
addition, a sum in blocks with barriers, and the softmax of rows, against gcc -O3 -fopenmp and against OpenCL (PoCL).
"""

from __future__ import annotations

import ctypes
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter

import _opencl
import numpy as np
from _harness import Row, compare, interleave, main

from fairlead import Constexpr, const_expr, cute
from fairlead.utils import SmemAllocator

VALUES, THREADS = 4, 256
COLUMNS = 4096
TILE = VALUES * THREADS


@cute.kernel
def device_add_wide(a: cute.Tensor, b: cute.Tensor, c: cute.Tensor):
    thread, _, _ = cute.arch.thread_idx()
    block, _, _ = cute.arch.block_idx()
    mine = [
        cute.logical_divide(cute.zipped_divide(tensor, TILE)[None, block], VALUES)[None, thread]
        for tensor in (a, b, c)
    ]
    mine[2].store(mine[0].load() + mine[1].load())


@cute.jit
def add_wide(a: cute.Tensor, b: cute.Tensor, c: cute.Tensor):
    device_add_wide(a, b, c).launch(grid=[cute.size(a) // TILE, 1, 1], block=[THREADS, 1, 1])


@cute.kernel
def device_add(a: cute.Tensor, b: cute.Tensor, c: cute.Tensor):
    thread, _, _ = cute.arch.thread_idx()
    block, _, _ = cute.arch.block_idx()
    i = block * THREADS + thread
    if i < cute.size(a):
        c[i] = a[i] + b[i]


@cute.jit
def add(a: cute.Tensor, b: cute.Tensor, c: cute.Tensor):
    grid = [cute.ceil_div(cute.size(a), THREADS), 1, 1]
    device_add(a, b, c).launch(grid=grid, block=[THREADS, 1, 1])


@cute.kernel
def device_block_sums(a: cute.Tensor, sums: cute.Tensor):
    thread, _, _ = cute.arch.thread_idx()
    block, _, _ = cute.arch.block_idx()
    tile = SmemAllocator().allocate_tensor(cute.Float32, THREADS)
    tile[thread] = a[block * THREADS + thread]
    cute.arch.sync_threads()
    step = cute.Int32(THREADS // 2)
    while step > 0:
        if thread < step:
            tile[thread] = tile[thread] + tile[thread + step]
        cute.arch.sync_threads()
        step = step // 2
    if thread == 0:
        sums[block] = tile[0]


@cute.jit
def block_sums(a: cute.Tensor, sums: cute.Tensor):
    device_block_sums(a, sums).launch(grid=[cute.size(sums), 1, 1], block=[THREADS, 1, 1])


@cute.jit
def block_reduce(tile: cute.Tensor, thread: cute.Int32, value: cute.Float32, largest: Constexpr):
    """The sum of all threads' values, or the largest of them, in each thread."""
    tile[thread] = value
    cute.arch.sync_threads()
    step = cute.Int32(THREADS // 2)
    while step > 0:
        if thread < step:
            if const_expr(largest):
                tile[thread] = max(tile[thread], tile[thread + step])
            else:
                tile[thread] = tile[thread] + tile[thread + step]
        cute.arch.sync_threads()
        step = step // 2
    result = tile[0]
    cute.arch.sync_threads()
    return result


@cute.kernel
def device_softmax(x: cute.Tensor, y: cute.Tensor):
    thread, _, _ = cute.arch.thread_idx()
    row, _, _ = cute.arch.block_idx()
    n = x.shape[1]
    tile = SmemAllocator().allocate_tensor(cute.Float32, THREADS)
    largest = cute.Float32(-3.4e38)
    for j in range(thread, n, THREADS):
        largest = max(largest, x[row, j])
    largest = block_reduce(tile, thread, largest, True)
    total = cute.Float32(0.0)
    for j in range(thread, n, THREADS):
        total += cute.math.exp(x[row, j] - largest)
    total = block_reduce(tile, thread, total, False)
    for j in range(thread, n, THREADS):
        y[row, j] = cute.math.exp(x[row, j] - largest) / total


@cute.jit
def softmax(x: cute.Tensor, y: cute.Tensor):
    """Work on rows, one block for each."""
    device_softmax(x, y).launch(grid=[x.shape[0], 1, 1], block=[THREADS, 1, 1])


HAND_WRITTEN = r"""
#include <math.h>
void add(const float *restrict a, const float *restrict b, float *restrict c, long n) {
#pragma omp parallel for
  for (long i = 0; i < n; ++i) c[i] = a[i] + b[i];
}
void block_sums(const float *restrict a, float *restrict sums, long n) {
#pragma omp parallel for
  for (long block = 0; block < n; ++block) {
    float sum = 0;
    for (long i = 0; i < 256; ++i) sum += a[block * 256 + i];
    sums[block] = sum;
  }
}
void softmax(const float *restrict x, float *restrict y, long rows) {
  const long n = COLUMNS;
#pragma omp parallel for
  for (long row = 0; row < rows; ++row) {
    const float *from = x + row * n;
    float *to = y + row * n, largest = from[0], total = 0;
    for (long j = 0; j < n; ++j) largest = from[j] > largest ? from[j] : largest;
    for (long j = 0; j < n; ++j) total += expf(from[j] - largest);
    for (long j = 0; j < n; ++j) to[j] = expf(from[j] - largest) / total;
  }
}
"""


def compiled(function, *arguments):
    return cute.compile(
        function, *(cute.runtime.from_dlpack(x, assumed_align=16) for x in arguments)
    )


def on_gpu(rounds: int) -> list[Row]:
    try:
        import torch
    except ImportError:
        return []
    if not torch.cuda.is_available():
        return []
    n = 1 << 30
    if torch.cuda.mem_get_info()[0] < 4 * n * 4:
        n = 1 << 26
    a, b, c = (torch.rand(n, device="cuda") for _ in range(3))
    run = compiled(add_wide, a, b, c)
    run(a, b, c)
    if not torch.equal(c, a + b):
        raise RuntimeError("the addition is wrong")

    def seconds(function) -> float:
        start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        start.record()
        function()
        end.record()
        end.synchronize()
        return start.elapsed_time(end) / 1e3

    own, copy = [], []
    for _ in range(max(11, rounds // 4)):
        own.append(12 * n / seconds(lambda: run(a, b, c)) / 1e12)
        copy.append(8 * n / seconds(lambda: c.copy_(a)) / 1e12)
    share = statistics.median(x / y for x, y in zip(own, copy))
    detail = f"{statistics.median(own):.3f} of {statistics.median(copy):.3f} TB/s: {share:.1%} of the copy"
    mean = statistics.median(own)
    return [
        Row(
            "GPU add, float32, 128-bit accesses: s per 12 TB",
            12 / mean,
            "s",
            12 / statistics.median(copy),
            "torch copy_",
            1 / share,
            f"n = {n}; {detail}",
        )
    ]


#: By peer: what gcc gets. Sums of floats in another order, and vector exponentials, need the second.
FLAGS = {"gcc -fopenmp": [], "the same -ffast-math": ["-ffast-math"]}


def libraries(folder: Path) -> dict[str, ctypes.CDLL]:
    """The functions by hand, by peer; none without gcc."""
    found: dict[str, ctypes.CDLL] = {}
    if shutil.which("gcc") is None:
        return found
    (folder / "hand.c").write_text(HAND_WRITTEN)
    command = ["gcc", "-O3", "-march=native", "-fopenmp", "-shared", "-fPIC", "hand.c"]
    for number, (peer, flags) in enumerate(FLAGS.items()):
        own = [*flags, f"-DCOLUMNS={COLUMNS}", "-o", f"hand{number}.so", "-lmvec", "-lm"]
        if subprocess.run([*command, *own], cwd=folder).returncode == 0:
            found[peer] = ctypes.CDLL(str(folder / f"hand{number}.so"))
    return found


def check(title: str, arrays: tuple[np.ndarray, ...], case: str | None = None) -> None:
    """Raise RuntimeError if the last array is not the result of the others."""
    name = case or title
    if name == "add":
        expected = arrays[0] + arrays[1]
    elif name == "block_sums":
        expected = arrays[0].reshape(-1, THREADS).sum(1, dtype=np.float64)
    else:
        powers = np.exp(arrays[0] - arrays[0].max(1, keepdims=True), dtype=np.float64)
        expected = powers / powers.sum(1, keepdims=True)
    if not np.allclose(arrays[-1], expected, rtol=1e-4, atol=1e-7):
        raise RuntimeError(f"{title} is wrong")


def on_cpu(rounds: int) -> list[Row]:
    n = 1 << 24
    generator = np.random.default_rng(0)
    a, b = (generator.random(n, dtype=np.float32) for _ in range(2))
    c, sums = np.zeros_like(a), np.zeros(n // THREADS, np.float32)
    rows_in, rows_out = (array.reshape(-1, COLUMNS) for array in (a, np.zeros_like(a)))
    pointer = ctypes.c_void_p
    rows = []
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        hand = libraries(folder)
        processes = _opencl.start(folder, a, b, COLUMNS, THREADS)

        def timer(function):
            def run(count: int) -> float:
                start = perf_counter()
                for _ in range(count):
                    function()
                return perf_counter() - start

            return run

        for name, function, arrays in (
            ("add", add, (a, b, c)),
            ("block_sums", block_sums, (a, sums)),
            ("softmax", softmax, (rows_in, rows_out)),
        ):
            options = "--target cpu"
            call = cute.compile(
                function, *(cute.runtime.from_dlpack(x) for x in arrays), options=options
            )
            timers = {"fairlead": timer(lambda call=call, arrays=arrays: call(*arrays))}
            passed = [pointer(x.ctypes.data) for x in arrays]
            size = ctypes.c_long({"add": n, "block_sums": n // THREADS}.get(name, n // COLUMNS))
            for peer, functions in hand.items():
                written = getattr(functions, name)
                timers[peer] = timer(lambda p=written, x=passed, s=size: p(*x, s))
            for peer, process in processes.items():
                saved = process.result(name, folder / "saved.bin")
                check(f"{name} of {peer}", (*arrays[:-1], saved.reshape(arrays[-1].shape)), name)
                timers[peer] = process.timer(name)
            samples = interleave(timers, max(5, rounds // 10), seconds=0.05)
            detail = "threads of a block wait at barriers" if name != "add" else None
            arrays[-1][:] = 0
            call(*arrays)
            check(name, arrays)
            title = f"CPU {name}, 2^24 float32"
            for peer in [*hand, *processes]:
                about = [detail] if detail else []
                if process := processes.get(peer):
                    about.append(f"{process.device}: {process.choices[name]}")
                joined = "; ".join(about) or None
                rows.append(compare(title, samples, "fairlead", peer, "ms", joined))
        for process in processes.values():
            process.close()
    return rows


def measure(rounds: int) -> list[Row]:
    return on_gpu(rounds) + on_cpu(rounds)


if __name__ == "__main__":
    sys.exit(main(__doc__.splitlines()[0], measure, with_peers=False))
