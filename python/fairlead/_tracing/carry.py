"""Variables that go through a run-time region: Python values taken apart into scalars, and put together again."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any, TypeGuard

from fairlead import _compiler
from fairlead._tracing.composite import composite_of, hints_of, rebuild
from fairlead.errors import DSLError, make_error

_VALUES = (_compiler.Numeric, _compiler.Tensor, _compiler.Pointer)


def describe(value: object) -> str:
    """A value's type for a message."""
    if value is None:
        return "None"
    if composite_of(value) is not None or isinstance(value, _compiler.Pointer):
        return str(value)
    if isinstance(value, _compiler.Tensor):
        return value._structure()
    if hasattr(type(value), "_static_part"):
        return repr(value)
    if isinstance(value, _compiler.TensorExpr) and (elements := _elements(value)):
        return f"values of shape {value.shape} and type {describe(elements[0])}"
    if isinstance(value, (tuple, list)):
        return f"{type(value).__name__}({', '.join(describe(item) for item in value)})"
    return type(value).__name__


def has_protocol(value: object) -> TypeGuard[Any]:
    """True if the class of an object says which run-time values it consists of."""
    cls = type(value)
    return (
        hasattr(cls, "__extract_mlir_values__")
        and hasattr(cls, "__new_from_mlir_values__")
        and not isinstance(value, _VALUES)
    )


def fields_of_object(value: object) -> dict[str, Any] | None:
    """The fields of a dataclass that go through a region: run-time values, fields annotated as numbers of the language,
    and the names in the class's ``_carried_fields``. The others stay as they are. None for other values."""
    cls: Any = type(value)
    if not hasattr(cls, "__dataclass_fields__") or isinstance(value, type):
        return None
    hints = hints_of(cls)
    return {
        name: part
        for name in cls.__dataclass_fields__
        if not is_scalar(part := getattr(value, name))
        or isinstance(part, _compiler.Numeric)
        or _compiler.is_dtype(hints.get(name))
        or name in getattr(cls, "_carried_fields", ())
    }


def _attributes(value: Any) -> dict[str, Any]:
    """The attributes of a dataclass's object, which may be in slots."""
    fields = {name: getattr(value, name) for name in type(value).__dataclass_fields__}
    return {**getattr(value, "__dict__", {}), **fields}


def _memory(pointer: _compiler.Pointer) -> Any:
    """The memory behind a pointer, as the tensor that is carried."""
    return _compiler.make_tensor(pointer, _compiler.make_layout(1, 1))


def _fields_text(fields: dict[str, Any]) -> str:
    return f"the fields ({', '.join(map(str, fields))})"


def _elements(values: _compiler.TensorExpr) -> list[Any]:
    """The elements of a whole-tensor value; none of one that is not in registers."""
    return values._leaves() or []


def _parts(value: object) -> list[tuple[Any, bool]]:
    """The parts of a composite, each with whether Python's integers in it become run-time values."""
    composite = composite_of(value)
    if composite is None:
        return []
    moved = composite.moved(value)
    return [(part, index == moved) for index, part in enumerate(composite.flatten(value)[1])]


def _is_number(value: object, ints: bool) -> bool:
    return isinstance(value, _compiler.Numeric) or (ints and isinstance(value, int))


def numbers_of(value: object, ints: bool = False) -> Iterator[Any]:
    """The run-time values in a layout and the like, and in nested tuples."""
    if isinstance(value, tuple):
        for part in value:
            yield from numbers_of(part, ints)
    elif _is_number(value, ints):
        yield value
    else:
        for part, container in _parts(value):
            yield from numbers_of(part, container)


def _numbers_like(entry: object, value: object, ints: bool = False) -> list[tuple[Any, Any]] | None:
    """Pairs of a run-time value in ``entry`` and the number, also of Python, at the same position in ``value``.
    None where the two differ in anything else."""
    if _is_number(entry, ints):
        return [(entry, value)] if is_scalar(value) else None
    if isinstance(entry, tuple) and isinstance(value, tuple) and len(entry) == len(value):
        parts = [(old, new, ints) for old, new in zip(entry, value, strict=True)]
    elif type(entry) is type(value) and (how := composite_of(entry)) is not None:
        (same, olds), (also, news) = how.flatten(entry), how.flatten(value)
        if same != also or len(olds) != len(news):
            return None
        wholes = [container for _, container in _parts(entry)]
        parts = list(zip(olds, news, wholes, strict=True))
    else:
        equal = entry is value or (type(entry) is type(value) and entry == value)
        return [] if equal else None
    pairs = []
    for old, new, container in parts:
        numbers = _numbers_like(old, new, container)
        if numbers is None:
            return None
        pairs += numbers
    return pairs


def _renumbered(value: object, leaves: Iterator[Any], ints: bool = False) -> Any:
    if next(numbers_of(value, ints), None) is None:
        return value
    if isinstance(value, tuple):
        return tuple(_renumbered(part, leaves, ints) for part in value)
    if is_scalar(value):
        return next(leaves)
    parts = [_renumbered(part, leaves, container) for part, container in _parts(value)]
    return rebuild(value, parts)


def is_scalar(value: object) -> bool:
    return isinstance(value, (bool, int, float, _compiler.Numeric))


def is_within_reach(value: Any) -> bool:
    """True if the traced program can use the value here: it is not from an earlier trace, nor from the host function
    in a kernel."""
    try:
        if composite_of(value) is not None:
            numbers = [
                number
                for number in numbers_of(value)
                if isinstance(number, (_compiler.Numeric, _compiler.Tensor))
            ]
            return all(map(is_within_reach, numbers))
        if isinstance(value, _compiler.TensorExpr):
            return all(map(is_within_reach, value._leaves()))
        if isinstance(value, _compiler.Pointer):
            value.toint()
        elif isinstance(value, _compiler.Tensor):
            value.iterator.toint()
        elif isinstance(value, _compiler.Boolean):
            value.to(_compiler.Int32)
        else:
            value.bitcast(type(value))
    except DSLError:
        return False
    return True


class Carrier:
    """One variable: its name, and the value it had on entry, which fixes its structure."""

    def __init__(self, name: str, value: object, construct: str) -> None:
        self.name, self.entry, self.construct = name, value, construct
        self.leaves: list[Any] = list(self._flatten(value, value))
        # For tensors, by the id of the entry value: the least alignment seen, and the tensors made for regions.
        self._alignments: dict[int, int] = {}
        self._made: dict[int, tuple[Any, list[Any]]] = {}

    def _flatten(self, value: object, entry: Any) -> Iterator[Any]:
        """The leaves of a value whose structure is that of ``entry``."""
        if is_scalar(value):
            yield value
        elif composite_of(value) is not None:
            yield from (number for _, number in _numbers_like(entry, value) or [])
        elif isinstance(value, _compiler.Tensor):
            yield from value._leaves()
        elif isinstance(value, _compiler.Pointer):
            yield from _memory(value)._leaves()
        elif isinstance(value, _compiler.TensorExpr):
            yield from _elements(value)
        elif isinstance(value, (tuple, list)):
            for item, old in zip(value, entry, strict=True):
                yield from self._flatten(item, old)
        elif (fields := fields_of_object(entry)) is not None:
            for name, old in fields.items():
                yield from self._flatten(getattr(value, name), old)
        elif has_protocol(value):
            yield from self._flatten_tree(
                value.__extract_mlir_values__(), entry.__extract_mlir_values__()
            )

    def _flatten_tree(self, tree: Any, entry: Any) -> Iterator[Any]:
        """The leaves of the parts of an object of the protocol: lists and dicts of values."""
        if isinstance(tree, dict):
            for key, part in entry.items():
                yield from self._flatten_tree(tree[key], part)
        elif isinstance(tree, (tuple, list)):
            for part, old in zip(tree, entry, strict=True):
                yield from self._flatten_tree(part, old)
        else:
            yield from self._flatten(tree, entry)

    def build(self, leaves: Iterator[Any]) -> Any:
        """The entry value with other leaves."""
        return self._build(self.entry, leaves)

    def _build(self, entry: object, leaves: Iterator[Any]) -> Any:
        if is_scalar(entry):
            return next(leaves)
        if composite_of(entry) is not None:
            return _renumbered(entry, leaves)
        if isinstance(entry, _compiler.Tensor):
            return self._moved(entry, entry, leaves)
        if isinstance(entry, _compiler.Pointer):
            return self._moved(entry, _memory(entry), leaves).iterator
        if isinstance(entry, _compiler.TensorExpr):
            elements = _elements(entry)
            return entry._with_leaves([next(leaves) for _ in elements]) if elements else entry
        if isinstance(entry, (tuple, list)):
            items = [self._build(item, leaves) for item in entry]
            if isinstance(entry, list):
                return items
            return type(entry)(*items) if hasattr(entry, "_fields") else tuple(items)
        if (fields := fields_of_object(entry)) is not None:
            rebuilt = copy.copy(entry)
            for name, part in fields.items():
                object.__setattr__(rebuilt, name, self._build(part, leaves))
            return rebuilt
        if has_protocol(entry):
            return entry.__new_from_mlir_values__(
                self._build_tree(entry.__extract_mlir_values__(), leaves)
            )
        return entry

    def _build_tree(self, entry: object, leaves: Iterator[Any]) -> Any:
        if isinstance(entry, dict):
            return {key: self._build_tree(part, leaves) for key, part in entry.items()}
        if isinstance(entry, (tuple, list)):
            return [self._build_tree(part, leaves) for part in entry]
        return self._build(entry, leaves)

    def _moved(
        self,
        entry: _compiler.Tensor | _compiler.Pointer,
        tensor: _compiler.Tensor,
        leaves: Iterator[Any],
    ) -> Any:
        """The tensor at another address, as aligned as all that were seen."""
        moved = tensor._with_leaves([next(leaves) for _ in tensor._leaves()])
        moved = moved._with_alignment(self._alignments.get(id(entry), entry.alignment))
        # The entry, too, so that no other object gets its id.
        self._made.setdefault(id(entry), (entry, []))[1].append(moved)
        return moved

    def _note_alignment(
        self,
        entry: _compiler.Tensor | _compiler.Pointer,
        value: _compiler.Tensor | _compiler.Pointer,
    ) -> None:
        """Note that a region gives the variable a tensor or pointer with a smaller alignment than on entry."""
        if value.alignment < self._alignments.get(id(entry), entry.alignment):
            self._alignments[id(entry)] = value.alignment
            for moved in self._made.setdefault(id(entry), (entry, []))[1]:
                moved._weaken(value.alignment)

    def end(self, value: object) -> list[Any]:
        """The leaves of the value at the region's end; DSLError (TypeError) when it has another structure or type."""
        self._compare(self.entry, value, value, self.name)
        return list(self._flatten(value, self.entry))

    def _compare(self, entry: Any, value: Any, container: object, path: str) -> None:
        """Raises the error of a value that does not fit the one on entry. ``path``: as the program writes it."""
        if is_scalar(entry) and is_scalar(value):
            return self._compare_scalars(entry, value, path)
        if (
            isinstance(entry, (tuple, list))
            and type(entry) is type(value)
            and len(entry) == len(value)
        ):
            for place, (old, new) in enumerate(zip(entry, value, strict=True)):
                self._compare(old, new, container, f"{path}[{place}]")
            return None
        fields = fields_of_object(entry)
        if fields is not None and type(value) is type(entry):
            for name, old in _attributes(entry).items():
                new = _attributes(value).get(name)
                if name in fields:
                    self._compare(old, new, container, f"{path}.{name}")
                elif old is not new and not (type(old) is type(new) and old == new):
                    break
            else:
                return None
        if has_protocol(entry) and type(value) is type(entry):
            olds, news = entry.__extract_mlir_values__(), value.__extract_mlir_values__()
            # For structs in memory, their type.
            static = getattr(type(entry), "_static_part", lambda value: None)
            if static(entry) == static(value):
                return self._compare_trees(olds, news, path)
        if composite_of(entry) is not None:
            numbers = _numbers_like(entry, value)
            if numbers is not None and all(_fits(scalar_type(old), new) for old, new in numbers):
                return None
        elif isinstance(entry, _compiler.Tensor) and isinstance(value, _compiler.Tensor):
            if entry._structure() == value._structure():
                return self._note_alignment(entry, value)
        elif isinstance(entry, _compiler.Pointer) and isinstance(value, _compiler.Pointer):
            if _memory(entry)._structure() == _memory(value)._structure():
                return self._note_alignment(entry, value)
        elif isinstance(entry, _compiler.TensorExpr) and isinstance(value, _compiler.TensorExpr):
            olds, news = _elements(entry), _elements(value)
            if entry.shape == value.shape and len(olds) == len(news) and olds:
                for old, new in zip(olds, news, strict=True):
                    self._compare_scalars(old, new, path)
                return None
        elif entry is value:
            return None
        is_carried = isinstance(entry, (int, float, tuple, list, *_VALUES))
        is_carried = (
            is_carried or composite_of(entry) is not None or hasattr(type(entry), "_static_part")
        )
        if is_carried or (isinstance(entry, _compiler.TensorExpr) and _elements(entry)):
            raise make_error(
                "CarriedStructure",
                name=self.name,
                construct=self.construct,
                expected=describe(self.entry),
                got=describe(container),
            )
        raise make_error(
            "CarriedObject", name=self.name, construct=self.construct, got=describe(entry)
        )

    def _compare_trees(self, entry: object, value: object, path: str) -> None:
        """Compares what objects of the protocol consist of; errors name the part that differs."""
        if isinstance(entry, dict) and isinstance(value, dict):
            if entry.keys() != value.keys():
                raise self._other_parts(path, _fields_text(entry), _fields_text(value))
            for key, old in entry.items():
                self._compare_trees(old, value[key], f"{path}.{key}")
        elif isinstance(entry, (tuple, list)) and isinstance(value, (tuple, list)):
            if len(entry) != len(value):
                raise self._other_parts(path, f"{len(entry)} parts", f"{len(value)}")
            for place, (old, new) in enumerate(zip(entry, value, strict=True)):
                self._compare_trees(old, new, f"{path}[{place}]" if len(entry) > 1 else path)
        elif isinstance(entry, (dict, tuple, list)) or isinstance(value, (dict, tuple, list)):
            raise self._other_parts(path, type(entry).__name__, type(value).__name__)
        else:
            self._compare(entry, value, value, path)

    def _other_parts(self, path: str, expected: str, got: str) -> DSLError:
        return make_error(
            "CarriedStructure", name=path, construct=self.construct, expected=expected, got=got
        )

    def _compare_scalars(self, entry: object, value: object, path: str) -> None:
        expected = scalar_type(entry)
        if not _fits(expected, value):
            got = type(value).__name__
            raise make_error(
                "CarriedType",
                name=path,
                construct=self.construct,
                expected=expected.__name__,
                got=got,
            )


def _fits(expected: type[_compiler.Numeric], value: object) -> bool:
    """True if a scalar can be a value of a numeric class: a number of that class, or of Python."""
    if isinstance(value, _compiler.Numeric):
        return type(value) is expected
    if isinstance(value, bool):
        return expected is _compiler.Boolean
    if isinstance(value, int):
        return expected is not _compiler.Boolean
    return expected.is_float


def scalar_type(value: object) -> type[_compiler.Numeric]:
    """The numeric class of a scalar; Python numbers become Boolean, Int32 (Int64 if larger), Float32."""
    if isinstance(value, _compiler.Numeric):
        return type(value)
    if isinstance(value, bool):
        return _compiler.Boolean
    if isinstance(value, int):
        return _compiler.Int32 if -(2**31) <= value < 2**31 else _compiler.Int64
    return _compiler.Float32
