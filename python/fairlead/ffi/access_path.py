"""The position of a value inside another: the steps from a root through attributes, elements and items."""

from __future__ import annotations

import enum
from collections.abc import Callable
from typing import Any, ClassVar

from fairlead._core import Object
from fairlead.ffi._objects import register_object

__all__ = ["AccessKind", "AccessPath", "AccessStep"]


class AccessKind(enum.IntEnum):
    """The kind of a step; kinds that end in MISSING lead to absent values."""

    ATTR = 0
    ARRAY_ITEM = 1
    MAP_ITEM = 2
    ATTR_MISSING = 3
    ARRAY_ITEM_MISSING = 4
    MAP_ITEM_MISSING = 5


def _quoted(text: str) -> str:
    import json

    return json.dumps(text, ensure_ascii=False)


#: How a step shows that is no attribute; ``{}`` is its key.
_FORMS = {
    AccessKind.ARRAY_ITEM: "[{}]",
    AccessKind.MAP_ITEM: "[{}]",
    AccessKind.ATTR_MISSING: "[<missing:{}>]",
    AccessKind.ARRAY_ITEM_MISSING: "[<missing:{}>]",
    AccessKind.MAP_ITEM_MISSING: "[<missing:{}>]",
}


@register_object("ffi.reflection.AccessStep")
class AccessStep(Object):
    """One step: its ``kind`` (an AccessKind) and its ``key``. Paths make them."""

    __slots__ = ()

    kind: int
    key: Any

    def __init__(self, *args: object, **kwargs: object) -> None:
        raise TypeError("an AccessStep comes from a path: AccessPath.to_steps()")

    def __repr__(self) -> str:
        kind, key = AccessKind(self.kind), self.key
        if kind is AccessKind.ATTR:
            return f".{key}"
        return _FORMS[kind].format(_quoted(key) if isinstance(key, str) else repr(key))


@register_object("ffi.reflection.AccessPath")
class AccessPath(Object):
    """The way from a root to a value. Immutable; equal to a path of equal steps.

    ``AccessPath.root().attr("a").array_item(2)`` is the way to ``x.a[2]``.
    """

    __slots__ = ()

    parent: AccessPath | None
    step: AccessStep | None
    depth: int
    # Methods of the type.
    _root: ClassVar[Any]
    _attr: Callable[[str], AccessPath]
    _attr_missing: Callable[[str], AccessPath]
    _array_item: Callable[[int], AccessPath]
    _array_item_missing: Callable[[int], AccessPath]
    _map_item: Callable[[Any], AccessPath]
    _map_item_missing: Callable[[Any], AccessPath]
    _is_prefix_of: Callable[[AccessPath], bool]
    _to_steps: Callable[[], Any]
    _path_equal: Callable[[AccessPath], bool]

    def __init__(self) -> None:
        raise ValueError(
            "an AccessPath starts at a root and is extended: AccessPath.root().attr(...)"
        )

    @staticmethod
    def root() -> AccessPath:
        """Return the path without a step."""
        path: AccessPath = AccessPath._root()
        return path

    def attr(self, attr_key: str) -> AccessPath:
        """On to an attribute."""
        return self._attr(attr_key)

    def attr_missing(self, attr_key: str) -> AccessPath:
        """On to an attribute that is not there."""
        return self._attr_missing(attr_key)

    def array_item(self, index: int) -> AccessPath:
        """On to an element of a sequence."""
        return self._array_item(index)

    def array_item_missing(self, index: int) -> AccessPath:
        """On to an element that is not there."""
        return self._array_item_missing(index)

    def map_item(self, key: object) -> AccessPath:
        """On to the value of a key."""
        return self._map_item(key)

    def map_item_missing(self, key: object) -> AccessPath:
        """On to the value of a key that is not there."""
        return self._map_item_missing(key)

    def is_prefix_of(self, other: AccessPath) -> bool:
        """True if the other path begins with this one."""
        return bool(self._is_prefix_of(other))

    def to_steps(self) -> Any:
        """Return the steps from the root, an Array of AccessStep."""
        return self._to_steps()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, AccessPath) and bool(self._path_equal(other))

    def __hash__(self) -> int:
        return hash(tuple((step.kind, step.key) for step in self.to_steps()))

    def __repr__(self) -> str:
        return "<root>" + "".join(map(repr, self.to_steps()))
