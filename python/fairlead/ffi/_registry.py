"""Global functions: known to the whole process, C++ included, by a name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from fairlead._core import Function, convert_func, get_global_func, set_global_func

__all__ = [
    "get_global_func",
    "list_global_func_names",
    "register_global_func",
    "remove_global_func",
]


def register_global_func(
    name: str | Callable[..., Any], f: Callable[..., Any] | None = None, override: bool = False
) -> Any:
    """Registers ``f`` as the global function ``name`` and returns it as a Function.

    Without ``f`` it is a decorator, ``@register_global_func("my.name")`` or ``@register_global_func``, which takes the
    function's own name. RuntimeError where the name is taken, unless ``override``.
    """
    if not isinstance(name, str):
        if not callable(name):
            raise TypeError(f"name: expected str or a callable, but got {type(name).__name__}")
        return register_global_func(name.__name__, name, override)

    def register(f: Callable[..., Any]) -> Function:
        function = convert_func(f)
        set_global_func(name, function, override)
        return function

    return register if f is None else register(f)


def remove_global_func(name: str) -> None:
    """Forgets the global function ``name``."""
    get_global_func("ffi.FunctionRemoveGlobal")(name)


def list_global_func_names() -> list[str]:
    """Names of all global functions."""
    name_of = get_global_func("ffi.FunctionListGlobalNamesFunctor")()
    return [name_of(index) for index in range(name_of(-1))]
