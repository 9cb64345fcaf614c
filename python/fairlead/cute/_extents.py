"""Annotations that say the extents of tensors, and what ties those of one name."""

from __future__ import annotations

import copy
from typing import Any

from fairlead import _compiler
from fairlead.cute._symbols import SymInt
from fairlead.errors import make_error


class TensorOf:
    """``Tensor["n", "m"]``, ``Tensor[Float32, "n", 4, None]``: an annotation that says the extents of a tensor.

    Attributes:
        dtype: of the elements; None for any.
        extents: for each mode a name, which stands for one integer of a call, a number, or None for any extent.
        optional: None may be given instead.
    """

    optional = False

    def __init__(self, items: object) -> None:
        items = items if isinstance(items, tuple) else (items,)
        self.dtype = items[0] if items and _compiler.is_dtype(items[0]) else None
        self.extents = tuple(items if self.dtype is None else items[1:])
        for extent in self.extents:
            number = type(extent) is int and extent >= 0
            if not (
                number or extent is None or (isinstance(extent, str) and extent.isidentifier())
            ):
                raise make_error(
                    "ArgumentKind",
                    function="Tensor[...]",
                    expected="an element type, and for each mode a name, a number or None",
                    got=repr(extent),
                )

    def __or__(self, other: object) -> Any:
        """``Tensor["n"] | None`` is the annotation of a tensor that may be left out."""
        if other is not None:
            return NotImplemented
        copied = copy.copy(self)
        copied.optional = True
        return copied

    def __repr__(self) -> str:
        dtype = [] if self.dtype is None else [self.dtype.__name__]
        return f"Tensor[{', '.join([*dtype, *map(repr, self.extents)])}]"

    __name__ = property(__repr__)

    def misfit(self, dtype: type[_compiler.Numeric], shape: tuple[Any, ...]) -> str | None:
        """How a tensor differs from the annotation; None for one that fits, as far as is known before the call."""
        if self.dtype is not None and dtype is not self.dtype:
            return f"a tensor of {dtype.__name__}"
        if len(shape) != len(self.extents):
            return f"a tensor of {len(shape)} modes"
        for want, extent in zip(self.extents, shape, strict=True):
            if isinstance(want, int) and isinstance(extent, int) and want != extent:
                return f"a tensor of shape {tuple(shape)}"
        return None


# A class of the compiler's extension; annotations are Python's.
_compiler.Tensor.__class_getitem__ = classmethod(lambda cls, items: TensorOf(items))  # type: ignore[attr-defined]


class NamedExtents:
    """The values of the names in annotations of one function: symbols of its signature, or numbers."""

    def __init__(self) -> None:
        self._known: dict[str, SymInt | int] = {}
        self._same: dict[int, SymInt] = {}
        self._kept: list[SymInt] = []

    def tie(self, expected: TensorOf, shape: tuple[Any, ...]) -> tuple[tuple[Any, ...], str | None]:
        """Return ``shape`` with the numbers of the annotation and its named extents tied to equal names of other
        tensors, and a description of the conflict if a name would have two values."""
        extents = []
        for want, extent in zip(expected.extents, shape, strict=True):
            if isinstance(want, int):
                extent = want
            elif isinstance(want, str):
                symbol = self._known.get(want)
                if symbol is None:
                    if isinstance(extent, SymInt) and extent.symbol is None:
                        extent = self._named(want, extent)
                    self._known[want] = extent
                elif isinstance(symbol, int) or isinstance(extent, int):
                    if symbol != extent:
                        texts = [
                            str(part) if isinstance(part, int) else "a run-time number"
                            for part in (symbol, extent)
                        ]
                        return (
                            shape,
                            f"a tensor whose `{want}` is {texts[1]}, after one of {texts[0]}",
                        )
                else:
                    self._same.setdefault(id(extent), symbol)
                    self._kept.append(extent)
            extents.append(extent)
        return tuple(extents), None

    def _named(self, name: str, extent: SymInt) -> SymInt:
        symbol = self._same.get(id(extent))
        if symbol is None:
            symbol = SymInt(extent.width, extent.divisibility, symbol=name)
            self._same[id(extent)] = symbol
            self._kept.append(extent)
        return symbol

    def standing_for(self, symbol: SymInt) -> SymInt:
        """Return the symbol that this one is tied to, maybe itself."""
        return self._same.get(id(symbol), symbol)
