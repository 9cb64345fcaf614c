"""Kernels that copy each row of a matrix to shared memory once, and read it there as often as they need."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, NamedTuple

from fairlead import cute
from fairlead._compiler import Int32, Uint32
from fairlead.cute.nvgpu import LoadCacheMode, cpasync
from fairlead.ops._arrays import offset_of
from fairlead.ops._row_kernels import RowParts, Softmax

if TYPE_CHECKING:
    from fairlead._compiler import Tensor
    from fairlead.cute._types import Number
    from fairlead.ops._arrays import Described

__all__ = ["StagedForm", "StagedRows", "staged_form"]

#: The operations that the kernel has; columns of a row up to which registers are faster, or loads of few bytes.
_OPERATIONS = ("softmax", "rms_norm", "layer_norm")
_REGISTERS, _NARROW = 24576, 4096
#: Bytes of a block with which a multiprocessor has room for four, three or one of them; and the most of a block that
#: has two rows, and with which it needs no more threads.
_MOST_OF_FOUR, _MOST_OF_THREE, _MOST_OF_ONE = 56 * 1024, 72 * 1024, 216 * 1024
_MOST_OF_PAIRS, _FEW_OF_PAIRS = 152 * 1024, 132 * 1024
#: Bytes of shared memory that a block can have.
_SHARED = 227 * 1024
_BLOCKS = 8  # of a cluster, at most
_SUM = cute.ReductionOp.ADD


class StagedForm(NamedTuple):
    """The blocks of a cluster, their threads, the rows of a cluster, and whether rows begin within 16 bytes."""

    blocks: int
    threads: int
    together: int = 1
    shifted: bool = False


def staged_form(
    what: str, matrices: Sequence[Described], outs: Sequence[Described], width: int
) -> StagedForm | None:
    """Return the form of the kernel, None if rows should stay in registers.

    Args:
        what: the operation.
        matrices: that of x, then the residual, weight and bias, if any.
        outs: the result, if it is the caller's.
        width: neighbours that can move together in all rows.
    """
    x = matrices[0]
    rows, columns = x.shape
    wide = 128 // x.numeric.width
    is_shifted = what == "softmax" and width < wide
    if is_shifted:
        is_shifted = not any(offset_of(array) % wide for array in (x, *outs))
    if what not in _OPERATIONS or not x.has("clusters"):
        return None
    bytes_ = sum(
        columns * matrix.numeric.width // 8 for matrix in matrices if len(matrix.shape) == 2
    )
    if not is_shifted and width * x.numeric.width < 32:
        return None
    if columns <= (_NARROW if is_shifted else _REGISTERS):
        return None
    if bytes_ > _BLOCKS * _MOST_OF_ONE:
        return None
    # Two rows of a layer norm share the weight and the bias, which come from the L2 cache for each row otherwise.
    has_vectors = what == "layer_norm" and any(len(matrix.shape) == 1 for matrix in matrices)
    forms = []
    if has_vectors and rows >= x.multiprocessors and 2 * bytes_ <= _BLOCKS * _MOST_OF_ONE:
        blocks = _blocks_of(2 * bytes_, _MOST_OF_PAIRS)
        forms.append((blocks, 512 if 2 * bytes_ <= blocks * _FEW_OF_PAIRS else 1024, 2))
    if what == "softmax":
        forms.append((*_softmax_form(bytes_, is_shifted), 1))
    else:  # norms also wait for the weight and the bias: more threads do so at a time
        forms.append((_blocks_of(bytes_, _MOST_OF_THREE), 512, 1))
    for blocks, threads, together in forms:
        while blocks < _BLOCKS and blocks * rows <= x.multiprocessors:
            blocks, threads = 2 * blocks, max(threads, 256)
        form = StagedForm(blocks, threads, together, is_shifted)
        if _bytes_of_block(form, matrices, wide if is_shifted else width) <= _SHARED:
            return form
    return None


def _bytes_of_block(form: StagedForm, matrices: Sequence[Described], width: int) -> int:
    """Return the bytes of shared memory of a block: ``width`` neighbours of each thread in each step, and the sums of
    all warps."""
    vectors = form.blocks * form.threads
    columns: int = matrices[0].shape[1]
    most = columns + (width - 1 if form.shifted else 0)
    steps = -(-most // (width * vectors))
    of_element: int = sum(
        matrix.numeric.width // 8 for matrix in matrices if len(matrix.shape) == 2
    )
    sums = vectors // 32 * 3 * 4
    return form.together * (steps * form.threads * width * of_element + sums)


def _softmax_form(bytes_: int, is_shifted: bool) -> tuple[int, int]:
    """Return the blocks of a cluster and their threads for rows of so many bytes."""
    if is_shifted and bytes_ <= _MOST_OF_ONE:
        return 1, 512
    blocks = _blocks_of(bytes_, _MOST_OF_THREE)
    if blocks == _BLOCKS and 2 * bytes_ <= 3 * _MOST_OF_ONE:
        return 2, 512
    return blocks, 128 if blocks > 1 and bytes_ <= blocks * _MOST_OF_FOUR else 256


def _blocks_of(bytes_: int, most: int) -> int:
    """Return the blocks of a cluster, each with ``most`` bytes or less if possible."""
    blocks = 1
    while bytes_ > blocks * most and blocks < _BLOCKS:
        blocks *= 2
    return blocks


def _add(first: Number, second: Number) -> Any:
    return first + second


class StagedRows(RowParts):
    """A cluster of ``blocks`` blocks of ``threads`` threads for each ``together`` rows, which read a weight and a bias
    once.

    A thread reads from shared memory only elements that it copied there, so a row's copy needs no barrier. Registers
    hold a few elements at a time: a multiprocessor has room for many blocks, whose copies overlap. Warps exchange
    their sums once, through the memory of all blocks.
    """

    def __init__(
        self, columns: int, width: int, what: str, blocks: int, threads: int, together: int = 1,
        shifted: bool = False, **options: Any,
    ) -> None:  # fmt: skip
        """``shifted``: a row's first vector begins at a multiple of 16 bytes, perhaps before the row."""
        super().__init__(columns, width, what, blocks, **options)
        self.threads, self.rows, self.shifted = threads, together, shifted
        most = columns + (width - 1 if shifted else 0)
        self.steps = -(-most // (width * blocks * threads))
        self.warps = blocks * threads // 32

    @cute.jit
    def __call__(self, *tensors: cute.Tensor) -> None:
        self.kernel(*tensors).launch(
            grid=(self.blocks * cute.ceil_div(tensors[0].shape[0], self.rows), 1, 1),
            block=(self.threads, 1, 1),
            cluster=(self.blocks, 1, 1) if self.blocks > 1 else None,
        )

    @cute.kernel
    def kernel(self, *tensors: cute.Tensor) -> None:
        lane, _, _ = cute.arch.thread_idx()
        block, _, _ = cute.arch.block_idx()
        memory = cute.SmemAllocator()
        numbers = 3 * self.rows
        scratch = memory.allocate_tensor(cute.Float32, cute.make_layout((self.warps, numbers)), 16)
        rows = []
        for index in cute.range_constexpr(self.rows):
            # After the last row, the last one comes again, with the same result.
            number = block // self.blocks * self.rows + index
            number = cute.math.min(number, tensors[0].shape[0] - 1)
            shift: Any = 0
            if cute.const_expr(self.shifted):
                shift = Int32(Uint32(number) * Uint32(self.columns) % Uint32(self.width))
            row = SimpleNamespace(number=number, lane=lane, shift=shift, scratch=scratch, staged=[])
            for source in tensors[: 2 if self.options.get("residual", False) else 1]:
                shape = (self.width, self.threads, self.steps)
                staged = memory.allocate_tensor(source.element_type, cute.make_layout(shape), 16)
                self.copy(source, row, staged)
                row.staged.append(staged)
            rows.append(row)
        cute.arch.cp_async_commit_group()
        if cute.const_expr(self.blocks > 1):
            cute.arch.cluster_arrive_relaxed()
        cute.arch.cp_async_wait_group(0)
        getattr(self, self.what)(tensors, rows)

    @cute.jit
    def copy(self, source: Tensor, row: SimpleNamespace, staged: Tensor) -> None:
        """Start to copy the thread's vectors."""
        bits = self.width * source.element_type.width
        cached = LoadCacheMode.GLOBAL if bits == 128 else LoadCacheMode.ALWAYS
        atom = cute.make_copy_atom(
            cpasync.CopyG2SOp(cache_mode=cached), source.element_type, num_bits_per_copy=bits
        )
        for step in cute.range_constexpr(self.steps):
            column = self.first(row, step)
            target = staged[None, row.lane, step]
            if cute.const_expr(self.is_whole(step)):
                cute.copy(atom, self.part(source, row.number, column), target)
            elif (column >= 0) & (column + self.width <= self.columns):
                cute.copy(atom, self.part(source, row.number, column), target)
            elif cute.const_expr(self.shifted):
                for i in cute.range_constexpr(self.width):
                    if self.is_inside(column + i):
                        target[i] = source[row.number, column + i]

    def first(self, row: SimpleNamespace, step: int) -> Any:
        """Return the first column of the thread's vector number ``step``; it may be negative."""
        return self.column(step, row.lane) - row.shift

    def is_whole(self, step: int) -> bool:
        """True if vector ``step`` of every thread is within the row."""
        return self.whole(step) and not (self.shifted and step == 0)

    def is_inside(self, column: Number) -> Any:
        """Return whether a column exists."""
        inside = column < self.columns
        return (column >= 0) & inside if self.shifted else inside

    @cute.jit
    def values(self, row: SimpleNamespace, step: cute.Constexpr[int], other: Number | float) -> Any:
        """Return the thread's vector number ``step`` as float32; elements after the last column are ``other``."""
        total = cute.make_rmem_tensor(self.width, cute.Float32)
        piece = cute.make_rmem_tensor(self.width, row.staged[0].element_type)
        for index in cute.range_constexpr(len(row.staged)):
            cute.autovec_copy(row.staged[index][None, row.lane, step], piece)
            numbers = piece.load().to(cute.Float32)
            if cute.const_expr(index > 0):
                numbers = numbers + total.load()
            total.store(numbers)
        if cute.const_expr(not self.is_whole(step)):
            column = self.first(row, step)
            for i in cute.range_constexpr(self.width):
                is_inside = self.is_inside(column + i if self.shifted else column)
                total[i] = cute.where(is_inside, total[i], cute.Float32(other))
        return total.load()

    def of_warp(
        self, start: float, combine: Callable[[Any, Any], Any], of_vector: Callable[[int], Any]
    ) -> Any:
        """Combine one number of each vector of a warp."""
        result = cute.Float32(start)
        for step in range(self.steps):
            result = combine(result, of_vector(step))
        return cute.arch.warp_reduction(result, combine)

    @cute.jit
    def exchange(self, row: SimpleNamespace, numbers: Sequence[Any]) -> Any:
        """Return tensors with numbers of all warps of the row, from those of each warp. Lanes have different warps."""
        warp, lane = row.lane // 32, row.lane % 32
        if cute.const_expr(self.blocks > 1):
            block, _, _ = cute.arch.block_idx()
            warp = block % self.blocks * (self.threads // 32) + warp
            # Every block has begun, so its memory may be written.
            cute.arch.cluster_wait()
            if lane < self.blocks:
                for kind in cute.range_constexpr(len(numbers)):
                    mine = row.scratch.iterator + (kind * self.warps + warp)
                    target = cute.arch.map_dsmem_ptr(mine, lane)
                    cute.make_tensor(target, cute.make_layout(1))[0] = numbers[kind]
            cute.arch.cluster_arrive()
            cute.arch.cluster_wait()
        else:
            if lane == 0:
                for kind in cute.range_constexpr(len(numbers)):
                    row.scratch[warp, kind] = numbers[kind]
            cute.arch.sync_threads()
        read = [cute.make_rmem_tensor(-(-self.warps // 32), cute.Float32) for _ in numbers]
        for kind in cute.range_constexpr(len(numbers)):
            for i in cute.range_constexpr(-(-self.warps // 32)):
                read[kind][i] = row.scratch[(lane + 32 * i) % self.warps, kind]
        return read

    def of_row(
        self, numbers: Any, op: cute.ReductionOp, start: float, combine: Callable[[Any, Any], Any]
    ) -> Any:
        """Combine numbers of all warps, as ``exchange`` returns them."""
        return cute.arch.warp_reduction(numbers.reduce(op, start, 0), combine, min(self.warps, 32))

    @cute.jit
    def store_vector(self, out: Tensor, row: SimpleNamespace, step: int, values: Any) -> None:
        """Store the thread's vector number ``step`` of the result."""
        piece = cute.make_rmem_tensor(self.width, out.element_type)
        column = self.first(row, step)
        piece.store(values.to(out.element_type))
        if cute.const_expr(self.is_whole(step)):
            cute.autovec_copy(piece, self.part(out, row.number, column))
        elif (column >= 0) & (column + self.width <= self.columns):
            cute.autovec_copy(piece, self.part(out, row.number, column))
        elif cute.const_expr(self.shifted):
            for i in cute.range_constexpr(self.width):
                if self.is_inside(column + i):
                    out[row.number, column + i] = piece[i]

    def softmax(self, tensors: Sequence[Tensor], rows: list[SimpleNamespace]) -> None:
        (row,) = rows
        softmax = Softmax(self.options["scale"])
        scale, start, power = softmax.scale, softmax.start, softmax.power
        best = self.of_warp(
            start,
            softmax.greatest,
            lambda step: self.values(row, step, start).reduce(softmax.kind, start, 0),
        )
        base = softmax.base(best)
        total = self.of_warp(
            0.0, _add, lambda step: power(self.values(row, step, start) * scale - base).reduce(_SUM, 0.0, 0)
        )  # fmt: skip
        of_warps, totals = self.exchange(row, (best, total))
        base = softmax.base(self.of_row(of_warps.load(), softmax.kind, start, softmax.greatest))
        # A row of infinities alone has no sum: its result is NaN, as elsewhere.
        parts = totals.load() * power(of_warps.load() * scale - base)
        total = self.of_row(parts, _SUM, 0.0, _add)
        factor, log = 1.0 / total, cute.math.log2(total)
        for step in range(self.steps):
            exponents = self.values(row, step, start) * scale - base
            if self.options["log"]:
                self.store_vector(tensors[-1], row, step, (exponents - log) * math.log(2))
            else:
                self.store_vector(tensors[-1], row, step, power(exponents) * factor)

    def rms_norm(self, tensors: Sequence[Tensor], rows: list[SimpleNamespace]) -> None:
        zero = cute.Float32(0)
        numbers = self.exchange(rows[0], [self.squares(row, zero) for row in rows])
        sums = [self.of_row(number.load(), _SUM, 0.0, _add) for number in numbers]
        self.norm(tensors, rows, [zero] * len(rows), sums)

    def layer_norm(self, tensors: Sequence[Tensor], rows: list[SimpleNamespace]) -> None:
        # A warp's differences are those from its own mean.
        count = self.of_warp(0.0, _add, lambda step: self.count(rows[0], step))
        numbers = [count]
        for row in rows:
            total = self.of_warp(0.0, _add, functools.partial(self.total, row))
            mean = total / cute.arch.fmax(count, cute.Float32(1))
            numbers += [mean, self.squares(row, mean)]
        counts, *others = (part.load() for part in self.exchange(rows[0], numbers))
        means, sums = [], []
        for of_warps, squares in zip(others[::2], others[1::2], strict=True):
            means.append(self.of_row(counts * of_warps, _SUM, 0.0, _add) / self.columns)
            distance = of_warps - means[-1]
            sums.append(self.of_row(squares + counts * distance * distance, _SUM, 0.0, _add))
        self.norm(tensors, rows, means, sums)

    def total(self, row: SimpleNamespace, step: int) -> Any:
        """Return the sum of the thread's vector number ``step``."""
        return self.values(row, step, 0.0).reduce(_SUM, 0.0, 0)

    def squares(self, row: SimpleNamespace, mean: Number) -> Any:
        """Return the sum of a warp's squared differences from ``mean``."""

        def of_vector(step: int) -> Any:
            values = self.values(row, step, mean) - mean
            return (values * values).reduce(_SUM, 0.0, 0)

        return self.of_warp(0.0, _add, of_vector)

    def count(self, row: SimpleNamespace, step: int) -> Any:
        """Return the number of elements of the thread's vector number ``step``."""
        if self.whole(step):
            return cute.Float32(self.width)
        is_inside = self.column(step, row.lane) < self.columns
        return cute.where(is_inside, cute.Float32(self.width), cute.Float32(0))

    def norm(
        self,
        tensors: Sequence[Tensor],
        rows: list[SimpleNamespace],
        means: list[Any],
        sums: list[Any],
    ) -> None:
        """Store the differences of rows from their means, divided by their root mean square, with the weight and the
        bias. ``sums``: of the squares of the differences."""
        factors = [cute.math.rsqrt(part / self.columns + self.options["eps"]) for part in sums]
        vectors = tensors[len(rows[0].staged) : -1]
        for step in range(self.steps):
            parts = [self.neighbours(vector, rows[0], step) for vector in vectors]
            for row, mean, factor in zip(rows, means, factors, strict=True):
                values = (self.values(row, step, 0.0) - mean) * factor
                if self.options["weight"]:
                    values = values * parts[0]
                if self.options["bias"]:
                    values = values + parts[-1]
                self.store_vector(tensors[-1], row, step, values)

    @cute.jit
    def neighbours(self, vector: Tensor, row: SimpleNamespace, step: cute.Constexpr[int]) -> Any:
        """Return the elements of a weight or bias for the thread's vector number ``step``."""
        column = self.column(step, row.lane)
        piece = cute.make_rmem_tensor(self.width, vector.element_type)
        if cute.const_expr(self.whole(step)):
            cute.autovec_copy(self.part(vector, None, column), piece)
        else:
            piece.fill(0)
            if column < self.columns:
                cute.autovec_copy(self.part(vector, None, column), piece)
        return piece.load().to(cute.Float32)
