"""Two products in one kernel, the first one's accumulators as operand A of the second: attention without softmax, as
recommenders have it. On the CPU against float64; for GPUs through ptxas."""

import re
import subprocess

import numpy as np
import pytest
from support.gemm_programs import cute_allocator

from fairlead import BFloat16, Float16, Float32, cute
from fairlead.cute.nvgpu import CopyUniversalOp, LoadCacheMode, cpasync, warp

PTXAS = "/usr/local/cuda/bin/ptxas"


class GatedAttention:
    """O = (silu(Q K^T + bias) / n, where j <= i) V of one head: (n, d) each, bias (n, n).

    A block has 64 rows of Q and four warps, and goes along K and V by tiles of 64 rows.
    """

    ROWS, THREADS = 64, 128

    def __init__(self, dtype, width):
        self.dtype, self.width = dtype, width

    @cute.jit
    def __call__(
        self, q: cute.Tensor, k: cute.Tensor, v: cute.Tensor, bias: cute.Tensor, o: cute.Tensor
    ):
        op = warp.MmaF16BF16Op(self.dtype, Float32, (16, 8, 16))
        scores = cute.make_tiled_mma(op, (4, 1, 1), permutation_mnk=(64, 16, 16))
        sums = cute.make_tiled_mma(op, (4, 1, 1), permutation_mnk=(64, 16, 16))
        load = cute.make_copy_atom(
            cpasync.CopyG2SOp(LoadCacheMode.GLOBAL), self.dtype, num_bits_per_copy=128
        )
        threads = cute.make_layout((16, 8), stride=(8, 1))
        copy = cute.make_tiled_copy_tv(load, threads, cute.make_layout((1, 8)))
        self.kernel(q, k, v, bias, o, scores, sums, copy).launch(
            grid=(q.shape[0] // self.ROWS, 1, 1), block=(self.THREADS, 1, 1)
        )

    @cute.kernel
    def kernel(self, q, k, v, bias, o, scores, sums, copy):
        thread, _, _ = cute.arch.thread_idx()
        block, _, _ = cute.arch.block_idx()
        tile = (self.ROWS, self.width)
        atom = cute.make_layout((8, 64), stride=(64, 1))
        layout = cute.tile_to_shape(atom, tile, (0, 1))
        swizzle = cute.make_swizzle(3, 4, 3)
        memory = cute_allocator()
        sQ, sK, sV, sB = (
            memory.allocate_tensor(self.dtype, each, 1024, swizzle=swizzle)
            for each in (layout, layout, layout, cute.tile_to_shape(atom, (64, 64), (0, 1)))
        )
        gQ = cute.local_tile(q, tile, (block, 0))
        gK, gV = cute.local_tile(k, tile, (None, 0)), cute.local_tile(v, tile, (None, 0))
        gB = cute.local_tile(bias, (64, 64), (block, None))
        mine = copy.get_slice(thread)
        cute.copy(copy, mine.partition_S(gQ), mine.partition_D(sQ))

        # V by its columns: its mode N is the sum's K.
        sVt = cute.composition(sV, cute.make_layout((self.width, self.ROWS), stride=(self.ROWS, 1)))
        first, second = scores.get_slice(thread), sums.get_slice(thread)
        tSrQ = scores.make_fragment_A(first.partition_A(sQ))
        tSrK = scores.make_fragment_B(first.partition_B(sK))
        tOrV = sums.make_fragment_B(second.partition_B(sVt))
        tOrO = sums.make_fragment_C(sums.partition_shape_C(tile))
        tOrO.fill(0.0)
        rows = cute.make_copy_atom(warp.LdMatrix8x8x16bOp(False, 4), self.dtype)
        columns = cute.make_copy_atom(warp.LdMatrix8x8x16bOp(True, 4), self.dtype)
        loadQ, loadK = cute.make_tiled_copy_A(rows, scores), cute.make_tiled_copy_B(rows, scores)
        loadV, loadB = cute.make_tiled_copy_B(columns, sums), cute.make_tiled_copy_C(rows, scores)
        tBsB = loadB.get_slice(thread).partition_S(sB)
        cS = cute.make_identity_tensor((64, 64))
        tScS = first.partition_C(cS)
        for j in range(block + 1):
            for source, target in ((gK, sK), (gV, sV), (gB, sB)):
                cute.copy(copy, mine.partition_S(source[None, None, j]), mine.partition_D(target))
            cute.arch.cp_async_commit_group()
            cute.arch.cp_async_wait_group(0)
            cute.arch.sync_threads()
            cute.copy(loadQ, loadQ.get_slice(thread).partition_S(sQ), loadQ.retile(tSrQ))
            cute.copy(loadK, loadK.get_slice(thread).partition_S(sK), loadK.retile(tSrK))
            tSrS = scores.make_fragment_C(scores.partition_shape_C((64, 64)))
            tSrB = cute.make_fragment_like(tSrS, self.dtype)
            cute.copy(loadB, tBsB, loadB.retile(tSrB))
            tSrS.store(tSrB.load().to(Float32))
            cute.gemm(scores, tSrS, tSrQ, tSrK, tSrS)
            for i in cute.range_constexpr(cute.size(tSrS)):
                row, column = tScS[i]
                x = tSrS[i]
                gated = x / (1.0 + cute.math.exp(-x)) / Float32(q.shape[0])
                inside = j * 64 + column <= block * 64 + row
                tSrS[i] = gated if inside else Float32(0.0)
            tSrP = cute.make_fragment_like(tSrS, self.dtype)
            tSrP.store(tSrS.load().to(self.dtype))
            # ((2, 2), M, N) of the accumulator is ((2, 2, 2), M, N / 2) of A: two neighbours along N are one K.
            pairs = cute.logical_divide(tSrP.layout, (None, None, 2))
            as_a = cute.make_layout(
                (
                    (pairs.shape[0][0], pairs.shape[0][1], pairs.shape[2][0]),
                    pairs.shape[1],
                    pairs.shape[2][1],
                ),
                stride=(
                    (pairs.stride[0][0], pairs.stride[0][1], pairs.stride[2][0]),
                    pairs.stride[1],
                    pairs.stride[2][1],
                ),
            )
            tOrP = cute.make_tensor(tSrP.iterator, as_a)
            cute.copy(loadV, loadV.get_slice(thread).partition_S(sVt), loadV.retile(tOrV))
            cute.gemm(sums, tOrO, tOrP, tOrV, tOrO)
            cute.arch.sync_threads()
        tOgO = second.partition_C(cute.local_tile(o, tile, (block, 0)))
        result = cute.make_fragment_like(tOrO, self.dtype)
        result.store(tOrO.load().to(self.dtype))
        cute.copy(cute.make_copy_atom(CopyUniversalOp(), self.dtype), result, tOgO)


def compiled(dtype, width, options):
    n = cute.sym_int(divisibility=64)
    fakes = [
        cute.make_fake_compact_tensor(dtype, shape, stride_order=(1, 0), assumed_align=16)
        for shape in ((n, width), (n, width), (n, width), (n, n), (n, width))
    ]
    return cute.compile(GatedAttention(dtype, width), *fakes, options=options)


@pytest.mark.parametrize("width", [64, 128])
def test_accumulators_become_an_operand(width):
    function = compiled(Float16, width, "--target cpu")
    random = np.random.default_rng(8)
    n = 192
    q, k, v = ((random.standard_normal((n, width)) / 4).astype(np.float16) for _ in range(3))
    bias = random.standard_normal((n, n)).astype(np.float16)
    o = np.full((n, width), np.nan, np.float16)
    function(q, k, v, bias, o)
    wide = [each.astype(np.float64) for each in (q, k, v, bias)]
    scores = wide[0] @ wide[1].T + wide[3]
    weights = np.tril(scores / (1 + np.exp(-scores)) / n)
    np.testing.assert_allclose(o, weights @ wide[2], rtol=4e-3, atol=1e-4)


@pytest.mark.parametrize("arch", ["sm_80", "sm_90a"])
@pytest.mark.parametrize("dtype", [Float16, BFloat16])
def test_ptx(arch, dtype, tmp_path):
    text = compiled(dtype, 128, f"--target cuda:{arch}").__ptx__
    for instruction in (
        "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16",
        "mma.sync.aligned.m16n8k16.row.col.f32." + ("f16" if dtype is Float16 else "bf16"),
        "cp.async.cg.shared.global",
    ):
        assert instruction in text
    assert "ld.local" not in text and "st.local" not in text
    path = tmp_path / "kernel.ptx"
    path.write_text(text)
    try:
        subprocess.run([PTXAS, f"-arch={arch}", path, "-o", tmp_path / "kernel.cubin"], check=True)
    except FileNotFoundError:
        pytest.skip("no ptxas here")


def test_loops_carry_no_pointers():
    """A pointer for each row that a loop loads would take two registers of each thread."""
    text = compiled(Float16, 128, "--target cuda:sm_90a").__ptx__
    assert re.search(r"add\.s64 \t(%rd\d+), \1, ", text) is None
