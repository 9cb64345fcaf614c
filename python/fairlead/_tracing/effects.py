"""Changes that a run-time region makes to the state of Python that its functions reach.

A branch: each arm is traced from the state on entry. A place that the arms leave with different values gets the one
that the run chooses. A loop: places that its body changes are carried from iteration to iteration; a body that changes
more of them than was known is traced again. A change that cannot be carried is an error at its line.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from fairlead import _compiler
from fairlead._tracing.carry import Carrier, describe, is_within_reach, scalar_type
from fairlead._tracing.copies import check_copies
from fairlead._tracing.kinds import MISSING, WHOLE, is_same
from fairlead._tracing.locating import line_of_change
from fairlead._tracing.marks import note_left, place_of_call
from fairlead._tracing.reach import Place, Snapshot, current_world, is_mutable, spelled
from fairlead._tracing.state import state
from fairlead.errors import DSLError, make_error

Changes = dict[tuple[int, int, Any], tuple[Place, Any]]


def _shown(value: object) -> str:
    """A value for a message; Python's numbers are constants."""
    if isinstance(value, (bool, int, float, str)):
        return f"the constant {value!r}"
    return describe(value)


def _refused(place: Place, new: object, construct: str, what: str | None = None) -> DSLError:
    """The error for a change that cannot be carried."""
    container = None
    if what is None:
        old = place.old
        if place.key is WHOLE:
            if isinstance(old, list) and isinstance(new, list):
                what = f"from {len(old)} to {len(new)} items"
                container = "list"
            else:
                what = "as a whole: items, their order, or how far it has come"
        elif new is MISSING:
            what = "deleted"
        elif old is MISSING:
            what = "made, without a value before"
        else:
            what = f"from {_shown(old)} to {_shown(new)}"
    return make_error(
        "ChangedInRegion", name=place.name, construct=construct, change=what, container=container
    )


def _carrier(place: Place, new: object, construct: str) -> Carrier | None:
    """Return the object that carries a place, with its value ``new`` at the region's end; None if it is unchanged."""
    old = place.old
    if place.key is WHOLE or old is MISSING or new is MISSING:
        raise _refused(place, new, construct)
    if not is_same(old, new) and (is_mutable(old) or is_mutable(new)):
        raise _refused(place, new, construct, "to be another object")
    carrier = Carrier(place.name, old, construct)
    if carrier.leaves:
        return carrier
    try:
        carrier.end(new)
    except DSLError:
        raise _refused(place, new, construct) from None
    return None


class _OfRegion:
    """In a lenient dialect, what an attribute holds after a run-time region that gave it a value instead of None: that
    value is the region's own. Every use is an error, until the attribute is assigned again."""

    __slots__ = ("_construct", "_line", "_name")

    def __init__(self, name: str, construct: str) -> None:
        place = place_of_call()
        self._name, self._construct = name, construct
        self._line = place.line if place else 0

    def _refuse(self, *_: object) -> Any:
        raise make_error("RegionName", name=self._name, construct=self._construct, line=self._line)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # asked for a protocol
            raise AttributeError(name)
        self._refuse()

    __bool__ = __call__ = __getitem__ = __setitem__ = __iter__ = __len__ = __index__ = _refuse
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = _refuse
    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = _refuse
    __hash__ = object.__hash__


def _is_of_region(place: Place) -> bool:
    """In a lenient dialect, True for an attribute of an object that has no value before a loop, or that only one arm of
    a branch sets. Like a variable it has none after the region, nor at the beginning of a loop's next iteration."""
    has_none = place.old is MISSING or place.old is None or isinstance(place.old, _OfRegion)
    return state.dialect.lenient and has_none and place.kind.holds_attributes


def put_of_region(places: Iterable[Place], construct: str) -> None:
    """Give attributes that were None a value that no use accepts."""
    for place in places:
        if place.old is None:
            place.put(_OfRegion(place.name, construct))


class _At:
    """Finds the line of a change: traces the code again, from ``prepare()`` on."""

    def __init__(self, prepare: Callable[[], Any], trace: Callable[[], Any]) -> None:
        self._prepare, self._trace = prepare, trace

    def marked(
        self, error: DSLError, place: Place, is_refused: Callable[[Any], bool] = lambda new: True
    ) -> DSLError:
        """``error`` at the line that gives the place a value that ``is_refused`` rejects."""
        self._prepare()
        kind, owner = place.kind, place.owner
        before = kind.content(owner)

        def is_found() -> bool:
            changes = {key: new for key, _, new in kind.changes(owner, before)}
            return place.key in changes and is_refused(changes[place.key])

        line_changed = line_of_change(self._trace, is_found)
        place.snapshot.restore()
        if line_changed is not None:
            filename, line = line_changed
            error.filename, error.position = filename, (line, line, -1, -1)
        return error


def _refuses(place: Place, construct: str) -> Callable[[Any], bool]:
    """Return a function that is True for values that the place cannot take."""

    def is_refused(value: object) -> bool:
        try:
            if (carrier := _carrier(place, value, construct)) is not None:
                carrier.end(value)
        except Exception:
            return True
        return False

    return is_refused


class Branch:
    """The state that the two arms of a branch leave: ``leave`` is called at the end of each, ``merge`` then gives the
    leaves of both, and ``finish`` takes those after the branch. ``arms`` trace them again, to find a line."""

    def __init__(self, construct: str, snapshot: Snapshot, arms: list[Callable[[], Any]]) -> None:
        self.construct, self.snapshot, self._arms = construct, snapshot, arms
        self._changes: list[Changes] = []
        #: (place, value of both arms)
        self._plain: list[tuple[Place, Any]] = []
        self._carried: list[tuple[Place, Carrier]] = []
        self._of_region: list[Place] = []

    def leave(self) -> None:
        """Note the changes of the arm, and take them back."""
        changes = self.snapshot.changes()
        self._changes.append(changes)
        if changes:
            self.snapshot.restore()

    def merge(self) -> tuple[list[Any], list[Any]]:
        """The values of the changed places at the ends of the two arms."""
        first, second = self._changes
        ends: tuple[list[Any], list[Any]] = [], []
        for key in {**first, **second}:
            place = (first.get(key) or second[key])[0]
            a, b = (changes[key][1] if key in changes else place.old for changes in (first, second))
            if is_same(a, b):
                self._plain.append((place, a))
                continue
            if _is_of_region(place) and any(
                value is place.old or isinstance(value, _OfRegion) for value in (a, b)
            ):
                self._of_region.append(place)
                continue
            refuses = _refuses(place, self.construct)
            which = 0 if key in first and (key not in second or refuses(a)) else 1
            try:
                self._merge(place, a, b, ends)
            except DSLError as error:
                raise self._marked(error, which, place) from None
        return ends

    def _merge(self, place: Place, a: object, b: object, ends: tuple[list[Any], list[Any]]) -> None:
        carrier: Carrier | None
        is_of_both_arms = a is not MISSING and b is not MISSING
        is_unset = place.old is MISSING or _is_of_region(place)
        if is_unset and is_of_both_arms and not is_mutable((a, b)):
            carrier = Carrier(place.name, a, self.construct)
        else:
            carriers = [_carrier(place, value, self.construct) for value in (a, b)]
            carrier = carriers[0] or carriers[1]
        if carrier is None:
            return
        self._carried.append((place, carrier))
        kinds = [scalar_type(leaf) for leaf in carrier.leaves]
        for end, value in zip(ends, (a, b), strict=True):
            end += typed(kinds, carrier.end(value))

    def _marked(self, error: DSLError, which: int, place: Place) -> DSLError:
        return _At(self.snapshot.restore, self._arms[which]).marked(
            error, place, _refuses(place, self.construct)
        )

    def finish(self, leaves: Iterator[Any]) -> None:
        """Store the values that the branch has chosen in their places."""
        for place, value in self._plain:
            place.put(value)
        for place, carrier in self._carried:
            place.put(carrier.build(leaves))
        put_of_region(self._of_region, self.construct)


def typed(kinds: Iterable[type], leaves: Iterable[Any]) -> list[Any]:
    """Leaves whose numbers of Python have got these types."""
    return [
        leaf if isinstance(leaf, _compiler.Numeric) else kind(leaf)
        for kind, leaf in zip(kinds, leaves, strict=True)
    ]


class Again(BaseException):
    """Ends the tracing of a loop whose body has changed places that are not carried, or attributes that are None, which
    have no value in the loop until it gives them one. ``idle``: places that are carried, and that it has not changed.
    """

    def __init__(
        self,
        places: list[Place],
        unset: list[Place] | None = None,
        idle: list[Place] | None = None,
    ) -> None:
        self.places, self.unset, self.idle = places, unset or [], idle or []


class Carried:
    """The places that a loop carries."""

    def __init__(
        self,
        construct: str,
        snapshot: Snapshot,
        places: Iterable[Place],
        learned: set[tuple[Any, ...]],
    ) -> None:
        """``learned``: paths of places; an earlier trace of the loop has shown whether it changes them."""
        self.construct, self.snapshot, self._learned = construct, snapshot, learned
        self._carriers = [(place, Carrier(place.name, place.old, construct)) for place in places]
        #: Fields of MMAs that may stay as they are, with their values at the beginning of an iteration.
        self._fields: list[tuple[Place, Any]] = []
        self._keys = {place.identity for place, _ in self._carriers}
        self.leaves = [leaf for _, carrier in self._carriers for leaf in carrier.leaves]
        self.names = [carrier.name for _, carrier in self._carriers for _ in carrier.leaves]

    def enter(self, leaves: Iterator[Any]) -> None:
        """Gives the places their values at the beginning of an iteration, all else the state on entry."""
        self.snapshot.restore()
        self._fields.clear()
        for place, carrier in self._carriers:
            value = carrier.build(leaves)
            place.put(value)
            if isinstance(place.owner, _compiler.MmaAtom) and place.path not in self._learned:
                self._fields.append((place, value))

    def _idle(self) -> Iterator[Place]:
        """Fields of MMAs that the iteration has left as they were. Without them the loop carries fewer values."""
        for place, value in self._fields:
            is_one_value, end = place.owner._is_one_value, place.get()
            if end is not MISSING and any(is_one_value(end, start) for start in (value, place.old)):
                yield place

    def end(self, prepare: Callable[[], Any], trace: Callable[[], Any]) -> list[Any]:
        """The leaves at the end of an iteration, which is traced again where a change is refused."""
        at = _At(prepare, trace)
        later, unset = [], []
        for key, (place, new) in self.snapshot.changes().items():
            if key in self._keys:
                continue
            if _is_of_region(place) and new is not MISSING:
                unset += [place] if place.old is None else []
                continue
            try:
                if _carrier(place, new, self.construct) is not None:
                    later.append(place)
            except DSLError as error:
                raise at.marked(error, place, _refuses(place, self.construct)) from None
        idle = list(self._idle())
        if later or unset or idle:
            raise Again(later, unset, idle)
        leaves = []
        for place, carrier in self._carriers:
            try:
                value = place.get()
                if is_mutable(value):
                    raise _refused(place, value, self.construct, "to be another object")
                leaves += carrier.end(value)
            except DSLError as error:
                raise at.marked(error, place, _refuses(place, self.construct)) from None
        return leaves


def check_unchanged(construct: str, snapshot: Snapshot, trace: Callable[[], Any]) -> None:
    """DSLError if the condition of a loop, which ``trace`` traces again, has changed a place."""
    for place, new in snapshot.changes().values():
        error = _refused(place, new, construct, "by the condition of the loop")
        raise _At(snapshot.restore, trace).marked(error, place)


def refuse_changes(construct: str, snapshot: Snapshot) -> None:
    """DSLError if a place has changed in a region that cannot be traced again."""
    for place, new in snapshot.changes().values():
        snapshot.restore()
        raise _refused(place, new, construct)


def _is_counter(place: Place, stored: frozenset[str]) -> bool:
    """True for a number that a loop counts on by a method of the place's object, or of one that holds it."""
    if place.key not in getattr(type(place.owner), "__counters__", ()):
        return False
    owner = spelled(place.path[:-1])
    while owner and f"{owner}()" not in stored:
        owner = owner.rpartition(".")[0]
    return bool(owner)


def expected(
    snapshot: Snapshot,
    roots: set[str],
    stored: frozenset[str],
    paths: set[tuple[Any, ...]],
    idle: set[tuple[Any, ...]],
) -> Iterator[Place]:
    """Places that a loop will change: ``paths``, which it has changed before; places that it assigns by name
    (``stored``); and numbers in the objects of ``roots``. ``idle``: places that it has left as they were."""
    if not (roots or stored or paths):
        return
    names = {name.partition(".")[0].partition("(")[0] for name in stored}
    names |= {path[0][0].partition(".")[0] for path in paths}
    for place in snapshot.places(names | roots):
        old = place.old
        is_number = isinstance(old, (bool, int, float, _compiler.Numeric))
        if not is_number and not paths:
            continue
        path = place.path
        is_expected = path in paths
        if not is_expected and is_number and path not in idle:
            text = spelled(path)
            is_expected = text in stored or (
                isinstance(place.key, int) and text.partition("[")[0] in stored
            )
        if not is_expected and isinstance(old, _compiler.Numeric):
            is_expected = _is_counter(place, stored) or (
                path[0][0] in roots and is_within_reach(old)
            )
        if is_expected and not is_mutable(old) and Carrier(place.name, old, "").leaves:
            yield place


class abandoning:
    """``with abandoning(construct, snapshot)``: a run-time region; an error takes back its changes. Copies that
    are made in it are not considered after it."""

    __slots__ = ("_construct", "_copies", "_snapshot")

    def __init__(self, construct: str, snapshot: Snapshot) -> None:
        self._construct, self._snapshot = construct, snapshot

    def __enter__(self) -> None:
        check_copies()
        self._copies = list(current_world().copies)

    def __exit__(self, kind: object, error: BaseException | None, traceback: object) -> None:
        current_world().copies[:] = self._copies
        if error is not None:
            note_left(error, self._construct)
            self._snapshot.restore()
