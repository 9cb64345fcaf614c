"""The registered description of a type: its fields and methods, for programs that inspect types."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from fairlead._core import Object, _type_class, _type_details
from fairlead.ffi._missing import MISSING
from fairlead.ffi._objects import WRITABLE, FFIProperty, field_access, make_method
from fairlead.ffi._schema import TypeSchema

__all__ = ["TypeField", "TypeInfo", "TypeMethod", "type_info"]

STATIC = 1 << 2
HAS_DEFAULT, FACTORY = 1 << 1, 1 << 5
IGNORE, DEF_PATTERN, DEF_SIMPLE = 1 << 3, 1 << 4, 1 << 12
REPR_OFF, COMPARE_OFF, HASH_OFF, INIT_OFF, KW_ONLY = (1 << bit for bit in range(6, 11))


def parse_metadata(text: str) -> dict[str, Any]:
    """Metadata of a field or method; empty where it is none."""
    try:
        metadata = json.loads(text) if text else {}
    except ValueError:
        return {}
    return metadata if isinstance(metadata, dict) else {}


def schema_of(metadata: dict[str, Any]) -> Any:
    """Return the type that the metadata has, or None."""
    schema = metadata.get("type_schema")
    if isinstance(schema, str):
        return TypeSchema.from_json_str(schema)
    return TypeSchema.from_json_obj(schema) if isinstance(schema, dict) else None


@dataclass(eq=False)
class TypeField:
    """A field: its place in an object and its role in the object's operations."""

    name: str
    doc: str | None
    size: int
    alignment: int
    offset: int
    field_static_type_index: int
    frozen: bool
    metadata: dict[str, Any]
    getter: Callable[[Any], Any]
    setter: Callable[[Any, Any], None]
    ty: Any = None
    c_init: bool = True
    c_kw_only: bool = False
    c_has_default: bool = False
    c_default: Any = None
    c_default_factory: Any = None
    c_repr: bool = True
    c_compare: bool = True
    c_hash: bool = True
    c_structural_eq: str | None = None
    dataclass_field: Any = None

    def as_property(self, cls: type) -> property:
        """Return the property that a class has for the field."""
        write = self.store if self.stands_for_enum else self.setter
        return FFIProperty(self.getter, write, self.frozen, doc=self.doc)

    @property
    def stands_for_enum(self) -> bool:
        """True if it holds values of an enum that numbers or texts represent."""
        index = self.ty.origin_type_index if self.ty is not None else 0
        return index >= 64 and getattr(_type_class(index), "_payload", None) is not None

    def store(self, obj: object, value: object) -> None:
        """Set the field to the number or text of the enum member ``value``. Raise TypeError if it has none."""
        self.setter(obj, self.ty.store(value))


@dataclass(eq=False)
class TypeMethod:
    """A method that the ABI knows."""

    name: str
    doc: str | None
    func: Any
    metadata: dict[str, Any]
    is_static: bool

    def as_callable(self, cls: type) -> Any:
        """Return the attribute that a class has for the method."""
        return make_method(self.name, self.func, self.is_static, self.doc)


@dataclass(eq=False)
class TypeInfo:
    """A type of the ABI."""

    type_cls: type | None
    type_index: int
    type_key: str
    type_ancestors: list[int]
    fields: list[TypeField] = field(default_factory=list)
    methods: list[TypeMethod] = field(default_factory=list)
    parent_type_info: TypeInfo | None = None
    #: Bytes of an object; 0 where nothing is known.
    total_size: int = field(default=0, repr=False)
    #: Notes of a decorator for hooks: under ``field_markers`` the annotations that are no fields.
    _decorator_args: dict[str, Any] = field(default_factory=dict, repr=False)

    @property
    def all_fields(self) -> list[TypeField]:
        """The fields, those of ancestors first."""
        inherited = self.parent_type_info.all_fields if self.parent_type_info else []
        return [*inherited, *self.fields]


_known: dict[int, TypeInfo] = {}


def _structural(flags: int) -> str | None:
    for bit, name in ((IGNORE, "ignore"), (DEF_PATTERN, "def-pattern"), (DEF_SIMPLE, "def-simple")):
        if flags & bit:
            return name
    return None


def _field(index: int, number: int, row: tuple[Any, ...]) -> TypeField:
    name, doc, metadata, flags, size, alignment, offset, storage, default = row
    read, write = field_access(index, number)
    parsed = parse_metadata(metadata)
    has_value = flags & HAS_DEFAULT and not flags & FACTORY
    return TypeField(
        name,
        doc or None,
        size,
        alignment,
        offset,
        storage,
        not flags & WRITABLE,
        parsed,
        read,
        write,
        schema_of(parsed),
        c_init=not flags & INIT_OFF,
        c_kw_only=bool(flags & KW_ONLY),
        c_has_default=bool(flags & HAS_DEFAULT),
        c_default=default if has_value else MISSING,
        c_default_factory=default if flags & FACTORY else MISSING,
        c_repr=not flags & REPR_OFF,
        c_compare=not flags & COMPARE_OFF,
        c_hash=not flags & HASH_OFF,
        c_structural_eq=_structural(flags),
    )


def type_info(index: int, *, fresh: bool = False) -> TypeInfo:
    """Return the registered description of the type with an index; read again with ``fresh``."""
    if index in _known and not fresh:
        return _known[index]
    key, ancestors, fields, methods, size, _ = _type_details(index)
    info = TypeInfo(
        Object if index == 64 else _type_class(index),
        index,
        key,
        ancestors,
        [_field(index, number, row) for number, row in enumerate(fields)],
        [
            TypeMethod(name, doc or None, function, parse_metadata(metadata), bool(flags & STATIC))
            for name, doc, metadata, flags, function in methods
        ],
        type_info(ancestors[-1]) if ancestors else None,
        size,
    )
    _known[index] = info
    return info
