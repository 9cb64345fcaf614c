"""The decorator ``@jit``."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from types import FunctionType
from typing import TYPE_CHECKING, Any, Concatenate, Generic, ParamSpec, TypeVar, overload

import fairlead.ffi  # noqa: F401  first: picks the library that the call path needs
from fairlead._core import CallDescription, Dispatcher
from fairlead._tracing.dialect import NATIVE, Dialect
from fairlead._tracing.state import hidden_frames, speaking
from fairlead.cute._annotations import annotation, is_static
from fairlead.cute._decorated import HostFunction, decorate
from fairlead.cute._guards import Reads

__all__ = ["JitFunction", "jit"]

P = ParamSpec("P")
Q = ParamSpec("Q")
R = TypeVar("R")
T = TypeVar("T")


class JitFunction(HostFunction, Generic[P, R], Dispatcher):
    """A host function of the language.

    Called while tracing it is inlined; called from Python it is compiled for the arguments' kinds, once, and run.
    """

    def __init__(self, function: FunctionType, preprocess: bool, dialect: Dialect = NATIVE) -> None:
        super().__init__(function, preprocess, dialect)
        self.by_key: dict[
            Any, Any
        ] = {}  # what was compiled for calls that only Python code tells apart
        self.reads = Reads(function)
        self.described = False

    if TYPE_CHECKING:
        # Type checkers see the parameters as they are written. Calls from Python pass arrays for tensors and numbers
        # for numeric types, which the second overload accepts.
        @overload
        def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R: ...
        @overload
        def __call__(self, *args: object, **kwargs: object) -> R: ...
        def __call__(self, *args: object, **kwargs: object) -> R: ...

        @overload
        def __get__(self, instance: None, owner: type) -> JitFunction[P, R]: ...
        @overload
        def __get__(
            self: JitFunction[Concatenate[T, Q], R], instance: T, owner: type | None = None
        ) -> JitFunction[Q, R]: ...
        def __get__(self, instance: object, owner: type | None = None) -> Any: ...

    _hidden = hidden_frames()

    def _inline(self, *args: object, **kwargs: object) -> Any:
        with speaking(self.dialect):
            if not self.dialect.published_form:
                args, kwargs = self.converted(args, kwargs)
            return self.traced(*args, **kwargs)

    def _direct(self, *args: object, **kwargs: object) -> Any:
        from fairlead.cute import _direct  # late: to decorate a function loads no compiler

        if not self.described:
            self._describe_parameters(self.takes_instance(args))
        with speaking(self.dialect):
            return _direct.call(self, args, kwargs)

    def warm(self, *args: object, **kwargs: object) -> Any:
        """Compile for a direct call with arguments like these, and return the compiled function. Nothing runs: arrays
        are neither read nor written."""
        from fairlead.cute import _direct  # late, as above

        if not self.described:
            self._describe_parameters(self.takes_instance(args))
        with speaking(self.dialect):
            return _direct.prepared(self, args, kwargs)[0]

    def set_name_prefix(self, prefix: str, **options: bool) -> None:
        super().set_name_prefix(prefix, **options)
        self.forget()

    @property
    def compiled(self) -> list[Any]:
        """The functions that direct calls have compiled, as far as they are kept."""
        return [*self._remembered(), *self.by_key.values()]

    def forget(self) -> None:
        """Release the functions that direct calls have compiled."""
        self.by_key.clear()
        self._forget()

    def _describe_parameters(self, is_method: bool) -> None:
        """Tells the dispatcher the parameters; functions of *args or **kwargs it leaves to Python."""
        self.described = True
        parameters = inspect.signature(self.function).parameters.values()
        if any(parameter.kind in (2, 4) for parameter in parameters):
            return
        call = CallDescription(
            [parameter.name for parameter in parameters],
            tuple(
                ... if parameter.default is parameter.empty else parameter.default
                for parameter in parameters
            ),
            sum(parameter.kind < 2 for parameter in parameters),
        )
        self._describe(
            call,
            tuple(
                is_static(annotation(self.function, parameter.name)) or (index == 0 and is_method)
                for index, parameter in enumerate(parameters)
            ),
        )


@overload
def jit(function: Callable[P, R], /) -> JitFunction[P, R]: ...
@overload
def jit(
    *, preprocess: bool = True, preprocessor: bool = True
) -> Callable[[Callable[P, R]], JitFunction[P, R]]: ...
def jit(function: object = None, **options: bool) -> Any:
    """Make a Python function a host function: ``@jit`` or ``@jit(preprocess=False)``.

    Called from Python, it is compiled for its arguments and run; it launches kernels. Called by another host function
    or a kernel, it is inlined. The only one of ``options``, ``preprocess=False``, leaves its control flow to Python:
    conditions and loops must then be known at compile time.
    """
    return decorate(JitFunction, function, options)
