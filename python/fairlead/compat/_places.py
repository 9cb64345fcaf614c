"""Functions that take the keywords ``loc`` and ``ip``, and modules of such functions under published names.

Published programs hand the two from helper to helper. They are dropped: Fairlead finds source locations itself.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from types import FunctionType, ModuleType
from typing import Any

__all__ = ["forwarding", "ignoring", "take_places", "taking_place"]


def taking_place(function: Callable[..., Any]) -> Any:
    """Return ``function`` with the keywords ``loc`` and ``ip``; anything but a plain function as it is."""
    if not isinstance(function, FunctionType) or getattr(function, "_takes_place", False):
        return function
    if "loc" in function.__code__.co_varnames:
        return function

    @functools.wraps(function)
    def call(*args: object, loc: object = None, ip: object = None, **kwargs: object) -> Any:
        return function(*args, **kwargs)

    call._takes_place = True  # type: ignore[attr-defined]
    return call


def ignoring(function: Callable[..., Any], *options: str) -> Callable[..., Any]:
    """Return ``function`` with these keywords, ``loc`` and ``ip``, which have no effect."""

    @functools.wraps(function)
    def call(*args: object, **kwargs: object) -> Any:
        for name in (*options, "loc", "ip"):
            kwargs.pop(name, None)
        return function(*args, **kwargs)

    call._takes_place = True  # type: ignore[attr-defined]
    return call


def take_places(module: dict[str, Any], names: Iterable[str]) -> None:
    """Have the functions of these names in ``module``, the globals of one, take ``loc`` and ``ip``."""
    for name in names:
        module[name] = taking_place(module[name])


def forwarding(
    module: dict[str, Any],
    native: ModuleType,
    otherwise: Callable[[str], Any] | None = None,
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return ``__getattr__`` and ``__dir__`` of a module whose names are those of ``native``, where it has none itself;
    functions take ``loc`` and ``ip``.

    Args:
        module: its globals.
        native: the module of Fairlead.
        otherwise: returns the value of a name that ``native`` does not have either.
    """

    def get(name: str) -> Any:
        try:
            value = getattr(native, name)
        except AttributeError:
            if otherwise is None or name.startswith("__"):
                raise
            value = otherwise(name)
        if name.startswith("__"):
            return value
        value = module[name] = taking_place(value)
        return value

    def names() -> list[str]:
        return sorted({*dir(native), *module.get("__all__", ())})

    return get, names
