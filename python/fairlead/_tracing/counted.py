"""The numbers of a run-time range one by one, for loops that do not run to its end."""

from __future__ import annotations

import functools
import operator
from collections.abc import Sequence
from typing import Any

from fairlead import _compiler
from fairlead._tracing import language
from fairlead._tracing.carry import scalar_type


class Counted:
    """A range as a count of iterations and the number of each.

    Counts are without a sign and as wide as the bounds, so that every distance of two numbers fits, and a number is
    reached by arithmetic that wraps: the range may go up to the last number of its type.

    Attributes:
        count: how many numbers there are. A step of 0 that only the run knows has none.
        first: the count before the first iteration, a 0 of the same type.
    """

    def __init__(self, numbers: language.range) -> None:
        bounds = numbers.start, numbers.stop, numbers.step
        if not all(_is_integer(bound) for bound in bounds) or numbers.step == 0:
            # Refuses them as every run-time loop does.
            _compiler.for_loop(*bounds, [], [], lambda variable, leaves: [])
        self._type = _promoted(bounds)
        self._bits = getattr(_compiler, f"Uint{max(8, self._type.width)}")
        self._start, stop, self._step = map(self._number, bounds)
        self.first = self._bits(0)
        if all(type(bound) is int for bound in bounds):
            self.count = self._bits(len(range(*bounds)))
            return
        self.count = self._counted(stop, numbers.step)

    def _number(self, bound: object) -> Any:
        return self._type(bound)

    def _counted(self, stop: object, step: int | _compiler.Numeric) -> Any:
        up = self._bits(stop) - self._bits(self._start)
        down = self._bits(self._start) - self._bits(stop)
        size = self._bits(self._step)
        if isinstance(step, int):
            back, some = step < 0, True
        else:
            back = step < 0 if type(step).signed else False
            some = step != 0
        way = _chosen(back, down, up)
        size = _chosen(back, self._bits(0) - size, size)
        ahead = _chosen(back, self._start > stop, self._start < stop) & some
        return _compiler.conditional(
            ahead, lambda: [(way - 1) // size + 1], lambda: [self._bits(0)]
        )[0]

    def number(self, count: object) -> Any:
        """The number of the iteration that so many are ahead of."""
        return self._type(self._bits(self._start) + count * self._bits(self._step))


def _is_integer(bound: object) -> bool:
    return type(bound) is int or (isinstance(bound, _compiler.Numeric) and type(bound).is_integer)


def _promoted(bounds: tuple[Any, ...]) -> Any:
    """The type that the bounds meet in; Python numbers take the others'."""
    typed = [type(bound)(0) for bound in bounds if isinstance(bound, _compiler.Numeric)]
    if not typed:
        return max((scalar_type(bound) for bound in bounds), key=lambda kind: kind.width)
    return type(functools.reduce(operator.add, typed))


def _chosen(
    condition: bool | _compiler.Numeric, first: Sequence[Any], second: tuple[Any, ...]
) -> Any:
    if isinstance(condition, bool):
        return first if condition else second
    return _compiler.conditional(condition, lambda: [first], lambda: [second])[0]
