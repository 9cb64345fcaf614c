"""Plans: a function decides once for each kind of call what runs; later calls of that kind run without Python code.

A kernel library decorates the function that checks arguments and chooses a kernel::

    @plans.planned
    def scale(x, *, factor=2.0, out=None):
        if x.dtype is not torch.float32:
            raise TypeError(f"x: expected float32, got {x.dtype}")
        kernel = wide if x.shape[-1] % 4 == 0 else narrow
        y = plans.New(torch.empty, tuple(x.shape), device=x.device) if out is None else out
        return plans.Plan(kernel, [x, factor, y], y)

Calls are of one kind if their keys are equal. A key holds the class, dtype, shape, strides, device and alignment of
each tensor, which arguments are one object, and the value of each number, string, boolean and None.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, ParamSpec, TypeVar, overload

import fairlead.ffi  # noqa: F401  first: picks the library that the call path needs
from fairlead._core import CallDescription, Planner
from fairlead._hints import name_keywords, names_keywords

__all__ = ["New", "Plan", "Planned", "PlansInfo", "View", "planned"]

P = ParamSpec("P")
R = TypeVar("R")

_MOST_NEW = 4  # of Planner.cpp
_MOST_ARGUMENTS = 20  # likewise


class New:
    """A tensor that each call makes: ``make(*args, **kwargs)``, for example ``New(torch.empty, (4, 8))``."""

    def __init__(self, make: Callable[..., Any], *args: object, **kwargs: object) -> None:
        self.make, self.args, self.kwargs = make, args, kwargs


class View:
    """A row-major tensor in another shape of as many elements.

    Args:
        tensor: an argument of the call, or a ``New``.
        shape: extents.
    """

    def __init__(self, tensor: object, shape: Sequence[int]) -> None:
        self.tensor, self.shape = tensor, tuple(shape)


def _row_major(tensor: Any) -> Any:
    """Return the tensor. Raises ValueError if it is not row-major."""
    if hasattr(tensor, "is_contiguous"):
        is_row_major = tensor.is_contiguous()
    else:
        is_row_major = tensor.flags.c_contiguous
    if not is_row_major:
        raise ValueError("View: expected a row-major tensor, but got one with other strides")
    return tensor


class Plan:
    """A call of a function for planned calls of one kind: ``function(*arguments)``, then return ``result``.

    Args:
        function: a compiled function, a function of a library, or another callable.
        arguments: arguments of the planned call, ``New``, ``View``, and constants. A plan with any other tensor, more
            than 20 arguments or more than 4 new tensors runs, but is not remembered.
        result: an argument of the planned call, a ``New``, or a tuple or list of them; default: what ``function``
            returns.
    """

    def __init__(
        self, function: Callable[..., Any], arguments: Sequence[Any], result: object = None
    ) -> None:
        self.function, self.arguments, self.result = function, tuple(arguments), result

    def run(self) -> Any:
        """Run the plan with the tensors that it was made of, and return its result."""
        new_tensors: dict[int, Any] = {}

        def value(item: object) -> Any:
            if isinstance(item, View):
                return _row_major(value(item.tensor)).reshape(item.shape)
            if not isinstance(item, New):
                return item
            if id(item) not in new_tensors:
                new_tensors[id(item)] = item.make(*item.args, **item.kwargs)
            return new_tensors[id(item)]

        answer = self.function(*[value(item) for item in self.arguments])
        if self.result is None:
            return answer
        if isinstance(self.result, (tuple, list)):
            return type(self.result)(value(item) for item in self.result)
        return value(self.result)

    def _described(self, tensors: tuple[Any, ...]) -> tuple[Any, ...] | None:
        """Return the plan as ``Planner`` reads it; None if it cannot be remembered.

        ``tensors`` are those of the call's arguments.
        """
        places = {id(tensor): index for index, tensor in reversed([*enumerate(tensors)])}
        new_places: dict[int, int] = {}
        makers: list[tuple[Any, ...]] = []

        def source(item: object, shape: tuple[int, ...] | None = None) -> tuple[Any, ...] | None:
            if isinstance(item, View):
                return source(item.tensor, item.shape if shape is None else shape)
            if isinstance(item, New):
                if id(item) not in new_places:
                    new_places[id(item)] = len(makers)
                    makers.append((item.make, item.args, item.kwargs))
                return "new", new_places[id(item)], shape
            if id(item) in places:
                return "argument", places[id(item)], shape
            is_constant = type(item) in (int, float, bool, str, type(None))
            return ("constant", item, None) if is_constant else None

        several = isinstance(self.result, (tuple, list))
        results: Any = self.result if several else () if self.result is None else (self.result,)
        sources = [source(item) for item in self.arguments]
        returned = [None if isinstance(item, View) else source(item) for item in results]
        too_many = len(sources) > _MOST_ARGUMENTS or len(makers) > _MOST_NEW
        if None in sources or None in returned or too_many:
            return None
        container = type(self.result) if several else None
        return self.function, tuple(sources), tuple(makers), tuple(returned), container


class PlansInfo(NamedTuple):
    """Counts of calls with a plan and without one, the number of plans, and its limit."""

    hits: int
    misses: int
    plans: int
    limit: int


class Planned(Generic[P, R], Planner):
    """A function whose calls are planned; ``planned`` makes it."""

    __wrapped__: Callable[P, Any]

    if TYPE_CHECKING:

        def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R: ...

    def __reduce__(self) -> str:
        return self.__wrapped__.__qualname__  # pickled by name, as functions are

    def info(self) -> PlansInfo:
        """Return the counts of hits and misses, and the number of plans."""
        return PlansInfo(*self._counts())

    def __repr__(self) -> str:
        return f"<planned {getattr(self.__wrapped__, '__qualname__', self.__wrapped__)}>"


def _parameters(function: Callable[..., Any]) -> CallDescription:
    parameters = inspect.signature(function).parameters.values()
    variadic = [
        str(parameter)
        for parameter in parameters
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)
    ]
    if variadic or len(parameters) > _MOST_ARGUMENTS:
        what = f"the parameter {variadic[0]}" if variadic else f"{len(parameters)} parameters"
        name = getattr(function, "__qualname__", repr(function))
        raise TypeError(
            f"planned: expected a function of at most {_MOST_ARGUMENTS} parameters, none of them variadic, "
            f"but {name} has {what}"
        )
    return CallDescription(
        [parameter.name for parameter in parameters],
        tuple(
            ... if parameter.default is parameter.empty else parameter.default
            for parameter in parameters
        ),
        sum(parameter.kind != parameter.KEYWORD_ONLY for parameter in parameters),
    )


def _places(
    function: Callable[..., Any], written: str | None, in_place: Sequence[str]
) -> tuple[int, int]:
    """Return the index of the written parameter, -1 for None, and a bit for each that may be written in place."""
    names = list(inspect.signature(function).parameters)
    for option, named in (
        ("written", () if written is None else (written,)),
        ("in_place", in_place),
    ):
        for name in named:
            if name not in names:
                raise ValueError(
                    f"{option}: expected a parameter of the function, but got {name!r}"
                )
    index = -1 if written is None else names.index(written)
    return index, sum(1 << names.index(name) for name in in_place)


@overload
def planned(function: Callable[P, Any], /) -> Planned[P, Any]: ...
@overload
def planned(
    *,
    alignment: int = 16,
    limit: int = 1024,
    written: str | None = None,
    in_place: Sequence[str] = (),
) -> Callable[[Callable[P, Any]], Planned[P, Any]]: ...
def planned(
    function: Callable[..., Any] | None = None, *, alignment: int = 16, limit: int = 1024,
    written: str | None = None, in_place: Sequence[str] = (),
) -> Any:  # fmt: skip
    """Make a function whose calls are planned: ``@planned`` or ``@planned(limit=64)``.

    Args:
        function: checks its arguments and returns a ``Plan``. It runs for each new key. Another return value is
            the result of this call, and nothing is remembered. The plan must depend on nothing but the key.
        alignment: a power of two, in bytes. Calls with tensors of different alignment up to it have different plans.
        limit: plans that are remembered. If there are as many, all are dropped before the next one is added.
        written: the parameter with the tensors that plans write. Calls with a key raise ValueError if one of them
            shares memory with another tensor of the call. Columns of the same rows share none.
        in_place: parameters that may be the written tensor itself: its address, shape and strides.

    Calls have no key, and run ``function`` each time, if an argument is neither a tensor of torch, a NumPy array, a
    tuple or list of these, nor one of the values that keys hold, or if autograd or a trace of torch must see a tensor.

    Returns the function, with ``info()``, ``forget()`` and ``__wrapped__``. Raises TypeError for functions of more than
    20 parameters, ``*args`` or ``**kwargs``, and ValueError for other options.
    """
    if alignment < 1 or alignment & (alignment - 1):
        raise ValueError(f"alignment: expected a power of two, but got {alignment}")
    if limit < 1:
        raise ValueError(f"limit: expected at least 1, but got {limit}")

    def decorate(choose: Callable[..., Any]) -> Planned[Any, Any]:
        parameters = _parameters(choose)
        written_index, in_place_mask = _places(choose, written, in_place)
        planner: Any = Planned(
            names_keywords(choose), parameters, Plan, alignment, limit, written_index, in_place_mask
        )
        functools.update_wrapper(planner, choose)
        result: Planned[Any, Any] = planner
        return result

    return decorate if function is None else decorate(function)


name_keywords(__all__, globals())
