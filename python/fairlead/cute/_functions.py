"""The decorators ``@jit`` and ``@kernel``."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from types import FunctionType
from typing import Any

from fairlead.cute._annotations import annotation
from fairlead.cute._trace import state
from fairlead.errors import make_error

__all__ = ["JitFunction", "KernelFunction", "jit", "kernel"]


class _Decorated:
    """A user's function and its rewritten form, made when first traced."""

    def __init__(self, function: FunctionType, preprocess: bool) -> None:
        functools.update_wrapper(self, function)
        self.function = function
        self.preprocess = preprocess

    @property
    def traced(self) -> Callable[..., Any]:
        if not self.preprocess:
            return self.function
        from fairlead._rewrite import rewrite

        return rewrite(self.function)

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        return self if instance is None else Bound(self, instance)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.function.__qualname__}>"


class Bound:
    """A decorated method of one object."""

    def __init__(self, decorated: _Decorated, instance: Any) -> None:
        functools.update_wrapper(self, decorated.function)
        self.decorated, self.instance = decorated, instance

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.decorated(self.instance, *args, **kwargs)


class JitFunction(_Decorated):
    """A host function of the language.

    Called while tracing it is inlined; called from Python it is compiled for the arguments' types, once, and run.
    """

    def __init__(self, function: FunctionType, preprocess: bool) -> None:
        super().__init__(function, preprocess)
        self.compiled: dict[Any, Any] = {}

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if state.program is not None:
            return self.traced(*args, **kwargs)
        from fairlead.cute._direct import call

        return call(self, args, kwargs)


class KernelFunction(_Decorated):
    """A device function: called in a ``@jit`` function it gives an object whose ``launch`` runs it."""

    def __call__(self, *args: Any, **kwargs: Any) -> KernelCall:
        if state.program is None:
            raise make_error("KernelFromPython", kernel=self.function.__name__)
        if state.program.in_kernel():
            raise make_error("KernelInKernel", kernel=self.function.__name__)
        return KernelCall(self, args, kwargs)


def _parts(value: Any) -> list[Any] | None:
    """The fields of a value that travels to a kernel field by field."""
    if isinstance(value, (tuple, list)):
        return list(value)
    if hasattr(type(value), "__dataclass_fields__"):
        return [getattr(value, name) for name in type(value).__dataclass_fields__]
    return None


def _rebuilt(value: Any, parts: list[Any]) -> Any:
    if hasattr(type(value), "__dataclass_fields__"):
        from dataclasses import replace

        return replace(value, **dict(zip(type(value).__dataclass_fields__, parts, strict=True)))
    return type(value)(*parts) if hasattr(value, "_fields") else type(value)(parts)


class KernelCall:
    """A kernel with its arguments, to be launched once or more."""

    def __init__(self, kernel: KernelFunction, args: tuple, kwargs: dict[str, Any]) -> None:
        self.kernel, self.args, self.kwargs = kernel, args, kwargs
        names = kernel.function.__code__.co_varnames
        self.hints = [annotation(kernel.function, name) for name in names[: len(args)]]

    def _collect(self, value: Any, hint: Any, leaves: list[Any]) -> Any:
        """``value`` with every run-time part appended to ``leaves``."""
        from fairlead import _compiler

        if isinstance(value, (_compiler.Tensor, _compiler.Numeric, _compiler.Stream)):
            leaves.append(value)
        elif isinstance(value, (int, float)) and _compiler.is_dtype(hint):
            value = hint(value)
            leaves.append(value)
        elif (parts := _parts(value)) is not None:
            value = _rebuilt(value, [self._collect(part, None, leaves) for part in parts])
        return value

    def _replace(self, value: Any, leaves: Iterator[Any]) -> Any:
        from fairlead import _compiler

        if isinstance(value, (_compiler.Tensor, _compiler.Numeric, _compiler.Stream)):
            return next(leaves)
        parts = _parts(value)
        return (
            value
            if parts is None
            else _rebuilt(value, [self._replace(part, leaves) for part in parts])
        )

    def launch(
        self,
        *,
        grid: Any = (1, 1, 1),
        block: Any = (1, 1, 1),
        stream: Any = None,
        smem: Any = None,
        **options: Any,
    ) -> None:
        """Emits the launch: ``grid`` blocks of ``block`` threads.

        Args:
            grid, block: one to three integers, static or not.
            stream: a stream parameter; default the framework's current stream on the call's device.
            smem: bytes of shared memory of each block; default what the kernel reserves.
        """
        name = self.kernel.function.__name__
        for option, value in options.items():
            if value not in (None, False, 0, (1, 1, 1), [1, 1, 1]):
                raise make_error("LaunchOption", kernel=name, option=option)
        program = state.program
        if program is None:
            raise make_error("KernelFromPython", kernel=name)
        leaves: list[Any] = []
        hints = [*self.hints, *(None for _ in self.args[len(self.hints) :])]
        args = [
            self._collect(value, hint, leaves) for value, hint in zip(self.args, hints, strict=True)
        ]
        kwargs = {
            key: self._collect(value, annotation(self.kernel.function, key), leaves)
            for key, value in self.kwargs.items()
        }
        traced = self.kernel.traced
        formals = iter(program.begin_kernel(name, leaves))
        try:
            args = [self._replace(value, formals) for value in args]
            kwargs = {key: self._replace(value, formals) for key, value in kwargs.items()}
            traced(*args, **kwargs)
            kernel = program.end_kernel()
        except BaseException:
            program.abandon_kernel()
            raise
        program.launch(kernel, grid, block, stream, smem)


def _decorate(cls: type, function: Any, options: dict[str, Any]) -> Any:
    preprocess = options.pop("preprocess", options.pop("preprocessor", True))
    if options:
        raise TypeError(f"unknown option of the decorator: {', '.join(options)}")
    if function is None:
        return lambda function: cls(function, preprocess)
    return cls(function, preprocess)


def jit(function: FunctionType | None = None, **options: Any) -> Any:
    """Makes a Python function a host function of the language: ``@jit`` or ``@jit(preprocess=False)``.

    ``preprocess=False`` leaves its control flow to Python, so that conditions and loops are those known while tracing.
    """
    return _decorate(JitFunction, function, options)


def kernel(function: FunctionType | None = None, **options: Any) -> Any:
    """Makes a Python function a kernel: device code, run by each thread of a launch. Options as for ``jit``."""
    return _decorate(KernelFunction, function, options)
