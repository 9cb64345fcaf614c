"""Kernels that find elements of rows of any length by counts, by sums of probabilities and by place.

Each looks for a threshold by two bits at a time: it adds the weights of all elements beyond three candidates, which
takes one reading of the row. Weights are integers, so results depend on no order.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from fairlead import _compiler, cute
from fairlead._compiler import Float32, Float64, Int32, Numeric, Uint16, Uint32, Uint64
from fairlead.cute._types import Number

if TYPE_CHECKING:
    from fairlead._compiler import Tensor

__all__ = ["GreatestOfRows", "SamplesOfGreatest", "SamplesOfRows"]

_LOG2E = 1.4426950408889634
_ALL = 0xFFFFFFFF
_ONE = float(1 << 31)  # the weight of the most probable element
_BEYOND_ALL = 1 << 63  # a sum of weights that no row reaches
_LEAST_ROOM = 1024  # for elements that reach a bound, which are more than are chosen
_VECTORS = 4  # of a thread that are asked for before one is used


class _RowSearch:
    """A cluster of ``blocks`` blocks for each row, ``threads`` threads that read ``width`` neighbours at a time.

    A batch is ``_VECTORS`` vectors of each thread of all blocks: neighbouring columns of the row.
    """

    kernel: Any

    def __init__(
        self,
        dtype: type[_compiler.Numeric],
        columns: int,
        width: int,
        threads: int,
        blocks: int = 1,
    ) -> None:
        self.dtype, self.columns, self.width, self.threads = dtype, columns, width, threads
        self.blocks = blocks
        self.step = blocks * threads * width  # columns between a thread's vectors
        self.batches = -(-columns // (self.step * _VECTORS))
        self.lanes = min(threads, 32)
        self.warps = threads // self.lanes
        # Keys are unsigned numbers in the order of the elements, with as many bits.
        self.bits = dtype.width
        self.sign, self.mask = 1 << (self.bits - 1), (1 << self.bits) - 1
        of_exponent = {"Float16": 0x7C00, "BFloat16": 0x7F80, "Float32": 0x7F800000}
        self.infinity = of_exponent[dtype.__name__]
        self.unsigned = Uint16 if self.bits == 16 else Uint32

    @cute.jit
    def __call__(self, *tensors: Any) -> None:
        self.kernel(*tensors).launch(
            grid=(tensors[0].shape[0] * self.blocks, 1, 1),
            block=(self.threads, 1, 1),
            cluster=(self.blocks, 1, 1) if self.blocks > 1 else None,
        )

    def begin(self, x: Tensor) -> SimpleNamespace:
        """Return the values that all readings of a row need."""
        lane, _, _ = cute.arch.thread_idx()
        block, _, _ = cute.arch.block_idx()
        # Sums of warps; then those of the block, in turn in one of two places: a block may write the other one while
        # the cluster still reads this one.
        scratch, shared = (
            cute.SmemAllocator().allocate_tensor(
                Uint64, cute.make_layout((count, 3), stride=(1, count)), 16
            )
            for count in (self.warps, 2)
        )
        turn = cute.make_rmem_tensor(1, Int32)
        turn.fill(0)
        return SimpleNamespace(
            x=x, row=block // self.blocks, rank=block % self.blocks, lane=lane, scratch=scratch, shared=shared,
            turn=turn,
        )  # fmt: skip

    @cute.jit
    def leave(self) -> None:
        """Wait until no block of the cluster reads this one's memory."""
        if cute.const_expr(self.blocks > 1):
            cute.arch.cluster_arrive()
            cute.arch.cluster_wait()

    def key(self, value: Numeric) -> Any:
        """Return the place of a value among all of its type. Zeros are equal, and NaN is the greatest."""
        bits = value.bitcast(self.unsigned).to(Uint32)
        magnitude = bits & Uint32(self.sign - 1)
        bits = cute.where(magnitude == 0, Uint32(0), bits)
        is_negative = bits >= Uint32(self.sign)
        key = cute.where(is_negative, bits ^ Uint32(self.mask), bits | Uint32(self.sign))
        return cute.where(magnitude > Uint32(self.infinity), Uint32(self.mask), key)

    def value(self, key: Number) -> Any:
        """Return the value of a key as float32."""
        is_negative = key < Uint32(self.sign)
        bits = cute.where(is_negative, key ^ Uint32(self.mask), key ^ Uint32(self.sign))
        return bits.to(self.unsigned).bitcast(self.dtype).to(Float32)

    def is_number(self, best: Number) -> Any:
        """Return whether a row has probabilities, by the key of its greatest element."""
        least = Uint32(self.infinity ^ (self.sign - 1))
        return (best < Uint32(self.infinity | self.sign)) & (best > least)

    @cute.jit
    def combined(
        self, row: SimpleNamespace, totals: Tensor, combine: Callable[[Any, Any], Any]
    ) -> None:
        """Make ``totals`` those of all threads of all blocks."""
        count = cute.size(totals)
        if cute.const_expr(self.threads > 1):
            for i in cute.range_constexpr(count):
                totals[i] = cute.arch.warp_reduction(totals[i], combine, self.lanes)
            if cute.const_expr(self.warps > 1):
                # The numbers of the reading before may still be read.
                cute.arch.sync_threads()
                if row.lane % 32 == 0:
                    for i in cute.range_constexpr(count):
                        row.scratch[row.lane // 32, i] = totals[i].to(Uint64)
                cute.arch.sync_threads()
                for i in cute.range_constexpr(count):
                    total = row.scratch[row.lane % self.warps, i].to(totals.element_type)
                    totals[i] = cute.arch.warp_reduction(total, combine, self.warps)
        if cute.const_expr(self.blocks > 1):
            turn = row.turn[0]
            row.turn[0] = 1 - turn
            if row.lane == 0:
                for i in cute.range_constexpr(count):
                    row.shared[turn, i] = totals[i].to(Uint64)
            cute.arch.cluster_arrive()
            cute.arch.cluster_wait()
            for i in cute.range_constexpr(count):
                mine = row.shared.iterator + (turn + 2 * i)
                total = self.of_block(mine, row.lane % self.blocks).to(totals.element_type)
                totals[i] = cute.arch.warp_reduction(total, combine, self.blocks)

    def of_block(self, mine: _compiler.Pointer, rank: Number) -> Any:
        """Return the number at the address ``mine`` in block ``rank`` of the cluster."""
        pointer = cute.arch.map_dsmem_ptr(mine, rank)
        return cute.make_tensor(pointer, cute.make_layout(1))[0]

    def column(self, row: SimpleNamespace, batch: Number, vector: int) -> Any:
        """Return the first column of the thread's vector in a batch."""
        first = (row.rank * self.threads + row.lane) * self.width + vector * self.step
        return Uint32(batch) * Uint32(self.step * _VECTORS) + Uint32(first)

    @cute.jit
    def visit(
        self, row: SimpleNamespace, use: Callable[[Any, Any, int], None], first: Number, end: Number
    ) -> None:
        """Call ``use(element, column, place)`` for the thread's elements of the batches from ``first`` to ``end``;
        ``place``: of the element among the thread's in a batch."""
        pieces = cute.make_rmem_tensor((self.width, _VECTORS), self.dtype)
        for batch in cute.range(first, end):
            for i in cute.range_constexpr(_VECTORS):
                column = self.column(row, batch, i)
                if column < Uint32(self.columns):
                    offset = cute.Int64(row.row) * row.x.stride[0] + cute.Int64(column)
                    pointer = row.x.iterator + cute.assume(offset, divby=self.width)
                    part = cute.make_tensor(pointer, cute.make_layout(self.width))
                    cute.autovec_copy(part, pieces[None, i])
            for i in cute.range_constexpr(_VECTORS):
                column = self.column(row, batch, i)
                if column < Uint32(self.columns):
                    for j in cute.range_constexpr(self.width):
                        use(pieces[j, i], column + Uint32(j), i * self.width + j)

    @cute.jit
    def best(self, row: SimpleNamespace) -> Any:
        """Return the greatest key."""
        best = cute.make_rmem_tensor(1, Uint32)
        best.fill(0)

        def use(value: Numeric, column: Number, place: int) -> None:
            best[0] = _compiler.max(best[0], self.key(value))

        self.visit(row, use, 0, self.batches)
        self.combined(row, best, _compiler.max)
        return best[0]

    @cute.jit
    def total(
        self, row: SimpleNamespace, number: cute.Constexpr, weight: Callable[[Any, Any], Any]
    ) -> Any:
        """Return the sum of the weights of all elements."""
        totals = cute.make_rmem_tensor(1, number)
        totals.fill(0)

        def use(value: Numeric, column: Number, place: int) -> None:
            totals[0] = totals[0] + weight(value, column)

        self.visit(row, use, 0, self.batches)
        self.combined(row, totals, _add)
        return totals[0]

    @cute.jit
    def add(
        self, totals: Tensor, is_near: Number, value: Numeric, column: Number, weight: Callable[[Any, Any], Any],
        counts: Callable[[int], Any],
    ) -> None:  # fmt: skip
        """Add the weight of an element to the totals whose numbers count it."""
        if is_near:
            term = weight(value, column)
            for j in cute.range_constexpr(3):
                totals[j] = totals[j] + cute.where(counts(j), term, totals.element_type(0))

    @cute.jit
    def threshold(
        self, row: SimpleNamespace, number: cute.Constexpr, total: Number, weight: Callable[[Any, Any], Any],
        is_enough: Callable[[Any], Any],
    ) -> Any:  # fmt: skip
        """Return the greatest key so that the sum of the weights of elements from it on is enough, that sum, and the
        sum above it.

        Args:
            number: the type of sums.
            total: the sum of all weights, which is enough.
            weight: of (element, column).
            is_enough: of a sum.
        """
        found, reached, above = Uint32(0), total, number(0)
        totals = cute.make_rmem_tensor(3, number)
        for turn in cute.range(self.bits // 2):
            # The key is one of four times 2^shift from ``found`` on; ``above`` is the sum beyond them.
            shift = Uint32(self.bits - 2) - Uint32(2) * Uint32(turn)
            totals.fill(0)

            def use(
                value: Numeric,
                column: Number,
                place: int,
                found: Uint32 = found,
                shift: Uint32 = shift,
            ) -> None:
                quarter = (self.key(value) - found) >> shift
                is_near = (quarter > Uint32(0)) & (quarter < Uint32(4))
                self.add(totals, is_near, value, column, weight, lambda j: Uint32(j) < quarter)

            self.visit(row, use, 0, self.batches)
            self.combined(row, totals, _add)
            sums = [totals[0] + above, totals[1] + above, totals[2] + above, above]
            next_found, above = found, sums[0]
            for j in cute.range_constexpr(3):
                goes_on = is_enough(sums[j])
                next_found = cute.where(goes_on, found + (Uint32(j + 1) << shift), next_found)
                reached = cute.where(goes_on, sums[j], reached)
                above = cute.where(goes_on, sums[j + 1], above)
            found = next_found
        return found, reached, above

    @cute.jit
    def place_of(
        self, row: SimpleNamespace, number: cute.Constexpr, weight: Callable[[Any, Any], Any],
        is_beyond: Callable[[Any], Any],
    ) -> Any:  # fmt: skip
        """Return the greatest column so that the sum of the weights before it is beyond. Arguments as of
        ``threshold``."""
        found, before = Uint32(0), number(0)
        totals = cute.make_rmem_tensor(3, number)
        turns = -(-max((self.columns - 1).bit_length(), 1) // 2)
        columns = Uint32(self.step * _VECTORS)  # of a batch
        for turn in cute.range(turns):
            # The column is one of four times 2^shift from ``found`` on; ``before`` is the sum before them.
            shift = Uint32(2 * (turns - 1)) - Uint32(2) * Uint32(turn)
            totals.fill(0)

            def use(
                value: Numeric,
                column: Number,
                place: int,
                found: Uint32 = found,
                shift: Uint32 = shift,
            ) -> None:
                quarter = (column - found) >> shift
                is_near = quarter < Uint32(3)
                self.add(totals, is_near, value, column, weight, lambda j: Uint32(j) >= quarter)

            end = (found + (Uint32(3) << shift) + columns - Uint32(1)) // columns
            end = _compiler.min(Int32(end), Int32(self.batches))
            self.visit(row, use, Int32(found // columns), end)
            self.combined(row, totals, _add)
            first, before_first = found, before
            for j in cute.range_constexpr(3):
                goes_on = is_beyond(before_first + totals[j])
                found = cute.where(goes_on, first + (Uint32(j + 1) << shift), found)
                before = cute.where(goes_on, before_first + totals[j], before)
        return found

    @cute.jit
    def greatest(self, row: SimpleNamespace, count: Number) -> Any:
        """Return the key and the column of the last of the ``count`` greatest elements, whose first ones are before
        equal ones behind them."""
        one = lambda value, column: Uint32(1)  # noqa: E731
        enough = lambda total: total >= count  # noqa: E731
        least, reached, above = self.threshold(row, Uint32, Uint32(self.columns), one, enough)
        last, ties = Uint32(_ALL), count - above
        if reached - above > ties:
            is_equal = lambda value, column: _one_if(self.key(value) == least)  # noqa: E731
            last = self.place_of(row, Uint32, is_equal, lambda total: total < ties)
        return least, last

    @cute.jit
    def sample(
        self, row: SimpleNamespace, tensors: Sequence[Any], by_count: cute.Constexpr[bool],
        by_share: cute.Constexpr[bool],
    ) -> None:  # fmt: skip
        """Store a column of the row, chosen among all elements or the most probable ones, by reading them again and
        again. Arguments as of SamplesOfRows."""
        _, uniform, temperature, *limits, out = tensors
        best = self.best(row)
        greatest = self.value(best)
        # Without a temperature, only elements that are equal to the greatest one have a probability.
        factor = Float32(_LOG2E) / _of_row(temperature, row)

        def weight(value: Numeric) -> Any:
            return _weight(value.to(Float32) - greatest, factor)

        least, last = Uint32(0), Uint32(_ALL)
        if cute.const_expr(by_count):
            count = _of_row(limits[0], row).to(Int32)
            if (count > 0) & (count < self.columns):
                least, last = self.greatest(row, Uint32(count))
        kept = lambda value, column: cute.where(  # noqa: E731
            self.is_kept(value, column, least, last), weight(value), Uint64(0)
        )
        total = self.total(row, Uint64, kept)
        if cute.const_expr(by_share):
            share = _of_row(limits[-1], row)
            if share < 1:
                least, last, total = self.of_share(row, weight, (total, share), least, last)
        before = _part(total, uniform[row.row])
        column = self.place_of(row, Uint64, kept, lambda sum_: sum_ <= before)
        if (row.rank == 0) & (row.lane == 0):
            number = cute.where(self.is_number(best), Int32(column), Int32(-1))
            out[row.row] = number.to(out.element_type)

    def is_kept(self, value: Numeric, column: Number, least: Number, last: Number) -> Any:
        """Return whether an element is not less than the last one that is kept."""
        key = self.key(value)
        return (key > least) | ((key == least) & (column <= last))

    @cute.jit
    def of_share(
        self, row: SimpleNamespace, weight: Callable[[Any], Any], limits: tuple[Any, Any], least: Number, last: Number
    ) -> Any:  # fmt: skip
        """Return the key and the column of the last of the most probable elements, as many as have the share, and the
        sum of their weights. ``limits``: the sum of the weights of all elements, and the share."""
        none, (total, share) = Uint64(0), limits
        needed = _needed(total, share)
        kept = lambda value, column: cute.where(  # noqa: E731
            self.is_kept(value, column, least, last), weight(value), none
        )
        found, reached, above = self.threshold(
            row, Uint64, total, kept, lambda sum_: sum_ >= needed
        )
        one = _compiler.max(weight(self.value(found)), Uint64(1))
        equal, ties = (reached - above) // one, (needed - above + one - Uint64(1)) // one
        end = cute.where(found == least, last, Uint32(_ALL))
        if equal > ties:
            is_equal = lambda value, column: _one_if(  # noqa: E731
                self.is_kept(value, column, least, last) & (self.key(value) == found)
            )
            end = self.place_of(row, Uint32, is_equal, lambda sum_: sum_.to(Uint64) < ties)
        return found, end, above + _compiler.min(equal, ties) * one


class GreatestOfRows(_RowSearch):
    """The ``count`` greatest elements of rows, and their columns, in order.

    Each block divides its elements into groups. As many of the groups' greatest elements as are its share of ``count``
    are a bound; the least bound of all blocks is reached by ``count`` elements or more. If there is no room for these
    in shared memory, a search finds the exact bound.
    """

    def __init__(self, count: int, *options: Any) -> None:
        super().__init__(*options)
        self.count = count
        groups = max(64, 1 << (2 * -(-count // self.blocks) - 1).bit_length())
        #: Groups of a thread's elements, or threads of a group.
        self.parts, self.merged = (
            max(1, groups // self.threads),
            min(32, max(1, self.threads // groups)),
        )
        self.groups = self.threads * self.parts // self.merged
        self.has_bound = self.threads > 1 and self.parts <= self.width * _VECTORS
        self.room = max(self.groups, _LEAST_ROOM, 1 << (2 * count - 1).bit_length())

    @cute.kernel
    def kernel(self, *tensors: Any) -> None:
        """``tensors``: x, the greatest elements and their columns."""
        x, values, columns = tensors
        row = self.begin(x)
        chosen = self.chosen(row, self.count)
        if row.rank == 0:
            for i in cute.range(row.lane, self.count, self.threads):
                column = Int32(self.column_of(chosen[i]))
                values[row.row, i] = x[row.row, column]
                columns[row.row, i] = column.to(columns.element_type)
        self.leave()

    @cute.jit
    def chosen(self, row: SimpleNamespace, count: Any) -> Any:
        """Return a tensor in shared memory whose first elements are the ``count`` greatest ones, in order, in the first
        block of the cluster. An element is its key, and below it the distance of its column from the greatest number:
        the order of the result."""
        memory = cute.SmemAllocator()
        chosen = memory.allocate_tensor(Uint64, cute.make_layout(self.room), 16)
        filled = memory.allocate_tensor(Int32, cute.make_layout(1), 16)
        total = Int32(self.room + 1)
        if cute.const_expr(self.has_bound):
            bound = self.bound(row, chosen, count)
            self.clear(row, chosen, filled)
            total = self.collect(row, chosen, filled, bound, Uint32(_ALL))
        if total > self.room:
            self.clear(row, chosen, filled)
            least, last = self.greatest(row, Uint32(count))
            total = self.collect(row, chosen, filled, least, last)
        if row.rank == 0:
            self.gather(row, chosen, filled)
            self.sort(row, chosen, self.rounds(total))
        return chosen

    def column_of(self, element: Number) -> Any:
        """Return the column of an element in shared memory."""
        return Uint32(_ALL) - (element & Uint64(_ALL)).to(Uint32)

    @cute.jit
    def clear(self, row: SimpleNamespace, chosen: Tensor, filled: Tensor) -> None:
        for i in cute.range(row.lane, self.room, self.threads):
            chosen[i] = Uint64(0)
        if row.lane == 0:
            filled[0] = Int32(0)
        cute.arch.sync_threads()

    def rounds(self, count: Number) -> Any:
        """Return the logarithm of the least power of two from ``count`` on, at least 1."""
        rounds = Int32(1)
        for i in range(1, self.room.bit_length() - 1):
            rounds = cute.where(count > (1 << i), Int32(i + 1), rounds)
        return rounds

    @cute.jit
    def bound(self, row: SimpleNamespace, chosen: Tensor, count: Any) -> Any:
        """Return a key that ``count`` elements of the row reach."""
        best = cute.make_rmem_tensor(self.parts, Uint32)
        best.fill(0)

        def use(value: Numeric, column: Number, place: int) -> None:
            part = place % self.parts
            best[part] = _compiler.max(best[part], self.key(value))

        self.visit(row, use, 0, self.batches)
        for part in cute.range_constexpr(self.parts):
            greatest = cute.arch.warp_reduction(best[part], _compiler.max, self.merged)
            if row.lane % self.merged == 0:
                chosen[row.lane // self.merged * self.parts + part] = greatest.to(Uint64)
        cute.arch.sync_threads()
        self.sort(row, chosen, self.rounds(Int32(self.groups)))
        bound = cute.make_rmem_tensor(1, Uint32)
        bound[0] = chosen[cute.ceil_div(count, self.blocks) - 1].to(Uint32)
        cute.arch.sync_threads()
        self.combined(row, bound, _compiler.min)
        return bound[0]

    @cute.jit
    def collect(
        self, row: SimpleNamespace, chosen: Tensor, filled: Tensor, least: Number, last: Number
    ) -> Any:
        """Write the block's chosen elements to shared memory, in any order, as many as it has room for. Return the
        number of chosen elements of all blocks."""

        def use(value: Numeric, column: Number, place: int) -> None:
            self.take(chosen, filled, self.key(value), column, least, last)

        self.visit(row, use, 0, self.batches)
        cute.arch.sync_threads()
        count = cute.make_rmem_tensor(1, Int32)
        count[0] = cute.where(row.lane == 0, filled[0], Int32(0))
        self.combined(row, count, _add)
        return count[0]

    @cute.jit
    def take(
        self, chosen: Tensor, filled: Tensor, key: Numeric, column: Numeric, least: Number, last: Number
    ) -> None:  # fmt: skip
        """Write an element that is not less than the last one to the next place."""
        if (key > least) | ((key == least) & (column <= last)):
            place = cute.arch.atomic_add(filled.iterator, Int32(1))
            if place < self.room:
                low = (Uint32(_ALL) - column).to(Uint64)
                chosen[place] = (key.to(Uint64) << Uint64(32)) | low

    @cute.jit
    def gather(self, row: SimpleNamespace, chosen: Tensor, filled: Tensor) -> None:
        """Read the other blocks' chosen elements."""
        if cute.const_expr(self.blocks > 1):
            first = filled[0]
            for rank in cute.range_constexpr(1, self.blocks):
                count = self.of_block(filled.iterator, rank)
                for i in cute.range(row.lane, count, self.threads):
                    chosen[first + i] = self.of_block(chosen.iterator + i, rank)
                first = first + count
            cute.arch.sync_threads()

    @cute.jit
    def sort(self, row: SimpleNamespace, chosen: Tensor, rounds: Number) -> None:
        """Sort the first 2^rounds numbers in shared memory, the greatest first: a bitonic network."""
        for outer in cute.range(1, rounds + 1):
            for inner in cute.range(outer):
                shift = outer - 1 - inner
                distance = Int32(1) << shift
                for pair in cute.range(row.lane, Int32(1) << (rounds - 1), self.threads):
                    first = (pair >> shift << (shift + 1)) + (pair & (distance - 1))
                    left, right = chosen[first], chosen[first + distance]
                    falls = (first >> outer) % 2 == 0
                    if (left < right) == falls:
                        chosen[first], chosen[first + distance] = right, left
                cute.arch.sync_threads()


class SamplesOfGreatest(GreatestOfRows):
    """A column of each row, chosen among a number of its greatest elements with the same result as by SamplesOfRows.

    The greatest elements are brought together in the first block of a cluster, which alone goes on.
    """

    def __init__(self, most: int, by_share: bool, of_any: bool, *options: Any) -> None:
        """``most``: the greatest number of elements, less than the number of columns; ``by_share``: as of
        SamplesOfRows; ``of_any``: there may be other numbers of elements, for which rows are read again and again."""
        super().__init__(most, *options)
        self.by_share, self.of_any = by_share, of_any

    @cute.kernel
    def kernel(  # pyright: ignore[reportIncompatibleVariableOverride]
        self, *tensors: Any
    ) -> None:
        """``tensors``: logits, numbers from 0 to 1, temperatures, counts, shares, if any, and the result."""
        row = self.begin(tensors[0])
        count = _of_row(tensors[3], row).to(Int32)
        if cute.const_expr(self.of_any):
            if (count > 0) & (count <= self.count):
                self.sample_of_few(row, tensors, count)
            else:
                self.sample(row, tensors, True, self.by_share)
        else:
            self.sample_of_few(row, tensors, count)
        self.leave()

    @cute.jit
    def sample_of_few(self, row: SimpleNamespace, tensors: Sequence[Any], count: Number) -> None:
        """Store a column of the row, chosen among its ``count`` greatest elements."""
        _, uniform, temperature, _, *shares, out = tensors
        chosen = self.chosen(row, count)
        if row.rank == 0:
            best = (chosen[0] >> Uint64(32)).to(Uint32)
            cute.arch.sync_threads()
            self.weigh(
                row, chosen, count, self.value(best), Float32(_LOG2E) / _of_row(temperature, row)
            )
            _, total = self.first_beyond(row, chosen, count, Uint64(_BEYOND_ALL))
            if cute.const_expr(self.by_share):
                share = _of_row(shares[0], row)
                if share < 1:
                    bound = _needed(total, share) - Uint64(1)
                    place, total = self.first_beyond(row, chosen, count, bound)
                    count = place + 1
            # In the order of columns; behind them is nothing.
            cute.arch.sync_threads()
            for i in cute.range(count + row.lane, 1 << self.rounds(count), self.threads):
                chosen[i] = Uint64(0)
            cute.arch.sync_threads()
            self.sort(row, chosen, self.rounds(count))
            place, _ = self.first_beyond(row, chosen, count, _part(total, uniform[row.row]))
            if row.lane == 0:
                column = Int32(Uint32(_ALL) - (chosen[place] >> Uint64(32)).to(Uint32))
                number = cute.where(self.is_number(best), column, Int32(-1))
                out[row.row] = number.to(out.element_type)

    @cute.jit
    def weigh(
        self, row: SimpleNamespace, chosen: Tensor, count: Number, greatest: Number, factor: Number
    ) -> None:
        """Replace elements by the distance of their columns from the greatest number, and below it their weights."""
        for i in cute.range(row.lane, count, self.threads):
            element = chosen[i]
            value = self.value((element >> Uint64(32)).to(Uint32))
            weight = _weight(value - greatest, factor)
            chosen[i] = ((element & Uint64(_ALL)) << Uint64(32)) | weight
        cute.arch.sync_threads()

    @cute.jit
    def first_beyond(self, row: SimpleNamespace, chosen: Tensor, count: Any, bound: Number) -> Any:
        """Return the first of ``count`` elements so that the sum of the weights up to it exceeds ``bound``, and that
        sum; the last one and the sum of all if there is none. Each warp finds them."""
        lane = row.lane % self.lanes
        many = cute.ceil_div(count, self.lanes)
        begin = _compiler.min(lane * many, count)
        end = _compiler.min(begin + many, count)
        mine = Uint64(0)
        for i in cute.range(begin, end):
            mine = mine + (chosen[i] & Uint64(_ALL))
        through = mine
        for step in cute.range_constexpr(self.lanes.bit_length() - 1):
            other = cute.arch.shuffle_sync_up(through, 1 << step)
            through = through + cute.where(lane >= (1 << step), other, Uint64(0))
        # The number of elements whose sums do not exceed the bound, and the weights of these and the next one.
        before, passed, reached = through - mine, Int32(0), Uint64(0)
        for i in cute.range(begin, end):
            weight = chosen[i] & Uint64(_ALL)
            is_added = before <= bound
            before = before + weight
            reached = reached + cute.where(is_added, weight, Uint64(0))
            passed = passed + cute.where(before <= bound, Int32(1), Int32(0))
        reached = cute.arch.warp_reduction(reached, _add, self.lanes)
        passed = cute.arch.warp_reduction(passed, _add, self.lanes)
        return _compiler.min(passed, count - 1), reached


class SamplesOfRows(_RowSearch):
    """A column of each row, chosen by a number from 0 to 1 and the probabilities of the row."""

    def __init__(self, by_count: bool, by_share: bool, *options: Any) -> None:
        """``by_count``, ``by_share``: whether the most probable elements are chosen from only, by a number of them, or
        by the sum of their probabilities."""
        super().__init__(*options)
        self.by_count, self.by_share = by_count, by_share

    @cute.kernel
    def kernel(self, *tensors: Any) -> None:
        """``tensors``: logits, numbers from 0 to 1, temperatures, then counts and shares, if any, and the result."""
        self.sample(self.begin(tensors[0]), tensors, self.by_count, self.by_share)
        self.leave()


def _add(first: Number, second: Number) -> Any:
    return first + second


def _of_row(numbers: Any, row: SimpleNamespace) -> Any:
    """Return the row's number of an array, or the number itself."""
    return numbers[row.row] if isinstance(numbers, _compiler.Tensor) else numbers


def _weight(difference: Any, factor: Any) -> Any:
    """Return the weight of an element by its difference from the greatest one."""
    power = cute.math.exp2(difference * factor, fastmath=True)
    power = cute.where(difference == 0, Float32(1), power)
    return (power * Float32(_ONE)).to(Uint32).to(Uint64)


def _needed(total: Any, share: Any) -> Any:
    """Return the least sum of weights that has a share of ``total``, at least 1."""
    exact = total.to(Float64) * cute.math.max(share, Float32(0)).to(Float64)
    needed = exact.to(Uint64)
    needed = needed + cute.where(needed.to(Float64) < exact, Uint64(1), Uint64(0))
    return _compiler.max(_compiler.min(needed, total), Uint64(1))


def _part(total: Any, uniform: Any) -> Any:
    """Return the part ``uniform`` of ``total``, rounded down, and less than all."""
    before = (total.to(Float64) * uniform.to(Float64)).to(Uint64)
    return _compiler.min(before, total - Uint64(1))


def _one_if(condition: Number) -> Any:
    return cute.where(condition, Uint32(1), Uint32(0))
