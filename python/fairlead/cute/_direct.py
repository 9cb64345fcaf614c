"""A ``@jit`` function called from Python: compiled for the types of its arguments, once, and run."""

from __future__ import annotations

import os
from typing import Any

from fairlead import _compiler
from fairlead.cute._arguments import Parameters, is_stream
from fairlead.cute._compile import compile_bound
from fairlead.cute._dlpack import RuntimeTensor
from fairlead.cute._functions import Bound, JitFunction
from fairlead.cute._options import Options

_ENVIRONMENT = ("FAIRLEAD_TARGET", "CUTE_DSL_ARCH")


def _key(value: Any) -> Any:
    """What a compile depends on of one argument."""
    if isinstance(value, RuntimeTensor):

        def fixed(extents: tuple) -> tuple:
            return tuple(extent if isinstance(extent, int) else None for extent in extents)

        return value.dtype, fixed(value.shape), fixed(value.stride), value.on_cpu, value.alignment
    if is_stream(value):
        return "stream"
    return type(value)


def call(function: JitFunction, args: tuple, kwargs: dict[str, Any]) -> Any:
    """Calls ``function`` with tensors, numbers and streams; layouts are dynamic, as ``mark_layout_dynamic`` makes them.

    Constexpr arguments are part of the key by value, or by identity where they cannot be hashed.
    """
    args = tuple(_wrap(value) for value in args)
    kwargs = {name: _wrap(value) for name, value in kwargs.items()}
    no_cache = kwargs.pop("no_cache", False)
    instance, args = _instance(function, args)
    parameters = Parameters(function.function, instance, args, kwargs)
    key: list[Any] = [os.environ.get(name) for name in _ENVIRONMENT]
    key += [id(value) for value in instance]
    for name, value in parameters.bound.arguments.items():
        if name in parameters.dynamic:
            key.append((name, _key(value)))
        else:
            key.append((name, value if getattr(type(value), "__hash__", None) else id(value)))
    passed = [_plain(parameters.bound.arguments[name]) for name in parameters.dynamic]
    compiled = None if no_cache else function.compiled.get(tuple(key))
    if compiled is None:
        options = Options.gather((), None)
        options.cache = not no_cache
        compiled = compile_bound(function, parameters, options)
        # The objects whose identity is in the key live as long as the entry.
        compiled.keep_alive = (instance, dict(parameters.bound.arguments))
        function.compiled[tuple(key)] = compiled
    return compiled(*passed)


def _wrap(value: Any) -> Any:
    if isinstance(value, RuntimeTensor) or is_stream(value) or not hasattr(value, "__dlpack__"):
        return value
    return RuntimeTensor(value, None, False).mark_layout_dynamic()


def _plain(value: Any) -> Any:
    """The argument of the compiled function: the producer behind a wrapped tensor, a typed number's number."""
    if isinstance(value, RuntimeTensor):
        return value._producer
    if isinstance(value, _compiler.Numeric):
        return float(value) if type(value).is_float else int(value)
    return value


def _instance(function: JitFunction, args: tuple) -> tuple[tuple, tuple]:
    """Splits off the object of a method."""
    names = function.function.__code__.co_varnames
    if args and names[:1] == ("self",) and not isinstance(args[0], (RuntimeTensor, Bound)):
        return args[:1], args[1:]
    return (), args
