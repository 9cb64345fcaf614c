"""Products of matrices by the tensor cores of warps (``mma.sync``), and of float32 without tensor cores."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fairlead import _compiler, cute
from fairlead._compiler import Boolean, Float32
from fairlead.cute.nvgpu import CopyUniversalOp, LoadCacheMode, cpasync, warp
from fairlead.cute.typing import Int
from fairlead.ops._epilogue import Epilogue

__all__ = ["ScalarGemm", "WarpGemm"]


class WarpGemm:
    """C (M, N, L) = A (M, K, L) * B (N, K, L) of 16 bits a number, by tiles of 128 x 128 x 32 and ``mma.sync``.

    Tiles come by ``cp.async`` into ``stages`` stages of shared memory while others are multiplied.
    """

    threads = 128

    def __init__(
        self, dtype: type[_compiler.Numeric], a: tuple[str, int], b: tuple[str, int], epilogue: Epilogue,
        tile: tuple[int, int], together: int, stages: int = 3,
    ) -> None:  # fmt: skip
        """``a``, ``b``: the contiguous mode of the operand, and how many neighbours move together; ``together``: how
        many of the result do, 1 or 2."""
        self.dtype, self.a, self.b, self.epilogue = dtype, a, b, epilogue
        self.tile, self.together, self.stages = (*tile, 32), together, stages

    def shared_layout(self, operand: tuple[str, int], rows: int) -> Any:
        """The layout in shared memory, and the swizzle of its addresses."""
        shape = (rows, 32, self.stages)
        if operand[0] == "k":
            atom = cute.make_layout((8, 32), stride=(32, 1))
            return cute.make_swizzle(2, 4, 3), cute.tile_to_shape(atom, shape, (0, 1, 2))
        atom = cute.make_layout((64, 8), stride=(1, 64))
        return cute.make_swizzle(3, 4, 3), cute.tile_to_shape(atom, shape, (0, 1, 2))

    def global_copy(self, operand: tuple[str, int]) -> Any:
        """128 threads, neighbours along the contiguous mode."""
        major, width = operand
        bits = width * self.dtype.width
        if bits == 128:
            op: Any = cpasync.CopyG2SOp(cache_mode=LoadCacheMode.GLOBAL)
        else:
            op = cpasync.CopyG2SOp() if bits >= 32 else CopyUniversalOp()
        atom = cute.make_copy_atom(op, self.dtype, num_bits_per_copy=bits)
        if major == "k":
            chunks = 32 // width
            threads = cute.make_layout((128 // chunks, chunks), stride=(chunks, 1))
            return cute.make_tiled_copy_tv(atom, threads, cute.make_layout((1, width)))
        chunks = 64 // width
        threads = cute.make_layout((chunks, 128 // chunks), stride=(1, chunks))
        return cute.make_tiled_copy_tv(atom, threads, cute.make_layout((width, 1)))

    @cute.jit
    def __call__(self, a: cute.Tensor, b: cute.Tensor, *others: cute.Tensor) -> None:
        c = others[-1]
        grid = (
            cute.ceil_div(c.shape[0], self.tile[0]),
            cute.ceil_div(c.shape[1], self.tile[1]),
            c.shape[2],
        )
        self.kernel(a, b, others, self.plan()).launch(grid=grid, block=(self.threads, 1, 1))

    def plan(self) -> Any:
        """Return the MMA, the layouts in shared memory, and the copies of tiles."""
        op = warp.MmaF16BF16Op(self.dtype, Float32, (16, 8, 16))
        mma = cute.make_tiled_mma(op, cute.make_layout((2, 2, 1)), permutation_mnk=(32, 32, 16))
        layouts = self.shared_layout(self.a, self.tile[0]), self.shared_layout(self.b, self.tile[1])
        return mma, layouts, (self.global_copy(self.a), self.global_copy(self.b))

    @cute.kernel
    def kernel(self, a: object, b: object, others: Sequence[Any], planned: Sequence[Any]) -> None:
        self.multiply(a, b, others, cute.arch.block_idx(), planned, self.memory(planned))

    def memory(self, planned: Sequence[Any] | None) -> Any:
        """Stages of tiles of A and B in shared memory."""
        assert planned is not None
        memory, layouts = cute.SmemAllocator(), planned[1]
        return tuple(
            memory.allocate_tensor(self.dtype, layout, 1024, swizzle=swizzle)
            for swizzle, layout in layouts
        )

    @cute.jit
    def multiply(
        self,
        a: _compiler.Tensor,
        b: _compiler.Tensor,
        others: Sequence[Any],
        place: Sequence[Any],
        planned: Sequence[Any],
        memory: Sequence[Any],
    ) -> None:
        """The tile at ``place``, (m, n, batch)."""
        mma, _, copies = planned
        sA, sB = memory
        thread, _, _ = cute.arch.thread_idx()
        x, y, batch = place
        c = others[-1]
        parts = []
        for operand, shared, copy, rows, place in (
            (a, sA, copies[0], self.tile[0], x),
            (b, sB, copies[1], self.tile[1], y),
        ):
            mine = copy.get_slice(thread)
            tiler = (rows, 32)
            source = cute.local_tile(operand[None, None, batch], tiler, (place, None))
            shape = (operand.shape[0], operand.shape[1])
            places = cute.local_tile(cute.make_identity_tensor(shape), tiler, (place, 0))
            parts.append(
                (
                    copy,
                    mine.partition_S(source),
                    mine.partition_D(shared),
                    mine.partition_S(places),
                    shape,
                )
            )

        part = mma.get_slice(thread)
        tCrA = mma.make_fragment_A(part.partition_A(sA)[None, None, None, 0])
        tCrB = mma.make_fragment_B(part.partition_B(sB)[None, None, None, 0])
        cC = cute.local_tile(
            cute.make_identity_tensor((c.shape[0], c.shape[1])), self.tile[:2], (x, y)
        )
        tCcC = part.partition_C(cC)
        sums = cute.make_rmem_tensor(part.partition_shape_C(self.tile[:2]), Float32)
        sums.fill(0.0)
        load_a = cute.make_copy_atom(warp.LdMatrix8x8x16bOp(self.a[0] != "k", 4), self.dtype)
        load_b = cute.make_copy_atom(warp.LdMatrix8x8x16bOp(self.b[0] != "k", 4), self.dtype)
        copy_a, copy_b = cute.make_tiled_copy_A(load_a, mma), cute.make_tiled_copy_B(load_b, mma)
        from_a, to_a = copy_a.get_slice(thread).partition_S(sA), copy_a.retile(tCrA)
        from_b, to_b = copy_b.get_slice(thread).partition_S(sB), copy_b.retile(tCrB)

        k_tiles = cute.ceil_div(a.shape[1], 32)
        for stage in cute.range_constexpr(self.stages - 1):
            self.load(parts, stage, stage)
            cute.arch.cp_async_commit_group()
        read, write = cute.Int32(0), cute.Int32(self.stages - 1)
        for tile in range(k_tiles):
            cute.arch.cp_async_wait_group(self.stages - 2)
            cute.arch.sync_threads()
            self.load(parts, tile + self.stages - 1, write)
            cute.arch.cp_async_commit_group()
            cute.copy(copy_a, from_a[None, None, None, read], to_a)
            cute.copy(copy_b, from_b[None, None, None, read], to_b)
            cute.gemm(mma, sums, tCrA, tCrB, sums)
            read = 0 if read == self.stages - 1 else read + 1  # type: ignore[assignment]
            write = 0 if write == self.stages - 1 else write + 1  # type: ignore[assignment]
        cute.arch.cp_async_wait_group(0)

        # Neighbours of a row go together where rows begin at multiples of two elements.
        piece = cute.make_rmem_tensor(self.together, c.element_type)
        for i in cute.range_constexpr(0, cute.size(sums), self.together):
            m, n = tCcC[i]
            if (m < c.shape[0]) & (n < c.shape[1]):
                for j in cute.range_constexpr(self.together):
                    value = self.epilogue.apply(sums[i + j], others[:-1], m, n + j, batch)
                    piece[j] = value.to(c.element_type)
                offset = batch * c.stride[2] + m * c.stride[0] + n
                pointer = c.iterator + cute.assume(offset, divby=self.together)
                target = cute.make_tensor(pointer, cute.make_layout(self.together))
                cute.autovec_copy(piece, target)

    @cute.jit
    def load(self, parts: Sequence[Any], tile: Int, stage: object) -> None:
        """Starts a tile on its way. What is beyond the matrix is 0."""
        for copy, source, target, places, shape in parts:
            here = target[None, None, None, stage]
            inside = cute.make_rmem_tensor(
                cute.make_layout((1, cute.size(here, mode=[1]), cute.size(here, mode=[2]))), Boolean
            )
            for k in cute.range_constexpr(cute.size(here, mode=[2])):
                for m in cute.range_constexpr(cute.size(here, mode=[1])):
                    row, column = places[(0, 0), m, k]
                    inside[0, m, k] = (row < shape[0]) & (column + tile * 32 < shape[1])
            if cute.const_expr(not isinstance(copy.op, cpasync.CopyG2SOp)):
                here.fill(0)
            cute.copy(copy, source[None, None, None, tile], here, pred=inside)


class ScalarGemm:
    """Products of float32, multiplied as float32: 16 x 16 threads with ``each`` rows and columns for each thread."""

    threads = 256

    def __init__(self, epilogue: Epilogue, outputs_of_thread: tuple[int, int] = (4, 4)) -> None:
        self.epilogue, self.each, self.tile = (
            epilogue,
            outputs_of_thread,
            (16 * outputs_of_thread[0], 16 * outputs_of_thread[1]),
        )

    @cute.jit
    def __call__(self, a: cute.Tensor, b: cute.Tensor, *others: cute.Tensor) -> None:
        c = others[-1]
        grid = (
            cute.ceil_div(c.shape[0], self.tile[0]),
            cute.ceil_div(c.shape[1], self.tile[1]),
            c.shape[2],
        )
        self.kernel(a, b, others).launch(grid=grid, block=(self.threads, 1, 1))

    @cute.kernel
    def kernel(self, a: object, b: object, others: object) -> None:
        self.multiply(a, b, others, cute.arch.block_idx(), None, self.memory(None))

    def plan(self) -> Any:
        """Return None: its kernel needs nothing."""
        return None

    def memory(self, planned: Sequence[Any] | None) -> Any:
        """Tiles of A and B in shared memory."""
        memory = cute.SmemAllocator()
        return tuple(
            memory.allocate_tensor(Float32, cute.make_layout((rows, 16), stride=(1, rows + 1)), 16)
            for rows in self.tile
        )

    @cute.jit
    def multiply(
        self,
        a: _compiler.Tensor,
        b: _compiler.Tensor,
        others: Sequence[Any],
        place: Sequence[Any],
        planned: object,
        memory: Sequence[Any],
    ) -> None:
        """The tile at ``place``, (m, n, batch)."""
        sA, sB = memory
        thread, _, _ = cute.arch.thread_idx()
        x, y, batch = place
        c = others[-1]
        row, column = thread // 16, thread % 16
        rows, columns = self.each
        sums = cute.make_rmem_tensor(self.each, Float32)
        sums.fill(0.0)
        depth = a.shape[1]
        for tile in range(cute.ceil_div(depth, 16)):
            k = tile * 16 + column
            for operand, shared, tile_index, steps in ((a, sA, x, rows), (b, sB, y, columns)):
                for step in cute.range_constexpr(steps):
                    i = row + 16 * step
                    value = Float32(0)
                    if (tile_index * 16 * steps + i < operand.shape[0]) & (k < depth):
                        value = operand[tile_index * 16 * steps + i, k, batch]
                    shared[i, column] = value
            cute.arch.sync_threads()
            for k in cute.range_constexpr(16):
                for i in cute.range_constexpr(rows):
                    for j in cute.range_constexpr(columns):
                        sums[i, j] += sA[row + 16 * i, k] * sB[column + 16 * j, k]
            cute.arch.sync_threads()
        for i in cute.range_constexpr(rows):
            for j in cute.range_constexpr(columns):
                m, n = x * self.tile[0] + row + 16 * i, y * self.tile[1] + column + 16 * j
                if (m < c.shape[0]) & (n < c.shape[1]):
                    value = self.epilogue.apply(sums[i, j], others[:-1], m, n, batch)
                    c[m, n, batch] = value.to(c.element_type)
