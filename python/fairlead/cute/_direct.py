"""A ``@jit`` function called from Python: compiled for the kinds of its arguments, once, and run.

What is compiled is kept in one place: by the function's Dispatcher, which finds it without coming here; or, where only
Python code can tell the kind (objects of a user's protocol, lists, ``*args``), in ``function.by_key``.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from types import FunctionType
from typing import TYPE_CHECKING, Any

from fairlead import _compiler, _events
from fairlead._core import Form
from fairlead._tracing.composite import items_of, rebuilt
from fairlead.cute._arguments import Parameters, is_stream, plain, runtime_tensor
from fairlead.cute._compile import compile_bound
from fairlead.cute._dlpack import RuntimeTensor
from fairlead.cute._guards import Dependencies
from fairlead.cute._options import Options
from fairlead.cute._pointer import RuntimePointer
from fairlead.cute._protocols import adapted, has_protocol

if TYPE_CHECKING:
    from fairlead.cute._jit import JitFunction

_ENVIRONMENT = ("FAIRLEAD_TARGET", "CUTE_DSL_ARCH", "FAIRLEAD_CHECK", "FAIRLEAD_CHECK_THREADS")
_MOST = 64  # kinds that are kept of one function
_MOST_ROOTS = 8  # objects that it is called with, of which is kept what they lead to


def _example(value: Any, function: str, index: int, name: str) -> Any:
    """Tensors as examples with a dynamic layout, also inside structures."""

    def wrap(value: Any) -> Any:
        if isinstance(value, (RuntimeTensor, RuntimePointer)) or is_stream(value):
            return value
        if hasattr(value, "__dlpack__") and not has_protocol(adapted(value)):
            return runtime_tensor(value, function, index, name).mark_direct()
        return _with_parts(value, wrap)

    try:
        return wrap(value)
    except RecursionError:  # Parameters says which argument it is
        return value


def wrapped(
    function: FunctionType, instance: tuple, args: Sequence[Any], kwargs: Mapping[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The arguments of a call as examples; ``instance`` are the function's first ones."""
    code = function.__code__
    names = code.co_varnames[len(instance) : code.co_argcount + code.co_kwonlyargcount]
    positional = code.co_argcount - len(instance)
    examples = tuple(
        _example(value, function.__name__, index, names[index] if index < positional else "*args")
        for index, value in enumerate(args)
    )
    places = {name: index for index, name in enumerate(names)}
    return examples, {
        name: _example(value, function.__name__, places.get(name, len(names)), name)
        for name, value in kwargs.items()
    }


def _with_parts(value: Any, change: Callable[[Any], Any]) -> Any:
    """A structure with its parts changed; itself where none is. Objects of a user's protocol have no parts here."""
    items = None if has_protocol(adapted(value)) else items_of(value)
    if items is None:
        return value
    parts = [change(part) for _, part, _ in items]
    unchanged = all(old is new for (_, old, _), new in zip(items, parts, strict=True))
    return value if unchanged else rebuilt(value, parts)


def _frozen(value: Any) -> Any:
    """A static value as a key: containers by their contents, with types, since 1 == 1.0 == True."""
    if isinstance(value, (tuple, list)):
        return type(value), tuple(_frozen(part) for part in value)
    if isinstance(value, dict):
        return dict, tuple((_frozen(key), _frozen(part)) for key, part in value.items())
    if isinstance(value, (set, frozenset)):
        return type(value), frozenset(_frozen(part) for part in value)
    if isinstance(value, float):
        return float, value.hex()
    if getattr(type(value), "__hash__", None) is None:
        return type(value), id(value)
    return type(value), value


def _kind(form: Form, value: Any) -> Any:
    """What a compile depends on of one argument."""
    match form.kind:
        case "none":
            return None
        case "constant":
            return _frozen(form.value)
        case "custom":
            # What else the program depends on, the object says; or it is known by identity.
            key = getattr(value, "__cache_key__", None)
            return type(value), id(value) if key is None else _frozen(
                key() if callable(key) else key
            )
        case "tuple" | "fields":
            parts = zip(form.children, items_of(value) or [], strict=True)
            return type(value), tuple(_kind(child, part) for child, (_, part, _) in parts)
    if isinstance(value, (RuntimePointer, RuntimeTensor)):
        return value.__fairlead_kind__
    return "stream" if is_stream(value) else type(value)


def call(function: JitFunction, args: tuple, kwargs: dict[str, Any]) -> Any:
    """Calls ``function`` with tensors, numbers and streams; layouts are dynamic, as ``mark_layout_dynamic`` makes them.

    Static arguments are part of the kind by value, or by identity where they cannot be hashed.
    """
    code = function.function.__code__
    own = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    no_cache = "no_cache" not in own and bool(kwargs.pop("no_cache", False))
    instance, rest = (args[:1], args[1:]) if function.takes_instance(args) else ((), args)
    examples, named = wrapped(function.function, instance, rest, kwargs)
    parameters = Parameters(
        function.function, instance, examples, named, function.symbol(), examples=False
    )
    arguments = parameters.bound.arguments
    forms = {name: form for name, form, _ in parameters.passed}
    roots = [*instance, *_static_objects(parameters, forms)]
    reads = _dependencies(function, roots)
    key: list[Any] = [os.environ.get(name) for name in _ENVIRONMENT]
    key.append(reads.key)
    for name, value in _flat_arguments(arguments):
        key.append((name, _kind(forms[name], value) if name in forms else _frozen(value)))
    compiled = None if no_cache else function.by_key.get(tuple(key))
    if compiled is None:
        options = Options.gather((), None)
        options.cache = options.cache and not no_cache
        with _events.span(function.function.__name__, "direct call", reason=_reason(function, key)):
            compiled = compile_bound(function, parameters, options)
        if reads.note_changes(function.changing):
            # Tracing itself changed something, which stays as it left it.
            reads = _dependencies(function, roots)
            key[len(_ENVIRONMENT)] = reads.key
        # The objects whose identity is in the key live as long as the entry, and so does what the guards hold.
        compiled.keep_alive, compiled.guards = dict(arguments), reads.guards
        compiled.key = tuple(key)
        if not _remember(function, parameters, forms, compiled):
            while len(function.by_key) >= _MOST:
                function.by_key.pop(next(iter(function.by_key)), None)
            function.by_key[compiled.key] = compiled
    values = dict(_flat_arguments(arguments))
    positional, keyed = [], {}
    for name, _, parameter in parameters.passed:
        if parameter.kind in (parameter.KEYWORD_ONLY, parameter.VAR_KEYWORD):
            keyed[name] = _call_value(values[name])
        else:
            positional.append(_call_value(values[name]))
    compiled(*positional, **keyed)
    return compiled.result


def _reason(function: JitFunction, key: list[Any]) -> str:
    """Why a direct call compiles, in words: how it differs from the call before that is the most like it."""
    if not function.compiled:
        return "the first call"
    first = len(_ENVIRONMENT)
    best: list[str] | None = None
    for known in function.compiled:
        other = list(known.key)
        found = [
            variable
            for variable, mine, theirs in zip(_ENVIRONMENT, key, other, strict=False)
            if mine != theirs
        ]
        if key[first] != other[first]:
            found.append("what it reads from outside")
        mine, theirs = dict(key[first + 1 :]), dict(other[first + 1 :])
        names = [name for name in mine if mine[name] != theirs.get(name)]
        found += [f"argument `{name}`" for name in names]
        if best is None or len(found) < len(best):
            best = found
    return f"changed: {', '.join(best)}" if best else "asked for without the cache"


def _dependencies(function: JitFunction, roots: list[Any]) -> Dependencies:
    """The names outside of the function, and of these objects, as they are now."""
    which = tuple(map(id, roots))  # they live as long as the entry
    found = function.dependencies.get(which)
    if found is None or not found[0].guards.is_unchanged():
        while len(function.dependencies) >= _MOST_ROOTS:
            function.dependencies.pop(next(iter(function.dependencies)), None)
        found = Dependencies(function.function, roots, function.changing), roots
        function.dependencies[which] = found
    return found[0]


def _static_objects(parameters: Parameters, forms: dict[str, Form]) -> list[Any]:
    """What tracing sees as it is: constants, objects of a user's protocol, and the classes of structures."""

    def inside(form: Form, value: Any) -> list[Any]:
        match form.kind:
            case "constant":
                return [form.value]
            case "custom":
                return [value] if getattr(value, "__cache_key__", None) is None else [type(value)]
            case "tuple" | "fields":
                parts = zip(form.children, items_of(value) or [], strict=True)
                found = [each for child, (_, part, _) in parts for each in inside(child, part)]
                return [type(value), *found]
        return []

    found = []
    for name, value in _flat_arguments(parameters.bound.arguments):
        found += inside(forms[name], value) if name in forms else [value]
    plain = (int, bool, float, str, type(None))
    return [each for each in found if type(each) not in plain]


def _flat_arguments(arguments: dict[str, Any]) -> list[tuple[str, Any]]:
    """Bound arguments, those of ``*args`` and ``**kwargs`` one by one, as Parameters names them."""
    flat: list[tuple[str, Any]] = []
    for name, value in arguments.items():
        flat.append((name, value))
        if isinstance(value, tuple):
            flat += [(f"{name}{index}", part) for index, part in enumerate(value)]
        elif isinstance(value, dict):
            flat += list(value.items())
    return flat


def _remember(
    function: JitFunction, parameters: Parameters, forms: dict[str, Form], compiled: Any
) -> bool:
    """Hands calls of this kind to the dispatcher, if it can tell their kind; whether it can."""
    if compiled.result is not None:  # which the dispatcher does not give back
        return False
    full = []
    for name in parameters.python_signature.parameters:
        value = parameters.bound.arguments.get(name)
        if name not in forms:
            if _frozen(value) != (type(value), value) and not isinstance(value, (float, tuple)):
                return False
        elif not _is_plain(forms[name]):
            return False
        elif forms[name].kind == "argument" and not (
            isinstance(value, (RuntimePointer, RuntimeTensor))
            or is_stream(value)
            or type(value) in (int, float, bool)
        ):
            return False
        full.append(_given(value) if name in forms else value)
    return function._remember(tuple(full), compiled)


def _is_plain(form: Form) -> bool:
    """Whether the call path tells the kinds of such values: arguments, constants, and tuples and fields of them."""
    if form.kind in ("tuple", "fields"):
        return all(_is_plain(child) for child in form.children)
    return form.kind in ("argument", "none", "constant")


def _given(value: Any) -> Any:
    """What the caller gave: the producer behind a tensor that this module wrapped, also inside structures."""
    if isinstance(value, RuntimeTensor):
        return value._producer if value.direct else value
    return _with_parts(value, _given)


def _call_value(value: Any) -> Any:
    """The argument of the compiled function: the producer behind a wrapped tensor, a typed number's number."""
    if isinstance(value, (RuntimeTensor, _compiler.Numeric)):
        return plain(value)
    return _with_parts(value, _call_value)
