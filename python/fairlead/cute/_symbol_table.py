"""The symbols of a signature: extents of tensors and numbers that a call tells."""

from __future__ import annotations

from typing import Any

from fairlead import _compiler
from fairlead.cute._extents import NamedExtents, TensorOf
from fairlead.cute._symbols import (
    DerivedInt,
    ExampleInt,
    Product,
    SymInt,
    follows,
    text_of,
    value_of,
)
from fairlead.cute._types import Number
from fairlead.errors import make_error

__all__ = ["SymbolTable"]


class SymbolTable:
    """The symbols that arguments have in common. Adds each to the signature when it first comes up."""

    def __init__(self, signature: _compiler.Signature) -> None:
        self._signature = signature
        self._indices: dict[Any, int] = {}
        #: By index. It keeps the objects alive whose identity is a key of ``_indices``.
        self._symbols: list[SymInt] = []
        self._names = NamedExtents()
        #: Extents of arguments: the argument's index, its name, their kind ("shape", "stride" or "value"), and
        #: the extents.
        self._extents_of: list[tuple[int, str, str, tuple[Any, ...]]] = []

    def index(self, symbol: SymInt) -> int:
        """Return the symbol's index in the signature. Raises SymbolConflict for two of one name that differ."""
        symbol = self._names.standing_for(symbol)
        key = _key(symbol)
        index = self._indices.get(key)
        if index is None:
            index = self._signature.add_symbol(
                symbol.width, symbol.divisibility, symbol.symbol or self._free_name()
            )
            self._indices[key] = index
            self._symbols.append(symbol)
        elif (first := self._symbols[index]) is not symbol:
            for what in ("divisibility", "width"):
                expected, got = getattr(first, what), getattr(symbol, what)
                if expected != got:
                    raise make_error(
                        "SymbolConflict", name=symbol.symbol, what=what, expected=expected, got=got
                    )
        return index

    def _free_name(self) -> str:
        """n0, n1, ..., without the names of users' symbols."""
        names_in_use = {symbol.symbol for symbol in self._symbols}
        name = f"n{len(self._symbols)}"
        while name in names_in_use:
            name += "_"
        return name

    def extents(self, extents: tuple[Any, ...]) -> list[tuple[int, list[int]]]:
        """Return extents as signatures have them: of each a number, and the symbols that it is multiplied by."""
        products = [Product.of(extent) for extent in extents]
        return [
            (product.coefficient, [self.index(symbol) for symbol in product.symbols])
            for product in products
        ]

    def forget_examples(self) -> None:
        """Have the extents of examples be other symbols from now on: one example for two parameters does not say that
        a later call passes equal tensors."""
        self._indices = {
            key: index
            for key, index in self._indices.items()
            if not isinstance(self._symbols[index], ExampleInt)
        }

    def tie(self, hint: TensorOf, shape: tuple[Any, ...]) -> tuple[tuple[Any, ...], str | None]:
        """Return the shape in the form of an annotation, and a description of a conflict, if any."""
        return self._names.tie(hint, shape)

    def note(self, argument: int, name: str, what: str, extents: tuple[Any, ...]) -> None:
        """Note the extents of an argument, which may determine other extents."""
        self._extents_of.append((argument, name, what, extents))

    def check_derived(self, traced: list[Any]) -> None:
        """Have the program check at each call the extents that follow from others, ``n // 8``. Symbols that are the
        extent of no argument are not checked."""
        if not any(isinstance(symbol, DerivedInt) for symbol in self._symbols):
            return
        numbers: dict[int, Any] = {}
        derived = []
        for argument, name, kind, extents in self._extents_of:
            values = (traced[argument],) if kind == "value" else getattr(traced[argument], kind)
            values = values if isinstance(values, tuple) else (values,)
            for mode, (extent, value) in enumerate(zip(extents, values, strict=True)):
                product = Product.of(extent)
                if follows(extent):
                    derived.append((f"{kind}[{mode}] of `{name}`", extent, value))
                elif len(product.symbols) == 1:
                    symbol = self._names.standing_for(product.symbols[0])
                    numbers.setdefault(id(symbol), _compiler.Int64(value) // product.coefficient)
        # A factor that is the extent of no argument.
        for _, extent, value in derived:
            if isinstance(extent, DerivedInt) and extent.operation == "*":
                coefficient: Any
                coefficient, rest = extent.operands
                if len(rest.symbols) == 1:
                    symbol = self._names.standing_for(rest.symbols[0])
                    numbers.setdefault(id(symbol), _compiler.Int64(value) // coefficient)
        for what, extent, value in derived:
            self._check_extent(what, extent, value, numbers)

    def _check_extent(
        self, what: str, extent: object, value: Number, numbers: dict[int, Any]
    ) -> None:
        def name_of(symbol: SymInt) -> str:
            symbol = self._names.standing_for(symbol)
            index = self._indices.get(_key(symbol))
            return symbol.symbol or "?" if index is None else self._signature.symbols[index][0]

        try:
            expected = value_of(
                extent, lambda symbol: numbers[id(self._names.standing_for(symbol))]
            )
        except KeyError:
            return
        message = f"expected {text_of(extent, name_of)} as {what}"
        _compiler.assert_that(_compiler.Int64(value) == _compiler.Int64(expected), message)


def _key(symbol: SymInt) -> Any:
    """A name stands for one integer, like an object."""
    return id(symbol) if symbol.symbol is None else symbol.symbol
