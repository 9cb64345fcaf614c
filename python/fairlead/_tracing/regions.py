"""What rewritten code calls while it is traced: each construct decides whether it runs now, in Python, or becomes
a branch or a loop of the compiled program."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from typing import Any

from fairlead import _compiler
from fairlead._tracing import language
from fairlead._tracing.carry import Carrier, describe, is_scalar, scalar_type
from fairlead._tracing.counted import Counted
from fairlead._tracing.expressions import Expressions, boolean, is_dynamic, same_kind
from fairlead._tracing.marks import note_left
from fairlead._tracing.objects import Fields, Items, is_object, reached
from fairlead._tracing.transform import RegionInfo
from fairlead.errors import DSLError, make_error

Values = tuple[Any, ...]
_LEAVING = {"break": "BreakInLoop", "continue": "ContinueInLoop", "return": "ReturnInRegion"}


class _Unbound:
    def __repr__(self) -> str:
        return "<unbound>"


class Leaving:
    """A region left before its end: by return, break or continue."""

    __slots__ = ("kind", "position", "value")

    def __init__(self, kind: str, value: Any, position: tuple[int, int, int, int]) -> None:
        self.kind, self.value, self.position = kind, value, position


def _settled(result: tuple[Any, Leaving | None]) -> tuple[Values, Leaving | None]:
    """What a region ended with, after its ``finally``."""
    values, leaving = result
    return values if isinstance(values, tuple) else values(), leaving


def _marked(error: DSLError, position: tuple[int, int, int, int] | None) -> DSLError:
    error.position = position  # type: ignore[attr-defined]
    return error


_MOST_UNROLLED = 256


def _unrolled(iterable: Any) -> list[Any] | None:
    """The numbers of a loop that is to be unrolled completely and is known while tracing: it is traced once for each,
    so that registers are indexed by constants. None for other loops."""
    bounds = iterable.start, iterable.stop, iterable.step
    if not iterable.unroll_full or not all(type(bound) is int for bound in bounds):
        return None
    numbers = range(*bounds)
    if len(numbers) > _MOST_UNROLLED:
        return None
    return [_compiler.Int32(number) for number in numbers]


class _Carried:
    """Everything that one run-time region carries: re-bound names, then the items of lists and the attributes of
    objects that may be changed in place."""

    def __init__(self, info: RegionInfo, entry: Values, objects: Values) -> None:
        self.info = info
        # A name without a value before the region has none after it either.
        self.positions = [index for index in info.carried if entry[index] is not Regions.UNBOUND]
        self.carriers = [
            Carrier(info.names[index], entry[index], info.construct) for index in self.positions
        ]
        own, captured = objects[: len(info.mutated)], objects[len(info.mutated) :]
        named = list(zip(info.mutated, own, strict=True))
        self.lists = [(name, Items(value)) for name, value in named if type(value) in (list, dict)]
        self.carriers += [
            Carrier(name, items.read(), info.construct, constants=name not in info.stored)
            for name, items in self.lists
        ]
        self.fields = Fields(
            [(name, value) for name, value in named if is_object(value)],
            [each for name, value in named for each in reached(name, value)]
            + [
                each
                for name, value in zip(info.captured, captured, strict=True)
                if not isinstance(value, (tuple, list, dict))
                for each in ([(name, value)] if is_object(value) else reached(name, value))
            ],
            info.stored,
        )
        self.first_field = len(self.carriers)
        self.carriers += [
            Carrier(name, value, info.construct) for name, value in self.fields.read()
        ]
        self.leaves = [leaf for carrier in self.carriers for leaf in carrier.leaves]
        self.names = [carrier.name for carrier in self.carriers for _ in carrier.leaves]

    def enter(self, leaves: list[Any], entry: Values) -> Values:
        """The region's arguments when the carried scalars are ``leaves``."""
        iterator = iter(leaves)
        values = [carrier.build(iterator) for carrier in self.carriers]
        arguments = list(entry)
        for position, value in zip(self.positions, values):
            arguments[position] = value
        items = values[len(self.positions) : self.first_field]
        for (_, target), value in zip(self.lists, items, strict=True):
            target.write(value)
        self.fields.write(values[self.first_field :])
        return tuple(arguments)

    def end(self, result: tuple[Values, Leaving | None]) -> list[Any]:
        """The carried scalars at the region's end; errors name the variable and point at its last binding."""
        values, leaving = result
        if leaving is not None:
            opposite = self.info.inverted
            found = make_error(
                _LEAVING[leaving.kind],
                help=f"`if {opposite}:` around what follows" if opposite else None,
                construct=self.info.construct,
            )
            raise _marked(found, leaving.position)
        by_position = dict(zip(self.info.carried, values, strict=True))
        ends = [by_position[position] for position in self.positions]
        ends += [target.read() for _, target in self.lists]
        ends += [value for _, value in self.fields.read()]
        changed = self.fields.changed()
        for name, items in self.lists:
            if changed is None and (found := items.changed()) is not None:
                changed = f"{name}[{found[0]!r}]", *found[1:]
        if changed is not None:
            name, old, new = changed
            raise make_error(
                "CarriedStructure",
                name=name,
                construct=self.info.construct,
                expected=_constant(old),
                got=_constant(new),
            )
        leaves = []
        for carrier, value in zip(self.carriers, ends, strict=True):
            if value is Regions.UNBOUND:
                value = carrier.entry
            try:
                leaves += carrier.end(value)
            except DSLError as error:
                raise _marked(error, self.info.bindings.get(carrier.name)) from None
        return leaves

    def after(self, leaves: list[Any], entry: Values) -> Values:
        """The values of the carried names after the region; lists are changed in place."""
        arguments = self.enter(leaves, entry)
        return tuple(arguments[index] for index in self.info.carried)

    def abandon(self) -> None:
        """Gives lists and objects what they had on entry: the program is given up."""
        for _, target in self.lists:
            target.restore()
        self.fields.restore()


class _Tracing(threading.local):
    """The run-time regions that this thread traces, the innermost last."""

    def __init__(self) -> None:
        self.regions: list[RegionInfo] = []


_tracing = _Tracing()


class _abandoning:
    """``with _abandoning(carried)``: a run-time region; an error puts lists and objects back."""

    __slots__ = ("carried",)

    def __init__(self, carried: _Carried) -> None:
        self.carried = carried

    def __enter__(self) -> None:
        _tracing.regions.append(self.carried.info)

    def __exit__(self, kind: Any, error: Any, traceback: Any) -> None:
        _tracing.regions.pop()
        if kind is not None:
            note_left(error, self.carried.info.construct)
            self.carried.abandon()


def _end_of_other(carrier: Carrier, value: Any) -> list[Any]:
    """What the other arm gives a name that the first arm bound; DSLError where the two do not go together."""
    if value is Regions.UNBOUND:
        raise make_error("CarriedObject", name=carrier.name, construct=carrier.construct, got="")
    if is_scalar(value) and is_scalar(carrier.entry):
        same_kind(carrier.entry, value)
        return [value]
    return carrier.end(value)


def _constant(value: Any) -> str:
    """A value for a message about attributes, whose Python numbers are constants."""
    constant = is_scalar(value) and not is_dynamic(value)
    return f"the constant {value!r}" if constant else describe(value)


class Regions(Expressions):
    """The helper object of one rewritten function."""

    UNBOUND = _Unbound()

    def __init__(self, infos: list[RegionInfo]) -> None:
        self.infos = infos

    def get(self, read: Callable[[], Any]) -> Any:
        """A variable's value, or UNBOUND."""
        try:
            return read()
        except NameError:
            return Regions.UNBOUND

    leave = Leaving

    def raising(self, number: int, position: tuple[int, int, int, int]) -> None:
        """Before a ``raise`` whose innermost region is ``number``: an error where that is one of run time."""
        info = self.infos[number]
        if any(region is info for region in _tracing.regions):
            raise _marked(
                make_error(
                    "UnsupportedSyntax",
                    construct=f"`raise` in a run-time `{info.construct}`, which would be raised while tracing, "
                    "whatever the condition (cute.testing.assert_ checks when the program runs),",
                ),
                position,
            )

    def if_(
        self,
        number: int,
        test: Any,
        then: Callable,
        otherwise: Callable,
        entry: Values,
        objects: Values,
    ) -> tuple:
        if not is_dynamic(test):
            return _settled((then if test else otherwise)(*entry))
        info = self.infos[number]
        if fresh := [index for index in info.fresh if entry[index] is Regions.UNBOUND]:
            return self._binding_if(info, fresh, test, then, otherwise, entry, objects), None
        carried = _Carried(info, entry, objects)

        def region(function: Callable) -> Callable[[], list[Any]]:
            # The branches see the same lists, so each starts from their contents on entry.
            return lambda: carried.end(function(*carried.enter(carried.leaves, entry)))

        with _abandoning(carried):
            leaves = _compiler.if_else(
                test, carried.names, carried.leaves, region(then), region(otherwise)
            )
        return carried.after(leaves, entry), None

    @staticmethod
    def _binding_if(
        info: RegionInfo,
        fresh: list[int],
        test: Any,
        then: Callable,
        otherwise: Callable,
        entry: Values,
        objects: Values,
    ) -> Values:
        """A branch whose arms both bind names that have no value before: ``fresh``, their positions. A name whose two
        values differ in structure has none after it either."""
        carried = _Carried(info, entry, objects)
        types = [scalar_type(leaf) for leaf in carried.leaves]
        bound: dict[int, Carrier] = {}
        lost: set[int] = set()

        def arm(function: Callable) -> tuple[list[Any], dict[int, Any]]:
            result = function(*carried.enter(carried.leaves, entry))
            ends = zip(types, carried.end(result), strict=True)
            leaves = [
                end if isinstance(end, _compiler.Numeric) else kind(end) for kind, end in ends
            ]
            return leaves, dict(zip(info.carried, result[0], strict=True))

        def first() -> list[Any]:
            leaves, values = arm(then)
            for index in fresh:
                if values[index] is not Regions.UNBOUND:
                    bound[index] = Carrier(info.names[index], values[index], info.construct)
                    leaves += bound[index].leaves
            return leaves

        def second() -> list[Any]:
            leaves, values = arm(otherwise)
            for index, carrier in bound.items():
                try:
                    leaves += _end_of_other(carrier, values[index])
                except DSLError:
                    lost.add(index)
                    leaves += [scalar_type(leaf)(0) for leaf in carrier.leaves]
            return leaves

        with _abandoning(carried):
            leaves = _compiler.conditional(test, first, second)
        values = list(carried.after(leaves[: len(types)], entry))
        rest = iter(leaves[len(types) :])
        for index, carrier in bound.items():
            value = carrier.build(rest)
            if index not in lost:
                values[info.carried.index(index)] = value
        return tuple(values)

    def for_(
        self, number: int, iterable: Any, body: Callable, entry: Values, objects: Values
    ) -> tuple:
        info = self.infos[number]
        if not isinstance(iterable, language.range):
            return self._python_loop(info, iter(iterable), body, entry, objects)
        if info.has_else:
            raise make_error("ElseOfLoop", construct=info.construct)
        if (numbers := _unrolled(iterable)) is not None:
            return self._python_loop(info, iter(numbers), body, entry, objects)
        if info.broke is not None:
            return self._breaking_for(info, iterable, body, entry, objects), None, True
        carried = _Carried(info, entry, objects)

        def region(variable: Any, leaves: list[Any]) -> list[Any]:
            return carried.end(body(variable, *carried.enter(leaves, entry)))

        ahead = {"prefetch_stages": iterable.prefetch_stages} if iterable.prefetch_stages else {}
        with _abandoning(carried):
            leaves = _compiler.for_loop(
                iterable.start,
                iterable.stop,
                iterable.step,
                carried.names,
                carried.leaves,
                region,
                unroll=iterable.unroll,
                unroll_full=iterable.unroll_full,
                vectorize=iterable.vectorize,
                **ahead,
            )
        return carried.after(leaves, entry), None, True

    @staticmethod
    def _breaking_for(
        info: RegionInfo, iterable: Any, body: Callable, entry: Values, objects: Values
    ) -> Values:
        """A run-time ``for`` that a ``break`` may end: a ``while`` that counts iterations."""
        numbers = Counted(iterable)
        carried = _Carried(info, entry, objects)
        broke = carried.names.index(info.names[info.broke])  # type: ignore[index]

        def goes_on(leaves: list[Any]) -> Any:
            return _compiler.not_(leaves[broke]) & (leaves[-1] < numbers.count)

        def iteration(leaves: list[Any]) -> list[Any]:
            variable = numbers.number(leaves[-1])
            ends = carried.end(body(variable, *carried.enter(leaves[:-1], entry)))
            return [*ends, leaves[-1] + 1]

        with _abandoning(carried):
            leaves = _compiler.while_loop(
                [*carried.names, "the count of iterations"],
                [*carried.leaves, numbers.first],
                goes_on,
                iteration,
            )
        return carried.after(leaves[:-1], entry)

    def _python_loop(
        self, info: RegionInfo, items: Iterator, body: Callable, entry: Values, objects: Values
    ) -> tuple:
        for item in items:
            if info.broke is not None and is_dynamic(entry[info.broke]):
                values = self._unless_broken(info, item, body, entry, objects)
                entry = self._merged(info, entry, values)
                continue
            values, leaving = _settled(body(item, *entry))
            entry = self._merged(info, entry, values)
            if leaving is not None and leaving.kind != "continue":
                return (
                    self._carried_values(info, entry),
                    leaving if leaving.kind == "return" else None,
                    False,
                )
            if info.broke is not None and not is_dynamic(entry[info.broke]) and entry[info.broke]:
                break
        return self._carried_values(info, entry), None, True

    def _unless_broken(
        self, info: RegionInfo, item: Any, body: Callable, entry: Values, objects: Values
    ) -> Values:
        """An iteration of a loop that is unrolled while tracing, where only the run knows whether it was left."""
        carried = _Carried(info, entry, objects)

        def iteration() -> list[Any]:
            return carried.end(body(item, *carried.enter(carried.leaves, entry)))

        def nothing() -> list[Any]:
            values = carried.enter(carried.leaves, entry)
            return carried.end((tuple(values[index] for index in info.carried), None))

        with _abandoning(carried):
            leaves = _compiler.if_else(
                _compiler.not_(entry[info.broke]),  # type: ignore[index]
                carried.names,
                carried.leaves,
                iteration,
                nothing,
            )
        return carried.after(leaves, entry)

    def while_(
        self, number: int, test: Callable, body: Callable, entry: Values, objects: Values
    ) -> tuple:
        info = self.infos[number]
        while True:
            condition = test(*entry)
            if is_dynamic(condition):
                return self._run_time_while(info, test, body, entry, objects)
            if not condition:
                return self._carried_values(info, entry), None, True
            values, leaving = _settled(body(*entry))
            entry = self._merged(info, entry, values)
            if leaving is not None and leaving.kind != "continue":
                return (
                    self._carried_values(info, entry),
                    leaving if leaving.kind == "return" else None,
                    False,
                )

    def _run_time_while(
        self, info: RegionInfo, test: Callable, body: Callable, entry: Values, objects: Values
    ) -> tuple:
        if info.has_else:
            raise make_error("ElseOfLoop", construct=info.construct)
        carried = _Carried(info, entry, objects)
        with _abandoning(carried):
            leaves = _compiler.while_loop(
                carried.names,
                carried.leaves,
                lambda values: boolean(test(*carried.enter(values, entry))),
                lambda values: carried.end(body(*carried.enter(values, entry))),
            )
        return carried.after(leaves, entry), None, True

    @staticmethod
    def _merged(info: RegionInfo, entry: Values, values: Values) -> Values:
        arguments = list(entry)
        for position, value in zip(info.carried, values, strict=True):
            arguments[position] = value
        return tuple(arguments)

    @staticmethod
    def _carried_values(info: RegionInfo, entry: Values) -> Values:
        return tuple(entry[position] for position in info.carried)
