"""Copies that regions make of objects that can change.

After a region that binds a variable to another list, the variable holds a copy of the list that the run has chosen.
What changes one of them does not change the other. So none of them may change as long as the program can reach both.
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
from fairlead.errors import DSLError, make_error


def objects_in(value: Any) -> Iterator[Any]:
    """The objects of a value that can change, and that a Carrier copies."""
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
    """Variables of a function of which ``inner``, a region of it that it runs, has values of its own."""
    if inner is None or inner.co_name != code.co_name or inner not in code.co_consts:
        return frozenset()
    return frozenset(inner.co_varnames[: inner.co_argcount])


def _variables() -> Iterator[tuple[str, Any]]:
    """The variables of the functions that are being traced, the innermost first."""
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
    """What the functions that are being traced reach by their variables, by id."""
    return Snapshot([], list(_variables())).seen


def error_of_copy(name: str, construct: str, originals: list[Any]) -> Callable[[], DSLError]:
    """Return a function that makes the error for the later change of a copy that ``name`` holds, or of an original."""
    change = f"to be another {type(originals[0]).__name__}"
    return lambda: make_error("ChangedInRegion", name=name, construct=construct, change=change)


class Copy:
    """A copy and its originals, with their state when it was made. ``error`` is called for a later change, and
    makes the error, if it is one."""

    def __init__(
        self, originals: Iterable[Any], copy: Any, error: Callable[[], Exception | None]
    ) -> None:
        made = {id(each): each for each in objects_in(copy)}
        kept = {id(each): each for each in originals}
        self._originals = [each for key, each in kept.items() if key not in made]
        self._made = [each for key, each in made.items() if key not in kept]
        self._error = error
        every = (*self._originals, *self._made) if self.is_needed else ()
        self._contents = [
            (kind, each, kind.content(each)) for each in every for kind in kinds_of(type(each))
        ]

    @property
    def is_needed(self) -> bool:
        return bool(self._originals and self._made)

    def is_changed(self) -> bool:
        return not all(kind.is_unchanged(each, content) for kind, each, content in self._contents)

    def is_in_use(self, seen: dict[int, Any]) -> bool:
        """True if both the copy and an original are among what is reached."""
        sides = self._originals, self._made
        return all(any(id(each) in seen for each in side) for side in sides)

    def refuse(self) -> None:
        if (error := self._error()) is not None:
            raise error


def note_copy(originals: Iterable[Any], copy: Any, error: Callable[[], Exception | None]) -> None:
    """Has the trace end in an error if a copy, its originals, or other copies of these are changed while both are
    used."""
    originals = with_origins(originals)
    known = current_world().copies_of
    others = [other for each in originals for other in known.get(id(each), {}).values()]
    note_origins(copy, originals)
    found = Copy([*originals, *others], copy, error)
    if found.is_needed:
        current_world().copies.append(found)


def note_origins(copy: Any, originals: Iterable[Any]) -> None:
    """Notes what a copy is of."""
    world = current_world()
    origins = {id(each): each for each in originals}
    for each in objects_in(copy):
        _, kept = world.origins.setdefault(id(each), (each, {}))
        kept.update(origins)
        for key in origins:
            world.copies_of.setdefault(key, {})[id(each)] = each


def with_origins(objects: Iterable[Any]) -> list[Any]:
    """The objects, what they are copies of, what that is a copy of, and so on."""
    found: dict[int, Any] = {}
    todo = list(objects)
    while todo:
        each = todo.pop()
        if id(each) not in found:
            found[id(each)] = each
            todo += current_world().origins.get(id(each), (each, {}))[1].values()
    return list(found.values())


def check_copies(is_end: bool = False) -> None:
    """Raises the error of a copy that has changed, or of which an original has. ``is_end``: the functions that could
    reach them have returned."""
    copies = current_world().copies
    changed = [each for each in copies if each.is_changed()]
    if not changed:
        return
    seen = {} if is_end else reached()
    for each in changed:
        if is_end or each.is_in_use(seen):
            each.refuse()
        copies.remove(each)
