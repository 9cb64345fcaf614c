"""Values that consist of values: tuples, lists, NamedTuples, dataclasses, native structs; layouts, and what is made of
them."""

from __future__ import annotations

import copy
import functools
import sys
import typing
from typing import Any

from fairlead.errors import make_error

__all__ = [
    "fields_of",
    "hints_of",
    "is_native_struct",
    "items_of",
    "layout_parts",
    "native_struct",
    "rebuilt",
    "with_layout_parts",
]

_hints: dict[type, dict[str, Any]] = {}


def fields_of(cls: type) -> tuple[str, ...] | None:
    """The names of a dataclass's fields; None for other classes."""
    fields = getattr(cls, "__dataclass_fields__", None)
    return None if fields is None else tuple(fields)


def hints_of(cls: type) -> dict[str, Any]:
    """The annotations of a class's fields, as objects where they can be found."""
    found = _hints.get(cls)
    if found is None:
        found = {}
        for base in reversed(cls.__mro__):
            scope = vars(sys.modules.get(base.__module__, typing))
            for name, hint in base.__dict__.get("__annotations__", {}).items():
                if isinstance(hint, str):
                    try:
                        hint = eval(hint, dict(scope), dict(vars(base)))
                    except Exception:
                        hint = None
                found[name] = hint
        _hints[cls] = found
    return found


def items_of(value: Any, hint: Any = None) -> list[tuple[str | int, Any, Any]] | None:
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


def _element_hint(hint: Any, index: int) -> Any:
    """The annotation of an element of ``tuple[A, B]``, ``tuple[A, ...]`` or ``list[A]``."""
    arguments = typing.get_args(hint) if typing.get_origin(hint) in (tuple, list) else ()
    if not arguments:
        return None
    if arguments[-1] is Ellipsis or typing.get_origin(hint) is list:
        return arguments[0]
    return arguments[index] if index < len(arguments) else None


def rebuilt(value: Any, parts: list[Any]) -> Any:
    """A structure like ``value`` of other parts. Dataclasses are copied, so that no __init__ runs."""
    if isinstance(value, (tuple, list)):
        return type(value)(*parts) if hasattr(value, "_fields") else type(value)(parts)
    result = copy.copy(value)
    for name, part in zip(fields_of(type(value)) or (), parts, strict=True):
        object.__setattr__(result, name, part)
    return result


@functools.cache
def _layout_kinds() -> tuple[type, ...]:
    from fairlead import _compiler

    own = _compiler.Layout, _compiler.CoordTensor, _compiler.ScaledBasis
    return *own, _compiler.ComposedLayout, _compiler.Swizzle, _compiler.CopyAtom, _compiler.MmaAtom


def layout_parts(value: Any) -> tuple[Any, list[Any]] | None:
    """Of a layout, a tensor of coordinates, a swizzle, an atom or a tiled form: what is the same in all that only
    differ in their numbers, and the parts that those are in. None for other values."""
    if not isinstance(value, _layout_kinds()):
        return None
    layout, coordinates, basis, composed, swizzle, *_ = _layout_kinds()
    if isinstance(value, layout):
        return None, [value.shape, value.stride]
    if isinstance(value, coordinates):
        return None, [value.iterator, value.layout]
    if isinstance(value, basis):
        return value.mode, [value.value]
    if isinstance(value, composed):
        return None, [value.inner, value.offset, value.outer]
    if isinstance(value, swizzle):
        return repr(value), []
    return value._same(), value._parts()


def with_layout_parts(value: Any, parts: list[Any]) -> Any:
    """Such a value of other parts."""
    from fairlead import _compiler

    layout, coordinates, basis, composed, swizzle, *_ = _layout_kinds()
    if isinstance(value, layout):
        return _compiler.make_layout(*parts)
    if isinstance(value, coordinates):
        return _compiler.make_coord_tensor(*parts)
    if isinstance(value, basis):
        return _compiler.ScaledBasis(parts[0], value.mode)
    if isinstance(value, composed):
        return type(value)(*parts)
    if isinstance(value, swizzle):
        return value
    return value._with_parts(parts)


def is_native_struct(value: Any) -> bool:
    return getattr(type(value), "__native_struct__", False)


def native_struct(cls: type | None = None, *, zero_init: bool = False, packed: bool = False) -> Any:
    """A class of mutable structs with typed fields, kept in registers: ``@native_struct``.

    Fields are annotated with numeric classes, tensors, or ``Constexpr`` (part of the program). Fields left out when
    one is made are 0. Writing a field changes the struct in run-time regions too. ``zero_init`` and ``packed`` are
    accepted: fields never lie in memory.
    """
    if cls is None:
        return lambda cls: native_struct(cls, zero_init=zero_init, packed=packed)
    import dataclasses

    from fairlead import _compiler

    made = dataclasses.dataclass(cls, eq=False, init=False)
    defaults = {name: vars(cls)[name] for name in fields_of(made) or () if name in vars(cls)}

    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:
        names = fields_of(type(self)) or ()
        if len(args) > len(names):
            raise TypeError(f"{cls.__name__} has {len(names)} fields, but {len(args)} are given")
        given = dict(zip(names, args))
        for name in kwargs:
            if name not in names or name in given:
                what = "twice" if name in given else "that it does not have"
                raise TypeError(f"{cls.__name__} is given the field `{name}` {what}")
        given.update(kwargs)
        for name in names:
            hint = hints_of(type(self)).get(name)
            if name not in given and name not in defaults and not _compiler.is_dtype(hint):
                raise TypeError(f"{cls.__name__} needs a value of the field `{name}`")
            setattr(self, name, given.get(name, defaults.get(name, 0)))

    def __setattr__(self: Any, name: str, value: Any) -> None:
        hint = hints_of(type(self)).get(name)
        if _compiler.is_dtype(hint) and type(value) is not hint and not isinstance(value, type):
            value = hint(value)
        object.__setattr__(self, name, value)

    if "__init__" not in vars(cls):
        made.__init__ = __init__  # type: ignore[misc]
    made.__setattr__ = __setattr__  # type: ignore[assignment]
    made.__native_struct__ = True  # type: ignore[attr-defined]
    return made
