"""Kernels with one mistake each, and without it (`bug` False), in Fairlead's own names."""

from __future__ import annotations

import numpy as np

from fairlead import Float32, Int32, Int64, cute, range


class Mistake:
    """A host function, its arguments and result, and what is found with the mistake.

    `kind` and `text` are of the finding: a part of its message, of a line of its accesses or of its hint.
    """

    def __init__(self, host, arguments, expected, kind, text):
        self.host, self.arguments, self.expected = host, arguments, expected
        self.kind, self.text = kind, text


MISTAKES: dict[str, Mistake] = {}
NUMBERS = np.arange(64, dtype=np.float32)


def mistake(kind, text, expected, *inputs):
    """Register a host function of tensors and `bug`; the last tensor is the result."""

    def register(host):
        result = np.zeros_like(expected)
        MISTAKES[host.__name__] = Mistake(host, (*inputs, result), expected, kind, text)
        return host

    return register


def shared(count, dtype=Float32, align=16):
    return cute.SmemAllocator().allocate_tensor(dtype, count, align)


@cute.kernel
def uncommitted(a: cute.Tensor, out: cute.Tensor, bug: cute.Constexpr):
    t, _, _ = cute.arch.thread_idx()
    s = shared(cute.make_layout((4, 16), stride=(1, 4)))
    atom = cute.make_copy_atom(cute.nvgpu.cpasync.CopyG2SOp(), Float32, num_bits_per_copy=128)
    cute.copy(atom, cute.make_tensor(a.iterator.align(16), s.layout)[None, t], s[None, t])
    if cute.const_expr(not bug):
        cute.arch.cp_async_commit_group()
    cute.arch.cp_async_wait_group(0)
    cute.arch.sync_threads()
    for j in range(4):
        out[4 * t + j] = s[j, 15 - t]


@mistake("race", "s[j, 15 - t]", NUMBERS.reshape(16, 4)[::-1].ravel().copy(), NUMBERS)
@cute.jit
def copies_that_no_group_has(a: cute.Tensor, out: cute.Tensor, bug: cute.Constexpr):
    uncommitted(a, out, bug).launch(grid=1, block=16)


@cute.kernel
def drained(a: cute.Tensor, out: cute.Tensor, bug: cute.Constexpr):
    t, _, _ = cute.arch.thread_idx()
    s = shared(cute.make_layout((4, 8, 2), stride=(1, 4, 32)))
    rows = cute.make_tensor(a.iterator.align(16), s.layout)
    atom = cute.make_copy_atom(cute.nvgpu.cpasync.CopyG2SOp(), Float32, num_bits_per_copy=128)
    for i in range(2):
        cute.copy(atom, rows[None, t, i], s[None, t, i])
        cute.arch.cp_async_commit_group()
    for i in cute.range_constexpr(2):
        cute.arch.cp_async_wait_group(1 if bug else 1 - i)
        cute.arch.sync_threads()
        for j in range(4):
            out[32 * i + 4 * t + j] = s[j, 7 - t, i]


@mistake("race", "s[j, 7 - t, i]", NUMBERS.reshape(2, 8, 4)[:, ::-1].ravel().copy(), NUMBERS)
@cute.jit
def the_last_group_is_not_waited_for(a: cute.Tensor, out: cute.Tensor, bug: cute.Constexpr):
    drained(a, out, bug).launch(grid=1, block=8)


@cute.kernel
def arrivals(a: cute.Tensor, out: cute.Tensor, bug: cute.Constexpr):
    t, _, _ = cute.arch.thread_idx()
    s = shared(32)
    full = cute.SmemAllocator().allocate(Int64)
    if t == 0:
        cute.arch.mbarrier_init(full, 64 if bug else 32)
    cute.arch.sync_threads()
    if t < 32:
        s[t] = a[t] + a[t + 32]
        cute.arch.mbarrier_arrive(full)
    else:
        cute.arch.mbarrier_wait(full, 0)
        out[t - 32] = s[63 - t]


@mistake("sync", "which lacks 32 arrivals", (NUMBERS[:32] + NUMBERS[32:])[::-1].copy(), NUMBERS)
@cute.jit
def an_mbarrier_for_all_threads(a: cute.Tensor, out: cute.Tensor, bug: cute.Constexpr):
    arrivals(a, out, bug).launch(grid=1, block=64)


@cute.kernel
def begun(a: cute.Tensor, out: cute.Tensor, bug: cute.Constexpr):
    t, _, _ = cute.arch.thread_idx()
    s = shared(32)
    full = cute.SmemAllocator().allocate(Int64)
    if t == 0:
        cute.arch.mbarrier_init(full, 32)
    if cute.const_expr(not bug):
        cute.arch.sync_threads()
    if t < 32:
        s[t] = a[t] * a[t + 32]
        cute.arch.mbarrier_arrive(full)
    else:
        cute.arch.mbarrier_wait(full, 0)
        out[t - 32] = s[63 - t]


@mistake("sync", "mbarrier", (NUMBERS[:32] * NUMBERS[32:])[::-1].copy(), NUMBERS)
@cute.jit
def an_mbarrier_that_others_may_not_know(a: cute.Tensor, out: cute.Tensor, bug: cute.Constexpr):
    begun(a, out, bug).launch(grid=1, block=64)


@cute.kernel
def rounds(a: cute.Tensor, out: cute.Tensor, bug: cute.Constexpr):
    t, _, _ = cute.arch.thread_idx()
    s = shared(cute.make_layout((32, 2)))
    full = cute.SmemAllocator().allocate(Int64)
    if t == 0:
        cute.arch.mbarrier_init(full, 32)
    cute.arch.sync_threads()
    for i in range(2):
        if t < 32:
            s[t, i] = a[32 * i + t]
            cute.arch.mbarrier_arrive(full)
        else:
            cute.arch.mbarrier_wait(full, 0 if bug else i)
            out[32 * i + t - 32] = s[63 - t, i]
        cute.arch.sync_threads()


@mistake("sync", "phase of parity 0", NUMBERS.reshape(2, 32)[:, ::-1].ravel().copy(), NUMBERS)
@cute.jit
def one_parity_for_all_rounds(a: cute.Tensor, out: cute.Tensor, bug: cute.Constexpr):
    rounds(a, out, bug).launch(grid=1, block=64)


@cute.kernel
def phases(a: cute.Tensor, sums: cute.Tensor, out: cute.Tensor, bug: cute.Constexpr):
    t, _, _ = cute.arch.thread_idx()
    b, _, _ = cute.arch.block_idx()
    if cute.const_expr(bug):
        sums[b * 16 + t] = a[b * 16 + t] * 2.0
        out[b * 16 + t] = sums[63 - (b * 16 + t)]
    else:
        out[b * 16 + t] = a[63 - (b * 16 + t)] * 2.0


@mistake("race", "sums[63 - (b * 16 + t)]", NUMBERS[::-1] * 2, NUMBERS, np.zeros(64, np.float32))
@cute.jit
def a_second_phase_without_the_grid(
    a: cute.Tensor, sums: cute.Tensor, out: cute.Tensor, bug: cute.Constexpr
):
    phases(a, sums, out, bug).launch(grid=4, block=16)


BINS = np.bincount(np.arange(64) % 7, minlength=8).astype(np.int32)


@cute.kernel
def counted(a: cute.Tensor, out: cute.Tensor, bug: cute.Constexpr):
    t, _, _ = cute.arch.thread_idx()
    s = shared(8, Int32)
    if t < 8:
        s[t] = 0
    cute.arch.sync_threads()
    if cute.const_expr(bug):
        s[a[t]] += 1
    else:
        cute.arch.atomic_add(s.iterator + a[t], Int32(1))
    cute.arch.sync_threads()
    if t < 8:
        out[t] = s[t]


@mistake("race", "s[a[t]] += 1", BINS, (np.arange(64) % 7).astype(np.int32))
@cute.jit
def a_histogram_of_plain_sums(a: cute.Tensor, out: cute.Tensor, bug: cute.Constexpr):
    counted(a, out, bug).launch(grid=1, block=64)


@cute.kernel
def cleared(a: cute.Tensor, out: cute.Tensor, bug: cute.Constexpr):
    t, _, _ = cute.arch.thread_idx()
    s = shared(8, Int32)
    if cute.const_expr(not bug):
        if t < 8:
            s[t] = 0
        cute.arch.sync_threads()
    cute.arch.atomic_add(s.iterator + a[t], Int32(1))
    cute.arch.sync_threads()
    if t < 8:
        out[t] = s[t]


@mistake("init", "", BINS, (np.arange(64) % 7).astype(np.int32))
@cute.jit
def a_histogram_that_nothing_clears(a: cute.Tensor, out: cute.Tensor, bug: cute.Constexpr):
    cleared(a, out, bug).launch(grid=1, block=64)


@cute.kernel
def padded(a: cute.Tensor, out: cute.Tensor, bug: cute.Constexpr):
    x, y, _ = cute.arch.thread_idx()
    memory = cute.SmemAllocator().allocate_array(Float32, 8 * 8 if bug else 8 * 9)
    s = cute.make_tensor(memory, cute.make_layout((8, 8), stride=(9, 1)))
    s[y, x] = a[y * 8 + x]
    cute.arch.sync_threads()
    out[y * 8 + x] = s[x, y]


@mistake("bounds", "s[y, x]", NUMBERS.reshape(8, 8).T.ravel().copy(), NUMBERS)
@cute.jit
def a_padded_tile_in_unpadded_memory(a: cute.Tensor, out: cute.Tensor, bug: cute.Constexpr):
    padded(a, out, bug).launch(grid=1, block=(8, 8, 1))


@cute.kernel
def scanned(a: cute.Tensor, out: cute.Tensor, bug: cute.Constexpr):
    t, _, _ = cute.arch.thread_idx()
    s = shared(64)
    s[t] = a[t]
    cute.arch.sync_threads()
    for k in range(6):
        before = Float32(0.0)
        if t >= 1 << k:
            before = s[t - (1 << k)]
        if cute.const_expr(not bug):
            cute.arch.sync_threads()
        s[t] = s[t] + before
        cute.arch.sync_threads()
    out[t] = s[t]


@mistake("race", "before = s[t - (1 << k)]", np.cumsum(NUMBERS, dtype=np.float32), NUMBERS)
@cute.jit
def a_scan_with_one_barrier(a: cute.Tensor, out: cute.Tensor, bug: cute.Constexpr):
    scanned(a, out, bug).launch(grid=1, block=64)


@cute.kernel
def kept(a: cute.Tensor, out: cute.Tensor, n: Int32, bug: cute.Constexpr):
    t, _, _ = cute.arch.thread_idx()
    r = cute.make_rmem_tensor(4, Float32)
    for j in range(n + 1 if bug else n):
        r[j] = a[4 * t + j % 4]
    total = Float32(0.0)
    for j in range(n):
        total += r[j]
    out[t] = total


@mistake("bounds", "r[j] = a[4 * t + j % 4]", NUMBERS.reshape(16, 4).sum(1), NUMBERS)
@cute.jit
def one_register_too_many(a: cute.Tensor, out: cute.Tensor, bug: cute.Constexpr):
    kept(a, out, a.shape[0] // 16, bug).launch(grid=1, block=16)


@cute.kernel
def tiled(a: cute.Tensor, out: cute.Tensor, bug: cute.Constexpr):
    t, _, _ = cute.arch.thread_idx()
    b, _, _ = cute.arch.block_idx()
    source, target = cute.local_tile(a, (24,), (b,)), cute.local_tile(out, (24,), (b,))
    if cute.const_expr(bug):
        target[t] = source[t] + 1.0
    else:
        if b * 24 + t < a.shape[0]:
            target[t] = source[t] + 1.0


@mistake("bounds", "target[t] = source[t] + 1.0", NUMBERS + 1, NUMBERS)
@cute.jit
def the_last_tile_without_a_condition(a: cute.Tensor, out: cute.Tensor, bug: cute.Constexpr):
    tiled(a, out, bug).launch(grid=cute.ceil_div(a.shape[0], 24), block=24)
