"""A product with block scaling as programs for compute capability 10.0 write it: one warp loads tiles and scale
factors, copies the scale factors to tensor memory, and has the tiles multiplied; all four warps store the result."""

from __future__ import annotations

from fairlead import (
    Float4E2M1FN,
    Float32,
    Int8,
    Int16,
    Int32,
    Int64,
    cute,
    pipeline,
    range,
    range_constexpr,
    utils,
)
from fairlead.cute.nvgpu import OperandMajorMode, cpasync, tcgen05
from fairlead.utils import blackwell_helpers as sm100
from fairlead.utils import blockscaled_layout as scaled

#: Elements along K of a tile: four products.
STEPS = 4


class ScaledGemm:
    """C (M, N) = A (M, K) * B (N, K), one tile of (128, tile_n) for each block; tile_n is 128 or 256. The operands are
    bytes, K-major, and the scale factors are in chunks of 128 rows."""

    threads = 128
    #: True if SFA and SFB are passed together with the operands, False if they are set.
    together = False
    #: True if scale factors of B are set at all.
    sets_b = True
    #: Columns of sums that the scale factors of A overlap.
    overlap = 0

    def __init__(self, shape, tile_n, dtypes, sf_dtype, vector, stages=2):
        self.shape, self.tile_n, self.dtypes = shape, tile_n, dtypes
        self.sf_dtype, self.vector, self.stages = sf_dtype, vector, stages
        padded = dtypes != (Float4E2M1FN, Float4E2M1FN)
        self.shared = [Int8 if padded and dtype.width < 8 else dtype for dtype in dtypes]

    def matrix(self, memory, dtype, rows):
        pointer = cute.recast_ptr(memory.iterator, dtype=dtype)
        return cute.make_tensor(
            pointer, cute.make_layout((rows, self.shape[2]), stride=(self.shape[2], 1))
        )

    def scales(self, memory, rows):
        layout = scaled.tile_atom_to_shape_SF((rows, self.shape[2]), self.vector)
        return cute.make_tensor(cute.recast_ptr(memory.iterator, dtype=self.sf_dtype), layout)

    @cute.jit
    def __call__(
        self, a: cute.Tensor, b: cute.Tensor, sfa: cute.Tensor, sfb: cute.Tensor, c: cute.Tensor
    ):
        m, n, _ = self.shape
        k_major, one = OperandMajorMode.K, tcgen05.CtaGroup.ONE
        mma = sm100.make_blockscaled_trivial_tiled_mma(
            *self.dtypes, k_major, k_major, self.sf_dtype, self.vector, one, (128, self.tile_n)
        )
        self.tile = (128, self.tile_n, STEPS * mma.shape_mnk[2])
        staged = [
            make(mma, self.tile, dtype, self.stages)
            for make, dtype in zip(
                (sm100.make_smem_layout_a, sm100.make_smem_layout_b), self.shared, strict=True
            )
        ]
        staged += [
            make(mma, self.tile, self.vector, self.stages)
            for make in (scaled.make_smem_layout_sfa, scaled.make_smem_layout_sfb)
        ]
        tensors = [
            self.matrix(a, self.dtypes[0], m),
            self.matrix(b, self.dtypes[1], n),
            self.scales(sfa, m),
            self.scales(sfb, n),
        ]
        makers = (cute.nvgpu.make_tiled_tma_atom_A, cute.nvgpu.make_tiled_tma_atom_B) * 2
        loads = [
            make(
                cpasync.CopyBulkTensorTileG2SOp(one),
                tensor,
                cute.select(layout, mode=[0, 1, 2]),
                tile,
                mma,
                (1, 1, 1, 1),
                internal_type=internal,
            )
            for make, tensor, layout, tile, internal in zip(
                makers,
                tensors,
                staged,
                (self.tile,) * 4,
                (*self.shared, Int16, Int16),
                strict=True,
            )
        ]
        dtypes = (*self.dtypes, self.sf_dtype, self.sf_dtype)
        self.bytes = sum(
            cute.size_in_bytes(dtype, cute.select(layout, mode=[0, 1, 2]))
            for dtype, layout in zip(dtypes, staged, strict=True)
        )

        @cute.struct
        class Storage:
            loads: cute.struct.MemRange[Int64, 2 * self.stages]
            sums: cute.struct.MemRange[Int64, 2]
            place: Int32

        self.storage = Storage
        atoms, coordinates = [load[0] for load in loads], [load[1] for load in loads]
        self.kernel(mma, *atoms, *coordinates, c, *staged).launch(
            grid=(m // 128, n // self.tile_n, 1), block=(self.threads, 1, 1)
        )

    def to_tensor_memory(self, shared, memory):
        """The copy of scale factors, its source and its destination."""
        atom = cute.make_copy_atom(tcgen05.Cp4x32x128bOp(tcgen05.CtaGroup.ONE), self.sf_dtype)
        compact = cute.filter_zeros(memory)
        copy = tcgen05.make_s2t_copy(atom, compact)
        part = copy.get_slice(0)
        source = tcgen05.get_s2t_smem_desc_tensor(copy, part.partition_S(cute.filter_zeros(shared)))
        return copy, source, part.partition_D(compact)

    @cute.kernel
    def kernel(
        self, mma: cute.TiledMma, a_atom: cute.CopyAtom, b_atom: cute.CopyAtom,
        sfa_atom: cute.CopyAtom, sfb_atom: cute.CopyAtom, a: cute.Tensor, b: cute.Tensor,
        sfa: cute.Tensor, sfb: cute.Tensor, c: cute.Tensor, a_staged: cute.ComposedLayout,
        b_staged: cute.ComposedLayout, sfa_staged: cute.Layout, sfb_staged: cute.Layout,
    ):  # fmt: skip
        tid, _, _ = cute.arch.thread_idx()
        warp = cute.arch.make_warp_uniform(cute.arch.warp_idx())
        row, column, _ = cute.arch.block_idx()
        place = (row, column, None)
        smem = utils.SmemAllocator()
        storage = smem.allocate(self.storage)
        sa = smem.allocate_tensor(self.shared[0], a_staged.outer, 1024, a_staged.inner)
        sb = smem.allocate_tensor(self.shared[1], b_staged.outer, 1024, b_staged.inner)
        ssfa = smem.allocate_tensor(self.sf_dtype, sfa_staged, 128)
        ssfb = smem.allocate_tensor(self.sf_dtype, sfb_staged, 128)
        tmem = utils.TmemAllocator(
            storage.place, barrier_for_retrieve=pipeline.NamedBarrier(1, self.threads)
        )
        tmem.allocate(512)
        one = pipeline.CooperativeGroup(pipeline.Agent.Thread)
        loading, loaded = pipeline.PipelineTmaUmma.create(
            num_stages=self.stages, producer_group=one,
            consumer_group=pipeline.CooperativeGroup(pipeline.Agent.Thread, 1),
            tx_count=self.bytes, barrier_storage=storage.loads.data_ptr(),
        ).make_participants()  # fmt: skip
        all_threads = pipeline.CooperativeGroup(pipeline.Agent.Thread, self.threads)
        summing, summed = pipeline.PipelineUmmaAsync.create(
            num_stages=1, producer_group=one, consumer_group=all_threads,
            barrier_storage=storage.sums.data_ptr(),
        ).make_participants()  # fmt: skip
        tile = mma.get_slice(0)
        parts = [
            tile.partition_A(cute.local_tile(a, self.tile, place, proj=(1, None, 1))),
            tile.partition_B(cute.local_tile(b, self.tile, place, proj=(None, 1, 1))),
            tile.partition_A(cute.local_tile(sfa, self.tile, place, proj=(1, None, 1))),
            tile.partition_B(cute.local_tile(sfb, self.tile, place, proj=(None, 1, 1))),
        ]
        atoms, shared = (a_atom, b_atom, sfa_atom, sfb_atom), (sa, sb, ssfa, ssfb)
        boxes = [
            cpasync.tma_partition(
                atom,
                0,
                cute.make_layout(1),
                cute.group_modes(memory, 0, 3),
                cute.group_modes(part, 0, 3),
            )
            for atom, memory, part in zip(atoms, shared, parts, strict=True)
        ]
        boxes = [(cute.filter_zeros(to), cute.filter_zeros(source)) for to, source in boxes]
        fa, fb = mma.make_fragment_A(sa), mma.make_fragment_B(sb)
        sums = mma.make_fragment_C(mma.partition_shape_C(self.tile[:2]))
        tmem.wait_for_alloc()
        memory = tmem.retrieve_ptr(Float32)
        sums = cute.make_tensor(memory, sums.layout)
        first = cute.recast_ptr(memory + (self.tile[1] - self.overlap), dtype=self.sf_dtype)
        tsfa = cute.make_tensor(
            first,
            scaled.make_tmem_layout_sfa(
                mma, self.tile, self.vector, cute.select(sfa_staged, mode=[0, 1, 2])
            ),
        )
        second = cute.recast_ptr(memory + self.tile[1] + 64, dtype=self.sf_dtype)
        tsfb = cute.make_tensor(
            second,
            scaled.make_tmem_layout_sfb(
                mma, self.tile, self.vector, cute.select(sfb_staged, mode=[0, 1, 2])
            ),
        )
        a_copy, a_from, a_to = self.to_tensor_memory(ssfa, tsfa)
        b_copy, b_from, b_to = self.to_tensor_memory(ssfb, tsfb)
        mma.set(tcgen05.Field.ACCUMULATE, False)
        if warp == 0:
            empty = summing.acquire_and_advance()
            for _ in range(self.shape[2] // self.tile[2]):
                stage = loading.acquire_and_advance()
                for atom, (to, source) in zip(atoms, boxes, strict=True):
                    cute.copy(
                        atom, source[None, stage.count], to[None, stage.index],
                        tma_bar_ptr=stage.barrier,
                    )  # fmt: skip
                full = loaded.wait_and_advance()
                at = (None, None, None, None, full.index)
                cute.copy(a_copy, a_from[at], a_to)
                cute.copy(b_copy, b_from[at], b_to)
                if self.together:
                    step = (None, None, None, full.index)
                    cute.gemm(mma, sums, [fa[step], tsfa], [fb[step], tsfb], sums)
                    mma.set(tcgen05.Field.ACCUMULATE, True)
                else:
                    self.multiply(mma, sums, (fa, fb), (tsfa, tsfb), full.index)
                full.release()
            empty.commit()
        tmem.relinquish_alloc_permit()
        gc = cute.local_tile(c, self.tile, place, proj=(1, 1, None))
        atom = cute.make_copy_atom(tcgen05.Ld32x32bOp(tcgen05.Repetition.x16), Float32)
        tiler = ((128, 16),)
        sum_parts = cute.zipped_divide(sums, tiler)
        c_parts = cute.zipped_divide(tile.partition_C(gc), tiler)
        copy = tcgen05.make_tmem_copy(atom, sum_parts[None, 0])
        mine = copy.get_slice(tid)
        source, target = mine.partition_S(sum_parts), mine.partition_D(c_parts)
        values = cute.make_rmem_tensor(target[None, None, 0].shape, Float32)
        done = summed.wait_and_advance()
        for i in range(cute.size(source, mode=[2])):
            cute.copy(copy, source[None, None, i], values)
            cute.autovec_copy(values, target[None, None, i])
        done.release()
        pipeline.sync(barrier_id=1)
        tmem.free(memory)

    def multiply(self, mma, sums, fragments, scales, stage):
        """Multiply step by step, with scale factors that are set."""
        for k in range_constexpr(STEPS):
            mma.set(tcgen05.Field.SFA, scales[0][None, None, k].iterator)
            if self.sets_b:
                mma.set(tcgen05.Field.SFB, scales[1][None, None, k].iterator)
            part = (None, None, k, stage)
            cute.gemm(mma, sums, fragments[0][part], fragments[1][part], sums)
            mma.set(tcgen05.Field.ACCUMULATE, True)
