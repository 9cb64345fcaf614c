"""Variables that go through a run-time region: Python values taken apart into scalars, and put together again."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

from fairlead import _compiler
from fairlead.cute._structure import hints_of
from fairlead.errors import make_error


def describe(value: Any) -> str:
    """A value's type for a message."""
    if value is None:
        return "None"
    if isinstance(value, _compiler.Tensor):
        return value._structure()
    if isinstance(value, (tuple, list)):
        return f"{type(value).__name__}({', '.join(describe(item) for item in value)})"
    return type(value).__name__


def has_protocol(value: Any) -> bool:
    """Whether the value's class says of which scalars it consists."""
    cls = type(value)
    return hasattr(cls, "__extract_mlir_values__") and hasattr(cls, "__new_from_mlir_values__")


def _fields(value: Any) -> dict[str, Any] | None:
    """The fields of a dataclass that go through a region: run-time values, and what is annotated as a number of the
    language. The others stay as they are. None for other values."""
    cls = type(value)
    if not hasattr(cls, "__dataclass_fields__") or isinstance(value, type):
        return None
    hints = hints_of(cls)
    return {
        name: part
        for name in cls.__dataclass_fields__
        if not is_scalar(part := getattr(value, name))
        or isinstance(part, _compiler.Numeric)
        or _compiler.is_dtype(hints.get(name))
    }


def is_scalar(value: Any) -> bool:
    return isinstance(value, (bool, int, float, _compiler.Numeric))


class Carrier:
    """One variable: its name, and the value it had on entry, which fixes its structure."""

    def __init__(self, name: str, value: Any, construct: str) -> None:
        self.name, self.entry, self.construct = name, value, construct
        self.leaves: list[Any] = list(self._flatten(value))

    def _flatten(self, value: Any) -> Iterator[Any]:
        if is_scalar(value):
            yield value
        elif isinstance(value, _compiler.Tensor):
            yield from value._leaves()
        elif isinstance(value, (tuple, list)):
            for item in value:
                yield from self._flatten(item)
        elif (fields := _fields(value)) is not None:
            for part in fields.values():
                yield from self._flatten(part)
        elif has_protocol(value):
            yield from value.__extract_mlir_values__()

    def build(self, leaves: Iterator[Any]) -> Any:
        """The entry value with other leaves."""
        return self._build(self.entry, leaves)

    def _build(self, entry: Any, leaves: Iterator[Any]) -> Any:
        if is_scalar(entry):
            return next(leaves)
        if isinstance(entry, _compiler.Tensor):
            return entry._with_leaves([next(leaves) for _ in entry._leaves()])
        if isinstance(entry, (tuple, list)):
            items = [self._build(item, leaves) for item in entry]
            if isinstance(entry, list):
                return items
            return type(entry)(*items) if hasattr(entry, "_fields") else tuple(items)
        if (fields := _fields(entry)) is not None:
            made = copy.copy(entry)
            for name, part in fields.items():
                object.__setattr__(made, name, self._build(part, leaves))
            return made
        if has_protocol(entry):
            values = [next(leaves) for _ in entry.__extract_mlir_values__()]
            return entry.__new_from_mlir_values__(values)
        return entry

    def end(self, value: Any) -> list[Any]:
        """The leaves of the value at the region's end; DSLError (TypeError) when it has another structure or type."""
        self._compare(self.entry, value, value)
        return list(self._flatten(value))

    def _compare(self, entry: Any, value: Any, whole: Any) -> None:
        if is_scalar(entry) and is_scalar(value):
            return self._compare_scalars(entry, value)
        if (
            isinstance(entry, (tuple, list))
            and type(entry) is type(value)
            and len(entry) == len(value)
        ):
            for old, new in zip(entry, value, strict=True):
                self._compare(old, new, whole)
            return None
        fields = _fields(entry)
        if fields is not None and type(value) is type(entry):
            for name, old in vars(entry).items():
                new = vars(value).get(name)
                if name in fields:
                    self._compare(old, new, whole)
                elif old is not new and not (type(old) is type(new) and old == new):
                    break
            else:
                return None
        if has_protocol(entry) and type(value) is type(entry):
            olds, news = entry.__extract_mlir_values__(), value.__extract_mlir_values__()
            if len(olds) == len(news):
                for old, new in zip(olds, news, strict=True):
                    self._compare(old, new, whole)
                return None
        if isinstance(entry, _compiler.Tensor) and isinstance(value, _compiler.Tensor):
            if entry._structure() == value._structure():
                return None
        elif entry is value:
            return None
        if isinstance(entry, (int, float, tuple, list, _compiler.Numeric, _compiler.Tensor)):
            raise make_error(
                "CarriedStructure",
                name=self.name,
                construct=self.construct,
                expected=describe(self.entry),
                got=describe(whole),
            )
        raise make_error(
            "CarriedObject", name=self.name, construct=self.construct, got=describe(entry)
        )

    def _compare_scalars(self, entry: Any, value: Any) -> None:
        expected = scalar_type(entry)
        if isinstance(value, _compiler.Numeric):
            fits = type(value) is expected
        elif isinstance(value, bool):
            fits = expected is _compiler.Boolean
        elif isinstance(value, int):
            fits = expected is not _compiler.Boolean
        else:
            fits = expected.is_float
        if not fits:
            got = type(value).__name__
            raise make_error(
                "CarriedType",
                name=self.name,
                construct=self.construct,
                expected=expected.__name__,
                got=got,
            )


def scalar_type(value: Any) -> type:
    """The numeric class of a scalar; Python numbers become Boolean, Int32 (Int64 if larger), Float32."""
    if isinstance(value, _compiler.Numeric):
        return type(value)
    if isinstance(value, bool):
        return _compiler.Boolean
    if isinstance(value, int):
        return _compiler.Int32 if -(2**31) <= value < 2**31 else _compiler.Int64
    return _compiler.Float32
