"""Words of the language that are not bound to tensors: compile-time values and loops."""

from __future__ import annotations

import builtins
import operator
import warnings
from typing import TYPE_CHECKING, Annotated, Any, Generic, TypeAlias, TypeVar

from fairlead.errors import make_error

T = TypeVar("T")


if TYPE_CHECKING:
    import typing_extensions

    V = typing_extensions.TypeVar("V", default=Any)
    # Values stay unchanged, with a default of their own type.
    Constexpr: TypeAlias = Annotated[V, "known at compile time"]
else:

    class Constexpr(Generic[T]):
        """Annotation of a parameter whose value is fixed at compile time: ``x: Constexpr`` or ``x: Constexpr[int]``.

        It is passed to ``cute.compile`` and not to the compiled function.
        """


def _type_name(value: object) -> str:
    return type(value).__name__


def _is_dynamic(value: object) -> bool:
    from fairlead import _compiler

    return _compiler.is_dynamic(value)


def const_expr(value: T) -> T:
    """``value``, which must be known at compile time; TypeError for a run-time value."""
    if _is_dynamic(value) and not value.is_static:  # type: ignore[attr-defined]
        raise make_error("ConstexprDynamic", use="const_expr", type=_type_name(value))
    return value


def dynamic_expr(value: T) -> T:
    """``value``; marks a run-time condition. Deprecated: a plain ``if`` needs no mark."""
    return value


class range:
    """``range(stop)``, ``range(start, stop)``, ``range(start, stop, step)`` as a loop of the compiled program.

    Args:
        unroll: 1 forbids unrolling, k unrolls by k, 0 leaves it to the compiler.
        unroll_full: unroll completely.
        vectorize: hint to vectorise.
        prefetch_stages: so many iterations ahead the memory that the body reads (not in branches or loops of its
            own, and at addresses that follow from the loop's variable) is fetched into the cache. Results never
            depend on it.
    """

    __slots__ = ("prefetch_stages", "start", "step", "stop", "unroll", "unroll_full", "vectorize")

    def __init__(
        self,
        *bounds: object,
        unroll: int | None = 0,
        unroll_full: bool | None = False,
        vectorize: bool | None = None,
        prefetch_stages: int | None = None,
        **attributes: object,
    ) -> None:
        _check_attributes(attributes)
        if not 1 <= len(bounds) <= 3:
            raise make_error(
                "ArgumentKind", function="cute.range", expected="1 to 3 bounds", got=len(bounds)
            )
        self.start: Any = 0 if len(bounds) == 1 else bounds[0]
        self.stop: Any = bounds[0] if len(bounds) == 1 else bounds[1]
        self.step: Any = bounds[2] if len(bounds) == 3 else 1
        for name, count in (("unroll", unroll or 0), ("prefetch_stages", prefetch_stages or 0)):
            if isinstance(count, bool) or not isinstance(count, int):
                raise make_error(
                    "ArgumentKind",
                    function="cute.range",
                    expected=f"an int as {name}",
                    got=_type_name(count),
                )
            if not 0 <= count < 1 << 31:
                raise make_error(
                    "ArgumentValue",
                    function="cute.range",
                    expected=f"0 or more as {name}",
                    got=count,
                )
        self.unroll, self.unroll_full = unroll or 0, bool(unroll_full)
        self.vectorize = bool(vectorize)
        self.prefetch_stages = prefetch_stages or 0

    def _known(self) -> builtins.range:
        """This range as one of Python; an error if its bounds are run-time values."""
        for bound in (self.start, self.stop, self.step):
            if _is_dynamic(bound) and not bound.is_static:
                raise make_error(
                    "DynamicNumber",
                    use="range() in a comprehension or in a function that is not decorated",
                    type=_type_name(bound),
                )
        return builtins.range(*map(operator.index, (self.start, self.stop, self.step)))

    def __iter__(self) -> Any:
        """In code that is not rewritten (undecorated helpers): a Python loop over known bounds."""
        return iter(self._known())

    def __reversed__(self) -> Any:
        return reversed(self._known())

    def __len__(self) -> int:
        return len(self._known())

    def __getitem__(self, index: int) -> Any:
        return self._known()[index]

    def __contains__(self, value: object) -> bool:
        return value in self._known()

    def __eq__(self, other: object) -> bool:
        if isinstance(other, range):
            return self._known() == other._known()
        return isinstance(other, builtins.range) and self._known() == other

    def __hash__(self) -> int:
        return hash(self._known())


def _check_attributes(attributes: dict[str, Any]) -> None:
    """Raise TypeError for unknown attributes of a loop; published programs get a warning."""
    if not attributes:
        return
    from fairlead._tracing.state import state

    name = next(iter(attributes))
    if not state.dialect.lenient:
        raise TypeError(f"range.__init__() got an unexpected keyword argument {name!r}")
    warnings.warn(f"range() has no keyword {name!r}: it has no effect", stacklevel=3)


_RANGE_KEYWORDS = ("unroll", "unroll_full", "vectorize", "prefetch_stages")


def _check_keywords_of_constexpr(attributes: dict[str, Any]) -> None:
    """Raise TypeError unless a published program passes keywords of ``range``."""
    from fairlead._tracing.state import state

    unknown = [name for name in attributes if name not in _RANGE_KEYWORDS]
    if unknown or not state.dialect.lenient:
        name = next(iter(unknown or attributes))
        raise TypeError(f"range_constexpr() got an unexpected keyword argument {name!r}")


def range_dynamic(*bounds: object, **attributes: Any) -> range:
    """Old name of :class:`range`, with its ``bounds`` and ``attributes``."""
    return range(*bounds, **attributes)


def range_constexpr(*bounds: Any, **attributes: object) -> builtins.range:
    """A loop that runs while tracing, so that its body is unrolled; TypeError for run-time bounds and for keywords.

    Args:
        attributes: keywords of ``range``, which have no effect in published programs: the loop is always unrolled.
    """
    if attributes:
        _check_keywords_of_constexpr(attributes)
    for bound in bounds:
        if _is_dynamic(bound) and not bound.is_static:
            raise make_error("ConstexprDynamic", use="range_constexpr", type=_type_name(bound))
    return builtins.range(*(operator.index(bound) for bound in bounds))


def dtype(name: str) -> type:
    """The numeric class called ``name`` ("Float16" or "float16"); ValueError for others."""
    from fairlead import _compiler

    try:
        return _compiler.dtype_by_name(name)
    except ValueError:
        from fairlead import _hints

        dtypes = [name for name, value in vars(_compiler).items() if _compiler.is_dtype(value)]
        similar = _hints.nearest(name, dtypes)
        raise make_error("DTypeName", got=name, similar=similar) from None


def _fold(name: str, first: object, rest: tuple[Any, ...]) -> Any:
    from fairlead import _compiler

    operation, python = getattr(_compiler, name), getattr(builtins, name)
    for other in rest:
        plain = isinstance(first, (int, float)) and isinstance(other, (int, float))
        first = python(first, other) if plain else operation(first, other)
    return first


def min(first: object, *rest: object) -> Any:
    """The least of ``first`` and the ``rest``, or of the elements of one iterable, also of run-time numbers."""
    return _fold("min", first, rest)


def max(first: object, *rest: object) -> Any:
    """The greatest of ``first`` and the ``rest``, or of the elements of one iterable, also of run-time numbers."""
    return _fold("max", first, rest)
