"""Functions of the language: the objects that the decorators make of Python functions."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from types import FunctionType
from typing import Any, NamedTuple, TypeVar, cast

from fairlead._tracing.dialect import NATIVE, Dialect
from fairlead.cute._annotations import annotation, conversion, resolve_local_names
from fairlead.errors import make_error

__all__ = ["Decorated", "HostFunction", "decorate"]


#: The attribute of a Python function that holds its NameOptions. Libraries read and restore it.
_NAME_OPTIONS = "_cute_dsl_name_options"


class NameOptions(NamedTuple):
    """The arguments of set_name_prefix."""

    name_prefix: str = ""
    remove_cutlass_symbol: bool = False
    keep_mangled_name: bool = True


def _of_function(name: str) -> property:
    return property(lambda decorated: getattr(decorated.function, name))


class Decorated:
    """A user's function and its rewritten form, made when first traced."""

    #: The separator after a prefix of names.
    _kind = ""

    # What libraries read of a Python function that they identify by its contents.
    __code__ = _of_function("__code__")
    __defaults__ = _of_function("__defaults__")
    __kwdefaults__ = _of_function("__kwdefaults__")
    __closure__ = _of_function("__closure__")
    __globals__ = _of_function("__globals__")

    def __init__(self, function: FunctionType, preprocess: bool, dialect: Dialect = NATIVE) -> None:
        resolve_local_names(function)
        functools.update_wrapper(cast(Callable[..., Any], self), function)
        self.function = function
        self.preprocess = preprocess
        #: In which its body is traced.
        self.dialect = dialect
        self.owner: type | None = None
        self._conversions: dict[str, Callable[[Any], Any]] | None = None

    def __set_name__(self, owner: type, name: str) -> None:
        self.owner = owner

    def takes_instance(self, args: tuple[Any, ...]) -> bool:
        """True if the first of these arguments is the object whose method is called."""
        code = self.function.__code__
        if not args or not code.co_argcount:
            return False
        return code.co_varnames[0] == "self" or (
            self.owner is not None and isinstance(args[0], self.owner)
        )

    def set_name_prefix(
        self, prefix: str, *, remove_cutlass_symbol: bool = False, keep_mangled_name: bool = True
    ) -> None:
        """Set the name of later compilations: a kernel's symbol, as profilers show it, or a host function.

        With prefix ``p``, of a kernel ``k``: ``p_kernel_cutlass_k_0``, the number counting the kernels of a program;
        without the word cutlass ``p_kernel_k_0``, without the function's name ``p_cutlass_0``, without both ``p_0``.
        Host functions have no number. An empty prefix gives back the default, the function's own name.
        """
        if not isinstance(prefix, str):
            raise make_error(
                "ArgumentKind",
                function="set_name_prefix",
                expected="a str",
                got=type(prefix).__name__,
            )
        name = self.function.__name__
        if not prefix and remove_cutlass_symbol and not keep_mangled_name:
            raise make_error(
                "ArgumentValue",
                function=f"set_name_prefix of `{name}`",
                expected="a prefix, its word or its name",
                got="none of them",
            )
        if prefix and not (prefix.isascii() and prefix.isidentifier()):
            raise make_error(
                "ArgumentValue",
                function=f"set_name_prefix of `{name}`",
                expected="letters, digits and underscores",
                got=repr(prefix),
            )
        chosen = NameOptions(prefix, remove_cutlass_symbol, keep_mangled_name)
        vars(self.function)[_NAME_OPTIONS] = chosen

    @property
    def name_options(self) -> NameOptions:
        """The options of the last set_name_prefix."""
        options: NameOptions = vars(self.function).get(_NAME_OPTIONS) or NameOptions()
        return options

    def symbol(self) -> str:
        """Return the name under which it is compiled, without a number."""
        name = self.function.__name__
        prefix, plain, mangled = self.name_options
        if not prefix:
            prefix = self.dialect.kernel_prefix if self._kind == "kernel" and self.dialect else ""
            return f"{prefix}_{name}" if prefix else name
        kind = [self._kind] if mangled and self._kind else []
        word = [] if plain else ["cutlass"]
        return "_".join([prefix, *kind, *word, *([name] if mangled else [])])

    def converted(
        self, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Return the arguments of a call in a traced function, as the classes of their annotations take them."""
        if self._conversions is None:
            hints = {
                name: annotation(self.function, name) for name in self.function.__annotations__
            }
            self._conversions = {
                name: convert for name, hint in hints.items() if (convert := conversion(hint))
            }
        if not self._conversions:
            return args, kwargs
        names = self.function.__code__.co_varnames[: self.function.__code__.co_argcount]
        positional = [
            self._conversions[names[place]](value)
            if place < len(names) and names[place] in self._conversions
            else value
            for place, value in enumerate(args)
        ]
        keyed = {
            name: self._conversions[name](value) if name in self._conversions else value
            for name, value in kwargs.items()
        }
        return tuple(positional), keyed

    @property
    def traced(self) -> Callable[..., Any]:
        if not self.preprocess:
            return self.function
        from fairlead._tracing.rewrite import rewrite  # late: only tracing needs it

        return rewrite(self.function)

    def __reduce__(self) -> str:
        """Pickled and copied by its name, as Python's functions are."""
        return self.function.__qualname__

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.function.__qualname__}>"


class HostFunction(Decorated):
    """A host function of the language, as compile takes it."""


_D = TypeVar("_D", bound=Decorated)


def decorate(
    cls: type[_D], function: object, options: dict[str, bool], dialect: Dialect = NATIVE
) -> Any:
    """Return ``function`` as a ``cls`` in ``dialect``; without a function, a decorator that does."""
    preprocess = options.pop("preprocess", options.pop("preprocessor", True))
    if options:
        raise make_error("DecoratorOption", got=", ".join(options))
    if function is None:
        return lambda function: decorate(cls, function, {"preprocess": preprocess}, dialect)
    if isinstance(function, (staticmethod, classmethod)):
        kind: Any = type(function)
        return kind(cls(cast(FunctionType, function.__func__), preprocess, dialect))
    if not isinstance(function, FunctionType):
        raise make_error(
            "ArgumentKind",
            function="the decorator",
            expected="a function to decorate",
            got=type(function).__name__,
        )
    if inspect.iscoroutinefunction(function) or inspect.isasyncgenfunction(function):
        raise make_error("UnsupportedSyntax", construct="`async def`")
    return cls(function, preprocess, dialect)
