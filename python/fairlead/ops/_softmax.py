"""The softmax of rows that come tile by tile: maxima and sums are kept while tiles go by."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from fairlead import _compiler, cute
from fairlead._compiler import Boolean, Float32, Int32
from fairlead.cute._types import Number

__all__ = [
    "HEADROOM",
    "Extras",
    "OnlineSoftmax",
    "Window",
    "by_rows",
    "finite",
    "of_four_lanes",
    "result_and_extras",
]


#: By so many powers of two may a row's greatest score exceed the base of its powers (OnlineSoftmax.grow).
HEADROOM = 8
#: The greatest power of two that a sink adds to a sum of powers; of the least one, the reciprocal is finite.
_GREATEST_SINK, _LEAST_SINK = 126, -126


class Extras(NamedTuple):
    """Arrays beside Q, K, V and the result, or None: a logit of each head that has no key, the logarithms of the sums
    of powers of queries, and the slopes of ALiBi, (heads) or (batch, heads)."""

    sinks: Any = None
    logs: Any = None
    slopes: Any = None

    def sink(self, head: Number) -> Any:
        """Return the logit of a head, or None."""
        return None if self.sinks is None else self.sinks[head]

    def slope(self, batch: Number, head: Number) -> Any:
        """Return the slope of a head, or None."""
        if self.slopes is None:
            return None
        return self.slopes[head] if len(self.slopes.shape) == 1 else self.slopes[batch, head]


def result_and_extras(
    others: Sequence[Any], with_sinks: bool, with_slopes: bool = False
) -> tuple[Any, Extras]:
    """Return the result and the extras among a kernel's arguments: the sinks, if any, the slopes, if any, the result,
    and the logarithms, if they are stored."""
    out, *logs = others[with_sinks + with_slopes :]
    sinks, slopes = others[0] if with_sinks else None, others[with_sinks] if with_slopes else None
    return out, Extras(sinks, logs[0] if logs else None, slopes)


class Window(NamedTuple):
    """The keys that a query sees: those from ``place - left`` to ``place + right``, where the place of query i is
    ``i + keys - queries``. None: no limit on that side."""

    left: int | None = None
    right: int | None = None

    @classmethod
    def of(cls, causal: bool | Window) -> Window:
        """Return the window of causal attention, that of all keys, or the argument."""
        if isinstance(causal, Window):
            return causal
        return cls(None, 0) if causal else cls()

    def begin(self, place: Number) -> Any:
        """Return the first key that a query sees."""
        if self.left is None:
            return Int32(0)
        return _compiler.max(place - self.left, Int32(0))

    def end(self, place: Number, keys: Number) -> Any:
        """Return the number of the key behind the last one that a query sees; it may be negative."""
        if self.right is None:
            return Int32(keys)
        return _compiler.min(keys, place + (self.right + 1))

    def queries(self, first: Number, count: int, queries: Number, ahead: Number) -> tuple[Any, Any]:
        """Return the first query that sees one of ``count`` keys from ``first`` on, and the one behind the last. The
        second may be less than the first. ``ahead``: the place of query 0."""
        begin, end = Int32(0), Int32(queries)
        if self.right is not None:
            begin = _compiler.max(first - self.right - ahead, Int32(0))
        if self.left is not None:
            end = _compiler.min(end, first + (count + self.left) - ahead)
        return begin, end


def by_rows(tensor: _compiler.Tensor) -> Any:
    """An accumulator ((2, 2, ...), m, n) as (rows, columns) that the thread holds."""
    (first, second, *rest), m, n = tensor.layout.shape
    (step, down, *along), m_step, n_step = tensor.layout.stride
    layout = cute.make_layout(
        ((second, m), (first, *rest, n)), stride=((down, m_step), (step, *along, n_step))
    )
    return cute.make_tensor(tensor.iterator, layout)


def of_four_lanes(value: Number, combine: Callable[..., Any]) -> Any:
    """Lanes that hold one row of an accumulator combine their values."""
    for distance in (2, 1):
        value = combine(value, cute.arch.shuffle_sync_bfly(value, offset=distance))
    return value


def finite(base: object) -> Any:
    """Return the base of a row, 0 for rows without a key so far: infinities have no difference."""
    return cute.where(base == -Float32.inf, Float32(0), base)


class OnlineSoftmax:
    """``exp(scale * x)``. ``greatest`` (or ``base``) and ``total`` have an element for each row of the thread: the
    greatest score so far, and the thread's part of the sum of the powers."""

    #: By so many powers of two are powers, and their sums, greater.
    lift = 0

    def __init__(self, scale: float, softcap: float = 0.0) -> None:
        """``softcap``: the scores are ``softcap * tanh(scale * x / softcap)``; 0 for ``scale * x``."""
        # For powers of two; not 0, which would change infinities.
        self.scale = max(abs(softcap or scale) * math.log2(math.e), 1e-30)
        self.negative = scale < 0
        self.inner_scale = abs(scale) / softcap if softcap else None

    def turn(self, scores: _compiler.Tensor) -> None:
        """Make the greatest score that of the greatest power: negate scores of negative scales; and cap scores."""
        if self.negative:
            scores.store(-scores.load())
        if self.inner_scale is not None:
            # tanh(x) = 1 - 2 / (exp(2 x) + 1)
            powers = cute.math.exp2(
                scores.load() * (2 * math.log2(math.e) * self.inner_scale), fastmath=True
            )
            scores.store(1.0 - 2.0 * cute.math.rcp(powers + 1.0, approx=True))

    def mask(
        self,
        scores: _compiler.Tensor,
        places: _compiler.Tensor,
        limits: Sequence[Any],
        first: Number,
        window: Window,
    ) -> None:
        """Scores of keys that are not there, or not seen, become -inf. ``limits``: the number of keys, and the place of
        row 0 among them; ``first``: the first key of the tile; ``places``: (row, key) of each score."""
        rows = by_rows(scores)
        keys, origin = limits
        for row in range(cute.size(rows, mode=[0])):
            place, key = origin + places[row, 0][0], places[row, 0][1]
            # Differences of the thread's keys are constants: no register holds the number of a key.
            limit = window.end(place, keys) - first - key
            least = window.begin(place) - first - key
            for column in range(cute.size(rows, mode=[1])):
                is_seen = places[row, column][1] - key < limit
                if window.left is not None:
                    is_seen = is_seen & (places[row, column][1] - key >= least)
                rows[row, column] = cute.where(is_seen, rows[row, column], -Float32.inf)

    def per_key(self, slope: Number) -> Any:
        """Return how much the distance of one key lowers a score, after ``turn``."""
        return slope * (math.log2(math.e) / self.scale)

    def lower(
        self, scores: _compiler.Tensor, keys: _compiler.Tensor, row_places: Sequence[Any], slopes: Sequence[Any]
    ) -> None:  # fmt: skip
        """Lower scores by the distances of their keys (ALiBi). ``keys``: (row, key) of each score; ``row_places`` and
        ``slopes``: of each row of the thread, the number of the key whose distance is 0, and the slope."""
        rows = by_rows(scores)
        for row in range(cute.size(rows, mode=[0])):
            key = keys[row, 0][1]
            # Differences of the thread's keys are constants.
            distance, factor = Float32(row_places[row] - key), -self.per_key(slopes[row])
            for column in range(cute.size(rows, mode=[1])):
                apart = cute.math.abs(distance - Float32(keys[row, column][1] - key))
                rows[row, column] = cute.math.fma(factor, apart, rows[row, column])

    def lower_one_side(
        self, scores: _compiler.Tensor, keys: _compiler.Tensor, row_places: Sequence[Any], slope: Number,
        shifts: _compiler.Tensor,
    ) -> None:  # fmt: skip
        """Lower scores as ``lower`` does, of keys that are all before the rows' places; of keys behind them if the
        slope is negated. What all of the thread's scores of a row have in common is left to ``shifts``, for
        ``update``: it takes one operation for each score."""
        rows, factor = by_rows(scores), self.per_key(slope)
        for row in range(cute.size(rows, mode=[0])):
            key = keys[row, 0][1]
            shifts[row] = factor * Float32(key - row_places[row])
            for column in range(cute.size(rows, mode=[1])):
                step = Float32(keys[row, column][1] - key)
                rows[row, column] = cute.math.fma(factor, step, rows[row, column])

    def update(
        self, scores: _compiler.Tensor, greatest: _compiler.Tensor, total: _compiler.Tensor,
        shifts: _compiler.Tensor | None = None,
    ) -> list[Any]:  # fmt: skip
        """Scores, each plus the shift of its row, become powers of their distance to the row's greatest one; what sums
        so far are multiplied with."""
        rows, factors = by_rows(scores), []
        for row in range(cute.size(rows, mode=[0])):
            values = rows[row, None].load()
            best = values.reduce(cute.ReductionOp.MAX, -Float32.inf, 0)
            if shifts is not None:
                best = best + shifts[row]
            best = cute.arch.fmax(greatest[row], of_four_lanes(best, cute.arch.fmax))
            base = finite(best) * self.scale
            factor = cute.math.exp2(greatest[row] * self.scale - base, fastmath=True)
            if shifts is not None:
                base = base - shifts[row] * self.scale
            powers = cute.math.exp2(values * self.scale - base, fastmath=True)
            total[row] = total[row] * factor + powers.reduce(cute.ReductionOp.ADD, 0.0, 0)
            greatest[row] = best
            rows[row, None].store(powers)
            factors.append(factor)
        return factors

    def grow(self, scores: _compiler.Tensor, base: _compiler.Tensor) -> Any:
        """Raise the bases of rows, ``base``, to their greatest scores, but only if powers would exceed 2 ** HEADROOM.
        Sums need scaling only if a base grows, which is rare after the first tiles. Return True if the base of one of
        the thread's rows has grown."""
        rows, grown = by_rows(scores), Boolean(False)
        for row in range(cute.size(rows, mode=[0])):
            best = rows[row, None].load().reduce(cute.ReductionOp.MAX, -Float32.inf, 0)
            best = of_four_lanes(best, cute.arch.fmax)
            grows = best > base[row] + HEADROOM / self.scale
            base[row] = cute.where(grows, best, base[row])
            grown = grown | grows
        return grown

    def factor(self, before: object, base: object) -> Any:
        """Return the factor that turns sums of powers of ``before`` into those of ``base``."""
        return cute.math.exp2((before - finite(base)) * self.scale, fastmath=True)

    def powers(
        self, scores: _compiler.Tensor, base: _compiler.Tensor, total: _compiler.Tensor
    ) -> None:
        """Scores become powers of their distance to the row's base, which are added to ``total``."""
        rows = by_rows(scores)
        for row in range(cute.size(rows, mode=[0])):
            start = finite(base[row]) * self.scale
            powers = cute.math.exp2(rows[row, None].load() * self.scale - start, fastmath=True)
            total[row] = total[row] + powers.reduce(cute.ReductionOp.ADD, 0.0, 0)
            rows[row, None].store(powers)

    def start(self, base: object) -> Any:
        """Return the power of two that powers of ``base`` are distances to."""
        return finite(base) * self.scale

    def with_sink(self, total: Number, start: Number, sink: Number | None) -> Any:
        """Return the sum of the powers of a row, which are distances to 2 ** ``start``, and of its sink, if that is not
        None. A sink that is much greater adds less; the sum's logarithm is the sink then. A sink that is much less adds
        nothing."""
        if sink is None:
            return total
        exponent = sink * math.log2(math.e) - start + self.lift
        exponent = cute.where(exponent > _GREATEST_SINK, Float32(_GREATEST_SINK), exponent)
        exponent = cute.where(exponent < _LEAST_SINK, -Float32.inf, exponent)
        return total + cute.math.exp2(exponent, fastmath=True)

    def logarithm(self, total: Number, start: Number, sink: Number | None) -> Any:
        """Return the natural logarithm of the sum of the powers of a row; arguments as of ``with_sink``."""
        log = start + cute.math.log2(total) - self.lift
        natural = cute.where(total == 0, -Float32.inf, log * math.log(2))
        return natural if sink is None else cute.where(natural < sink, sink, natural)

    def finish(
        self, sums: _compiler.Tensor, total: _compiler.Tensor, base: _compiler.Tensor, gain: Number | None = None,
        sink: Number | None = None,
    ) -> None:  # fmt: skip
        """Divide the rows of sums by the sums of their powers, which ``total`` holds then; rows without a key are 0.
        Multiply them by ``gain``. ``base``: the greatest scores."""
        for row in range(cute.size(sums, mode=[0])):
            total[row] = of_four_lanes(total[row], lambda a, b: a + b)
            total[row] = self.with_sink(total[row], self.start(base[row]), sink)
            factor = cute.where(total[row] == 0, Float32(0), 1.0 / total[row])
            if gain is not None:
                factor = factor * gain
            sums[row, None].store(sums[row, None].load() * factor)

    @cute.jit
    def store_logs(
        self, logs: _compiler.Tensor, places: _compiler.Tensor, first: Number, end: Number,
        base: _compiler.Tensor, total: _compiler.Tensor, sink: Number | None = None,
    ) -> None:  # fmt: skip
        """Store the natural logarithms of the sums of exp(scale * x) of the thread's rows, after ``finish``; -inf for
        rows without a key.

        Args:
            logs: a number for each query.
            places: (row, column) of the thread's elements of a tile.
            first: the query of row 0.
            end: the number of queries.
        """
        for row in cute.range_constexpr(cute.size(total)):
            along, across = places[row, 0]
            natural = self.logarithm(total[row], self.start(base[row]), sink)
            # Four lanes have the sum; one of them has the first columns.
            if (first + along < end) & (across == 0):
                logs[first + along] = natural
