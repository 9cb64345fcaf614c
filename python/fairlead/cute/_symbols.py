"""Symbolic integers: extents and strides of which compile knows only that they are equal or divisible."""

from __future__ import annotations

from fairlead.errors import make_error

__all__ = ["SymInt", "sym_int", "sym_int32", "sym_int64"]


class SymInt:
    """An integer with one value per call. The same object, or the same name, in several places means that those are
    equal. Immutable.

    Args:
        width: bits of the value in the compiled program, 32 or 64.
        divisibility: every value is a multiple of it; the call checks it.
        symbol: its name in signatures, a Python identifier; default n0, n1, ... in the order of a signature.
    """

    __slots__ = ("_divisibility", "_symbol", "_width")

    def __init__(
        self, width: int = 32, divisibility: int = 1, *, symbol: str | None = None
    ) -> None:
        if width not in (32, 64):
            raise make_error(
                "SymbolArgument", what="a width of", expected="32 or 64", got=repr(width)
            )
        if isinstance(divisibility, bool) or not isinstance(divisibility, int) or divisibility < 1:
            raise make_error(
                "SymbolArgument",
                what="a divisibility of",
                expected="1 or more",
                got=repr(divisibility),
            )
        if divisibility >= 2**63:
            raise make_error(
                "SymbolArgument",
                what="a divisibility of",
                expected=f"at most {2**63 - 1}",
                got=divisibility,
            )
        if symbol is not None and not (isinstance(symbol, str) and symbol.isidentifier()):
            raise make_error(
                "SymbolArgument", what="a name", expected="that is an identifier", got=repr(symbol)
            )
        self._width, self._divisibility, self._symbol = width, divisibility, symbol

    @property
    def width(self) -> int:
        """Bits of the integer: 32 or 64."""
        return self._width

    @property
    def divisibility(self) -> int:
        """Every value is a multiple of this number."""
        return self._divisibility

    @property
    def symbol(self) -> str | None:
        """The name, or None."""
        return self._symbol

    def __repr__(self) -> str:
        notes = (["i64"] if self.width == 64 else []) + (
            [f"div={self.divisibility}"] if self.divisibility > 1 else []
        )
        return "?{" + " ".join(notes) + "}" if notes else "?"


def sym_int(width: int = 32, divisibility: int = 1, *, symbol: str | None = None) -> SymInt:
    """A symbol: an integer that may differ from call to call, and is the same wherever it appears in one call.

    Args:
        width: 32 or 64, its bits.
        divisibility: every value must be a multiple of it.
        symbol: its name in signatures and messages; symbols of one name are the same integer.

    Raises ValueError for another width, or a divisibility below 1.
    """
    return SymInt(width, divisibility, symbol=symbol)


def sym_int32(divisibility: int = 1, *, symbol: str | None = None) -> SymInt:
    """A symbol of 32 bits; ``divisibility`` and ``symbol`` as in sym_int."""
    return SymInt(32, divisibility, symbol=symbol)


def sym_int64(divisibility: int = 1, *, symbol: str | None = None) -> SymInt:
    """A symbol of 64 bits; ``divisibility`` and ``symbol`` as in sym_int."""
    return SymInt(64, divisibility, symbol=symbol)
