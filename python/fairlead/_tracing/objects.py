"""Objects that a run-time region changes in place: ``state.advance()``, ``config.count += 1``.

Of such an object the values that only the compiled program knows go through the region: attributes that hold
numbers or tensors, in objects of any depth, and what ``__extract_mlir_values__`` gives where a class has it. So do
numbers of Python in attributes that the region assigns by name. Others stay part of the program: changing one in a
region is an error, where keeping the change would be wrong.
"""

from __future__ import annotations

import contextlib
import functools
import sys
import types
from collections.abc import Iterator
from typing import Any

from fairlead import _compiler
from fairlead._tracing.carry import has_protocol, is_scalar, numbers_of
from fairlead._tracing.composite import composite_of
from fairlead.errors import DSLError

_PLAIN = (
    type, types.FunctionType, types.MethodType, types.BuiltinFunctionType, types.ModuleType,
    functools.partial, str, bytes, bool, int, float, complex, type(None),
)  # fmt: skip
# The package's own classes that hold no values of programs.
_OWN = (
    "fairlead._tracing", "fairlead.cute._decorated", "fairlead.cute._jit", "fairlead.cute._kernels",
    "fairlead.cute._atoms", "fairlead.cute._struct", "builtins", "fairlead.pipeline._barriers",
    "fairlead.pipeline._pipelines",
)  # fmt: skip
_STANDARD = sys.stdlib_module_names
_DYNAMIC = (_compiler.Numeric, _compiler.Tensor)


def is_object(value: Any) -> bool:
    """Whether the value's attributes can change: an instance of a class written in Python."""
    return _has_state(value) or (
        not isinstance(value, _PLAIN)
        and not isinstance(value, (tuple, list, dict, set, frozenset))
        and not type(value).__module__.startswith(_OWN)
        and (isinstance(getattr(value, "__dict__", None), dict) or bool(_slots_of(type(value))))
    )


def _has_state(value: Any) -> bool:
    """Whether it is an MMA whose products are added or not as ``set`` says: that changes as an attribute does."""
    return isinstance(value, _compiler.MmaAtom) and value._carries


def _slots_of(cls: type) -> dict[str, types.MemberDescriptorType]:
    """The attributes that a class keeps in ``__slots__``; of Python's own classes none."""
    found: dict[str, types.MemberDescriptorType] = {}
    for base in cls.__mro__:
        if "__slots__" in vars(base) and base.__module__.partition(".")[0] not in _STANDARD:
            for name, member in vars(base).items():
                if isinstance(member, types.MemberDescriptorType):
                    found.setdefault(name, member)
    return found


def _attributes(value: Any) -> dict[str, Any]:
    """The attributes of an object as they are now, a copy."""
    if isinstance(value, _compiler.MmaAtom):
        return {"_accumulate": value._accumulate}
    found = dict(getattr(value, "__dict__", ()))
    for name, member in _slots_of(type(value)).items():
        try:
            found[name] = member.__get__(value)
        except AttributeError:  # not set
            continue
    return found


def _set_attribute(value: Any, name: str, part: Any) -> None:
    if isinstance(value, _compiler.MmaAtom):
        value._accumulate = part
        return
    member = _slots_of(type(value)).get(name)
    if member is not None:
        member.__set__(value, part)
    else:
        vars(value)[name] = part


def _set_attributes(value: Any, attributes: dict[str, Any]) -> None:
    """Gives an object these attributes, and no others."""
    if isinstance(value, _compiler.MmaAtom):
        value._accumulate = attributes["_accumulate"]
        return
    slots = _slots_of(type(value))
    for name, member in slots.items():
        if name in attributes:
            member.__set__(value, attributes[name])
        else:
            with contextlib.suppress(AttributeError):
                member.__delete__(value)
    if hasattr(value, "__dict__"):
        vars(value).clear()
        vars(value).update({key: part for key, part in attributes.items() if key not in slots})


def reached(
    name: str, value: Any, depth: int = 4, carried: bool = False
) -> Iterator[tuple[str, Any]]:
    """The objects that a value leads to without being one itself: the items of containers, what a function captures,
    whose method it is. Those that lists and dicts carry as a whole are left out: ``carried``, whether one is around."""
    parts: list[tuple[str, Any]] = []
    if isinstance(value, (tuple, list)):
        parts = [(f"{name}[{index}]", part) for index, part in enumerate(value)]
    elif isinstance(value, dict):
        parts = [(f"{name}[{key!r}]", part) for key, part in value.items()]
    elif isinstance(value, types.FunctionType):
        cells = zip(value.__code__.co_freevars, value.__closure__ or (), strict=True)
        parts = [(free, cell.cell_contents) for free, cell in cells if _is_filled(cell)]
    elif isinstance(value, types.MethodType):
        parts = [(name, value.__self__)]
    elif isinstance(getattr(value, "function", None), types.FunctionType):  # decorated
        parts = [(name, value.function)]
    elif isinstance(value, functools.partial):
        parts = [(name, part) for part in (value.func, *value.args, *value.keywords.values())]
    carried = isinstance(value, (list, dict)) or (carried and isinstance(value, tuple))
    for place, part in parts:
        if is_object(part):
            if not carried or not (has_protocol(part) or hasattr(part, "__dataclass_fields__")):
                yield place, part
        elif depth:
            yield from reached(place, part, depth - 1, carried)


def _values_of(value: Any) -> list[Any]:
    return [part for part in value.__extract_mlir_values__() if isinstance(part, _DYNAMIC)]


def _is_within_reach(value: Any) -> bool:
    """Whether the program that is traced has the value here: not one of an earlier trace, nor one of the host function
    in a kernel."""
    try:
        if composite_of(value) is not None:
            numbers = [each for each in numbers_of(value) if isinstance(each, _DYNAMIC)]
            return all(map(_is_within_reach, numbers))
        if isinstance(value, _compiler.TensorExpr):
            return all(map(_is_within_reach, value._leaves()))
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


def _is_filled(cell: types.CellType) -> bool:
    try:
        cell.cell_contents  # noqa: B018
    except ValueError:
        return False
    return True


class Fields:
    """The attributes of some objects, as one list of values that a region carries.

    ``roots`` are objects that a region has by name. Of those that it ``reaches`` otherwise, only the attributes known
    at run time count: what else changes in them is Python's. ``stored``: attributes that the region assigns by name.
    """

    def __init__(
        self,
        roots: list[tuple[str, Any]],
        reaches: list[tuple[str, Any]],
        stored: frozenset[str] = frozenset(),
    ) -> None:
        self.stored = stored
        #: (name for messages, object, attribute; None for all that the object's protocol gives)
        self.places: list[tuple[str, Any, str | None]] = []
        self.objects: list[tuple[str, Any, dict[str, Any]]] = []
        self._kept: list[tuple[Any, str, Any]] = []
        seen: set[int] = set()
        for name, root in roots:
            self._visit(name, root, seen, 0, True)
        for name, root in reaches:
            self._visit(name, root, seen, 0, False)

    def _visit(self, name: str, value: Any, seen: set[int], depth: int, whole: bool) -> None:
        if not is_object(value) or id(value) in seen or depth > 8:
            return
        seen.add(id(value))
        protocol = has_protocol(value)
        # Of every one, before its attributes are noted: some note in themselves how they were taken apart.
        values = _values_of(value) if protocol else []
        if not whole and not all(map(_is_within_reach, values)):
            return
        if whole or protocol:
            self.objects.append((name, value, _attributes(value)))
        if protocol:
            self.places.append((name, value, None))
            return
        for attribute, part in _attributes(value).items():
            place = f"{name}.{attribute}"
            if _is_carried(part) or (composite_of(part) is not None and not _has_state(part)):
                if not whole:
                    if not _is_within_reach(part):
                        continue
                    self._kept.append((value, attribute, part))
                self.places.append((place, value, attribute))
            elif whole and is_scalar(part) and place in self.stored:
                self.places.append((place, value, attribute))
            else:
                self._visit(place, part, seen, depth + 1, whole)

    def read(self) -> list[tuple[str, Any]]:
        """(name, value) of every place, as it is now."""
        return [
            (name, list(owner.__extract_mlir_values__()) if attribute is None else _attributes(owner).get(attribute))
            for name, owner, attribute in self.places
        ]  # fmt: skip

    def write(self, values: list[Any]) -> None:
        """Puts ``values``, in the order of the places, into the objects; all else as it was on entry."""
        self.restore()
        for (_, owner, attribute), value in zip(self.places, values, strict=True):
            if attribute is None:
                made = owner.__new_from_mlir_values__(list(value))
                if made is not owner and made is not None:
                    _set_attributes(owner, _attributes(made))
            else:
                _set_attribute(owner, attribute, value)

    def restore(self) -> None:
        for owner, attribute, value in self._kept:
            _set_attribute(owner, attribute, value)
        for _, owner, entry in self.objects:
            now = _attributes(owner)
            if now.keys() != entry.keys() or any(now[key] is not entry[key] for key in entry):
                _set_attributes(owner, entry)

    def changed(self) -> tuple[str, Any, Any] | None:
        """An attribute that is no place and has another value than on entry: its name, old and new value."""
        carried = {(id(owner), attribute) for _, owner, attribute in self.places}
        for name, owner, entry in self.objects:
            if (id(owner), None) in carried:
                continue
            now = _attributes(owner)
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


def _is_carried(value: Any) -> bool:
    """Whether it is a run-time value, as a whole."""
    if isinstance(value, _compiler.TensorExpr):
        return bool(value._leaves())
    if isinstance(value, _compiler.CoordTensor):
        return False
    return isinstance(value, (*_DYNAMIC, _compiler.Pointer))


def _is_dynamic(value: Any) -> bool:
    if isinstance(value, (tuple, list)):
        return any(map(_is_dynamic, value))
    return _is_carried(value) or next(numbers_of(value), None) is not None


def _same(old: Any, new: Any) -> bool:
    """Equal constants are no change."""
    if isinstance(old, _DYNAMIC) or isinstance(new, _DYNAMIC) or type(old) is not type(new):
        return False
    try:
        return bool(old == new)
    except Exception:
        return False
