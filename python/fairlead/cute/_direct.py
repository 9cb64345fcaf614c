"""A ``@jit`` function called from Python: compiled for the kinds of its arguments, once, and run.

A compiled program is kept in one place. The function's Dispatcher finds it without coming here. If the Dispatcher
cannot tell the kinds of the arguments (objects of a user's protocol, lists, ``*args``), it is in ``function.by_key``.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from fairlead import _events
from fairlead.cute._arguments import Parameters
from fairlead.cute._compile import CompiledFunction, compile_bound
from fairlead.cute._dlpack import RuntimeTensor
from fairlead.cute._guards import Dependencies
from fairlead.cute._options import Options
from fairlead.cute._program_key import Key, arguments_key

if TYPE_CHECKING:
    from fairlead.cute._jit import JitFunction

_ENVIRONMENT = (
    "FAIRLEAD_TARGET",
    "CUTE_DSL_ARCH",
    "FAIRLEAD_CHECK",
    "FAIRLEAD_CHECK_THREADS",
    "FAIRLEAD_COVERAGE",
)
_MAX_PROGRAMS = 64  # in by_key


def call(function: JitFunction[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Call ``function`` with tensors, numbers and streams; layouts are dynamic, as ``mark_layout_dynamic`` makes them.

    Static arguments are part of the key by value, or by identity if they cannot be hashed.
    """
    compiled, parameters = prepared(function, args, kwargs)
    positional, keyed = parameters.call_form.arguments()
    compiled(*positional, **keyed)
    return compiled.result


def prepared(
    function: JitFunction[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[CompiledFunction, Parameters]:
    """Return the program for a call with these arguments, and the arguments as it takes them."""
    code = function.function.__code__
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    no_cache = "no_cache" not in names and bool(kwargs.pop("no_cache", False))
    instance, rest = (args[:1], args[1:]) if function.takes_instance(args) else ((), args)
    parameters = Parameters(
        function.function,
        instance,
        rest,
        kwargs,
        function.symbol(),
        examples=False,
        mark=RuntimeTensor.mark_direct,
    )
    identified: list[Any] = []
    static_objects = list(parameters.key.static_objects)
    arguments = arguments_key(parameters.key, static_objects, identified)
    reads = function.reads.now(static_objects)
    key = _key(reads, arguments)
    compiled = None if no_cache else function.by_key.get(key)
    if compiled is None:
        compiled = _compile(function, parameters, key, no_cache)
        if reads.note_changes(function.reads.changing):
            # Tracing itself changed something, which stays as it left it.
            reads = function.reads.now(static_objects)
        # The objects whose identity is in the key live as long as the program, and so do those of the guards.
        compiled.keep_alive, compiled.guards = (static_objects, identified), reads.guards
        compiled.key = _key(reads, arguments)
        _remember(function, parameters, compiled)
    return compiled, parameters


def _key(reads: Dependencies, arguments: Key) -> Key:
    environment = tuple((name, os.environ.get(name)) for name in _ENVIRONMENT)
    return (*environment, ("what it reads from outside", reads.key), *arguments)


def _compile(
    function: JitFunction[..., Any], parameters: Parameters, key: Key, no_cache: bool
) -> CompiledFunction:
    options = Options.gather((), None)
    options.cache = options.cache and not no_cache
    with _events.span(function.function.__name__, "direct call", reason=_reason(function, key)):
        return compile_bound(function, parameters, options)


def _reason(function: JitFunction[..., Any], key: Key) -> str:
    """Return why a direct call compiles: how it differs from the program that is the most like it."""
    if not function.compiled:
        return "the first call"
    differences: list[list[str]] = [
        [*dict.fromkeys(name for name, part in (*key, *other.key) if (name, part) in changed)]
        for other in function.compiled
        for changed in [set(key) ^ set(other.key)]
    ]
    least = min(differences, key=len)
    fewest = ", ".join(least)
    return f"changed: {fewest}" if fewest else "asked for without the cache"


def _remember(
    function: JitFunction[..., Any], parameters: Parameters, compiled: CompiledFunction
) -> None:
    # The dispatcher does not give back a result.
    if compiled.result is None and function._remember(
        tuple(parameters.binding.arguments.values()), compiled
    ):
        return
    while len(function.by_key) >= _MAX_PROGRAMS:
        function.by_key.pop(next(iter(function.by_key)), None)
    function.by_key[compiled.key] = compiled
