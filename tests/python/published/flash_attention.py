"""FlashAttention 2 forward in the style of published Ampere programs: swizzled shared memory, cp.async, a running
softmax, causal masks, lengths that no tile divides, several heads of Q for one of K. Prints PASS.
``--all`` runs every case.
"""

import math
import operator
import sys
from types import SimpleNamespace

import cuda.bindings.driver as cuda
import cutlass
import cutlass.cute as cute
import cutlass.pipeline as pipeline
import cutlass.utils as utils
import torch
from cutlass.cute.nvgpu import cpasync, warp
from cutlass.cute.runtime import from_dlpack


class FlashAttention:
    def __init__(self, head_dim, m_block, n_block, num_threads, is_causal):
        self._head_dim, self._m, self._n, self._threads, self._causal = (
            head_dim,
            m_block,
            n_block,
            num_threads,
            is_causal,
        )
        self._padded = (head_dim + 31) // 32 * 32
        self.cta_sync_barrier = pipeline.NamedBarrier(barrier_id=1, num_threads=num_threads)

    @cute.jit
    def __call__(
        self,
        mQ: cute.Tensor,
        mK: cute.Tensor,
        mV: cute.Tensor,
        mO: cute.Tensor,
        softmax_scale: cutlass.Float32,
        stream: cuda.CUstream,
    ):
        if cutlass.const_expr(
            not (mQ.element_type == mK.element_type == mV.element_type == mO.element_type)
        ):
            raise TypeError("All tensors must have the same data type")
        self._dtype = mQ.element_type
        blk = 64 if self._padded % 64 == 0 else 32
        bits = 3 if blk == 64 else 2
        atom = cute.make_composed_layout(
            cute.make_swizzle(bits, 3, 3), 0, cute.make_layout((8, blk), stride=(blk, 1))
        )
        sQ_layout = cute.tile_to_shape(atom, (self._m, self._padded), (0, 1))
        sKV_layout = cute.tile_to_shape(atom, (self._n, self._padded), (0, 1))
        sO_layout = sQ_layout

        @cute.struct
        class SharedStorage:
            sQ: cute.struct.Align[cute.struct.MemRange[self._dtype, cute.cosize(sQ_layout)], 1024]
            sK: cute.struct.Align[cute.struct.MemRange[self._dtype, cute.cosize(sKV_layout)], 1024]
            sV: cute.struct.Align[cute.struct.MemRange[self._dtype, cute.cosize(sKV_layout)], 1024]

        elems = 128 // self._dtype.width
        g2s = cute.make_copy_atom(
            cpasync.CopyG2SOp(cache_mode=cpasync.LoadCacheMode.GLOBAL),
            self._dtype,
            num_bits_per_copy=128,
        )
        univ = cute.make_copy_atom(cute.nvgpu.CopyUniversalOp(), self._dtype, num_bits_per_copy=128)
        dim1 = (
            sQ_layout.outer.shape[1][0] // elems
            if not isinstance(sQ_layout.outer.shape[1], int)
            else blk // elems
        )
        thr = cute.make_layout((self._threads // dim1, dim1), stride=(dim1, 1))
        val = cute.make_layout((1, elems))
        tiled_qkv = cute.make_tiled_copy_tv(g2s, thr, val)
        tiled_o = cute.make_tiled_copy_tv(univ, thr, val)
        mma = cute.make_tiled_mma(
            warp.MmaF16BF16Op(self._dtype, cutlass.Float32, (16, 8, 16)),
            (self._threads // 32, 1, 1),
            permutation_mnk=(self._threads // 32 * 16, 16, 16),
        )
        grid = (cute.ceil_div(mQ.shape[1], self._m), cute.size(mQ.shape[0]), cute.size(mQ.shape[2]))
        LOG2_E = 1.4426950408889634
        self.kernel(
            mQ,
            mK,
            mV,
            mO,
            softmax_scale * LOG2_E,
            sQ_layout,
            sKV_layout,
            sO_layout,
            tiled_qkv,
            tiled_o,
            mma,
            SharedStorage,
        ).launch(grid=grid, block=[self._threads, 1, 1], stream=stream)

    @cute.kernel
    def kernel(
        self,
        mQ: cute.Tensor,
        mK: cute.Tensor,
        mV: cute.Tensor,
        mO: cute.Tensor,
        scale_log2: cutlass.Float32,
        sQ_layout: cute.ComposedLayout,
        sKV_layout: cute.ComposedLayout,
        sO_layout: cute.ComposedLayout,
        tiled_qkv: cute.TiledCopy,
        tiled_o: cute.TiledCopy,
        tiled_mma: cute.TiledMma,
        SharedStorage: cutlass.Constexpr,
    ):
        tidx, _, _ = cute.arch.thread_idx()
        m_block, batch, head = cute.arch.block_idx()
        kv_head = head // (mQ.shape[2] // mK.shape[2])
        n_blocks = cute.ceil_div(mK.shape[1], self._n)
        if self._causal:
            n_blocks = min(cute.ceil_div((m_block + 1) * self._m, self._n), n_blocks)
        n_block = n_blocks - 1
        gQ = cute.local_tile(mQ[batch, None, head, None], (self._m, self._padded), (m_block, 0))
        gK = cute.local_tile(mK[batch, None, kv_head, None], (self._n, self._padded), (None, 0))
        gV = cute.local_tile(mV[batch, None, kv_head, None], (self._n, self._padded), (None, 0))
        smem = utils.SmemAllocator()
        storage = smem.allocate(SharedStorage)
        sQ, sK, sV = (
            storage.sQ.get_tensor(sQ_layout),
            storage.sK.get_tensor(sKV_layout),
            storage.sV.get_tensor(sKV_layout),
        )
        sVt = cute.composition(sV, cute.make_layout((self._padded, self._n), stride=(self._n, 1)))
        thr_copy = tiled_qkv.get_slice(tidx)
        tQgQ, tQsQ = thr_copy.partition_S(gQ), thr_copy.partition_D(sQ)
        tKgK, tKsK = thr_copy.partition_S(gK), thr_copy.partition_D(sK)
        tVgV, tVsV = thr_copy.partition_S(gV), thr_copy.partition_D(sV)
        thr_mma = tiled_mma.get_slice(tidx)
        tSrQ = thr_mma.make_fragment_A(thr_mma.partition_A(sQ))
        tSrK = thr_mma.make_fragment_B(thr_mma.partition_B(sK))
        tOrVt = thr_mma.make_fragment_B(thr_mma.partition_B(sVt))
        acc_O = cute.make_rmem_tensor(
            thr_mma.partition_shape_C((self._m, self._padded)), cutlass.Float32
        )
        acc_O.fill(0.0)
        ld = cute.make_copy_atom(
            warp.LdMatrix8x8x16bOp(transpose=False, num_matrices=4), self._dtype
        )
        ldt = cute.make_copy_atom(
            warp.LdMatrix8x8x16bOp(transpose=True, num_matrices=4), self._dtype
        )
        cQ_, cK_, cV_ = (
            cute.make_tiled_copy_A(ld, tiled_mma),
            cute.make_tiled_copy_B(ld, tiled_mma),
            cute.make_tiled_copy_B(ldt, tiled_mma),
        )
        tSsQ, tSrQ_v = cQ_.get_slice(tidx).partition_S(sQ), cQ_.get_slice(tidx).retile(tSrQ)
        tSsK, tSrK_v = cK_.get_slice(tidx).partition_S(sK), cK_.get_slice(tidx).retile(tSrK)
        tOsVt, tOrVt_v = cV_.get_slice(tidx).partition_S(sVt), cV_.get_slice(tidx).retile(tOrVt)
        cQ = cute.local_tile(
            cute.make_identity_tensor(mQ.layout.shape)[batch, None, head, None],
            (self._m, self._padded),
            (m_block, 0),
        )
        cKV = cute.local_tile(
            cute.make_identity_tensor(mK.layout.shape)[batch, None, kv_head, None],
            (self._n, self._padded),
            (n_block, 0),
        )
        tQcQ, tKcK = thr_copy.partition_S(cQ), thr_copy.partition_S(cKV)
        tQpQ = cute.make_rmem_tensor(
            cute.make_layout(
                (tQsQ.shape[0][1], cute.size(tQsQ, mode=[1]), cute.size(tQsQ, mode=[2])),
                stride=(cute.size(tQsQ, mode=[2]), 0, 1),
            ),
            cutlass.Boolean,
        )
        tKpK = cute.make_rmem_tensor(
            cute.make_layout(
                (tKsK.shape[0][1], cute.size(tKsK, mode=[1]), cute.size(tKsK, mode=[2])),
                stride=(cute.size(tKsK, mode=[2]), 0, 1),
            ),
            cutlass.Boolean,
        )
        for rest_v in cutlass.range_constexpr(tQpQ.shape[0]):
            for rest_k in cutlass.range_constexpr(tQpQ.shape[2]):
                tQpQ[rest_v, 0, rest_k] = cute.elem_less(
                    tQcQ[(0, rest_v), 0, rest_k][3], mQ.layout.shape[3]
                )
        for rest_v in cutlass.range_constexpr(tKpK.shape[0]):
            for rest_k in cutlass.range_constexpr(tKpK.shape[2]):
                tKpK[rest_v, 0, rest_k] = cute.elem_less(
                    tKcK[(0, rest_v), 0, rest_k][3], mK.layout.shape[3]
                )
        for m in cutlass.range_constexpr(cute.size(tQsQ.shape[1])):
            if cute.elem_less(tQcQ[0, m, 0][1], mQ.layout.shape[1]):
                cute.copy(
                    tiled_qkv, tQgQ[None, m, None], tQsQ[None, m, None], pred=tQpQ[None, m, None]
                )
            else:
                tQsQ[None, m, None].fill(0)
        for n in cutlass.range_constexpr(cute.size(tKsK.shape[1])):
            if cute.elem_less(tKcK[0, n, 0][1], mK.layout.shape[1]):
                cute.copy(
                    tiled_qkv,
                    tKgK[None, n, None, n_block],
                    tKsK[None, n, None],
                    pred=tKpK[None, n, None],
                )
            else:
                tKsK[None, n, None].fill(0)
        cute.arch.cp_async_commit_group()
        row_max = cute.make_rmem_tensor((acc_O.shape[0][0] * acc_O.shape[1]), cutlass.Float32)
        row_sum = cute.make_rmem_tensor((acc_O.shape[0][0] * acc_O.shape[1]), cutlass.Float32)
        row_max.fill(-cutlass.Float32.inf)
        row_sum.fill(0.0)
        basic = SimpleNamespace(m_block=m_block, mQ=mQ, mK=mK, batch=batch, head=head)
        mma_p = SimpleNamespace(
            thr_mma=thr_mma, tiled_mma=tiled_mma, tSrQ=tSrQ, tSrK=tSrK, tOrVt=tOrVt, acc_O=acc_O
        )
        gmem_p = SimpleNamespace(
            tiled_qkv=tiled_qkv, tKcK=tKcK, tKgK=tKgK, tKsK=tKsK, tVgV=tVgV, tVsV=tVsV, tKpK=tKpK
        )
        smem_p = SimpleNamespace(
            cQ_=cQ_,
            cK_=cK_,
            cV_=cV_,
            tSsQ=tSsQ,
            tSrQ_v=tSrQ_v,
            tSsK=tSsK,
            tSrK_v=tSrK_v,
            tOsVt=tOsVt,
            tOrVt_v=tOrVt_v,
        )
        soft = SimpleNamespace(row_max=row_max, row_sum=row_sum, scale_log2=scale_log2)
        mask_steps = 1
        if cutlass.const_expr(self._causal):
            mask_steps = cute.ceil_div(self._m, self._n)
        for n_tile in cutlass.range_constexpr(mask_steps):
            n_block = n_blocks - n_tile - 1
            basic.n_block = n_block
            if cutlass.const_expr(self._causal):
                if n_block >= 0:
                    self.one_block(
                        basic, mma_p, gmem_p, smem_p, soft, is_first=(n_tile == 0), mask=True
                    )
            else:
                self.one_block(basic, mma_p, gmem_p, smem_p, soft, is_first=True, mask=True)
        for n_tile in range(mask_steps, n_blocks, 1):
            n_block = n_blocks - n_tile - 1
            basic.n_block = n_block
            self.one_block(basic, mma_p, gmem_p, smem_p, soft, is_first=False, mask=False)
        self.normalize(acc_O, row_sum)
        rO = cute.make_fragment_like(acc_O, self._dtype)
        rO.store(acc_O.load().to(self._dtype))
        sO = cute.make_tensor(sQ.iterator, sO_layout)
        atom_o = cute.make_copy_atom(cute.nvgpu.CopyUniversalOp(), self._dtype)
        smem_o = cute.make_tiled_copy_C(atom_o, tiled_mma)
        thr_o = smem_o.get_slice(tidx)
        cute.arch.sync_threads()
        cute.copy(atom_o, thr_o.retile(rO), thr_o.partition_D(sO))
        gO = cute.local_tile(mO[batch, None, head, None], (self._m, self._padded), (m_block, 0))
        go = tiled_o.get_slice(tidx)
        tOsO, tOgO = go.partition_S(sO), go.partition_D(gO)
        tOrO = cute.make_fragment_like(tOgO, self._dtype)
        self.cta_sync_barrier.arrive_and_wait()
        cute.copy(tiled_o, tOsO, tOrO)
        cO = cute.local_tile(
            cute.make_identity_tensor(mO.layout.shape)[batch, None, head, None],
            (self._m, self._padded),
            (m_block, 0),
        )
        tOcO = go.partition_D(cO)
        tOpO = cute.make_rmem_tensor(
            cute.make_layout(
                (tOgO.shape[0][1], tOgO.shape[1], tOgO.shape[2]), stride=(tOgO.shape[2], 0, 1)
            ),
            cutlass.Boolean,
        )
        for rest_v in cutlass.range_constexpr(tOpO.shape[0]):
            for rest_n in cutlass.range_constexpr(cute.size(tOpO.shape[2])):
                tOpO[rest_v, 0, rest_n] = cute.elem_less(
                    tOcO[(0, rest_v), 0, rest_n][3], mO.layout.shape[3]
                )
        for rest_m in cutlass.range_constexpr(cute.size(tOpO.shape[1])):
            if cute.elem_less(tOcO[0, rest_m, 0][1], mO.layout.shape[1]):
                cute.copy(
                    tiled_o,
                    tOrO[None, rest_m, None],
                    tOgO[None, rest_m, None],
                    pred=tOpO[None, rest_m, None],
                )

    @cute.jit
    def one_block(
        self,
        basic,
        mma_p,
        gmem_p,
        smem_p,
        soft,
        is_first: cutlass.Constexpr,
        mask: cutlass.Constexpr,
    ):
        acc_S = cute.make_rmem_tensor(
            mma_p.thr_mma.partition_shape_C((self._m, self._n)), cutlass.Float32
        )
        acc_S.fill(0.0)
        cute.arch.cp_async_wait_group(0)
        self.cta_sync_barrier.arrive_and_wait()
        if is_first:
            for n in cutlass.range_constexpr(cute.size(gmem_p.tVsV.shape[1])):
                if cute.elem_less(gmem_p.tKcK[0, n, 0][1], basic.mK.layout.shape[1]):
                    cute.copy(
                        gmem_p.tiled_qkv,
                        gmem_p.tVgV[None, n, None, basic.n_block],
                        gmem_p.tVsV[None, n, None],
                        pred=gmem_p.tKpK[None, n, None],
                    )
                else:
                    gmem_p.tVsV[None, n, None].fill(0.0)
        else:
            cute.copy(
                gmem_p.tiled_qkv,
                gmem_p.tVgV[None, None, None, basic.n_block],
                gmem_p.tVsV,
                pred=gmem_p.tKpK,
            )
        cute.arch.cp_async_commit_group()
        cute.copy(smem_p.cQ_, smem_p.tSsQ[None, None, 0], smem_p.tSrQ_v[None, None, 0])
        cute.copy(smem_p.cK_, smem_p.tSsK[None, None, 0], smem_p.tSrK_v[None, None, 0])
        for k in cutlass.range_constexpr(cute.size(smem_p.tSsQ.shape[2])):
            k_next = (k + 1) % cute.size(smem_p.tSsQ.shape[2])
            cute.copy(
                smem_p.cQ_, smem_p.tSsQ[None, None, k_next], smem_p.tSrQ_v[None, None, k_next]
            )
            cute.copy(
                smem_p.cK_, smem_p.tSsK[None, None, k_next], smem_p.tSrK_v[None, None, k_next]
            )
            cute.gemm(
                mma_p.tiled_mma, acc_S, mma_p.tSrQ[None, None, k], mma_p.tSrK[None, None, k], acc_S
            )
        cute.arch.cp_async_wait_group(0)
        self.cta_sync_barrier.arrive_and_wait()
        if basic.n_block > 0:
            cute.copy(
                gmem_p.tiled_qkv,
                gmem_p.tKgK[None, None, None, basic.n_block - 1],
                gmem_p.tKsK,
                pred=gmem_p.tKpK,
            )
            cute.arch.cp_async_commit_group()
        self.softmax(basic, mma_p, soft, acc_S, is_first, mask)
        rP = cute.make_fragment_like(acc_S, self._dtype)
        rP.store(acc_S.load().to(self._dtype))
        d = cute.logical_divide(rP.layout, (None, None, 2))
        rP_view = cute.make_layout(
            ((d.shape[0], d.shape[2][0]), d.shape[1], d.shape[2][1]),
            stride=((d.stride[0], d.stride[2][0]), d.stride[1], d.stride[2][1]),
        )
        tOrS = cute.make_tensor(rP.iterator, rP_view)
        cute.copy(smem_p.cV_, smem_p.tOsVt[None, None, 0], smem_p.tOrVt_v[None, None, 0])
        for k in cutlass.range_constexpr(cute.size(tOrS.shape[2])):
            k_next = (k + 1) % cute.size(tOrS.shape[2])
            cute.copy(
                smem_p.cV_, smem_p.tOsVt[None, None, k_next], smem_p.tOrVt_v[None, None, k_next]
            )
            cute.gemm(
                mma_p.tiled_mma,
                mma_p.acc_O,
                tOrS[None, None, k],
                mma_p.tOrVt[None, None, k],
                mma_p.acc_O,
            )

    @cute.jit
    def softmax(
        self, basic, mma_p, soft, acc_S, is_first: cutlass.Constexpr, mask: cutlass.Constexpr
    ):
        S = self.mn_view(acc_S)
        sums = self.mn_view(mma_p.acc_O)
        prev = None
        if cutlass.const_expr(not is_first):
            prev = cute.make_fragment_like(soft.row_max, cutlass.Float32)
            cute.basic_copy(soft.row_max, prev)
        if cutlass.const_expr(mask):
            cS = cute.local_tile(
                cute.make_identity_tensor(
                    (basic.mQ.shape[0], basic.mQ.shape[1], basic.mQ.shape[2], basic.mK.shape[1])
                )[basic.batch, None, basic.head, None],
                (self._m, self._n),
                (basic.m_block, basic.n_block),
            )
            tScS = self.mn_view(mma_p.thr_mma.partition_C(cS))
        for r in cutlass.range_constexpr(cute.size(soft.row_max)):
            if cutlass.const_expr(mask):
                limit = basic.mK.shape[1]
                if cutlass.const_expr(self._causal):
                    limit = min(tScS[r, 0][1] + 1, basic.mK.shape[1])
                for c in cutlass.range_constexpr(cute.size(tScS.shape[1])):
                    if cute.elem_less(limit, tScS[0, c][3] + 1):
                        S[r, c] = -cutlass.Float32.inf
            row = S[r, None].load()
            cur = row.reduce(cute.ReductionOp.MAX, -cutlass.Float32.inf, 0)
            cur = self.quad(cur, lambda x, y: cute.arch.fmax(x, y))
            if cutlass.const_expr(not is_first):
                cur = cute.arch.fmax(prev[r], cur)
            if cutlass.const_expr(self._causal):
                cur = 0.0 if cur == -cutlass.Float32.inf else cur
            p = cute.math.exp2(row * soft.scale_log2 - cur * soft.scale_log2, fastmath=True)
            total = p.reduce(cute.ReductionOp.ADD, cutlass.Float32.zero, 0)
            if cutlass.const_expr(not is_first):
                alpha = cute.math.exp2(
                    prev[r] * soft.scale_log2 - cur * soft.scale_log2, fastmath=True
                )
                total = total + soft.row_sum[r] * alpha
                sums[r, None] = sums[r, None].load() * alpha
            soft.row_max[r] = cur
            soft.row_sum[r] = total
            S[r, None] = p

    @cute.jit
    def normalize(self, acc_O, row_sum):
        sums = self.mn_view(acc_O)
        for r in cutlass.range_constexpr(cute.size(row_sum)):
            s = self.quad(row_sum[r], operator.add)
            bad = s == 0.0 or s != s
            inv = 1.0 if bad else cute.arch.rcp_approx(s)
            sums[r, None] = sums[r, None].load() * inv

    def mn_view(self, acc):
        col = cute.make_layout(acc.layout.shape)
        view = cute.make_layout(
            ((col.shape[0][1], col.shape[1]), (col.shape[0][0], col.shape[2])),
            stride=((col.stride[0][1], col.stride[1]), (col.stride[0][0], col.stride[2])),
        )
        return cute.make_tensor(acc.iterator, cute.composition(acc.layout, view))

    def quad(self, v, op):
        v = op(v, cute.arch.shuffle_sync_bfly(v, offset=2, mask=-1, mask_and_clamp=31))
        return op(v, cute.arch.shuffle_sync_bfly(v, offset=1, mask=-1, mask_and_clamp=31))


def run(dtype, b, sq, sk, hq, hk, d, m, n, threads, causal):
    torch.manual_seed(0)
    tdt = {cutlass.Float16: torch.float16, cutlass.BFloat16: torch.bfloat16}[dtype]
    dev = "cuda"
    q, k, v = (torch.randn(b, s, h, d).to(tdt).to(dev) for s, h in ((sq, hq), (sk, hk), (sk, hk)))
    o = torch.zeros_like(q)
    ts = [
        from_dlpack(x, assumed_align=16)
        .mark_layout_dynamic(leading_dim=3)
        .mark_compact_shape_dynamic(mode=3, stride_order=x.dim_order(), divisibility=8)
        for x in (q, k, v, o)
    ]
    stream = cuda.CUstream(torch.cuda.current_stream().cuda_stream)
    scale = 1 / math.sqrt(d)
    f = cute.compile(FlashAttention(d, m, n, threads, causal), *ts, scale, stream)
    f(*ts, scale, stream)
    torch.cuda.synchronize()
    Q, K, V = (x.double().cpu().permute(0, 2, 1, 3) for x in (q, k, v))
    K, V = K.repeat_interleave(hq // hk, 1), V.repeat_interleave(hq // hk, 1)
    S = Q @ K.transpose(-1, -2) * scale
    if causal:
        S = S.masked_fill(torch.ones(sq, sk).triu(1).bool(), float("-inf"))
    ref = (S.softmax(-1) @ V).permute(0, 2, 1, 3)
    err = (o.cpu().double() - ref).abs().max().item()
    print(dtype.__name__, b, sq, sk, hq, hk, d, m, n, threads, causal, "error", err, flush=True)
    assert err < (2e-2 if dtype is cutlass.BFloat16 else 4e-3)


if __name__ == "__main__":
    run(cutlass.Float16, 2, 100, 120, 2, 1, 64, 64, 64, 128, True)
    run(cutlass.Float16, 1, 96, 160, 2, 1, 40, 64, 32, 64, False)
    if "--all" in sys.argv:
        run(cutlass.Float16, 1, 128, 128, 1, 1, 64, 64, 64, 128, False)
        run(cutlass.BFloat16, 1, 200, 200, 4, 2, 128, 128, 64, 128, True)
        run(cutlass.BFloat16, 1, 130, 300, 2, 1, 96, 64, 64, 128, False)
    print("PASS")
