"""``native_struct``: structs of typed fields that a program keeps in registers."""

from __future__ import annotations

from typing import Any

from fairlead import _compiler
from fairlead._tracing.composite import fields_of, hints_of
from fairlead.errors import require

__all__ = ["is_native_struct", "native_struct"]


def is_native_struct(value: object) -> bool:
    return getattr(type(value), "__native_struct__", False)


def native_struct(cls: type | None = None) -> Any:
    """Make ``cls`` a class of mutable structs with typed fields, kept in registers: ``@native_struct``.

    Fields are annotated with numeric classes, tensors, or ``Constexpr`` (compile-time constants). Fields left out
    when a struct is made are 0. Run-time branches and loops may also write fields. Fields are never in memory.

    Making a struct raises TypeError for unknown, missing or too many fields.
    """
    if cls is None:
        return native_struct
    require(native_struct, cls=cls)
    import dataclasses  # late: it takes long, and few programs have such structs

    struct: Any = dataclasses.dataclass(cls, eq=False, init=False)
    defaults = {name: vars(cls)[name] for name in fields_of(struct) or () if name in vars(cls)}

    def __init__(self: object, *args: object, **kwargs: object) -> None:
        names = fields_of(type(self)) or ()
        if len(args) > len(names):
            raise TypeError(f"{cls.__name__} has {len(names)} fields, but {len(args)} are given")
        values = dict(zip(names, args))
        for name in kwargs:
            if name not in names or name in values:
                what = "twice" if name in values else "that it does not have"
                raise TypeError(f"{cls.__name__} is given the field `{name}` {what}")
        values.update(kwargs)
        for name in names:
            hint = hints_of(type(self)).get(name)
            if name not in values and name not in defaults and not _compiler.is_dtype(hint):
                raise TypeError(f"{cls.__name__} needs a value of the field `{name}`")
            setattr(self, name, values.get(name, defaults.get(name, 0)))

    def __setattr__(self: Any, name: str, value: Any) -> None:
        hint = hints_of(type(self)).get(name)
        if _compiler.is_dtype(hint) and type(value) is not hint and not isinstance(value, type):
            value = hint(value)
        object.__setattr__(self, name, value)

    if "__init__" not in vars(cls):
        struct.__init__ = __init__
    struct.__setattr__ = __setattr__
    struct.__native_struct__ = True
    return struct
