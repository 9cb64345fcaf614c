"""Products by ``cute.experimental`` of tensors that kernels make: of addresses in a tensor, one for each batch, and of
scale factors whose layout follows from the operands' shapes. Prints PASS.
"""

import cutlass
import cutlass.cute as cute
import cutlass.cute.experimental as ext
import cutlass.utils.blackwell_helpers as sm100
import cutlass.utils.blockscaled_layout as scales
import torch
from cutlass.cute.experimental.host_runtime import QueryDeviceWorkspaceFunc
from cutlass.cute.nvgpu import tcgen05
from cutlass.cute.runtime import from_dlpack

Kind = ext.OperationTypeEnum
STORE_WARP, MMA_WARP, LOAD_WARP, THREADS = 0, 4, 5, 192
STAGES, STORE_STAGES, K_BLOCKS = 2, 2, 4
TILE_MN = (128, 64)
SMEM = cute.AddressSpace.smem


def pipelines():
    loaded = ext.TMAToUMMAPipeline.create(
        num_stages=STAGES, mma_operation_type=Kind.SM100_MMA_1SM_SS
    )
    summed = ext.UMMAtoAsyncPipeline.create(
        num_stages=1, mma_operation_type=Kind.SM100_MMA_1SM_SS, consumer=Kind.SM100_COPY_T2R,
        consumer_arv_count=128,
    )  # fmt: skip
    stored = ext.TMAStorePipeline(
        stages=STORE_STAGES, arv_count=128, barrier_id=1, tma_warp_id=STORE_WARP
    )
    return loaded, summed, stored


class Batches:
    """C = A B^T for each batch, whose matrices lie anywhere."""

    def __init__(self, count, a, b, c):
        self.count, self.layouts = count, [(x.shape, x.stride) for x in (a, b, c)]

    @ext.jit
    def __call__(self, a: cute.Tensor, b: cute.Tensor, c: cute.Tensor):
        rows, columns = self.layouts[2][0]
        grid = (rows // TILE_MN[0], columns // TILE_MN[1], 1)
        self.kernel(a, b, c).launch(grid=grid, block=(THREADS, 1, 1))

    @ext.jit
    def matrix(self, address, dtype, number):
        shape, stride = self.layouts[number]
        pointer = cute.make_ptr(dtype, address, cute.AddressSpace.gmem, assumed_align=16)
        return cute.make_tensor(pointer, cute.make_layout(shape, stride=stride))

    @ext.kernel
    def kernel(self, a: cute.Tensor, b: cute.Tensor, c: cute.Tensor):
        half, k_major = cutlass.Float16, cute.nvgpu.OperandMajorMode.K
        mma = sm100.make_trivial_tiled_mma(
            half, k_major, k_major, cutlass.Float32, tcgen05.CtaGroup.ONE, TILE_MN
        )
        tiler = (*TILE_MN, cute.size(mma.shape_mnk, mode=[2]) * K_BLOCKS)
        a_staged = sm100.make_smem_layout_a(mma, tiler, half, STAGES)
        b_staged = sm100.make_smem_layout_b(mma, tiler, half, STAGES)
        sa = ext.allocate(half, SMEM, a_staged, alignment=1024)
        sb = ext.allocate(half, SMEM, b_staged, alignment=1024)
        sums = ext.allocate(
            cutlass.Float32, cute.AddressSpace.tmem, ext.make_tmem_layout_acc(mma, tiler, 1),
            alignment=16,
        )  # fmt: skip
        loaded, summed, stored = pipelines()
        x, y, _ = cute.arch.block_idx()
        warp = cute.arch.make_warp_uniform(cute.arch.warp_idx())
        count = cute.size(
            cute.zipped_divide(self.matrix(a[0], half, 0), (tiler[0], tiler[2])), mode=[1, 1]
        )
        for batch in range(self.count):
            if warp == LOAD_WARP:
                a_tiles = cute.zipped_divide(
                    self.matrix(a[batch], half, 0), (tiler[0], tiler[2])
                )[(None, None), (x, None)]  # fmt: skip
                b_tiles = cute.zipped_divide(
                    self.matrix(b[batch], half, 1), (tiler[1], tiler[2])
                )[(None, None), (y, None)]  # fmt: skip
                for k in cutlass.range(0, count, 1, unroll=1):
                    token, at = loaded.producer_acquire_and_get_stage()
                    barrier = ext.get_mbarrier(token)
                    ext.tma_load(a_tiles[None, None, k], sa[None, None, None, at], barrier)
                    ext.tma_load(b_tiles[None, None, k], sb[None, None, None, at], barrier)
                    loaded.producer_commit_and_advance()
            if warp == MMA_WARP:
                _, at = summed.producer_acquire_and_get_stage()
                loaded, _ = ext.mainloop_mma(
                    mma, sa, sb, sums[None, None, None, at], 0, count, K_BLOCKS, loaded, loaded
                )
                summed.producer_commit_and_advance()
            if warp < MMA_WARP:
                _, at = summed.consumer_wait_and_get_stage()
                stored = ext.epilogue_tma_store(
                    tiler, False, sums[(None, None), 0, 0, at], self.matrix(c[batch], half, 2),
                    (x, y), stored, STORE_WARP, lambda values: values,
                )  # fmt: skip
                summed.consumer_release_and_advance()


def check_batches(count, m, n, k):
    def matrices(rows, columns):
        return [torch.randint(-3, 4, (rows, columns), device="cuda").half() for _ in range(count)]

    def addresses(tensors):
        places = [x.data_ptr() for x in tensors]
        return from_dlpack(torch.tensor(places, dtype=torch.int64, device="cuda"))

    a, b = matrices(m, k), matrices(n, k)
    c = [torch.zeros(m, n, dtype=torch.float16, device="cuda") for _ in range(count)]
    # Extents of tensors with dynamic layouts are constants where a program made them.
    shapes = [
        from_dlpack(x[0], assumed_align=16).mark_layout_dynamic(leading_dim=1) for x in (a, b, c)
    ]
    batches = Batches(count, shapes[0], shapes[1], from_dlpack(c[0], assumed_align=16))
    tensors = [addresses(x) for x in (a, b, c)]
    compiled = ext.compile(batches, *tensors)
    query = compiled.get_aux_func(QueryDeviceWorkspaceFunc, kernel=batches.kernel)
    needed = query(*tensors)
    workspace = from_dlpack(torch.empty(needed.size_in_bytes, dtype=torch.uint8, device="cuda"))
    compiled(*tensors, workspace)
    for left, right, product in zip(a, b, c, strict=True):
        assert torch.equal(product, (left.double() @ right.double().T).to(torch.float16))
    try:
        compiled(*tensors)
    except ValueError as error:
        assert "4 arguments, the workspace last" in str(error), error
    else:
        raise AssertionError("a call without a workspace")


class Scaled:
    """C = A B^T of e4m3 with a factor for each 32 elements along K."""

    @ext.jit
    def __call__(
        self, a: cute.Tensor, sfa: cute.Tensor, b: cute.Tensor, sfb: cute.Tensor, c: cute.Tensor
    ):
        self.kernel(a, sfa, b, sfb, c).launch(grid=(1, 1, 1), block=(THREADS, 1, 1))

    @ext.kernel
    def kernel(
        self, a: cute.Tensor, sfa: cute.Tensor, b: cute.Tensor, sfb: cute.Tensor, c: cute.Tensor
    ):
        k_major, group = cute.nvgpu.OperandMajorMode.K, tcgen05.CtaGroup.ONE
        mma = sm100.make_blockscaled_trivial_tiled_mma(
            a.element_type, k_major, k_major, sfa.element_type, 32, group, (128, 128)
        )
        tiler = (128, 128, cute.size(mma.shape_mnk, mode=[2]) * K_BLOCKS)
        tensors = (
            a, b, cute.make_tensor(sfa.iterator, scales.tile_atom_to_shape_SF(a.shape, 32)),
            cute.make_tensor(sfb.iterator, scales.tile_atom_to_shape_SF(b.shape, 32)),
        )  # fmt: skip
        tiles = [
            cute.zipped_divide(x, (128, tiler[2]))[(None, None), (0, None, 0)] for x in tensors
        ]
        staged = (
            sm100.make_smem_layout_a(mma, tiler, a.element_type, STAGES),
            sm100.make_smem_layout_b(mma, tiler, b.element_type, STAGES),
            scales.make_smem_layout_sfa(mma, tiler, 32, STAGES),
            scales.make_smem_layout_sfb(mma, tiler, 32, STAGES),
        )
        shared = [
            ext.allocate(x.element_type, SMEM, layout, alignment=1024)
            for x, layout in zip(tensors, staged)
        ]
        tmem = cute.AddressSpace.tmem
        sums = ext.allocate(
            cutlass.Float32, tmem, ext.make_tmem_layout_acc(mma, tiler, 1), alignment=16
        )
        factors = [
            ext.allocate(
                x.element_type, tmem,
                layout(mma, tiler, 32, cute.slice_(of_shared, (None, None, None, 0))), alignment=16,
            )
            for x, layout, of_shared in zip(
                tensors[2:], (scales.make_tmem_layout_sfa, scales.make_tmem_layout_sfb), staged[2:]
            )
        ]  # fmt: skip
        loaded, summed, stored = pipelines()
        count = cute.size(tiles[0], mode=[2])
        warp = cute.arch.make_warp_uniform(cute.arch.warp_idx())
        if warp == LOAD_WARP:
            for k in cutlass.range(0, count, 1, unroll=1):
                token, at = loaded.producer_acquire_and_get_stage()
                for tile, memory in zip(tiles, shared):
                    ext.tma_load(
                        tile[None, None, k], memory[None, None, None, at], ext.get_mbarrier(token)
                    )
                loaded.producer_commit_and_advance()
        if warp == MMA_WARP:
            _, at = summed.producer_acquire_and_get_stage()
            product = cute.make_mma_atom(mma.op)
            product.set(tcgen05.Field.ACCUMULATE, False)
            atom = cute.make_copy_atom(tcgen05.Cp4x32x128bOp(group), sfa.element_type)
            for _ in cutlass.range(0, count, 1, unroll=1):
                _, full = loaded.consumer_wait_and_get_stage()
                for of_shared, of_product in zip(shared[2:], factors):
                    to = cute.filter_zeros(of_product)
                    rows = tcgen05.make_s2t_copy(atom, to)
                    ext.copy(
                        ext.partition(
                            cute.filter_zeros(of_shared)[None, None, None, full], 0,
                            layout_tv=rows.layout_src_tv_tiled, tiler=rows.tiler_mn,
                        ),
                        ext.partition(
                            to, 0, layout_tv=rows.layout_dst_tv_tiled, tiler=rows.tiler_mn
                        ),
                        copy_atom=atom,
                    )  # fmt: skip
                for k in cutlass.range(K_BLOCKS, unroll_full=True):
                    ext.dot_block_scaled(
                        product,
                        cute.append_ones(shared[0][None, None, k, full], up_to_rank=3),
                        factors[0][None, None, k],
                        cute.append_ones(shared[1][None, None, k, full], up_to_rank=3),
                        factors[1][None, None, k],
                        sums[None, None, None, at],
                    )
                    product.set(tcgen05.Field.ACCUMULATE, True)
                loaded.consumer_release_and_advance()
            summed.producer_commit_and_advance()
        if warp < MMA_WARP:
            _, at = summed.consumer_wait_and_get_stage()
            ext.epilogue_tma_store(
                tiler, False, sums[(None, None), 0, 0, at], c, (0, 0, 0), stored, STORE_WARP,
                lambda values: values,
            )  # fmt: skip
            summed.consumer_release_and_advance()


def factors_in_memory(exponents):
    """(128, K / 32) exponents as the layout of scale factors has them: 32 rows, 4 of them, 4 factors, chunks of K."""
    chunks = exponents.reshape(4, 32, -1, 4).permute(2, 1, 0, 3)
    return (chunks + 127).to(torch.uint8).contiguous()


def check_scaled(k):
    a, b = (torch.randint(-3, 4, (128, k), device="cuda").float() for _ in range(2))
    exponents = [torch.randint(-2, 3, (128, k // 32), device="cuda") for _ in range(2)]
    c = torch.zeros(128, 128, device="cuda")
    operands = [
        from_dlpack(x.to(torch.float8_e4m3fn).view(torch.uint8)[..., None], assumed_align=16)
        for x in (a, b)
    ]
    for operand in operands:
        operand.element_type = cutlass.Float8E4M3FN
    operands = [x.mark_layout_dynamic(leading_dim=1) for x in operands]
    factors = [from_dlpack(factors_in_memory(x).flatten(), assumed_align=16) for x in exponents]
    for tensor in factors:
        tensor.element_type = cutlass.Float8E8M0FNU
    result = from_dlpack(c[..., None], assumed_align=16)
    tensors = [operands[0], factors[0], operands[1], factors[1], result]
    ext.compile(Scaled(), *tensors)(*tensors)
    left, right = (
        x.double() * torch.exp2(y.double()).repeat_interleave(32, 1)
        for x, y in zip((a, b), exponents, strict=True)
    )
    assert torch.equal(c.double(), left @ right.T), (c.double() - left @ right.T).abs().max()


if __name__ == "__main__":
    torch.manual_seed(0)
    check_batches(2, 128, 128, 192)
    check_scaled(256)
    print("PASS")
