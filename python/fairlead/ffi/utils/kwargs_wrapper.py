"""Keyword arguments and defaults for functions that take positional arguments alone, as functions of the ABI do.

A wrapper is generated as Python source, so that a call costs one more Python call and no search for names.
"""

from __future__ import annotations

import inspect
import keyword
from collections.abc import Callable, Iterable
from typing import Any

__all__ = ["make_kwargs_wrapper", "make_kwargs_wrapper_from_signature"]

# Names that the generated source needs for itself; an argument may be called anything else.
_TARGET, _MISSING_NAME, _DEFAULT, _UNPACK = (
    "__i_target",
    "__i_missing",
    "__i_default",
    "__i_unpack",
)
_COPIED = ("__name__", "__doc__", "__module__", "__qualname__", "__annotations__")


class _Missing:
    """Stands in a signature for a default that its text cannot show."""

    def __repr__(self) -> str:
        return "<default>"


_MISSING = _Missing()


def _check_names(names: list[str], kind: str) -> None:
    for name in names:
        if not isinstance(name, str):
            raise TypeError(f"{kind}: expected str, but got {type(name).__name__}: {name!r}")
        if not name.isidentifier():
            raise ValueError(f"{kind}: {name!r} is not a valid Python identifier")
        if keyword.iskeyword(name):
            raise ValueError(f"{kind}: {name!r} is a Python keyword")
        if name.startswith("__i_"):
            raise ValueError(f"{kind}: {name!r} starts with '__i_', which the wrapper needs itself")
    if len(set(names)) != len(names):
        raise ValueError(f"{kind}: a name is there twice: {names!r}")


def _unpack(value: object) -> Any:
    """Dataclass instances as tuples of their fields, also inside lists, tuples and dicts."""
    import dataclasses

    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return tuple(_unpack(getattr(value, field.name)) for field in dataclasses.fields(value))
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*map(_unpack, value))
    kind: Any = type(value)
    items: Any = value
    if kind in (list, tuple):
        return kind(map(_unpack, items))
    if kind is dict:
        return {key: _unpack(part) for key, part in items.items()}
    return value


def make_kwargs_wrapper(
    target_func: Callable[..., Any],
    arg_names: list[str],
    arg_defaults: tuple[Any, ...] = (),
    kwonly_names: list[str] | None = None,
    kwonly_defaults: dict[str, Any] | None = None,
    prototype: Callable[..., Any] | None = None,
    map_dataclass_to_tuple: list[str] | None = None,
) -> Callable[..., Any]:
    """Return a function that takes ``arg_names`` by position or by name and calls ``target_func`` with all by position.

    Args:
        target_func: called with the values of ``arg_names``, then of ``kwonly_names``.
        arg_names: names of the arguments in order.
        arg_defaults: values of the last of them where a call leaves them out.
        kwonly_names: names of arguments that go by name only.
        kwonly_defaults: their values where a call leaves them out.
        prototype: a function whose name, documentation, module and annotations the wrapper gets.
        map_dataclass_to_tuple: arguments whose dataclass instances are passed as tuples of their fields, also those
            inside of lists, tuples, dicts and other dataclasses.

    TypeError or ValueError for names and defaults that do not fit.
    """
    names, only = list(arg_names), list(kwonly_names or ())
    only_defaults = dict(kwonly_defaults or {})
    unpacked = list(map_dataclass_to_tuple or ())
    if not callable(target_func):
        raise TypeError(f"target_func: expected a callable, but got {type(target_func).__name__}")
    _check_names(names, "arg_names")
    _check_names(only, "kwonly_names")
    if not isinstance(arg_defaults, tuple):
        raise TypeError(f"arg_defaults: expected tuple, but got {type(arg_defaults).__name__}")
    if len(arg_defaults) > len(names):
        raise ValueError(
            f"arg_defaults: {len(arg_defaults)} values for {len(names)} positional arguments"
        )
    if both := set(names) & set(only):
        raise ValueError(f"arguments are both positional and keyword-only: {sorted(both)}")
    if extra := [name for name in only_defaults if name not in only]:
        raise ValueError(f"kwonly_defaults: {extra} are not in kwonly_names {only}")
    if extra := [name for name in unpacked if name not in names and name not in only]:
        raise ValueError(f"map_dataclass_to_tuple: {extra} are no arguments of the wrapper")

    defaults = dict(zip(names[len(names) - len(arg_defaults) :], arg_defaults, strict=True))
    defaults.update(only_defaults)
    scope: dict[str, Any] = {_TARGET: target_func, _MISSING_NAME: _MISSING, _UNPACK: _unpack}
    parameters: list[str] = []
    values: list[str] = []
    for name in names + only:
        if len(parameters) == len(names) and only:
            parameters.append("*")
        value = name
        if name not in defaults:
            parameters.append(name)
        elif defaults[name] is None or isinstance(defaults[name], bool):
            parameters.append(f"{name}={defaults[name]!r}")
        else:
            # Only these have a text that is surely the value.
            scope[f"{_DEFAULT}_{name}"] = defaults[name]
            parameters.append(f"{name}={_MISSING_NAME}")
            value = f"{_DEFAULT}_{name} if {name} is {_MISSING_NAME} else {name}"
        values.append(f"{_UNPACK}({value})" if name in unpacked else value)
    source = f"def wrapper({', '.join(parameters)}): return {_TARGET}({', '.join(values)})"
    exec(source, scope)  # noqa: S102 - all names in it are checked above.
    wrapper: Callable[..., Any] = scope["wrapper"]
    for attribute in _COPIED if prototype is not None else ():
        if hasattr(prototype, attribute):
            setattr(wrapper, attribute, getattr(prototype, attribute))
    return wrapper


def make_kwargs_wrapper_from_signature(
    target_func: Callable[..., Any],
    signature: inspect.Signature,
    prototype: Callable[..., Any] | None = None,
    exclude_arg_names: Iterable[str] | None = None,
    map_dataclass_to_tuple: list[str] | None = None,
) -> Callable[..., Any]:
    """``make_kwargs_wrapper`` with the names and defaults of a signature, but for ``exclude_arg_names``.

    ValueError for a signature with ``*args`` or ``**kwargs``.
    """
    excluded = set(exclude_arg_names or ())
    names: list[str] = []
    defaults: list[Any] = []
    only: list[str] = []
    only_defaults: dict[str, Any] = {}
    for name, parameter in signature.parameters.items():
        if name in excluded:
            continue
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            raise ValueError(f"a wrapper cannot have the parameter {parameter}")
        has_default = parameter.default is not parameter.empty
        if parameter.kind == parameter.KEYWORD_ONLY:
            only.append(name)
            if has_default:
                only_defaults[name] = parameter.default
            continue
        names.append(name)
        if has_default:
            defaults.append(parameter.default)
        elif defaults:  # One with a default before it was left out.
            raise ValueError(f"parameter {name!r} without a default follows one with a default")
    return make_kwargs_wrapper(
        target_func, names, tuple(defaults), only, only_defaults, prototype, map_dataclass_to_tuple
    )
