"""Products whose operand A is in tensor memory, as programs for compute capability 10.0 write them, and loads that find
the greatest of their values."""

from __future__ import annotations

from fairlead import Float32, Int32, Int64, cute, pipeline, range_constexpr, utils
from fairlead.cute.nvgpu import OperandMajorMode, tcgen05
from fairlead.utils import blackwell_helpers as sm100

K = OperandMajorMode.K


class TensorOperandGemm:
    """C (M, N) = A (M, K) * B (N, K), one product of a block or of a pair of blocks. Threads bring A to tensor memory
    and B to shared memory."""

    threads = 128
    #: True if lanes 64 to 127 of a pair with 64 rows each hold the rows of A again, as they must.
    repeats = True

    def __init__(self, shape, dtype, of_pair=False):
        self.shape, self.dtype, self.of_pair = shape, dtype, of_pair
        self.rows = shape[0] // (2 if of_pair else 1)
        self.spread = self.rows == 64 and not of_pair

    def tiled_mma(self):
        group = tcgen05.CtaGroup.TWO if self.of_pair else tcgen05.CtaGroup.ONE
        return sm100.make_trivial_tiled_mma(
            self.dtype, K, K, Float32, group, self.shape[:2], tcgen05.OperandSource.TMEM
        )

    @cute.jit
    def __call__(self, a: cute.Tensor, b: cute.Tensor, c: cute.Tensor):
        mma = self.tiled_mma()
        staged = sm100.make_smem_layout_b(mma, self.shape, self.dtype, 1)
        blocks = 2 if self.of_pair else 1
        self.kernel(mma, a, b, c, staged).launch(
            grid=(blocks, 1, 1), block=(self.threads, 1, 1), cluster=(blocks, 1, 1)
        )

    @cute.jit
    def bring_a(self, a: cute.Tensor, memory: cute.Tensor, tid: Int32):
        """Copy a block's rows of A to tensor memory."""
        repetition = tcgen05.Repetition.x1 if self.spread else tcgen05.Repetition.x8
        op = tcgen05.St16x256bOp if self.spread else tcgen05.St32x32bOp
        copy = tcgen05.make_tmem_copy(cute.make_copy_atom(op(repetition), self.dtype), memory)
        if cute.size(memory, mode=[0, 0]) == 2 * cute.size(a, mode=[0, 0]):
            (rows, depth), *more = a.layout.shape
            (step, along), *steps = a.layout.stride
            layout = cute.make_layout(
                (((rows, 2), depth), *more), stride=(((step, 0), along), *steps)
            )
            a = cute.make_tensor(a.iterator, layout)
        part = copy.get_slice(tid)
        source = part.partition_S(a)
        values = cute.make_rmem_tensor(source.shape, self.dtype)
        cute.autovec_copy(source, values)
        if not self.repeats:
            if tid >= 64:
                values.fill(self.dtype(0))
        cute.copy(copy, values, part.partition_D(memory))
        cute.arch.fence_view_async_tmem_store()

    def bring_c(self, sums, c, tid):
        """Copy a block's sums to global memory."""
        repetition = tcgen05.Repetition.x1 if self.spread else tcgen05.Repetition.x8
        op = tcgen05.Ld16x256bOp if self.spread else tcgen05.Ld32x32bOp
        copy = tcgen05.make_tmem_copy(cute.make_copy_atom(op(repetition), Float32), sums)
        part = copy.get_slice(tid)
        target = part.partition_D(c)
        values = cute.make_rmem_tensor(target.shape, Float32)
        cute.copy(copy, part.partition_S(sums), values)
        cute.autovec_copy(values, target)

    @cute.kernel
    def kernel(
        self, mma: cute.TiledMma, a: cute.Tensor, b: cute.Tensor, c: cute.Tensor,
        staged: cute.ComposedLayout,
    ):  # fmt: skip
        tid, _, _ = cute.arch.thread_idx()
        warp = cute.arch.make_warp_uniform(cute.arch.warp_idx())
        rank = cute.arch.make_warp_uniform(cute.arch.block_idx_in_cluster())
        smem = utils.SmemAllocator()
        place, barrier, freed = (smem.allocate(each) for each in (Int32, Int64, Int64))
        sb = smem.allocate_tensor(self.dtype, staged.outer, 1024, staged.inner)
        tmem = utils.TmemAllocator(
            place, barrier_for_retrieve=pipeline.NamedBarrier(1, self.threads),
            is_two_cta=self.of_pair, two_cta_tmem_dealloc_mbar_ptr=freed,
        )  # fmt: skip
        tmem.allocate(512)
        if warp == 0:
            with cute.arch.elect_one():
                cute.arch.mbarrier_init(barrier, 1)
        cute.arch.mbarrier_init_fence()
        tile = mma.get_slice(rank if self.of_pair else 0)
        pa, pb, pc = tile.partition_A(a), tile.partition_B(b), tile.partition_C(c)
        tmem.wait_for_alloc()
        memory = tmem.retrieve_ptr(Float32)
        sums = cute.make_tensor(
            memory, mma.make_fragment_C(mma.partition_shape_C(self.shape[:2])).layout
        )
        at_a = cute.recast_ptr(memory + 256, dtype=self.dtype)
        fa = cute.make_tensor(at_a, mma.make_fragment_A(pa).layout)
        fb = mma.make_fragment_B(sb)
        self.bring_a(pa, fa, tid)
        rows = sb[None, None, None, 0]
        for index in range_constexpr(cute.size(rows) // self.threads):
            rows[index * self.threads + tid] = pb[index * self.threads + tid]
        cute.arch.fence_proxy("async.shared", space="cta")
        if self.of_pair:
            cute.arch.cluster_arrive()
            cute.arch.cluster_wait()
        cute.arch.sync_threads()
        if warp == 0 and rank == 0:
            mma.set(tcgen05.Field.ACCUMULATE, False)
            for k in range_constexpr(cute.size(fa, mode=[2])):
                cute.gemm(mma, sums, fa[None, None, k], fb[None, None, k, 0], sums)
                mma.set(tcgen05.Field.ACCUMULATE, True)
            with cute.arch.elect_one():
                if self.of_pair:
                    tcgen05.commit(barrier, 3, tcgen05.CtaGroup.TWO)
                else:
                    tcgen05.commit(barrier)
        cute.arch.mbarrier_wait(barrier, 0)
        tmem.relinquish_alloc_permit()
        self.bring_c(sums, pc, tid)
        pipeline.sync(barrier_id=1)
        if self.of_pair:
            cute.arch.cluster_arrive()
            cute.arch.cluster_wait()
        tmem.free(memory)


class Extremes:
    """Writes the numbers of ``values`` (128, columns) to tensor memory, loads them ``repetition`` columns at a time,
    and stores them and the least or greatest of each load."""

    def __init__(self, columns, repetition, kind=tcgen05.TmemLoadRedOp.MAX, dtype=Float32):
        self.columns, self.repetition, self.kind, self.dtype = columns, repetition, kind, dtype

    @cute.jit
    def __call__(self, values: cute.Tensor, loaded: cute.Tensor, found: cute.Tensor):
        self.kernel(values, loaded, found).launch(grid=(1, 1, 1), block=(128, 1, 1))

    @cute.kernel
    def kernel(self, values: cute.Tensor, loaded: cute.Tensor, found: cute.Tensor):
        tid, _, _ = cute.arch.thread_idx()
        smem = utils.SmemAllocator()
        tmem = utils.TmemAllocator(
            smem.allocate(Int32), barrier_for_retrieve=pipeline.NamedBarrier(1, 128)
        )
        tmem.allocate(128)
        tmem.wait_for_alloc()
        memory = tmem.retrieve_ptr(self.dtype)
        cells = cute.make_tensor(memory, cute.make_layout((128, self.columns), stride=(65536, 1)))
        store = tcgen05.make_tmem_copy(
            cute.make_copy_atom(tcgen05.St32x32bOp(tcgen05.Repetition.x8), self.dtype), cells
        )
        mine = store.get_slice(tid)
        source = mine.partition_S(values)
        registers = cute.make_rmem_tensor(source.shape, self.dtype)
        cute.autovec_copy(source, registers)
        cute.copy(store, registers, mine.partition_D(cells))
        cute.arch.fence_view_async_tmem_store()
        load = tcgen05.make_tmem_copy(
            cute.make_copy_atom(
                tcgen05.LdRed32x32bOp(self.repetition, redOp=self.kind), self.dtype
            ),
            cells,
        )
        mine = load.get_slice(tid)
        target = mine.partition_D(loaded)
        registers = cute.make_rmem_tensor(target.shape, self.dtype)
        extremes = cute.make_rmem_tensor((1, *target.shape[1:]), self.dtype)
        self.load(load, mine.partition_S(cells), registers, extremes)
        cute.autovec_copy(registers, target)
        for index in range_constexpr(cute.size(extremes)):
            found[tid, index] = extremes[index]
        pipeline.sync(barrier_id=1)
        tmem.relinquish_alloc_permit()
        tmem.free(memory)

    def load(self, load, cells, registers, extremes):
        cute.copy(load, cells, (registers, extremes))
