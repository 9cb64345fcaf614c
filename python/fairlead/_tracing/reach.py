"""The state of Python that the functions of a run-time region reach and may change, and the changes.

A snapshot is taken when a region is entered, and compared when its functions have been traced. It goes from their
variables through objects, containers, functions and classes. Code and classes lead to the state of modules, which is
looked for once in a trace (``World``).
"""

from __future__ import annotations

import enum
import functools
import sys
import types
from collections.abc import Iterable, Iterator
from typing import Any

from fairlead import _compiler
from fairlead._tracing.code_reads import reads_of
from fairlead._tracing.kinds import (
    CELL,
    CLASS,
    DICT,
    MISSING,
    OF_FUNCTION,
    SPACE,
    WHOLE,
    Kind,
    cached,
    kinds_of,
)
from fairlead._tracing.marks import is_ours
from fairlead._tracing.state import state
from fairlead._tracing.syntax import HELPER

# Packages whose modules, classes and functions are no part of a program's state.
_FOREIGN = frozenset(
    "fairlead cutlass numpy torch jax jaxlib triton cuda tvm_ffi ml_dtypes pytest _pytest".split()
) | frozenset(sys.stdlib_module_names)
# Classes of this package whose objects hold a program's state.
_STATEFUL = ("fairlead.pipeline", "fairlead.tasks", "fairlead.utils", "fairlead.compat")
_ENTERED = (
    tuple, frozenset, types.FunctionType, types.MethodType, functools.partial, type, types.ModuleType,
    property, staticmethod, classmethod, types.MappingProxyType,
)  # fmt: skip
# Modules of Python whose objects describe programs.
_DESCRIBING = frozenset(["dataclasses", "typing", "inspect", "abc", "enum"])
_NUMBERS = frozenset(
    [int, float, bool, str, bytes, complex, types.NoneType, types.BuiltinFunctionType]
)


@functools.lru_cache(maxsize=1024)
def _is_foreign(module: str | None) -> bool:
    return (module or "builtins").partition(".")[0] in _FOREIGN


@cached
def _is_decorated(cls: type) -> bool:
    """True for the classes of functions that are traced."""
    return hasattr(cls, "traced") and cls.__module__.startswith("fairlead.")


@cached
def _is_entered(cls: type) -> bool:
    """True if values of the class lead to others, whether they hold state or not."""
    return issubclass(cls, _ENTERED) or _is_decorated(cls)


@cached
def _is_leaf(cls: type) -> bool:
    """True if values of the class neither hold state nor lead to any."""
    if cls in _NUMBERS or isinstance(cls, enum.EnumMeta) or cls.__module__ in _DESCRIBING:
        return True
    if issubclass(cls, _ENTERED) or cls is _compiler.MmaAtom or issubclass(cls, _compiler.MmaAtom):
        return False
    module = cls.__module__ or ""
    if module.startswith("fairlead") and not module.startswith(_STATEFUL):
        return not _is_decorated(cls)
    return not kinds_of(cls)


def is_mutable(value: Any) -> bool:
    """True if the value's state can change in place, or that of a part of it."""
    if isinstance(value, tuple):
        return any(map(is_mutable, value))
    params = getattr(type(value), "__dataclass_params__", None)
    if params is not None and params.frozen:
        return any(is_mutable(getattr(value, name)) for name in value.__dataclass_fields__)
    return not _is_leaf(type(value)) and bool(kinds_of(type(value)))


class Place:
    """A place in an object that a region has changed: a variable, an attribute, an item.

    Attributes:
        old: the value on entry; MISSING if it had none.
    """

    __slots__ = ("_record", "key", "kind", "old", "owner", "snapshot")

    def __init__(self, snapshot: Snapshot, record: int, key: object, old: object) -> None:
        self.snapshot, self._record, self.key, self.old = snapshot, record, key, old
        self.kind, self.owner = snapshot.records[record][:2]

    @property
    def identity(self) -> tuple[int, int, Any]:
        return id(self.owner), id(self.kind), self.key

    @property
    def path(self) -> tuple[Any, ...]:
        return (*self.snapshot.path(self._record), (self.kind.step, self.key))

    @property
    def name(self) -> str:
        """The place as a program writes it."""
        return spelled(self.path)

    def get(self) -> Any:
        parts = dict(self.kind.parts(self.owner, self.kind.content(self.owner)))
        return parts.get(self.key, MISSING)

    def put(self, value: object) -> None:
        self.kind.put(self.owner, self.key, value)


def spelled(path: Iterable[Any]) -> str:
    """The text of a path of steps."""
    text = ""
    for step, key in path:
        if key is WHOLE or not step:
            continue
        text += step.format(key)
    return text.lstrip(".")


def _is_static(cell: types.CellType) -> bool:
    """True if the value of a variable is no state and leads to none."""
    try:
        return _is_leaf(type(cell.cell_contents))
    except ValueError:
        return True


def _is_trivial(function: types.FunctionType) -> bool:
    """True if a function cannot change any state: it names no globals, and its variables hold none."""
    return not reads_of(function.__code__).globals and all(
        map(_is_static, function.__closure__ or ())
    )


class World:
    """The state of modules and classes that the code of one trace reaches."""

    def __init__(self) -> None:
        self._seen: dict[Any, Any] = {}
        #: (kind, owner, name)
        self.spaces: list[tuple[Kind, Any, str]] = []
        #: (kind, owner, place, name) of values that hold state
        self.roots: list[tuple[Kind, Any, Any, str]] = []
        #: For loops, the results of their earlier traces (variables.Learned).
        self.learned: dict[Any, Any] = {}
        #: Copies that regions have made (copies.Copy).
        self.copies: list[Any] = []
        #: For each copy, by id: the copy and its original.
        self.origins: dict[int, tuple[Any, dict[int, Any]]] = {}
        #: For each original, by id: its copies, by id.
        self.copies_of: dict[int, dict[int, Any]] = {}
        #: The id of the first frame of the trace.
        self.frame = 0
        #: The latest state of each space, by the ids of its kind and owner.
        self._contents: dict[tuple[int, int], Any] = {}

    def _is_new(self, value: object, *what: str) -> bool:
        key = (id(value), *what)
        if key in self._seen:
            return False
        self._seen[key] = value
        return True

    def is_known(self, cls: type) -> bool:
        return (id(cls),) in self._seen

    def content(self, kind: Kind, owner: object) -> Any:
        """Return the state of a space. Snapshots between which it does not change share one copy."""
        key = id(kind), id(owner)
        content = self._contents.get(key)
        if content is None or not kind.is_unchanged(owner, content):
            content = self._contents[key] = kind.content(owner)
        return content

    def visit_function(self, function: types.FunctionType) -> None:
        """Visits a function that is no variable of a region: what its code reads, and its own state."""
        if not self._is_new(function) or _is_foreign(function.__globals__.get("__name__")):
            return
        self.visit_code(function.__code__, function.__globals__)
        bound = reads_of(function.__code__).rebound
        for name, cell in zip(
            function.__code__.co_freevars, function.__closure__ or (), strict=True
        ):
            if name != HELPER and (name in bound or not _is_static(cell)):
                self._value(CELL.content(cell).get(""), cell, "", name, name in bound)
        for values in (function.__defaults__ or (), (function.__kwdefaults__ or {}).values()):
            for value in values:
                self._value(value, None, None, function.__name__)

    def visit_code(self, code: types.CodeType, scope: dict[str, Any]) -> None:
        """Visits the globals that a function's code names."""
        if not self._is_new(code) or _is_foreign(scope.get("__name__")):
            return
        self.visit_space(scope)
        reads = reads_of(code)
        attributes = reads.attributes | reads.probed | reads.stored
        for name in reads.globals:
            if name in scope:
                self._global(scope, name, attributes, name in reads.changed_globals)

    def visit_space(self, scope: dict[str, Any]) -> None:
        if self._is_new(scope):
            self.spaces.append((SPACE, scope, ""))

    def _global(
        self, scope: dict[str, Any], name: str, attributes: frozenset[str], stores: bool
    ) -> None:
        value = scope[name]
        if isinstance(value, types.ModuleType):
            inner = vars(value)
            if not _is_foreign(value.__name__):
                self.visit_space(inner)
                for attribute in attributes.intersection(inner):
                    if self._is_new(inner, "global", attribute):
                        self._global(inner, attribute, attributes, stores)
            return
        if (
            isinstance(value, types.FunctionType)
            and stores
            and not _is_foreign(value.__globals__.get("__name__"))
            and self._is_new(value, "attributes")
        ):
            self.spaces.append((OF_FUNCTION, value, name))
        self._value(value, scope, name, name)

    def _value(
        self, value: Any, owner: object, key: Any, name: str, is_bound: bool = False
    ) -> None:
        """Visits a value of a module, a class or a function. ``is_bound``: code gives it others."""
        if is_bound:
            self.roots.append((CELL, owner, key, name))
        if isinstance(value, types.FunctionType):
            self.visit_function(value)
        elif isinstance(value, type):
            self.visit_class(value)
        elif isinstance(value, (staticmethod, classmethod)):
            self._value(value.__func__, None, None, name)
        elif isinstance(value, property):
            for part in (value.fget, value.fset, value.fdel):
                self._value(part, None, None, name)
        elif _is_decorated(type(value)):
            self._value(value.function, None, None, name)
        elif not _is_leaf(type(value)) and not isinstance(value, types.ModuleType):
            kind: Kind = CLASS if isinstance(owner, type) else SPACE
            if isinstance(owner, types.CellType):
                kind = CELL
            elif owner is None:
                kind, owner, key = DICT, {"": value}, ""
            if self._is_new(owner, "root", key):
                self.roots.append((kind, owner, key, name))

    def visit_class(self, cls: type) -> None:
        if isinstance(cls, enum.EnumMeta) or self.is_known(cls):
            return
        for base in cls.__mro__:
            if not self._is_new(base) or _is_foreign(base.__module__):
                continue
            self.spaces.append((CLASS, base, base.__name__))
            for name, value in list(vars(base).items()):
                if isinstance(value, types.FunctionType) or not name.startswith("__"):
                    self._value(value, base, name, f"{base.__name__}.{name}")


def current_world() -> World:
    """The world of the trace; outside of traces, where regions are errors of their own, an empty one."""
    return state.world or World()


def snapshot_of_caller() -> Snapshot:
    """The state that the innermost function of the user's reaches, whose body is a region in part."""
    frame: types.FrameType | None = sys._getframe(1)
    while frame is not None and is_ours(frame.f_code):
        frame = frame.f_back
    if frame is None:
        return Snapshot([])
    current_world().visit_code(frame.f_code, frame.f_globals)
    return Snapshot([], frame.f_locals.items())


class Snapshot:
    """The state that functions reach, as it is now.

    ``values`` are the variables that they are given. ``own``: variables of the functions around them that they bind,
    which are no state.
    """

    def __init__(
        self,
        functions: Iterable[types.FunctionType],
        values: Iterable[tuple[str, Any]] = (),
        rebound: Iterable[str] = (),
    ) -> None:
        #: (kind, owner, content, record that leads here or -1, steps from it)
        self.records: list[tuple[Kind, Any, Any, int, tuple[Any, ...]]] = []
        #: The objects that were reached, by id.
        self.seen: dict[int, Any] = {}
        self._waiting: list[tuple[Any, int, tuple[Any, ...]]] = []
        world = current_world()
        functions = list(functions)
        for name, value in values:
            self._add(value, -1, ((name, ""),))
        if functions and not self._waiting and all(map(_is_trivial, functions)):
            return
        for function in functions:
            world.visit_code(function.__code__, function.__globals__)
            self._cells(function, -1, frozenset(rebound))
        self._walk(world)
        # Since the walk may find code that leads to more.
        done = [0, 0]
        while done != [len(world.spaces), len(world.roots)]:
            spaces, roots = world.spaces[done[0] :], world.roots[done[1] :]
            done = [len(world.spaces), len(world.roots)]
            for kind, owner, name in spaces:
                if id(owner) not in self.seen or kind is OF_FUNCTION:
                    self.seen[id(owner)] = owner
                    self.records.append(
                        (kind, owner, world.content(kind, owner), -1, ((name, ""),))
                    )
            for kind, owner, key, name in roots:
                if kind is CELL:
                    self._cell(owner, name, -1, False)
                elif kind is CLASS:
                    self._add(vars(owner).get(key), -1, ((name, ""),))
                else:
                    self._add(owner.get(key), -1, ((name, ""),))
            self._walk(world)

    def _add(self, value: object, parent: int, step: tuple[Any, ...]) -> None:
        if not _is_leaf(type(value)):
            self._waiting.append((value, parent, step))

    def _cell(self, cell: types.CellType, name: str, parent: int, is_rebound: bool) -> None:
        if id(cell) in self.seen:
            return
        self.seen[id(cell)] = cell
        if is_rebound:  # its value is one of those that are given
            return
        content = CELL.content(cell)
        self.records.append((CELL, cell, content, parent, ((name, ""),)))
        for value in content.values():
            self._add(value, len(self.records) - 1, ())

    def _cells(self, function: types.FunctionType, parent: int, rebound: frozenset[str]) -> None:
        names, bound = function.__code__.co_freevars, reads_of(function.__code__).rebound
        for name, cell in zip(names, function.__closure__ or (), strict=True):
            if name != HELPER and (name in bound or not _is_static(cell)):
                self._cell(cell, name, -1, name in rebound)

    def _walk(self, world: World) -> None:
        waiting, visited, records = self._waiting, self.seen, self.records
        while waiting:
            value, parent, step = waiting.pop()
            if id(value) in visited:
                continue
            visited[id(value)] = value
            cls = type(value)
            if _is_entered(cls):
                self._enter(world, value, parent, step)
                if issubclass(cls, (frozenset, type, types.ModuleType)) or _is_decorated(cls):
                    continue
            for kind in kinds_of(cls):
                content = kind.content(value)
                records.append((kind, value, content, parent, step))
                index = len(records) - 1
                for key, part in kind.parts(value, content):
                    if not _is_leaf(type(part)):
                        waiting.append((part, index, ((kind.step, key),)))
            if cls.__flags__ & (1 << 9) and not world.is_known(cls):
                world.visit_class(cls)

    def _enter(self, world: World, value: Any, parent: int, step: tuple[Any, ...]) -> None:
        """Goes on from a value that holds no state itself."""
        if isinstance(value, (tuple, frozenset)):
            names = getattr(type(value), "_fields", None)
            for index, part in enumerate(value):
                inner = (".{}", names[index]) if names else ("[{!r}]", index)
                self._add(part, parent, (*step, inner))
        elif isinstance(value, types.FunctionType):
            if not _is_foreign(value.__globals__.get("__name__")):
                world.visit_code(value.__code__, value.__globals__)
                self._cells(value, parent, frozenset())
                for part in (value.__defaults__, value.__kwdefaults__):
                    self._add(part, parent, step)
        elif isinstance(value, types.MethodType):
            self._add(value.__self__, parent, step)
            self._add(value.__func__, parent, step)
        elif isinstance(value, functools.partial):
            for part in (value.func, value.args, value.keywords):
                self._add(part, parent, step)
        elif isinstance(value, type):
            world.visit_class(value)
        elif isinstance(value, types.ModuleType):
            if not _is_foreign(value.__name__):
                world.visit_space(vars(value))
                for name, part in list(vars(value).items()):
                    if not isinstance(part, (types.ModuleType, type, types.FunctionType)):
                        self._add(part, parent, (*step, (".{}", name)))
        elif isinstance(value, property):
            for part in (value.fget, value.fset):
                self._add(part, parent, step)
        elif isinstance(value, (staticmethod, classmethod)):
            self._add(value.__func__, parent, step)
        elif _is_decorated(type(value)):
            self._add(value.function, parent, step)

    def path(self, record: int) -> tuple[Any, ...]:
        """The steps to the object of a record, from a variable."""
        steps: tuple[Any, ...] = ()
        while record >= 0:
            *_, parent, step = self.records[record]
            steps = (*step, *steps)
            record = parent
        return steps

    def changes(self) -> dict[tuple[int, int, Any], tuple[Place, Any]]:
        """The places that have other values than in the snapshot, with these."""
        changes = {}
        for index, (kind, owner, content, *_) in enumerate(self.records):
            if not kind.is_unchanged(owner, content):
                for key, old, new in kind.changes(owner, content):
                    place = Place(self, index, key, old)
                    changes[place.identity] = place, new
        return changes

    def restore(self) -> None:
        """Gives all objects the state of the snapshot."""
        for kind, owner, content, *_ in self.records:
            if not kind.is_unchanged(owner, content):
                kind.restore(owner, content)

    def places(self, names: set[str]) -> Iterator[Place]:
        """The places in objects that these variables lead to, and in the globals of modules."""
        heads: list[str] = []
        for index, (kind, owner, content, parent, step) in enumerate(self.records):
            head = heads[parent] if parent >= 0 else step[0][0].partition(".")[0]
            heads.append(head)
            if not head or head in names:
                for key, value in kind.parts(owner, content):
                    yield Place(self, index, key, value)
