"""The registration of classes by the other package's tests, step by step, on top of ours (Definition of py_class)."""

from typing import Any

from fairlead._core import _type_index
from fairlead.ffi import _typeinfo
from fairlead.ffi._objects import adopt_type
from fairlead.ffi._typeinfo import TypeInfo, type_info
from fairlead.ffi.dataclasses._install import install
from fairlead.ffi.dataclasses.c_class import _warn_of_missing
from fairlead.ffi.dataclasses.py_class import Definition

_OPTIONS = dict.fromkeys(("init", "repr", "eq", "order", "unsafe_hash", "match_args"), False)


class Registration(TypeInfo):
    """A type that has no fields yet."""

    _definition: Definition

    def _register_fields(self, fields: list[Any], structure_kind: Any = None) -> None:
        for each in fields:
            each.kw_only = bool(each.kw_only)
            if each.hash is None:
                each.hash = each.compare
        self._definition.register(list(fields))
        found = type_info(self.type_index)
        self.fields, self.methods, self.total_size = found.fields, found.methods, found.total_size
        _typeinfo._known[self.type_index] = self


def register_py_class(parent_info: TypeInfo, type_key: str, cls: type) -> TypeInfo:
    """A type for the class, without fields."""
    options = {**_OPTIONS, "frozen": False, "kw_only": False, "structural_eq": "tree"}
    definition = Definition(cls, type_key, options, None)
    adopt_type(cls, definition.index, init=False)
    found = type_info(definition.index, fresh=True)
    made = Registration(
        cls, found.type_index, type_key, found.type_ancestors, None, [], parent_info
    )
    made._definition = definition
    return made


def install_dunders(cls: type, **options: Any) -> None:
    """The methods that a decorator makes."""
    own = cls.__dict__.get("__init__")
    if own is not None and own.__name__ == "_no_init":
        del cls.__init__
    install(cls, cls.__tvm_ffi_type_info__, **{**_OPTIONS, "match_args": True, **options})


def type_info_of_class(cls: type) -> TypeInfo | None:
    """Return the registration of a class's type; None if it has none of its own."""
    index = getattr(cls, "__tvm_ffi_type_index__", None)
    return None if index is None else type_info(index)


def index_of_key(type_key: str) -> int | None:
    """Return the index of a type; None if it does not exist."""
    try:
        return _type_index(type_key)
    except ValueError:
        return None


def type_info_of_key(type_key: str) -> TypeInfo:
    """Return the registration of a type by its key."""
    return type_info(_type_index(type_key))


def warn_of_missing(cls: type, info: TypeInfo, *, stacklevel: int) -> None:
    """Warns of fields that the class does not annotate."""
    _warn_of_missing(cls, info.type_key, info)


def nothing(*args: Any, **kwargs: Any) -> None:
    """Return the attributes that the class has before ours is registered."""
