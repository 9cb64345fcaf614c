"""Products of matrices in tensor memory: for GPUs of compute capability 10.0, and the CPU. No such GPU has run them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fairlead import _compiler, cute, pipeline, utils
from fairlead._compiler import Float32, Int16, Int64
from fairlead.cute._types import Int
from fairlead.cute.nvgpu import cpasync, tcgen05
from fairlead.ops._epilogue import Epilogue
from fairlead.ops._tiles import place_of
from fairlead.utils import blackwell_helpers as sm100
from fairlead.utils import blockscaled_layout as scaled

__all__ = ["BlackwellGemm"]

#: Warps 0 to 3 store results; one of these loads tiles, and one multiplies them.
_LOADING, _MULTIPLYING = 4, 5
_THREADS = 192
#: Rows of a block's tile: one for each thread that stores.
_ROWS = 128
_SHARED = 227 * 1024
#: Columns of a result that a thread stores at a time.
_PART = 32


class BlackwellGemm:
    """C (M, N, L) = A (M, K, L) * B (N, K, L), for elements of 16 bits, or 8 bits of contiguous K.

    A block computes a tile of 128 rows and ``columns`` columns, a power of two from 32 to 256. One warp loads tiles of
    A and B by TMA into a pipeline of stages, another one multiplies them into tensor memory, and the others store the
    results of the epilogue. Rows of A and B begin at multiples of 16 bytes; extents may be any.

    With ``pair``, two blocks of a cluster compute a tile of 256 rows: each loads half of the tiles of A and B, the even
    one multiplies both, and each stores 128 rows.

    With ``vector``, products have block scaling: elements of 8 or 4 bits of contiguous K, 128 or 256 columns, and after
    B come the scale factors of A and of B, one for each ``vector`` elements along K, as vectors in the order of
    ``tile_atom_to_shape_SF``. They pass through shared memory to tensor memory, behind the columns of the sums.
    """

    def __init__(
        self, epilogue: Epilogue, columns: int, stages: int | None = None, vector: int | None = None,
        pair: bool = False,
    ) -> None:  # fmt: skip
        """``stages``: default as many as shared memory has room for. Not both ``vector`` and ``pair``."""
        self.epilogue, self.columns, self.stages = epilogue, columns, stages
        self.vector, self.blocks = vector, 2 if pair else 1
        self.group = tcgen05.CtaGroup.TWO if pair else tcgen05.CtaGroup.ONE

    def product(self, a: _compiler.Tensor, b: _compiler.Tensor, others: Sequence[Any]) -> Any:
        """Return the tiled product."""
        majors = [utils.LayoutEnum.from_tensor(matrix).mma_major_mode() for matrix in (a, b)]
        group, tile = self.group, self.tile[:2]
        if self.vector is None:
            return sm100.make_trivial_tiled_mma(a.element_type, *majors, Float32, group, tile)
        types = a.element_type, b.element_type
        factor = others[0].element_type
        return sm100.make_blockscaled_trivial_tiled_mma(
            *types, *majors, factor, self.vector, group, tile
        )

    def with_factors(self, operands: Sequence[Any], others: Sequence[Any]) -> list[Any]:
        """Return A, B, and their scale factors, if any, as matrices of A's and B's extents."""
        tensors = list(operands)
        if self.vector is not None:
            for operand, factors in zip(operands, others, strict=False):
                layout = scaled.tile_atom_to_shape_SF(operand.shape, self.vector)
                tensors.append(cute.make_tensor(factors.iterator, layout))
        return tensors

    def staged(self, mma: cute.TiledMma, count: int) -> list[Any]:
        """Return the layouts in shared memory of ``count`` stages of A, B, and their scale factors."""
        layouts = [
            sm100.make_smem_layout_a(mma, self.tile, self.dtypes[0], count),
            sm100.make_smem_layout_b(mma, self.tile, self.dtypes[1], count),
        ]
        if self.vector is not None:
            of_factors = scaled.make_smem_layout_sfa, scaled.make_smem_layout_sfb
            layouts += [make(mma, self.tile, self.vector, count) for make in of_factors]
        return layouts

    @cute.jit
    def __call__(self, a: cute.Tensor, b: cute.Tensor, *others: cute.Tensor) -> None:
        c = others[-1]
        tensors = self.with_factors((a, b), others)
        self.dtypes = [tensor.element_type for tensor in tensors]
        self.c_dtype = c.element_type
        self.tile = (_ROWS * self.blocks, self.columns, 1024 // a.element_type.width)
        mma = self.product(a, b, others)
        stage = [cute.select(layout, mode=[0, 1, 2]) for layout in self.staged(mma, 1)]
        self.bytes = sum(
            cute.size_in_bytes(dtype, layout)
            for dtype, layout in zip(self.dtypes, stage, strict=True)
        )
        self.count = self.stages or min((_SHARED - 2048) // self.bytes, 8)
        op = cpasync.CopyBulkTensorTileG2SOp(self.group)
        cluster = cute.make_layout((self.blocks, 1, 1, 1))
        makers = (cute.nvgpu.make_tiled_tma_atom_A, cute.nvgpu.make_tiled_tma_atom_B) * 2
        types = (None, None, Int16, Int16)
        loads = [
            make(op, tensor, layout, self.tile, mma, cluster.shape, internal_type=dtype)
            for make, tensor, layout, dtype in zip(makers, tensors, stage, types, strict=False)
        ]
        m, n = (cute.ceil_div(c.shape[i], self.tile[i]) for i in range(2))
        count = self.count

        @cute.struct
        class Storage:
            loads: cute.struct.MemRange[Int64, 2 * count]  # type: ignore
            sums: cute.struct.MemRange[Int64, 2]  # type: ignore

        self.storage = Storage
        atoms, coordinates = [load[0] for load in loads], [load[1] for load in loads]
        rest = others if self.vector is None else others[2:]
        self.kernel(mma, atoms, coordinates, self.staged(mma, count), rest, (m, n), cluster).launch(
            grid=(m * n * self.blocks, 1, c.shape[2]),
            block=(_THREADS, 1, 1),
            cluster=(self.blocks, 1, 1),
            use_pdl=True,
        )

    @cute.kernel
    def kernel(
        self, mma: cute.TiledMma, atoms: Sequence[Any], tensors: Sequence[Any], staged: Sequence[Any],
        others: Sequence[Any], tiles: Sequence[Any], cluster: cute.Layout,
    ) -> None:  # fmt: skip
        thread, _, _ = cute.arch.thread_idx()
        warp = cute.arch.make_warp_uniform(cute.arch.warp_idx())
        number, _, batch = cute.arch.block_idx()
        half = number % self.blocks
        m, n = place_of(number // self.blocks, tiles[0], tiles[1], 8)
        smem = utils.SmemAllocator()
        storage = smem.allocate(self.storage)
        shared = [
            smem.allocate_tensor(dtype, layout.outer, 1024, layout.inner)
            for dtype, layout in zip(self.dtypes[:2], staged, strict=False)
        ]
        shared += [
            smem.allocate_tensor(dtype, layout, 128)
            for dtype, layout in zip(self.dtypes[2:], staged[2:], strict=True)
        ]
        memory = utils.TmemAllocator(
            barrier_for_retrieve=pipeline.NamedBarrier(1, _THREADS), is_two_cta=self.blocks == 2
        )
        memory.allocate(self.columns if self.vector is None else 2 * self.columns)
        loads, sums = self.pipelines(storage, cluster)
        boxes = self.boxes(mma.get_slice(half), atoms, tensors, shared, (m, n, batch))
        memory.wait_for_alloc()
        pointer = memory.retrieve_ptr(Float32)
        accumulator = mma.make_fragment_C(mma.partition_shape_C(self.tile[:2]))
        accumulator = cute.make_tensor(pointer, accumulator.layout)
        # This may have run beside the kernels before it: it has read none of their results so far.
        cute.arch.griddepcontrol_wait()
        depth = cute.ceil_div(tensors[0].shape[1], self.tile[2])
        if warp == _LOADING:
            filled = pipeline.make_pipeline_state(pipeline.PipelineUserType.Producer, self.count)
            for k in range(depth):
                loads.producer_acquire(filled)
                barrier = loads.producer_get_barrier(filled)
                for atom, (to, source) in zip(atoms, boxes, strict=True):
                    cute.copy(atom, source[None, k], to[None, filled.index], tma_bar_ptr=barrier)
                filled.advance()
            cute.arch.griddepcontrol_launch_dependents()
            loads.producer_tail(filled)
        elif warp == _MULTIPLYING:
            if half == 0:
                self.multiply(mma, accumulator, shared, staged, (loads, sums), depth)
        else:
            self.store(sums, accumulator, others, (m * self.blocks + half, n, batch), thread)
        memory.relinquish_alloc_permit()
        pipeline.sync(barrier_id=2)
        memory.free(pointer)

    def boxes(
        self, part: cute.ThrMma, atoms: Sequence[Any], tensors: Sequence[Any], shared: Sequence[Any],
        place: Sequence[Any],
    ) -> list[Any]:  # fmt: skip
        """Return the stages of each operand, and the block's part of its tiles along K."""
        boxes = []
        for i, (atom, tensor, memory) in enumerate(zip(atoms, tensors, shared, strict=True)):
            tile = self.tile[::2] if i % 2 == 0 else self.tile[1:]
            tiles = cute.local_tile(tensor, tile, (place[i % 2], None, place[2]))
            source = part.partition_A(tiles) if i % 2 == 0 else part.partition_B(tiles)
            box = cpasync.tma_partition(
                atom, 0, cute.make_layout(1), cute.group_modes(memory, 0, 3), cute.group_modes(source, 0, 3)
            )  # fmt: skip
            boxes.append([cute.filter_zeros(side) for side in box] if i > 1 else box)
        return boxes

    def pipelines(self, storage: Any, cluster: _compiler.Layout) -> tuple[Any, Any]:
        """Stages of tiles of A and B, and the result, which is one stage."""
        thread = pipeline.Agent.Thread
        producers, products, consumers = (
            pipeline.CooperativeGroup(thread, count) for count in (1, 1, _ROWS * self.blocks)
        )
        return pipeline.PipelineTmaUmma.create(
            num_stages=self.count, producer_group=producers, consumer_group=products,
            tx_count=self.bytes * self.blocks, barrier_storage=storage.loads.data_ptr(), cta_layout_vmnk=cluster,
        ), pipeline.PipelineUmmaAsync.create(
            num_stages=1, producer_group=producers, consumer_group=consumers, barrier_storage=storage.sums.data_ptr(),
            cta_layout_vmnk=cluster,
        )  # fmt: skip

    def factors(
        self,
        mma: cute.TiledMma,
        accumulator: _compiler.Tensor,
        shared: Sequence[Any],
        staged: Sequence[Any],
    ) -> tuple[list[Any], list[Any]]:
        """Return the scale factors of A and B in tensor memory, and their copies from shared memory."""
        if self.vector is None:
            return [], []
        atom = cute.make_copy_atom(tcgen05.Cp4x32x128bOp(tcgen05.CtaGroup.ONE), self.dtypes[2])
        first, tensors, copies = accumulator.iterator + self.columns, [], []
        layouts = scaled.make_tmem_layout_sfa, scaled.make_tmem_layout_sfb
        for i, make in enumerate(layouts):
            layout = make(mma, self.tile, self.vector, cute.select(staged[2 + i], mode=[0, 1, 2]))
            # The factors of 32 rows take a quarter of a column for each block of K.
            pointer = first + i * self.tile[2] // self.vector
            tensor = cute.make_tensor(cute.recast_ptr(pointer, dtype=self.dtypes[2]), layout)
            compact = cute.filter_zeros(tensor)
            copy = tcgen05.make_s2t_copy(atom, compact)
            part = copy.get_slice(0)
            source = part.partition_S(cute.filter_zeros(shared[2 + i]))
            source = tcgen05.get_s2t_smem_desc_tensor(copy, source)
            tensors.append(tensor)
            copies.append((copy, source, part.partition_D(compact)))
        return tensors, copies

    @cute.jit
    def multiply(
        self, mma: cute.TiledMma, accumulator: _compiler.Tensor, shared: Sequence[Any], staged: Sequence[Any],
        pipelines: Sequence[Any], depth: Any,
    ) -> None:  # fmt: skip
        """Multiply the stages, one after the other."""
        loads, sums = pipelines
        fa, fb = mma.make_fragment_A(shared[0]), mma.make_fragment_B(shared[1])
        factors, copies = self.factors(mma, accumulator, shared, staged)
        read = pipeline.make_pipeline_state(pipeline.PipelineUserType.Consumer, self.count)
        summed = pipeline.make_pipeline_state(pipeline.PipelineUserType.Producer, 1)
        sums.producer_acquire(summed)
        mma.set(tcgen05.Field.ACCUMULATE, False)
        for _ in range(depth):
            loads.consumer_wait(read)
            for copy, source, to in copies:
                cute.copy(copy, source[None, None, None, None, read.index], to)
            for k in cute.range_constexpr(cute.size(fa, mode=[2])):
                for field, tensor in zip(
                    (tcgen05.Field.SFA, tcgen05.Field.SFB), factors, strict=False
                ):
                    mma.set(field, tensor[None, None, k].iterator)
                at = None, None, k, read.index
                cute.gemm(mma, accumulator, fa[at], fb[at], accumulator)
                mma.set(tcgen05.Field.ACCUMULATE, True)
            loads.consumer_release(read)
            read.advance()
        sums.producer_commit(summed)

    @cute.jit
    def store(
        self, sums: Any, accumulator: _compiler.Tensor, others: Sequence[Any], place: Sequence[Any], thread: Int,
    ) -> None:  # fmt: skip
        """Store a row of the tile by each thread, as far as the row is in C."""
        c = others[-1]
        m, n, batch = place
        parts = cute.zipped_divide(accumulator, ((_ROWS, _PART),))
        repetition = tcgen05.Repetition(_PART)
        atom = cute.make_copy_atom(tcgen05.Ld32x32bOp(repetition), Float32)
        copy = tcgen05.make_tmem_copy(atom, parts[None, 0])
        source = copy.get_slice(thread).partition_S(parts)
        values = cute.make_rmem_tensor(_PART, Float32)
        held = cute.make_tensor(values.iterator, cute.make_layout(((_PART, 1), 1)))
        result = cute.make_rmem_tensor(_PART, self.c_dtype)
        row = m * _ROWS + thread
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
