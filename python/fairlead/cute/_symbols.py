"""Symbolic integers: extents and strides whose values compile does not know, only that they are equal or divisible."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any, TypeGuard

from fairlead._hints import name_keywords
from fairlead.cute._types import Number
from fairlead.errors import make_error

__all__ = [
    "DerivedInt",
    "Product",
    "SymInt",
    "follows",
    "sym_int",
    "sym_int32",
    "sym_int64",
    "text_of",
    "value_of",
]


class _Arithmetic:
    """``n * 64`` is a Product; ``n // 8``, ``n % 8``, ``n + 1`` and ``n - 1`` are integers that follow from ``n``."""

    __slots__ = ()

    def __mul__(self, other: object) -> Any:
        if not _is_operand(other):
            return NotImplemented
        left, right = Product.of(self), Product.of(other)
        return Product(left.coefficient * right.coefficient, left.symbols + right.symbols)

    __rmul__ = __mul__

    def __floordiv__(self, other: object) -> Any:
        if not _is_divisor(other):
            return NotImplemented
        product = Product.of(self)
        if product.coefficient % other == 0:
            return Product(product.coefficient // other, product.symbols)
        return DerivedInt.of("//", self, other)

    def __mod__(self, other: Number) -> Any:
        if not _is_divisor(other):
            return NotImplemented
        return 0 if Product.of(self).divisibility % other == 0 else DerivedInt.of("%", self, other)

    def __add__(self, other: object) -> Any:
        if not _is_operand(other):
            return NotImplemented
        return self if isinstance(other, int) and other == 0 else DerivedInt.of("+", self, other)

    __radd__ = __add__

    def __sub__(self, other: object) -> Any:
        if not _is_operand(other):
            return NotImplemented
        return self if isinstance(other, int) and other == 0 else DerivedInt.of("-", self, other)


def _is_operand(value: object) -> bool:
    return isinstance(value, SymInt | Product) or (
        isinstance(value, int) and not isinstance(value, bool)
    )


def _is_divisor(value: object) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool) and value > 0


class SymInt(_Arithmetic):
    """An integer with one value per call. The same object, or the same name, in several places means that those are
    equal. Immutable.

    Args:
        width: bits of the value in the compiled program, 32 or 64.
        divisibility: every value is a multiple of it; the call checks it.
        symbol: its name in signatures, a Python identifier; default n0, n1, ... in the order of a signature.
    """

    __slots__ = ("_derived", "_divisibility", "_symbol", "_width")

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
        #: Results of operations on it, by operation and operands.
        self._derived: dict[Any, DerivedInt] = {}

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


class ExampleInt(SymInt):
    """The symbol of an extent or a stride of an example, whose remainders are those of the example: programs ask them
    before they compile."""

    __slots__ = ("_example",)

    def __init__(self, example: int, width: int = 32, divisibility: int = 1) -> None:
        super().__init__(width, divisibility)
        self._example = example

    @property
    def example(self) -> int:
        """The extent or stride of the example."""
        return self._example

    def __mod__(self, other: object) -> Any:
        return self._example % other if _is_divisor(other) else NotImplemented


class Product(_Arithmetic):
    """A coefficient times symbols, such as a stride of a compact layout."""

    __slots__ = ("coefficient", "symbols")

    def __init__(self, coefficient: int = 1, symbols: tuple[SymInt, ...] = ()) -> None:
        self.coefficient, self.symbols = coefficient, symbols

    @staticmethod
    def of(extent: Any) -> Product:
        """Return an int, a symbol or a product as a product."""
        if isinstance(extent, Product):
            return extent
        return Product(1, (extent,)) if isinstance(extent, SymInt) else Product(extent)

    @property
    def divisibility(self) -> int:
        """Every value is a multiple of this number."""
        return self.coefficient * math.prod(symbol.divisibility for symbol in self.symbols)

    @property
    def example(self) -> int:
        """The product for the examples of all symbols."""
        return self.coefficient * math.prod(symbol.example for symbol in self.symbols)  # type: ignore[attr-defined]

    def __repr__(self) -> str:
        if not self.symbols:
            return str(self.coefficient)
        return "?{div=" + str(self.divisibility) + "}" if self.divisibility > 1 else "?"


_OPERATIONS: dict[str, Callable[[Any, Any], Any]] = {
    "*": operator.mul,
    "//": operator.floordiv,
    "%": operator.mod,
    "+": operator.add,
    "-": operator.sub,
}


class DerivedInt(SymInt):
    """A symbol whose value follows from others, which the call checks.

    Attributes:
        operation: one of ``* // % + -``.
        operands: two, each an int, a SymInt or a Product.
    """

    __slots__ = ("operands", "operation")

    def __init__(self, operation: str, left: object, right: Any) -> None:
        symbols = [symbol for part in (left, right) for symbol in Product.of(part).symbols]
        divisors = [abs(Product.of(part).divisibility) for part in (left, right)]
        if operation == "*":
            divisibility = math.prod(divisors)
        elif operation == "//":
            divisibility = divisors[0] // right if divisors[0] % right == 0 else 1
        else:
            divisibility = math.gcd(*divisors)
        super().__init__(max(symbol.width for symbol in symbols), max(divisibility, 1))
        self.operation, self.operands = operation, (left, right)

    @staticmethod
    def of_product(product: Product) -> Any:
        """Return a product as one symbol, which an argument can bind where its factors are bound by none."""
        if len(product.symbols) == 1 and product.coefficient == 1:
            return product.symbols[0]
        return DerivedInt.of("*", product.coefficient, Product(1, product.symbols))

    @staticmethod
    def of(operation: str, left: object, right: object) -> DerivedInt:
        """Return the result of an operation, the same object for the same operands."""

        def key(part: Any) -> Any:
            return part if isinstance(part, int) else (part.coefficient, *map(id, part.symbols))

        owner = Product.of(left).symbols or Product.of(right).symbols
        place = (
            operation,
            *(key(part if isinstance(part, int) else Product.of(part)) for part in (left, right)),
        )
        results = owner[0]._derived
        if place not in results:
            results[place] = DerivedInt(operation, left, right)
        return results[place]


def follows(extent: object) -> bool:
    """True if an extent, an int, a symbol or a product, has a symbol that follows from others."""
    return any(isinstance(symbol, DerivedInt) for symbol in Product.of(extent).symbols)


def value_of(extent: object, number_of: Callable[[SymInt], Any]) -> Any:
    """Return the number that an extent is if ``number_of`` gives those of symbols; KeyError where it does for one."""
    product = Product.of(extent)
    result = product.coefficient
    for symbol in product.symbols:
        if isinstance(symbol, DerivedInt):
            parts = (value_of(part, number_of) for part in symbol.operands)
            result = _OPERATIONS[symbol.operation](*parts) * result
        else:
            result = number_of(symbol) * result
    return result


def text_of(extent: object, name_of: Callable[[SymInt], str], nested: bool = False) -> str:
    """Return an extent as text with names for the symbols, ``4 * (n // 8)``; ``nested`` with parentheses."""
    product = Product.of(extent)
    factors = [] if product.coefficient == 1 and product.symbols else [str(product.coefficient)]
    inside = nested or len(factors) + len(product.symbols) > 1
    for symbol in product.symbols:
        if isinstance(symbol, DerivedInt):
            is_plain = symbol.operation == "*"
            left, right = (text_of(part, name_of, not is_plain) for part in symbol.operands)
            text = f"{left} {symbol.operation} {right}"
            factors.append(f"({text})" if inside else text)
        else:
            factors.append(name_of(symbol))
    return " * ".join(factors)


def sym_int(width: int = 32, divisibility: int = 1, *, symbol: str | None = None) -> SymInt:
    """Return a symbol: an integer that may differ from call to call, and is the same wherever it appears in one call.

    Args:
        width: 32 or 64, its bits.
        divisibility: every value must be a multiple of it.
        symbol: its name in signatures and messages; symbols of one name are the same integer.

    Raises ValueError for another width, or a divisibility below 1.
    """
    return SymInt(width, divisibility, symbol=symbol)


def sym_int32(divisibility: int = 1, *, symbol: str | None = None) -> SymInt:
    """Return a symbol of 32 bits; ``divisibility`` and ``symbol`` as in sym_int."""
    return SymInt(32, divisibility, symbol=symbol)


def sym_int64(divisibility: int = 1, *, symbol: str | None = None) -> SymInt:
    """Return a symbol of 64 bits; ``divisibility`` and ``symbol`` as in sym_int."""
    return SymInt(64, divisibility, symbol=symbol)


name_keywords(__all__, globals())
