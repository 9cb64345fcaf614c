"""Products of one row or a few: each element of B is read once, and no tensor core multiplies."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from fairlead import _compiler, cute
from fairlead._compiler import BFloat16, Float32, Int64, Pointer
from fairlead.cute._types import Number
from fairlead.ops._epilogue import Epilogue

if TYPE_CHECKING:
    from fairlead._compiler import Tensor
    from fairlead.cute.typing import Int

__all__ = ["CpuFewRows", "FewRows", "FewRowsGemm", "form_for_processors"]


class FewRows(NamedTuple):
    """Rows of A, columns of C for each warp, vectors of a column that are loaded together, and warps of a block. On
    processors, rows of A, and columns of C for each block."""

    rows: int
    columns: int = 1
    ahead: int = 1
    warps: int = 4


class FewRowsGemm:
    """C (M, N, L) = A (M, K, L) * B (N, K, L) for M = ``form.rows``, with contiguous rows of A and B.

    The lanes of a warp go along K, ``width`` elements each, for some columns of C at a time. Sums of lanes are added at
    the end.
    """

    def __init__(self, epilogue: Epilogue, form: FewRows, width: int) -> None:
        """``width``: elements that lie together in memory at a multiple of their size."""
        self.epilogue, self.form, self.width = epilogue, form, width

    @cute.jit
    def __call__(self, a: cute.Tensor, b: cute.Tensor, *others: cute.Tensor) -> None:
        c = others[-1]
        columns = self.form.columns * self.form.warps
        self.kernel(a, b, others).launch(
            grid=(cute.ceil_div(c.shape[1], columns), c.shape[2], 1),
            block=(32, self.form.warps, 1), use_pdl=True,
        )  # fmt: skip

    @cute.kernel
    def kernel(self, a: Tensor, b: Tensor, others: Sequence[Any]) -> None:
        lane, warp, _ = cute.arch.thread_idx()
        block, batch, _ = cute.arch.block_idx()
        *addends, c = others
        rows, columns, ahead, warps = self.form
        n, depth = c.shape[1], a.shape[1]
        first = (block * warps + warp) * columns
        sums = cute.make_rmem_tensor((self.width, columns, rows), Float32)
        sums.fill(0.0)
        cute.arch.griddepcontrol_wait()
        of_a = [self.row(a, row, batch) for row in range(rows)]
        # Columns beyond the last one are that one, and are not stored.
        of_b = [self.row(b, cute.math.min(first + i, n - 1), batch) for i in range(columns)]
        step = 32 * self.width
        for begin in cute.range(0, depth, step * ahead):
            pieces = cute.make_rmem_tensor((self.width, ahead, columns), b.element_type)
            vectors = cute.make_rmem_tensor((self.width, ahead, rows), a.element_type)
            for i in cute.range_constexpr(ahead):
                place = begin + i * step + lane * self.width
                pieces[None, i, None].fill(0)
                vectors[None, i, None].fill(0)
                if place < depth:
                    for column in cute.range_constexpr(columns):
                        cute.autovec_copy(self.part(of_b[column], place), pieces[None, i, column])
                    for row in cute.range_constexpr(rows):
                        cute.autovec_copy(self.part(of_a[row], place), vectors[None, i, row])
            for i in cute.range_constexpr(ahead):
                for row in cute.range_constexpr(rows):
                    vector = vectors[None, i, row].load().to(Float32)
                    for column in cute.range_constexpr(columns):
                        values = pieces[None, i, column].load().to(Float32)
                        total = sums[None, column, row]
                        total.store(cute.math.fma(values, vector, total.load()))
        for row in cute.range_constexpr(rows):
            for column in cute.range_constexpr(columns):
                total = sums[None, column, row].load().reduce(cute.ReductionOp.ADD, 0.0, 0)
                total = cute.arch.warp_reduction(total, lambda x, y: x + y)
                if (lane == 0) & (first + column < n):
                    value = self.epilogue.apply(total, addends, row, first + column, batch)
                    c[row, first + column, batch] = value.to(c.element_type)

    def row(self, matrix: Tensor, number: Number, batch: Int) -> Any:
        """Return the address of a row."""
        offset = Int64(number) * matrix.stride[0] + Int64(batch) * matrix.stride[2]
        return matrix.iterator + cute.assume(offset, divby=self.width)

    def part(self, row: Pointer, place: Int) -> Any:
        """Return ``width`` neighbours of a row."""
        pointer = row + cute.assume(place, divby=self.width)
        return cute.make_tensor(pointer, cute.make_layout(self.width))


#: Elements that a processor multiplies at a time, and sums of so many in its registers.
_VECTOR, _SUMS = (16, 16) if _compiler.cpu_level() == 4 else (8, 8)
_MOST_COLUMNS = 8  # whose products along K are added together
#: Vectors of one step. More conversions are too long a block for LLVM, and stay scalar.
_MOST_OF_BFLOAT16 = 8
_STEPS = 32  # of the depth, for which sums are read and written once
#: Columns of a block, if those of B are not contiguous: long parts of a row, but a block for each processor.
_SPANS = (1024, 512, 256)


def form_for_processors(b_mode: int, rows: int, columns: int) -> FewRows:
    """Return the form of CpuFewRows for a number of columns, of all matrices."""
    processors = os.cpu_count() or 1
    spans = (span for span in _SPANS if columns >= span * processors)
    return FewRows(rows, 64 if b_mode else next(spans, _SPANS[-1]))


class CpuFewRows:
    """C (M, N, L) = A (M, K, L) * B (N, K, L) for M = ``rows`` and contiguous rows of A, on processors.

    If rows of B are contiguous, ``b_mode`` 1, a thread of the pool adds products along K of some columns at a time.
    Otherwise it adds to the sums of many neighbours, step by step along K.
    """

    def __init__(self, b_mode: int, epilogue: Epilogue, form: FewRows) -> None:
        self.b_mode, self.epilogue = b_mode, epilogue
        self.rows, self.span = form[:2]
        self.columns = min(_SUMS // self.rows, _MOST_COLUMNS)

    @cute.jit
    def __call__(self, a: cute.Tensor, b: cute.Tensor, *others: cute.Tensor) -> None:
        c = others[-1]
        self.kernel(a, b, others).launch(
            grid=(cute.ceil_div(c.shape[1], self.span), c.shape[2], 1), block=(1, 1, 1)
        )

    @cute.kernel
    def kernel(self, a: Tensor, b: Tensor, others: Sequence[Any]) -> None:
        block, batch, _ = cute.arch.block_idx()
        n, depth = others[-1].shape[1], a.shape[1]
        first = block * self.span
        end = cute.math.min(first + self.span, n)
        of_a = [_row(a, row, batch) for row in range(self.rows)]
        if cute.const_expr(self.b_mode == 1):
            for column in cute.range(first, end, self.columns):
                self.along_depth(of_a, b, others, column, batch, depth)
        else:
            self.along_columns(of_a, b, others, first, end - first, batch, depth)

    @cute.jit
    def along_depth(
        self, of_a: Sequence[Any], b: Tensor, others: Sequence[Any], first: Int, batch: Int, depth: Int
    ) -> None:  # fmt: skip
        """Compute some columns, whose elements of B are contiguous."""
        n, columns = others[-1].shape[1], self.columns
        # Columns beyond the last one are that one, and are stored again.
        places = [cute.math.min(first + i, n - 1) for i in range(columns)]
        of_b = [_row(b, place, batch) for place in places]
        sums = cute.make_rmem_tensor((_VECTOR, columns, self.rows), Float32)
        sums.fill(0.0)
        vector_end = depth // _VECTOR * _VECTOR
        for k in cute.range(0, vector_end, _VECTOR):
            vectors = [_vector(row + k) for row in of_a]
            for column in cute.range_constexpr(columns):
                values = _vector(of_b[column] + k)
                for row in cute.range_constexpr(self.rows):
                    total = sums[None, column, row]
                    total.store(cute.math.fma(values, vectors[row], total.load()))
        # Through memory: otherwise the compiler would gather elements of several columns in a vector.
        parts = cute.SmemAllocator().allocate_tensor(Float32, sums.layout, 64)
        for row in cute.range_constexpr(self.rows):
            for column in cute.range_constexpr(columns):
                parts[None, column, row].store(sums[None, column, row].load())
        totals = cute.make_rmem_tensor((columns, self.rows), Float32)
        totals.fill(0.0)
        for i in cute.range(_VECTOR):
            for row in cute.range_constexpr(self.rows):
                for column in cute.range_constexpr(columns):
                    totals[column, row] += parts[i, column, row]
        for k in cute.range(vector_end, depth):
            for row in cute.range_constexpr(self.rows):
                factor = Float32((of_a[row] + k).load())
                for column in cute.range_constexpr(columns):
                    value = Float32((of_b[column] + k).load())
                    totals[column, row] = cute.math.fma(value, factor, totals[column, row])
        for row in cute.range_constexpr(self.rows):
            for column in cute.range_constexpr(columns):
                self.store(others, totals[column, row], row, places[column], batch)

    @cute.jit
    def along_columns(
        self, of_a: Sequence[Any], b: Tensor, others: Sequence[Any], first: Int, count: Int, batch: Int, depth: Int
    ) -> None:  # fmt: skip
        """Compute ``count`` columns from ``first`` on, by parts of the depth."""
        memory = cute.SmemAllocator()
        sums = memory.allocate_tensor(Float32, cute.make_layout((self.span, self.rows)), 64)
        sums.fill(0.0)
        start = b.iterator + (Int64(batch) * b.stride[2] + first)
        vectors = _SUMS // self.rows
        if cute.const_expr(b.element_type is BFloat16):
            vectors = min(vectors, _MOST_OF_BFLOAT16)
        for k in cute.range(0, depth, _STEPS):
            part = start + Int64(k) * b.stride[1], b.stride[1], cute.math.min(depth - k, _STEPS)
            rows = [row + k for row in of_a]
            unrolled_end = count // (vectors * _VECTOR) * (vectors * _VECTOR)
            vector_end = count // _VECTOR * _VECTOR
            for place in cute.range(0, unrolled_end, vectors * _VECTOR):
                self.add(rows, part, sums, place, vectors, _VECTOR)
            for place in cute.range(unrolled_end, vector_end, _VECTOR):
                self.add(rows, part, sums, place, 1, _VECTOR)
            for place in cute.range(vector_end, count):
                self.add(rows, part, sums, place, 1, 1)
        for row in cute.range_constexpr(self.rows):
            for place in cute.range(count):
                self.store(others, sums[place, row], row, first + place, batch)

    @cute.jit
    def add(
        self, rows: Sequence[Any], part: tuple[Any, Any, Any], sums: Tensor, place: Int,
        vectors: cute.Constexpr[int], width: cute.Constexpr[int],
    ) -> None:  # fmt: skip
        """Add products of a part of the depth, (address, distance of its rows, their number), to sums of neighbouring
        columns."""
        start, distance, steps = part
        totals = cute.make_rmem_tensor((width, vectors, self.rows), Float32)
        for row in cute.range_constexpr(self.rows):
            for i in cute.range_constexpr(vectors):
                totals[None, i, row].store(
                    _vector(sums.iterator + (row * self.span + place + i * width), width)
                )
        for k in cute.range(steps):
            of_b = start + (Int64(k) * distance + place)
            for i in cute.range_constexpr(vectors):
                values = _vector(of_b + i * width, width)
                for row in cute.range_constexpr(self.rows):
                    factor = cute.full_like(values, Float32((rows[row] + k).load()))
                    total = totals[None, i, row]
                    total.store(cute.math.fma(values, factor, total.load()))
        for row in cute.range_constexpr(self.rows):
            for i in cute.range_constexpr(vectors):
                pointer = sums.iterator + (row * self.span + place + i * width)
                cute.make_tensor(pointer, cute.make_layout(width)).store(
                    totals[None, i, row].load()
                )

    def store(
        self, others: Sequence[Any], total: Float32, row: Int, column: Int, batch: Int
    ) -> None:
        *addends, c = others
        value = self.epilogue.apply(total, addends, row, column, batch)
        c[row, column, batch] = value.to(c.element_type)


def _row(matrix: Tensor, number: Number, batch: Int) -> Any:
    """Return the address of a row."""
    return matrix.iterator + (Int64(number) * matrix.stride[0] + Int64(batch) * matrix.stride[2])


def _vector(pointer: Pointer, width: int = _VECTOR) -> Any:
    """Return neighbours as float32."""
    return cute.make_tensor(pointer, cute.make_layout(width)).load().to(Float32)
