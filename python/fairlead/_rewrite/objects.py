"""Objects that a run-time region changes in place: ``state.advance()``, ``config.count += 1``.

Of such an object the values that only the compiled program knows go through the region: attributes that hold
numbers or tensors, in objects of any depth, and what ``__extract_mlir_values__`` gives where a class has it. Numbers
of Python stay part of the program: changing one in a region is an error, where keeping the change would be wrong.
"""

from __future__ import annotations

import types
from typing import Any

from fairlead import _compiler
from fairlead._rewrite.carry import has_protocol

_PLAIN = (
    type, types.FunctionType, types.MethodType, types.BuiltinFunctionType, types.ModuleType,
    str, bytes, bool, int, float, complex, type(None),
)  # fmt: skip
# The package's own classes that hold no values of programs.
_OWN = ("fairlead._rewrite", "fairlead._language", "fairlead.cute._functions", "builtins")
_DYNAMIC = (_compiler.Numeric, _compiler.Tensor)


def is_object(value: Any) -> bool:
    """Whether the value's attributes can change: an instance of a class written in Python."""
    return (
        not isinstance(value, _PLAIN)
        and not isinstance(value, (tuple, list, dict, set, frozenset))
        and not type(value).__module__.startswith(_OWN)
        and isinstance(getattr(value, "__dict__", None), dict)
    )


class Fields:
    """The attributes of some objects, as one list of values that a region carries.

    ``values``: those known only at run time, when the region was entered, and ``set`` puts others in their place.
    """

    def __init__(self, roots: list[tuple[str, Any]]) -> None:
        #: (name for messages, object, attribute; None for all that the object's protocol gives)
        self.places: list[tuple[str, Any, str | None]] = []
        self.objects: list[tuple[str, Any, dict[str, Any]]] = []
        seen: set[int] = set()
        for name, root in roots:
            self._visit(name, root, seen, 0)

    def _visit(self, name: str, value: Any, seen: set[int], depth: int) -> None:
        if not is_object(value) or id(value) in seen or depth > 8:
            return
        seen.add(id(value))
        self.objects.append((name, value, dict(vars(value))))
        if has_protocol(value):
            self.places.append((name, value, None))
            return
        for attribute, part in vars(value).items():
            place = f"{name}.{attribute}"
            if isinstance(part, _DYNAMIC):
                self.places.append((place, value, attribute))
            else:
                self._visit(place, part, seen, depth + 1)

    def read(self) -> list[tuple[str, Any]]:
        """(name, value) of every place, as it is now."""
        return [
            (name, list(owner.__extract_mlir_values__()) if attribute is None else vars(owner).get(attribute))
            for name, owner, attribute in self.places
        ]  # fmt: skip

    def write(self, values: list[Any]) -> None:
        """Puts ``values``, in the order of the places, into the objects; all else as it was on entry."""
        self.restore()
        for (_, owner, attribute), value in zip(self.places, values, strict=True):
            if attribute is None:
                made = owner.__new_from_mlir_values__(list(value))
                if made is not owner and made is not None:
                    vars(owner).clear()
                    vars(owner).update(vars(made))
            else:
                vars(owner)[attribute] = value

    def restore(self) -> None:
        for _, owner, entry in self.objects:
            now = vars(owner)
            if now.keys() != entry.keys() or any(now[key] is not entry[key] for key in entry):
                now.clear()
                now.update(entry)

    def changed(self) -> tuple[str, Any, Any] | None:
        """An attribute that is no place and has another value than on entry: its name, old and new value."""
        carried = {(id(owner), attribute) for _, owner, attribute in self.places}
        for name, owner, entry in self.objects:
            if (id(owner), None) in carried:
                continue
            now = vars(owner)
            for attribute in {**entry, **now}:
                old, new = entry.get(attribute), now.get(attribute)
                if (id(owner), attribute) in carried or old is new:
                    continue
                if _same(old, new) and attribute in entry and attribute in now:
                    continue
                return f"{name}.{attribute}", old, new
        return None


class Items:
    """What a region carries of a list or a dict: the items of a list that were there when it was entered, and the
    values of a dict that only the compiled program knows.

    What the region adds is added once, while it is traced, and stays: how much there is is part of the program.
    """

    def __init__(self, container: list[Any] | dict[Any, Any]) -> None:
        self.container = container
        self.entry: Any = container.copy()
        self.keys: Any = range(len(container))
        if isinstance(container, dict):
            self.keys = [key for key, value in container.items() if _is_dynamic(value)]

    def read(self) -> list[Any]:
        """The items as they are now: fewer, where the region has taken some away."""
        if isinstance(self.container, dict):
            return [self.container[key] for key in self.keys if key in self.container]
        return self.container[: len(self.keys)]

    def write(self, items: list[Any]) -> None:
        """Puts ``items`` in their places, and keeps what was added."""
        if isinstance(self.container, dict):
            self.container.update(zip(self.keys, items))
        else:
            self.container[: len(self.keys)] = items

    def changed(self) -> tuple[Any, Any, Any] | None:
        """A constant of a dict that is another one now: its key, old and new value."""
        if isinstance(self.container, dict):
            for key, old in self.entry.items():
                new = self.container.get(key)
                if key not in self.keys and old is not new and not _same(old, new):
                    return key, old, new
        return None

    def restore(self) -> None:
        self.container.clear()
        if isinstance(self.container, dict):
            self.container.update(self.entry)
        else:
            self.container.extend(self.entry)


def _is_dynamic(value: Any) -> bool:
    if isinstance(value, (tuple, list)):
        return any(map(_is_dynamic, value))
    return isinstance(value, _DYNAMIC)


def _same(old: Any, new: Any) -> bool:
    """Equal constants are no change."""
    if isinstance(old, _DYNAMIC) or isinstance(new, _DYNAMIC) or type(old) is not type(new):
        return False
    try:
        return bool(old == new)
    except Exception:
        return False
