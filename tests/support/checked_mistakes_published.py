"""Kernels with one mistake each, and without it (`bug` False), in published names."""

from __future__ import annotations

import numpy as np

import fairlead.compat  # noqa: F401  before the names that it defines
from support.checked_mistakes import NUMBERS, mistake

# isort: split
import cutlass
import cutlass.cute as cute
from cutlass import Float32, Int32


def shared(layout, dtype=cutlass.Float32):
    return cutlass.utils.SmemAllocator().allocate_tensor(dtype, layout, byte_alignment=16)


@cute.kernel
def in_warp(a: cute.Tensor, out: cute.Tensor, bug: cutlass.Constexpr):
    tidx, _, _ = cute.arch.thread_idx()
    s = shared(cute.make_layout(64))
    s[tidx] = a[tidx]
    if cutlass.const_expr(not bug):
        cute.arch.sync_warp()
    out[tidx] = s[tidx ^ 1]


@mistake("race", "out[tidx] = s[tidx ^ 1]", NUMBERS.reshape(32, 2)[:, ::-1].ravel().copy(), NUMBERS)
@cute.jit
def an_exchange_that_trusts_the_warp(a: cute.Tensor, out: cute.Tensor, bug: cutlass.Constexpr):
    in_warp(a, out, bug).launch(grid=(1, 1, 1), block=(64, 1, 1))


@cute.kernel
def of_peer(a: cute.Tensor, out: cute.Tensor, bug: cutlass.Constexpr, ends: cutlass.Constexpr):
    tidx, _, _ = cute.arch.thread_idx()
    rank = cute.arch.block_idx_in_cluster()
    s = shared(cute.make_layout(32))
    s[tidx] = a[rank * 32 + tidx]
    if cutlass.const_expr(not bug):
        cute.arch.cluster_arrive()
        cute.arch.cluster_wait()
    peer = cute.arch.map_dsmem_ptr(s.iterator, rank ^ 1)
    out[rank * 32 + tidx] = cute.make_tensor(peer, s.layout)[31 - tidx]
    if cutlass.const_expr(not ends):
        cute.arch.cluster_arrive()
        cute.arch.cluster_wait()


@mistake("race", "cute.arch.cluster_wait() between these lines", NUMBERS[::-1].copy(), NUMBERS)
@cute.jit
def shared_memory_of_a_block_that_may_be_late(
    a: cute.Tensor, out: cute.Tensor, bug: cutlass.Constexpr
):
    of_peer(a, out, bug, False).launch(grid=(2, 1, 1), block=(32, 1, 1), cluster=(2, 1, 1))


@mistake("sync", "of a block that may have ended", NUMBERS[::-1].copy(), NUMBERS)
@cute.jit
def shared_memory_of_a_block_that_may_be_gone(
    a: cute.Tensor, out: cute.Tensor, bug: cutlass.Constexpr
):
    of_peer(a, out, False, bug).launch(grid=(2, 1, 1), block=(32, 1, 1), cluster=(2, 1, 1))


@cute.kernel
def in_dynamic(a: cute.Tensor, out: cute.Tensor):
    tidx, _, _ = cute.arch.thread_idx()
    memory = cute.arch.get_dyn_smem(Float32, alignment=16)
    s = cute.make_tensor(memory, cute.make_layout(64))
    s[tidx] = a[tidx]
    cute.arch.sync_threads()
    out[tidx] = s[63 - tidx]


@mistake("bounds", "s[tidx] = a[tidx]", NUMBERS[::-1].copy(), NUMBERS)
@cute.jit
def a_launch_with_half_of_the_memory(a: cute.Tensor, out: cute.Tensor, bug: cutlass.Constexpr):
    in_dynamic(a, out).launch(grid=(1, 1, 1), block=(64, 1, 1), smem=128 if bug else 256)


@cute.kernel
def of_pairs(a: cute.Tensor, out: cute.Tensor, bug: cutlass.Constexpr):
    tidx, _, _ = cute.arch.thread_idx()
    bidx, _, _ = cute.arch.block_idx()
    start = (bidx // 2 if bug else bidx) * 16
    out[start + tidx] = a[bidx * 16 + tidx]


@mistake("race", "out[start + tidx]", NUMBERS, NUMBERS)
@cute.jit
def two_blocks_of_one_tile(a: cute.Tensor, out: cute.Tensor, bug: cutlass.Constexpr):
    of_pairs(a, out, bug).launch(grid=(4, 1, 1), block=(16, 1, 1))


@cute.kernel
def summed(a: cute.Tensor, out: cute.Tensor, bug: cutlass.Constexpr):
    tidx, _, _ = cute.arch.thread_idx()
    if cutlass.const_expr(bug):
        if tidx == 0:
            out[0] = a[0]
        else:
            cute.arch.atomic_add(out.iterator, a[tidx])
    else:
        cute.arch.atomic_add(out.iterator, a[tidx])


@mistake("race", "out[0] = a[0]", np.array([NUMBERS.sum()], np.float32), NUMBERS)
@cute.jit
def a_store_among_atomic_sums(a: cute.Tensor, out: cute.Tensor, bug: cutlass.Constexpr):
    summed(a, out, bug).launch(grid=(1, 1, 1), block=(64, 1, 1))


@cute.kernel
def announced(a: cute.Tensor, out: cute.Tensor, bug: cutlass.Constexpr):
    tidx, _, _ = cute.arch.thread_idx()
    s = shared(cute.make_layout(32))
    if tidx < 32:
        if cutlass.const_expr(bug):
            cute.arch.barrier_arrive(barrier_id=1, number_of_threads=64)
        s[tidx] = a[tidx] + a[tidx + 32]
        if cutlass.const_expr(not bug):
            cute.arch.barrier_arrive(barrier_id=1, number_of_threads=64)
    else:
        cute.arch.barrier(barrier_id=1, number_of_threads=64)
        out[tidx - 32] = s[63 - tidx]


@mistake("race", "s[63 - tidx]", (NUMBERS[:32] + NUMBERS[32:])[::-1].copy(), NUMBERS)
@cute.jit
def an_arrival_before_the_store(a: cute.Tensor, out: cute.Tensor, bug: cutlass.Constexpr):
    announced(a, out, bug).launch(grid=(1, 1, 1), block=(64, 1, 1))


@cute.kernel
def repeated(a: cute.Tensor, out: cute.Tensor, bug: cutlass.Constexpr):
    tidx, _, _ = cute.arch.thread_idx()
    rows = cute.make_tensor(out.iterator, cute.make_layout((8, 8), stride=(0 if bug else 8, 1)))
    rows[tidx // 8, tidx % 8] = a[tidx]


@mistake("race", "rows[tidx // 8, tidx % 8] = a[tidx]", NUMBERS, NUMBERS)
@cute.jit
def an_output_with_stride_0(a: cute.Tensor, out: cute.Tensor, bug: cutlass.Constexpr):
    repeated(a, out, bug).launch(grid=(1, 1, 1), block=(64, 1, 1))


@cute.kernel
def by_warps(a: cute.Tensor, out: cute.Tensor, bug: cutlass.Constexpr):
    tidx, _, _ = cute.arch.thread_idx()
    partial = shared(cute.make_layout(4))
    total = cute.arch.warp_reduction_sum(a[tidx])
    if tidx % 32 == 0:
        partial[tidx // 32] = total
    cute.arch.sync_threads()
    if tidx == 0:
        result = Float32(0.0)
        for w in cutlass.range(4 if bug else 2):
            result += partial[w]
        out[0] = result


@mistake("init", "out[0] = result", np.array([NUMBERS.sum()], np.float32), NUMBERS)
@cute.jit
def more_partial_sums_than_warps(a: cute.Tensor, out: cute.Tensor, bug: cutlass.Constexpr):
    by_warps(a, out, bug).launch(grid=(1, 1, 1), block=(64, 1, 1))


@cute.kernel
def as_words(a: cute.Tensor, out: cute.Tensor, bug: cutlass.Constexpr):
    tidx, _, _ = cute.arch.thread_idx()
    words, results = cute.recast_tensor(a, Int32), cute.recast_tensor(out, Int32)
    for i in cutlass.range(tidx, 64 if bug else 32, 32):
        results[i] = words[i]


HALVES = np.arange(64, dtype=np.float16)


@mistake("bounds", "results[i] = words[i]", HALVES, HALVES)
@cute.jit
def words_counted_as_halves(a: cute.Tensor, out: cute.Tensor, bug: cutlass.Constexpr):
    flat = cute.make_layout(64)
    a, out = (
        cute.make_tensor(a.iterator.align(4), flat),
        cute.make_tensor(out.iterator.align(4), flat),
    )
    as_words(a, out, bug).launch(grid=(1, 1, 1), block=(32, 1, 1))


@cute.kernel
def by_one(a: cute.Tensor, out: cute.Tensor, bug: cutlass.Constexpr):
    tidx, _, _ = cute.arch.thread_idx()
    s = shared(cute.make_layout(1))
    if cute.arch.warp_idx() == 0:
        with cute.arch.elect_one():
            s[0] = a[63]
            if cutlass.const_expr(bug):
                cute.arch.sync_threads()
    if cutlass.const_expr(not bug):
        cute.arch.sync_threads()
    out[tidx] = s[0] - a[tidx]


@mistake("sync", "", 63 - NUMBERS, NUMBERS)
@cute.jit
def a_barrier_of_the_elected_thread(a: cute.Tensor, out: cute.Tensor, bug: cutlass.Constexpr):
    by_one(a, out, bug).launch(grid=(1, 1, 1), block=(64, 1, 1))


@cute.kernel
def accumulated(a: cute.Tensor, out: cute.Tensor, mma: cute.TiledMma, bug: cutlass.Constexpr):
    tidx, _, _ = cute.arch.thread_idx()
    thr = mma.get_slice(tidx)
    tA, tB, tC = thr.partition_A(a), thr.partition_B(a), thr.partition_C(out)
    rA, rB, rC = mma.make_fragment_A(tA), mma.make_fragment_B(tB), mma.make_fragment_C(tC)
    cute.autovec_copy(tA, rA)
    cute.autovec_copy(tB, rB)
    if cutlass.const_expr(not bug):
        rC.fill(0.0)
    cute.gemm(mma, rC, rA, rB, rC)
    cute.autovec_copy(rC, tC)


SQUARE = NUMBERS.reshape(8, 8)


@mistake("init", "cute.autovec_copy(rC, tC)", SQUARE @ SQUARE.T, SQUARE)
@cute.jit
def sums_that_nothing_clears(a: cute.Tensor, out: cute.Tensor, bug: cutlass.Constexpr):
    mma = cute.make_tiled_mma(cute.nvgpu.MmaUniversalOp(Float32), cute.make_layout((8, 8, 1)))
    square = cute.make_layout((8, 8), stride=(8, 1))
    a, out = cute.make_tensor(a.iterator, square), cute.make_tensor(out.iterator, square)
    accumulated(a, out, mma, bug).launch(grid=(1, 1, 1), block=(64, 1, 1))
