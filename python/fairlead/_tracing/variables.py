"""Variables that a run-time region binds: what the arms of a branch leave in them, and how a loop carries them."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from types import FrameType
from typing import Any

from fairlead._tracing.carry import Carrier, is_scalar, scalar_type
from fairlead._tracing.effects import Again, typed
from fairlead._tracing.expressions import same_kind
from fairlead._tracing.kinds import is_same
from fairlead._tracing.marks import is_ours
from fairlead._tracing.reach import Snapshot, current_world, is_mutable
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
    error.position = info.bindings.get(name)  # type: ignore[attr-defined]
    return error


def _changed(info: RegionInfo, name: str, change: str) -> DSLError:
    found = make_error("ChangedInRegion", name=name, construct=info.construct, change=change)
    return _at_binding(found, info, name)


def _file_of_caller() -> str:
    """The file of the innermost function of the user's."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and is_ours(frame.f_code):
        frame = frame.f_back
    return frame.f_code.co_filename if frame is not None else "?"


def _other_names(snapshot: Snapshot, name: str, value: Any) -> str | None:
    """Where a list or an object that the variable holds has another name: "here", in the function that is being
    traced or in what the region reaches; "around", in a function that has called it; None if it is not seen to."""
    if id(value) in snapshot.shared:
        return "here"
    frame: FrameType | None = sys._getframe(1)
    where = "here"
    while frame is not None:
        if not is_ours(frame.f_code) and not frame.f_code.co_name.startswith("<"):
            for other, held in frame.f_locals.items():
                is_same_variable = other == name and where == "here"
                if held is value and not is_same_variable and not other.startswith("_fl_entry_"):
                    return where
            if name in frame.f_locals:  # regions have frames of their own
                where = "around"
        frame = frame.f_back
    return None


def _check_choice(
    info: RegionInfo, snapshot: Snapshot, name: str, old: Any, new: Any
) -> DSLError | None:
    """DSLError if a variable is given another mutable object, while its old or its new one has another name: changes
    through that name would, or would not, be changes of the variable's. The result is the error if the merged object
    is changed later, where only callers have another name for the old one."""
    if is_same(old, new):
        return None
    later = None
    for value in (old, new):
        if type(value) is not tuple and is_mutable(value):
            if value is not old and id(value) in snapshot.seen:
                raise _changed(info, name, f"to be another {type(value).__name__}")
            where = _other_names(snapshot, name, value) if value is old else None
            if where is not None:
                later = _changed(info, name, f"to be another {type(value).__name__}")
                later.filename = _file_of_caller()  # type: ignore[attr-defined]
            if where == "here" and later is not None:
                raise later
    return later


class Chosen:
    """The variables of a branch."""

    def __init__(self, info: RegionInfo, entry: Values, snapshot: Snapshot) -> None:
        self._info, self._entry, self._snapshot = info, entry, snapshot
        self._carriers = {
            index: Carrier(info.names[index], entry[index], info.construct)
            for index in info.carried
            if entry[index] is not UNBOUND
        }
        self._values: list[dict[int, Any]] = []
        #: Of each arm, the leaves of each variable, or why there are none.
        self._leaves: list[dict[int, list[Any] | DSLError]] = []
        self._results: dict[int, Any] = {}
        self._merged: list[tuple[int, Carrier]] = []
        self._later: dict[int, DSLError] = {}

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

    def _end(self, carrier: Carrier, value: Any, is_bound: bool) -> list[Any]:
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
        return ends

    def _merge(self, index: int, a: Any, b: Any, ends: tuple[list[Any], list[Any]]) -> None:
        carrier, name = self._carriers[index], self._info.names[index]
        both = [leaves[index] for leaves in self._leaves]
        is_bound = self._entry[index] is not UNBOUND
        for leaves in both:
            if isinstance(leaves, DSLError):
                if not is_bound:  # of two structures: it has no value after the branch
                    self._results[index] = UNBOUND
                    return
                raise _at_binding(leaves, self._info, name)
        old = self._entry[index] if is_bound else a
        for value in (a, b):
            if (later := _check_choice(self._info, self._snapshot, name, old, value)) is not None:
                self._later[index] = later
        self._merged.append((index, carrier))
        kinds = [scalar_type(leaf) for leaf in carrier.leaves]
        for end, leaves in zip(ends, both, strict=True):
            end += typed(kinds, leaves) if is_bound else leaves  # type: ignore[arg-type]

    def finish(self, leaves: Iterator[Any]) -> Values:
        """The variables after the branch."""
        for index, carrier in self._merged:
            self._results[index] = carrier.build(leaves)
            if index in self._later:
                current_world().watch(self._results[index], self._later[index])
        return tuple(self._results[index] for index in self._info.carried)


class Learned:
    """What the tracing of a loop has found out about it, for when it is traced again.

    Attributes:
        paths: places that it changes.
        rebuilt: variables to which it gives other objects; ``kept``: those whose object stays the same.
    """

    def __init__(self) -> None:
        self.paths: set[tuple[Any, ...]] = set()
        self.rebuilt: set[int] = set()
        self.kept: set[int] = set()


class Rebound:
    """The variables of a loop.

    One that holds an object that can change keeps it as long as the body gives it no other: what is changed in the
    object is the state's. Of a list, another one is expected.
    """

    def __init__(
        self, info: RegionInfo, entry: Values, snapshot: Snapshot, learned: Learned
    ) -> None:
        self._info, self._entry, self._snapshot, self._learned = info, entry, snapshot, learned
        # A variable without a value before the loop has none after it either.
        bound = [index for index in info.carried if entry[index] is not UNBOUND]
        mutable = {index for index in bound if is_mutable(entry[index])}
        kept = {index for index in mutable if not isinstance(entry[index], (list, dict))}
        self.kept = ((kept | learned.kept) & mutable) - learned.rebuilt
        self._carriers = {
            index: Carrier(info.names[index], entry[index], info.construct)
            for index in bound
            if index not in self.kept
        }
        self._mutable = mutable
        self._given: dict[int, Any] = {}
        self._later: dict[int, DSLError] = {}
        carriers = self._carriers.values()
        self.leaves = [leaf for carrier in carriers for leaf in carrier.leaves]
        self.names = [carrier.name for carrier in carriers for _ in carrier.leaves]

    def enter(self, leaves: Iterator[Any]) -> Values:
        """The variables at the beginning of an iteration, or after the loop."""
        arguments = list(self._entry)
        for index, carrier in self._carriers.items():
            arguments[index] = self._given[index] = carrier.build(leaves)
        return tuple(arguments)

    def end(self, values: Values) -> list[Any]:
        """The leaves at the end of an iteration."""
        ends = dict(zip(self._info.carried, values, strict=True))
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
        leaves = []
        for index, carrier in self._carriers.items():
            value, name = ends[index], self._info.names[index]
            if value is UNBOUND:
                raise _changed(self._info, name, "deleted")
            try:
                leaves += carrier.end(value)
            except DSLError as error:
                raise _at_binding(error, self._info, name) from None
            if value is not self._given[index]:
                old = self._entry[index]
                if (
                    later := _check_choice(self._info, self._snapshot, name, old, value)
                ) is not None:
                    self._later[index] = later
        return leaves

    def watch(self, arguments: Values) -> None:
        """Refuses later changes of what the loop has left in its variables, if these have other names."""
        for index, error in self._later.items():
            current_world().watch(arguments[index], error)
