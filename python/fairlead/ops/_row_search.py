"""Kernels that find elements of rows of any length by counts, by sums of probabilities and by place.

Each looks for a threshold by two bits at a time: it adds the weights of all elements beyond three candidates, which
takes one reading of the row. Weights are integers, so results depend on no order.
"""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from fairlead import _compiler, cute
from fairlead._compiler import Boolean, Float32, Float64, Int32, Numeric, Uint16, Uint32, Uint64
from fairlead.cute._types import Number

if TYPE_CHECKING:
    from fairlead._compiler import Tensor

__all__ = ["GreatestOfRows", "SamplesOfRows"]

_LOG2E = 1.4426950408889634
_ALL = 0xFFFFFFFF
_ONE = float(1 << 31)  # the weight of the most probable element


class _RowSearch:
    """A block for each row, ``threads`` threads that read ``width`` neighbours at a time."""

    kernel: Any

    def __init__(
        self, dtype: type[_compiler.Numeric], columns: int, width: int, threads: int
    ) -> None:
        self.dtype, self.columns, self.width, self.threads = dtype, columns, width, threads
        self.steps = -(-columns // (width * threads))
        self.lanes = min(threads, 32)
        self.warps = threads // self.lanes
        # Keys are unsigned numbers in the order of the elements, with as many bits.
        self.bits = dtype.width
        self.sign, self.mask = 1 << (self.bits - 1), (1 << self.bits) - 1
        of_exponent = {"Float16": 0x7C00, "BFloat16": 0x7F80, "Float32": 0x7F800000}
        self.infinity = of_exponent[dtype.__name__]
        self.unsigned = Uint16 if self.bits == 16 else Uint32

    @cute.jit
    def __call__(self, *tensors: cute.Tensor) -> None:
        self.kernel(*tensors).launch(
            grid=(tensors[0].shape[0], 1, 1), block=(self.threads, 1, 1)
        )  # fmt: skip

    def begin(self, x: Tensor) -> SimpleNamespace:
        """Return what all readings of the row of a block need."""
        lane, _, _ = cute.arch.thread_idx()
        row, _, _ = cute.arch.block_idx()
        scratch = cute.SmemAllocator().allocate_tensor(
            Uint64, cute.make_layout((self.warps, 3), stride=(1, self.warps)), 16
        )
        return SimpleNamespace(x=x, row=row, lane=lane, scratch=scratch)

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

    @cute.jit
    def combined(
        self, row: SimpleNamespace, totals: Tensor, combine: Callable[[Any, Any], Any]
    ) -> None:
        """Make ``totals`` those of all threads."""
        if cute.const_expr(self.threads > 1):
            count = cute.size(totals)
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

    @cute.jit
    def visit(
        self, row: SimpleNamespace, totals: Tensor, terms: Callable[[Any, Any], Any],
        combine: Callable[[Any, Any], Any],
    ) -> None:  # fmt: skip
        """Combine ``terms(element, column)`` of the thread's elements with ``totals``."""
        piece = cute.make_rmem_tensor(self.width, self.dtype)
        for step in cute.range(self.steps):
            column = (step * self.threads + row.lane) * self.width
            if column < self.columns:
                offset = cute.Int64(row.row) * row.x.stride[0] + column
                pointer = row.x.iterator + cute.assume(offset, divby=self.width)
                cute.autovec_copy(cute.make_tensor(pointer, cute.make_layout(self.width)), piece)
                for i in cute.range_constexpr(self.width):
                    of_element = terms(piece[i], Uint32(column + i))
                    for j in cute.range_constexpr(len(of_element)):
                        totals[j] = combine(totals[j], of_element[j])

    @cute.jit
    def read(
        self, row: SimpleNamespace, totals: Tensor, terms: Callable[[Any, Any], Any],
        combine: Callable[[Any, Any], Any],
    ) -> None:  # fmt: skip
        """Read the row once, and combine ``terms(element, column)`` of all elements with ``totals``."""
        self.visit(row, totals, terms, combine)
        self.combined(row, totals, combine)

    def totals(
        self, row: SimpleNamespace, number: type[Any], count: int, weights: Callable[[Any, Any], list[Any]]
    ) -> Any:  # fmt: skip
        """Return ``count`` sums of the weights of all elements."""
        totals = cute.make_rmem_tensor(count, number)
        totals.fill(0)
        self.read(row, totals, weights, _add)
        return tuple(totals[i] for i in range(count))

    def total(
        self, row: SimpleNamespace, number: type[Any], weight: Callable[[Any, Any], Any]
    ) -> Any:
        """Return the sum of the weights of all elements."""
        return self.totals(row, number, 1, lambda value, column: [weight(value, column)])[0]

    @cute.jit
    def search(
        self, row: SimpleNamespace, number: cute.Constexpr, bits: cute.Constexpr[int],
        weight: Callable[[Any, Any, Any], Any], is_beyond: Callable[[Any], Any],
    ) -> Any:  # fmt: skip
        """Return the greatest threshold of ``bits`` bits whose sum is beyond, if all sums of smaller ones are.

        Args:
            number: the type of the sums.
            weight: of (element, column, threshold).
            is_beyond: of a sum.
        """
        found = Uint32(0)
        turns = -(-bits // 2)
        for turn in cute.range(turns):
            shift = Uint32(2 * (turns - 1) - 2 * turn)
            candidates = [found + (Uint32(j) << shift) for j in (1, 2, 3)]
            totals = cute.make_rmem_tensor(3, number)
            totals.fill(0)
            terms = lambda value, column: [  # noqa: E731
                weight(value, column, candidate) for candidate in candidates
            ]
            self.read(row, totals, terms, _add)
            for j in cute.range_constexpr(3):
                found = cute.where(is_beyond(totals[j]), candidates[j], found)
        return found

    def place_of(
        self, row: SimpleNamespace, number: type[Any], weight: Callable[[Any, Any], Any],
        is_beyond: Callable[[Any], Any],
    ) -> Any:  # fmt: skip
        """Return the greatest column so that the sum of the weights before it is beyond."""
        before = lambda value, column, end: cute.where(  # noqa: E731
            column < end, weight(value, column), number(0)
        )
        return self.search(row, number, max((self.columns - 1).bit_length(), 1), before, is_beyond)

    @cute.jit
    def greatest(self, row: SimpleNamespace, count: Number) -> Any:
        """Return the key and the column of the last of the ``count`` greatest elements, whose first ones are before
        equal ones behind them."""
        at_least = lambda value, column, key: _one_if(self.key(value) >= key)  # noqa: E731
        least = self.search(row, Uint32, self.bits, at_least, lambda total: total >= count)
        last = Uint32(_ALL)

        def is_equal(value: Numeric, column: Number) -> Any:
            return _one_if(self.key(value) == least)

        above, equal = self.totals(
            row, Uint32, 2,
            lambda value, column: [_one_if(self.key(value) > least), is_equal(value, column)],
        )  # fmt: skip
        ties = count - above
        if equal > ties:
            last = self.place_of(row, Uint32, is_equal, lambda total: total < ties)
        return least, last


class GreatestOfRows(_RowSearch):
    """The ``count`` greatest elements of rows, and their columns, in order.

    If there are as many threads, the greatest elements of that many threads are a bound, which few elements reach. If
    those have no room in shared memory, a search finds the exact bound.
    """

    def __init__(self, count: int, *options: Any) -> None:
        super().__init__(*options)
        self.count = count
        self.has_bound = 1 < self.threads and count <= self.threads
        self.room = 1 << max(count - 1, 1).bit_length()
        if self.has_bound:
            self.room = max(self.room, 2 * self.threads)

    @cute.kernel
    def kernel(self, x: cute.Tensor, values: cute.Tensor, columns: cute.Tensor) -> None:
        row = self.begin(x)
        memory = cute.SmemAllocator()
        # An element's key, and below it the distance of its column from the greatest number: the order of the result.
        chosen = memory.allocate_tensor(Uint64, cute.make_layout(self.room), 16)
        filled = memory.allocate_tensor(Int32, cute.make_layout(1), 16)
        is_done = Boolean(False)
        if cute.const_expr(self.has_bound):
            bound = self.bound(row, chosen, filled)
            self.collect(row, chosen, filled, bound, Uint32(_ALL))
            cute.arch.sync_threads()
            is_done = filled[0] <= self.room
            cute.arch.sync_threads()
        if not is_done:
            self.clear(row, chosen, filled)
            least, last = self.greatest(row, Uint32(self.count))
            cute.arch.sync_threads()
            self.collect(row, chosen, filled, least, last)
            cute.arch.sync_threads()
        self.sort(row, chosen)
        for i in cute.range(row.lane, self.count, self.threads):
            column = Int32(Uint32(_ALL) - (chosen[i] & Uint64(_ALL)).to(Uint32))
            values[row.row, i] = x[row.row, column]
            columns[row.row, i] = column.to(columns.element_type)

    @cute.jit
    def clear(self, row: SimpleNamespace, chosen: Tensor, filled: Tensor) -> None:
        for i in cute.range(row.lane, self.room, self.threads):
            chosen[i] = Uint64(0)
        if row.lane == 0:
            filled[0] = Int32(0)

    @cute.jit
    def bound(self, row: SimpleNamespace, chosen: Tensor, filled: Tensor) -> Any:
        """Return a key that ``count`` elements reach, of as many threads. ``chosen`` and ``filled`` are empty then."""
        self.clear(row, chosen, filled)
        best = cute.make_rmem_tensor(1, Uint32)
        best.fill(0)
        self.visit(row, best, lambda value, column: [self.key(value)], _compiler.max)
        cute.arch.sync_threads()
        chosen[row.lane] = best[0].to(Uint64)
        cute.arch.sync_threads()
        self.sort(row, chosen)
        bound = chosen[self.count - 1].to(Uint32)
        cute.arch.sync_threads()
        self.clear(row, chosen, filled)
        cute.arch.sync_threads()
        return bound

    @cute.jit
    def collect(
        self, row: SimpleNamespace, chosen: Tensor, filled: Tensor, least: Number, last: Number
    ) -> None:
        """Write the chosen elements to shared memory, in any order, as many as it has room for; count all of them."""
        none = cute.make_rmem_tensor(1, Uint32)
        take = lambda value, column: self.take(  # noqa: E731
            chosen, filled, self.key(value), column, least, last
        )
        self.visit(row, none, take, _add)

    @cute.jit
    def take(
        self, chosen: Tensor, filled: Tensor, key: Numeric, column: Numeric, least: Number, last: Number
    ) -> Any:  # fmt: skip
        """Write an element that is not less than the last one to the next place; return no terms of a sum."""
        if (key > least) | ((key == least) & (column <= last)):
            place = cute.arch.atomic_add(filled.iterator, Int32(1))
            if place < self.room:
                low = (Uint32(_ALL) - column).to(Uint64)
                chosen[place] = (key.to(Uint64) << Uint64(32)) | low
        return []

    @cute.jit
    def sort(self, row: SimpleNamespace, chosen: Tensor) -> None:
        """Sort numbers in shared memory, the greatest first: a bitonic network."""
        for outer in cute.range(1, self.room.bit_length()):
            for inner in cute.range(outer):
                distance = Int32(1) << (outer - 1 - inner)
                for pair in cute.range(row.lane, self.room // 2, self.threads):
                    first = pair // distance * distance * 2 + pair % distance
                    left, right = chosen[first], chosen[first + distance]
                    falls = (first >> outer) % 2 == 0
                    if (left < right) == falls:
                        chosen[first], chosen[first + distance] = right, left
                cute.arch.sync_threads()


class SamplesOfRows(_RowSearch):
    """A column of each row, chosen by a number from 0 to 1 and the probabilities of the row."""

    def __init__(self, by_count: bool, by_share: bool, *options: Any) -> None:
        """``by_count``, ``by_share``: whether the most probable elements are chosen from only, by a number of them, or
        by the sum of their probabilities."""
        super().__init__(*options)
        self.by_count, self.by_share = by_count, by_share

    @cute.kernel
    def kernel(self, *tensors: cute.Tensor) -> None:
        """``tensors``: logits, numbers from 0 to 1, temperatures, then counts and shares, if any, and the result."""
        x, uniform, temperature, *limits, out = tensors
        row = self.begin(x)
        best = cute.make_rmem_tensor(1, Uint32)
        best.fill(0)
        self.read(row, best, lambda value, column: [self.key(value)], _compiler.max)
        greatest = self.value(best[0])
        # Without a temperature, only elements that are equal to the greatest one have a probability.
        factor = Float32(_LOG2E) / temperature[row.row]

        def weight(value: Numeric) -> Any:
            difference = value.to(Float32) - greatest
            power = cute.math.exp2(difference * factor, fastmath=True)
            power = cute.where(difference == 0, Float32(1), power)
            return (power * Float32(_ONE)).to(Uint32).to(Uint64)

        least, last = Uint32(0), Uint32(_ALL)
        if cute.const_expr(self.by_count):
            count = limits[0][row.row].to(Int32)
            if (count > 0) & (count < self.columns):
                least, last = self.greatest(row, Uint32(count))
        if cute.const_expr(self.by_share):
            share = limits[-1][row.row]
            if share < 1:
                least, last = self.of_share(row, weight, share, least, last)
        kept = lambda value, column: cute.where(  # noqa: E731
            self.is_kept(value, column, least, last), weight(value), Uint64(0)
        )
        total = self.total(row, Uint64, kept)
        before = (total.to(Float64) * uniform[row.row].to(Float64)).to(Uint64)
        before = _compiler.min(before, total - Uint64(1))
        column = self.place_of(row, Uint64, kept, lambda sum_: sum_ <= before)
        if row.lane == 0:
            is_number = (best[0] < Uint32(self.infinity | self.sign)) & (
                best[0] > Uint32(self.infinity ^ (self.sign - 1))
            )
            number = cute.where(is_number, Int32(column), Int32(-1))
            out[row.row] = number.to(out.element_type)

    def is_kept(self, value: Numeric, column: Number, least: Number, last: Number) -> Any:
        """Return whether an element is not less than the last one that is kept."""
        key = self.key(value)
        return (key > least) | ((key == least) & (column <= last))

    @cute.jit
    def of_share(
        self, row: SimpleNamespace, weight: Callable[[Any], Any], share: Number, least: Number, last: Number
    ) -> Any:  # fmt: skip
        """Return the key and the column of the last of the most probable elements, as many as have the share."""
        none = Uint64(0)

        def kept(value: Numeric, column: Number, is_counted: Number) -> Any:
            is_kept = self.is_kept(value, column, least, last) & is_counted
            return cute.where(is_kept, weight(value), none)

        total = self.total(row, Uint64, lambda value, column: kept(value, column, True))
        exact = total.to(Float64) * cute.math.max(share, Float32(0)).to(Float64)
        needed = exact.to(Uint64)
        needed = needed + cute.where(needed.to(Float64) < exact, Uint64(1), none)
        needed = _compiler.max(_compiler.min(needed, total), Uint64(1))
        at_least = lambda value, column, key: kept(value, column, self.key(value) >= key)  # noqa: E731
        found = self.search(row, Uint64, self.bits, at_least, lambda sum_: sum_ >= needed)

        def is_equal(value: Numeric, column: Number) -> Any:
            return _one_if(
                self.is_kept(value, column, least, last) & (self.key(value) == found)
            )  # fmt: skip

        def weights(value: Numeric, column: Number) -> list[Any]:
            above = kept(value, column, self.key(value) > found)
            return [above, is_equal(value, column).to(Uint64)]

        above, equal = self.totals(row, Uint64, 2, weights)
        one = _compiler.max(weight(self.value(found)), Uint64(1))
        ties = (needed - above + one - Uint64(1)) // one
        end = cute.where(found == least, last, Uint32(_ALL))
        if equal > ties:
            end = self.place_of(row, Uint32, is_equal, lambda sum_: sum_.to(Uint64) < ties)
        return found, end


def _add(first: Number, second: Number) -> Any:
    return first + second


def _one_if(condition: Number) -> Any:
    return cute.where(condition, Uint32(1), Uint32(0))
