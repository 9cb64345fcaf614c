"""The arguments of a call, bound to the parameters of a function."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping
from types import FunctionType
from typing import Any

from fairlead._hints import did_you_mean
from fairlead.cute._examples import examples_of

__all__ = ["Binding"]


def _keyword_advice(
    error: TypeError, parameters: Mapping[str, inspect.Parameter], keywords: Iterable[str]
) -> str:
    """Return advice for the message about a call with a keyword that the function does not have: how compile options
    are passed, or the parameter that was probably meant."""
    keyword = next((name for name in keywords if name not in parameters), None)
    if keyword is None:
        return ""
    if keyword in ("target", "arch", "device", "opt_level", "debug", "verbose"):
        option = "--target cpu" if keyword in ("target", "arch", "device") else "--opt-level 2"
        return f'. Options of `cute.compile` are text: `options="{option}"`'
    # Python first reports a missing argument, which may be the misspelt one.
    is_named = repr(keyword) in str(error)
    start = "" if is_named else f"; and no parameter is called {keyword!r}"
    return start + did_you_mean(keyword, [*parameters, "options"])


class Binding:
    """A call's arguments by the names of a function's parameters.

    Attributes:
        function: the function of Python.
        signature: its signature in Python.
        arguments: every value by the name of its parameter, those of defaults included.
        instance: the number of first arguments that are part of the program.
        fixed: the names of the other ones that are part of the program.
    """

    __slots__ = ("arguments", "fixed", "function", "instance", "signature")

    def __init__(
        self,
        function: FunctionType,
        instance: tuple[Any, ...],
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        fixed: dict[str, Any] | None,
    ) -> None:
        """Bind ``args`` and ``kwargs`` behind ``instance``, the first arguments, and with ``fixed``, some by name.
        Without any, stand-ins follow from the annotations. Raises TypeError if they do not fit the function."""
        fixed = {key: part for key, part in (fixed or {}).items() if key not in kwargs}
        self.function, self.signature = function, inspect.signature(function)
        self.instance, self.fixed = len(instance), fixed.keys()
        if not args and not kwargs and not fixed:
            args = examples_of(function, self.signature, len(instance))
        try:
            bound = self.signature.bind(*instance, *args, **kwargs, **fixed)
        except TypeError as error:
            advice = _keyword_advice(error, self.signature.parameters, kwargs)
            raise TypeError(f"`{function.__name__}`: {error}{advice}") from None
        bound.apply_defaults()
        self.arguments = bound.arguments

    def parts(self) -> Iterator[tuple[str, Any, int, bool]]:
        """Yield of each argument its parameter's name, its value, its number, and True if it is part of the program."""
        for index, (name, value) in enumerate(self.arguments.items()):
            number = index - self.instance
            yield name, value, number, number < 0 or name in self.fixed

    def call(self, function: Callable[..., Any], replaced: dict[str, Any]) -> Any:
        """Call ``function`` with the values ``replaced`` in place of arguments of these names."""
        bound = inspect.BoundArguments(self.signature, {**self.arguments, **replaced})
        return function(*bound.args, **bound.kwargs)
