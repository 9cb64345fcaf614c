"""Lists the public C++ names of an include folder: header, kind, name, one a line.

    pip install libclang
    python list_published.py APACHE_INCLUDE DLPACK_INCLUDE > published.txt

Run by hand when the published version changes. Left out: names in a namespace `detail`, protected and private
members, constructors, operators, and the members that the macros of objects and references declare.
"""

import pathlib
import re
import sys

from clang.cindex import AccessSpecifier, CursorKind, Index, TranslationUnit

CLASSES = (
    CursorKind.CLASS_DECL,
    CursorKind.STRUCT_DECL,
    CursorKind.CLASS_TEMPLATE,
    CursorKind.CLASS_TEMPLATE_PARTIAL_SPECIALIZATION,
)
# Specialised for many types, by a fixed set of members.
TRAITS = ("TypeTraits", "TypeToRuntimeTypeIndex", "TypeToFieldStaticTypeIndex", "dtype_trait")
FUNCTIONS = (CursorKind.FUNCTION_DECL, CursorKind.CXX_METHOD, CursorKind.FUNCTION_TEMPLATE)
TYPES = (
    CursorKind.TYPEDEF_DECL,
    CursorKind.TYPE_ALIAS_DECL,
    CursorKind.TYPE_ALIAS_TEMPLATE_DECL,
)
# Names that TVM_FFI_DECLARE_OBJECT_INFO and TVM_FFI_DEFINE_OBJECT_REF_METHODS give every class.
DECLARED_BY_MACROS = re.compile(
    r"_type_\w+|RuntimeTypeIndex|_GetOrAllocRuntimeTypeIndex|ContainerType|__PtrType|get"
)


def is_member(function) -> bool:
    return function.semantic_parent is not None and function.semantic_parent.kind in CLASSES


class Lister:
    def __init__(self, include: pathlib.Path):
        self.include = include
        self.rows: set[tuple[str, str, str]] = set()

    def header(self, cursor) -> str | None:
        file = cursor.location.file
        path = pathlib.Path(file.name).resolve() if file else None
        if path is None or not path.is_relative_to(self.include / "tvm"):
            return None
        return str(path.relative_to(self.include))

    def add(self, cursor, kind: str, scope: list[str]) -> None:
        self.rows.add((self.header(cursor) or "", kind, "::".join([*scope, cursor.spelling])))

    def visit(self, cursor, scope: list[str], in_class: bool = False) -> None:
        for child in cursor.get_children():
            if not self.header(child):
                continue
            name, kind = child.spelling, child.kind
            if kind in (CursorKind.LINKAGE_SPEC, CursorKind.UNEXPOSED_DECL):
                self.visit(child, scope)
            elif kind == CursorKind.NAMESPACE:
                if name not in ("detail", "std"):
                    self.visit(child, [*scope, name])
            elif in_class and child.access_specifier != AccessSpecifier.PUBLIC:
                continue
            elif kind in (CursorKind.UNION_DECL, *CLASSES) and (not name or "(" in name):
                self.visit(child, scope, in_class)
            elif kind == CursorKind.ENUM_DECL:
                self.enum(child, scope)
            elif not name or "operator" in name or "<" in name or name.startswith("~"):
                continue
            elif in_class and name == scope[-1]:
                continue  # a constructor
            elif kind in FUNCTIONS and not in_class and is_member(child):
                continue  # the body of one
            elif in_class and DECLARED_BY_MACROS.fullmatch(name):
                continue
            elif kind in CLASSES:
                self.add(child, "class", scope)
                if name not in TRAITS:
                    self.visit(child, [*scope, name], True)
            elif kind in FUNCTIONS:
                self.add(child, "function", scope)
            elif kind in (CursorKind.VAR_DECL, CursorKind.FIELD_DECL):
                self.add(child, "variable", scope)
            elif kind in TYPES:
                self.add(child, "type", scope)
            elif kind == CursorKind.MACRO_DEFINITION:
                if not name.endswith(("_H_", "_H", "_")):
                    self.add(child, "macro", [])

    def enum(self, cursor, scope: list[str]) -> None:
        named = cursor.spelling and "(" not in cursor.spelling
        if named:
            self.add(cursor, "enum", scope)
        inside = [*scope, cursor.spelling] if cursor.is_scoped_enum() else scope
        for value in cursor.get_children():
            if value.kind == CursorKind.ENUM_CONSTANT_DECL:
                self.add(value, "value", inside)


def main(include: str, dlpack: str) -> None:
    folder = pathlib.Path(include).resolve()
    headers = sorted(
        str(path.relative_to(folder)) for path in folder.rglob("*.h") if "cuda" not in path.parts
    )
    text = "".join(f"#include <{header}>\n" for header in headers)
    arguments = ["-std=c++17", "-xc++", f"-I{folder}", f"-I{dlpack}"]
    # libclang comes without the compiler's own headers.
    for system in ("/usr/lib/gcc/x86_64-linux-gnu/12/include", "/usr/include/c++/12"):
        arguments += ["-isystem", system]
    arguments += ["-isystem", "/usr/include/x86_64-linux-gnu/c++/12"]
    unit = Index.create().parse(
        "all.cpp",
        arguments,
        unsaved_files=[("all.cpp", text)],
        options=TranslationUnit.PARSE_SKIP_FUNCTION_BODIES
        | TranslationUnit.PARSE_DETAILED_PROCESSING_RECORD,
    )
    errors = [str(found) for found in unit.diagnostics if found.severity >= 3]
    assert not errors, errors
    lister = Lister(folder)
    lister.visit(unit.cursor, [])
    for row in sorted(lister.rows):
        print("\t".join(row))


if __name__ == "__main__":
    main(*sys.argv[1:])
