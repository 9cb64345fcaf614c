"""Products of matrices in tensor memory: for GPUs of compute capability 10.0, and the CPU. No such GPU has run them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fairlead import _compiler, cute, pipeline, utils
from fairlead._compiler import Float32, Int32, Int64
from fairlead.cute._types import Int
from fairlead.cute.nvgpu import cpasync, tcgen05
from fairlead.ops._epilogue import Epilogue
from fairlead.ops._tiles import place_of
from fairlead.utils import blackwell_helpers as sm100

__all__ = ["BlackwellGemm"]

#: Warps 0 to 3 store results; one of these loads tiles, and one multiplies them.
_LOADING, _MULTIPLYING = 4, 5
_THREADS, _STORING = 192, 128
_SHARED = 227 * 1024
#: Columns of a result that a thread stores at a time.
_PART = 32


class BlackwellGemm:
    """C (M, N, L) = A (M, K, L) * B (N, K, L), for elements of 16 bits, or 8 bits of contiguous K.

    A block computes a tile of 128 rows and ``columns`` columns, a power of two from 32 to 256. One warp loads tiles of
    A and B by TMA into a pipeline of stages, another one multiplies them into tensor memory, and the others store the
    results of the epilogue. Rows of A and B begin at multiples of 16 bytes; extents may be any.
    """

    def __init__(self, epilogue: Epilogue, columns: int, stages: int | None = None) -> None:
        """``stages``: default as many as shared memory has room for."""
        self.epilogue, self.columns, self.stages = epilogue, columns, stages

    @cute.jit
    def __call__(self, a: cute.Tensor, b: cute.Tensor, *others: cute.Tensor) -> None:
        c = others[-1]
        self.dtype, self.c_dtype = a.element_type, c.element_type
        self.tile = (128, self.columns, 1024 // self.dtype.width)
        stage = (self.tile[0] + self.tile[1]) * 128
        self.count = self.stages or min((_SHARED - 2048) // stage, 8)
        group = tcgen05.CtaGroup.ONE
        majors = [utils.LayoutEnum.from_tensor(matrix).mma_major_mode() for matrix in (a, b)]
        mma = sm100.make_trivial_tiled_mma(self.dtype, *majors, Float32, group, self.tile[:2])
        staged = (
            sm100.make_smem_layout_a(mma, self.tile, self.dtype, self.count),
            sm100.make_smem_layout_b(mma, self.tile, self.dtype, self.count),
        )
        op, blocks = cpasync.CopyBulkTensorTileG2SOp(group), (1, 1, 1, 1)
        a_box, b_box = (cute.select(layout, mode=[0, 1, 2]) for layout in staged)
        loads = (
            cute.nvgpu.make_tiled_tma_atom_A(op, a, a_box, self.tile, mma, blocks),
            cute.nvgpu.make_tiled_tma_atom_B(op, b, b_box, self.tile, mma, blocks),
        )
        m, n = (cute.ceil_div(c.shape[i], self.tile[i]) for i in range(2))
        count = self.count

        @cute.struct
        class Storage:
            loads: cute.struct.MemRange[Int64, 2 * count]  # type: ignore
            sums: cute.struct.MemRange[Int64, 2]  # type: ignore
            place: Int32

        self.storage = Storage
        (a_atom, a_places), (b_atom, b_places) = (load[:2] for load in loads)
        self.kernel(mma, a_atom, a_places, b_atom, b_places, others, (m, n), *staged).launch(
            grid=(m * n, 1, c.shape[2]), block=(_THREADS, 1, 1), use_pdl=True
        )

    @cute.kernel
    def kernel(
        self, mma: cute.TiledMma, a_atom: cute.CopyAtom, a: _compiler.Tensor, b_atom: cute.CopyAtom,
        b: _compiler.Tensor, others: Sequence[Any], tiles: Sequence[Any], a_staged: cute.ComposedLayout,
        b_staged: cute.ComposedLayout,
    ) -> None:  # fmt: skip
        thread, _, _ = cute.arch.thread_idx()
        warp = cute.arch.make_warp_uniform(cute.arch.warp_idx())
        number, _, batch = cute.arch.block_idx()
        m, n = place_of(number, tiles[0], tiles[1], 8)
        smem = utils.SmemAllocator()
        storage = smem.allocate(self.storage)
        sa = smem.allocate_tensor(self.dtype, a_staged.outer, 1024, a_staged.inner)
        sb = smem.allocate_tensor(self.dtype, b_staged.outer, 1024, b_staged.inner)
        memory = utils.TmemAllocator(
            storage.place, barrier_for_retrieve=pipeline.NamedBarrier(1, _THREADS)
        )
        memory.allocate(self.columns)
        loads, sums = self.pipelines(storage)
        part = mma.get_slice(0)
        ga = cute.local_tile(a, self.tile[::2], (m, None, batch))
        gb = cute.local_tile(b, self.tile[1:], (n, None, batch))
        pa, pb = part.partition_A(ga), part.partition_B(gb)
        one = cute.make_layout(1)
        to_a, from_a = cpasync.tma_partition(
            a_atom, 0, one, cute.group_modes(sa, 0, 3), cute.group_modes(pa, 0, 3)
        )
        to_b, from_b = cpasync.tma_partition(
            b_atom, 0, one, cute.group_modes(sb, 0, 3), cute.group_modes(pb, 0, 3)
        )
        memory.wait_for_alloc()
        pointer = memory.retrieve_ptr(Float32)
        found = mma.make_fragment_C(mma.partition_shape_C(self.tile[:2]))
        found = cute.make_tensor(pointer, found.layout)
        # This may have run beside the kernels before it: it has read none of their results so far.
        cute.arch.griddepcontrol_wait()
        depth = cute.size(ga, mode=[2])
        if warp == _LOADING:
            filled = pipeline.make_pipeline_state(pipeline.PipelineUserType.Producer, self.count)
            for k in range(depth):
                loads.producer_acquire(filled)
                barrier = loads.producer_get_barrier(filled)
                at = None, filled.index
                cute.copy(a_atom, from_a[None, k], to_a[at], tma_bar_ptr=barrier)
                cute.copy(b_atom, from_b[None, k], to_b[at], tma_bar_ptr=barrier)
                filled.advance()
            cute.arch.griddepcontrol_launch_dependents()
            loads.producer_tail(filled)
        elif warp == _MULTIPLYING:
            self.multiply(mma, found, sa, sb, (loads, sums), depth)
        else:
            self.store(sums, found, others, (m, n, batch), thread)
        memory.relinquish_alloc_permit()
        pipeline.sync(barrier_id=2)
        memory.free(pointer)

    def pipelines(self, storage: Any) -> tuple[Any, Any]:
        """Stages of tiles of A and B, and the result, which is one stage."""
        thread = pipeline.Agent.Thread
        producers, products = (
            pipeline.CooperativeGroup(thread),
            pipeline.CooperativeGroup(thread, 1),
        )
        return pipeline.PipelineTmaUmma.create(
            num_stages=self.count, producer_group=producers, consumer_group=products,
            tx_count=(self.tile[0] + self.tile[1]) * 128, barrier_storage=storage.loads.data_ptr(),
        ), pipeline.PipelineUmmaAsync.create(
            num_stages=1, producer_group=producers, consumer_group=pipeline.CooperativeGroup(thread, _STORING),
            barrier_storage=storage.sums.data_ptr(),
        )  # fmt: skip

    @cute.jit
    def multiply(
        self, mma: cute.TiledMma, found: _compiler.Tensor, sa: _compiler.Tensor, sb: _compiler.Tensor,
        pipelines: Sequence[Any], depth: Any,
    ) -> None:  # fmt: skip
        """Multiply the stages, one after the other."""
        loads, sums = pipelines
        fa, fb = mma.make_fragment_A(sa), mma.make_fragment_B(sb)
        read = pipeline.make_pipeline_state(pipeline.PipelineUserType.Consumer, self.count)
        summed = pipeline.make_pipeline_state(pipeline.PipelineUserType.Producer, 1)
        sums.producer_acquire(summed)
        mma.set(tcgen05.Field.ACCUMULATE, False)
        for _ in range(depth):
            loads.consumer_wait(read)
            for k in cute.range_constexpr(cute.size(fa, mode=[2])):
                at = None, None, k, read.index
                cute.gemm(mma, found, fa[at], fb[at], found)
                mma.set(tcgen05.Field.ACCUMULATE, True)
            loads.consumer_release(read)
            read.advance()
        sums.producer_commit(summed)

    @cute.jit
    def store(
        self, sums: Any, found: _compiler.Tensor, others: Sequence[Any], place: Sequence[Any], thread: Int,
    ) -> None:  # fmt: skip
        """Store a row of the tile by each thread, as far as the row is in C."""
        c = others[-1]
        m, n, batch = place
        parts = cute.zipped_divide(found, ((self.tile[0], _PART),))
        repetition = tcgen05.Repetition(_PART)
        atom = cute.make_copy_atom(tcgen05.Ld32x32bOp(repetition), Float32)
        copy = tcgen05.make_tmem_copy(atom, parts[None, 0])
        source = copy.get_slice(thread).partition_S(parts)
        values = cute.make_rmem_tensor(_PART, Float32)
        held = cute.make_tensor(values.iterator, cute.make_layout(((_PART, 1), 1)))
        result = cute.make_rmem_tensor(_PART, self.c_dtype)
        row = m * self.tile[0] + thread
        done = pipeline.make_pipeline_state(pipeline.PipelineUserType.Consumer, 1)
        sums.consumer_wait(done)
        for part in range(self.tile[1] // _PART):
            cute.copy(copy, source[None, None, part], held)
            cute.arch.fence_view_async_tmem_load()
            number = n * (self.tile[1] // _PART) + part
            for i in cute.range_constexpr(_PART):
                value = self.finished(values[i], others, row, number * _PART + i, batch)
                result[i] = value.to(self.c_dtype)
            if row < c.shape[0]:
                if (number + 1) * _PART <= c.shape[1]:
                    of_row = cute.local_tile(c[row, None, batch], (_PART,), (number,))
                    cute.autovec_copy(result, of_row)
                else:
                    for i in cute.range_constexpr(_PART):
                        if number * _PART + i < c.shape[1]:
                            c[row, number * _PART + i, batch] = result[i]
        sums.consumer_release(done)

    def finished(
        self,
        product: object,
        others: Sequence[Any],
        row: Int,
        column: Int,
        batch: Int,
    ) -> Any:
        """Return what the epilogue makes of a product. Outside of C, where it is not stored, it reads operands of the
        last row or column."""
        epilogue, c = self.epilogue, others[-1]
        m, n = _compiler.min(row, c.shape[0] - 1), _compiler.min(column, c.shape[1] - 1)
        scale = None
        if epilogue.scales is not None:
            of_a, of_b, *others = others
            scale = of_a[m] * of_b[n] if epilogue.scales == "rows" else of_a[0] * of_b[0]
        return epilogue.value(
            product,
            others[0][n] if epilogue.bias else None,
            others[-2][m, n, batch] if epilogue.beta else None,
            scale,
        )
