"""c_class: the Python side of a class of C++."""

from __future__ import annotations

import sys
import typing
import warnings
from collections.abc import Callable
from typing import Any, TypeVar

from fairlead._core import _type_attribute
from fairlead.ffi._objects import FFIProperty, register_object
from fairlead.ffi._typeinfo import TypeInfo, type_info
from fairlead.ffi.dataclasses._field import Field, field
from fairlead.ffi.dataclasses._install import install

__all__ = ["c_class", "describe_fields"]

_T = TypeVar("_T", bound=type)
#: Methods that C++ may register for objects of a type.
_HOOKS = ("__ffi_compare__", "__ffi_eq__", "__ffi_hash__", "__ffi_repr__")


def describe_fields(cls: type, info: TypeInfo) -> None:
    """Gives each of the type's fields what fields() returns."""
    hints: dict[str, Any] = {}
    for name, annotation in cls.__dict__.get("__annotations__", {}).items():
        try:
            scope = vars(sys.modules[cls.__module__])
            holder = type("holder", (), {"__annotations__": {name: annotation}})
            hints.update(typing.get_type_hints(holder, scope, dict(vars(cls))))
        except Exception:  # It stays unknown: what it names may not be there.
            continue
    for entry in info.fields:
        entry.dataclass_field = Field(
            entry.name,
            entry.ty,
            default=entry.c_default,
            default_factory=entry.c_default_factory,
            frozen=entry.frozen,
            init=entry.c_init,
            repr=entry.c_repr,
            hash=entry.c_hash,
            compare=entry.c_compare,
            kw_only=entry.c_kw_only,
            structural_eq=entry.c_structural_eq,
            doc=entry.doc,
        )
        entry.dataclass_field.type = hints.get(entry.name)


def _warn_of_missing(cls: type, key: str, info: TypeInfo) -> None:
    annotations = cls.__dict__.get("__annotations__", {})
    missing = [field.name for field in info.fields if field.name not in annotations]
    if missing:
        warnings.warn(
            f"@c_class({key!r}): class `{cls.__name__}` does not annotate the following reflected "
            f"field(s): {', '.join(missing)}. Add type annotations (e.g. `field_name: type`) to the "
            "class body for IDE support and documentation.",
            UserWarning,
            stacklevel=3,
        )


@typing.dataclass_transform(
    eq_default=False,
    field_specifiers=(field, Field),
    converter=field().converter,  # type: ignore[literal-required]
)
def c_class(
    type_key: str,
    *,
    frozen: bool = False,
    init: bool = True,
    repr: bool = True,
    eq: bool = False,
    order: bool = False,
    unsafe_hash: bool = False,
    match_args: bool = True,
) -> Callable[[_T], _T]:
    """A decorator: the class, a subclass of Object, is that of the C++ type ``type_key``, with its fields and methods.

    Annotate the fields, for type checkers and readers. What the class defines itself stays.

    Args:
        frozen: the type's own fields cannot be assigned to.
        init: make an ``__init__`` of the fields, as C++ says of them.
        repr: make a ``__repr__`` of the fields.
        eq: compare by fields, else by identity.
        order: order by fields.
        unsafe_hash: hash by fields; unsafe where fields change.
        match_args: make ``__match_args__``.

    ValueError where C++ has registered no such type.
    """

    def decorate(cls: _T) -> _T:
        register_object(type_key, init=False)(cls)
        info = type_info(cls.__tvm_ffi_type_index__, fresh=True)  # type: ignore[attr-defined]
        _warn_of_missing(cls, type_key, info)
        describe_fields(cls, info)
        for entry in info.fields:
            if isinstance(cls.__dict__.get(entry.name), FFIProperty):
                entry.frozen = entry.frozen or frozen
                if frozen or entry.stands_for_enum:
                    setattr(cls, entry.name, entry.as_property(cls))
        for name in _HOOKS:
            hook = _type_attribute(info.type_index, name)
            if hook is not None and name not in cls.__dict__:
                setattr(cls, name, hook)
        own_init = "__init__" in cls.__dict__ and cls.__dict__["__init__"].__name__ != "_no_init"
        if not own_init and "__init__" in cls.__dict__:
            del cls.__init__  # type: ignore[misc]
        install(
            cls,
            info,
            init=init,
            repr=repr,
            eq=eq,
            order=order,
            unsafe_hash=unsafe_hash,
            match_args=match_args,
        )
        return cls

    return decorate
