"""The kinds of Python state that a program may change in place, and how each is copied, compared and put back."""

from __future__ import annotations

import array
import collections
import contextlib
import functools
import gc
import types
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from operator import is_
from typing import Any, TypeVar

from fairlead import _compiler

_V = TypeVar("_V")


class _Word:
    def __init__(self, text: str) -> None:
        self._text = text

    def __repr__(self) -> str:
        return self._text


#: The value of a place that has none.
MISSING = _Word("<missing>")
#: The place for all of an object: its length, the order of its keys, how far an iterator has come.
WHOLE = _Word("<whole>")


def is_same(old: Any, new: Any) -> bool:
    """True if the values are one object, or equal constants."""
    if old is new:
        return True
    cls = type(old)
    if cls is not type(new):
        return False
    if cls is tuple:
        return len(old) == len(new) and all(map(is_same, old, new))
    return cls in _CONSTANTS and (old == new or (old != old and new != new))


_CONSTANTS = frozenset([int, float, bool, str, bytes, complex, types.NoneType, frozenset, range])


class Kind:
    """How objects of a kind hold state."""

    #: The step from an object to one of its places, for names in messages.
    step = "[{!r}]"
    #: True if the places are attributes of an object.
    holds_attributes = False

    def content(self, owner: object) -> Any:
        """A copy of the state."""
        raise NotImplementedError

    def parts(self, owner: object, content: object) -> Iterable[tuple[Any, Any]]:
        """The places of a content with their values."""
        raise NotImplementedError

    def is_unchanged(self, owner: object, content: object) -> bool:
        """True if the state is still that of ``content``, identical in all places."""
        raise NotImplementedError

    def changes(self, owner: object, content: object) -> Iterator[tuple[Any, Any, Any]]:
        """The places whose values differ from ``content``: (place, value in it, value now)."""
        raise NotImplementedError

    def put(self, owner: object, key: object, value: object) -> None:
        """Gives one place a value, or none if it is MISSING."""
        raise NotImplementedError

    def restore(self, owner: object, content: object) -> None:
        """Gives the object the state of ``content``."""
        raise NotImplementedError


class _Named(Kind):
    """Values by name."""

    def live(self, owner: object) -> dict[Any, Any]:
        """The state as a dict."""
        raise NotImplementedError

    def content(self, owner: object) -> dict[Any, Any]:
        return dict.copy(self.live(owner))  # whatever the class of a dict overrides

    def parts(self, owner: object, content: Any) -> Iterable[tuple[Any, Any]]:
        items: Iterable[tuple[Any, Any]] = content.items()
        return items

    def is_unchanged(self, owner: object, content: Any) -> bool:
        return _compiler.are_identical(self.live(owner), content)

    def changes(self, owner: object, content: Any) -> Iterator[tuple[Any, Any, Any]]:
        live = self.content(owner)
        for key in {**content, **live}:
            old, new = content.get(key, MISSING), live.get(key, MISSING)
            if not is_same(old, new):
                yield key, old, new
        if live.keys() == content.keys() and not all(map(is_, live, content)):
            yield WHOLE, content, live

    def restore(self, owner: object, content: Any) -> None:
        live = self.content(owner)
        for key in live:
            if key not in content:
                self.put(owner, key, MISSING)
        for key, value in content.items():
            if live.get(key, MISSING) is not value:
                self.put(owner, key, value)
        self._put_in_order(owner, content)

    def _put_in_order(self, owner: object, content: Mapping[Any, Any]) -> None:
        """Gives the keys their order in ``content``."""
        same = 0
        for live, key in zip(self.content(owner), content, strict=True):
            if live is not key:
                break
            same += 1
        moved = list(content.items())[same:]
        for key, _ in moved:
            self.put(owner, key, MISSING)
        for key, value in moved:
            self.put(owner, key, value)


def _put_item(space: dict[Any, Any], key: object, value: object) -> None:
    if value is MISSING:
        del space[key]
    else:
        space[key] = value


class _Attributes(_Named):
    """The attributes of an object in its ``__dict__``."""

    step = ".{}"
    holds_attributes = True

    def live(self, owner: object) -> dict[Any, Any]:
        return owner.__dict__

    def put(self, owner: object, key: object, value: object) -> None:
        _put_item(owner.__dict__, key, value)


class _OfFunction(_Attributes):
    """The attributes of a function, without this package's own."""

    def live(self, owner: object) -> dict[Any, Any]:
        return {
            key: value for key, value in owner.__dict__.items() if not key.startswith("__fairlead")
        }


class _Slots(_Named):
    """The attributes of an object in slots, of one class."""

    step = ".{}"

    def __init__(self, members: dict[str, types.MemberDescriptorType]) -> None:
        self._members = members

    def live(self, owner: object) -> dict[Any, Any]:
        values = {}
        for name, member in self._members.items():
            with contextlib.suppress(AttributeError):
                values[name] = member.__get__(owner)
        return values

    def put(self, owner: Any, key: Any, value: object) -> None:
        if value is MISSING:
            self._members[key].__delete__(owner)
        else:
            self._members[key].__set__(owner, value)


class _Dict(_Named):
    def live(self, owner: Any) -> dict[Any, Any]:
        return owner  # type: ignore[no-any-return]

    def put(self, owner: Any, key: object, value: object) -> None:
        if value is MISSING:
            dict.__delitem__(owner, key)
        else:
            dict.__setitem__(owner, key, value)


class _OrderedDict(_Dict):
    def live(self, owner: Any) -> dict[Any, Any]:
        return dict(collections.OrderedDict.items(owner))

    def put(self, owner: Any, key: object, value: object) -> None:
        if value is MISSING:
            collections.OrderedDict.__delitem__(owner, key)
        else:
            collections.OrderedDict.__setitem__(owner, key, value)


class _Space(_Named):
    """The globals of a module. A module that creates names on demand may get more of them."""

    step = "{}"

    def changes(self, owner: Any, content: object) -> Iterator[tuple[Any, Any, Any]]:
        is_lazy = "__getattr__" in owner
        for key, old, new in super().changes(owner, content):
            if not (is_lazy and old is MISSING):
                yield key, old, new

    def live(self, owner: Any) -> dict[Any, Any]:
        return owner  # type: ignore[no-any-return]

    def put(self, owner: Any, key: object, value: object) -> None:
        _put_item(owner, key, value)


class _Class(_Named):
    """The attributes of a class, except the one that ``copy`` keeps there."""

    step = ".{}"

    def live(self, owner: object) -> dict[Any, Any]:
        attributes = dict(vars(owner))
        attributes.pop("__slotnames__", None)
        return attributes

    def is_unchanged(self, owner: object, content: Any) -> bool:
        return _compiler.are_identical(owner, content) or super().is_unchanged(owner, content)

    def put(self, owner: Any, key: Any, value: object) -> None:
        if value is MISSING:
            type.__delattr__(owner, key)
        else:
            type.__setattr__(owner, key, value)


class _Cell(_Named):
    """The variable of a function that functions inside of it use."""

    step = ""

    def live(self, owner: Any) -> dict[Any, Any]:
        try:
            return {"": owner.cell_contents}
        except ValueError:
            return {}

    def put(self, owner: Any, key: object, value: object) -> None:
        if value is MISSING:
            del owner.cell_contents
        else:
            owner.cell_contents = value


class _Atom(_Named):
    """An MMA whose products are added or not as ``set`` says."""

    step = ".{}"

    def live(self, owner: Any) -> dict[Any, Any]:
        if not owner._carries:
            return {}
        fields = (
            ("_accumulate", "_scales_a", "_scales_b") if owner._has_scales else ("_accumulate",)
        )
        return {field: getattr(owner, field) for field in fields}

    def changes(self, owner: Any, content: object) -> Iterator[tuple[Any, Any, Any]]:
        for key, old, new in super().changes(owner, content):
            # Each reading makes another object of the same value.
            if old is MISSING or new is MISSING or not owner._is_one_value(old, new):
                yield key, old, new

    def put(self, owner: Any, key: Any, value: object) -> None:
        setattr(owner, key, value)


class _List(Kind):
    """Values by their index."""

    def __init__(self, cls: Any) -> None:
        self._cls = cls

    def content(self, owner: object) -> list[Any]:
        return list(self._cls.__iter__(owner))

    def parts(self, owner: object, content: Any) -> Iterable[tuple[Any, Any]]:
        return enumerate(content)

    def is_unchanged(self, owner: Any, content: Any) -> bool:
        return self._cls.__len__(owner) == len(content) and all(
            map(is_, self._cls.__iter__(owner), content)
        )

    def changes(self, owner: object, content: Any) -> Iterator[tuple[Any, Any, Any]]:
        live = self.content(owner)
        if len(live) != len(content):
            yield WHOLE, content, live
            return
        for index, (old, new) in enumerate(zip(content, live, strict=True)):
            if not is_same(old, new):
                yield index, old, new

    def put(self, owner: object, key: object, value: object) -> None:
        if key is WHOLE:
            self.restore(owner, value)
        else:
            self._cls.__setitem__(owner, key, value)

    def restore(self, owner: object, content: object) -> None:
        self._cls.clear(owner)
        self._cls.extend(owner, content)


class _Opaque(Kind):
    """State that is compared as a whole."""

    def parts(self, owner: object, content: object) -> Iterable[tuple[Any, Any]]:
        return ()

    def is_unchanged(self, owner: object, content: object) -> bool:
        return bool(self.content(owner) == content)

    def changes(self, owner: object, content: object) -> Iterator[tuple[Any, Any, Any]]:
        live = self.content(owner)
        if live != content:
            yield WHOLE, content, live

    def put(self, owner: object, key: object, value: object) -> None:
        self.restore(owner, value)


class _Set(_Opaque):
    def content(self, owner: Any) -> set[Any]:
        return set(set.__iter__(owner))

    def parts(self, owner: object, content: Any) -> Iterable[tuple[Any, Any]]:
        return ((item, item) for item in content)

    def restore(self, owner: Any, content: Any) -> None:
        set.clear(owner)
        set.update(owner, content)


class _Bytes(_Opaque):
    """Numbers in memory of Python's. Of much memory a checksum is kept, which cannot be put back."""

    _MOST = 1 << 20  # bytes

    def content(self, owner: Any) -> Any:
        if memoryview(owner).nbytes > self._MOST:
            return zlib.adler32(owner)
        return bytes(memoryview(owner).cast("B"))

    def restore(self, owner: Any, content: object) -> None:
        if isinstance(content, bytes):
            del owner[:]
            is_array = isinstance(owner, array.array)
            owner.extend(array.array(owner.typecode, content) if is_array else content)


class _Array(_Opaque):
    """An array of NumPy."""

    def content(self, owner: Any) -> Any:
        data = owner.tobytes()
        return data if len(data) <= _Bytes._MOST else zlib.adler32(data)

    def restore(self, owner: Any, content: Any) -> None:
        if isinstance(content, bytes) and owner.tobytes() != content:
            owner[...] = type(owner)(owner.shape, owner.dtype, content)


class _Progress(_Opaque):
    """How far an iterator has come, which cannot be put back."""

    step = ""

    def content(self, owner: Any) -> Any:
        try:
            _, *rest = owner.__reduce__()
        except (AttributeError, TypeError):
            rest = []
        numbers = [part for part in _flat(rest) if isinstance(part, int)]
        return numbers, getattr(owner, "__length_hint__", int)()

    def parts(self, owner: object, content: object) -> Iterable[tuple[Any, Any]]:
        return (("", referent) for referent in gc.get_referents(owner))

    def restore(self, owner: object, content: object) -> None:
        pass


class _Generator(_Progress):
    """How far a generator has come: its next instruction, and its variables."""

    def content(self, owner: Any) -> Any:
        frame = owner.gi_frame
        return None if frame is None else (frame.f_lasti, list(frame.f_locals.values()))

    def is_unchanged(self, owner: object, content: Any) -> bool:
        live = self.content(owner)
        if live is None or content is None:
            return live is content
        return (
            live[0] == content[0]
            and len(live[1]) == len(content[1])
            and all(map(is_, live[1], content[1]))
        )

    def changes(self, owner: object, content: object) -> Iterator[tuple[Any, Any, Any]]:
        if not self.is_unchanged(owner, content):
            yield WHOLE, content, None


def _flat(values: Iterable[Any]) -> Iterator[Any]:
    for value in values:
        if type(value) in (tuple, list):
            yield from _flat(value)
        else:
            yield value


ATTRIBUTES, DICT, SPACE, CLASS, CELL = _Attributes(), _Dict(), _Space(), _Class(), _Cell()
OF_FUNCTION = _OfFunction()
_NOTHING: list[Any] = []
_ITERATED: tuple[Any, ...] = (
    *(iter([]), iter(()), iter({}), iter(set()), iter(range(0)), reversed(_NOTHING)),
    *(enumerate(_NOTHING), zip(), map(repr, _NOTHING)),
)
_ITERATORS = tuple(type(iterator) for iterator in _ITERATED)


def _members_of(cls: type) -> dict[str, types.MemberDescriptorType]:
    """The slots of a class that is written in Python."""
    members: dict[str, types.MemberDescriptorType] = {}
    for base in cls.__mro__:
        if "__slots__" in vars(base):
            for name, member in vars(base).items():
                if isinstance(member, types.MemberDescriptorType):
                    members.setdefault(name, member)
    return members


_BUILT_IN: dict[type, Kind] = {
    collections.OrderedDict: _OrderedDict(),
    dict: DICT,
    list: _List(list),
    collections.deque: _List(collections.deque),
    set: _Set(),
    bytearray: _Bytes(),
    array.array: _Bytes(),
    types.GeneratorType: _Generator(),
    _compiler.MmaAtom: _Atom(),
    **dict.fromkeys(_ITERATORS, _Progress()),
}


def cached(function: Callable[[type], _V]) -> Callable[[type], _V]:
    """Return ``function`` with a cache. Type checkers do not take all classes for hashable."""
    return functools.lru_cache(maxsize=1024)(function)


@cached
def kinds_of(cls: type) -> tuple[Kind, ...]:
    """The kinds of state that objects of a class hold; none of values that never change."""
    kinds: list[Kind] = [kind for base, kind in _BUILT_IN.items() if issubclass(cls, base)][:1]
    if any(base.__name__ == "ndarray" and base.__module__ == "numpy" for base in cls.__mro__):
        kinds = [_Array()]
    if cls.__module__ == "itertools":
        kinds = [_Progress()]
    if cls is types.FunctionType:
        kinds = [OF_FUNCTION]
    elif cls.__dictoffset__ != 0:
        kinds.append(ATTRIBUTES)
    if cls.__flags__ & (1 << 9) and (members := _members_of(cls)):
        kinds.append(_Slots(members))
    return tuple(kinds)
