"""Loops inside threads that the CPU turns inside out give the results of threads that run one by one."""

import numpy as np
import pytest

from fairlead import cute
from fairlead.utils import SmemAllocator

THREADS = 64


@cute.kernel
def device_strided(a: cute.Tensor, out: cute.Tensor, n: cute.Int32, first: cute.Int32):
    t, _, _ = cute.arch.thread_idx()
    x, _, _ = cute.arch.block_idx()
    total, most, count = cute.Float32(0.0), cute.Float32(-1.0), cute.Int32(0)
    for j in range(t + first, n, THREADS):
        total += a[x, j]
        most = max(most, a[x, j])
        count += 1
    out[x, t] = total
    out[x, THREADS + t] = most
    out[x, 2 * THREADS + t] = count.to(cute.Float32)


@cute.kernel
def device_guarded(a: cute.Tensor, out: cute.Tensor, n: cute.Int32, first: cute.Int32):
    t, _, _ = cute.arch.thread_idx()
    x, _, _ = cute.arch.block_idx()
    total = cute.Float32(0.0)
    before = cute.Float32(0.5)
    if n > 3:
        for i in range((n + THREADS - 1) // THREADS):
            j = i * THREADS + t
            if j < n:
                total = total * 0.5 + a[x, j]
            else:
                before = before + 1.0
    out[x, t] = total
    out[x, THREADS + t] = before


@cute.kernel
def device_nested(a: cute.Tensor, out: cute.Tensor, n: cute.Int32, first: cute.Int32):
    """The rounds of one loop are as many as another found; both orders of nesting."""
    t, _, _ = cute.arch.thread_idx()
    x, _, _ = cute.arch.block_idx()
    rounds = cute.Int32(0)
    for j in range(t, n, THREADS):
        if a[x, j] > 0.5:
            rounds += 1
    total = cute.Float32(0.0)
    for i in range(rounds):
        total += a[x, t % n] * i
    for i in range(3):
        for j in range(t, n, THREADS):
            total += a[x, j] * (i + 1)
            out[x, 2 * THREADS + t] = total
    for j in range(t, n, THREADS):
        for i in range(2):
            total = total * 0.5 + a[x, j] + i
    out[x, t] = total
    out[x, THREADS + t] = rounds.to(cute.Float32)


@cute.kernel
def device_waiting(a: cute.Tensor, out: cute.Tensor, n: cute.Int32, first: cute.Int32):
    t, _, _ = cute.arch.thread_idx()
    x, _, _ = cute.arch.block_idx()
    tile = SmemAllocator().allocate_tensor(cute.Float32, THREADS)
    total = cute.Float32(0.0)
    for _ in range(3):
        for j in range(t + first, n, THREADS):
            total += a[x, j]
        tile[t] = total
        cute.arch.sync_threads()
        total += tile[(t + 1) % THREADS]
        cute.arch.sync_threads()
    if t == n % THREADS:
        out[x, THREADS] = total
    if t == 5:
        if n > 5:
            out[x, THREADS + 1] = tile[7]
    out[x, t] = total


@cute.kernel
def device_own_memory(a: cute.Tensor, out: cute.Tensor, n: cute.Int32, first: cute.Int32):
    t, _, _ = cute.arch.thread_idx()
    x, _, _ = cute.arch.block_idx()
    kept = cute.make_rmem_tensor(4, cute.Float32)
    kept.fill(0.0)
    for j in range(t, n, THREADS):
        kept[j % 4] = kept[j % 4] + a[x, j]
        out[x, 2 * THREADS + t] = kept[0]
    out[x, t] = kept[0] + kept[1] * 2.0 + kept[2] * 3.0 + kept[3] * 4.0


KERNELS = [device_strided, device_guarded, device_nested, device_waiting, device_own_memory]


@pytest.mark.parametrize("device", KERNELS, ids=lambda kernel: kernel.function.__name__)
@pytest.mark.parametrize("known", [True, False], ids=["block-known", "block-at-run-time"])
def test_same_as_by_themselves(device, known, monkeypatch):
    @cute.jit
    def run(a: cute.Tensor, out: cute.Tensor, n: cute.Int32, first: cute.Int32, block: cute.Int32):
        threads = THREADS if known else block
        device(a, out, n, first).launch(grid=[3, 1, 1], block=[threads, 1, 1])

    a = np.random.default_rng(0).random((3, 1000), np.float32)
    results = {}
    for form in ("0", "1"):
        monkeypatch.setenv("FAIRLEAD_CPU_COROUTINES", form)
        out = np.zeros((3, 3 * THREADS), np.float32)
        compiled = cute.compile(run, a, out, 1, 0, THREADS, options="--target cpu")
        for n in (0, 1, 4, 63, 64, 65, 200, 1000):
            for first in (0, 3, -40):
                if n + first < 0 or (first < 0 and device is not device_guarded):
                    continue
                out = np.full((3, 3 * THREADS), -7, np.float32)
                compiled(a, out, n, first, THREADS)
                results.setdefault((n, first), []).append(out)
    for case, (split, alone) in results.items():
        np.testing.assert_array_equal(split, alone, str(case))


def test_rows_of_threads(monkeypatch):
    """In blocks of several rows, and from where the index would not fit its type any more."""

    @cute.kernel
    def device(a: cute.Tensor, out: cute.Tensor, first: cute.Int32, end: cute.Int32):
        x, y, _ = cute.arch.thread_idx()
        count = cute.Int32(0)
        total = cute.Float32(0.0)
        for _ in range(x + first, end, 32):
            count += 1
            total += a[y, x]
        out[y, x] = total + count.to(cute.Float32)

    @cute.jit
    def run(a: cute.Tensor, out: cute.Tensor, first: cute.Int32, end: cute.Int32):
        device(a, out, first, end).launch(grid=[1, 1, 1], block=[32, 4, 1])

    a = np.random.default_rng(0).random((4, 32), np.float32)
    results = []
    for form in ("0", "1"):
        monkeypatch.setenv("FAIRLEAD_CPU_COROUTINES", form)
        for first, end in ((0, 100), (-50, 40), (2**31 - 200, 2**31 - 50)):
            out = np.zeros((4, 32), np.float32)
            # Compiled again: a direct call would find the other form's program.
            cute.compile(run, a, out, 0, 0, options="--target cpu")(a, out, first, end)
            results.append(out)
    for split, alone in zip(results[:3], results[3:], strict=True):
        np.testing.assert_array_equal(split, alone)


def test_that_it_vectorizes():
    @cute.jit
    def run(a: cute.Tensor, out: cute.Tensor, n: cute.Int32):
        device_strided(a, out, n, 0).launch(grid=[3, 1, 1], block=[THREADS, 1, 1])

    a, out = np.zeros((3, 100), np.float32), np.zeros((3, 192), np.float32)
    text = cute.compile(run, a, out, 1, options="--target cpu:x86-64-v3 --no-cache").ir
    assert "@llvm.maximum.v8f32" in text
