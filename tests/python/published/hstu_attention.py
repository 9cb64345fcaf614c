"""Attention without a softmax, silu(alpha Q K^T + bias) V / n, in the style of published Ampere programs: swizzles of
pointers, two stages, bias by ldmatrix, tanh as PTX. Prints PASS. ``--all`` runs every case.
"""

import math
import sys

import cuda.bindings.driver as cuda
import cutlass
import cutlass.cute as cute
import cutlass.utils as utils
import torch
from cutlass._mlir.dialects import llvm
from cutlass.cute.nvgpu import cpasync, warp
from cutlass.cute.runtime import from_dlpack
from cutlass.cutlass_dsl import T, dsl_user_op


@dsl_user_op
def tanhf(a, *, loc=None, ip=None) -> cutlass.Float32:
    return cutlass.Float32(
        llvm.inline_asm(
            T.f32(),
            [cutlass.Float32(a).ir_value(loc=loc, ip=ip)],
            "tanh.approx.f32 $0, $1;",
            "=f,f",
            has_side_effects=False,
            is_align_stack=False,
            asm_dialect=llvm.AsmDialect.AD_ATT,
        )
    )


class Hstu:
    def __init__(self, d, m, n, threads, causal, fast):
        self.d, self.m, self.n, self.threads, self.causal, self.fast = (
            d,
            m,
            n,
            threads,
            causal,
            fast,
        )

    @cute.jit
    def __call__(self, mQ, mK, mV, mRab, mO, alpha: cutlass.Float32, stream: cuda.CUstream):
        self.dtype = mQ.element_type
        swz = cute.make_swizzle(3, 4, 3) if self.d % 64 == 0 else cute.make_swizzle(2, 4, 3)
        blk = 64 if self.d % 64 == 0 else 32
        atom = cute.make_layout((8, blk), stride=(blk, 1))
        sQ_layout = cute.tile_to_shape(atom, (self.m, self.d), (0, 1))
        sKV_layout = cute.tile_to_shape(atom, (self.n, self.d, 2), (0, 1, 2))
        ratom = cute.make_layout((8, min(64, self.n)), stride=(min(64, self.n), 1))
        sR_layout = cute.tile_to_shape(ratom, (self.m, self.n), (0, 1))
        elems = 8
        g2s = cute.make_copy_atom(
            cpasync.CopyG2SOp(cache_mode=cute.nvgpu.LoadCacheMode.GLOBAL),
            self.dtype,
            num_bits_per_copy=128,
        )

        def tiled(width):
            c = width // elems
            return cute.make_tiled_copy_tv(
                g2s,
                cute.make_ordered_layout((self.threads // c, c), order=(1, 0)),
                cute.make_layout((1, elems)),
            )

        mma = cute.make_tiled_mma(
            warp.MmaF16BF16Op(self.dtype, cutlass.Float32, (16, 8, 16)),
            cute.make_layout((self.threads // 32, 1, 1)),
            (self.threads // 32 * 16, 16, 16),
        )
        grid = (cute.ceil_div(mQ.shape[1], self.m) * mQ.shape[2], mQ.shape[0], 1)
        self.kernel(
            mQ,
            mK,
            mV,
            mRab,
            mO,
            alpha,
            sQ_layout,
            sKV_layout,
            sR_layout,
            swz,
            tiled(blk),
            tiled(min(64, self.n)),
            mma,
        ).launch(grid=grid, block=(self.threads, 1, 1), stream=stream)

    @cute.kernel
    def kernel(
        self,
        mQ: cute.Tensor,
        mK: cute.Tensor,
        mV: cute.Tensor,
        mRab: cute.Tensor,
        mO: cute.Tensor,
        alpha: cutlass.Float32,
        sQ_layout: cute.Layout,
        sKV_layout: cute.Layout,
        sR_layout: cute.Layout,
        swz: cute.Swizzle,
        tq: cute.TiledCopy,
        tr: cute.TiledCopy,
        mma: cute.TiledMma,
    ):
        tidx, _, _ = cute.arch.thread_idx()
        bid, batch, _ = cute.arch.block_idx()
        m_block, head = bid // mQ.shape[2], bid % mQ.shape[2]
        smem = utils.SmemAllocator()
        sQ = smem.allocate_tensor(self.dtype, sQ_layout, 1024, swz)
        sK = smem.allocate_tensor(self.dtype, sKV_layout, byte_alignment=1024, swizzle=swz)
        sV = smem.allocate_tensor(self.dtype, sKV_layout, byte_alignment=1024, swizzle=swz)
        sR = smem.allocate_tensor(self.dtype, sR_layout, 1024, cute.make_swizzle(3, 4, 3))
        gQ = cute.local_tile(mQ[batch, None, head, None], (self.m, self.d), (m_block, 0))
        gK = cute.local_tile(mK[batch, None, head, None], (self.n, self.d), (None, 0))
        gV = cute.local_tile(mV[batch, None, head, None], (self.n, self.d), (None, 0))
        gR = cute.local_tile(mRab[batch, head, None, None], (self.m, self.n), (m_block, None))
        th, tr_ = tq.get_slice(tidx), tr.get_slice(tidx)
        sVt = cute.composition(sV, cute.make_ordered_layout((self.d, self.n, 2), order=(1, 0, 2)))
        thr = mma.get_slice(tidx)
        rQ = mma.make_fragment_A(thr.partition_A(sQ))
        rK = mma.make_fragment_B(thr.partition_B(sK[None, None, 0]))
        rV = mma.make_fragment_B(thr.partition_B(sVt[None, None, 0]))
        ld = cute.make_copy_atom(warp.LdMatrix8x8x16bOp(False, 4), self.dtype)
        ldt = cute.make_copy_atom(warp.LdMatrix8x8x16bOp(True, 4), self.dtype)
        cq, ck, cv, cr = (
            cute.make_tiled_copy_A(ld, mma),
            cute.make_tiled_copy_B(ld, mma),
            cute.make_tiled_copy_B(ldt, mma),
            cute.make_tiled_copy_C(ld, mma),
        )
        acc = cute.make_rmem_tensor(thr.partition_shape_C((self.m, self.d)), cutlass.Float32)
        acc.fill(0)
        n_blocks = cute.ceil_div(mK.shape[1], self.n)
        if cutlass.const_expr(self.causal):
            n_blocks = min(n_blocks, cute.ceil_div((m_block + 1) * self.m, self.n))
        cute.copy(tq, th.partition_S(gQ), th.partition_D(sQ))
        tKg, tKs, tVg, tVs = (
            th.partition_S(gK),
            th.partition_D(sK),
            th.partition_S(gV),
            th.partition_D(sV),
        )
        tRg, tRs = tr_.partition_S(gR), tr_.partition_D(sR)
        cute.copy(tq, tKg[None, None, None, 0], tKs[None, None, None, 0])
        cute.copy(tq, tVg[None, None, None, 0], tVs[None, None, None, 0])
        cute.arch.cp_async_commit_group()
        for nb in cutlass.range(n_blocks):
            stage = nb % 2
            cute.arch.sync_threads()
            cute.copy(tr, tRg[None, None, None, nb], tRs)
            cute.arch.cp_async_commit_group()
            if nb + 1 < n_blocks:
                cute.copy(tq, tKg[None, None, None, nb + 1], tKs[None, None, None, 1 - stage])
                cute.copy(tq, tVg[None, None, None, nb + 1], tVs[None, None, None, 1 - stage])
            cute.arch.cp_async_commit_group()
            cute.arch.cp_async_wait_group(1)
            cute.arch.sync_threads()
            S = cute.make_rmem_tensor(thr.partition_shape_C((self.m, self.n)), cutlass.Float32)
            rR = cute.make_rmem_tensor_like(S, self.dtype)
            cute.copy(cr, cr.get_slice(tidx).partition_S(sR), cr.retile(rR))
            S.store(rR.load().to(cutlass.Float32) / alpha)
            cute.copy(cq, cq.get_slice(tidx).partition_S(sQ), cq.retile(rQ))
            cute.copy(
                ck, ck.get_slice(tidx).partition_S(sK)[None, None, None, stage], ck.retile(rK)
            )
            cute.gemm(mma, S, rQ, rK, S)
            cS = thr.partition_C(
                cute.local_tile(
                    cute.make_identity_tensor((mQ.shape[1], mK.shape[1])),
                    (self.m, self.n),
                    (m_block, nb),
                )
            )
            for i in cutlass.range_constexpr(cute.size(S)):
                x = S[i] * alpha
                if cutlass.const_expr(self.fast):
                    S[i] = 0.5 * x * (1.0 + tanhf(0.5 * x))
                else:
                    S[i] = x / (1.0 + cute.math.exp(-x, fastmath=True))
                c = cS[i]
                if cutlass.const_expr(self.causal):
                    S[i] = S[i] if c[1] <= c[0] else cutlass.Float32(0)
            P = cute.make_fragment_like(S, self.dtype)
            P.store(S.load().to(self.dtype))
            d = cute.logical_divide(P.layout, (None, None, 2))
            Pv = cute.make_tensor(
                P.iterator,
                cute.make_layout(
                    ((d.shape[0], d.shape[2][0]), d.shape[1], d.shape[2][1]),
                    stride=((d.stride[0], d.stride[2][0]), d.stride[1], d.stride[2][1]),
                ),
            )
            cute.copy(
                cv, cv.get_slice(tidx).partition_S(sVt)[None, None, None, stage], cv.retile(rV)
            )
            cute.gemm(mma, acc, Pv, rV, acc)
        cute.arch.cp_async_wait_group(0)
        out = cute.make_fragment_like(acc, self.dtype)
        out.store((acc.load() * (1.0 / mK.shape[1])).to(self.dtype))
        gO = cute.local_tile(mO[batch, None, head, None], (self.m, self.d), (m_block, 0))
        tO = thr.partition_C(gO)
        cute.autovec_copy(out, tO)


def run(b, s, h, d, m, n, threads, causal, fast):
    torch.manual_seed(0)
    q, k, v = (torch.randn(b, s, h, d).to(torch.bfloat16).cuda() for _ in range(3))
    rab = torch.randn(b, h, s, s).to(torch.bfloat16).cuda()
    o = torch.zeros_like(q)
    stream = cuda.CUstream(torch.cuda.current_stream().cuda_stream)
    ts = [from_dlpack(x, assumed_align=16) for x in (q, k, v, rab, o)]
    alpha = 1 / math.sqrt(d)
    f = cute.compile(Hstu(d, m, n, threads, causal, fast), *ts, alpha, stream)
    f(*ts, alpha, stream)
    torch.cuda.synchronize()
    Q, K, V = (x.double().cpu().permute(0, 2, 1, 3) for x in (q, k, v))
    X = Q @ K.transpose(-1, -2) * alpha + rab.double().cpu()
    X = X * torch.sigmoid(X)
    if causal:
        X = X.tril()
    ref = (X @ V / s).permute(0, 2, 1, 3)
    err = (o.double().cpu() - ref).abs().max().item()
    print(b, s, h, d, m, n, threads, causal, fast, "error", err, flush=True)
    assert err < 1e-2 * max(1, ref.abs().max().item())


run(1, 128, 2, 64, 64, 64, 128, True, True)
if "--all" in sys.argv:
    run(1, 128, 1, 64, 64, 64, 128, False, False)
    run(2, 192, 1, 128, 64, 64, 128, True, True)
print("PASS")
