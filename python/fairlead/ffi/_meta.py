"""The metaclass of classes of objects: instances have no attributes but those of their types."""

from __future__ import annotations

import abc
from typing import Any

from fairlead._core import _set_metaclass

__all__ = ["ObjectMeta"]


class ObjectMeta(abc.ABCMeta):
    """The metaclass of Object and its subclasses. A class without ``__slots__`` gets empty ones, so that a wrong name
    in an assignment is an error; ``__slots__ = ("__dict__",)`` gives its instances attributes of their own.
    """

    def __new__(
        mcls, name: str, bases: tuple[type, ...], namespace: dict[str, Any], /, **kwargs: object
    ) -> Any:
        namespace.setdefault("__slots__", ())
        return super().__new__(mcls, name, bases, namespace, **kwargs)


# Does the work of ABCMeta for the classes that it makes.
_init: Any = abc._abc_init  # type: ignore[attr-defined]
for _class in _set_metaclass(ObjectMeta):
    _class.__module__ = "fairlead._core"
    _init(_class)
