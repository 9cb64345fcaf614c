"""Methods that ignore some keywords of the current dialect: none in native functions."""

from __future__ import annotations

import functools
from collections.abc import Callable
from types import FunctionType
from typing import Any, TypeVar

from fairlead._tracing.state import state

__all__ = ["ignoring_keywords", "methods_ignore_keywords"]

_Class = TypeVar("_Class", bound=type)


def ignoring_keywords(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return ``function``, called without the keywords that the dialect ignores."""

    @functools.wraps(function)
    def call(*args: object, **kwargs: object) -> Any:
        if kwargs and (ignored := state.dialect.ignored_keywords):
            kwargs = {name: value for name, value in kwargs.items() if name not in ignored}
        return function(*args, **kwargs)

    return call


def methods_ignore_keywords(cls: _Class) -> _Class:
    """Decorate a class: its public methods ignore keywords of the dialect."""
    for name, method in list(vars(cls).items()):
        if name.startswith("_"):
            continue
        if isinstance(method, (classmethod, staticmethod)):
            setattr(cls, name, type(method)(ignoring_keywords(method.__func__)))
        elif isinstance(method, FunctionType) or type(method).__name__ == "nb_method":
            setattr(cls, name, ignoring_keywords(method))
    return cls
