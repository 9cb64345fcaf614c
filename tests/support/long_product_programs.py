"""Products of 96 floats of 4 bits along K, as programs for compute capability 10.3 write them. Three buffers of 128
bytes hold the 768 elements of each row; eight products take 48 bytes each."""

from __future__ import annotations

from fairlead import (
    Float8E4M3FN,
    Float8E8M0FNU,
    Float32,
    Int32,
    Int64,
    Uint8,
    cute,
    pipeline,
    range_constexpr,
    utils,
)
from fairlead import range as device_range
from fairlead.cute.nvgpu import tcgen05
from fairlead.utils import blackwell_helpers as sm100

#: Products, buffers of each row, and units of 16 bytes of a buffer and of a product.
PRODUCTS, BUFFERS, UNITS, STEP = 8, 3, 8, 3
#: The columns of tensor memory where scale factors begin.
OF_A, OF_B = 256, 320


class LongGemm:
    """C (M, N) = A (M, 768) * B (N, 768); M is 128, or 256 of a pair of blocks. A and B are packed, two elements in a
    byte; ``sfa`` (M rows) and ``sfb`` (128 rows) are words of four scale factors."""

    threads = 128
    #: True if both blocks of a pair bring the scale factors of B.
    both_bring_b = True

    def __init__(self, columns, vector, pair=False):
        self.columns, self.vector, self.blocks = columns, vector, 2 if pair else 1
        self.group = tcgen05.CtaGroup.TWO if pair else tcgen05.CtaGroup.ONE
        self.rows = 128 * self.blocks
        self.scale_dtype = Float8E4M3FN if vector == 16 else Float8E8M0FNU

    def tiled_mma(self):
        others = (self.rows, self.columns, 96), self.group, tcgen05.OperandSource.SMEM
        if self.vector == 32:
            return cute.make_tiled_mma(tcgen05.SM103MmaMXF4Op(*others))
        return cute.make_tiled_mma(tcgen05.SM103MmaMXF4NVF4Op(self.scale_dtype, *others))

    @cute.jit
    def __call__(
        self, a: cute.Tensor, b: cute.Tensor, sfa: cute.Tensor, sfb: cute.Tensor, c: cute.Tensor
    ):
        atom = sm100.make_smem_layout_atom(tcgen05.SmemLayoutAtomKind.K_SW128, Uint8)
        staged = [
            tcgen05.tile_to_mma_shape(atom, ((rows, 16), 1, UNITS, BUFFERS), (0, 1, 2))
            for rows in (128, self.columns // self.blocks)
        ]
        self.kernel(self.tiled_mma(), a, b, sfa, sfb, c, *staged).launch(
            grid=(self.blocks, 1, 1), block=(self.threads, 1, 1), cluster=(self.blocks, 1, 1)
        )

    def bring_rows(self, source, shared, tid):
        """Copy the bytes of row ``tid`` to its buffers."""
        for unit in device_range(BUFFERS * UNITS):
            part = shared[None, 0, unit % UNITS, unit // UNITS]
            for byte in range_constexpr(16):
                part[((tid, byte),)] = source[tid, 16 * unit + byte]

    def bring_scales(self, source, memory, tid):
        """Copy scale factors to tensor memory: 32 rows of four factors take a column, and each warp's lanes a copy."""
        groups = cute.size(source, mode=[1])
        cells = cute.make_tensor(memory, cute.make_layout((128, 4 * groups), stride=(65536, 1)))
        parts = cute.zipped_divide(cells, (128, 4))
        atom = cute.make_copy_atom(tcgen05.St32x32bOp(tcgen05.Repetition.x4), Int32)
        copy = tcgen05.make_tmem_copy(atom, parts[None, 0])
        target = copy.get_slice(tid).partition_D(parts)
        words = cute.make_rmem_tensor(((4, 1), 1), Int32)
        for group in range_constexpr(groups):
            for quarter in range_constexpr(4):
                words[quarter] = source[32 * quarter + tid % 32, group]
            cute.copy(copy, words, target[None, None, group])

    @cute.kernel
    def kernel(
        self, mma: cute.TiledMma, a: cute.Tensor, b: cute.Tensor, sfa: cute.Tensor,
        sfb: cute.Tensor, c: cute.Tensor, a_staged: cute.ComposedLayout,
        b_staged: cute.ComposedLayout,
    ):  # fmt: skip
        tid, _, _ = cute.arch.thread_idx()
        warp = cute.arch.make_warp_uniform(cute.arch.warp_idx())
        half, _, _ = cute.arch.block_idx()
        smem = utils.SmemAllocator()
        place, barrier, freeing = smem.allocate(Int32), smem.allocate(Int64), smem.allocate(Int64)
        sa = smem.allocate_tensor(Uint8, a_staged.outer, 1024, a_staged.inner)
        sb = smem.allocate_tensor(Uint8, b_staged.outer, 1024, b_staged.inner)
        tmem = utils.TmemAllocator(
            place, barrier_for_retrieve=pipeline.NamedBarrier(1, self.threads),
            is_two_cta=self.blocks == 2, two_cta_tmem_dealloc_mbar_ptr=freeing,
        )  # fmt: skip
        tmem.allocate(512)
        if warp == 0:
            with cute.arch.elect_one():
                cute.arch.mbarrier_init(barrier, 1)
        cute.arch.mbarrier_init_fence()
        # Each block of a pair has half of the rows of both operands, and all scale factors of B.
        columns = self.columns // self.blocks
        self.bring_rows(cute.local_tile(a, (128, BUFFERS * 128), (half, 0)), sa, tid)
        if tid < columns:
            self.bring_rows(cute.local_tile(b, (columns, BUFFERS * 128), (half, 0)), sb, tid)
        cute.arch.fence_proxy("async.shared", space="cta")
        tmem.wait_for_alloc()
        memory = tmem.retrieve_ptr(Float32)
        words = cute.recast_ptr(memory, dtype=Int32)
        own = cute.local_tile(sfa, (128, cute.size(sfa, mode=[1])), (half, 0))
        self.bring_scales(own, words + OF_A, tid)
        if half == 0 or self.both_bring_b:
            self.bring_scales(sfb, words + OF_B, tid)
        cute.arch.fence_view_async_tmem_store()
        cute.arch.cluster_arrive()
        cute.arch.cluster_wait()
        shape = mma.partition_shape_C((self.rows, self.columns))
        sums = cute.make_tensor(memory, mma.make_fragment_C(shape).layout)
        if warp == 0 and half == 0:
            self.multiply(mma, sums, sa, sb, memory)
            with cute.arch.elect_one():
                tcgen05.commit(barrier, 3 if self.blocks == 2 else None, self.group)
        cute.arch.mbarrier_wait(barrier, 0)
        tmem.relinquish_alloc_permit()
        atom = cute.make_copy_atom(tcgen05.Ld32x32bOp(tcgen05.Repetition.x8), Float32)
        copy = tcgen05.make_tmem_copy(atom, sums)
        mine = copy.get_slice(tid)
        target = mine.partition_D(mma.get_slice(half).partition_C(c))
        values = cute.make_rmem_tensor(target.shape, Float32)
        cute.copy(copy, mine.partition_S(sums), values)
        cute.autovec_copy(values, target)
        pipeline.sync(barrier_id=1)
        tmem.free(memory)

    def descriptor(self, shared, index):
        """The descriptor of product ``index``, whose rows may go on in the next buffer, as an operand."""
        buffer, unit = index * STEP // UNITS, index * STEP % UNITS
        after = buffer + (unit + STEP > UNITS)
        part = shared[None, 0, unit, buffer]
        following = shared[None, 0, 0, after].iterator
        place = tcgen05.make_umma_smem_desc(part.iterator, part.layout, "k", following)
        return cute.make_tensor(place, cute.make_layout(1, stride=0))

    def multiply(self, mma, sums, sa, sb, memory):
        factors = 96 // self.vector
        mma.set(tcgen05.Field.ACCUMULATE, False)
        for index in range_constexpr(PRODUCTS):
            first = index * factors
            for field, column in ((tcgen05.Field.SFA, OF_A), (tcgen05.Field.SFB, OF_B)):
                scales = cute.recast_ptr(memory + column, dtype=self.scale_dtype)
                # A column of 32 rows holds four factors of each.
                mma.set(field, scales + (16 * (first // 4) + first % 4))
            cute.mma_atom_call(
                mma, sums, self.descriptor(sa, index), self.descriptor(sb, index), sums
            )
            mma.set(tcgen05.Field.ACCUMULATE, True)
