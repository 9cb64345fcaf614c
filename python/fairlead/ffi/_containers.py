"""Containers of the ABI. Array and Map cannot be changed; List and Dict can, and all their owners see it.

Tensors in a container that a function returned become tensors of the caller's framework when they are read.
"""

from __future__ import annotations

import itertools
from collections.abc import (
    ItemsView,
    Iterable,
    Iterator,
    KeysView,
    Mapping,
    MutableMapping,
    MutableSequence,
    Sequence,
    ValuesView,
)
from typing import Any, cast

from fairlead._core import Object, _adopt, _sequence_item, _sequence_size, get_global_func
from fairlead.ffi._objects import name_type, object_repr

__all__ = ["Array", "Dict", "List", "Map"]

_functions: dict[str, Any] = {}


def _call(name: str, *args: object) -> Any:
    """Calls the global function ``ffi.<name>``, looked up once."""
    function = _functions.get(name)
    if function is None:
        function = _functions[name] = get_global_func("ffi." + name)
    return function(*args)


class _Container(Object):
    __slots__ = ()

    @classmethod
    def _of(cls, elements: object) -> Any:
        return cast(Any, cls)(elements)

    def __copy__(self) -> Any:
        return self._of(self)

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        copy = _adopt(_call("DeepCopy", self), self)
        memo[id(self)] = copy
        return copy

    def __hash__(self) -> int:
        return int(_call("RecursiveHash", self))

    def __ne__(self, other: object) -> Any:
        equal = self.__eq__(other)
        return equal if equal is NotImplemented else not equal

    def _same(self, other: Object) -> bool:
        return self.same_as(other) or bool(_call("RecursiveEq", self, other))


class _Sequence(_Container):
    __slots__ = ()

    def __len__(self) -> int:
        return _sequence_size(self)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return [_sequence_item(self, i) for i in range(*index.indices(len(self)))]
        if not hasattr(type(index), "__index__"):
            raise TypeError(f"indices must be integers or slices, not {type(index).__name__}")
        return _sequence_item(self, index)

    def __iter__(self) -> Iterator[Any]:
        index = 0
        while index < _sequence_size(self):
            yield _sequence_item(self, index)
            index += 1

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Object) and type(self) is type(other):
            return self._same(other)
        if not isinstance(other, (list, tuple, _Sequence)):
            return False if isinstance(other, Object) else NotImplemented
        return len(self) == len(other) and all(a == b for a, b in zip(self, other, strict=True))

    __hash__ = _Container.__hash__

    def __add__(self, other: Iterable[Any]) -> Any:
        return self._of(itertools.chain(self, other))

    def __radd__(self, other: Iterable[Any]) -> Any:
        return self._of(itertools.chain(other, self))


class Array(_Sequence, Sequence[Any]):
    """A sequence that cannot be changed: ``Array([1, "two"])``. Equal to lists and tuples of equal elements."""

    __slots__ = ()

    def __init__(self, elements: Iterable[Any] = ()) -> None:
        self.__init_handle_by_constructor__(_constructor("Array"), *elements)

    def __repr__(self) -> str:
        return object_repr(self)

    def __reduce__(self) -> Any:
        return Array, (list(self),)


class List(_Sequence, MutableSequence[Any]):
    """A sequence that can be changed."""

    __slots__ = ()

    def __init__(self, elements: Iterable[Any] = ()) -> None:
        self.__init_handle_by_constructor__(_constructor("List"), *elements)

    def __repr__(self) -> str:
        return object_repr(self)

    def __reduce__(self) -> Any:
        return List, (list(self),)

    def _place(self, index: Any) -> int:
        if not hasattr(type(index), "__index__"):
            raise TypeError(f"indices must be integers or slices, not {type(index).__name__}")
        size, place = len(self), index.__index__()
        place += size if place < 0 else 0
        if not 0 <= place < size:
            raise IndexError(f"Index out of range. size: {size}, got index {index}")
        return int(place)

    def __setitem__(self, index: object, value: Any) -> None:
        if not isinstance(index, slice):
            _call("ListSetItem", self, self._place(index), value)
            return
        value = list(value)
        start, stop, step = index.indices(len(self))
        if step == 1:
            _call("ListReplaceSlice", self, start, max(start, stop), List(value))
            return
        places = range(start, stop, step)
        if len(places) != len(value):
            raise ValueError(
                f"attempt to assign sequence of size {len(value)} to extended slice of size {len(places)}"
            )
        for place, element in zip(places, value, strict=True):
            _call("ListSetItem", self, place, element)

    def __delitem__(self, index: object) -> None:
        if not isinstance(index, slice):
            _call("ListErase", self, self._place(index))
            return
        for place in sorted(range(*index.indices(len(self))), reverse=True):
            _call("ListErase", self, place)

    def insert(self, index: int, value: object) -> None:
        """Put ``value`` before the element at ``index``, as ``list.insert`` does."""
        size = len(self)
        place = max(index + size, 0) if index < 0 else min(index, size)
        _call("ListInsert", self, place, value)

    def append(self, value: object) -> None:
        """Add ``value`` at the end."""
        _call("ListAppend", self, value)

    def extend(self, values: Iterable[Any]) -> None:
        """Add all ``values`` at the end."""
        for value in list(values):
            _call("ListAppend", self, value)

    def pop(self, index: int = -1) -> Any:
        """Take the element at ``index`` out; IndexError for an empty list."""
        if not len(self):
            raise IndexError("pop from empty list")
        place = self._place(index)
        value = _sequence_item(self, place)
        _call("ListErase", self, place)
        return value

    def reverse(self) -> None:
        """Turn the order round, in place."""
        _call("ListReverse", self)

    def clear(self) -> None:
        """Remove all elements."""
        _call("ListClear", self)


class _Keys(KeysView[Any]):
    __slots__ = ()
    _mapping: _Mapping

    def __repr__(self) -> str:
        return f"{type(self._mapping).__name__}.keys({list(self)!r})"


class _Values(ValuesView[Any]):
    __slots__ = ()
    _mapping: _Mapping

    def __repr__(self) -> str:
        return f"{type(self._mapping).__name__}.values({list(self)!r})"

    def __iter__(self) -> Iterator[Any]:
        return (value for _, value in self._mapping._pairs())


class _Items(ItemsView[Any, Any]):
    __slots__ = ()
    _mapping: _Mapping

    def __repr__(self) -> str:
        return f"{type(self._mapping).__name__}.items({list(self)!r})"

    def __iter__(self) -> Iterator[tuple[Any, Any]]:
        return iter(self._mapping._pairs())


class _Mapping(_Container):
    __slots__ = ()
    _kind = "Map"

    def __len__(self) -> int:
        return int(_call(self._kind + "Size", self))

    def _pairs(self) -> list[tuple[Any, Any]]:
        size = len(self)
        at = _call(self._kind + "ForwardIterFunctor", self)
        pairs = []
        for number in range(size):
            pairs.append((_adopt(at(0), self), _adopt(at(1), self)))
            if number + 1 < size:
                at(2)
        return pairs

    def __iter__(self) -> Iterator[Any]:
        return (key for key, _ in self._pairs())

    def __contains__(self, key: object) -> bool:
        return bool(_call(self._kind + "Count", self, key))

    def __getitem__(self, key: object) -> Any:
        if key not in self:
            raise KeyError(key)
        return _adopt(_call(self._kind + "GetItem", self, key), self)

    def get(self, key: object, default: object = None) -> Any:
        """The value of ``key``, or ``default``."""
        return self[key] if key in self else default

    def keys(self) -> KeysView[Any]:
        """A view of the keys."""
        return _Keys(self)

    def values(self) -> ValuesView[Any]:
        """A view of the values."""
        return _Values(self)

    def items(self) -> ItemsView[Any, Any]:
        """A view of the pairs of key and value."""
        return _Items(self)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Object):
            return type(self) is type(other) and self._same(other)
        if not isinstance(other, dict):
            return NotImplemented
        return len(self) == len(other) and all(
            key in other and other[key] == value for key, value in self._pairs()
        )

    __hash__ = _Container.__hash__

    def __repr__(self) -> str:
        return object_repr(self)

    def __reduce__(self) -> Any:
        return type(self), (dict(self._pairs()),)


def _flatten(pairs: Any) -> Iterable[Any]:
    if hasattr(pairs, "items") or not hasattr(pairs, "__iter__"):
        return itertools.chain.from_iterable(pairs.items())
    return itertools.chain.from_iterable(dict(pairs).items())


class Map(_Mapping, Mapping[Any, Any]):
    """A mapping that cannot be changed; it keeps the order of insertion. Equal to dicts of equal items."""

    __slots__ = ()

    def __init__(self, pairs: object = ()) -> None:
        self.__init_handle_by_constructor__(_constructor("Map"), *_flatten(pairs))


class Dict(_Mapping, MutableMapping[Any, Any]):
    """A mapping that can be changed."""

    __slots__ = ()
    _kind = "Dict"

    def __init__(self, pairs: object = ()) -> None:
        self.__init_handle_by_constructor__(_constructor("Dict"), *_flatten(pairs))

    def __setitem__(self, key: object, value: object) -> None:
        _call("DictSetItem", self, key, value)

    def __delitem__(self, key: object) -> None:
        if key not in self:
            raise KeyError(key)
        _call("DictErase", self, key)

    def clear(self) -> None:
        """Remove all items."""
        _call("DictClear", self)


def _constructor(name: str) -> Any:
    function = _functions.get(name)
    if function is None:
        function = _functions[name] = get_global_func("ffi." + name)
    return function


for _class in (Array, List, Map, Dict):
    try:
        name_type(_class, f"ffi.{_class.__name__}")
    except ValueError:  # The library in the process is older.
        continue
