"""Products of matrices and attention on the CPU, beside torch's (MKL, oneDNN) on the same cores.

Products of 1024 x 1024 x 1024: Float32 by multiply-adds of threads, with stages of shared memory and a pipeline of
registers as programs for GPUs have them; ``ops.matmul`` of Float32 and BFloat16, also of one row and a matrix of 4096 x
4096. ``ops.attention`` of BFloat16, 8 heads and 1024 queries. And the first call of each: tracing, compiling, running.
"""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter

import torch
from _harness import Row, compare, interleave, loop, main

from fairlead import Float32, cute, ops
from fairlead.cute.nvgpu import CopyUniversalOp, MmaUniversalOp, cpasync

SIDE = 1024


class Sgemm:
    """C (M, N) = A (M, K) * B (N, K) by blocks of 128 x 128 x 8 and 256 threads with 8 x 8 elements each.

    A and B come by ``cp.async`` into three stages of shared memory, and from there into registers a step ahead.
    """

    TILE, STAGES, THREADS = (128, 128, 8), 3, 256

    @cute.jit
    def __call__(self, a: cute.Tensor, b: cute.Tensor, c: cute.Tensor):
        order = cute.make_layout((16, 4), stride=(4, 1))
        mma = cute.make_tiled_mma(
            MmaUniversalOp(Float32),
            cute.make_layout((16, 16, 1), stride=(16, 1, 0)),
            permutation_mnk=(order, order, None),
        )
        wide = cute.make_copy_atom(cpasync.CopyG2SOp(), Float32, num_bits_per_copy=128)
        copy = cute.make_tiled_copy_tv(wide, cute.make_layout((32, 8)), cute.make_layout((4, 1)))
        grid = (*cute.ceil_div(c.shape, self.TILE[:2]), 1)
        self.kernel(a, b, c, mma, copy).launch(grid=grid, block=(self.THREADS, 1, 1))

    @cute.kernel
    def kernel(
        self,
        a: cute.Tensor,
        b: cute.Tensor,
        c: cute.Tensor,
        mma: cute.TiledMma,
        copy: cute.TiledCopy,
    ):
        thread, _, _ = cute.arch.thread_idx()
        x, y, _ = cute.arch.block_idx()
        rows, columns, steps = self.TILE
        memory = cute.SmemAllocator()
        shared = cute.make_layout((rows, steps, self.STAGES))
        sA = memory.allocate_tensor(Float32, shared, 16)
        sB = memory.allocate_tensor(Float32, shared, 16)
        gC = cute.local_tile(c, (rows, columns), (x, y))
        mine = copy.get_slice(thread)
        tAgA, tAsA = (
            mine.partition_S(cute.local_tile(a, (rows, steps), (x, None))),
            mine.partition_D(sA),
        )
        tBgB, tBsB = (
            mine.partition_S(cute.local_tile(b, (columns, steps), (y, None))),
            mine.partition_D(sB),
        )
        tiles = cute.size(tAgA, mode=[3])
        for stage in cute.range_constexpr(self.STAGES - 1):
            cute.copy(copy, tAgA[None, None, None, stage], tAsA[None, None, None, stage])
            cute.copy(copy, tBgB[None, None, None, stage], tBsB[None, None, None, stage])
            cute.arch.cp_async_commit_group()

        part = mma.get_slice(thread)
        tCsA, tCsB, tCgC = part.partition_A(sA), part.partition_B(sB), part.partition_C(gC)
        tCrA = mma.make_fragment_A(tCsA[None, None, None, 0])
        tCrB = mma.make_fragment_B(tCsB[None, None, None, 0])
        tCrC = mma.make_fragment_C(tCgC)
        tCrC.fill(0.0)
        read, write, following = (
            cute.Int32(0),
            cute.Int32(self.STAGES - 1),
            cute.Int32(self.STAGES - 1),
        )
        cute.arch.cp_async_wait_group(self.STAGES - 2)
        cute.arch.sync_threads()
        cute.autovec_copy(tCsA[None, None, 0, 0], tCrA[None, None, 0])
        cute.autovec_copy(tCsB[None, None, 0, 0], tCrB[None, None, 0])
        for _ in range(tiles):
            for k in cute.range_constexpr(steps):
                if k == steps - 1:
                    cute.arch.cp_async_wait_group(self.STAGES - 2)
                    cute.arch.sync_threads()
                stage, ahead = read, (k + 1) % steps
                cute.autovec_copy(tCsA[None, None, ahead, stage], tCrA[None, None, ahead])
                cute.autovec_copy(tCsB[None, None, ahead, stage], tCrB[None, None, ahead])
                if k == 0:
                    cute.copy(
                        copy, tAgA[None, None, None, following], tAsA[None, None, None, write]
                    )
                    cute.copy(
                        copy, tBgB[None, None, None, following], tBsB[None, None, None, write]
                    )
                    cute.arch.cp_async_commit_group()
                    write, read = read, (read + 1) % self.STAGES
                    # Beyond the last tile the first ones come again, which nobody reads.
                    following = following + 1 if following + 1 < tiles else cute.Int32(0)
                cute.gemm(mma, tCrC, tCrA[None, None, k], tCrB[None, None, k], tCrC)
        cute.arch.cp_async_wait_group(0)
        cute.arch.sync_threads()
        cute.copy(cute.make_copy_atom(CopyUniversalOp(), Float32), tCrC, tCgC)


def compiled_sgemm():
    m, n = cute.sym_int(divisibility=128), cute.sym_int(divisibility=128)
    k = cute.sym_int(divisibility=8)
    columns = [
        cute.runtime.make_fake_compact_tensor(Float32, (side, k), assumed_align=16)
        for side in (m, n)
    ]
    result = cute.runtime.make_fake_compact_tensor(
        Float32, (m, n), stride_order=(1, 0), assumed_align=16
    )
    return cute.compile(Sgemm(), *columns, result, options="--target cpu --no-cache")


def product_rows(
    case: str, own, peer, check: tuple[torch.Tensor, torch.Tensor, float], rounds: int
) -> Row:
    own()
    got, expected, tolerance = check
    worst = float((got.double() - expected).abs().max() / expected.abs().max())
    if not worst <= tolerance:
        raise AssertionError(f"{case}: off by {worst:.2e} of the largest element")
    row = compared(case, own, peer, "torch.matmul", rounds)
    row.detail = (
        f"{2 * SIDE**3 / row.value / 1e6:.1f} GFLOP/s, {1 / row.ratio:.2f} of torch's speed"
    )
    return row


def compared(
    case: str, own: Callable[[], object], peer: Callable[[], object], peer_name: str, rounds: int
) -> Row:
    samples = interleave({"own": loop(own), "torch": loop(peer)}, rounds, seconds=0.05)
    return compare(case, samples, "own", "torch", "ms", peer_name=peer_name)


def attention_rows(rounds: int) -> list[Row]:
    report = []
    torch_attention = torch.nn.functional.scaled_dot_product_attention
    for head_dim, causal in ((64, False), (128, True)):
        q, k, v = (torch.randn(1, 8, SIDE, head_dim).bfloat16() for _ in range(3))
        expected = torch_attention(q.double(), k.double(), v.double(), is_causal=causal)
        error = (ops.attention(q, k, v, causal=causal).double() - expected).abs().max()
        if not error <= 0.02:
            raise AssertionError(f"ops.attention: off by {error:.2e}")
        name = f"ops.attention, heads of {head_dim}{', causal' if causal else ''}, bfloat16"
        row = compared(
            name,
            lambda q=q, k=k, v=v, causal=causal: ops.attention(q, k, v, causal=causal),
            lambda q=q, k=k, v=v, causal=causal: torch_attention(q, k, v, is_causal=causal),
            "torch",
            rounds,
        )
        row.detail = f"{1 / row.ratio:.2f} of torch's speed"
        report.append(row)
    return report


def one_row(rounds: int) -> list[Row]:
    """Products of one row and a matrix with contiguous columns, as the weight of a layer has, or contiguous rows."""
    report, side = [], 4096
    for dtype, tolerance in ((torch.float32, 1e-5), (torch.bfloat16, 1e-2)):
        x, weight = torch.randn(1, side).to(dtype), torch.randn(side, side).to(dtype)
        for kind, b in (("columns", weight.T), ("rows", weight)):
            out, other = torch.empty(1, side, dtype=dtype), torch.empty(1, side, dtype=dtype)
            name = str(dtype).removeprefix("torch.")
            ours = lambda x=x, b=b, out=out: ops.matmul(x, b, out=out)  # noqa: E731
            peer = lambda x=x, b=b, other=other: torch.matmul(x, b, out=other)  # noqa: E731
            ours()
            exact = x.double() @ b.double()
            error = float((out.double() - exact).abs().max() / exact.abs().max())
            if not error <= tolerance:
                raise AssertionError(f"one row, {name}: off by {error:.2e} of the largest element")
            row = compared(
                f"ops.matmul, 1 x {side} x {side} {name}, contiguous {kind}",
                ours,
                peer,
                "torch",
                rounds,
            )
            row.detail = f"{1 / row.ratio:.2f} of torch's speed"
            report.append(row)
    return report


def measure(rounds: int) -> list[Row]:
    torch.manual_seed(0)
    a, b = torch.randn(SIDE, SIDE), torch.randn(SIDE, SIDE)
    exact = a.double() @ b.double()
    c, reference = torch.empty(SIDE, SIDE), torch.empty(SIDE, SIDE)
    columns, rows = a.T.contiguous().T, b.contiguous()
    start = perf_counter()
    sgemm = compiled_sgemm()
    compile_time = perf_counter() - start
    first = [Row("sgemm, compile", 1e3 * compile_time, "ms")]
    report = [
        product_rows(
            "sgemm, tiled, 1024^3 float32",
            lambda: sgemm(columns, rows.T, c),
            lambda: torch.matmul(columns, rows, out=reference),
            (c, exact, 1e-5),
            rounds,
        )
    ]
    for dtype, tolerance in ((torch.float32, 1e-5), (torch.bfloat16, 1e-2)):
        x, y = a.to(dtype), b.T.contiguous().to(dtype)
        out, other = torch.empty(SIDE, SIDE, dtype=dtype), torch.empty(SIDE, SIDE, dtype=dtype)
        name = str(dtype).removeprefix("torch.")
        start = perf_counter()
        ops.matmul(x, y.T, out=out)
        first.append(Row(f"ops.matmul, {name}, first call", 1e3 * (perf_counter() - start), "ms"))
        report.append(
            product_rows(
                f"ops.matmul, 1024^3 {name}",
                lambda x=x, y=y, out=out: ops.matmul(x, y.T, out=out),
                lambda x=x, y=y, other=other: torch.matmul(x, y.T, out=other),
                (out, x.double() @ y.double().T, tolerance),
                rounds,
            )
        )
    return report + one_row(rounds) + attention_rows(rounds) + first


if __name__ == "__main__":
    raise SystemExit(main(__doc__.splitlines()[0], measure, with_peers=False))
