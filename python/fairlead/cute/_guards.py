"""Guards of direct calls: the state that a program reads besides its arguments.

A walk from the function goes through all values that its code may reach, and watches the names that it may read there.
A direct call compiles again if one of them has changed. docs/dev/what-direct-calls-watch.md is the model that this
module follows, and defines its terms: root, reached, place, space, entry, probed, left out.
"""

from __future__ import annotations

import functools
import os
import sys
import weakref
from collections.abc import Iterable
from types import (
    BuiltinFunctionType,
    CellType,
    CodeType,
    FunctionType,
    MemberDescriptorType,
    MethodType,
    ModuleType,
)
from typing import Any, NamedTuple

import fairlead.ffi  # noqa: F401  first: picks the library that the call path needs
from fairlead._core import Guards
from fairlead._core import static_key as static_key
from fairlead._tracing import checking, covering, timelines
from fairlead._tracing.code_reads import reads_of

_OURS = ("fairlead", "cutlass", "builtins")
_MAX_REACHED = 4096  # objects that are looked into
_MAX_ROOT_SETS = 8  # sets of objects whose names are kept
_PLAIN = (int, bool, float, complex, str, bytes, type(None), type(...))
_REPLACED = ("__code__", "__defaults__", "__kwdefaults__")  # what module reloaders change, too
_STANDARD = os.path.dirname(os.__file__) + "/"
_INSTALLED = ("/site-packages/", "/dist-packages/", _STANDARD)
# Special methods that a use of an instance in a traced program does not reach: they show, pickle or delete it.
_SILENT = {"__repr__", "__str__", "__format__", "__del__", "__reduce__", "__reduce_ex__", "__dir__"}
_MAKING = {"__init__", "__new__", "__post_init__"}


class Changing:
    """Names that tracing itself changes, such as a count of traces: they make no other program.

    A value set by one trace is taken as it was left, since it may have been set for good; a value that a second trace
    sets again is left out, and so is at once a list, dict or set that a trace adds to.
    """

    def __init__(self) -> None:
        self.counts: dict[tuple[int, str], tuple[Any, int]] = {}

    def note(self, owner: object, name: str, value: object) -> None:
        key = id(owner), name
        step = 2 if isinstance(value, (list, dict, set)) else 1
        try:
            reference: Any = weakref.ref(owner, lambda _: self.counts.pop(key, None))
        except TypeError:
            reference = owner  # so that its address stays its own
        self.counts[key] = reference, self.counts.get(key, (None, 0))[1] + step

    def is_left_out(self, owner: object, name: str) -> bool:
        return self.counts.get((id(owner), name), (None, 0))[1] > 1


class Dependencies:
    """The names outside of a program, with their values. ``guards`` tells if the values are still the same."""

    def __init__(
        self, function: FunctionType, roots: Iterable[Any] = (), changing: Changing | None = None
    ) -> None:
        walk = _Walk(function, changing or Changing())
        for root in roots:
            walk.visit(root, is_root=True)
        walk.finish()
        self.entries = [(entry.place, entry.name) for entry in walk.entries.values()]
        self.owners = [entry.owner for entry in walk.entries.values()]
        switches = (
            (checking, "active"),
            (checking, "threads"),
            (covering, "active"),
            (timelines, "active"),
        )
        for module, name in switches:
            self.entries.append((vars(module), name))
            self.owners.append(module)
        self.guards = Guards(self.entries)
        self.key = self.guards.key()

    def note_changes(self, changing: Changing) -> bool:
        """Notes the names whose values have changed since; whether there are any."""
        changed = self.guards.changed()
        for index in changed:
            place, name = self.entries[index]
            if isinstance(place, (dict, type)):
                value = (place if isinstance(place, dict) else vars(place)).get(name)
            else:
                value = _content(place) if isinstance(place, CellType) else None
            changing.note(self.owners[index], name, value)
        return bool(changed)


class Reads:
    """The outside names that a function reads, for each set of objects that its calls pass."""

    def __init__(self, function: FunctionType) -> None:
        self.function = function
        self.changing = Changing()
        self._entries: dict[tuple[int, ...], tuple[Dependencies, list[Any]]] = {}

    def now(self, objects: Iterable[Any]) -> Dependencies:
        """Return the names outside of the function, and of these objects, as they are now."""
        roots = [root for root in objects if type(root) not in _PLAIN]
        key = tuple(map(id, roots))  # the roots live as long as the entry
        entry = self._entries.get(key)
        if entry is None or not entry[0].guards.is_unchanged():
            while len(self._entries) >= _MAX_ROOT_SETS:
                self._entries.pop(next(iter(self._entries)), None)
            entry = Dependencies(self.function, roots, self.changing), roots
            self._entries[key] = entry
        return entry[0]


class _Entry(NamedTuple):
    """A watched name. ``owner``: the object whose attribute it is, else the place."""

    place: Any
    name: str
    owner: Any


class _Space(NamedTuple):
    """An object with many names. ``all_names``: watch all of them, and not only names that code reads."""

    place: Any
    owner: Any
    all_names: bool


class _Walk:
    """Goes from the roots through all that the code may read, and collects entries.

    The code does not say whose attribute it reads. So of every object that is reached, those attributes are watched
    whose name any of the reached functions reads.
    """

    def __init__(self, function: FunctionType, changing: Changing) -> None:
        self.root, self.changing = function, changing
        self.entries: dict[tuple[int, str], _Entry] = {}
        # For all functions that were reached, the reads that CodeReads lists.
        self.attributes: set[str] = set()
        self.probed: set[str] = set()
        self.stored: set[str] = set()
        self.computes_names = False
        self.reached: dict[int, Any] = {}
        self.pending: list[Any] = [function]
        self.spaces: list[_Space] = []
        self.root_types: set[type] = set()
        self.instantiated: set[type] = set()  # classes that the code may make objects of
        self.decorated: set[int] = set()  # functions whose code is rewritten once and for all
        self.methods: set[int] = set()
        self.seen_classes: set[type] = set()

    def visit(self, value: object, is_root: bool = False) -> None:
        if is_root:
            self.root_types.add(type(value))
        if type(value) not in _PLAIN:
            self.pending.append(value)

    def finish(self) -> None:
        sizes_before: list[int] = []
        scanned = 0
        while self.pending or scanned < len(self.spaces):
            while self.pending:
                value = self.pending.pop()
                if id(value) not in self.reached and len(self.reached) < _MAX_REACHED:
                    self.reached[id(value)] = value
                    self._look_into(value)
            # More names: all spaces have to be scanned again.
            sets = (self.attributes, self.probed, self.stored, self.instantiated)
            sizes = [*(len(names) for names in sets), int(self.computes_names)]
            if sizes_before != sizes:
                sizes_before, scanned = sizes, 0
            new, scanned = self.spaces[scanned:], len(self.spaces)
            for space in new:
                self._scan(*space)

    def _add(self, place: object, name: str, value: object, owner: object = None) -> None:
        key = id(place), name
        owner = place if owner is None else owner
        if key not in self.entries and not self.changing.is_left_out(owner, name):
            self.entries[key] = _Entry(place, name, owner)
            self.visit(value)

    def _look_into(self, value: Any) -> None:
        if isinstance(value, FunctionType):
            self._function(value)
        elif isinstance(value, MethodType):
            self.visit(value.__func__)
            self.visit(value.__self__)
        elif isinstance(value, ModuleType):
            if value.__name__.partition(".")[0] not in _OURS:
                self.spaces.append(_Space(vars(value), value, False))
        elif isinstance(value, type):
            if not _is_ours(value):
                self.instantiated |= set(value.__mro__)
                self._class(value)
        elif isinstance(value, functools.partial):
            parts: tuple[Any, ...] = (value.func, value.args, value.keywords)
            for part in parts:
                self.visit(part)
        elif isinstance(value, (staticmethod, classmethod)):
            self.visit(value.__func__)
        elif isinstance(value, property):
            for accessor in (value.fget, value.fset):
                self.visit(accessor)
        elif isinstance(value, functools.cached_property):
            self.visit(value.func)
        elif hasattr(type(value), "traced"):
            self.decorated.add(id(value.function))
            self.visit(value.function)
        elif isinstance(value, (dict, list, tuple, set, frozenset)) or not (
            isinstance(value, BuiltinFunctionType) or _is_ours(type(value))
        ):
            self._object(value)

    def _function(self, function: FunctionType) -> None:
        if _is_ours(function):
            return
        if function is not self.root and not self._is_followed(function):
            return
        if function is not self.root and id(function) not in self.decorated:
            for part in _REPLACED[: 1 if id(function) in self.methods else None]:
                self._add(function, part, None)
        self.visit(function.__defaults__)
        self.visit(function.__kwdefaults__)
        code, scope = function.__code__, function.__globals__
        reads = reads_of(code)
        for name in reads.globals if type(scope) is dict else ():
            self._add(scope, name, scope.get(name))
        for cell in function.__closure__ or ():
            self._add(cell, "", _content(cell))
        for name in reads.imported:
            self.visit(sys.modules.get(name))
        if function.__dict__:
            self.spaces.append(_Space(function.__dict__, function, False))
        self.attributes |= reads.attributes
        self.probed |= reads.probed
        self.stored |= reads.stored
        self.computes_names |= reads.computes_names

    def _is_followed(self, function: FunctionType) -> bool:
        """True if names in it are watched: not those of an installed package that the root is not part of."""
        package = (self.root.__module__ or "").partition(".")[0]
        if (function.__module__ or "").partition(".")[0] == package:
            return True
        return not _is_installed(function.__code__)

    def _class(self, cls: type) -> None:
        for base in cls.__mro__:
            # A class statement's, and not one of this package.
            if base not in self.seen_classes and base.__flags__ & (1 << 9) and not _is_ours(base):
                self.spaces.append(_Space(base, base, False))
            self.seen_classes.add(base)
        meta = type(cls)
        if meta is not type:
            self.visit(meta)

    def _object(self, value: object) -> None:
        if isinstance(value, dict):
            for key, part in list(value.items()):
                self.visit(key)
                self.visit(part)
        elif isinstance(value, (list, tuple, set, frozenset)):
            for part in list(value):
                self.visit(part)
        cls = type(value)
        self.visit(getattr(value, "__wrapped__", None) if callable(value) else None)
        try:
            place = object.__getattribute__(value, "__dict__")
        except AttributeError:
            place = None
        if type(place) is not dict and not cls.__flags__ & (1 << 9):
            return
        if cls not in self.seen_classes:
            self._class(cls)
        self.entries[id(value), "__dict__"] = _Entry(value, "__dict__", value)
        # A name that such a class provides may exist under any other name.
        all_names = hasattr(cls, "__getattr__") or isinstance(cls.__getattribute__, FunctionType)
        if type(place) is dict:
            self.spaces.append(_Space(place, value, all_names))
        if any("__slots__" in vars(base) for base in cls.__mro__):
            self.spaces.append(_Space(value, value, all_names))

    def _scan(self, place: object, owner: object, all_names: bool) -> None:
        names = self.attributes | self.probed
        if isinstance(place, type):
            self._scan_class(place, names)
        elif type(place) is not dict:
            self._scan_slots(place, None if all_names or self.computes_names else names)
        elif isinstance(owner, ModuleType):
            for name in names.intersection(place):
                self._add(place, name, place[name])
        else:
            all_names |= self.computes_names and not isinstance(owner, FunctionType)
            for name in list(place) if all_names else names.intersection(place):
                if type(name) is str:
                    self._add(place, name, place[name], owner)
            # An attribute that a class has, or nobody has, the object may get later.
            for name in names.difference(place):
                if name in self.probed or name in self.stored or hasattr(type(owner), name):
                    self._add(place, name, None, owner)

    def _scan_class(self, cls: type, names: set[str]) -> None:
        members = vars(cls)
        skipped = _SILENT if cls in self.instantiated else _SILENT | _MAKING
        if cls in self.root_types:
            skipped = skipped | {"__call__"}
        for name, value in list(members.items()):
            is_special = name.startswith("__") and name not in skipped and _is_code(value)
            if name in names or is_special or (self.computes_names and not name.startswith("__")):
                self.methods.add(id(getattr(value, "__func__", value)))
                self._add(cls, name, value)
        for name in names.difference(members):  # what a base has, or nothing, it may have later
            if name in self.probed or any(name in vars(base) for base in cls.__mro__):
                self._add(cls, name, None)

    def _scan_slots(self, value: object, names: set[str] | None) -> None:
        for cls in type(value).__mro__:
            if "__slots__" not in vars(cls):
                continue
            for name, member in list(vars(cls).items()):
                if type(member) is MemberDescriptorType and (names is None or name in names):
                    try:
                        content = member.__get__(value)
                    except AttributeError:
                        content = None
                    if vars(type(value)).get(name, member) is member:
                        self._add(value, name, content)


def _content(cell: CellType) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # not assigned yet
        return None


def _is_code(value: object) -> bool:
    value = getattr(value, "__func__", value)
    return isinstance(value, (FunctionType, property)) or hasattr(type(value), "traced")


def _is_installed(code: CodeType) -> bool:
    return any(folder in code.co_filename for folder in _INSTALLED)


def _is_ours(value: object) -> bool:
    module = getattr(value, "__module__", None)
    return isinstance(module, str) and module.partition(".")[0] in _OURS
