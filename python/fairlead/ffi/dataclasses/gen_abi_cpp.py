"""C++ headers for types that are registered: their fields as members, for C++ that was built before there were any."""

from __future__ import annotations

import fnmatch
import json
import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from fairlead._core import _type_index
from fairlead.ffi._schema import TypeSchema
from fairlead.ffi._typeinfo import TypeField, TypeInfo, type_info
from fairlead.ffi.registry import get_registered_type_keys

__all__ = ["gen_abi_cpp"]

_HEADER_SIZE, _ALIGNMENT = 24, 8
_FFI = "::tvm::ffi::"
_ANY, _OBJECT = _FFI + "Any", _FFI + "Object"
#: The C++ types of fields of a type, by the type's name.
_PLAIN = {
    "int": "int64_t",
    "float": "double",
    "bool": "bool",
    "str": _FFI + "String",
    "bytes": _FFI + "Bytes",
    "dtype": "DLDataType",
    "Device": "DLDevice",
    "ctypes.c_void_p": "void*",
    "Any": _ANY,
    "None": _ANY,
    "Object": f"{_FFI}Arc<{_OBJECT}>",
    "Tensor": _FFI + "Tensor",
    "Callable": _FFI + "Function",
    "ffi.Shape": _FFI + "Shape",
    "ffi.Error": _FFI + "Error",
}
_CONTAINERS = {"Array": "Array", "List": "List", "Map": "Map", "Dict": "Dict", "tuple": "Tuple"}
#: Types of the library that C++ has as objects, each in a header that the reader includes.
_LIBRARY_OBJECTS = (
    "ffi.Module",
    "ffi.StructuralKey",
    "ffi.StructuralMutator",
    "ffi.StructuralVisitor",
    "ffi.VisitErrorContext",
    "ffi.VisitInterrupt",
)
#: The C++ types of stored numbers, if the type does not tell.
_INTEGERS = {1: "int8_t", 2: "int16_t", 4: "int32_t", 8: "int64_t"}
_FLOATS = {4: "float", 8: "double"}
#: The types by the stored type and the size, if the library has no type.
_STORED = {2: "bool", 4: "void*", 5: "DLDataType", 6: "DLDevice"}
_STORED_ANY, _FIRST_OBJECT = -1, 64
#: Words of C++ that Python allows as names.
_KEYWORDS = frozenset(
    """alignas alignof and_eq asm auto bitand bitor bool case catch char char16_t char32_t compl const const_cast
    constexpr decltype default delete do double dynamic_cast enum explicit export extern false float friend goto inline
    int long mutable namespace new noexcept not_eq nullptr operator or_eq private protected public register
    reinterpret_cast short signed sizeof static static_assert static_cast struct switch template this thread_local
    throw true typedef typeid typename union unsigned using virtual void volatile wchar_t xor xor_eq""".split()
)
#: Types of C++ whose schema is that of another type, and whose layout is not.
_OWN_LAYOUT = re.compile(r"DLTensor\*|const char\*|TVMFFIByteArray\*|ObjectRValueRef|std::\w+")

_QUIET = """#if defined(__clang__) || defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Winvalid-offsetof"
#elif defined(_MSC_VER)
#pragma warning(push)
#pragma warning(disable : 4749)
#endif
"""
_LOUD = """#if defined(__clang__) || defined(__GNUC__)
#pragma GCC diagnostic pop
#elif defined(_MSC_VER)
#pragma warning(pop)
#endif
"""


class _Carrier(NamedTuple):
    """The C++ type of a field; bytes."""

    cpp_type: str
    size: int
    alignment: int


class _Space(NamedTuple):
    """A type's place: its namespaces, and the name of its struct."""

    names: tuple[str, ...]
    struct: str

    @property
    def qualified(self) -> str:
        """The name from anywhere."""
        return "".join(f"::{name}" for name in (*self.names, self.struct))


def _identifier(name: str) -> str:
    """The name, or where it is none in C++, one that stands for its bytes."""
    if re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name) and name not in _KEYWORDS:
        return name
    return "__ffi_escape_" + name.encode().hex()


def _space(key: str) -> _Space:
    *names, last = key.split(".")
    return _Space(tuple(map(_identifier, names)), _identifier(last) + "Obj")


def _literal(text: str) -> str:
    """The text between quotes of C++."""
    return "".join(
        chr(byte) if 32 <= byte < 127 and byte not in b'"\\' else f"\\{byte:03o}"
        for byte in text.encode()
    )


def _is_library(key: str) -> bool:
    return key.startswith("ffi.") and key.count(".") == 1


def _chosen(type_keys: str | Sequence[str]) -> list[str]:
    """The keys that the patterns mean. ValueError for one that means none."""
    registered = sorted(
        key for key in get_registered_type_keys() if _type_index(key) >= _FIRST_OBJECT
    )
    chosen: dict[str, None] = {}
    for pattern in [type_keys] if isinstance(type_keys, str) else type_keys:
        if not isinstance(pattern, str):
            raise TypeError(f"type_keys: expected str, got {type(pattern).__name__}")
        matching = [pattern] if pattern in registered else fnmatch.filter(registered, pattern)
        if not matching:
            raise ValueError(f"{pattern!r} did not match any registered object type")
        chosen.update(dict.fromkeys(matching))
    return list(chosen)


def _described(field: TypeField) -> TypeSchema | None:
    """The field's type. ValueError for one whose layout its schema does not tell."""
    schema: TypeSchema | None = field.ty
    raw = getattr(field, "metadata", {}).get("type_schema")
    if raw is not None:
        spelled = json.loads(raw) if isinstance(raw, str) else raw
        if _OWN_LAYOUT.fullmatch(str(spelled.get("type"))):
            raise ValueError(f"{spelled['type']} has a layout that its schema does not tell")
    return schema


class _Generator:
    """One header, for types by their keys."""

    def __init__(self, keys: Sequence[str]) -> None:
        self.infos: dict[str, TypeInfo] = {}
        #: Types that fields are of, by key, which need no members here.
        self.opaque: dict[str, _Space] = {}
        for key in keys:
            self._add(key)

    def _add(self, key: str) -> None:
        if key in self.infos:
            return
        if _is_library(key):
            if key == "ffi.OpaquePyObject":
                raise ValueError(f"{key!r} holds values of one language: C++ has no type for it")
            return
        info = type_info(_type_index(key), fresh=False)
        if not info.total_size:
            raise ValueError(f"{key!r} does not expose fixed total-size metadata")
        parent = info.parent_type_info
        if parent is not None and not _is_library(parent.type_key):
            self._add(parent.type_key)
        self.infos[key] = info

    def text(self) -> str:
        """The header's source."""
        # Parents first, else by key.
        infos = sorted(
            self.infos.values(), key=lambda info: (len(info.type_ancestors), info.type_key)
        )
        defined = [(_space(info.type_key), self._define(info)) for info in infos]
        opaque = {key: space for key, space in self.opaque.items() if key not in self.infos}
        spaces = sorted([*opaque.values(), *(space for space, _ in defined)])
        parts = ["#pragma once\n", "#include <tvm/ffi/tvm_ffi.h>\n"]
        parts += _grouped((space, f"struct {space.struct};") for space in spaces)
        parts.append(
            "".join(
                "template <>\ninline constexpr bool "
                f"tvm::ffi::is_object_subclass_v<{space.qualified}> = true;\n"
                for space in spaces
            )
        )
        parts += _grouped(
            (space, self._opaque_struct(key, space))
            for key, space in sorted(opaque.items(), key=lambda item: item[1])
        )
        parts.append(
            f"static_assert(sizeof({_OBJECT}) == {_HEADER_SIZE});\n"
            f"static_assert(alignof({_OBJECT}) == {_ALIGNMENT});\n"
        )
        parts += [_QUIET, *_grouped(defined), _LOUD]
        return "\n".join(parts)

    def _opaque_struct(self, key: str, space: _Space) -> str:
        depth = len(type_info(_type_index(key)).type_ancestors)
        return (
            f"struct {space.struct} : public {_OBJECT} {{\n"
            f'  TVM_FFI_DECLARE_OBJECT_INFO_LOOKUP("{_literal(key)}", {depth});\n}};'
        )

    def _define(self, info: TypeInfo) -> str:
        parent = info.parent_type_info
        assert parent is not None
        base = _space(parent.type_key).qualified
        if _is_library(parent.type_key):
            base = _FFI + parent.type_key.removeprefix("ffi.")
            base += "Obj" if parent.type_key != "ffi.Object" else ""
        name, depth = _space(info.type_key).struct, len(info.type_ancestors)
        lines = [
            f"struct alignas({_ALIGNMENT}) {name} : public {base} {{",
            f'  TVM_FFI_DECLARE_OBJECT_INFO_LOOKUP("{_literal(info.type_key)}", {depth});',
        ]
        if info.fields:
            lines.append("")
        checks = [
            f"static_assert(sizeof({name}) == {info.total_size});",
            f"static_assert(alignof({name}) == {_ALIGNMENT});",
        ]
        for entry in sorted(info.fields, key=lambda item: item.offset):
            carrier, field = self._lower_field(entry, info), _identifier(entry.name)
            lines.append(
                f"  {carrier.cpp_type} {field};  "
                f"// offset={entry.offset}, size={carrier.size}, align={carrier.alignment}"
            )
            member = f"decltype({name}::{field})"
            checks += [
                f"static_assert(sizeof({member}) == {carrier.size});",
                f"static_assert(alignof({member}) == {carrier.alignment});",
                f"static_assert(offsetof({name}, {field}) == {entry.offset});",
            ]
        return "\n".join([*lines, "};", "", *checks])

    def _lower_field(self, field: TypeField, owner: TypeInfo) -> _Carrier:
        """The C++ type of the field. ValueError if it is not known."""
        try:
            return _Carrier(self._spelling(field, owner), field.size, field.alignment)
        except ValueError as error:
            raise ValueError(f"{owner.type_key}.{field.name}: {error}") from None

    def _spelling(self, field: TypeField, owner: TypeInfo) -> str:
        schema = _described(field)
        if schema is None:
            return _stored(field)
        if schema.origin == "int":
            return _INTEGERS[field.size]
        if schema.origin == "float":
            return _FLOATS[field.size]
        if schema.origin != "Optional":
            return _ANY if field.size == 16 and schema.origin == "Union" else self._type(schema)
        # Python stores such a field as any value, and notes its hooks with each class that it makes.
        if getattr(owner, "_decorator_args", None):
            return _ANY
        [inner] = list(schema.args or ())
        if field.size == 8:
            return self._nullable(inner)
        if self._is_object(inner):
            return f"{_FFI}Optional<{self._type(inner)}>"
        raise ValueError(f"Ambiguous native Optional carrier of {field.size} bytes for {schema!r}")

    def _nullable(self, schema: TypeSchema) -> str:
        """An object, or none, in one word."""
        spelled = self._type(schema)
        if self._is_object(schema):
            return spelled.replace("Arc<", "ObjectPtr<", 1)
        return f"{_FFI}Optional<{spelled}>"

    def _is_object(self, schema: TypeSchema) -> bool:
        """True if C++ holds it as an object of a class, by Arc."""
        return schema.origin == "Object" or schema.origin not in {
            *_PLAIN,
            *_CONTAINERS,
            "Optional",
            "Union",
        }

    def _type(self, schema: TypeSchema) -> str:
        """The type as an element of containers has it."""
        args = list(schema.args or ())
        if schema.origin == "Optional":
            return self._nullable(args[0]) if self._is_object(args[0]) else _ANY
        if schema.origin == "Union":
            return f"{_FFI}Arc<{_OBJECT}>" if all(map(self._is_object, args)) else _ANY
        if schema.origin == "tuple" and schema.args is None:
            return f"{_FFI}Array<{_ANY}>"
        if schema.origin in _CONTAINERS:
            return f"{_FFI}{_CONTAINERS[schema.origin]}<{', '.join(map(self._type, args))}>"
        if schema.origin in _PLAIN:
            return _PLAIN[schema.origin]
        if schema.origin in _LIBRARY_OBJECTS:
            return f"{_FFI}Arc<{_FFI}{schema.origin.removeprefix('ffi.')}Obj>"
        if _is_library(schema.origin):
            return f"{_FFI}Arc<{_OBJECT}>"
        self.opaque[schema.origin] = _space(schema.origin)
        return f"{_FFI}Arc<{self.opaque[schema.origin].qualified}>"


def _stored(field: TypeField) -> str:
    """The C++ type of a field without a declared type, by its stored type."""
    stored = field.field_static_type_index
    if stored == _STORED_ANY:
        return _ANY
    if stored >= _FIRST_OBJECT:
        return f"{_FFI}ObjectPtr<{_OBJECT}>"
    spelling = {1: _INTEGERS, 3: _FLOATS}.get(stored, {}).get(field.size) or _STORED.get(stored)
    if spelling is None:
        raise ValueError(f"there is no schema, and no C++ type is stored as type {stored}")
    return spelling


def _grouped(texts: Iterable[tuple[_Space, str]]) -> list[str]:
    """The texts, those of one namespace that follow each other together in it."""
    runs: list[tuple[tuple[str, ...], list[str]]] = []
    for space, text in texts:
        if not runs or runs[-1][0] != space.names:
            runs.append((space.names, []))
        runs[-1][1].append(text)
    return [_within(names, "\n\n".join(group)) for names, group in runs]


def _within(names: tuple[str, ...], text: str) -> str:
    if not names:
        return text + "\n"
    opened = "".join(f"namespace {name} {{\n" for name in names)
    closed = "".join(f"}}  // namespace {name}\n" for name in reversed(names))
    return f"{opened}\n{text}\n\n{closed}"


def gen_abi_cpp(type_keys: str | Sequence[str]) -> str:
    """Return a C++17 header with a struct for each type: members where the fields lie, checked by static_assert.

    The structs look a type up by its key when they are first used, and register, make and own nothing. Parents come
    along whole; types that fields refer to come without members. A name that is none in C++ becomes ``__ffi_escape_``
    with its bytes in hex. Args: ``type_keys``: keys, or patterns such as ``my.*``. ValueError where a pattern matches
    none, a type says nothing of its size, or a field of C++ has a layout that its type does not tell (an Optional
    number, a pointer).
    """
    return _Generator(_chosen(type_keys)).text()
