"""Products in tensor memory that a program issues by inline PTX, as published attention kernels do, on the CPU."""

import numpy as np
import pytest
from support.functions_support import run

from fairlead import (
    Constexpr,
    Float16,
    Float32,
    Int32,
    Int64,
    cute,
    pipeline,
    primitives,
    range_constexpr,
)
from fairlead.cute._assembly import inline_asm
from fairlead.cute.nvgpu.tcgen05 import CtaGroup
from fairlead.primitives import Array
from fairlead.utils import SmemAllocator

M, N, K, STEP = 128, 32, 64, 16
#: Sums of Float32 of Float16.
DESCRIPTOR = 1 << 4 | N >> 3 << 17 | M >> 4 << 24
#: Registers of the kernel, which later assembly reads and writes: descriptors of A of two steps.
DECLARATION = f"""
    .reg .b32 kind;
    .reg .b64 rows_<2>, at;
    mov.b32 kind, {DESCRIPTOR:#x};
    mov.b64 rows_0, $0;
    add.s64 rows_1, $0, {M * STEP * 2 // 16};
    mov.b64 at, rows_0;
"""
#: Two steps by one thread of the warp. The next pair of steps finds A behind them.
PRODUCTS = f"""{{
    .reg .pred chosen, added;
    .reg .b64 kind, columns;
    elect.sync _|chosen, -1;
    setp.ne.b32 added, $2, 0;
    @chosen tcgen05.mma.cta_group::1.kind::f16 [$0], at, $1, {DESCRIPTOR:#x}, added;
    add.s64 columns, $1, {N * STEP * 2 // 16};
    @chosen tcgen05.mma.cta_group::1.kind::f16 [$0 + 0], rows_1, columns, {DESCRIPTOR:#x}, 1;
    add.s64 at, at, {2 * M * STEP * 2 // 16};
    add.s64 rows_1, rows_1, {2 * M * STEP * 2 // 16};
}}"""
LAST = "tcgen05.mma.cta_group::1.kind::f16 [$0], $1, $2, kind, 0;"
WAIT = """{
    .reg .pred done;
    WAIT: mbarrier.try_wait.parity.shared::cta.b64 done, [$0], $1, 10000000;
    @done bra DONE;
    bra WAIT;
    DONE:
}"""


@cute.struct
class Storage:
    done: Int64


def effect(assembly, operands, constraints):
    inline_asm(None, operands, assembly, constraints, has_side_effects=True)


@cute.jit
def product(t, a, b, out, again: Constexpr):
    left = Array(Float16, (K // 8, M, 8), space="smem", alignment=128)
    right = Array(Float16, (K // 8, N, 8), space="smem", alignment=128)
    storage = SmemAllocator().allocate(Storage)
    slot = Array(Int32, 1, space="smem")
    group = pipeline.CooperativeGroup(pipeline.Agent.Thread)
    full = pipeline.MbarrierArray(storage.done.ptr, 1, (pipeline.PipelineOp.TCGen05Mma, group))
    if t == 0:
        cute.arch.mbarrier_init(storage.done, 1)
    if t < 32:
        primitives.tcgen05_alloc(slot, 64)
        primitives.tcgen05_relinquish_alloc_permit()
    for column in range_constexpr(K):
        left[column // 8, t, column % 8] = a[t, column]
        if t < N:
            right[column // 8, t, column % 8] = b[t, column]
    primitives.fence_mbarrier_init()
    primitives.fence_proxy("async_shared", space=primitives.SharedSpace.shared_cta)
    primitives.barrier_cta_sync()
    if t < 32:
        rows = primitives.Tcgen05SmemDesc.build(left, M * 16, 128)
        columns = primitives.Tcgen05SmemDesc.build(right, N * 16, 128)
        effect(DECLARATION, [rows], "l")
        for pair in range(K // (2 * STEP)):
            step = columns + Int64(pair * (2 * N * STEP * 2 // 16))
            effect(PRODUCTS, [slot[0], step, Int32(pair > 0)], "r,l,r")
        if primitives.elect_sync():
            effect(LAST, [slot[0] + N, rows, columns], "r,l,l")
        full.arrive(0, None, CtaGroup.ONE)
    effect(WAIT, [storage.done.toint().to(Int32), Int32(0)], "r,r")
    primitives.tcgen05_fence("after_thread_sync")
    memory = primitives.make_tmem_ptr(slot[0], Float32)
    for first in range_constexpr(0, 2 * N, 8):
        base = primitives.TmemAddr.from_row_col(t // 32 * 32, (slot[0] & 0xFFFF) + first)
        sums = primitives.tcgen05_ld("32x32b", base.as_ptr(Float32), num=8)
        for i in range_constexpr(8):
            out[t, first + i] = sums[i]
    primitives.tcgen05_wait("load")
    primitives.barrier_cta_sync()
    if again or t < 32:
        primitives.tcgen05_dealloc(memory, 64)


def operands():
    rng = np.random.default_rng(5)
    a, b = (rng.standard_normal((rows, K)).astype(np.float16) for rows in (M, N))
    return a, b, np.zeros((M, 2 * N), np.float32)


@pytest.mark.parametrize("again", [False, True])
def test_products_by_ptx(again):
    a, b, out = operands()

    # With `again`, each of four warps frees the columns, as a library's kernels do.
    def body(t, a, b, out):
        product(t, a, b, out, again)

    run(body, a, b, out, threads=M)
    exact = [a[:, :k].astype(np.float64) @ b[:, :k].astype(np.float64).T for k in (K, STEP)]
    np.testing.assert_allclose(out, np.concatenate(exact, 1), rtol=0, atol=1e-4)
