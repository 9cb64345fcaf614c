"""C = A B^T in tensor memory by ``cute.experimental``: copies by TMA name the kernel's parameters, pipelines keep their
states, nobody frees tensor memory. By one block, and by pairs of blocks that share tiles. Prints PASS.
"""

import cutlass
import cutlass.cute as cute
import cutlass.cute.experimental as ext
import cutlass.utils as utils
import cutlass.utils.blackwell_helpers as sm100
import torch
from cutlass.cute.nvgpu import tcgen05
from cutlass.cute.runtime import from_dlpack

Kind = ext.OperationTypeEnum
STORE_WARP, MMA_WARP, LOAD_WARP, THREADS = 0, 4, 5, 192
STAGES, STORE_STAGES, K_BLOCKS = 2, 2, 4


class Product:
    def __init__(self, tile_mn, cluster, pair):
        self.tile_mn, self.cluster, self.pair = tile_mn, cluster, pair
        self.blocks = 2 if pair else 1

    @ext.jit
    def __call__(self, a: cute.Tensor, b: cute.Tensor, c: cute.Tensor):
        rows = self.tile_mn[0] // self.blocks
        self.kernel(a, b, c).launch(
            grid=(c.shape[0] // rows, c.shape[1] // self.tile_mn[1], 1),
            block=(THREADS, 1, 1),
            cluster=self.cluster,
        )

    @ext.kernel
    def kernel(self, a: cute.Tensor, b: cute.Tensor, c: cute.Tensor):
        group = tcgen05.CtaGroup.TWO if self.pair else tcgen05.CtaGroup.ONE
        majors = [utils.LayoutEnum.from_tensor(x).mma_major_mode() for x in (a, b)]
        mma = sm100.make_trivial_tiled_mma(
            a.element_type, *majors, cutlass.Float32, group, self.tile_mn
        )
        depth = cute.size(mma.shape_mnk, mode=[2]) * K_BLOCKS
        tiler = (*self.tile_mn, depth)
        rows, columns = self.tile_mn[0] // self.blocks, self.tile_mn[1] // self.blocks
        x, y, _ = cute.arch.block_idx()
        thread, _, _ = cute.arch.thread_idx()
        warp = cute.arch.make_warp_uniform(cute.arch.warp_idx())
        vmnk = cute.tiled_divide(cute.make_layout(self.cluster), (mma.thr_id,))
        half = x % self.blocks
        steps = cute.zipped_divide(a, (rows, depth))
        a_tiles = steps[(None, None), (x, None)]
        b_tiles = cute.zipped_divide(b, (columns, depth))[
            (None, None), (self.blocks * y + half, None)
        ]
        c_tile = cute.zipped_divide(c, (rows, self.tile_mn[1]))[(None, None), (x, y)]
        layout = utils.LayoutEnum.from_tensor(c)
        of_block = (rows, self.tile_mn[1], depth)
        epi = sm100.compute_epilogue_tile_shape(of_block, self.pair, layout, c.element_type)
        a_staged = sm100.make_smem_layout_a(mma, tiler, a.element_type, STAGES)
        b_staged = sm100.make_smem_layout_b(mma, tiler, b.element_type, STAGES)
        c_staged = sm100.make_smem_layout_epi(c.element_type, layout, epi, STORE_STAGES)
        smem, rmem = cute.AddressSpace.smem, cute.AddressSpace.rmem
        sa = ext.allocate(a.element_type, smem, a_staged, alignment=1024)
        sb = ext.allocate(b.element_type, smem, b_staged, alignment=1024)
        sc = ext.allocate(c.element_type, smem, c_staged, alignment=1024)
        sums = ext.allocate(
            cutlass.Float32, cute.AddressSpace.tmem, ext.make_tmem_layout_acc(mma, tiler, 1),
            alignment=16, is2cta=self.pair,
        )  # fmt: skip
        atom = sm100.get_tmem_load_op(
            of_block, layout, c.element_type, cutlass.Float32, epi, self.pair
        )
        first = cute.zipped_divide(sums, (epi, 1))[((None, None), 0), 0]
        loading = tcgen05.make_tmem_copy(atom, first)
        c_parts = cute.flat_divide(c_tile, epi)
        registers = ext.make_t2r_rmem_layout(loading, c_parts, thread)
        wide = ext.allocate(cutlass.Float32, rmem, registers, alignment=32)
        narrow = ext.allocate(c.element_type, rmem, registers, alignment=32)
        loads = Kind.SM90_TMA_LOAD
        if cutlass.const_expr(self.pair):
            loads = Kind.SM100_TMA_LOAD_2SM_MULTICAST
            loaded = ext.TMAToUMMAPipeline.create_with_mask(
                num_stages=STAGES, tma_operation_type=loads,
                mma_operation_type=Kind.SM100_MMA_2SM_SS, cluster_layout_vmnk=vmnk,
            )  # fmt: skip
        else:
            loaded = ext.TMAToUMMAPipeline.create(
                num_stages=STAGES, mma_operation_type=Kind.SM100_MMA_1SM_SS
            )
        summed = ext.UMMAtoAsyncPipeline.create(
            num_stages=1, mma_operation_type=Kind.SM100_MMA_1SM_SS, consumer=Kind.SM100_COPY_T2R,
            consumer_arv_count=128 * self.blocks, cluster_layout_vmnk=vmnk,
        )  # fmt: skip
        stored = ext.TMAStorePipeline(
            stages=STORE_STAGES, arv_count=128, barrier_id=1, tma_warp_id=STORE_WARP
        )
        count = cute.size(steps, mode=[1, 1])
        if warp == LOAD_WARP:
            for k in cutlass.range(0, count, 1, unroll=1):
                token, at = loaded.producer_acquire_and_get_stage()
                barrier = ext.get_mbarrier(token)
                a_map = ext.get_cta_v_map_ab(a, tiler, mma, "A")
                b_map = ext.get_cta_v_map_ab(b, tiler, mma, "B")
                a_k, b_k = a_tiles[None, None, k], b_tiles[None, None, k]
                to_a, to_b = sa[None, None, None, at], sb[None, None, None, at]
                if cutlass.const_expr(self.pair):
                    ext.tma_load_multicast(
                        a_k, to_a, barrier, vmnk_layout=vmnk, cta_v_map=a_map,
                        tma_operation_type=loads, multicast_mode=2,
                    )  # fmt: skip
                    ext.tma_load_multicast(
                        b_k, to_b, barrier, vmnk_layout=vmnk, cta_v_map=b_map,
                        tma_operation_type=loads, multicast_mode=1,
                    )  # fmt: skip
                else:
                    ext.tma_load(a_k, to_a, barrier, cta_v_map=a_map)
                    ext.tma_load(b_k, to_b, barrier, cta_v_map=b_map)
                if half == 0:
                    loaded.producer_commit()
                loaded.producer_state = ext.pipeline_advance_iterator(
                    loaded.raw_pipeline, loaded.producer_state
                )
        if warp == MMA_WARP and half == 0:
            _, at = summed.producer_acquire_and_get_stage()
            sum_ = sums[None, None, None, at]
            product = cute.make_mma_atom(mma.op)
            product.set(tcgen05.Field.ACCUMULATE, False)
            for _ in cutlass.range(0, count, 1, unroll=1):
                _, full = loaded.consumer_wait_and_get_stage()
                for k in cutlass.range(K_BLOCKS, unroll_full=True):
                    ext.dot(
                        product,
                        cute.append_ones(sa[None, None, k, full], up_to_rank=3),
                        cute.append_ones(sb[None, None, k, full], up_to_rank=3),
                        sum_,
                    )
                    product.set(tcgen05.Field.ACCUMULATE, True)
                loaded.consumer_release_and_advance()
            summed.producer_commit_and_advance()
        if warp < MMA_WARP:
            _, at = summed.consumer_wait_and_get_stage()
            parts = cute.flat_divide(sums[(None, None), 0, 0, at], epi)
            storing = cute.make_tiled_copy_D(
                cute.make_copy_atom(cute.nvgpu.CopyUniversalOp(), c.element_type), loading
            )
            for part in range(cute.size(parts.shape, mode=[3])):
                ext.partition_and_copy(loading.get_slice(thread), parts[None, None, 0, part], wide)
                narrow.store(wide.load().to(c.element_type))
                stored.acquire_sync()
                buffer = stored.get_index()
                ext.partition_and_copy(storing.get_slice(thread), narrow, sc[None, None, buffer])
                stored.commit_sync()
                if warp == STORE_WARP:
                    ext.tma_store(
                        sc[None, None, buffer], c_parts[None, None, 0, part],
                        cta_v_map=ext.get_cta_v_map_c(c, epi),
                    )  # fmt: skip
                stored.release_advance()
            stored.tail()
            summed.consumer_release_and_advance()


def check(shape, *program):
    m, n, k = shape
    a, b = (torch.randint(-3, 4, (rows, k)).to(torch.float16).cuda() for rows in (m, n))
    c = torch.zeros(m, n, dtype=torch.float16).cuda()
    tensors = [from_dlpack(x, assumed_align=16) for x in (a, b, c)]
    ext.compile(Product(*program), *tensors)(*tensors)
    expected = (a.double() @ b.double().T).to(torch.float16)
    assert torch.equal(c, expected), f"{shape}: {(c != expected).sum()} elements differ"


if __name__ == "__main__":
    torch.manual_seed(0)
    check((256, 128, 192), (128, 64), (1, 1, 1), False)
    check((512, 128, 192), (256, 64), (4, 2, 1), True)
    print("PASS")
