"""Types of the ABI as values: from annotations and from metadata, shown as text, checked and converted to."""

from __future__ import annotations

import collections.abc
import ctypes
import json
import types
import typing
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from fairlead._core import (
    Function,
    Object,
    Tensor,
    _type_attribute,
    _type_class,
    _type_index,
    _type_info,
)
from fairlead.ffi._containers import Array, Dict, List, Map
from fairlead.ffi._objects import Error, Shape
from fairlead.ffi._schema_protocols import Mismatch
from fairlead.ffi._schema_values import convert_to
from fairlead.ffi._type_indices import INDICES, UNKNOWN, index_of
from fairlead.ffi._values import Device, dtype

__all__ = ["CAny", "TypeSchema"]

#: Spellings of metadata by the name that a schema has.
_ORIGINS = {
    "void*": "ctypes.c_void_p",
    "DataType": "dtype",
    "DLTensor*": "Tensor",
    "ffi.Tensor": "Tensor",
    "ffi.String": "str",
    "ffi.SmallStr": "str",
    "const char*": "str",
    "std::string": "str",
    "ffi.Bytes": "bytes",
    "ffi.SmallBytes": "bytes",
    "TVMFFIByteArray*": "bytes",
    "ffi.Object": "Object",
    "ObjectRValueRef": "Object",
    "ffi.Function": "Callable",
    "std::function": "Callable",
    "ffi.Array": "Array",
    "std::vector": "Array",
    "ffi.List": "List",
    "ffi.Map": "Map",
    "std::map": "Map",
    "std::unordered_map": "Map",
    "ffi.Dict": "Dict",
    "ffi.BigInt": "int",
    "ffi.OpaquePyObject": "Any",
    "std::optional": "Optional",
    "Variant": "Union",
    "std::variant": "Union",
    "Tuple": "tuple",
    "std::tuple": "tuple",
}
_BY_INDEX = {
    **{index: name for name, index in INDICES.items() if index >= 0},
    7: "Tensor",
    -1: "Any",
    8: "str",
    9: "bytes",
    10: "Object",
    11: "str",
    12: "bytes",
    78: "int",
}
#: Types whose schema has another name, and keeps its own as ``type_key``.
_KEPT = {78: "ffi.BigInt"}


class CAny:
    """A converted value, on its way into the ABI; ``to_py`` gives it back."""

    __slots__ = ("_value",)

    def __init__(self, value: object) -> None:
        self._value = value

    @property
    def type_index(self) -> int:
        """The index of the type that the ABI holds the value as."""
        return _held_index(self._value)

    def to_py(self) -> Any:
        """Return the value as a Python object."""
        return self._value

    def __repr__(self) -> str:
        index = self.type_index
        name = _BY_INDEX.get(index) or _type_info(index)[0]
        return f"CAny({name}, {self._value!r}, type_index={index})"


def _held_index(value: object) -> int:
    if isinstance(value, (str, bytes)) and not isinstance(value, dtype):
        size = len(value.encode()) if isinstance(value, str) else len(value)
        small, large = (11, 65) if isinstance(value, str) else (12, 66)
        return small if size <= 7 else large
    for kind, index in _HELD.items():
        if isinstance(value, kind):
            return index
    key = getattr(type(value), "__tvm_ffi_type_index__", None)
    return _type_index("ffi.OpaquePyObject") if key is None else int(key)


#: The index by class, bool before int.
_HELD: dict[type, int] = {
    type(None): 0,
    bool: 2,
    int: 1,
    float: 3,
    ctypes.c_void_p: 4,
    dtype: 5,
    Device: 6,
    Shape: 69,
}


@dataclass(repr=False)
class TypeSchema:
    """A type of the ABI. ``args`` are its parameters, None where they were left out; those of a function are in
    ``named_args``, under ``return`` and ``params``.
    """

    origin: str
    args: tuple[TypeSchema, ...] | None = None
    origin_type_index: int = UNKNOWN
    fallback: TypeSchema | None = None
    named_args: dict[str, tuple[TypeSchema, ...]] | None = None
    type_key: str | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        origin, args = self.origin, self.args
        if origin == "Callable":
            if args and self.named_args is None:
                self.named_args = {"return": (args[0],)}
                if len(args) > 1:
                    self.named_args["params"] = tuple(args[1:])
            args = ()
        elif origin == "Optional":
            if not args or len(args) != 1:
                raise ValueError("Optional must have exactly one argument")
        elif origin == "Union":
            if not args or len(args) < 2:
                raise ValueError("Union must have at least two arguments")
        elif origin in ("Array", "List", "list"):
            args = args or (TypeSchema("Any"),)
            if len(args) != 1:
                raise ValueError(f"{origin} must have 0 or 1 argument")
        elif origin in ("Map", "Dict", "dict"):
            args = args or (TypeSchema("Any"), TypeSchema("Any"))
            if len(args) != 2:
                raise ValueError(f"{origin} must have 0 or 2 arguments")
        elif origin != "tuple":
            args = args or ()
        self.args = args
        if self.origin_type_index == UNKNOWN:
            self.origin_type_index = index_of(origin)

    # ---- Making

    @staticmethod
    def from_json_str(s: str) -> TypeSchema:
        """Return the type that a piece of metadata describes."""
        return TypeSchema.from_json_obj(json.loads(s))

    @staticmethod
    def from_json_obj(obj: dict[str, Any]) -> TypeSchema:
        """Return the schema of metadata that was parsed already."""
        if not isinstance(obj, dict) or "type" not in obj:
            raise TypeError(f"expected schema dict with 'type' key, got {type(obj).__name__}")
        key = obj["type"]
        if not isinstance(key, str):
            raise TypeError("schema type must be a string")

        def parse(items: Sequence[Any]) -> tuple[TypeSchema, ...]:
            return tuple(TypeSchema.from_json_obj(item) for item in items if isinstance(item, dict))

        entries = obj.get("args")
        named = obj.get("named_args")
        if named is not None and not (
            isinstance(named, dict) and all(isinstance(items, list) for items in named.values())
        ):
            raise TypeError(f"named_args: expected lists of types by name, got {named!r}")
        names = None if named is None else {name: parse(items) for name, items in named.items()}
        if (
            key == "std::function"
            and isinstance(entries, list)
            and len(entries) == 2
            and isinstance(entries[1], list)
        ):
            names, entries = {"return": parse(entries[:1]), "params": parse(entries[1])}, None
        instead = obj.get("fallback")
        return TypeSchema(
            _ORIGINS.get(key, key),
            parse(entries) if isinstance(entries, list) else None,
            fallback=None if instead is None else TypeSchema.from_json_obj(instead),
            named_args=names,
            type_key=key if key in _KEPT.values() else None,
        )

    @staticmethod
    def from_type_index(type_index: int, args: tuple[TypeSchema, ...] = ()) -> TypeSchema:
        """Return the type of an index of the ABI. ValueError for an unknown index."""
        name = _BY_INDEX.get(type_index)
        if name is None:
            name = _type_info(type_index)[0]
        return TypeSchema(name, args or None, type_index, type_key=_KEPT.get(type_index))

    @staticmethod
    def from_annotation(annotation: object) -> TypeSchema:
        """Return the type that a Python annotation means. TypeError where it means none of the ABI."""
        return _from_annotation(annotation)

    # ---- Showing

    def __repr__(self) -> str:
        return self.repr()

    def repr(self, ty_map: Callable[[str], str] | None = None) -> str:
        """Return the type as a Python annotation; ``ty_map`` names the origins."""
        return self.output_repr(ty_map)

    def input_repr(self, ty_map: Callable[[str], str] | None = None) -> str:
        """Return the annotation of the values that the type accepts, including its ``__ffi_convert_type_schema__``."""
        return self._show(ty_map, frozenset())

    def output_repr(self, ty_map: Callable[[str], str] | None = None) -> str:
        """Return the annotation of the values that the type returns."""
        return self._show(ty_map, None)

    def _show(self, ty_map: Callable[[str], str] | None, widened: frozenset[int] | None) -> str:
        """``widened``: types whose wider annotation is being shown; None where those are not wanted."""
        index = self.origin_type_index
        if self.fallback is not None and index == UNKNOWN and self.origin != "tuple":
            return self.fallback._show(ty_map, widened)
        if widened is not None and index >= 64 and index not in widened:
            wider = _type_attribute(index, "__ffi_convert_type_schema__")
            if wider is not None:
                return _parsed(wider)._show(ty_map, widened | {index})

        def show(schema: TypeSchema) -> str:
            return schema._show(ty_map, widened)

        args = list(self.args or ())
        name = ty_map(self.origin) if ty_map else self.origin
        if name == "Optional":
            return f"{show(args[0])} | None"
        if name == "Union":
            return " | ".join(map(show, args))
        if self.origin == "Callable":
            named = self.named_args or {}
            result = show(named["return"][0]) if named.get("return") else "Any"
            params = f"[{', '.join(map(show, named['params']))}]" if "params" in named else "..."
            return f"{name}[{params}, {result}]"
        if self.origin == "tuple" and self.args == ():
            return f"{name}[()]"
        if not args:
            return name
        return f"{name}[{', '.join(map(show, args))}]"

    def to_json(self) -> dict[str, Any]:
        """Return the type as metadata has it."""
        document: dict[str, Any] = {"type": self.type_key or self.origin}
        if self.args or (self.origin == "tuple" and self.args is not None):
            document["args"] = [schema.to_json() for schema in self.args or ()]
        if self.named_args is not None:
            document["named_args"] = {
                name: [schema.to_json() for schema in group]
                for name, group in self.named_args.items()
            }
        if self.fallback is not None:
            document["fallback"] = self.fallback.to_json()
        return document

    def is_subtype_of(self, target_cls: type) -> bool:
        """True if objects of this type are of the class."""
        index = self.origin_type_index
        return (
            index >= 64
            and isinstance(target_cls, type)
            and issubclass(target_cls, Object)
            and issubclass(_type_class(index), target_cls)
        )

    # ---- Values

    def check_value(self, value: object) -> None:
        """TypeError where the value cannot become one of this type."""
        self._run("check", value)

    def convert(self, value: object) -> CAny:
        """Return the value as one of this type. TypeError where it cannot become one."""
        return CAny(self._run("conversion", value))

    def _unknown(self) -> str | None:
        """The name of a type in it that is none."""
        if self.origin_type_index == UNKNOWN and self.origin != "tuple":
            self.origin_type_index = index_of(self.origin)
            if self.origin_type_index == UNKNOWN:
                return self.origin
        return next(filter(None, (argument._unknown() for argument in self.args or ())), None)

    def _run(self, what: str, value: object) -> Any:
        unknown = self._unknown()
        if unknown is not None:
            raise TypeError(
                f"type {what} failed for {self!r}: unknown TypeSchema origin {unknown!r}: no such type is registered"
            )
        try:
            return convert_to(self, value)
        except Mismatch as mismatch:
            raise TypeError(f"type {what} failed for {self!r}: {mismatch}") from None

    def store(self, value: object) -> Any:
        """Convert like ``convert``, with the bare reason in the error: for a field's setter."""
        try:
            return convert_to(self, value)
        except Mismatch as mismatch:
            raise TypeError(str(mismatch)) from None


def _parsed(description: TypeSchema | str | dict[str, Any]) -> TypeSchema:
    """A type that is one already, or described by metadata, parsed or not."""
    if isinstance(description, TypeSchema):
        return description
    return (
        TypeSchema.from_json_str(description)
        if isinstance(description, str)
        else TypeSchema.from_json_obj(description)
    )


# ---- Annotations

_PLAIN: dict[Any, str] = {
    int: "int",
    float: "float",
    bool: "bool",
    str: "str",
    bytes: "bytes",
    None: "None",
    type(None): "None",
    Any: "Any",
    tuple: "tuple",
    list: "List",
    dict: "Dict",
    collections.abc.Callable: "Callable",
    Callable: "Callable",
    typing.Callable: "Callable",
    dtype: "dtype",
    Device: "Device",
    ctypes.c_void_p: "ctypes.c_void_p",
    Object: "Object",
    Function: "Callable",
    Tensor: "Tensor",
    Array: "Array",
    List: "List",
    Map: "Map",
    Dict: "Dict",
    Error: "ffi.Error",
}


def _from_annotation(annotation: object) -> TypeSchema:
    origin = typing.get_origin(annotation)
    if origin is None:
        return _from_class(annotation)
    args = typing.get_args(annotation)
    if origin in (typing.Union, types.UnionType):
        rest = tuple(_from_annotation(arg) for arg in args if arg is not type(None))
        schema = rest[0] if len(rest) == 1 else TypeSchema("Union", rest)
        return schema if len(rest) == len(args) else TypeSchema("Optional", (schema,))
    if origin is collections.abc.Callable:
        named: dict[str, tuple[TypeSchema, ...]] = {}
        if args:
            named["return"] = (_from_annotation(args[-1]),)
            if args[0] is not Ellipsis:
                params = args[0] if isinstance(args[0], (list, tuple)) else args[:-1]
                named["params"] = tuple(map(_from_annotation, params))
        return TypeSchema("Callable", named_args=named or None)
    if origin is tuple:
        if len(args) == 2 and args[1] is Ellipsis:
            return TypeSchema("Array", (_from_annotation(args[0]),))
        return TypeSchema("tuple", tuple(map(_from_annotation, args)))
    name = _PLAIN.get(origin)
    if name in ("Array", "List", "Map", "Dict"):
        count = 1 if name in ("Array", "List") else 2
        if len(args) != count:
            said = {
                list: "list takes at most 1 type argument",
                dict: "dict requires 0 or 2 type arguments",
            }
            text = said.get(origin, f"{name} requires {count} type argument{'s' * (count - 1)}")
            raise TypeError(f"{text}, got {len(args)}")
        return TypeSchema(name, tuple(map(_from_annotation, args)) or None)
    raise TypeError(f"Cannot convert {annotation!r} to TypeSchema")


def _from_class(annotation: object) -> TypeSchema:
    if annotation is typing.Tuple or annotation is typing.List or annotation is typing.Dict:  # noqa: UP006
        annotation = typing.get_origin(annotation)
    try:
        name = _PLAIN.get(annotation)
    except TypeError:  # It has no hash.
        name = None
    if name is not None:
        return TypeSchema(name)
    if isinstance(annotation, type):
        if issubclass(annotation, Object):
            index = annotation.__dict__.get("__tvm_ffi_type_index__")
            if index is None:
                raise TypeError(
                    f"{annotation!r} has no type of the ABI; use @register_object to register it"
                )
            return TypeSchema.from_type_index(index)
        if issubclass(annotation, dtype):
            return TypeSchema("dtype")
        if hasattr(annotation, "__dlpack__"):
            return TypeSchema("Tensor")
    raise TypeError(f"Cannot convert {annotation!r} to TypeSchema")
