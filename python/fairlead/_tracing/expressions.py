"""Expressions of rewritten code: each is computed now, in Python, or becomes part of the compiled program."""

from __future__ import annotations

import builtins
import functools
import operator
import types
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from fairlead import _compiler
from fairlead._tracing import language, stops, truth
from fairlead._tracing.carry import Carrier, is_scalar, scalar_type
from fairlead._tracing.copies import check_copies, error_of_copy, note_copy, objects_in
from fairlead._tracing.effects import Branch, abandoning
from fairlead._tracing.marks import at_place, note_left, place_of_call
from fairlead._tracing.mistakes import Mistakes
from fairlead._tracing.reach import Snapshot
from fairlead.errors import make_error

_OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "Eq": operator.eq,
    "NotEq": operator.ne,
    "Lt": operator.lt,
    "LtE": operator.le,
    "Gt": operator.gt,
    "GtE": operator.ge,
    "Is": operator.is_,
    "IsNot": operator.is_not,
}


def is_dynamic(value: Any) -> bool:
    """True for a value that only the compiled program knows."""
    return _compiler.is_dynamic(value) and not value.is_static


def boolean(value: _compiler.Numeric) -> Any:
    return value if isinstance(value, bool) else _compiler.Boolean(value)


def conditional(
    construct: str,
    test: Any,
    then: Callable[..., Any],
    otherwise: Callable[..., Any],
    *operands: object,
) -> list[Any]:
    """Trace an expression with two sides; the program evaluates one of them. ``operands``: the functions that the sides
    call."""
    functions = [operand for operand in operands if isinstance(operand, types.FunctionType)]
    others = [
        ("function", operand) for operand in operands if not isinstance(operand, types.FunctionType)
    ]
    snapshot = Snapshot(functions, others)
    if not snapshot.records:
        try:
            return list(_compiler.conditional(test, then, otherwise))
        except Exception as error:
            note_left(error, construct)
            raise
    branch = Branch(construct, snapshot, [then, otherwise])
    ends: list[list[Any]] = []

    def arm(side: Callable[..., Any]) -> Callable[[], None]:
        def traced() -> None:
            ends.append(list(side()))
            check_copies()
            branch.leave()

        return traced

    def both() -> list[list[Any]]:
        return [[*end, *places] for end, places in zip(ends, branch.merge(), strict=True)]

    with abandoning(construct, snapshot):
        leaves = _compiler.branch(test, arm(then), arm(otherwise), both, True)
    count = len(ends[0])
    branch.finish(iter(leaves[count:]))
    return list(leaves[:count])


def same_kind(first: object, second: object, expression: str = "`a if p else b`") -> None:
    """The arms of a conditional expression are of one kind, or a number of Python takes the other's type; TypeError
    where one is a float and the other is not, and cannot become one."""
    types = scalar_type(first), scalar_type(second)
    if types[0].is_float == types[1].is_float:
        return
    integer = second if types[0].is_float else first
    # A Python int next to a run-time float becomes a float.
    if isinstance(integer, int) and any(
        isinstance(arm, _compiler.Numeric) for arm in (first, second)
    ):
        return
    left, right = (
        kind.__name__ if isinstance(arm, _compiler.Numeric) else type(arm).__name__
        for arm, kind in zip((first, second), types, strict=True)
    )
    raise make_error(
        "OperatorOperands",
        operator=f"{expression}, whose arms are both integers or both floats",
        left=left,
        right=right,
        help="write the integer as a float, `1.0` for `1`, or convert it: `.to(cute.Float32)`",
    )


class Expressions(Mistakes):
    """The expressions of a rewritten function, as methods of its helper object."""

    def ifexp(self, test: object, then: Callable[..., Any], otherwise: Callable[..., Any]) -> Any:
        """``then() if test else otherwise()``"""
        if not is_dynamic(test):
            return then() if test else otherwise()
        carriers: list[Carrier] = []
        originals: list[Any] = []

        def first() -> list[Any]:
            value = then()
            originals.extend(objects_in(value))
            carriers.append(Carrier("the value", value, "conditional expression"))
            return carriers[0].leaves

        def second() -> list[Any]:
            value = otherwise()
            originals.extend(objects_in(value))
            if is_scalar(value) and is_scalar(carriers[0].entry):
                same_kind(carriers[0].entry, value)
                return [value]
            return carriers[0].end(value)

        leaves = conditional("a if p else b", test, first, second, then, otherwise)
        value = carriers[0].build(iter(leaves))
        if originals:
            place = place_of_call()
            error = error_of_copy("the value", "a if p else b", originals)
            note_copy(originals, value, lambda: at_place(error(), place))
        return value

    def and_value(self, first: object, *rest: Callable[..., Any]) -> Any:
        """``and`` where more than the truth counts: the last operand, or the 0 or False of one before it."""
        return self._all_of(lambda value: value, first, rest)

    def and_(self, first: object, *rest: Callable[..., Any]) -> Any:
        """Short-circuit ``and``, at run time too: a later operand is evaluated only where the earlier ones hold."""
        return self._all_of(boolean, first, rest)

    def _all_of(
        self, combine: Callable[..., Any], first: object, rest: tuple[Callable[..., Any], ...]
    ) -> Any:
        """``made``: what becomes of the value of the operands behind one of run time."""
        for index, operand in enumerate(rest):
            if is_dynamic(first):
                return conditional(
                    "and",
                    first,
                    lambda: [combine(self._all_of(combine, operand(), rest[index + 1 :]))],
                    lambda: [False],
                    *rest[index:],
                )[0]
            if not first:
                return first
            first = operand()
        return first

    def or_value(self, first: object, *rest: Callable[..., Any]) -> Any:
        """``or`` where more than the truth counts: the first operand that holds, or else the last."""

        def made(held: object, value: object) -> Any:
            if is_scalar(value):
                same_kind(held, value, "`a or b`")
            return value

        return self._any_of(lambda held: held, made, first, rest)

    def or_(self, first: object, *rest: Callable[..., Any]) -> Any:
        """Short-circuit ``or``."""
        return self._any_of(lambda held: True, lambda held, value: boolean(value), first, rest)

    def _any_of(
        self,
        keep: Callable[..., Any],
        combine: Callable[..., Any],
        first: object,
        rest: tuple[Callable[..., Any], ...],
    ) -> Any:
        """``keep``: the result for a run-time operand that is true; ``combine``: the result of it and of the value of
        the operands behind it, if it is false.
        """
        for index, operand in enumerate(rest):
            if is_dynamic(first):
                held = first
                return conditional(
                    "or",
                    held,
                    lambda: [keep(held)],
                    lambda: [
                        combine(held, self._any_of(keep, combine, operand(), rest[index + 1 :]))
                    ],
                    *rest[index:],
                )[0]
            if first:
                return first
            first = operand()
        return first

    def not_(self, value: _compiler.Numeric) -> Any:
        # A Boolean known while tracing stays one.
        traced = is_dynamic(value) or isinstance(value, _compiler.Boolean)
        return _compiler.not_(value) if traced else not value

    def contains(self, value: object, container: Any) -> Any:
        """``value in container``; where one of them is known at run time only, a comparison with each item."""
        if isinstance(container, (tuple, list, set, frozenset, dict)) and (
            is_dynamic(value) or any(map(is_dynamic, container))
        ):
            return self._any(value == item for item in container)
        if isinstance(container, language.range) and any(
            map(is_dynamic, (value, container.start, container.stop))
        ):
            return self._in_range(value, container)
        return value in container

    def _in_range(self, value: object, numbers: language.range) -> Any:
        start, stop, step = numbers.start, numbers.stop, numbers.step
        if is_dynamic(step):
            raise make_error(
                "DynamicNumber", use="`in` of a range: its step", type=type(step).__name__
            )
        up = int(step) > 0
        inside = self.and_(
            value >= start if up else value <= start, lambda: value < stop if up else value > stop
        )
        return self.and_(inside, lambda: (value - start) % abs(int(step)) == 0)

    def is_bool(self, value: object, constant: bool) -> Any:
        """``value is True``, ``value is False``: a run-time Boolean is what Python's would be."""
        if isinstance(value, _compiler.Boolean):
            return value if constant else self.not_(value)
        return value is constant

    def known(self, condition: object, construct: str) -> Any:
        """A condition behind which names are bound, which a run-time branch could not do."""
        if is_dynamic(condition):
            raise make_error(
                "UnsupportedSyntax",
                construct=f"`:=` in a part of a run-time `{construct}` that is not always evaluated (bind the name "
                "before)",
            )
        return condition

    def chain(self, names: tuple[str, ...], first: object, *rest: Callable[..., Any]) -> Any:
        """``first op rest[0] op rest[1] ...``, each operand evaluated once."""
        value = rest[0]()
        if names[0] in ("In", "NotIn"):
            result = self.contains(first, value)
            result = self.not_(result) if names[0] == "NotIn" else result
        else:
            result = _OPERATORS[names[0]](first, value)
        if len(rest) == 1:
            return result
        return self.and_(result, lambda: self.chain(names[1:], value, *rest[1:]))

    def builtin(self, function: Callable[..., Any]) -> Any:
        """The traced counterpart of a builtin, where ``function`` is that builtin."""
        try:
            return self._builtins.get(function, function)
        except TypeError:  # not hashable
            return function

    def _min(self, *args: object, **kwargs: object) -> Any:
        return self._fold(builtins.min, language.min, args, kwargs)

    def _max(self, *args: object, **kwargs: object) -> Any:
        return self._fold(builtins.max, language.max, args, kwargs)

    @staticmethod
    def _fold(
        python: Callable[..., Any],
        traced: Callable[..., Any],
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
    ) -> Any:
        items = list(args[0]) if len(args) == 1 else list(args)
        if not kwargs and any(
            isinstance(item, (_compiler.Numeric, _compiler.TensorExpr)) for item in items
        ):
            return traced(*items)
        return python(*([items] if len(args) == 1 else args), **kwargs)

    @staticmethod
    def _divmod(a: Any, b: Any) -> Any:
        return (a // b, a % b) if is_dynamic(a) or is_dynamic(b) else builtins.divmod(a, b)

    def _any(self, items: Iterable[Any]) -> Any:
        return self._of_halves(self.or_, False, list(items))

    def _all(self, items: Sequence[Any]) -> Any:
        return self._of_halves(self.and_, True, list(items))

    def _of_halves(self, word: Callable[..., Any], neutral: bool, items: list[Any]) -> Any:
        """``and_`` or ``or_`` of values; of many, nested as truth.py nests operands."""
        if len(items) <= truth.MOST_NESTED:
            return word(neutral, *[lambda item=item: item for item in items])
        middle = len(items) // 2
        first = self._of_halves(word, neutral, items[:middle])
        return word(first, lambda: self._of_halves(word, neutral, items[middle:]))

    @staticmethod
    def _number(python: type, name: str) -> Callable[..., Any]:
        def convert(*args: object, **kwargs: object) -> Any:
            if len(args) == 1 and is_dynamic(args[0]):
                return getattr(_compiler, name)(args[0])
            return python(*args, **kwargs)

        return convert

    @functools.cached_property
    def _builtins(self) -> dict[Any, Any]:
        return {
            builtins.range: language.range,
            builtins.min: self._min,
            builtins.max: self._max,
            builtins.divmod: self._divmod,
            builtins.any: self._any,
            builtins.all: self._all,
            builtins.int: self._number(int, "Int32"),
            builtins.float: self._number(float, "Float32"),
            builtins.bool: self._number(bool, "Boolean"),
            builtins.print: stops.show,
            builtins.breakpoint: stops.stop,
        }
