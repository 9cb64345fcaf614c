"""Exact fractions, for arithmetic on layouts of elements that are part of others."""

from __future__ import annotations

import math
from typing import Any

from fairlead.errors import make_error

__all__ = ["Ratio"]


class Ratio:
    """``numerator / denominator``, kept as it is written; equal to its reduced form.

    One that is a whole number stands for it where layouts take integers; others are refused there: extents and strides
    are whole. For arithmetic with other fractions there is ``fractions.Fraction``.

    Raises:
        TypeError: the numbers are no ints.
        ZeroDivisionError: the denominator is 0.
    """

    __slots__ = ("denominator", "numerator")

    def __init__(self, numerator: int, denominator: int) -> None:
        for number in (numerator, denominator):
            if not isinstance(number, int) or isinstance(number, bool):
                raise make_error("LayoutMode", expected="integers for a Ratio", got=repr(number))
        if denominator == 0:
            raise ZeroDivisionError(f"Ratio({numerator}, 0)")
        self.numerator, self.denominator = numerator, denominator

    def is_integral(self) -> bool:
        """True where it is a whole number."""
        return self.numerator % self.denominator == 0

    def reduced(self) -> Ratio:
        """Return the ratio in lowest terms, with a positive denominator."""
        factor = math.gcd(self.numerator, self.denominator)
        factor = -factor if self.denominator < 0 else factor
        return Ratio(self.numerator // factor, self.denominator // factor)

    def to(self, dtype: object) -> Any:
        """Return the ratio as a ``Ratio``, a ``float`` or an ``int``, which rounds down.

        Raises TypeError for another ``dtype``.
        """
        if dtype is Ratio:
            return self
        if dtype is float:
            return self.numerator / self.denominator
        if dtype is int:
            return self.numerator // self.denominator
        raise make_error("LayoutMode", expected="Ratio, float or int for Ratio.to", got=repr(dtype))

    def __mul__(self, other: object) -> Ratio:
        if isinstance(other, Ratio):
            return Ratio(self.numerator * other.numerator, self.denominator * other.denominator)
        if isinstance(other, int):
            return Ratio(self.numerator * other, self.denominator)
        return NotImplemented

    __rmul__ = __mul__

    def __index__(self) -> int:
        if not self.is_integral():
            raise make_error("LayoutMode", expected="whole numbers", got=repr(self))
        return self.numerator // self.denominator

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Ratio):
            return self.numerator * other.denominator == other.numerator * self.denominator
        if isinstance(other, int):
            return self.numerator == other * self.denominator
        return NotImplemented

    def __hash__(self) -> int:
        least = self.reduced()
        return hash(
            least.numerator if least.denominator == 1 else (least.numerator, least.denominator)
        )

    def __repr__(self) -> str:
        return f"Ratio({self.numerator}, {self.denominator})"

    def __str__(self) -> str:
        return f"{self.numerator}/{self.denominator}"
