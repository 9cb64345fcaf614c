"""The softmax of rows that come tile by tile: maxima and sums are kept while tiles go by."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from fairlead import _compiler, cute
from fairlead._compiler import Boolean, Float32
from fairlead.cute._types import Number

__all__ = ["OnlineSoftmax", "by_rows", "of_four_lanes"]


#: By so many powers of two may a row's greatest score exceed the base of its powers (OnlineSoftmax.grow).
_HEADROOM = 8


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


def _finite(base: object) -> Any:
    """0 for rows without a key so far: infinities have no difference."""
    return cute.where(base == -Float32.inf, Float32(0), base)


class OnlineSoftmax:
    """``exp(scale * x)``. ``greatest`` (or ``base``) and ``total`` have an element for each row of the thread: the
    greatest score so far, and the thread's part of the sum of the powers."""

    def __init__(self, scale: float) -> None:
        # For powers of two; not 0, which would change infinities.
        self.scale = max(abs(scale) * math.log2(math.e), 1e-30)
        self.negative = scale < 0

    def turn(self, scores: _compiler.Tensor) -> None:
        """Return the score with the greatest power: the least one for negative scales."""
        if self.negative:
            scores.store(-scores.load())

    def mask(
        self,
        scores: _compiler.Tensor,
        places: _compiler.Tensor,
        limits: Sequence[Any],
        first: Number,
        causal: bool,
    ) -> None:
        """Scores of keys that are not there, or not seen, become -inf. ``limits``: the number of keys, and the last key
        that row 0 sees; ``first``: the first key of the tile; ``places``: (row, key) of each score."""
        rows = by_rows(scores)
        keys, origin = limits
        for row in range(cute.size(rows, mode=[0])):
            limit = keys - first
            if causal:
                limit = _compiler.min(limit, origin + places[row, 0][0] + 1 - first)
            for column in range(cute.size(rows, mode=[1])):
                rows[row, column] = cute.where(
                    places[row, column][1] < limit, rows[row, column], -Float32.inf
                )

    def update(
        self, scores: _compiler.Tensor, greatest: _compiler.Tensor, total: _compiler.Tensor
    ) -> list[Any]:
        """Scores become powers of their distance to the row's greatest one; what sums so far are multiplied with."""
        rows, factors = by_rows(scores), []
        for row in range(cute.size(rows, mode=[0])):
            values = rows[row, None].load()
            best = values.reduce(cute.ReductionOp.MAX, -Float32.inf, 0)
            best = cute.arch.fmax(greatest[row], of_four_lanes(best, cute.arch.fmax))
            base = _finite(best) * self.scale
            factor = cute.math.exp2(greatest[row] * self.scale - base, fastmath=True)
            powers = cute.math.exp2(values * self.scale - base, fastmath=True)
            total[row] = total[row] * factor + powers.reduce(cute.ReductionOp.ADD, 0.0, 0)
            greatest[row] = best
            rows[row, None].store(powers)
            factors.append(factor)
        return factors

    def grow(self, scores: _compiler.Tensor, base: _compiler.Tensor) -> Any:
        """Raises the bases of rows, ``base``, to their greatest scores, but only where powers would exceed
        2 ** _HEADROOM: what was summed needs to be scaled only where a base grows, which is rare after the first tiles.
        Returns whether one of the thread's rows has grown."""
        rows, grown = by_rows(scores), Boolean(False)
        for row in range(cute.size(rows, mode=[0])):
            best = rows[row, None].load().reduce(cute.ReductionOp.MAX, -Float32.inf, 0)
            best = of_four_lanes(best, cute.arch.fmax)
            grows = best > base[row] + _HEADROOM / self.scale
            base[row] = cute.where(grows, best, base[row])
            grown = grown | grows
        return grown

    def factor(self, before: object, base: object) -> Any:
        """Return the factor that turns sums of powers of ``before`` into those of ``base``."""
        return cute.math.exp2((before - _finite(base)) * self.scale, fastmath=True)

    def powers(
        self, scores: _compiler.Tensor, base: _compiler.Tensor, total: _compiler.Tensor
    ) -> None:
        """Scores become powers of their distance to the row's base, which are added to ``total``."""
        rows = by_rows(scores)
        for row in range(cute.size(rows, mode=[0])):
            start = _finite(base[row]) * self.scale
            powers = cute.math.exp2(rows[row, None].load() * self.scale - start, fastmath=True)
            total[row] = total[row] + powers.reduce(cute.ReductionOp.ADD, 0.0, 0)
            rows[row, None].store(powers)

    def finish(self, sums: _compiler.Tensor, total: _compiler.Tensor) -> None:
        """Divides the rows of sums by the sums of their powers; rows without a key are 0."""
        for row in range(cute.size(sums, mode=[0])):
            row_sum = of_four_lanes(total[row], lambda a, b: a + b)
            factor = cute.where(row_sum > 0, 1.0 / row_sum, Float32(0))
            sums[row, None].store(sums[row, None].load() * factor)
