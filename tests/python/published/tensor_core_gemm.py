"""C = epilogue(A B^T + bias) on a warp's tensor cores, in the style of published Ampere programs.

Float16, BFloat16, TFloat32 and floats of 8 bits; each major order, edges, batches, several stages of cp.async, stores
by stmatrix, epilogues. Prints PASS. ``--all`` runs every case.
"""

import sys

import cuda.bindings.driver as cuda
import cutlass
import cutlass.cute as cute
import cutlass.torch as cutlass_torch
import cutlass.utils as utils
import torch
from cutlass.cute.nvgpu import cpasync, warp
from cutlass.cute.runtime import from_dlpack


class Gemm:
    def __init__(
        self,
        ab_dtype,
        acc_dtype,
        c_dtype,
        tile=(64, 64, 32),
        stages=3,
        atoms=(2, 2, 1),
        stmatrix=False,
        inst=None,
    ):
        self.ab_dtype, self.acc_dtype, self.c_dtype = ab_dtype, acc_dtype, c_dtype
        self.tile, self.stages, self.atoms, self.stmatrix = tile, stages, atoms, stmatrix
        self.num_threads = 32 * atoms[0] * atoms[1] * atoms[2]
        self.inst = inst

    def _op(self):
        if self.ab_dtype in (cutlass.Float16, cutlass.BFloat16):
            return warp.MmaF16BF16Op(self.ab_dtype, self.acc_dtype, self.inst or (16, 8, 16))
        if self.ab_dtype is cutlass.TFloat32:
            return warp.MmaTF32Op(self.inst or (16, 8, 8))
        return warp.MmaFP8Op(self.ab_dtype, self.acc_dtype, self.inst or (16, 8, 32))

    def _smem_layout(self, dtype, major, tiler, bits=128):
        major_size = tiler[1] if major == utils.LayoutEnum.ROW_MAJOR else tiler[0]
        major_size = min(64, major_size)
        per = bits // dtype.width
        swz = min(3, max(0, (major_size * dtype.width // bits).bit_length() - 1))
        atom = (
            cute.make_layout((8, major_size), stride=(major_size, 1))
            if major == utils.LayoutEnum.ROW_MAJOR
            else cute.make_layout((major_size, 8), stride=(1, major_size))
        )
        swizzled = cute.make_composed_layout(
            cute.make_swizzle(swz, per.bit_length() - 1, 3), 0, atom
        )
        return cute.tile_to_shape(swizzled, tiler, (0, 1, 2))

    def _g2s(self, atom, dtype, major, tiler, bits=128):
        e = bits // dtype.width
        if major == utils.LayoutEnum.ROW_MAJOR:
            d1 = cute.size(tiler[1]) // e
            thr = cute.make_layout((self.num_threads // d1, d1), stride=(d1, 1))
            return cute.make_tiled_copy_tv(atom, thr, cute.make_layout((1, e)))
        d0 = cute.size(tiler[0]) // e
        thr = cute.make_layout((d0, self.num_threads // d0), stride=(1, d0))
        return cute.make_tiled_copy_tv(atom, thr, cute.make_layout((e, 1)))

    @cute.jit
    def __call__(
        self,
        mA: cute.Tensor,
        mB: cute.Tensor,
        mC: cute.Tensor,
        bias: cute.Tensor,
        stream: cuda.CUstream,
        epi: cutlass.Constexpr = lambda x: x,
    ):
        bM, bN, bK = self.tile
        a_major, b_major = utils.LayoutEnum.from_tensor(mA), utils.LayoutEnum.from_tensor(mB)
        sA_layout = self._smem_layout(mA.element_type, a_major, (bM, bK, self.stages))
        sB_layout = self._smem_layout(mB.element_type, b_major, (bN, bK, self.stages))
        atom = cute.make_copy_atom(
            cpasync.CopyG2SOp(cache_mode=cute.nvgpu.LoadCacheMode.GLOBAL),
            mA.element_type,
            num_bits_per_copy=128,
        )
        tA = self._g2s(atom, mA.element_type, a_major, (bM, bK))
        tB = self._g2s(atom, mB.element_type, b_major, (bN, bK))
        op = self._op()
        inst = op.shape_mnk
        mma = cute.make_tiled_mma(
            op,
            cute.make_layout(self.atoms),
            permutation_mnk=(
                self.atoms[0] * inst[0],
                self.atoms[1] * inst[1] * 2,
                self.atoms[2] * max(inst[2], 256 // self.ab_dtype.width),
            ),
        )
        grid = cute.ceil_div(mC.shape, (bM, bN, 1))
        self.kernel(
            mA, mB, mC, bias, sA_layout, sB_layout, tA, tB, mma, a_major, b_major, epi
        ).launch(grid=grid, block=[self.num_threads, 1, 1], stream=stream)

    @cute.kernel
    def kernel(
        self,
        mA: cute.Tensor,
        mB: cute.Tensor,
        mC: cute.Tensor,
        bias: cute.Tensor,
        sA_layout: cute.ComposedLayout,
        sB_layout: cute.ComposedLayout,
        tA: cute.TiledCopy,
        tB: cute.TiledCopy,
        mma: cute.TiledMma,
        a_major: cutlass.Constexpr,
        b_major: cutlass.Constexpr,
        epi: cutlass.Constexpr,
    ):
        tidx, _, _ = cute.arch.thread_idx()
        bx, by, bz = cute.arch.block_idx()
        bM, bN, bK = self.tile
        coord = (bx, by, None)
        gA = cute.local_tile(mA[None, None, bz], tiler=self.tile, coord=coord, proj=(1, None, 1))
        gB = cute.local_tile(mB[None, None, bz], tiler=self.tile, coord=coord, proj=(None, 1, 1))
        gC = cute.local_tile(mC[None, None, bz], tiler=self.tile, coord=coord, proj=(1, 1, None))
        cA = cute.local_tile(
            cute.make_identity_tensor(mA.layout.shape)[None, None, bz],
            tiler=self.tile,
            coord=coord,
            proj=(1, None, 1),
        )
        cB = cute.local_tile(
            cute.make_identity_tensor(mB.layout.shape)[None, None, bz],
            tiler=self.tile,
            coord=coord,
            proj=(None, 1, 1),
        )
        cC = cute.local_tile(
            cute.make_identity_tensor(mC.layout.shape)[None, None, bz],
            tiler=self.tile,
            coord=coord,
            proj=(1, 1, None),
        )
        smem = utils.SmemAllocator()
        sA = smem.allocate_tensor(mA.element_type, sA_layout, 128)
        sB = smem.allocate_tensor(mB.element_type, sB_layout, 128)
        thrA, thrB = tA.get_slice(tidx), tB.get_slice(tidx)
        tAgA, tAsA, tAcA = thrA.partition_S(gA), thrA.partition_D(sA), thrA.partition_S(cA)
        tBgB, tBsB, tBcB = thrB.partition_S(gB), thrB.partition_D(sB), thrB.partition_S(cB)
        k_tiles = cute.size(gA, mode=[2])
        # One predicate for each (rest_v, m, k), computed again for each tile along K.
        pA = cute.make_rmem_tensor(
            (tAgA.shape[0][1], cute.size(tAgA, mode=[1]), cute.size(tAgA, mode=[2])),
            cutlass.Boolean,
        )
        pB = cute.make_rmem_tensor(
            (tBgB.shape[0][1], cute.size(tBgB, mode=[1]), cute.size(tBgB, mode=[2])),
            cutlass.Boolean,
        )
        tAsA.fill(0)
        tBsB.fill(0)
        cute.arch.sync_threads()
        for s in cutlass.range_constexpr(self.stages - 1):
            if s < k_tiles:
                self.load(tA, tAgA, tAsA, tAcA, pA, mA, s, s)
                self.load(tB, tBgB, tBsB, tBcB, pB, mB, s, s)
            cute.arch.cp_async_commit_group()
        thr_mma = mma.get_slice(tidx)
        tCsA, tCsB, tCgC, tCcC = (
            thr_mma.partition_A(sA),
            thr_mma.partition_B(sB),
            thr_mma.partition_C(gC),
            thr_mma.partition_C(cC),
        )
        rA = mma.make_fragment_A(tCsA[None, None, None, 0])
        rB = mma.make_fragment_B(tCsB[None, None, None, 0])
        acc = mma.make_fragment_C(tCgC)
        acc.fill(0.0)
        atomA, atomB = self.s2r(mA.element_type, a_major), self.s2r(mB.element_type, b_major)
        cpA, cpB = cute.make_tiled_copy_A(atomA, mma), cute.make_tiled_copy_B(atomB, mma)
        sAv, sBv = cpA.get_slice(tidx).partition_S(sA), cpB.get_slice(tidx).partition_S(sB)
        rAv, rBv = cpA.retile(rA), cpB.retile(rB)
        read, write = cutlass.Int32(0), cutlass.Int32(self.stages - 1)
        for k_tile in cutlass.range(k_tiles, unroll=1):
            cute.arch.cp_async_wait_group(self.stages - 2)
            cute.arch.sync_threads()
            nxt = k_tile + self.stages - 1
            if nxt < k_tiles:
                self.load(tA, tAgA, tAsA, tAcA, pA, mA, nxt, write)
                self.load(tB, tBgB, tBsB, tBcB, pB, mB, nxt, write)
            cute.arch.cp_async_commit_group()
            for kb in cutlass.range_constexpr(cute.size(rA, mode=[2])):
                if cutlass.const_expr(
                    kb % (cute.size(rA, mode=[2]) // cute.size(rAv, mode=[2])) == 0
                ):
                    ka = kb // (cute.size(rA, mode=[2]) // cute.size(rAv, mode=[2]))
                    cute.copy(cpA, sAv[None, None, ka, read], rAv[None, None, ka])
                if cutlass.const_expr(
                    kb % (cute.size(rB, mode=[2]) // cute.size(rBv, mode=[2])) == 0
                ):
                    kc = kb // (cute.size(rB, mode=[2]) // cute.size(rBv, mode=[2]))
                    cute.copy(cpB, sBv[None, None, kc, read], rBv[None, None, kc])
                cute.gemm(mma, acc, rA[None, None, kb], rB[None, None, kb], acc)
            write = read
            read = read + 1
            if read == self.stages:
                read = cutlass.Int32(0)
        cute.arch.cp_async_wait_group(0)
        cute.arch.sync_threads()
        out = cute.make_fragment_like(acc, self.c_dtype)
        for i in cutlass.range_constexpr(cute.size(acc)):
            n = tCcC[i][1]
            b = cutlass.Float32(0)
            if cute.elem_less(n, mC.shape[1]):
                b = bias[n].to(cutlass.Float32)
            acc[i] = (acc[i].to(cutlass.Float32) + b).to(self.acc_dtype)
        out.store(epi(acc.load()).to(self.c_dtype))
        if cutlass.const_expr(self.stmatrix):
            sC_layout = cute.make_layout((bM, bN), stride=(bN + 8, 1))
            sC = cute.make_tensor(cute.recast_ptr(sA.iterator, dtype=self.c_dtype), sC_layout)
            st = cute.make_copy_atom(warp.StMatrix8x8x16bOp(False, 4), self.c_dtype)
            r2s = cute.make_tiled_copy_C(st, mma)
            cute.copy(r2s, r2s.retile(out), r2s.get_slice(tidx).partition_D(sC))
            cute.arch.sync_threads()
            e = 128 // self.c_dtype.width
            s2g = cute.make_tiled_copy_tv(
                cute.make_copy_atom(
                    cute.nvgpu.CopyUniversalOp(), self.c_dtype, num_bits_per_copy=128
                ),
                cute.make_layout((self.num_threads // (bN // e), bN // e), stride=(bN // e, 1)),
                cute.make_layout((1, e)),
            )
            thr = s2g.get_slice(tidx)
            sS, gS, cS = thr.partition_S(sC), thr.partition_D(gC), thr.partition_D(cC)
            regs = cute.make_fragment_like(sS)
            cute.autovec_copy(sS, regs)
            for m in cutlass.range_constexpr(cute.size(gS, mode=[1])):
                for n in cutlass.range_constexpr(cute.size(gS, mode=[2])):
                    c = cS[(0, 0), m, n]
                    if cute.elem_less((c[0], c[1]), (mC.shape[0], mC.shape[1])):
                        cute.copy(s2g, regs[None, m, n], gS[None, m, n])
        else:
            for i in cutlass.range_constexpr(cute.size(out)):
                c = tCcC[i]
                if cute.elem_less((c[0], c[1]), (mC.shape[0], mC.shape[1])):
                    tCgC[i] = out[i]

    def s2r(self, dtype, major):
        if dtype.width == 16:
            return cute.make_copy_atom(
                warp.LdMatrix8x8x16bOp(major != utils.LayoutEnum.ROW_MAJOR, 4), dtype
            )
        if dtype.width == 8 and major == utils.LayoutEnum.ROW_MAJOR:
            return cute.make_copy_atom(warp.LdMatrix8x16x8bOp(False, 4), dtype)
        if dtype.width == 32 and major == utils.LayoutEnum.ROW_MAJOR:
            return cute.make_copy_atom(warp.LdMatrix8x8x16bOp(False, 4), dtype)
        return cute.make_copy_atom(
            cute.nvgpu.CopyUniversalOp(), dtype, num_bits_per_copy=dtype.width
        )

    @cute.jit
    def load(self, tiled, g, s, c, p, m, k_tile, stage):
        for v in cutlass.range_constexpr(cute.size(p, mode=[0])):
            for i in cutlass.range_constexpr(cute.size(p, mode=[1])):
                for k in cutlass.range_constexpr(cute.size(p, mode=[2])):
                    x = c[(0, v), i, k, k_tile]
                    p[v, i, k] = cute.elem_less((x[0], x[1]), (m.shape[0], m.shape[1]))
        cute.copy(tiled, g[None, None, None, k_tile], s[None, None, None, stage], pred=p)


def matrix(batch, mode0, mode1, is_mode0_major, dtype, lo=-2, hi=3):
    shape = (batch, mode1, mode0) if is_mode0_major else (batch, mode0, mode1)
    perm = (2, 1, 0) if is_mode0_major else (1, 2, 0)
    x = torch.randint(lo, hi, shape, dtype=torch.int32).permute(perm).to(torch.float32)
    store = (x if dtype is cutlass.TFloat32 else x.to(cutlass_torch.dtype(dtype))).cuda()
    t = from_dlpack(store.view(torch.int8) if dtype.width == 8 else store, assumed_align=16)
    t.element_type = dtype
    t = t.mark_layout_dynamic(leading_dim=(0 if is_mode0_major else 1))
    t = t.mark_compact_shape_dynamic(
        mode=(0 if is_mode0_major else 1),
        stride_order=(2, 1, 0) if is_mode0_major else (2, 0, 1),
        divisibility=128 // dtype.width,
    )
    return x.to(torch.float64), store, t


def run(ab, acc, c, mnkl, am, bm, epi=None, ref_epi=None, **kw):
    m, n, k, batch = mnkl
    torch.manual_seed(1)
    A, sa, ta = matrix(batch, m, k, am == "m", ab)
    B, sb, tb = matrix(batch, n, k, bm == "n", ab)
    C, sc, tc = matrix(batch, m, n, False, c)
    bias = torch.randint(-3, 4, (n,), dtype=torch.int32).to(torch.float32)
    g = Gemm(ab, acc, c, **kw)
    stream = cuda.CUstream(torch.cuda.current_stream().cuda_stream)
    on_device = bias.cuda()
    args = (ta, tb, tc, from_dlpack(on_device).mark_layout_dynamic(), stream)
    f = cute.compile(g, *args, epi) if epi else cute.compile(g, *args)
    f(*args)
    torch.cuda.synchronize()
    ref = torch.einsum("mkl,nkl->mnl", A, B) + bias.to(torch.float64)[None, :, None]
    if ref_epi:
        ref = ref_epi(ref)
    got = sc.cpu().to(torch.float64)
    err = (got - ref.to(sc.dtype).to(torch.float64)).abs().max().item()
    print(ab.__name__, acc.__name__, mnkl, am, bm, kw, "max error", err, flush=True)
    assert err <= 1e-3 * max(1.0, ref.abs().max().item()), err


if __name__ == "__main__":
    F16, BF, F32, TF = cutlass.Float16, cutlass.BFloat16, cutlass.Float32, cutlass.TFloat32
    everything = "--all" in sys.argv
    run(F16, F32, F16, (72, 136, 40, 2), "m", "n")
    run(BF, F32, BF, (128, 64, 64, 1), "k", "n", stmatrix=True)
    run(TF, F32, F32, (68, 132, 36, 1), "k", "k", tile=(64, 64, 16))
    run(TF, F32, F32, (64, 64, 16, 1), "k", "k", tile=(64, 64, 16), inst=(16, 8, 4))
    if not everything:
        run(cutlass.Float8E4M3FN, F32, F32, (80, 144, 96, 1), "k", "k", tile=(64, 64, 64))
        sys.exit(print("PASS"))
    for am, bm in ("kk", "kn", "mk"):
        run(F16, F32, F16, (72, 136, 40, 2), am, bm)
    run(F16, F16, F16, (96, 72, 56, 1), "m", "k", stmatrix=True, stages=4)
    run(F16, F32, F32, (64, 64, 24, 3), "k", "k", inst=(16, 8, 8))
    run(TF, F32, F32, (68, 132, 36, 1), "m", "n", tile=(64, 64, 16))
    for fp8 in (cutlass.Float8E4M3FN, cutlass.Float8E5M2):
        run(fp8, F32, F32, (80, 144, 96, 1), "k", "k", tile=(64, 64, 64))
        run(fp8, F16, F16, (64, 64, 64, 1), "k", "k", tile=(64, 64, 64))
        run(fp8, F32, F32, (64, 64, 64, 1), "m", "n", tile=(64, 64, 64), inst=(16, 8, 16))

    def relu(x):
        return cute.where(x > 0, x, cute.full_like(x, 0))

    run(F16, F32, F16, (64, 64, 64, 1), "k", "k", epi=relu, ref_epi=lambda x: x.clamp(min=0))
    run(
        F16,
        F32,
        F32,
        (64, 64, 64, 1),
        "k",
        "k",
        epi=lambda x: x * (0.5 + 0.5 * cute.math.tanh(x * 0.125)),
        ref_epi=lambda x: x * (0.5 + 0.5 * torch.tanh(x * 0.125)),
    )
    print("PASS")
