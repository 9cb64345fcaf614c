"""The functions that rewritten code calls while it is traced: each construct either runs now, in Python, or becomes
a branch or a loop of the compiled program."""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from fairlead import _compiler
from fairlead._tracing import language
from fairlead._tracing.copies import check_copies
from fairlead._tracing.counted import Counted
from fairlead._tracing.covered import Marks
from fairlead._tracing.effects import (
    Again,
    Branch,
    Carried,
    abandoning,
    check_unchanged,
    expected,
    put_of_region,
)
from fairlead._tracing.expressions import Expressions, boolean, is_dynamic
from fairlead._tracing.reach import Snapshot, current_world
from fairlead._tracing.transform import RegionInfo
from fairlead._tracing.value_trees import print_loop
from fairlead._tracing.variables import UNBOUND, Chosen, Learned, Rebound
from fairlead.errors import DSLError, make_error

Values = tuple[Any, ...]
_LEAVING = {"break": "BreakInLoop", "continue": "ContinueInLoop", "return": "ReturnInRegion"}


class Leaving:
    """A region left before its end: by return, break or continue."""

    __slots__ = ("kind", "position", "value")

    def __init__(self, kind: str, value: object, position: tuple[int, int, int, int]) -> None:
        self.kind, self.value, self.position = kind, value, position


def _settled(result: tuple[Any, Leaving | None]) -> tuple[Values, Leaving | None]:
    """The end of a region, after its ``finally``."""
    values, leaving = result
    return values if isinstance(values, tuple) else values(), leaving


def _marked(error: DSLError, position: tuple[int, int, int, int] | None) -> DSLError:
    error.position = position
    return error


_MOST_UNROLLED = 256


def _unrolled(iterable: language.range) -> list[Any] | None:
    """The numbers of a loop that is to be unrolled completely and is known while tracing: it is traced once for each,
    so that registers are indexed by constants. None for other loops."""
    bounds = iterable.start, iterable.stop, iterable.step
    if not iterable.unroll_full or not all(type(bound) is int for bound in bounds):
        return None
    numbers = range(*bounds)
    if len(numbers) > _MOST_UNROLLED:
        return None
    return [_compiler.Int32(number) for number in numbers]


class _Tracing(threading.local):
    """The run-time regions that this thread traces, the innermost last."""

    def __init__(self) -> None:
        self.regions: list[RegionInfo] = []


_tracing = _Tracing()


def innermost_region() -> RegionInfo | None:
    """Return the run-time region that this thread traces."""
    return _tracing.regions[-1] if _tracing.regions else None


class _region:
    """``with _region(info, snapshot)``: a run-time region is traced; an error takes back its changes."""

    __slots__ = ("_abandoning", "_info")

    def __init__(self, info: RegionInfo, snapshot: Snapshot) -> None:
        self._info, self._abandoning = info, abandoning(info.construct, snapshot)

    def __enter__(self) -> None:
        self._abandoning.__enter__()
        _tracing.regions.append(self._info)

    def __exit__(self, *error: Any) -> None:
        _tracing.regions.pop()
        self._abandoning.__exit__(*error)


def _ended(info: RegionInfo, result: tuple[Any, Leaving | None]) -> Values:
    """The carried values at a run-time region's end, which must not be left before."""
    values, leaving = result
    if leaving is not None:
        id = "ReturnOfValue" if leaving.value is not None else _LEAVING[leaving.kind]
        refusal: DSLError = _compiler.make_error(
            id, construct=info.construct, inverted=info.inverted or None
        )
        raise _marked(refusal, leaving.position)
    return values if isinstance(values, tuple) else values()


def _snapshot(info: RegionInfo, functions: list[Any], entry: Values) -> Snapshot:
    """The state that a region's functions reach: their own variables, and those of the functions around them."""
    plain = [getattr(function, "func", function) for function in functions]
    return Snapshot(plain, zip(info.names, entry, strict=True), info.names)


class Loop:
    """A run-time loop that is being traced: the variables and the places that it carries."""

    def __init__(
        self, info: RegionInfo, entry: Values, snapshot: Snapshot, learned: Learned
    ) -> None:
        self._info = info
        self._variables = Rebound(info, entry, snapshot, learned)
        roots = {info.names[index] for index in self._variables.kept}
        places = expected(snapshot, roots, info.stored, learned.paths, learned.idle)
        self._carried = Carried(info.construct, snapshot, places, learned.paths | learned.idle)
        self.leaves = [*self._variables.leaves, *self._carried.leaves]
        self.names = [*self._variables.names, *self._carried.names]

    def enter(self, leaves: list[Any]) -> Values:
        """The variables of an iteration, when the carried scalars are ``leaves``; the state becomes its own."""
        iterator = iter(leaves)
        arguments = self._variables.enter(iterator)
        self._carried.enter(iterator)
        return arguments

    def iterate(self, body: Callable[[Values], Any], leaves: list[Any]) -> list[Any]:
        """Traces an iteration; the carried scalars at its end."""
        arguments = self.enter(leaves)
        self._variables.note_given(arguments)
        values = _ended(self._info, body(arguments))
        check_copies()
        ends = self._variables.end(values)
        traces: list[Values] = []
        prepare, trace = lambda: traces.append(self.enter(leaves)), lambda: body(traces[-1])
        return [*ends, *self._carried.end(prepare, trace)]

    def after(self, leaves: list[Any]) -> Values:
        """The carried variables after the loop."""
        arguments = self.enter(leaves)
        self._variables.note_copies(arguments)
        return tuple(arguments[index] for index in self._info.carried)


def _loop(
    info: RegionInfo, functions: list[Any], entry: Values, emit: Callable[[Loop], list[Any]]
) -> Values:
    """A run-time loop, which is traced until all that its body changes is carried; the variables after it."""
    snapshot = _snapshot(info, functions, entry)
    learned = current_world().learned.setdefault(info, Learned())
    carried = [(info.names[i], entry[i]) for i in info.carried if entry[i] is not UNBOUND]
    print_loop(info.construct, info.line, len(_tracing.regions), carried)
    while True:
        loop = Loop(info, entry, snapshot, learned)
        try:
            with _region(info, snapshot):
                leaves = emit(loop)
        except Again as again:
            learned.paths.update(place.path for place in again.places)
            learned.idle.update(place.path for place in again.idle)
            if again.unset:
                put_of_region(again.unset, info.construct)
                snapshot = _snapshot(info, functions, entry)
            continue
        return loop.after(leaves)


class Regions(Expressions):
    """The helper object of one rewritten function."""

    UNBOUND = UNBOUND

    def __init__(self, infos: list[RegionInfo], file: str) -> None:
        self.infos = infos
        self.marks = Marks(file)

    def get(self, read: Callable[[], Any]) -> Any:
        """A variable's value, or UNBOUND."""
        try:
            return read()
        except NameError:
            return UNBOUND

    leave = Leaving
    changed = staticmethod(check_copies)

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
        then: Callable[..., Any],
        otherwise: Callable[..., Any],
        entry: Values,
    ) -> tuple[Any, ...]:
        if not is_dynamic(test):
            return _settled((then if test else otherwise)(*entry))
        return self._branch(self.infos[number], test, [then, otherwise], entry), None

    @staticmethod
    def _branch(
        info: RegionInfo, test: _compiler.Numeric, functions: list[Any], entry: Values
    ) -> Values:
        """A run-time branch; the variables after it."""
        snapshot = _snapshot(info, functions, entry)
        variables = Chosen(info, entry)
        then, otherwise = functions
        branch = Branch(
            info.construct,
            snapshot,
            [functools.partial(function, *entry) for function in functions],
        )

        def arm(function: Callable[..., Any]) -> Callable[[], None]:
            def traced() -> None:
                variables.leave(_ended(info, function(*entry)))
                check_copies()
                branch.leave()

            return traced

        def ends() -> list[list[Any]]:
            pairs = zip(variables.merge(), branch.merge(), strict=True)
            return [[*values, *places] for values, places in pairs]

        # Variables that are first bound in the arms are chosen like the value of an expression.
        may_compute = any(entry[index] is UNBOUND for index in info.fresh)
        with _region(info, snapshot):
            leaves = iter(_compiler.branch(test, arm(then), arm(otherwise), ends, may_compute))
        values = variables.finish(leaves)
        branch.finish(leaves)
        variables.note_copies()
        return values

    def for_(
        self, number: int, iterable: Iterable[Any], body: Callable[..., Any], entry: Values
    ) -> tuple[Any, ...]:
        info = self.infos[number]
        if not isinstance(iterable, language.range):
            return self._python_loop(info, iter(iterable), body, entry)
        if info.has_else:
            raise make_error("ElseOfLoop", construct=info.construct)
        if (numbers := _unrolled(iterable)) is not None:
            return self._python_loop(info, iter(numbers), body, entry)
        if info.broke is not None:
            return self._breaking_for(info, iterable, body, entry), None, True
        ahead = {"prefetch_stages": iterable.prefetch_stages} if iterable.prefetch_stages else {}

        def emit(loop: Loop) -> list[Any]:
            def region(variable: object, leaves: list[Any]) -> list[Any]:
                return loop.iterate(lambda arguments: body(variable, *arguments), leaves)

            values: list[Any] = _compiler.for_loop(
                iterable.start,
                iterable.stop,
                iterable.step,
                loop.names,
                loop.leaves,
                region,
                unroll=iterable.unroll,
                unroll_full=iterable.unroll_full,
                vectorize=iterable.vectorize,
                **ahead,
            )
            return values

        return _loop(info, [body], entry, emit), None, True

    @staticmethod
    def _breaking_for(
        info: RegionInfo, iterable: language.range, body: Callable[..., Any], entry: Values
    ) -> Values:
        """A run-time ``for`` that a ``break`` may end: a ``while`` that counts iterations."""
        numbers = Counted(iterable)

        def emit(loop: Loop) -> list[Any]:
            broke = loop.names.index(info.names[info.broke])  # type: ignore[index]

            def goes_on(leaves: list[Any]) -> Any:
                return _compiler.not_(leaves[broke]) & (leaves[-1] < numbers.count)

            def iteration(leaves: list[Any]) -> list[Any]:
                variable = numbers.number(leaves[-1])
                ends = loop.iterate(lambda arguments: body(variable, *arguments), leaves[:-1])
                return [*ends, leaves[-1] + 1]

            values: list[Any] = _compiler.while_loop(
                [*loop.names, "the count of iterations"],
                [*loop.leaves, numbers.first],
                goes_on,
                iteration,
            )
            return values

        return _loop(info, [body], entry, emit)

    def _python_loop(
        self, info: RegionInfo, items: Iterator[Any], body: Callable[..., Any], entry: Values
    ) -> tuple[Any, ...]:
        for item in items:
            if info.broke is not None and is_dynamic(entry[info.broke]):
                values = self._unless_broken(info, item, body, entry)
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
        self, info: RegionInfo, item: object, body: Callable[..., Any], entry: Values
    ) -> Values:
        """An iteration of a loop that is unrolled while tracing, where only the run knows whether it was left."""

        def nothing(*arguments: object) -> tuple[Values, None]:
            return self._carried_values(info, arguments), None

        iteration = functools.partial(body, item)
        going = _compiler.not_(entry[info.broke])  # type: ignore[index]
        return self._branch(info, going, [iteration, nothing], entry)

    def while_(
        self, number: int, test: Callable[..., Any], body: Callable[..., Any], entry: Values
    ) -> tuple[Any, ...]:
        info = self.infos[number]
        while True:
            condition = self._first_test(info, test, entry)
            if is_dynamic(condition):
                return self._run_time_while(info, test, body, entry)
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

    @staticmethod
    def _first_test(info: RegionInfo, test: Callable[..., Any], entry: Values) -> Any:
        """The condition before the loop. Of one that only the run knows, nothing stays: it is the loop's."""
        snapshot = _snapshot(info, [test], entry)
        tests: list[Any] = []

        def attempt() -> bool:
            tests.append(test(*entry))
            return not is_dynamic(tests[0])

        copies = current_world().copies
        before = list(copies)
        _compiler.attempt(attempt)
        if is_dynamic(tests[0]):
            copies[:] = before
            check_unchanged(info.construct, snapshot, lambda: test(*entry))
        return tests[0]

    def _run_time_while(
        self, info: RegionInfo, test: Callable[..., Any], body: Callable[..., Any], entry: Values
    ) -> tuple[Any, ...]:
        if info.has_else:
            raise make_error("ElseOfLoop", construct=info.construct)

        def emit(loop: Loop) -> list[Any]:
            values: list[Any] = _compiler.while_loop(
                loop.names,
                loop.leaves,
                lambda leaves: boolean(test(*loop.enter(leaves))),
                lambda leaves: loop.iterate(lambda arguments: body(*arguments), leaves),
            )
            return values

        return _loop(info, [test, body], entry, emit), None, True

    @staticmethod
    def _merged(info: RegionInfo, entry: Values, values: Values) -> Values:
        arguments = list(entry)
        for position, value in zip(info.carried, values, strict=True):
            arguments[position] = value
        return tuple(arguments)

    @staticmethod
    def _carried_values(info: RegionInfo, entry: Values) -> Values:
        return tuple(entry[position] for position in info.carried)
