"""Values that consist of values: tuples, lists, NamedTuples, dataclasses, layouts, and objects made of layouts.

A class whose objects are layouts of some kind registers how they are taken apart and put together again: then kernels,
regions and loops take them.
"""

from __future__ import annotations

import copy
import functools
import sys
import typing
from collections.abc import Callable
from typing import Any, NamedTuple

from fairlead import _compiler
from fairlead.errors import make_error

__all__ = [
    "Composite",
    "composite_of",
    "fields_of",
    "flatten",
    "hints_of",
    "items_of",
    "rebuild",
    "rebuilt",
    "register_composite",
]

_hints: dict[type, dict[str, Any]] = {}


def fields_of(cls: type) -> tuple[str, ...] | None:
    """The names of a dataclass's fields; None for other classes."""
    fields = getattr(cls, "__dataclass_fields__", None)
    return None if fields is None else tuple(fields)


def hints_of(cls: type) -> dict[str, Any]:
    """The annotations of a class's fields, as objects where they can be found."""
    hints = _hints.get(cls)
    if hints is None:
        hints = {}
        for base in reversed(cls.__mro__):
            scope = vars(sys.modules.get(base.__module__, typing))
            for name, hint in base.__dict__.get("__annotations__", {}).items():
                if isinstance(hint, str):
                    try:
                        hint = eval(hint, dict(scope), dict(vars(base)))
                    except Exception:
                        hint = None
                hints[name] = hint
        _hints[cls] = hints
    return hints


def items_of(value: object, hint: object = None) -> list[tuple[str | int, Any, Any]] | None:
    """The parts of a structure as (field or index, part, annotation); None for other values."""
    cls = type(value)
    if isinstance(value, (tuple, list)):
        names = getattr(cls, "_fields", None)
        if names is not None:
            hints = hints_of(cls)
            return [(i, part, hints.get(names[i])) for i, part in enumerate(value)]
        return [(i, part, _element_hint(hint, i)) for i, part in enumerate(value)]
    fields = fields_of(cls)
    if fields is None or isinstance(value, type):
        return None
    hints = hints_of(cls)
    for name in fields:
        if not hasattr(value, name):
            raise make_error(
                "ArgumentProtocol", type=cls.__name__, problem=f"its field `{name}` is missing"
            )
    return [(name, getattr(value, name), hints.get(name)) for name in fields]


def _element_hint(hint: object, index: int) -> Any:
    """The annotation of an element of ``tuple[A, B]``, ``tuple[A, ...]`` or ``list[A]``."""
    arguments = typing.get_args(hint) if typing.get_origin(hint) in (tuple, list) else ()
    if not arguments:
        return None
    if arguments[-1] is Ellipsis or typing.get_origin(hint) is list:
        return arguments[0]
    return arguments[index] if index < len(arguments) else None


def rebuilt(value: object, parts: list[Any]) -> Any:
    """A structure like ``value`` of other parts. Dataclasses are copied, so that no __init__ runs."""
    if isinstance(value, (tuple, list)):
        return type(value)(*parts) if hasattr(value, "_fields") else type(value)(parts)
    result = copy.copy(value)
    for name, part in zip(fields_of(type(value)) or (), parts, strict=True):
        object.__setattr__(result, name, part)
    return result


class Composite(NamedTuple):
    """How objects of a class are taken apart."""

    #: (the part shared by all composites that differ only in numbers, the parts that hold the numbers)
    flatten: Callable[[Any], tuple[Any, list[Any]]]
    #: An object like the first argument, of other parts.
    rebuild: Callable[[Any, list[Any]], Any]
    #: The part whose Python integers become run-time values in a region; -1: none.
    moved: Callable[[Any], int] = lambda value: -1


_composites: dict[type, Composite] = {}


def register_composite(cls: type, *how: Any) -> None:
    """Take objects of the class, and of its subclasses, apart as ``Composite(*how)`` says."""
    _composites[cls] = Composite(*how)
    _of_class.cache_clear()


@functools.lru_cache(maxsize=1024)
def _of_class(cls: type) -> Composite | None:
    return next((_composites[base] for base in cls.__mro__ if base in _composites), None)


def composite_of(value: object) -> Composite | None:
    """How a value is taken apart whose class, or a base of it, is registered; None for other values."""
    cls: Any = type(value)  # type checkers do not take all classes for hashable
    return _of_class(cls)


def flatten(value: object) -> tuple[Any, list[Any]] | None:
    """Return the result of ``Composite.flatten``; None for values that are no composites."""
    composite = composite_of(value)
    return None if composite is None else composite.flatten(value)


def rebuild(value: object, parts: list[Any]) -> Any:
    """A composite like ``value`` of other parts."""
    return composite_of(value).rebuild(value, parts)  # type: ignore[union-attr]


register_composite(
    _compiler.Layout,
    lambda layout: (None, [layout.shape, layout.stride]),
    lambda _, parts: _compiler.make_layout(*parts),
)
register_composite(
    _compiler.CoordTensor,
    lambda tensor: (None, [tensor.iterator, tensor.layout]),
    lambda _, parts: _compiler.make_coord_tensor(*parts),
    lambda _: 0,  # where it begins, which is moved as a pointer is
)
register_composite(
    _compiler.ScaledBasis,
    lambda basis: (basis.mode, [basis.value]),
    lambda basis, parts: _compiler.ScaledBasis(parts[0], basis.mode),
)
register_composite(
    _compiler.ComposedLayout,
    lambda layout: (None, [layout.inner, layout.offset, layout.outer]),
    lambda layout, parts: type(layout)(*parts),
)
register_composite(
    _compiler.Swizzle,
    lambda swizzle: (repr(swizzle), []),
    lambda swizzle, _: swizzle,
)
for _atom in (_compiler.CopyAtom, _compiler.MmaAtom):
    register_composite(
        _atom,
        lambda atom: (atom._same(), atom._parts()),
        lambda atom, parts: atom._with_parts(parts),
        lambda atom: 2 if hasattr(atom, "thr_idx") else -1,  # whose part of a tiled form it is
    )
