"""Copies that regions make of objects that can change.

After a region that binds a variable to another list, the variable holds a copy of the list that the run has chosen.
A change of one of them does not change the other. So none of them may change as long as the program can reach both.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from types import CodeType, FrameType
from typing import Any

from fairlead._tracing.carry import fields_of_object, is_scalar
from fairlead._tracing.kinds import kinds_of
from fairlead._tracing.marks import is_ours
from fairlead._tracing.reach import Snapshot, current_world, is_mutable
from fairlead._tracing.state import state
from fairlead.errors import DSLError, make_error


def objects_in(value: object) -> Iterator[Any]:
    """Yield the objects of a value that can change, and that a Carrier copies."""
    if is_scalar(value):
        return
    if not isinstance(value, tuple) and is_mutable(value):
        yield value
    if isinstance(value, (tuple, list)):
        for item in value:
            yield from objects_in(item)
    elif (fields := fields_of_object(value)) is not None:
        for part in fields.values():
            yield from objects_in(part)


def _shadowed(inner: CodeType | None, code: CodeType) -> frozenset[str]:
    """Return the variables of a function that ``inner``, a region of that function, holds its own values of."""
    if inner is None or inner.co_name != code.co_name or inner not in code.co_consts:
        return frozenset()
    return frozenset(inner.co_varnames[: inner.co_argcount])


def _variables() -> Iterator[tuple[str, Any]]:
    """Yield the variables of the functions that are being traced, the innermost first."""
    world = current_world()
    frame: FrameType | None = sys._getframe(1)
    inner: CodeType | None = None
    while frame is not None and id(frame) != world.frame:
        code = frame.f_code
        if not is_ours(code):
            shadowed = _shadowed(inner, code)
            for name, value in frame.f_locals.items():
                if not name.startswith("_fl") and name not in shadowed:
                    yield name, value
            world.visit_code(code, frame.f_globals)
            inner = code
        frame = frame.f_back


def reached() -> dict[int, Any]:
    """Return the objects that the traced functions reach by their variables, by id."""
    return Snapshot([], list(_variables())).seen


def error_of_copy(name: str, construct: str, originals: list[Any]) -> Callable[[], DSLError]:
    """Return a function that makes the error for the later change of a copy that ``name`` holds, or of an original."""
    change = f"to be another {type(originals[0]).__name__}"
    return lambda: make_error("ChangedInRegion", name=name, construct=construct, change=change)


class Copy:
    """A copy and its originals, with their state when it was made. ``error`` is called for a later change, and
    makes the error, if it is one."""

    def __init__(
        self, originals: Iterable[Any], copy: object, error: Callable[[], Exception | None]
    ) -> None:
        copied = {id(item): item for item in objects_in(copy)}
        sources = {id(item): item for item in originals}
        self._originals = [item for key, item in sources.items() if key not in copied]
        self._copied = [item for key, item in copied.items() if key not in sources]
        self._error = error
        watched = (*self._originals, *self._copied) if self.is_needed else ()
        self._contents = [
            (kind, item, kind.content(item)) for item in watched for kind in kinds_of(type(item))
        ]

    @property
    def is_needed(self) -> bool:
        """True if the original is another object than the copy."""
        return bool(self._originals and self._copied)

    def is_changed(self) -> bool:
        return not all(kind.is_unchanged(item, content) for kind, item, content in self._contents)

    def is_in_use(self, reachable: dict[int, Any]) -> bool:
        """True if the program can reach both the copy and an original."""
        sides = self._originals, self._copied
        return all(any(id(item) in reachable for item in side) for side in sides)

    def refuse(self) -> None:
        if (error := self._error()) is not None:
            raise error


def note_copy(
    originals: Iterable[Any], copy: object, error: Callable[[], Exception | None]
) -> None:
    """Make later changes of a copy, of its originals or of their other copies an error, as long as two are in use."""
    originals = with_origins(originals)
    copies_of = current_world().copies_of
    others = [other for item in originals for other in copies_of.get(id(item), {}).values()]
    note_origins(copy, originals)
    noted = Copy([*originals, *others], copy, error)
    if noted.is_needed:
        current_world().copies.append(noted)


def note_origins(copy: object, originals: Iterable[Any]) -> None:
    """Note the originals of a copy."""
    world = current_world()
    origins = {id(item): item for item in originals}
    for item in objects_in(copy):
        _, origins_of_item = world.origins.setdefault(id(item), (item, {}))
        origins_of_item.update(origins)
        for key in origins:
            world.copies_of.setdefault(key, {})[id(item)] = item


def with_origins(objects: Iterable[Any]) -> list[Any]:
    """Return the objects, their originals, the originals of these, and so on."""
    reached_by_origin: dict[int, Any] = {}
    pending = list(objects)
    while pending:
        item = pending.pop()
        if id(item) not in reached_by_origin:
            reached_by_origin[id(item)] = item
            pending += current_world().origins.get(id(item), (item, {}))[1].values()
    return list(reached_by_origin.values())


def check_copies(is_end: bool = False) -> None:
    """Raise the error of a copy if it or one of its originals has changed.

    ``is_end``: the functions that could reach them have returned.
    """
    world = state.world
    if world is None or not world.copies:
        return
    copies = world.copies
    changed = [copy for copy in copies if copy.is_changed()]
    if not changed:
        return
    reachable = {} if is_end else reached()
    for copy in changed:
        if is_end or copy.is_in_use(reachable):
            copy.refuse()
        copies.remove(copy)
