"""C++ headers for types that are registered: their fields as members, for C++ that was built before there were any."""

from __future__ import annotations

import fnmatch
from collections.abc import Sequence
from typing import Any

from fairlead._core import _type_index
from fairlead.ffi._typeinfo import TypeInfo, type_info
from fairlead.ffi.registry import get_registered_type_keys

__all__ = ["gen_abi_cpp"]

_HEADER_SIZE, _ALIGNMENT = 24, 8
_FFI = "::tvm::ffi::"
#: What fields of a type are in C++, by the type's name.
_PLAIN = {
    "int": "int64_t",
    "float": "double",
    "bool": "bool",
    "str": _FFI + "String",
    "bytes": _FFI + "Bytes",
    "dtype": "DLDataType",
    "Device": "DLDevice",
    "ctypes.c_void_p": "void*",
    "Any": _FFI + "Any",
    "None": _FFI + "Any",
    "Optional": _FFI + "Any",
    "Union": _FFI + "Any",
    "Tensor": _FFI + "Tensor",
    "Callable": _FFI + "Function",
    "ffi.Shape": _FFI + "Shape",
    "ffi.Module": _FFI + "Module",
    "ffi.Error": _FFI + "Error",
}
_CONTAINERS = {"Array": "Array", "List": "List", "Map": "Map", "Dict": "Dict", "tuple": "Tuple"}
#: What C++ stores in fields that fill a word or two, where the type does not tell.
_BY_SIZE = {1: "int8_t", 2: "int16_t", 4: "int32_t", 8: "int64_t"}

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


def _chosen(type_keys: str | Sequence[str]) -> list[str]:
    """The keys that the patterns mean. ValueError for one that means none."""
    known = sorted(get_registered_type_keys())
    found: dict[str, None] = {}
    for pattern in [type_keys] if isinstance(type_keys, str) else type_keys:
        if not isinstance(pattern, str):
            raise TypeError(f"type_keys: expected str, got {type(pattern).__name__}")
        matching = [pattern] if pattern in known else fnmatch.filter(known, pattern)
        if not matching:
            raise ValueError(f"{pattern!r} did not match any registered object type")
        found.update(dict.fromkeys(matching))
    return list(found)


def _is_library(key: str) -> bool:
    return key.startswith("ffi.") and key.count(".") == 1


class _Writer:
    """One header."""

    def __init__(self, keys: list[str]) -> None:
        self.infos: dict[str, TypeInfo] = {}
        for key in keys:
            self._add(key)
        # Parents first, else by key.
        self.order = sorted(
            self.infos.values(), key=lambda info: (len(info.type_ancestors), info.type_key)
        )

    def _add(self, key: str) -> None:
        if key in self.infos or _is_library(key):
            return
        info = type_info(_type_index(key), fresh=False)
        if not info.total_size:
            raise ValueError(
                f"{key!r} did not match any registered object type whose layout is known"
            )
        parent = info.parent_type_info
        if parent is not None and not _is_library(parent.type_key):
            self._add(parent.type_key)
        self.infos[key] = info

    def text(self) -> str:
        """The header's source."""
        parts = ["#pragma once\n", "#include <tvm/ffi/tvm_ffi.h>\n"]
        for space, infos in self._by_namespace():
            declared = "\n\n".join(f"struct {_name(info)};" for info in infos)
            parts.append(_within(space, declared))
        parts.append(
            "\n".join(
                "template <>\ninline constexpr bool "
                f"tvm::ffi::is_object_subclass_v<{_qualified(info)}> = true;"
                for info in self.order
            )
            + "\n"
        )
        parts.append(
            f"static_assert(sizeof({_FFI}Object) == {_HEADER_SIZE});\n"
            f"static_assert(alignof({_FFI}Object) == {_ALIGNMENT});\n"
        )
        parts.append(_QUIET)
        for space, infos in self._by_namespace():
            parts.append(_within(space, "\n\n".join(map(self._define, infos))))
        parts.append(_LOUD)
        return "\n".join(parts)

    def _by_namespace(self) -> list[tuple[str, list[TypeInfo]]]:
        """Runs of types of one namespace, in an order that C++ can read."""
        runs: list[tuple[str, list[TypeInfo]]] = []
        for info in self.order:
            space = info.type_key.rpartition(".")[0].replace(".", "::")
            if not runs or runs[-1][0] != space:
                runs.append((space, []))
            runs[-1][1].append(info)
        return runs

    def _define(self, info: TypeInfo) -> str:
        parent = info.parent_type_info
        assert parent is not None
        base = _FFI + "Object" if _is_library(parent.type_key) else _qualified(parent)
        if _is_library(parent.type_key) and parent.type_key != "ffi.Object":
            base = f"{_FFI}{parent.type_key.removeprefix('ffi.')}Obj"
        name = _name(info)
        lines = [
            f"struct alignas({_ALIGNMENT}) {name} : public {base} {{",
            f'  TVM_FFI_DECLARE_OBJECT_INFO_LOOKUP("{info.type_key}", {len(info.type_ancestors)});',
        ]
        if info.fields:
            lines.append("")
        checks = [
            f"static_assert(sizeof({name}) == {info.total_size});",
            f"static_assert(alignof({name}) == {_ALIGNMENT});",
        ]
        for each in sorted(info.fields, key=lambda each: each.offset):
            lines.append(
                f"  {self._spelling(each)} {each.name};  "
                f"// offset={each.offset}, size={each.size}, align={each.alignment}"
            )
            member = f"decltype({name}::{each.name})"
            checks += [
                f"static_assert(sizeof({member}) == {each.size});",
                f"static_assert(alignof({member}) == {each.alignment});",
                f"static_assert(offsetof({name}, {each.name}) == {each.offset});",
            ]
        return "\n".join([*lines, "};", "", *checks])

    def _spelling(self, each: Any) -> str:
        schema = each.ty
        if schema is None:
            return _FFI + ("Any" if each.size == 16 else "Arc<::tvm::ffi::Object>")
        if schema.origin == "int" and each.size != 8:
            return _BY_SIZE[each.size]
        if schema.origin == "float" and each.size == 4:
            return "float"
        if schema.origin == "Optional" and each.size != 16:
            return f"{_FFI}Optional<{self._type(schema.args[0])}>"
        return self._type(schema)

    def _type(self, schema: Any) -> str:
        name = _CONTAINERS.get(schema.origin)
        if name is not None:
            args = ", ".join(self._type(arg) for arg in schema.args or ())
            if schema.origin == "tuple" and schema.args is None:
                return f"{_FFI}Array<{_FFI}Any>"
            return f"{_FFI}{name}<{args}>"
        if schema.origin in _PLAIN:
            return _PLAIN[schema.origin]
        if schema.origin in self.infos:
            return f"{_FFI}Arc<{_qualified(self.infos[schema.origin])}>"
        return f"{_FFI}Arc<{_FFI}Object>"


def _name(info: TypeInfo) -> str:
    return info.type_key.rpartition(".")[2] + "Obj"


def _qualified(info: TypeInfo) -> str:
    space = info.type_key.rpartition(".")[0].replace(".", "::")
    return f"::{space}::{_name(info)}" if space else f"::{_name(info)}"


def _within(space: str, text: str) -> str:
    if not space:
        return text + "\n"
    return f"namespace {space} {{\n\n{text}\n\n}}  // namespace {space}\n"


def gen_abi_cpp(type_keys: str | Sequence[str]) -> str:
    """A C++17 header with a struct for each type: members where the fields lie, checked by static_assert.

    The structs look a type up by its key when they are first used, and register, make and own nothing. Parents come
    along. Args: ``type_keys``: keys, or patterns such as ``my.*``. ValueError where a pattern matches none, or a type
    says nothing of its layout.
    """
    return _Writer(_chosen(type_keys)).text()
