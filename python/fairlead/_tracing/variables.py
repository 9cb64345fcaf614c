"""Variables that a run-time region binds: their values after the arms of a branch, and how a loop carries them."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from fairlead._tracing.carry import Carrier, is_scalar, scalar_type
from fairlead._tracing.copies import (
    error_of_copy,
    note_copy,
    note_origins,
    objects_in,
    with_origins,
)
from fairlead._tracing.effects import Again, typed
from fairlead._tracing.expressions import same_kind
from fairlead._tracing.kinds import is_same
from fairlead._tracing.marks import at_place, place_of_call
from fairlead._tracing.reach import Snapshot, is_mutable
from fairlead._tracing.transform import RegionInfo
from fairlead.errors import DSLError, make_error

Values = tuple[Any, ...]


class _Unbound:
    def __repr__(self) -> str:
        return "<unbound>"


#: The value of a variable that has none.
UNBOUND = _Unbound()


def _at_binding(error: DSLError, info: RegionInfo, name: str) -> DSLError:
    """``error`` where the region binds the variable last."""
    error.position = info.bindings.get(name)
    return error


def _changed(info: RegionInfo, name: str, change: str) -> DSLError:
    refusal = make_error("ChangedInRegion", name=name, construct=info.construct, change=change)
    return _at_binding(refusal, info, name)


def _error_of_copy(info: RegionInfo, name: str, originals: list[Any]) -> Callable[[], DSLError]:
    """Return a function that makes the error for a variable whose copy or whose original is changed later."""
    place = place_of_call()
    make = error_of_copy(name, info.construct, originals)
    return lambda: _at_binding(at_place(make(), place), info, name)


def _check_one_name(info: RegionInfo, ends: Iterable[tuple[int, Any]]) -> None:
    """DSLError if a region ends with one object in two of its variables: each would get a copy."""
    visited: set[int] = set()
    for index, value in ends:
        for part in objects_in(value):
            if id(part) in visited:
                name = info.names[index]
                raise _at_binding(error_of_copy(name, info.construct, [part])(), info, name)
            visited.add(id(part))


class Chosen:
    """The variables of a branch."""

    def __init__(self, info: RegionInfo, entry: Values) -> None:
        self._info, self._entry = info, entry
        self._carriers = {
            index: Carrier(info.names[index], entry[index], info.construct)
            for index in info.carried
            if entry[index] is not UNBOUND
        }
        self._values: list[dict[int, Any]] = []
        #: For each arm, the leaves of each variable, or the reason why it has none.
        self._leaves: list[dict[int, list[Any] | DSLError]] = []
        self._results: dict[int, Any] = {}
        self._merged: list[tuple[int, Carrier]] = []

    def leave(self, values: Values) -> None:
        """Notes the values at the end of an arm."""
        ends = dict(zip(self._info.carried, values, strict=True))
        leaves: dict[int, list[Any] | DSLError] = {}
        for index, value in ends.items():
            if value is UNBOUND:
                continue
            is_bound = index in self._carriers
            if not is_bound and not self._values:
                self._carriers[index] = Carrier(
                    self._info.names[index], value, self._info.construct
                )
            if index in self._carriers:
                try:
                    leaves[index] = self._end(self._carriers[index], value, is_bound)
                except DSLError as error:
                    leaves[index] = error
        self._values.append(ends)
        self._leaves.append(leaves)

    def _end(self, carrier: Carrier, value: object, is_bound: bool) -> list[Any]:
        if self._values and not is_bound and is_scalar(value) and is_scalar(carrier.entry):
            same_kind(carrier.entry, value)
            return [value]
        return carrier.end(value)

    def merge(self) -> tuple[list[Any], list[Any]]:
        """The leaves of the two arms, of variables with different values."""
        ends: tuple[list[Any], list[Any]] = [], []
        for index in self._info.carried:
            a, b = (values[index] for values in self._values)
            if is_same(a, b):
                self._results[index] = a
            elif a is UNBOUND or b is UNBOUND:
                self._results[index] = UNBOUND
            else:
                self._merge(index, a, b, ends)
        for values in self._values:
            _check_one_name(self._info, ((index, values[index]) for index, _ in self._merged))
        return ends

    def _merge(self, index: int, a: object, b: object, ends: tuple[list[Any], list[Any]]) -> None:
        carrier, name = self._carriers[index], self._info.names[index]
        both = [leaves[index] for leaves in self._leaves]
        is_bound = self._entry[index] is not UNBOUND
        for leaves in both:
            if isinstance(leaves, DSLError):
                if not is_bound:  # of two structures: it has no value after the branch
                    self._results[index] = UNBOUND
                    return
                raise _at_binding(leaves, self._info, name)
        self._merged.append((index, carrier))
        kinds = [scalar_type(leaf) for leaf in carrier.leaves]
        for end, leaves in zip(ends, both, strict=True):
            end += typed(kinds, leaves) if is_bound else leaves  # type: ignore[arg-type]

    def finish(self, leaves: Iterator[Any]) -> Values:
        """The variables after the branch."""
        for index, carrier in self._merged:
            self._results[index] = carrier.build(leaves)
        return tuple(self._results[index] for index in self._info.carried)

    def note_copies(self) -> None:
        """Refuses later changes of objects that the branch has copied, and of the copies, if both are used."""
        for index, _ in self._merged:
            values = [self._entry[index], *(values[index] for values in self._values)]
            if originals := [part for value in values for part in objects_in(value)]:
                error = _error_of_copy(self._info, self._info.names[index], originals)
                note_copy(originals, self._results[index], error)


class Learned:
    """The results of tracing a loop once, for its next trace.

    Attributes:
        paths: places that it changes; ``idle``: places that were expected to change, and do not.
        rebuilt: variables that get other objects; ``kept``: variables whose object stays the same.
        held: for variables that get other objects, the objects with other names that they may hold, by id.
    """

    def __init__(self) -> None:
        self.paths: set[tuple[Any, ...]] = set()
        self.idle: set[tuple[Any, ...]] = set()
        self.rebuilt: set[int] = set()
        self.kept: set[int] = set()
        self.held: dict[int, dict[int, Any]] = {}


class Rebound:
    """The variables of a loop.

    A variable that holds a mutable object keeps it as long as the body assigns no other: changes of the
    object are the state's. For a list, another one is expected.
    """

    def __init__(
        self, info: RegionInfo, entry: Values, snapshot: Snapshot, learned: Learned
    ) -> None:
        self._info, self._entry, self._snapshot, self._learned = info, entry, snapshot, learned
        # A variable without a value before the loop has none after it either.
        bound = [index for index in info.carried if entry[index] is not UNBOUND]
        mutable = {index for index in bound if is_mutable(entry[index])}
        fixed = {index for index in mutable if not isinstance(entry[index], (list, dict))}
        self.kept = ((fixed | learned.kept) & mutable) - learned.rebuilt
        self._carriers = {
            index: Carrier(info.names[index], entry[index], info.construct)
            for index in bound
            if index not in self.kept
        }
        self._mutable = mutable
        self._given: dict[int, Any] = {}
        #: Variables whose object at the beginning, or before the loop, an iteration has changed.
        self._touched: set[int] = set()
        #: For each variable that is bound again, the objects that it may hold after the loop.
        self._originals: dict[int, list[Any]] = {}
        carriers = self._carriers.values()
        self.leaves = [leaf for carrier in carriers for leaf in carrier.leaves]
        self.names = [carrier.name for carrier in carriers for _ in carrier.leaves]

    def enter(self, leaves: Iterator[Any]) -> Values:
        """The variables at the beginning of an iteration, or after the loop."""
        arguments = list(self._entry)
        for index, carrier in self._carriers.items():
            arguments[index] = self._given[index] = carrier.build(leaves)
        return tuple(arguments)

    def note_given(self, arguments: Values) -> None:
        """Refuse changes, in an iteration, of objects that its variables hold at its beginning, or held before."""
        for index in self._carriers.keys() & self._mutable:
            if index in self._learned.rebuilt:
                held = self._learned.held.get(index, {}).values()
                self._note(index, arguments[index], [*objects_in(self._entry[index]), *held])
            else:  # It may turn out to be kept.
                note_copy(
                    objects_in(self._entry[index]),
                    arguments[index],
                    functools.partial(self._touched.add, index),
                )

    def end(self, values: Values) -> list[Any]:
        """The leaves at the end of an iteration."""
        ends = dict(zip(self._info.carried, values, strict=True))
        self._learn(ends)
        leaves = []
        for index, carrier in self._carriers.items():
            value, name = ends[index], self._info.names[index]
            if value is UNBOUND:
                raise _changed(self._info, name, "deleted")
            try:
                leaves += carrier.end(value)
            except DSLError as error:
                raise _at_binding(error, self._info, name) from None
        _check_one_name(self._info, ((index, ends[index]) for index in self._carriers))
        self._originals = {
            index: [*objects_in(self._entry[index]), *objects_in(ends[index])]
            for index in self._carriers
        }
        return leaves

    def _learn(self, ends: dict[int, Any]) -> None:
        """Trace the loop again if the expectations of its variables do not hold."""
        learned = self._learned
        for index in self.kept:
            if ends[index] is not self._entry[index]:
                learned.rebuilt.add(index)
        for index in self._mutable - self.kept - learned.rebuilt:
            if ends[index] is self._given[index]:
                learned.kept.add(index)
        if learned.rebuilt & self.kept or learned.kept & self._mutable - self.kept:
            learned.kept -= learned.rebuilt
            raise Again([])
        anew = self._carriers.keys() & self._mutable
        is_again = bool(anew & self._touched)
        learned.rebuilt |= anew
        for index in anew:
            originals = [*objects_in(self._entry[index]), *objects_in(ends[index])]
            note_origins(self._given[index], originals)
            held = learned.held.setdefault(index, {})
            ids = set(map(id, objects_in(self._entry[index])))
            for part in with_origins(objects_in(ends[index])):
                if id(part) in self._snapshot.seen and id(part) not in ids and id(part) not in held:
                    held[id(part)] = part
                    is_again = True
        if is_again:
            raise Again([])

    def note_copies(self, arguments: Values) -> None:
        """Refuses later changes of objects that the loop has copied, and of the copies, if both are used."""
        for index, originals in self._originals.items():
            self._note(index, arguments[index], originals)

    def _note(self, index: int, copy: object, originals: list[Any]) -> None:
        if originals:
            error = _error_of_copy(self._info, self._info.names[index], originals)
            note_copy(originals, copy, error)
