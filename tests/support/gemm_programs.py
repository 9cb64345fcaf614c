"""Products of matrices by tiled MMAs: A (M, K) and B (N, K), C (M, N)."""

from __future__ import annotations

from fairlead import Boolean, Float16, Float32, cute, pipeline
from fairlead.cute.nvgpu import (
    CopyUniversalOp,
    L2PrefetchSize,
    LoadCacheMode,
    MmaUniversalOp,
    cpasync,
    warp,
)


class DirectGemm:
    """One block: fragments come from global memory element by element, and go back there."""

    def __init__(self, op, atoms=(1, 1, 1), permutation=None):
        self.op, self.atoms, self.permutation = op, atoms, permutation

    @cute.jit
    def __call__(self, a: cute.Tensor, b: cute.Tensor, c: cute.Tensor):
        mma = cute.make_tiled_mma(self.op, self.atoms, self.permutation)
        self.kernel(a, b, c, mma).launch(grid=(1, 1, 1), block=(mma.size, 1, 1))

    @cute.kernel
    def kernel(self, a: cute.Tensor, b: cute.Tensor, c: cute.Tensor, mma: cute.TiledMma):
        thread, _, _ = cute.arch.thread_idx()
        mine = mma.get_slice(thread)
        tCgA, tCgB, tCgC = mine.partition_A(a), mine.partition_B(b), mine.partition_C(c)
        tCrA, tCrB = mine.make_fragment_A(tCgA), mine.make_fragment_B(tCgB)
        tCrC = mine.make_fragment_C(tCgC)
        cute.autovec_copy(tCgA, tCrA)
        cute.autovec_copy(tCgB, tCrB)
        cute.autovec_copy(tCgC, tCrC)
        cute.gemm(mma, tCrC, tCrA, tCrB, tCrC)
        cute.autovec_copy(tCrC, tCgC)


class SharedGemm:
    """Tiles of 64 x 64 x 32: cp.async to swizzled shared memory, ldmatrix to registers, predicates at edges."""

    def __init__(self, dtype, a_major, b_major, stages=2, prefetch=L2PrefetchSize.NONE):
        self.dtype, self.a_major, self.b_major, self.stages = dtype, a_major, b_major, stages
        self.prefetch = prefetch
        self.tile, self.threads = (64, 64, 32), 128

    def shared_layout(self, major):
        if major == "k":
            atom = cute.make_layout((8, 32), stride=(32, 1))
            return cute.make_swizzle(2, 4, 3), cute.tile_to_shape(
                atom, (64, 32, self.stages), (0, 1, 2)
            )
        atom = cute.make_layout((64, 8), stride=(1, 64))
        return cute.make_swizzle(3, 4, 3), cute.tile_to_shape(
            atom, (64, 32, self.stages), (0, 1, 2)
        )

    def global_copy(self, major):
        op = cpasync.CopyG2SOp(cache_mode=LoadCacheMode.GLOBAL)
        atom = cute.make_copy_atom(
            op, self.dtype, num_bits_per_copy=128, l2_prefetch_size=self.prefetch
        )
        if major == "k":
            threads, values = cute.make_layout((32, 4), stride=(4, 1)), cute.make_layout((1, 8))
        else:
            threads, values = cute.make_layout((8, 16), stride=(1, 8)), cute.make_layout((8, 1))
        return cute.make_tiled_copy_tv(atom, threads, values)

    @cute.jit
    def __call__(self, a: cute.Tensor, b: cute.Tensor, c: cute.Tensor):
        op = warp.MmaF16BF16Op(self.dtype, Float32, (16, 8, 16))
        mma = cute.make_tiled_mma(op, cute.make_layout((2, 2, 1)), permutation_mnk=(32, 32, 16))
        grid = (*cute.ceil_div(c.shape, (64, 64)), 1)
        layout_a, layout_b = self.shared_layout(self.a_major), self.shared_layout(self.b_major)
        copies = self.global_copy(self.a_major), self.global_copy(self.b_major)
        self.kernel(a, b, c, mma, layout_a, layout_b, copies).launch(
            grid=grid, block=(self.threads, 1, 1)
        )

    @cute.kernel
    def kernel(self, a, b, c, mma, layout_a, layout_b, copies):
        thread, _, _ = cute.arch.thread_idx()
        x, y, _ = cute.arch.block_idx()
        coord = (x, y, None)
        gA = cute.local_tile(a, self.tile, coord, proj=(1, None, 1))
        gB = cute.local_tile(b, self.tile, coord, proj=(None, 1, 1))
        gC = cute.local_tile(c, self.tile, coord, proj=(1, 1, None))
        cA = cute.local_tile(
            cute.make_identity_tensor(a.shape), self.tile, coord, proj=(1, None, 1)
        )
        cB = cute.local_tile(
            cute.make_identity_tensor(b.shape), self.tile, coord, proj=(None, 1, 1)
        )
        cC = cute.local_tile(
            cute.make_identity_tensor(c.shape), self.tile, coord, proj=(1, 1, None)
        )
        allocator = cute_allocator()
        sA = allocator.allocate_tensor(self.dtype, layout_a[1], 128, swizzle=layout_a[0])
        sB = allocator.allocate_tensor(self.dtype, layout_b[1], 128, swizzle=layout_b[0])
        thrA, thrB = copies[0].get_slice(thread), copies[1].get_slice(thread)
        tAgA, tAsA, tAcA = thrA.partition_S(gA), thrA.partition_D(sA), thrA.partition_S(cA)
        tBgB, tBsB, tBcB = thrB.partition_S(gB), thrB.partition_D(sB), thrB.partition_S(cB)
        tAsA.fill(0)
        tBsB.fill(0)
        cute.arch.sync_threads()

        mine = mma.get_slice(thread)
        tCsA, tCsB = mine.partition_A(sA), mine.partition_B(sB)
        tCrA = mma.make_fragment_A(tCsA[None, None, None, 0])
        tCrB = mma.make_fragment_B(tCsB[None, None, None, 0])
        tCgC, tCcC = mine.partition_C(gC), mine.partition_C(cC)
        tCrC = mma.make_fragment_C(tCgC)
        tCrC.fill(0.0)
        load_a = cute.make_copy_atom(warp.LdMatrix8x8x16bOp(self.a_major != "k", 4), self.dtype)
        load_b = cute.make_copy_atom(warp.LdMatrix8x8x16bOp(self.b_major != "k", 4), self.dtype)
        copy_a, copy_b = cute.make_tiled_copy_A(load_a, mma), cute.make_tiled_copy_B(load_b, mma)
        tSsA, tSrA = copy_a.get_slice(thread).partition_S(sA), copy_a.retile(tCrA)
        tSsB, tSrB = copy_b.get_slice(thread).partition_S(sB), copy_b.retile(tCrB)

        for tile in range(cute.size(tAgA, mode=[3])):
            stage = tile % self.stages
            self.load(copies[0], tAgA, tAsA, tAcA, a.shape, tile, stage)
            self.load(copies[1], tBgB, tBsB, tBcB, b.shape, tile, stage)
            cute.arch.cp_async_commit_group()
            cute.arch.cp_async_wait_group(0)
            cute.arch.sync_threads()
            cute.copy(copy_a, tSsA[None, None, None, stage], tSrA)
            cute.copy(copy_b, tSsB[None, None, None, stage], tSrB)
            cute.gemm(mma, tCrC, tCrA, tCrB, tCrC)
            cute.arch.sync_threads()

        tCrD = cute.make_fragment_like(tCrC, c.element_type)
        tCrD.store(tCrC.load().to(c.element_type))
        inside = cute.make_rmem_tensor(tCrC.layout, Boolean)
        for i in range(cute.size(tCrC.shape)):
            inside[i] = cute.elem_less(tCcC[i], c.shape)
        cute.copy(cute.make_copy_atom(CopyUniversalOp(), c.element_type), tCrD, tCgC, pred=inside)

    @cute.jit
    def load(self, copy, source, target, places, shape, tile, stage):
        part = source[None, None, None, tile]
        inside = cute.make_rmem_tensor(
            cute.make_layout((1, cute.size(part, mode=[1]), cute.size(part, mode=[2]))), Boolean
        )
        for m in range(cute.size(part, mode=[1])):
            for k in range(cute.size(part, mode=[2])):
                inside[0, m, k] = cute.elem_less(places[(0, 0), m, k, tile], shape)
        # Beyond the matrix are zeros, not the old values of the stage.
        target[None, None, None, stage].fill(0)
        cute.copy(copy, part, target[None, None, None, stage], pred=inside)


def cute_allocator():
    from fairlead.utils import SmemAllocator

    return SmemAllocator()


class MatrixStores:
    """Registers of an accumulator through stmatrix to shared memory, and from there to rows of C."""

    def __init__(self, transpose):
        self.transpose = transpose

    @cute.jit
    def __call__(self, a: cute.Tensor, b: cute.Tensor, c: cute.Tensor):
        op = warp.MmaF16BF16Op(Float16, Float32, (16, 8, 16))
        mma = cute.make_tiled_mma(op, (2, 1, 1), permutation_mnk=(32, 16, 16))
        self.kernel(a, b, c, mma).launch(grid=(1, 1, 1), block=(64, 1, 1))

    @cute.kernel
    def kernel(self, a: cute.Tensor, b: cute.Tensor, c: cute.Tensor, mma: cute.TiledMma):
        thread, _, _ = cute.arch.thread_idx()
        mine = mma.get_slice(thread)
        tCrA = mine.make_fragment_A(mine.partition_A(a))
        tCrB = mine.make_fragment_B(mine.partition_B(b))
        cute.autovec_copy(mine.partition_A(a), tCrA)
        cute.autovec_copy(mine.partition_B(b), tCrB)
        tCrC = mine.make_fragment_C(mine.partition_C(c))
        tCrC.fill(0.0)
        cute.gemm(mma, tCrC, tCrA, tCrB, tCrC)
        halves = cute.make_fragment_like(tCrC, Float16)
        halves.store(tCrC.load().to(Float16))
        stride = (1, 32) if self.transpose else (16, 1)
        shared = cute_allocator().allocate_tensor(
            Float16, cute.make_layout((32, 16), stride=stride), 128
        )
        atom = cute.make_copy_atom(warp.StMatrix8x8x16bOp(self.transpose, 4), Float16)
        copy = cute.make_tiled_copy_C(atom, mma)
        cute.copy(copy, copy.retile(halves), copy.get_slice(thread).partition_D(shared))
        cute.arch.sync_threads()
        for i in range(thread, 512, 64):
            c[i // 16, i % 16] = shared[i // 16, i % 16]


class ScalarGemm:
    """Blocks of 64 x 64 with a 4 x 4 piece of C a thread, in full precision of the type."""

    def __init__(self, dtype):
        self.dtype = dtype
        self.barrier = pipeline.NamedBarrier(barrier_id=1, num_threads=256)

    @cute.jit
    def __call__(self, a: cute.Tensor, b: cute.Tensor, c: cute.Tensor):
        order = cute.make_layout((16, 4), stride=(4, 1))
        mma = cute.make_tiled_mma(
            MmaUniversalOp(self.dtype),
            cute.make_layout((16, 16, 1), stride=(16, 1, 0)),
            permutation_mnk=(order, order, None),
        )
        self.kernel(a, b, c, mma).launch(
            grid=(*cute.ceil_div(c.shape, (64, 64)), 1), block=(256, 1, 1)
        )

    @cute.kernel
    def kernel(self, a: cute.Tensor, b: cute.Tensor, c: cute.Tensor, mma: cute.TiledMma):
        thread, _, _ = cute.arch.thread_idx()
        x, y, _ = cute.arch.block_idx()
        gA = cute.local_tile(a, (64, 8), (x, None))
        gB = cute.local_tile(b, (64, 8), (y, None))
        gC = cute.local_tile(c, (64, 64), (x, y))
        allocator = cute_allocator()
        layout = cute.make_layout((64, 8), stride=(1, 68))
        sA = allocator.allocate_tensor(self.dtype, layout, 16)
        sB = allocator.allocate_tensor(self.dtype, layout, 16)
        mine = mma.get_slice(thread)
        tCsA, tCsB, tCgC = mine.partition_A(sA), mine.partition_B(sB), mine.partition_C(gC)
        tCrA, tCrB = mine.make_fragment_A(tCsA), mine.make_fragment_B(tCsB)
        tCrC = mine.make_fragment_C(tCgC)
        tCrC.fill(0)
        atom = cute.make_copy_atom(CopyUniversalOp(), self.dtype)
        copy = cute.make_tiled_copy_tv(
            atom, cute.make_layout((32, 8), stride=(8, 1)), cute.make_layout((2, 1))
        )
        thr = copy.get_slice(thread)
        tAgA, tAsA = thr.partition_S(gA), thr.partition_D(sA)
        tBgB, tBsB = thr.partition_S(gB), thr.partition_D(sB)
        for tile in range(cute.size(gA, mode=[2])):
            cute.copy(copy, tAgA[None, None, None, tile], tAsA)
            cute.copy(copy, tBgB[None, None, None, tile], tBsB)
            self.barrier.arrive_and_wait()
            cute.autovec_copy(tCsA, tCrA)
            cute.autovec_copy(tCsB, tCrB)
            cute.gemm(mma, tCrC, tCrA, tCrB, tCrC)
            self.barrier.arrive_and_wait()
        cute.autovec_copy(tCrC, tCgC)
