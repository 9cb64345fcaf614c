"""Kernels whose blocks stay on their multiprocessors while rows come to them, for rows that are long."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, NamedTuple

from fairlead import cute
from fairlead._compiler import Int32, Int64, Uint32
from fairlead.cute._assembly import inline_asm
from fairlead.cute.nvgpu import cpasync
from fairlead.ops._arrays import offset_of
from fairlead.ops._row_kernels import RowParts, Softmax

if TYPE_CHECKING:
    from fairlead._compiler import Pointer, Tensor
    from fairlead.cute._types import Number
    from fairlead.cute.typing import Int
    from fairlead.ops._arrays import Described

__all__ = ["StreamedForm", "StreamedRows", "streamed_form"]

_SHARED = 224 * 1024
_SUM = cute.ReductionOp.ADD
#: Bytes of rows from which on, and up to which, this kernel is faster: of a layer norm with a weight or bias; of a
#: softmax whose rows begin within 16 bytes, by one block; and of one that a cluster of the most blocks shares.
_NORMS, _SHIFTED, _SHARED_ROWS = (
    (64 * 1024, 1024 * 1024),
    (80 * 1024, 112 * 1024),
    (384 * 1024, 640 * 1024),
)
#: Bytes of a row that a block takes at most, and the least room of its ring as a part of these.
_MOST, _LEAST_RING = 136 * 1024, 0.8
_ROWS = 8  # of a cluster, at least
_BLOCKS = 8  # of a cluster, at most
#: The share of multiprocessors that clusters of more than two blocks find room on.
_PLACED = 0.91
#: float32 numbers of its row that a thread keeps in registers.
_KEPT = 72
_BARRIER = 1  # of the threads that compute


class StreamedForm(NamedTuple):
    """The blocks of a cluster, the clusters of the grid, the threads of a block that compute, and whether rows begin
    within 16 bytes."""

    blocks: int
    clusters: int
    threads: int = 480
    shifted: bool = False


def streamed_form(
    what: str, matrices: Sequence[Described], outs: Sequence[Described]
) -> StreamedForm | None:
    """Return the form of the kernel, None if another one should be used; arguments as of ``staged_form``."""
    x, *vectors = matrices
    rows, columns = x.shape
    wide = 128 // x.numeric.width
    if not x.has("clusters") or any(len(vector.shape) == 2 for vector in vectors):
        return None
    if any(offset_of(array) % wide for array in (*matrices, *outs)):
        return None
    shifted = columns % wide != 0
    kept = sum(columns * vector.numeric.width // 8 for vector in vectors)
    blocks = _blocks_of(what, columns * x.numeric.width // 8, kept, shifted)
    if blocks is None:
        return None
    clusters = int(x.multiprocessors * (1 if blocks <= 2 else _PLACED)) // blocks
    return StreamedForm(blocks, clusters, shifted=shifted) if rows >= _ROWS * clusters else None


def _blocks_of(what: str, row: int, kept: int, shifted: bool) -> int | None:
    """Return the blocks of a cluster for rows of so many bytes, and ``kept`` bytes of a weight and a bias."""
    if what == "softmax":
        least, most = _SHIFTED if shifted else _SHARED_ROWS
        return None if not least <= row <= most else 1 if shifted else _BLOCKS
    if what != "layer_norm" or not kept or shifted or not _NORMS[0] <= row <= _NORMS[1]:
        return None
    for blocks in (1, 2, 4, 8):
        if row <= _MOST * blocks and kept + row * _LEAST_RING <= _SHARED * blocks:
            return blocks
    return None


def _add(first: Number, second: Number) -> Any:
    return first + second


class StreamedRows(RowParts):
    """Each of ``clusters`` clusters of ``blocks`` blocks computes every so many rows.

    One warp of a block copies parts of rows to a ring of pieces in shared memory, as far ahead as the ring has room.
    The other warps keep a row in registers: a piece is free again before the row's sums are known. The weight and the
    bias of a norm come to shared memory once.
    """

    def __init__(
        self, columns: int, width: int, what: str, blocks: int, clusters: int, threads: int = 480,
        shifted: bool = False, **options: Any,
    ) -> None:  # fmt: skip
        """``width``: neighbours of 16 bytes; ``threads``: that compute, at most; ``shifted``: a row's first vector
        begins at a multiple of 16 bytes, perhaps before the row."""
        super().__init__(columns, width, what, blocks, **options)
        self.clusters, self.rows, self.shifted = clusters, 1, shifted
        most = columns + (width - 1 if shifted else 0)
        vectors = -(-most // width)
        self.share = -(-vectors // blocks)
        self.steps = -(-self.share // threads)
        self.threads = -(-self.share // (32 * self.steps)) * 32
        #: Vectors of the last block that are within every row.
        self.last_share = columns // width - (blocks - 1) * self.share
        self.warps = blocks * self.threads // 32

    def column(self, step: Int, lane: Number) -> Any:
        """The first column of the thread's vector number ``step``, of a row without a shift."""
        begin = 0
        if self.blocks > 1:
            begin = cute.arch.block_idx()[0] % self.blocks * self.share
        return (begin + step * self.threads + lane) * self.width

    def first(self, row: SimpleNamespace, step: int) -> Any:
        """Return the first column of the thread's vector number ``step``; it may be negative."""
        return self.column(step, row.lane) - row.shift

    def is_whole(self, step: int) -> bool:
        """True if vector ``step`` of every thread is within the row."""
        end = (step + 1) * self.threads
        return end <= min(self.share, self.last_share) and not (self.shifted and step == 0)

    def has_vector(self, step: int, lane: Number) -> Any:
        """Return whether the vector is one of this block's."""
        return step * self.threads + lane < self.share

    def is_inside(self, column: Number) -> Any:
        """Return whether a column exists."""
        return (column >= 0) & (column < self.columns)

    @cute.jit
    def __call__(self, *tensors: cute.Tensor) -> None:
        clusters = cute.math.min(tensors[0].shape[0], self.clusters)
        self.kernel(*tensors).launch(
            grid=(self.blocks * clusters, 1, 1),
            block=(self.threads + 32, 1, 1),
            cluster=(self.blocks, 1, 1) if self.blocks > 1 else None,
        )

    @cute.kernel
    def kernel(self, *tensors: cute.Tensor) -> None:
        thread, _, _ = cute.arch.thread_idx()
        block, _, _ = cute.arch.block_idx()
        warp = cute.arch.make_warp_uniform(cute.arch.warp_idx())
        x = tensors[0]
        memory = cute.SmemAllocator()
        numbers = 3 if self.what == "layer_norm" else 2
        scratch = memory.allocate_tensor(
            cute.Float32, cute.make_layout((self.warps, numbers, 2)), 16
        )
        vectors = [
            memory.allocate_tensor(
                vector.element_type,
                cute.make_layout((self.width, self.threads, self.steps)),
                16,
            )
            for vector in tensors[1:-1]
        ]
        piece = self.width * self.threads
        taken = sum(
            cute.cosize(vector.layout) * vector.element_type.width // 8 for vector in vectors
        )
        self.slots = (_SHARED - taken - 8 * self.warps * numbers) // (
            piece * x.element_type.width // 8
        )
        self.slots = min(self.slots, 4 * self.steps)
        ring = memory.allocate_tensor(
            x.element_type, cute.make_layout((self.width, self.threads, self.slots)), 128
        )
        barriers = memory.allocate_array(Int64, 2 * self.slots + 2, 8)
        if thread == 0:
            for slot in cute.range_constexpr(self.slots):
                cute.arch.mbarrier_init(barriers + slot, 1)
                cute.arch.mbarrier_init(barriers + (self.slots + slot), self.threads // 32)
            for parity in cute.range_constexpr(2):
                cute.arch.mbarrier_init(barriers + (2 * self.slots + parity), 1)
            cute.arch.mbarrier_init_fence()
        if cute.const_expr(self.blocks > 1):
            cute.arch.cluster_arrive()
            cute.arch.cluster_wait()
        else:
            cute.arch.sync_threads()
        if warp == self.threads // 32:
            self.produce(x, ring, barriers, block)
        else:
            self.consume(tensors, vectors, ring, barriers, scratch, block, thread)

    @cute.jit
    def produce(self, x: Tensor, ring: Tensor, barriers: Pointer, block: Int32) -> None:
        """Copy this block's parts of its rows to the ring."""
        slot, phase = Int32(0), Int32(1)
        place = block % self.blocks
        rows = Int32(x.shape[0])
        for number in range(block // self.blocks, rows, cute.arch.grid_dim()[0] // self.blocks):
            shift, more = self.shift(number), Int32(0)
            if cute.const_expr(self.shifted):
                # Vectors behind those within every row; not one that ends behind the last row.
                end = shift + self.columns
                if number + 1 < rows:
                    end = end + (self.width - 1)
                more = end // self.width - self.columns // self.width
            for step in cute.range_constexpr(self.steps):
                cute.arch.mbarrier_wait(barriers + (self.slots + slot), phase)
                target = ring[None, None, slot]
                if place == self.blocks - 1:
                    count = min(self.last_share - step * self.threads, self.threads)
                    self.copy(x, number, shift, step, target, barriers + slot, count, more, True)
                else:
                    count = min(self.share - step * self.threads, self.threads)
                    self.copy(x, number, shift, step, target, barriers + slot, count, more, False)
                slot = slot + 1
                if slot == self.slots:
                    slot = Int32(0)
                    phase = phase ^ 1

    @cute.jit
    def copy(
        self, x: Tensor, number: Int32, shift: Number, step: cute.Constexpr[int], target: Tensor, barrier: Pointer,
        count: cute.Constexpr[int], more: Number, is_last: cute.Constexpr[bool],
    ) -> None:  # fmt: skip
        """Start to copy ``count`` vectors of a row, and of the last block perhaps single ones."""
        size = self.width * x.element_type.width // 8
        # Single vectors follow those of the last block that are within every row.
        singles = [
            k for k in (0, 1)
            if self.shifted and is_last and (self.last_share + k) // self.threads == step
        ]  # fmt: skip
        bytes_ = Int32(max(count, 0) * size)
        for k in cute.range_constexpr(2):
            if cute.const_expr(k in singles):
                if more > k:
                    bytes_ = bytes_ + size
        if cute.arch.elect_one():
            cute.arch.mbarrier_arrive_and_expect_tx(barrier, bytes_)
        offset = Int64(number) * self.columns + (self.column(step, 0) - shift)
        if cute.const_expr(count > 0):
            self.copy_vectors(x, offset, target, 0, count, barrier)
        for k in cute.range_constexpr(2):
            if cute.const_expr(k in singles):
                if more > k:
                    place = self.last_share + k - step * self.threads
                    self.copy_vectors(x, offset, target, place, 1, barrier)

    def copy_vectors(
        self, x: Tensor, offset: Int, target: Tensor, place: int, count: int, barrier: Pointer
    ) -> None:
        """Start to copy ``count`` vectors from number ``place`` on."""
        elements = count * self.width
        atom = cute.make_copy_atom(
            cpasync.CopyBulkG2SOp(),
            x.element_type,
            num_bits_per_copy=elements * x.element_type.width,
        )
        layout = cute.make_layout(elements)
        pointer = x.iterator + cute.assume(offset + place * self.width, divby=self.width)
        inside = cute.make_tensor(target.iterator + place * self.width, layout)
        cute.copy(atom, cute.make_tensor(pointer, layout), inside, mbar_ptr=barrier)

    def shift(self, number: Number) -> Any:
        """Return how many elements before the row its first vector begins."""
        if not self.shifted:
            return Int32(0)
        return Int32(Uint32(number) * Uint32(self.columns) % Uint32(self.width))

    @cute.jit
    def consume(
        self, tensors: Sequence[Any], vectors: Sequence[Any], ring: Tensor, barriers: Pointer, scratch: Tensor,
        block: Int32, thread: Int32,
    ) -> None:  # fmt: skip
        for index in cute.range_constexpr(len(vectors)):
            self.keep(tensors[1 + index], vectors[index], thread)
        x = tensors[0]
        slot, phase, turn = Int32(0), Int32(0), Int32(0)
        pieces = cute.make_rmem_tensor((self.width, self.steps), x.element_type)
        rows = Int32(x.shape[0])
        for number in range(block // self.blocks, rows, cute.arch.grid_dim()[0] // self.blocks):
            row = SimpleNamespace(
                number=number, lane=thread, shift=self.shift(number), pieces=pieces, turn=turn,
                scratch=scratch[None, None, turn % 2], barrier=barriers + (2 * self.slots + turn % 2),
                vectors=vectors,
            )  # fmt: skip
            for step in cute.range_constexpr(self.steps):
                cute.arch.mbarrier_wait(barriers + slot, phase)
                cute.autovec_copy(ring[None, thread, slot], pieces[None, step])
                cute.arch.sync_warp()
                if thread % 32 == 0:
                    cute.arch.mbarrier_arrive(barriers + (self.slots + slot))
                slot = slot + 1
                if slot == self.slots:
                    slot = Int32(0)
                    phase = phase ^ 1
                if cute.const_expr(self.shifted and (step + 1) * self.threads > self.last_share):
                    self.read_end(x, row, rows, step)
            getattr(self, self.what)(row, tensors[-1])
            turn = turn + 1

    @cute.jit
    def keep(self, vector: Tensor, kept: Tensor, lane: Int32) -> None:
        """Copy the thread's elements of a weight or bias to shared memory."""
        for step in cute.range_constexpr(self.steps):
            column = self.column(step, lane)
            if self.has_vector(step, lane) & (column < self.columns):
                cute.autovec_copy(self.part(vector, None, column), kept[None, lane, step])

    @cute.jit
    def read_end(self, x: Tensor, row: SimpleNamespace, rows: Int32, step: cute.Constexpr) -> None:
        """Read the last elements of the last row, whose vector ends behind them and is not copied."""
        column = self.first(row, step)
        is_last = self.has_vector(step, row.lane) & (row.number + 1 == rows)
        if is_last & (column < self.columns) & (column + self.width > self.columns):
            for i in cute.range_constexpr(self.width):
                if self.is_inside(column + i):
                    row.pieces[i, step] = x[row.number, column + i]

    def values(self, row: SimpleNamespace, step: int, other: Number | float) -> Any:
        """Return the thread's vector number ``step`` as float32; elements outside of the row are ``other``."""
        numbers = self.words(row.pieces, step).load().to(cute.Float32)
        if self.is_whole(step):
            return numbers
        total = cute.make_rmem_tensor(self.width, cute.Float32)
        total.store(numbers)
        column = self.first(row, step)
        mine = self.has_vector(step, row.lane)
        for i in range(self.width):
            place = column + i if self.shifted else column
            total[i] = cute.where(mine & self.is_inside(place), total[i], cute.Float32(other))
        return total.load()

    def words(self, pieces: Tensor, step: int) -> Tensor:
        """Return a copy of a vector, made where it is used: float32 numbers do not stay in registers."""
        copied = cute.make_rmem_tensor(self.width, pieces.element_type)
        vector = pieces[None, step]
        source, target = (
            cute.make_tensor(cute.recast_ptr(part.iterator, dtype=Int32), cute.make_layout(4))
            for part in (vector, copied)
        )
        for i in range(4):
            target[i] = inline_asm(
                Int32, [source[i]], "mov.b32 $0, $1;", "=r,r", has_side_effects=True
            )
        return copied

    @cute.jit
    def exchange(self, row: SimpleNamespace, numbers: Sequence[Number], other: float = 0.0) -> Any:
        """Return tensors with numbers of all warps of the row, from those of each warp. Lanes have different warps, and
        lanes without one 0, or ``other`` of the first number."""
        warp, lane = row.lane // 32, row.lane % 32
        if cute.const_expr(self.blocks > 1):
            if row.lane == 0:
                cute.arch.mbarrier_arrive_and_expect_tx(row.barrier, 4 * len(numbers) * self.warps)
            block, _, _ = cute.arch.block_idx()
            warp = block % self.blocks * (self.threads // 32) + warp
            if lane < self.blocks:
                for kind in cute.range_constexpr(len(numbers)):
                    mine = row.scratch.iterator + (kind * self.warps + warp)
                    cute.arch.store_async_dsmem(mine, numbers[kind], row.barrier, lane)
            cute.arch.mbarrier_wait(row.barrier, row.turn // 2 % 2)
        else:
            if lane == 0:
                for kind in cute.range_constexpr(len(numbers)):
                    row.scratch[warp, kind] = numbers[kind]
            cute.arch.barrier(barrier_id=_BARRIER, number_of_threads=self.threads)
        read = [cute.make_rmem_tensor(-(-self.warps // 32), cute.Float32) for _ in numbers]
        for kind in cute.range_constexpr(len(numbers)):
            for i in cute.range_constexpr(-(-self.warps // 32)):
                index = lane + 32 * i
                read[kind][i] = other if kind == 0 else 0.0
                if index < self.warps:
                    read[kind][i] = row.scratch[index, kind]
        return read

    def of_warp(
        self, start: float, combine: Callable[[Any, Any], Any], of_vector: Callable[[int], Any]
    ) -> Any:
        """Combine one number of each vector of a warp."""
        result = cute.Float32(start)
        for step in range(self.steps):
            result = combine(result, of_vector(step))
        return cute.arch.warp_reduction(result, combine)

    def of_row(
        self, numbers: Any, op: cute.ReductionOp, start: float, combine: Callable[[Any, Any], Any]
    ) -> Any:
        """Combine numbers of all warps, as ``exchange`` returns them."""
        return cute.arch.warp_reduction(numbers.reduce(op, start, 0), combine)

    @cute.jit
    def store_vector(self, out: Tensor, row: SimpleNamespace, step: int, values: Any) -> None:
        """Store the thread's vector number ``step`` of the result."""
        piece = cute.make_rmem_tensor(self.width, out.element_type)
        column = self.first(row, step)
        piece.store(values.to(out.element_type))
        if cute.const_expr(self.is_whole(step)):
            cute.autovec_copy(piece, self.part(out, row.number, column))
        elif self.has_vector(step, row.lane):
            if (column >= 0) & (column + self.width <= self.columns):
                cute.autovec_copy(piece, self.part(out, row.number, column))
            elif cute.const_expr(self.shifted):
                for i in cute.range_constexpr(self.width):
                    if self.is_inside(column + i):
                        out[row.number, column + i] = piece[i]

    def softmax(self, row: SimpleNamespace, out: Tensor) -> None:
        softmax = Softmax(self.options["scale"])
        scale, start, power = softmax.scale, softmax.start, softmax.power
        is_kept = self.steps * self.width <= _KEPT
        best = self.of_warp(
            start,
            softmax.greatest,
            lambda step: self.values(row, step, start).reduce(softmax.kind, start, 0),
        )
        own_base = softmax.base(best)
        kept = []

        def sum_of(step: int) -> Any:
            exponents = self.values(row, step, start) * scale - own_base
            powers = power(exponents)
            if is_kept:
                kept.append(exponents if self.options["log"] else powers)
            return powers.reduce(_SUM, 0.0, 0)

        total = self.of_warp(0.0, _add, sum_of)
        of_warps, totals = self.exchange(row, (best, total), start)
        base = softmax.base(self.of_row(of_warps.load(), softmax.kind, start, softmax.greatest))
        # A row of infinities alone has no sum: its result is NaN, as elsewhere.
        parts = totals.load() * power(of_warps.load() * scale - base)
        total = self.of_row(parts, _SUM, 0.0, _add)
        factor, log = 1.0 / total, cute.math.log2(total)
        if is_kept:
            factor = factor * power(best * scale - base)
            log = log + (base - own_base)
        for step in range(self.steps):
            if is_kept:
                numbers = kept[step]
            else:
                exponents = self.values(row, step, start) * scale - base
                numbers = exponents if self.options["log"] else power(exponents)
            if self.options["log"]:
                self.store_vector(out, row, step, (numbers - log) * math.log(2))
            else:
                self.store_vector(out, row, step, numbers * factor)

    def squares(self, row: SimpleNamespace, mean: Number) -> Any:
        """Return the sum of a warp's squared differences from ``mean``."""

        def of_vector(step: int) -> Any:
            values = self.values(row, step, mean) - mean
            return (values * values).reduce(_SUM, 0.0, 0)

        return self.of_warp(0.0, _add, of_vector)

    def layer_norm(self, row: SimpleNamespace, out: Tensor) -> None:
        # A warp's differences are those from its own mean.
        count = self.of_warp(0.0, _add, lambda step: self.count(row, step))
        total = self.of_warp(
            0.0, _add, lambda step: self.values(row, step, 0.0).reduce(_SUM, 0.0, 0)
        )
        mean = total / cute.arch.fmax(count, cute.Float32(1))
        read = self.exchange(row, (count, mean, self.squares(row, mean)))
        counts, of_warps, squares = (part.load() for part in read)
        mean = self.of_row(counts * of_warps, _SUM, 0.0, _add) / self.columns
        distance = of_warps - mean
        sums = self.of_row(squares + counts * distance * distance, _SUM, 0.0, _add)
        self.norm(row, out, mean, sums)

    def count(self, row: SimpleNamespace, step: int) -> Any:
        """Return the number of elements of the thread's vector number ``step``."""
        if self.is_whole(step):
            return cute.Float32(self.width)
        is_inside = self.has_vector(step, row.lane) & self.is_inside(self.first(row, step))
        return cute.where(is_inside, cute.Float32(self.width), cute.Float32(0))

    def norm(self, row: SimpleNamespace, out: Tensor, mean: Number, total: Number) -> None:
        """Store the row's differences from its mean, divided by their root mean square, with the weight and the bias.
        ``total``: of the squares of the differences."""
        factor = cute.math.rsqrt(total / self.columns + self.options["eps"])
        for step in range(self.steps):
            values = (self.values(row, step, 0.0) - mean) * factor
            parts = [self.kept(vector, row, step) for vector in row.vectors]
            if self.options["weight"]:
                values = values * parts[0]
            if self.options["bias"]:
                values = values + parts[-1]
            self.store_vector(out, row, step, values)

    def kept(self, vector: Tensor, row: SimpleNamespace, step: int) -> Any:
        """Return the elements of a weight or bias for the thread's vector number ``step``."""
        piece = cute.make_rmem_tensor(self.width, vector.element_type)
        cute.autovec_copy(vector[None, row.lane, step], piece)
        return piece.load().to(cute.Float32)
