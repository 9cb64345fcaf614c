"""Global functions: known to the whole process, C++ included, by a name."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, Literal, TypeVar, overload

from fairlead._core import Function, convert_func, set_global_func
from fairlead._core import get_global_func as _get
from fairlead._core import register_error as _register_error
from fairlead._hints import name_keywords
from fairlead.errors import require
from fairlead.ffi._metadata import describe, metadata_of, parse

__all__ = [
    "get_global_func",
    "get_global_func_metadata",
    "init_ffi_api",
    "list_global_func_names",
    "register_error",
    "register_global_func",
    "remove_global_func",
]


_E = TypeVar("_E", bound=type[BaseException])


@overload
def get_global_func(name: str, allow_missing: Literal[False] = False) -> Function: ...
@overload
def get_global_func(name: str, allow_missing: bool) -> Function | None: ...
def get_global_func(name: str, allow_missing: bool = False) -> Function | None:
    """Return the global function called ``name``. An unknown name is a ValueError, or None with ``allow_missing``.

    It takes keyword arguments and has defaults if its registration describes them (see docs/open-abi.md).
    """
    if not isinstance(name, str):
        got = type(name).__name__
        raise TypeError(f"get_global_func: expected name to be a str, but got {got}")
    function = _get(name, allow_missing)
    if function is None:
        return None
    metadata = _get("ffi.GetGlobalFuncMetadata", True)
    text = metadata(name) if metadata is not None else None
    if text:
        describe(function, name, parse(text, name))
    return function


@overload
def register_global_func(name: str, f: Callable[..., Any], override: bool = False) -> Function: ...
@overload
def register_global_func(
    name: str, f: None = None, override: bool = False
) -> Callable[[Callable[..., Any]], Function]: ...
@overload
def register_global_func(
    name: Callable[..., Any], f: None = None, override: bool = False
) -> Function: ...
def register_global_func(
    name: str | Callable[..., Any], f: Callable[..., Any] | None = None, override: bool = False
) -> Any:
    """Registers ``f`` as the global function ``name`` and returns it as a Function.

    Without ``f`` it is a decorator, ``@register_global_func("my.name")`` or ``@register_global_func``, which takes the
    function's own name. RuntimeError where the name is taken, unless ``override``. Names and defaults of its arguments
    are registered along, so that callers may use keywords.
    """
    if not isinstance(name, str):
        if not callable(name):
            raise TypeError(f"name: expected str or a callable, but got {type(name).__name__}")
        return register_global_func(name.__name__, name, override)

    def register(f: Callable[..., Any]) -> Function:
        function = convert_func(f)
        is_function = isinstance(f, Function)
        doc = "" if is_function else getattr(f, "__doc__", None) or ""
        set_global_func(name, function, override, doc, "" if is_function else metadata_of(f))
        return function

    return register if f is None else register(f)


@overload
def register_error(name_or_cls: str | None = None, cls: None = None) -> Callable[[_E], _E]: ...
@overload
def register_error(name_or_cls: _E, cls: None = None) -> _E: ...
@overload
def register_error(name_or_cls: str, cls: _E) -> _E: ...
def register_error(
    name_or_cls: str | type[BaseException] | None = None, cls: type[BaseException] | None = None
) -> Any:
    """Raise errors of a kind as a class of exceptions, and pass such exceptions of callbacks on as that kind.

    ``name_or_cls`` is the kind or the class: ``register_error("Kind", cls)``, or a decorator of the class:
    ``@register_error("Kind")``, ``@register_error`` and ``@register_error()``, where the kind is the class's name.
    Returns the class. TypeError if it is no class of exceptions.
    """
    if name_or_cls is not None and not isinstance(name_or_cls, (str, type)):
        raise TypeError(
            f"name_or_cls: expected str or an exception class, but got {type(name_or_cls).__name__}"
        )
    if isinstance(name_or_cls, type):
        if cls is not None:
            raise TypeError(f"name_or_cls: expected str, but got the class {name_or_cls.__name__}")
        return register_error(name_or_cls.__name__, name_or_cls)

    def register(cls: type[BaseException]) -> type[BaseException]:
        if not isinstance(cls, type):
            raise TypeError(f"cls: expected an exception class, but got {cls!r}")
        _register_error(cls.__name__ if name_or_cls is None else name_or_cls, cls)
        return cls

    return register if cls is None else register(cls)


def remove_global_func(name: str) -> None:
    """Forget the global function ``name``."""
    require(remove_global_func, name=name)
    _get("ffi.FunctionRemoveGlobal")(name)


def list_global_func_names() -> list[str]:
    """Names of all global functions."""
    name_of = _get("ffi.FunctionListGlobalNamesFunctor")()
    return [name_of(index) for index in range(name_of(-1))]


def get_global_func_metadata(name: str) -> dict[str, Any]:
    """Return the metadata registered with the global function ``name``, a dict."""
    import json  # late: few programs ask, and importing it takes a while

    require(get_global_func_metadata, name=name)
    text = _get("ffi.GetGlobalFuncMetadata")(name)
    return json.loads(text) if text else {}


def init_ffi_api(namespace: str, target_module_name: str | None = None) -> None:
    """Make each global function ``<namespace>.<name>`` the attribute ``name`` of a module: the one called
    ``target_module_name``, else the one called like the namespace. Names with a further dot stay out.

    KeyError where no module of that name is imported.
    """
    name = target_module_name or namespace
    if name not in sys.modules:
        raise KeyError(f"init_ffi_api: the module {name!r} is not imported")
    module = sys.modules[name]
    prefix = namespace.removeprefix("tvm.") + "."
    for name in list_global_func_names():
        rest = name.removeprefix(prefix)
        if rest != name and "." not in rest:
            setattr(module, rest, _get(name))


name_keywords(__all__, globals())
