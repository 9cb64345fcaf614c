"""Small programs in the published style: products of gathered rows, K split among persistent blocks with atomic sums,
multiply-adds of Float32 and Float64, softmax of rows. Prints PASS.
"""

import cuda.bindings.driver as cuda
import cutlass
import cutlass.cute as cute
import cutlass.utils as utils
import torch
from cutlass.cute.nvgpu import cpasync, warp
from cutlass.cute.runtime import from_dlpack


def stream():
    return cuda.CUstream(torch.cuda.current_stream().cuda_stream)


# --- gather rows with cp.async, then mma --------------------------------------------------
@cute.kernel
def gather_gemm(
    mA: cute.Tensor, idx: cute.Tensor, mB: cute.Tensor, mC: cute.Tensor, tiled_mma: cute.TiledMma
):
    tidx, _, _ = cute.arch.thread_idx()
    bx, by, _ = cute.arch.block_idx()
    M, N, K = 32, 32, 64
    smem = utils.SmemAllocator()
    atom = cute.make_composed_layout(
        cute.make_swizzle(3, 3, 3), 0, cute.make_layout((8, 64), stride=(64, 1))
    )
    sA = smem.allocate_tensor(cutlass.Float16, cute.tile_to_shape(atom, (M, K), (0, 1)), 128)
    sB = smem.allocate_tensor(cutlass.Float16, cute.tile_to_shape(atom, (N, K), (0, 1)), 128)
    g2s = cute.make_copy_atom(cpasync.CopyG2SOp(), cutlass.Float16, num_bits_per_copy=128)
    acc = tiled_mma.make_fragment_C(tiled_mma.partition_shape_C((M, N)))
    acc.fill(0.0)
    thr = tiled_mma.get_slice(tidx)
    rA, rB = thr.make_fragment_A(thr.partition_A(sA)), thr.make_fragment_B(thr.partition_B(sB))
    ld = cute.make_copy_atom(warp.LdMatrix8x8x16bOp(num_matrices=4), cutlass.Float16)
    ca, cb = cute.make_tiled_copy_A(ld, tiled_mma), cute.make_tiled_copy_B(ld, tiled_mma)
    vecs = K // 8
    for kt in range(cute.ceil_div(mA.shape[1], K)):
        for j in cutlass.range_constexpr(M * vecs // 32):
            lin = j * 32 + tidx
            row, vec = lin // vecs, lin % vecs
            src_row = idx[bx * M + row]
            gA = cute.local_tile(mA[src_row, None], (8,), (kt * vecs + vec,))
            gB = cute.local_tile(mB[by * N + row, None], (8,), (kt * vecs + vec,))
            dA = cute.local_tile(sA[row, None], (8,), (vec,))
            dB = cute.local_tile(sB[row, None], (8,), (vec,))
            cute.copy(g2s, cute.group_modes(gA, 0, 1), cute.group_modes(dA, 0, 1))
            cute.copy_atom_call(g2s, gB, dB)
        cute.arch.cp_async_commit_group()
        cute.arch.cp_async_wait_group(0)
        cute.arch.sync_threads()
        cute.copy(ca, ca.get_slice(tidx).partition_S(sA), ca.retile(rA))
        cute.copy(cb, cb.get_slice(tidx).partition_S(sB), cb.retile(rB))
        cute.gemm(tiled_mma, acc, rA, rB, acc)
        cute.arch.sync_threads()
    tC = thr.partition_C(cute.local_tile(mC, (M, N), (bx, by)))
    cute.basic_copy(acc, tC)


@cute.jit
def run_gather(a: cute.Tensor, idx: cute.Tensor, b: cute.Tensor, c: cute.Tensor, s: cuda.CUstream):
    mma = cute.make_tiled_mma(
        warp.MmaF16BF16Op(cutlass.Float16, cutlass.Float32, (16, 8, 16)), (1, 1, 1), (16, 16, 16)
    )
    gather_gemm(a, idx, b, c, mma).launch(
        grid=(c.shape[0] // 32, c.shape[1] // 32, 1), block=(32, 1, 1), stream=s
    )


def test_gather():
    a, b = torch.randint(-2, 3, (100, 128)).half(), torch.randint(-2, 3, (64, 128)).half()
    idx = torch.randint(0, 100, (64,), dtype=torch.int32)
    c = torch.zeros(64, 64)
    dev = [x.cuda() for x in (a, idx, b, c)]
    run_gather(*[from_dlpack(x, assumed_align=16) for x in dev], stream())
    torch.cuda.synchronize()
    assert torch.equal(dev[3].cpu(), (a.float()[idx.long()] @ b.float().T)), "gather"
    print("gather ok", flush=True)


# --- split-K with atomics, tiled_mma as an attribute and a while loop over work ------------
class SplitK:
    def __init__(self, splits):
        self.splits = splits

    @cute.jit
    def __call__(self, a: cute.Tensor, b: cute.Tensor, c: cute.Tensor, s: cuda.CUstream):
        self.op = warp.MmaF16BF16Op(cutlass.BFloat16, cutlass.Float32, (16, 8, 16))
        self.tiled_mma = cute.make_tiled_mma(self.op, cute.make_layout((2, 2, 1)))
        work = cute.ceil_div(c.shape[0], 64) * cute.ceil_div(c.shape[1], 64) * self.splits
        self.kernel(a, b, c, self.tiled_mma, work).launch(
            grid=[min(work, 3), 1, 1], block=[128, 1, 1], stream=s, smem=64 * 40 * 2 * 2
        )

    @cute.kernel
    def kernel(
        self,
        a: cute.Tensor,
        b: cute.Tensor,
        c: cute.Tensor,
        mma: cute.TiledMma,
        work: cutlass.Int32,
    ):
        tidx, _, _ = cute.arch.thread_idx()
        w, _, _ = cute.arch.block_idx()
        grid, _, _ = cute.arch.grid_dim()
        base = cute.arch.get_dyn_smem(cutlass.BFloat16, alignment=16)
        sA = cute.make_tensor(base, cute.make_layout((64, 32), stride=(40, 1)))
        sB = cute.make_tensor(base + 64 * 40, cute.make_layout((64, 32), stride=(40, 1)))
        thr = mma.get_slice(tidx)
        univ = cute.make_copy_atom(
            cute.nvgpu.CopyUniversalOp(), cutlass.BFloat16, num_bits_per_copy=128
        )
        tc = cute.make_tiled_copy_tv(
            univ, cute.make_layout((32, 4), stride=(4, 1)), cute.make_layout((1, 8))
        )
        tt = tc.get_slice(tidx)
        mt = cute.ceil_div(c.shape[0], 64)
        nt = cute.ceil_div(c.shape[1], 64)
        kt = cute.ceil_div(a.shape[1], 32)
        per = cute.ceil_div(kt, self.splits)
        while w < work:
            mi, ni, si = w % mt, (w // mt) % nt, w // (mt * nt)
            gA = tt.partition_S(cute.local_tile(a, (64, 32), (mi, None)))
            gB = tt.partition_S(cute.local_tile(b, (64, 32), (ni, None)))
            acc = thr.make_fragment_C(thr.partition_shape_C((64, 64)))
            acc.fill(0.0)
            for k in cutlass.range(si * per, min(kt, (si + 1) * per), 1):
                ra, rb = (
                    cute.make_fragment_like(gA[None, None, None, 0]),
                    cute.make_fragment_like(gB[None, None, None, 0]),
                )
                cute.copy(tc, gA[None, None, None, k], ra)
                cute.copy(tc, gB[None, None, None, k], rb)
                cute.arch.sync_threads()
                cute.copy(tc, ra, tt.partition_D(sA))
                cute.copy(tc, rb, tt.partition_D(sB))
                cute.arch.sync_threads()
                fa, fb = (
                    thr.make_fragment_A(thr.partition_A(sA)),
                    thr.make_fragment_B(thr.partition_B(sB)),
                )
                cute.autovec_copy(thr.partition_A(sA), fa)
                cute.autovec_copy(thr.partition_B(sB), fb)
                for kk in cutlass.range(cute.size(fa, mode=[2]), unroll_full=True):
                    cute.gemm(mma, acc, fa[None, None, kk], fb[None, None, kk], acc)
            tC = thr.partition_C(cute.local_tile(c, (64, 64), (mi, ni)))
            for i in cutlass.range_constexpr(cute.size(acc)):
                cute.arch.atomic_add(tC.iterator + cute.crd2idx(i, tC.layout), acc[i])
            w += grid


def test_splitk():
    a, b = torch.randint(-2, 3, (128, 416)).bfloat16(), torch.randint(-2, 3, (192, 416)).bfloat16()
    c = torch.zeros(128, 192)
    dev = [x.cuda() for x in (a, b, c)]
    g = SplitK(4)
    ts = [from_dlpack(x, assumed_align=16) for x in dev]
    cute.compile(g, *ts, stream())(*ts, stream())
    torch.cuda.synchronize()
    assert torch.equal(dev[2].cpu(), a.float() @ b.float().T)
    print("split-k ok", flush=True)


# --- SIMT f64 and f32 with universal MMA, permutations by layouts -------------------------
class Simt:
    @cute.jit
    def __call__(
        self,
        a: cute.Tensor,
        b: cute.Tensor,
        c: cute.Tensor,
        s: cuda.CUstream,
        op: cutlass.Constexpr = lambda x: x,
    ):
        dt = a.element_type
        atoms = cute.make_layout((16, 16, 1), stride=(16, 1, 0))
        perm_m = cute.make_layout((16, 4), stride=(4, 1))
        mma = cute.make_tiled_mma(
            cute.nvgpu.MmaUniversalOp(dt), atoms, permutation_mnk=(perm_m, perm_m, None)
        )
        self.kernel(a, b, c, mma, op).launch(
            grid=(*cute.ceil_div(c.shape, (64, 64)), 1), block=[cute.size(atoms), 1, 1], stream=s
        )

    @cute.kernel
    def kernel(
        self,
        a: cute.Tensor,
        b: cute.Tensor,
        c: cute.Tensor,
        mma: cute.TiledMma,
        op: cutlass.Constexpr,
    ):
        tidx, _, _ = cute.arch.thread_idx()
        bx, by, _ = cute.arch.block_idx()
        dt = a.element_type
        BK = 8
        smem = utils.SmemAllocator()
        sA = smem.allocate_tensor(dt, cute.make_layout((64, BK, 2), stride=(1, 68, 68 * BK)), 16)
        sB = smem.allocate_tensor(dt, cute.make_layout((64, BK, 2), stride=(1, 68, 68 * BK)), 16)
        thr = mma.get_slice(tidx)
        tA, tB, tC = (
            thr.partition_A(sA),
            thr.partition_B(sB),
            thr.partition_C(cute.local_tile(c, (64, 64), (bx, by))),
        )
        cC = thr.partition_C(
            cute.local_tile(cute.make_identity_tensor(c.shape), (64, 64), (bx, by))
        )
        rA, rB, acc = (
            mma.make_fragment_A(tA[None, None, None, 0]),
            mma.make_fragment_B(tB[None, None, None, 0]),
            mma.make_fragment_C(tC),
        )
        acc.fill(0)
        atom = cute.make_copy_atom(cpasync.CopyG2SOp(), dt, num_bits_per_copy=dt.width)
        tc = cute.make_tiled_copy_tv(
            atom, cute.make_layout((32, 8), stride=(8, 1)), cute.make_layout((1, 1))
        )
        tt = tc.get_slice(tidx)
        gA, gB = (
            tt.partition_S(cute.local_tile(a, (64, BK), (bx, None))),
            tt.partition_S(cute.local_tile(b, (64, BK), (by, None))),
        )
        iA = tt.partition_S(
            cute.local_tile(cute.make_identity_tensor(a.shape), (64, BK), (bx, None))
        )
        iB = tt.partition_S(
            cute.local_tile(cute.make_identity_tensor(b.shape), (64, BK), (by, None))
        )
        dA, dB = tt.partition_D(sA), tt.partition_D(sB)
        dA.fill(0)
        dB.fill(0)
        n = cute.size(gA, mode=[3])
        for k in cutlass.range(n):
            st = k % 2
            pa = cute.make_rmem_tensor(
                cute.make_layout((1, cute.size(gA, mode=[1]), cute.size(gA, mode=[2]))),
                cutlass.Boolean,
            )
            pb = cute.make_rmem_tensor_like(pa)
            for i in cutlass.range_constexpr(cute.size(pa)):
                pa[i] = cute.elem_less(iA[0, i, 0, k], a.shape)
                pb[i] = cute.elem_less(iB[0, i, 0, k], b.shape)
                if not pa[i]:
                    dA[0, i, 0, st] = dt(0)
                if not pb[i]:
                    dB[0, i, 0, st] = dt(0)
            cute.copy(atom, gA[None, None, None, k], dA[None, None, None, st], pred=pa)
            cute.copy(atom, gB[None, None, None, k], dB[None, None, None, st], pred=pb)
            cute.arch.cp_async_commit_group()
            cute.arch.cp_async_wait_group(0)
            cute.arch.sync_threads()
            cute.autovec_copy(tA[None, None, None, st], rA)
            cute.autovec_copy(tB[None, None, None, st], rB)
            for kk in cutlass.range(cute.size(rA, mode=[2]), unroll_full=True):
                cute.gemm(mma, acc, rA[None, None, kk], rB[None, None, kk], acc)
        acc.store(op(acc.load()))
        p = cute.make_rmem_tensor(acc.shape, cutlass.Boolean)
        for i in range(cute.size(acc.shape)):
            p[i] = cute.elem_less(cC[i], c.shape)
        cute.basic_copy_if(p, acc, tC)


def test_simt():
    for dt in (torch.float32, torch.float64):
        a, b = torch.randint(-3, 4, (70, 45)).to(dt), torch.randint(-3, 4, (100, 45)).to(dt)
        c = torch.zeros(70, 100, dtype=dt)
        dev = [x.cuda() for x in (a, b, c)]
        ts = [from_dlpack(x, assumed_align=8).mark_layout_dynamic() for x in dev]
        cute.compile(Simt(), *ts, stream(), lambda x: x * 2)(*ts, stream())
        torch.cuda.synchronize()
        assert torch.equal(dev[2].cpu(), (a @ b.T) * 2), dt
    print("simt ok", flush=True)


# --- row softmax: tiled copies by TV layouts, warp and block reductions, predicates --------
@cute.kernel
def softmax_kernel(
    x: cute.Tensor, y: cute.Tensor, cX: cute.Tensor, tv: cute.Layout, tiler: cute.Shape
):
    tidx, _, _ = cute.arch.thread_idx()
    row, _, _ = cute.arch.block_idx()
    blk = ((None, None), (row, 0))
    gX, gY, gC = (cute.zipped_divide(t, tiler)[blk] for t in (x, y, cX))
    tX, tY, tCc = (cute.composition(t, tv)[tidx, None] for t in (gX, gY, gC))
    frag = cute.make_fragment_like(tX, cutlass.Float32)
    frag.fill(-cutlass.Float32.inf)
    pred = cute.make_rmem_tensor(tCc.shape, cutlass.Boolean)
    for i in cutlass.range(cute.size(pred), unroll_full=True):
        pred[i] = cute.elem_less(tCc[i], x.shape)
        if pred[i]:
            frag[i] = tX[i].to(cutlass.Float32)
    smem = utils.SmemAllocator()
    part = smem.allocate_array(cutlass.Float32, 8)
    buf = cute.make_tensor(part, cute.make_layout((4, 2)))
    v = frag.load()
    m = cute.arch.warp_reduction_max(
        v.reduce(cute.ReductionOp.MAX, -cutlass.Float32.inf, reduction_profile=0)
    )
    lane, warp_idx = cute.arch.lane_idx(), cute.arch.warp_idx()
    if lane == 0:
        buf[warp_idx, 0] = m
    cute.arch.barrier()
    m = cute.arch.fmax(cute.arch.fmax(buf[0, 0], buf[1, 0]), cute.arch.fmax(buf[2, 0], buf[3, 0]))
    e = cute.math.exp(v - m)
    s = cute.arch.warp_reduction_sum(e.reduce(cute.ReductionOp.ADD, 0.0, reduction_profile=0))
    if lane == 0:
        buf[warp_idx, 1] = s
    cute.arch.barrier()
    s = buf[0, 1] + buf[1, 1] + buf[2, 1] + buf[3, 1]
    out = (e / s).to(y.element_type)
    r = cute.make_rmem_tensor_like(tY)
    r.store(out)
    for i in cutlass.range_constexpr(cute.size(pred)):
        if pred[i]:
            tY[i] = r[i]


@cute.jit
def softmax(x: cute.Tensor, y: cute.Tensor, s: cuda.CUstream):
    tiler, tv = cute.make_layout_tv(cute.make_layout((1, 128)), cute.make_layout((1, 4)))
    softmax_kernel(x, y, cute.make_identity_tensor(x.shape), tv, tiler).launch(
        grid=(x.shape[0], 1, 1), block=(128, 1, 1), stream=s
    )


def test_softmax():
    x = torch.randn(7, 501, dtype=torch.float16)
    dx, dy = x.cuda(), torch.zeros_like(x).cuda()
    softmax(from_dlpack(dx), from_dlpack(dy), stream())
    torch.cuda.synchronize()
    err = (dy.cpu().double() - x.double().softmax(-1)).abs().max().item()
    assert err < 1e-3, err
    print("softmax ok", err, flush=True)


test_gather()
test_splitk()
test_simt()
test_softmax()
print("PASS")
