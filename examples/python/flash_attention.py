"""Attention in one kernel, with tensor cores: softmax(scale * Q K^T) V, no matrix of scores in memory.

A block of threads owns a tile of queries and goes through the keys from the last tile to the first. Tiles come by
``cp.async``: V's while the scores are computed, the next of K while the sums are. Scores, probabilities and sums stay
in registers; a row's maximum and sum are kept while tiles go by, and what was summed is scaled when the maximum grows
(FlashAttention 2).

    python flash_attention.py                  # a check against torch, on a GPU if there is one
    python flash_attention.py --benchmark      # 4 x 16 heads x 8192 x 128 on a GPU, beside torch
"""

from __future__ import annotations

import argparse
import math
from types import SimpleNamespace

import fairlead
from fairlead import Boolean, Constexpr, Float32, Int32, cute, pipeline, range_constexpr
from fairlead.cute.nvgpu import CopyUniversalOp, LoadCacheMode, cpasync, warp


class FlashAttention:
    """Q (batch, queries, heads, head_dim), K and V (batch, keys, heads, head_dim), O like Q, of one type of 16 bits.

    With ``is_causal`` query i sees the keys up to i. ``head_dim`` is a multiple of 8, and its stride is 1."""

    def __init__(self, head_dim, m_block=128, n_block=64, num_threads=128, is_causal=False):
        if head_dim % 8 or m_block % (num_threads // 2) or n_block % 16:
            raise ValueError(
                "head_dim is a multiple of 8, m_block one of num_threads / 2, n_block one of 16"
            )
        self.head_dim, self.is_causal = head_dim, is_causal
        self.padded = -(-head_dim // 32) * 32
        self.m_block, self.n_block, self.num_threads = m_block, n_block, num_threads
        self.barrier = pipeline.NamedBarrier(barrier_id=1, num_threads=num_threads)

    @cute.jit
    def __call__(
        self,
        mQ: cute.Tensor,
        mK: cute.Tensor,
        mV: cute.Tensor,
        mO: cute.Tensor,
        softmax_scale: Float32,
        stream: cute.cuda.CUstream,
    ):
        dtype = mQ.element_type
        if fairlead.const_expr(
            not (dtype is mK.element_type is mV.element_type is mO.element_type)
        ):
            raise TypeError("Q, K, V and O are of one type")
        # Rows of 64 (or 32) elements, with chunks of 16 bytes exchanged so that 8 rows of ldmatrix lie in 8 banks.
        width = 64 if self.padded % 64 == 0 else 32
        atom = cute.make_composed_layout(
            cute.make_swizzle(3 if width == 64 else 2, 3, 3),
            0,
            cute.make_layout((8, width), stride=(width, 1)),
        )
        sQ_layout = cute.tile_to_shape(atom, (self.m_block, self.padded), (0, 1))
        sKV_layout = cute.tile_to_shape(atom, (self.n_block, self.padded), (0, 1))

        @cute.struct
        class SharedStorage:
            q: cute.struct.Align[cute.struct.MemRange[dtype, cute.cosize(sQ_layout)], 1024]
            k: cute.struct.Align[cute.struct.MemRange[dtype, cute.cosize(sKV_layout)], 1024]
            v: cute.struct.Align[cute.struct.MemRange[dtype, cute.cosize(sKV_layout)], 1024]

        threads = cute.make_layout(
            (self.num_threads // (width // 8), width // 8), stride=(width // 8, 1)
        )
        values = cute.make_layout((1, 8))
        load = cute.make_copy_atom(
            cpasync.CopyG2SOp(cache_mode=LoadCacheMode.GLOBAL), dtype, num_bits_per_copy=128
        )
        store = cute.make_copy_atom(CopyUniversalOp(), dtype, num_bits_per_copy=128)
        warps = self.num_threads // 32
        tiled_mma = cute.make_tiled_mma(
            warp.MmaF16BF16Op(dtype, Float32, (16, 8, 16)),
            (warps, 1, 1),
            permutation_mnk=(warps * 16, 16, 16),
        )
        grid = (
            cute.ceil_div(cute.size(mQ, mode=[1]), self.m_block),
            cute.size(mQ, mode=[2]),
            cute.size(mQ, mode=[0]),
        )
        self.kernel(
            mQ,
            mK,
            mV,
            mO,
            softmax_scale * math.log2(math.e),
            sQ_layout,
            sKV_layout,
            cute.make_tiled_copy_tv(load, threads, values),
            cute.make_tiled_copy_tv(store, threads, values),
            tiled_mma,
            SharedStorage,
        ).launch(
            grid=grid,
            block=(self.num_threads, 1, 1),
            smem=SharedStorage.size_in_bytes(),
            stream=stream,
        )

    @cute.kernel
    def kernel(
        self,
        mQ: cute.Tensor,
        mK: cute.Tensor,
        mV: cute.Tensor,
        mO: cute.Tensor,
        scale_log2: Float32,
        sQ_layout: cute.ComposedLayout,
        sKV_layout: cute.ComposedLayout,
        load: cute.TiledCopy,
        store: cute.TiledCopy,
        tiled_mma: cute.TiledMma,
        SharedStorage: Constexpr,
    ):
        tidx, _, _ = cute.arch.thread_idx()
        block, head, batch = cute.arch.block_idx()
        blocks, _, _ = cute.arch.grid_dim()
        queries, keys = mQ.shape[1], mK.shape[1]
        # Blocks with many tiles start first.
        m_index = blocks - 1 - block if self.is_causal else block
        n_tiles = cute.ceil_div(keys, self.n_block)
        if fairlead.const_expr(self.is_causal):
            n_tiles = min(cute.ceil_div((m_index + 1) * self.m_block, self.n_block), n_tiles)

        gQ = cute.local_tile(mQ[batch, None, head, None], (self.m_block, self.padded), (m_index, 0))
        gK = cute.local_tile(mK[batch, None, head, None], (self.n_block, self.padded), (None, 0))
        gV = cute.local_tile(mV[batch, None, head, None], (self.n_block, self.padded), (None, 0))
        storage = fairlead.utils.SmemAllocator().allocate(SharedStorage)
        sQ = storage.q.get_tensor(sQ_layout)
        sK = storage.k.get_tensor(sKV_layout)
        sV = storage.v.get_tensor(sKV_layout)
        # The same memory with the head's dimension as rows.
        sVt = cute.composition(
            sV, cute.make_layout((self.padded, self.n_block), stride=(self.n_block, 1))
        )

        mine = load.get_slice(tidx)
        cQ = cute.local_tile(
            cute.make_identity_tensor((queries, self.padded)),
            (self.m_block, self.padded),
            (m_index, 0),
        )
        cKV = cute.make_identity_tensor((self.n_block, self.padded))
        tQcQ, tKVcKV = mine.partition_S(cQ), mine.partition_S(cKV)
        tiles = SimpleNamespace(
            copy=load,
            tKgK=mine.partition_S(gK),
            tKsK=mine.partition_D(sK),
            tVgV=mine.partition_S(gV),
            tVsV=mine.partition_D(sV),
            places=tKVcKV,
            keys=keys,
        )

        thr_mma = tiled_mma.get_slice(tidx)
        acc_O = cute.make_rmem_tensor(
            thr_mma.partition_shape_C((self.m_block, self.padded)), Float32
        )
        acc_O.fill(0.0)
        copy_matrices = cute.make_copy_atom(warp.LdMatrix8x8x16bOp(False, 4), mQ.element_type)
        copy_transposed = cute.make_copy_atom(warp.LdMatrix8x8x16bOp(True, 4), mQ.element_type)
        copy_Q = cute.make_tiled_copy_A(copy_matrices, tiled_mma)
        copy_K = cute.make_tiled_copy_B(copy_matrices, tiled_mma)
        copy_V = cute.make_tiled_copy_B(copy_transposed, tiled_mma)
        tSrQ = thr_mma.make_fragment_A(thr_mma.partition_A(sQ))
        tSrK = thr_mma.make_fragment_B(thr_mma.partition_B(sK))
        tOrVt = thr_mma.make_fragment_B(thr_mma.partition_B(sVt))
        products = SimpleNamespace(
            mma=tiled_mma,
            thr_mma=thr_mma,
            tSrQ=tSrQ,
            tSrK=tSrK,
            tOrVt=tOrVt,
            copy_Q=copy_Q,
            copy_K=copy_K,
            copy_V=copy_V,
            tSsQ=copy_Q.get_slice(tidx).partition_S(sQ),
            tSsK=copy_K.get_slice(tidx).partition_S(sK),
            tOsVt=copy_V.get_slice(tidx).partition_S(sVt),
            tSrQ_view=copy_Q.retile(tSrQ),
            tSrK_view=copy_K.retile(tSrK),
            tOrVt_view=copy_V.retile(tOrVt),
            acc_O=acc_O,
        )
        rows = acc_O.shape[0][1] * acc_O.shape[1]
        softmax = SimpleNamespace(
            row_max=cute.make_rmem_tensor(rows, Float32),
            row_sum=cute.make_rmem_tensor(rows, Float32),
            scale_log2=scale_log2,
            first_row=m_index * self.m_block,
        )
        softmax.row_max.fill(-Float32.inf)
        softmax.row_sum.fill(0.0)

        # Queries and the last tile of keys, which may end within the tile.
        tQgQ, tQsQ = mine.partition_S(gQ), mine.partition_D(sQ)
        for m in range_constexpr(cute.size(tQsQ, mode=[1])):
            if tQcQ[0, m, 0][0] < queries:
                self.copy_row(load, tQgQ[None, m, None], tQsQ[None, m, None], tQcQ[None, m, None])
            else:
                tQsQ[None, m, None].fill(0)
        n_tile = n_tiles - 1
        self.load_tile(tiles, tiles.tKgK, tiles.tKsK, n_tile, True)
        cute.arch.cp_async_commit_group()

        # Tiles that the end of the keys or the diagonal goes through, then the others.
        masked = 1
        if fairlead.const_expr(self.is_causal):
            masked = -(-self.m_block // self.n_block) + 1
        for step in range_constexpr(masked):
            if n_tile - step >= 0:
                self.one_tile(tiles, products, softmax, n_tile - step, step == 0, True)
        for tile in range(n_tile - masked, -1, -1):
            self.one_tile(tiles, products, softmax, tile, False, False)

        self.finish(softmax, acc_O)
        # Through the memory of Q, whose rows a warp reads and writes alone, to stores of 16 bytes.
        rO = cute.make_fragment_like(acc_O, mO.element_type)
        rO.store(acc_O.load().to(mO.element_type))
        sO = cute.make_tensor(sQ.iterator, sQ_layout)
        copy_O = cute.make_tiled_copy_C(
            cute.make_copy_atom(CopyUniversalOp(), mO.element_type), tiled_mma
        )
        cute.copy(copy_O, copy_O.retile(rO), copy_O.get_slice(tidx).partition_D(sO))
        gO = cute.local_tile(mO[batch, None, head, None], (self.m_block, self.padded), (m_index, 0))
        mine_O = store.get_slice(tidx)
        tOsO, tOgO = mine_O.partition_S(sO), mine_O.partition_D(gO)
        tOrO = cute.make_fragment_like(tOgO)
        self.barrier.arrive_and_wait()
        cute.copy(store, tOsO, tOrO)
        for m in range_constexpr(cute.size(tOrO, mode=[1])):
            if tQcQ[0, m, 0][0] < queries:
                self.copy_row(store, tOrO[None, m, None], tOgO[None, m, None], tQcQ[None, m, None])

    @cute.jit
    def copy_row(self, copy, source, target, places):
        """What lies within the head's dimension."""
        if fairlead.const_expr(self.padded == self.head_dim):
            cute.copy(copy, source, target)
        else:
            chunks = cute.size(source, mode=[1])
            inside = cute.make_rmem_tensor((1, chunks), Boolean)
            for k in range_constexpr(chunks):
                inside[0, k] = places[0, k][1] < self.head_dim
            cute.copy(copy, source, target, pred=inside)

    @cute.jit
    def load_tile(self, tiles, source, target, n_tile: Int32, ends: Constexpr[bool]):
        """Starts copying a tile of K or V; rows beyond the last key are 0 (a probability of 0 times them is 0)."""
        part = source[None, None, None, n_tile]
        for n in range_constexpr(cute.size(target, mode=[1])):
            if fairlead.const_expr(ends):
                if n_tile * self.n_block + tiles.places[0, n, 0][0] < tiles.keys:
                    self.copy_row(
                        tiles.copy,
                        part[None, n, None],
                        target[None, n, None],
                        tiles.places[None, n, None],
                    )
                else:
                    target[None, n, None].fill(0)
            else:
                self.copy_row(
                    tiles.copy,
                    part[None, n, None],
                    target[None, n, None],
                    tiles.places[None, n, None],
                )

    @cute.jit
    def one_tile(
        self,
        tiles: SimpleNamespace,
        products: SimpleNamespace,
        softmax: SimpleNamespace,
        n_tile: Int32,
        first: Constexpr[bool],
        masks: Constexpr[bool],
    ):
        """Scores of a tile of keys, their share of rows' maxima and sums, and their products with V."""
        acc_S = cute.make_rmem_tensor(
            products.thr_mma.partition_shape_C((self.m_block, self.n_block)), Float32
        )
        acc_S.fill(0.0)
        cute.arch.cp_async_wait_group(0)
        self.barrier.arrive_and_wait()
        self.load_tile(tiles, tiles.tVgV, tiles.tVsV, n_tile, first)
        cute.arch.cp_async_commit_group()

        # S = Q K^T; fragments of the next step are read while a step is multiplied.
        p = products
        cute.copy(p.copy_Q, p.tSsQ[None, None, 0], p.tSrQ_view[None, None, 0])
        cute.copy(p.copy_K, p.tSsK[None, None, 0], p.tSrK_view[None, None, 0])
        steps = cute.size(p.tSsQ, mode=[2])
        for k in range_constexpr(steps):
            if fairlead.const_expr(k + 1 < steps):
                cute.copy(p.copy_Q, p.tSsQ[None, None, k + 1], p.tSrQ_view[None, None, k + 1])
                cute.copy(p.copy_K, p.tSsK[None, None, k + 1], p.tSrK_view[None, None, k + 1])
            cute.gemm(p.mma, acc_S, p.tSrQ[None, None, k], p.tSrK[None, None, k], acc_S)

        cute.arch.cp_async_wait_group(0)
        self.barrier.arrive_and_wait()
        if n_tile > 0:
            self.load_tile(tiles, tiles.tKgK, tiles.tKsK, n_tile - 1, False)
            cute.arch.cp_async_commit_group()
        self.rescale(products, softmax, acc_S, n_tile, tiles.keys, first, masks)

        # O += P V: the registers of S hold what the lanes need as A.
        rP = cute.make_fragment_like(acc_S, p.tSrQ.element_type)
        rP.store(acc_S.load().to(p.tSrQ.element_type))
        pairs = cute.logical_divide(rP.layout, (None, None, 2))
        tOrP = cute.make_tensor(
            rP.iterator,
            cute.make_layout(
                ((pairs.shape[0], pairs.shape[2][0]), pairs.shape[1], pairs.shape[2][1]),
                stride=((pairs.stride[0], pairs.stride[2][0]), pairs.stride[1], pairs.stride[2][1]),
            ),
        )
        cute.copy(p.copy_V, p.tOsVt[None, None, 0], p.tOrVt_view[None, None, 0])
        steps = cute.size(tOrP, mode=[2])
        for k in range_constexpr(steps):
            if fairlead.const_expr(k + 1 < steps):
                cute.copy(p.copy_V, p.tOsVt[None, None, k + 1], p.tOrVt_view[None, None, k + 1])
            cute.gemm(p.mma, p.acc_O, tOrP[None, None, k], p.tOrVt[None, None, k], p.acc_O)

    @cute.jit
    def rescale(
        self,
        products,
        softmax,
        acc_S: cute.Tensor,
        n_tile: Int32,
        keys: Int32,
        first: Constexpr[bool],
        masks: Constexpr[bool],
    ):
        """Scores become powers of 2 of their distance to the row's maximum; what was summed before is scaled."""
        S, sums = self.by_rows(acc_S), self.by_rows(products.acc_O)
        if fairlead.const_expr(masks):
            places = cute.make_identity_tensor((self.m_block, self.n_block))
            tScS = self.by_rows(products.thr_mma.partition_C(places))
        rows = cute.size(S, mode=[0])
        before = cute.make_fragment_like(softmax.row_max)
        grown = Boolean(False)
        for r in range_constexpr(rows):
            if fairlead.const_expr(masks):
                limit = keys - n_tile * self.n_block
                if fairlead.const_expr(self.is_causal):
                    limit = min(
                        limit, softmax.first_row + tScS[r, 0][0] + 1 - n_tile * self.n_block
                    )
                for c in range_constexpr(cute.size(S, mode=[1])):
                    if cute.elem_less(limit - 1, tScS[r, c][1]):
                        S[r, c] = -Float32.inf
            largest = S[r, None].load().reduce(cute.ReductionOp.MAX, -Float32.inf, 0)
            largest = self.of_four_lanes(largest, cute.arch.fmax)
            before[r] = softmax.row_max[r]
            if fairlead.const_expr(not first):
                grown = grown | (largest > before[r])
                largest = cute.arch.fmax(before[r], largest)
            softmax.row_max[r] = largest
        if fairlead.const_expr(not first):
            # Maxima grow in the first tiles, and rarely later: a warp whose rows' stay has nothing to scale.
            if cute.arch.vote_any_sync(grown):
                for r in range_constexpr(rows):
                    origin = self.origin(softmax.row_max[r], masks)
                    factor = cute.math.exp2(
                        (before[r] - origin) * softmax.scale_log2, fastmath=True
                    )
                    softmax.row_sum[r] = softmax.row_sum[r] * factor
                    sums[r, None].store(sums[r, None].load() * factor)
        for r in range_constexpr(rows):
            shift = self.origin(softmax.row_max[r], masks) * softmax.scale_log2
            distances = S[r, None].load() * softmax.scale_log2 - shift
            probabilities = cute.math.exp2(distances, fastmath=True)
            total = probabilities.reduce(cute.ReductionOp.ADD, 0.0, 0)
            softmax.row_sum[r] = softmax.row_sum[r] + total
            S[r, None].store(probabilities)

    def origin(self, largest, masks):
        """What a row's scores are measured from. Where no key was seen, no number is the difference of infinities."""
        return cute.where(largest == -Float32.inf, 0.0, largest) if masks else largest

    @cute.jit
    def finish(self, softmax, acc_O: cute.Tensor):
        sums = self.by_rows(acc_O)
        for r in range_constexpr(cute.size(sums, mode=[0])):
            total = self.of_four_lanes(softmax.row_sum[r], lambda x, y: x + y)
            # A row that sees no key is 0.
            factor = 1.0 if total == 0.0 or total != total else cute.arch.rcp_approx(total)
            sums[r, None].store(sums[r, None].load() * factor)

    def of_four_lanes(self, value, combine):
        """Lanes that hold one row of an accumulator combine their values."""
        for distance in (2, 1):
            value = combine(value, cute.arch.shuffle_sync_bfly(value, offset=distance))
        return value

    def by_rows(self, acc):
        """An accumulator ((2, 2), m, n) as (rows, columns) that the thread holds."""
        shape, stride = acc.layout.shape, acc.layout.stride
        layout = cute.make_layout(
            ((shape[0][1], shape[1]), (shape[0][0], shape[2])),
            stride=((stride[0][1], stride[1]), (stride[0][0], stride[2])),
        )
        return cute.make_tensor(acc.iterator, layout)


def compiled(dtype, head_dim, options="", **blocks):
    """The kernel for tensors of any sizes with this head_dim."""
    batch, heads = cute.sym_int(), cute.sym_int()
    queries, keys = cute.sym_int(), cute.sym_int()

    def fake(rows):
        shape = (batch, rows, heads, head_dim)
        return cute.make_fake_compact_tensor(
            dtype, shape, stride_order=(3, 2, 1, 0), assumed_align=16
        )

    tensors = [fake(queries), fake(keys), fake(keys), fake(queries)]
    stream = cute.make_fake_stream()
    return cute.compile(
        FlashAttention(head_dim, **blocks), *tensors, Float32(1.0), stream, options=options
    )


def main() -> None:
    import torch

    parser = argparse.ArgumentParser()
    parser.add_argument("--benchmark", action="store_true")
    parser.add_argument("--causal", action="store_true")
    parser.add_argument("--dtype", choices=["BFloat16", "Float16"], default="BFloat16")
    parser.add_argument("--m-block", type=int, default=128)
    parser.add_argument("--n-block", type=int, default=64)
    parser.add_argument("--num-threads", type=int, default=128)
    options = parser.parse_args()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    shape = (4, 8192, 16, 128) if options.benchmark else (2, 200, 3, 64)
    dtype = getattr(torch, options.dtype.lower())
    q, k, v = (torch.randn(shape, device=device).to(dtype) for _ in range(3))
    o, scale = torch.empty_like(q), shape[3] ** -0.5
    attention = compiled(
        getattr(fairlead, options.dtype),
        shape[3],
        "" if device == "cuda" else "--target cpu",
        m_block=options.m_block,
        n_block=options.n_block,
        num_threads=options.num_threads,
        is_causal=options.causal,
    )
    stream = torch.cuda.current_stream().cuda_stream if device == "cuda" else 0
    attention(q, k, v, o, scale, stream)
    heads_first = [x.transpose(1, 2) for x in (q, k, v)]
    reference = torch.nn.functional.scaled_dot_product_attention(
        *(x.float() for x in heads_first) if not options.benchmark else heads_first,
        is_causal=options.causal,
    )
    torch.testing.assert_close(o.float(), reference.transpose(1, 2).float(), atol=1e-2, rtol=1e-2)
    print("Results verified")
    if options.benchmark:
        work = 4 * shape[0] * shape[2] * shape[1] ** 2 * shape[3] / (2 if options.causal else 1)
        for name, call in (
            ("fairlead", lambda: attention(q, k, v, o, scale, stream)),
            (
                "torch",
                lambda: torch.nn.functional.scaled_dot_product_attention(
                    *heads_first, is_causal=options.causal
                ),
            ),
        ):
            for _ in range(3):
                call()
            events = [torch.cuda.Event(enable_timing=True) for _ in range(21)]
            events[0].record()
            for event in events[1:]:
                call()
                event.record()
            torch.cuda.synchronize()
            times = sorted(
                x.elapsed_time(y) * 1e3 for x, y in zip(events, events[1:], strict=False)
            )
            micros = times[len(times) // 2]
            print(f"{name:9} {micros:8.1f} us  {work / micros * 1e-6:6.1f} TFLOP/s")


if __name__ == "__main__":
    main()
