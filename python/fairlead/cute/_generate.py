"""Branches and loops that a program builds itself, without syntax of Python: what published programs use in functions
whose control flow is not rewritten."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from types import TracebackType
from typing import Any

from fairlead import _compiler
from fairlead._tracing.carry import Carrier
from fairlead._tracing.effects import refuse_changes
from fairlead._tracing.expressions import conditional, is_dynamic
from fairlead._tracing.marks import note_left
from fairlead._tracing.native import kind_of
from fairlead._tracing.reach import snapshot_of_caller
from fairlead._tracing.state import state
from fairlead.cute._types import Number
from fairlead.errors import make_error, require

__all__ = ["for_generate", "if_generate", "not_", "while_generate", "yield_out"]


def not_(value: Number) -> Any:
    """``not value``, also of a run-time Boolean."""
    traced = is_dynamic(value) or isinstance(value, _compiler.Boolean)
    return _compiler.not_(value) if traced else not value


def _results(values: object, types: Sequence[Any], construct: str) -> list[Any]:
    """The results of a body, as values of ``types``."""
    if values is None:
        values = []
    results = list(values) if isinstance(values, (tuple, list)) else [values]
    if not types:
        return []
    if len(results) != len(types):
        raise make_error(
            "CarriedCount", construct=construct, expected=str(len(types)), got=str(len(results))
        )
    converted = []
    for index, (value, cls) in enumerate(zip(results, types, strict=True)):
        if isinstance(value, _compiler.Numeric) and type(value) is not cls:
            raise make_error(
                "CarriedType",
                name=f"result {index}",
                construct=construct,
                expected=cls.__name__,
                got=kind_of(value),
            )
        converted.append(value if isinstance(value, _compiler.Numeric) else cls(value))
    return converted


def if_generate(
    cond: object,
    then_body: Callable[..., Any],
    else_body: Callable[..., Any] | None = None,
    input_args: Sequence[Any] | None = None,
    return_types: Sequence[Any] | None = None,
) -> Any:
    """A run-time branch: ``then_body(*input_args)`` where ``cond`` holds, else ``else_body(*input_args)``.

    A condition known while tracing chooses at once. With ``return_types``, numeric classes, both bodies return so many
    values of these classes, and the result is the chosen one, or a list of several; without it None.

    Raises DSLError (TypeError, ValueError): a body that returns something else.
    """
    require(if_generate, then_body=then_body, else_body=else_body)
    inputs, types = list(input_args or ()), list(return_types or ())
    for cls in types:
        if not _compiler.is_dtype(cls):
            raise make_error("DTypeExpected", got=repr(cls))

    def body(function: Callable[..., Any] | None) -> list[Any]:
        return _results(function(*inputs) if function else None, types, "if")

    if is_dynamic(cond):
        arms = (lambda: body(then_body)), (lambda: body(else_body))
        values = conditional("if", cond, *arms, then_body, else_body, *inputs)
    else:
        values = body(then_body if cond else else_body)
    return values if len(values) > 1 else values[0] if values else None


class _Loop:
    """``with loop as arguments:`` traces the body, which ends with ``yield_out``.

    Attributes:
        results: the carried values after the loop.
    """

    _construct = ""

    def __init__(self, inputs: Sequence[Any] | None) -> None:
        self._carriers = [
            Carrier(f"value {index}", value, self._construct)
            for index, value in enumerate(inputs or ())
        ]
        self._names = [carrier.name for carrier in self._carriers for _ in carrier.leaves]
        self._leaves = [leaf for carrier in self._carriers for leaf in carrier.leaves]
        self._ends: list[Any] | None = None
        self._loop: Any = None
        self._snapshot: Any = None
        self.results: list[Any] = []

    def _built(self, leaves: list[Any]) -> list[Any]:
        iterator: Iterator[Any] = iter(leaves)
        return [carrier.build(iterator) for carrier in self._carriers]

    def _open(self) -> Any:
        raise NotImplementedError

    def _arguments(self, carried: list[Any]) -> Any:
        return carried

    def __enter__(self) -> Any:
        self._snapshot = snapshot_of_caller()
        try:
            self._loop = self._open()
        except Exception as error:
            note_left(error, self._construct)
            raise
        state.loops.append(self)
        return self._arguments(self._built(self._loop.arguments))

    @property
    def name(self) -> str:
        return f"{self._construct}_generate"

    def abandon(self) -> None:
        """Takes the loop out of the program."""
        self._loop.abandon()

    def end(self, values: list[Any]) -> None:
        """The values that the body passes to the next iteration."""
        if len(values) != len(self._carriers):
            raise make_error(
                "CarriedCount",
                construct=self._construct,
                expected=str(len(self._carriers)),
                got=str(len(values)),
            )
        self._ends = [
            leaf
            for carrier, value in zip(self._carriers, values, strict=True)
            for leaf in carrier.end(value)
        ]

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        state.loops.remove(self)
        if error is not None:
            note_left(error, self._construct)
            self.abandon()
            return
        try:
            refuse_changes(self._construct, self._snapshot)
            if self._ends is None:
                self.end([])
            self.results = self._built(self._loop.close(self._ends))
        except Exception as left:
            note_left(left, self._construct)
            self.abandon()
            raise


class _While(_Loop):
    _construct = "while"

    def __init__(self, inputs: Sequence[Any] | None, condition: Callable[..., Any]) -> None:
        super().__init__(inputs)
        self._condition = condition

    def _open(self) -> Any:
        def test(leaves: list[Any]) -> Any:
            holds = self._condition(*self._built(leaves))
            return holds if isinstance(holds, bool) else _compiler.Boolean(holds)

        return _compiler.open_while(self._names, self._leaves, test)


class _For(_Loop):
    _construct = "for"

    def __init__(
        self, start: Number, stop: Number | None, step: Number, inputs: Sequence[Any] | None
    ) -> None:
        super().__init__(inputs)
        self._range = (0, start, step) if stop is None else (start, stop, step)

    def _open(self) -> Any:
        start, stop, step = self._range
        return _compiler.open_for(start, stop, step, self._names, self._leaves)

    def _arguments(self, carried: list[Any]) -> Any:
        return (self._loop.variable, carried) if self._carriers else self._loop.variable


def while_generate(inputs: Sequence[Any] | None, condition: Callable[..., Any]) -> _While:
    """A ``while`` loop, of run time whatever its condition::

        loop = while_generate([i, total], lambda i, total: i < n)
        with loop as (i, total):
            yield_out([i + 1, total + i])
        i, total = loop.results

    ``inputs``: the values that the loop carries; numbers of Python become Int32 or Float32. The body ends with
    ``yield_out`` of as many values of the same types.
    """
    require(while_generate, condition=condition)
    return _While(inputs, condition)


def for_generate(
    start: Number,
    stop: Number | None = None,
    step: Number = 1,
    iter_args: Sequence[Any] | None = None,
) -> _For:
    """A run-time loop over ``range(start, stop, step)``::

        loop = for_generate(0, n, 1, [total])
        with loop as (i, (total,)):
            yield_out([total + i])
        (total,) = loop.results

    Without ``iter_args``, ``with for_generate(0, n) as i:``, a body without ``yield_out``.
    """
    require(for_generate, start=start, stop=stop, step=step)
    return _For(start, stop, step, iter_args)


def yield_out(args: object = None) -> None:
    """Yield ``args``, the carried values at the end of the body of the innermost ``while_generate`` or
    ``for_generate``.

    Raises RuntimeError (OutsideTrace) outside of such a body.
    """
    if not state.loops:
        raise make_error("OutsideTrace", what="yield_out of no while_generate or for_generate")
    values = args if isinstance(args, (tuple, list)) else () if args is None else (args,)
    state.loops[-1].end(list(values))


class _Where(_Loop):
    """A body that runs only if a condition holds."""

    _construct = "with"

    def __init__(self, condition: Number) -> None:
        super().__init__(None)
        self._condition = condition

    def _open(self) -> Any:
        return _compiler.open_branch(self._condition)


def _enter(condition: Number) -> Any:
    _entered.append(_Where(condition))
    try:
        _entered[-1].__enter__()
    except BaseException:
        _entered.pop()
        raise
    return condition


def _leave(condition: object, *error: Any) -> None:
    _entered.pop().__exit__(*error)


_entered: list[_Where] = []


def make_branches_of_truths() -> None:
    """``with elect_one():`` in functions whose control flow is not rewritten, where it calls methods of a Boolean: its
    body becomes a region. Names that the body assigns are known in it alone."""
    _compiler.Boolean.__enter__ = _enter  # type: ignore[attr-defined]
    _compiler.Boolean.__exit__ = _leave  # type: ignore[attr-defined]
