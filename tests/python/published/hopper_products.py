"""C = A B^T by warpgroups, in the style of published Hopper programs: every warp multiplies, and the first one also
asks for the tiles that come next.

Clusters that share tiles by multicast; floats of 8 bits whose sums are promoted every few steps of the depth; depths
that are divided between blocks, whose sums TMA adds in memory. Prints PASS. ``--all`` runs every case,
``--assemble`` makes machine code alone.
"""

import sys

import cutlass
import cutlass.cute as cute
import cutlass.pipeline as pipeline
import cutlass.utils as utils
import cutlass.utils.hopper_helpers as sm90_utils
import torch
from cutlass.cute.nvgpu import cpasync, warpgroup
from cutlass.cute.runtime import from_dlpack


class DenseGemm:
    def __init__(self, tile_mn, cluster_mn=(1, 1), splits=1, promote_every=0, stages=3):
        self.tile_mn, self.cluster_mn = tile_mn, cluster_mn
        self.splits, self.promote_every, self.stages = splits, promote_every, stages
        self.atom_layout_mnk = (2, 1, 1) if tile_mn[0] > 64 else (1, 1, 1)
        self.threads = 128 * self.atom_layout_mnk[0]

    @cute.jit
    def __call__(self, a: cute.Tensor, b: cute.Tensor, c: cute.Tensor):
        self.a_dtype, self.c_dtype = a.element_type, c.element_type
        self.c_layout = utils.LayoutEnum.from_tensor(c)
        a_layout, b_layout = utils.LayoutEnum.from_tensor(a), utils.LayoutEnum.from_tensor(b)
        tiled_mma = sm90_utils.make_trivial_tiled_mma(
            a.element_type,
            b.element_type,
            a_layout.sm90_mma_major_mode(),
            b_layout.sm90_mma_major_mode(),
            cutlass.Float32,
            self.atom_layout_mnk,
            tiler_mn=(64, self.tile_mn[1]),
        )
        self.tile = (*self.tile_mn, cute.size(tiled_mma.shape_mnk, mode=[2]) * 4)
        self.epi_tile = (self.tile[0], 32)
        a_staged = sm90_utils.make_smem_layout_a(a_layout, self.tile, a.element_type, self.stages)
        b_staged = sm90_utils.make_smem_layout_b(b_layout, self.tile, b.element_type, self.stages)
        c_staged = sm90_utils.make_smem_layout_epi(
            c.element_type, self.c_layout, self.epi_tile, self.tile[1] // self.epi_tile[1]
        )

        def load(tensor, staged, tile, mcast_dim):
            op = cpasync.CopyBulkTensorTileG2SOp()
            if mcast_dim > 1:
                op = cpasync.CopyBulkTensorTileG2SMulticastOp()
            return cpasync.make_tiled_tma_atom(
                op, tensor, cute.slice_(staged, (None, None, 0)), tile, num_multicast=mcast_dim
            )

        a_atom, a_tensor = load(a, a_staged, (self.tile[0], self.tile[2]), self.cluster_mn[1])
        b_atom, b_tensor = load(b, b_staged, (self.tile[1], self.tile[2]), self.cluster_mn[0])
        store = cpasync.CopyBulkTensorTileS2GOp()
        if cutlass.const_expr(self.splits > 1):
            store = cpasync.CopyReduceBulkTensorTileS2GOp(cute.ReductionOp.ADD)
        c_atom, c_tensor = cpasync.make_tiled_tma_atom(
            store, c, cute.slice_(c_staged, (None, None, 0)), self.epi_tile
        )
        tiles = cute.ceil_div(c.shape, (*self.tile_mn, 1))
        grid = cute.round_up((tiles[0], tiles[1], self.splits), (*self.cluster_mn, 1))

        @cute.struct
        class SharedStorage:
            mainloop: cute.struct.MemRange[cutlass.Int64, self.stages * 2]
            sA: cute.struct.Align[cute.struct.MemRange[self.a_dtype, cute.cosize(a_staged)], 1024]
            sB: cute.struct.Align[cute.struct.MemRange[self.a_dtype, cute.cosize(b_staged)], 1024]
            sC: cute.struct.Align[cute.struct.MemRange[self.c_dtype, cute.cosize(c_staged)], 1024]

        self.shared_storage = SharedStorage
        self.kernel(
            a_atom,
            a_tensor,
            b_atom,
            b_tensor,
            c_atom,
            c_tensor,
            tiled_mma,
            cute.make_layout((*self.cluster_mn, 1)),
            a_staged,
            b_staged,
            c_staged,
        ).launch(grid=grid, block=[self.threads, 1, 1], cluster=(*self.cluster_mn, 1))

    @cute.kernel
    def kernel(
        self,
        a_atom: cute.CopyAtom,
        mA: cute.Tensor,
        b_atom: cute.CopyAtom,
        mB: cute.Tensor,
        c_atom: cute.CopyAtom,
        mC: cute.Tensor,
        tiled_mma: cute.TiledMma,
        cta_layout: cute.Layout,
        a_staged: cute.ComposedLayout,
        b_staged: cute.ComposedLayout,
        c_staged: cute.ComposedLayout,
    ):
        warp_idx = cute.arch.make_warp_uniform(cute.arch.warp_idx())
        tidx, _, _ = cute.arch.thread_idx()
        bidx, bidy, split = cute.arch.block_idx()
        if warp_idx == 0:
            cpasync.prefetch_descriptor(a_atom)
            cpasync.prefetch_descriptor(b_atom)
        rank = cute.arch.make_warp_uniform(cute.arch.block_idx_in_cluster())
        coord = cta_layout.get_flat_coord(rank)
        a_mask = cute.make_layout_image_mask(cta_layout, coord, mode=1)
        b_mask = cute.make_layout_image_mask(cta_layout, coord, mode=0)
        a_mask = a_mask if cutlass.const_expr(self.cluster_mn[1] > 1) else 0
        b_mask = b_mask if cutlass.const_expr(self.cluster_mn[0] > 1) else 0

        storage = utils.SmemAllocator().allocate(self.shared_storage)
        tx_count = cute.size_in_bytes(
            self.a_dtype, cute.slice_(a_staged, (None, None, 0))
        ) + cute.size_in_bytes(self.a_dtype, cute.slice_(b_staged, (None, None, 0)))
        receivers = self.cluster_mn[0] + self.cluster_mn[1] - 1
        mainloop = pipeline.PipelineTmaAsync.create(
            barrier_storage=storage.mainloop.data_ptr(),
            num_stages=self.stages,
            producer_group=pipeline.CooperativeGroup(pipeline.Agent.Thread),
            consumer_group=pipeline.CooperativeGroup(
                pipeline.Agent.Thread, receivers * self.threads // 32
            ),
            tx_count=tx_count,
            cta_layout_vmnk=cute.make_layout((1, *cta_layout.shape)),
        )
        sA = storage.sA.get_tensor(a_staged.outer, swizzle=a_staged.inner)
        sB = storage.sB.get_tensor(b_staged.outer, swizzle=b_staged.inner)
        sC = storage.sC.get_tensor(c_staged.outer, swizzle=c_staged.inner)

        place = (bidx, bidy, None, 0)
        gA = cute.local_tile(mA, (*self.tile, 1), place, proj=(1, None, 1, 1))
        gB = cute.local_tile(mB, (*self.tile, 1), place, proj=(None, 1, 1, 1))
        gC = cute.local_tile(mC, self.tile_mn, (bidx, bidy, 0))
        gA, gB = gA[None, None, 0, None], gB[None, None, 0, None]
        tAsA, tAgA = cpasync.tma_partition(
            a_atom,
            coord[1],
            cute.make_layout(cute.slice_(cta_layout, (0, None, 0)).shape),
            cute.group_modes(sA, 0, 2),
            cute.group_modes(gA, 0, 2),
        )
        tBsB, tBgB = cpasync.tma_partition(
            b_atom,
            coord[0],
            cute.make_layout(cute.slice_(cta_layout, (None, 0, 0)).shape),
            cute.group_modes(sB, 0, 2),
            cute.group_modes(gB, 0, 2),
        )

        # Tiles of the depth are dealt to the blocks that divide it.
        all_tiles = cute.size(gA, mode=[2])
        k_tiles = (all_tiles - split + self.splits - 1) // self.splits
        producer = pipeline.make_pipeline_state(pipeline.PipelineUserType.Producer, self.stages)
        read = pipeline.make_pipeline_state(pipeline.PipelineUserType.Consumer, self.stages)
        release = pipeline.make_pipeline_state(pipeline.PipelineUserType.Consumer, self.stages)
        if warp_idx == 0:
            for _ in cutlass.range(cutlass.min(self.stages, k_tiles), unroll=1):
                mainloop.producer_acquire(producer)
                k = producer.count * self.splits + split
                barrier = mainloop.producer_get_barrier(producer)
                cute.copy(
                    a_atom,
                    tAgA[(None, k)],
                    tAsA[(None, producer.index)],
                    tma_bar_ptr=barrier,
                    mcast_mask=a_mask,
                )
                cute.copy(
                    b_atom,
                    tBgB[(None, k)],
                    tBsB[(None, producer.index)],
                    tma_bar_ptr=barrier,
                    mcast_mask=b_mask,
                )
                mainloop.producer_commit(producer)
                producer.advance()

        thr_mma = tiled_mma.get_slice(cute.arch.make_warp_uniform(tidx // 128) * 128)
        tCrA = tiled_mma.make_fragment_A(thr_mma.partition_A(sA))
        tCrB = tiled_mma.make_fragment_B(thr_mma.partition_B(sB))
        shape = tiled_mma.partition_shape_C(self.tile_mn)
        accumulators = cute.make_rmem_tensor(shape, cutlass.Float32)
        part = accumulators
        if cutlass.const_expr(self.promote_every > 0):
            accumulators.fill(0.0)
            part = cute.make_rmem_tensor(shape, cutlass.Float32)
        tiled_mma.set(warpgroup.Field.ACCUMULATE, False)
        for k_tile in cutlass.range(k_tiles, unroll=1):
            token = mainloop.consumer_try_wait(read)
            mainloop.consumer_wait(read, token)
            cute.nvgpu.warpgroup.fence()
            for k_block in cutlass.range_constexpr(cute.size(tCrA, mode=[2])):
                at = (None, None, k_block, read.index)
                cute.gemm(tiled_mma, part, tCrA[at], tCrB[at], part)
                tiled_mma.set(warpgroup.Field.ACCUMULATE, True)
            cute.nvgpu.warpgroup.commit_group()
            if cutlass.const_expr(self.promote_every > 0):
                cute.nvgpu.warpgroup.wait_group(0)
                if (k_tile + 1) % self.promote_every == 0 or k_tile == k_tiles - 1:
                    accumulators.store(accumulators.load() + part.load())
                    tiled_mma.set(warpgroup.Field.ACCUMULATE, False)
            else:
                cute.nvgpu.warpgroup.wait_group(0)
            mainloop.consumer_release(release)
            read.advance()
            release.advance()
            if warp_idx == 0 and producer.count < k_tiles:
                mainloop.producer_acquire(producer)
                k = producer.count * self.splits + split
                barrier = mainloop.producer_get_barrier(producer)
                cute.copy(
                    a_atom,
                    tAgA[(None, k)],
                    tAsA[(None, producer.index)],
                    tma_bar_ptr=barrier,
                    mcast_mask=a_mask,
                )
                cute.copy(
                    b_atom,
                    tBgB[(None, k)],
                    tBsB[(None, producer.index)],
                    tma_bar_ptr=barrier,
                    mcast_mask=b_mask,
                )
                mainloop.producer_commit(producer)
                producer.advance()

        # Every part of the tile has a buffer: all are written, then all are stored.
        copy_atom = sm90_utils.sm90_get_smem_store_op(
            self.c_layout, elem_ty_d=self.c_dtype, elem_ty_acc=cutlass.Float32
        )
        tiling_atom = cute.make_copy_atom(
            cute.nvgpu.warp.StMatrix8x8x16bOp(self.c_layout.is_m_major_c(), 4), self.c_dtype
        )
        tiled_copy = cute.make_tiled_copy_S(
            copy_atom, cute.make_tiled_copy_C_atom(tiling_atom, tiled_mma)
        )
        thr_copy = tiled_copy.get_slice(tidx)
        tRS_sD = thr_copy.partition_D(sC)
        tRS_rAcc = tiled_copy.retile(accumulators)
        shape = cute.shape(thr_copy.partition_S(sC))
        tRS_rD = cute.make_rmem_tensor(cute.make_layout(shape[:3]).shape, cutlass.Float32)
        size = cute.size(tRS_rD)
        for epi in cutlass.range_constexpr(self.tile[1] // self.epi_tile[1]):
            for i in cutlass.range_constexpr(size):
                tRS_rD[i] = tRS_rAcc[epi * size + i]
            converted = cute.make_rmem_tensor_like(tRS_rD, self.c_dtype)
            converted.store(tRS_rD.load().to(self.c_dtype))
            cute.copy(tiled_copy, converted, tRS_sD[(None, None, None, epi)])
        cute.arch.fence_proxy("async.shared", space="cta")
        cute.arch.sync_threads()
        if warp_idx == 0 and k_tiles > 0:
            bSG_sD, bSG_gD = cpasync.tma_partition(
                c_atom,
                0,
                cute.make_layout(1),
                cute.group_modes(sC, 0, 2),
                cute.zipped_divide(gC, self.epi_tile),
            )
            for epi in cutlass.range_constexpr(self.tile[1] // self.epi_tile[1]):
                cute.copy(c_atom, bSG_sD[(None, epi)], bSG_gD[(None, (0, epi))])
            cute.arch.cp_async_bulk_commit_group()
            cute.arch.cp_async_bulk_wait_group(0)
        # Other blocks arrive at barriers of this one until they have read all of their stages.
        cute.arch.cluster_arrive()
        cute.arch.cluster_wait()


def operand(rows, columns, leading, dtype):
    """(rows, columns, 1) with this contiguous mode, and as float64."""
    shape = (columns, rows) if leading == 0 else (rows, columns)
    values = torch.randn(shape, device="cuda").to(dtype)
    exact = values.double()
    narrow = dtype == torch.float8_e4m3fn
    storage = values.view(torch.uint8) if narrow else values
    tensor = from_dlpack((storage.t() if leading == 0 else storage).unsqueeze(-1), assumed_align=16)
    if narrow:
        tensor.element_type = cutlass.Float8E4M3FN
    return tensor.mark_layout_dynamic(leading_dim=leading), (exact.t() if leading == 0 else exact)


def check(m, n, k, dtype=torch.float16, majors=(1, 1), out=None, tolerance=2e-3, **options):
    (a, a64), (b, b64) = operand(m, k, majors[0], dtype), operand(n, k, majors[1], dtype)
    c = torch.full((m, n, 1), float("nan"), device="cuda", dtype=out or torch.float16)
    if options.get("splits", 1) > 1:
        c.zero_()
    c_tensor = from_dlpack(c, assumed_align=16).mark_layout_dynamic(leading_dim=1)
    gemm = DenseGemm(**options)
    if "--assemble" in sys.argv:
        assert cute.compile(gemm, a, b, c_tensor, options="--target cuda:sm_90a").__cubin__
        return
    compiled = cute.compile(gemm, a, b, c_tensor)
    compiled(a, b, c_tensor)
    if torch.cuda.is_available():
        torch.cuda.synchronize()
    expected = a64 @ b64.t()
    error = (c[..., 0].double() - expected).abs().max() / expected.abs().max()
    assert error < tolerance, (m, n, k, options, float(error))


CASES = [
    # Blocks along M share tiles of B, those along N tiles of A.
    lambda: check(256, 128, 192, tile_mn=(128, 64), cluster_mn=(2, 1)),
    lambda: check(128, 256, 192, tile_mn=(64, 64), cluster_mn=(1, 2), majors=(0, 0)),
    # Every 2 steps of 128 elements the sums are added to others.
    lambda: check(128, 64, 640, torch.float8_e4m3fn, tile_mn=(128, 64), promote_every=2),
    # Three blocks have 2, 2 and 1 steps of the depth.
    lambda: check(
        64, 128, 320, torch.bfloat16, out=torch.float32, tolerance=1e-5, tile_mn=(64, 64), splits=3
    ),
]
MORE = [
    lambda: check(1024, 512, 512, tile_mn=(128, 128), cluster_mn=(2, 1), stages=4),
    lambda: check(512, 1024, 512, tile_mn=(128, 128), cluster_mn=(1, 2), stages=4),
    lambda: check(520, 264, 328, tile_mn=(128, 64), cluster_mn=(2, 2)),
    lambda: check(
        1024, 512, 4096, torch.float8_e4m3fn, out=torch.bfloat16, tolerance=4e-3,
        tile_mn=(128, 128), promote_every=4, cluster_mn=(2, 1),
    ),
    lambda: check(
        256, 256, 8192, out=torch.float32, tolerance=1e-5, tile_mn=(128, 128), splits=16, stages=4
    ),
    lambda: check(
        200, 136, 1000, out=torch.float32, tolerance=1e-5, tile_mn=(64, 64), splits=4,
        cluster_mn=(2, 1),
    ),
]  # fmt: skip

if __name__ == "__main__":
    torch.manual_seed(0)
    for case in CASES + (MORE if "--all" in sys.argv else []):
        case()
    print("PASS")
