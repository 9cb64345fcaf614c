"""The names of published.txt, which list_published.py wrote: a program that names each, and the page that lists them.

python published_names.py program FILE     write a C++ file that compiles where all are there
python published_names.py page FILE        write docs/published-names.md
python published_names.py check            fail where the page is not as it would be written
"""

import pathlib
import re
import sys
from collections.abc import Iterator

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
HEADERS = ROOT / "include"
PAGE = ROOT / "docs" / "published-names.md"

# Names that are left out, with the reason: a name, or the names in a scope that ends in `::`.
LEFT_OUT = {
    "TVM_FFI_DEFINE_BIGINT_OP_CHECKED": "helper of that header's own operators",
    "TVM_FFI_DEFINE_BIGINT_OP_COMPARE": "helper of that header's own operators",
    "TVM_FFI_DEFINE_BIGINT_OP_NO_OVERFLOW": "helper of that header's own operators",
    "TVM_FFI_DEFINE_BIGINT_OP_OVERLOAD": "helper of that header's own operators",
    "TVM_FFI_DISPATCH_MAP": "helper of that header's own maps",
    "TVM_FFI_DISPATCH_MAP_CONST": "helper of that header's own maps",
    "TVM_FFI_MAP_FAIL_IF_CHANGED": "a check of debug builds inside that header",
    "TVM_FFI_CHECK_FUNC": "helper of that header's own checks",
    "TVM_FFI_ESCAPE_CHAR": "what that header's own text is written with",
    "TVM_FFI_SNPRINTF": "what that header's own text is written with",
    "TVM_FFI_USE_LIBBACKTRACE": "a switch of building that library",
    "TVM_FFI_BACKTRACE_ON_SEGFAULT": "a switch of building that library",
    "tvm::ffi::DenseMapBaseObj": "one of two forms of a map's object: MapBaseObj has both",
    "tvm::ffi::DenseMapBaseObj::": "one of two forms of a map's object: MapBaseObj has both",
    "tvm::ffi::SmallMapBaseObj": "one of two forms of a map's object: MapBaseObj has both",
    "tvm::ffi::SmallMapBaseObj::": "one of two forms of a map's object: MapBaseObj has both",
    "tvm::ffi::MapTypeTraitsBase": "helper of the traits of Map and Dict",
    "tvm::ffi::MapTypeTraitsBase::": "helper of the traits of Map and Dict",
    "tvm::ffi::SeqTypeTraitsBase": "helper of the traits of Array and List",
    "tvm::ffi::SeqTypeTraitsBase::": "helper of the traits of Array and List",
    "tvm::ffi::Array::ValueConverter": "what iterators are written with",
    "tvm::ffi::Array::ValueConverter::": "what iterators are written with",
    "tvm::ffi::List::ValueConverter": "what iterators are written with",
    "tvm::ffi::List::ValueConverter::": "what iterators are written with",
    "tvm::ffi::Array::AgregateImpl": "what Agregate is written with",
    "tvm::ffi::Array::CalcCapacityImpl": "what Agregate is written with",
    "tvm::ffi::Function::Registry": "declared there, and nothing else",
    "tvm::ffi::reflection::OverloadObjectDef::Super": "what that class is written with",
    "tvm::ffi::MapBaseObj::KVRawStorageType": "helper of that header's own maps",
    "tvm::ffi::MapBaseObj::KVRawStorageType::": "helper of that header's own maps",
}
# A type of each class template, whose members are named.
INSTANCES = {
    "Arc": "::tvm::ffi::Object",
    "Array": "int64_t",
    "AttrKey": "int64_t",
    "Dict": "::tvm::ffi::String, int64_t",
    "EnumDef": "::tvm::ffi::EnumObj",
    "Expected": "int64_t",
    "FallbackOnlyTraitsBase": "int64_t, int64_t",
    "List": "int64_t",
    "Map": "::tvm::ffi::String, int64_t",
    "NativeFunction": "int64_t(int64_t)",
    "NativeFunctionView": "int64_t(int64_t)",
    "ObjectDef": "::tvm::ffi::Object",
    "ObjectPtr": "::tvm::ffi::Object",
    "ObjectRefTypeTraitsBase": "::tvm::ffi::ObjectRef",
    "ObjectRefWithFallbackTraitsBase": "::tvm::ffi::ObjectRef, int64_t",
    "Optional": "::tvm::ffi::ObjectRef",
    "OverloadObjectDef": "::tvm::ffi::Object",
    "RValueRef": "::tvm::ffi::ObjectRef",
    "StructuralMapEngine": "::tvm::ffi::StructuralMapEngineBase, ::tvm::ffi::WalkOrder::kPreOrder",
    "StructuralWalkEngine": "::tvm::ffi::StructuralVisitorObj, ::tvm::ffi::WalkOrder::kPreOrder",
    "Tuple": "int64_t, int64_t",
    "TypeAttrDef": "::tvm::ffi::Object",
    "TypeTraitsIntBase": "int64_t",
    "TypedFunction": "int64_t(int64_t)",
    "UnchangedOr": "::tvm::ffi::Any",
    "Unexpected": "::tvm::ffi::Error",
    "Variant": "int64_t, ::tvm::ffi::String",
    "WeakObjectPtr": "::tvm::ffi::Object",
    "init": "int64_t",
}


def published() -> Iterator[tuple[str, str, str]]:
    for line in (HERE / "published.txt").read_text(encoding="utf-8").splitlines():
        header, kind, name = line.split("\t")
        yield header, kind, name


def reason(name: str) -> str:
    """Why a name is left out, empty for one that is there."""
    parts = name.split("::")
    scopes = ("::".join(parts[:count]) + "::" for count in range(1, len(parts)))
    return next((LEFT_OUT[key] for key in (name, *scopes) if key in LEFT_OUT), "")


def program() -> str:
    rows = [row for row in published() if not reason(row[2])]
    classes = {name for _, kind, name in rows if kind == "class"}
    enums = {name for _, kind, name in rows if kind == "enum"}
    headers = sorted({header for header, _, _ in rows})
    lines = ["// Written by published_names.py: compiles where every published name is there."]
    lines += [f"#include <{header}>" for header in headers]
    lines += ["namespace {"]
    for number, (_, kind, name) in enumerate(rows):
        scope, _, member = name.rpartition("::")
        if kind == "macro":
            lines += [f"#ifndef {name}", f'#error "no macro {name}"', "#endif"]
        elif scope in enums and kind == "value":
            lines.append(f"static_assert(::{name} == ::{name});")
        elif scope not in classes:
            lines.append(f"namespace n{number} {{ using ::{name}; }}")
        elif not scope.startswith("tvm::"):
            lines.append(f"using T{number} = decltype(::{name});")  # a struct of the C interface
        else:
            of = instance(scope)
            lines.append(f"struct S{number} : {of} {{ using Base = {of}; using Base::{member}; }};")
    lines += ["} // namespace", ""]
    return "\n".join(lines)


def instance(scope: str) -> str:
    parts = (
        f"{part}<{INSTANCES[part]}>" if part in INSTANCES else part for part in scope.split("::")
    )
    return "::" + "::".join(parts)


class Ours:
    """Return the places of a name in our headers."""

    def __init__(self) -> None:
        paths = [path for path in sorted(HEADERS.rglob("*.h")) if "tvm" in path.parts]
        self.words = {
            str(path.relative_to(HEADERS)): set(re.findall(r"\w+", path.read_text("utf-8")))
            for path in paths
        }

    def header(self, published_header: str, name: str) -> str:
        word = name.rpartition("::")[2]
        if word in self.words.get(published_header, ()):
            return published_header
        folder = published_header.rpartition("/")[0]
        found = [header for header, words in self.words.items() if word in words]
        inner = [header for header in found if header.startswith("tvm/ffi/inner/")]
        near = [header for header in found if header.startswith(folder)]
        return (inner or near or found)[0]


def page() -> str:
    ours = Ours()
    rows = sorted(published())
    left_out = sum(1 for row in rows if reason(row[2]))
    lines = [
        "# Published names",
        "",
        "The public C++ names of apache-tvm-ffi 0.1.15's headers, and the header of ours that has each: a program that"
        " includes the published header finds it there, whatever header is named here. Namespaces `detail` are left"
        " out, as are constructors, operators, and the members that the macros of objects and references declare.",
        "",
        f"{len(rows)} names, {len(rows) - left_out} here. `tests/interop/names/published_names.py` writes this page and"
        " the program that names each of them; the tests compile it.",
    ]
    before = ""
    for header, kind, name in rows:
        if header != before:
            lines += ["", f"## {header}", "", "| name | kind | ours |", "|---|---|---|"]
            before = header
        why = reason(name)
        where = why if why else f"`{ours.header(header, name)}`"
        lines.append(f"| `{name.removeprefix('tvm::ffi::')}` | {kind} | {where} |")
    return "\n".join([*lines, ""])


def main(verb: str, file: str = "") -> int:
    if verb == "program":
        pathlib.Path(file).write_text(program(), encoding="utf-8")
    elif verb == "page":
        (pathlib.Path(file) if file else PAGE).write_text(page(), encoding="utf-8")
    elif verb == "check":
        if PAGE.read_text(encoding="utf-8") != page():
            print(f"{PAGE.relative_to(ROOT)} is not as published_names.py writes it")
            return 1
        print("as it would be written")
    else:
        print(__doc__)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
