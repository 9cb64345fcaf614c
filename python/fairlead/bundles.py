"""Many exported functions as one shared library, with one header and one Python stub."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from fairlead import _compiler  # noqa: F401  first: picks the library that the call path needs
from fairlead._core import CallDescription
from fairlead._exported.contents import contents, own_metadata, printed_signature
from fairlead._exported.format import require_format
from fairlead._exported.seal import read_elf, seal
from fairlead._frameworks.interface import interface_of_text
from fairlead._frameworks.onnx import registration
from fairlead._hints import name_keywords
from fairlead.config import include_dir, runtime_libraries
from fairlead.errors import make_error, require

if TYPE_CHECKING:
    from fairlead._compiler import ElfFile

__all__ = ["Bundle", "bundle"]

_RELOCATABLE = 1
_MACHINES = {62: "x86-64", 183: "AArch64"}
_PLAIN = re.compile(r"__fairlead_c_(\w+)$")  # defined by objects of the plain C ABI


class Bundle:
    """The contents of a bundle: ``functions`` by name, in order, and the paths of its files."""

    def __init__(self, functions: list[dict[str, Any]], library: str, header: str, stub: str):
        self.functions = functions
        self.library, self.header, self.stub = library, header, stub


def _bad(path: str, reason: object) -> Exception:
    return make_error("BundleInput", path=path, reason=str(reason))


def _expand(inputs: Iterable[str | os.PathLike[str]]) -> list[str]:
    """Files, with the objects of folders in their place."""
    paths = []
    for item in (os.fspath(path) for path in inputs):
        if os.path.isdir(item):
            names = sorted(name for name in os.listdir(item) if name.endswith(".o"))
            if not names:
                raise _bad(item, "the folder has no .o files")
            paths += [os.path.join(item, name) for name in names]
        else:
            paths.append(item)
    return paths


def _read(path: str) -> dict[str, Any]:
    """One object's functions; BundleInput if it is no exported object."""
    try:
        with open(path, "rb") as file:
            data = file.read()
    except OSError as error:
        raise _bad(path, error.strerror) from None
    try:
        elf = read_elf(data)
        if elf.type != _RELOCATABLE or elf.machine not in _MACHINES:
            raise ValueError("it is no object file of x86-64 or AArch64")
        functions = contents(data)["functions"]
        names = {s.name for s in elf.symbols if s.is_defined and not s.is_local}
    except ValueError as error:
        raise _bad(path, error) from None
    plain = sorted(match[1] for name in names if (match := _PLAIN.match(name)))
    if not functions and not plain:
        raise _bad(path, "it exports no function")
    header = os.path.splitext(path)[0] + ".h"
    if plain and not os.path.isfile(header):
        raise _bad(path, f"the header {header} of its plain C functions is missing")
    return {
        "path": path,
        "data": data,
        "machine": elf.machine,
        "functions": functions,
        "plain": plain,
        "header": header if plain else None,
        "metadata": _metadata(elf, data),
    }


def _metadata(elf: ElfFile, data: bytes) -> dict[str, Any] | None:
    """The description in an object with one function, under whatever name it was exported."""
    said = list(own_metadata(elf, data).values())
    return said[0] if len(said) == 1 else None


def _functions(objects: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """All functions by name, each once."""
    functions: dict[str, dict[str, Any]] = {}
    for entry in objects:
        described: dict[str, dict[str, Any]] = {}
        for function in entry["functions"]:
            name = function["name"]
            description = described.setdefault(
                name, {"name": name, "path": entry["path"], "abi": []}
            )
            description["abi"].append("c" if function.get("abi") == "plain C" else "tvm-ffi")
            said = function["metadata"] or entry["metadata"]
            require_format((said or {}).get("fairlead") or {}, f"{entry['path']}: `{name}`")
            description["metadata"] = description.get("metadata") or said
        for name in described:
            if name in functions:
                first, second = sorted([functions[name]["path"], entry["path"]])
                raise make_error("BundleClash", name=name, first=first, second=second)
        functions.update(described)
    return [functions[name] for name in sorted(functions)]


def _signature(function: dict[str, Any]) -> str:
    details = (function["metadata"] or {}).get("fairlead") or {}
    text = printed_signature(
        details.get("text") or details.get("signature") or f"{function['name']}(...)",
        details.get("accesses"),
    )
    name: str = function["name"]
    return name + text[text.index("(") :]


def _targets(function: dict[str, Any]) -> str:
    details = (function["metadata"] or {}).get("fairlead") or {}
    return ", ".join(map(str, details.get("targets") or []))


def _identifier(text: str) -> str:
    return re.sub(r"\W", "_", text)


def _header_text(
    name: str, library: str, functions: list[dict[str, Any]], objects: list[dict[str, Any]]
) -> str:
    guard = f"FAIRLEAD_BUNDLE_{_identifier(name).upper()}_H_"
    lines = [
        f"/* Functions of {library}. Made by `fairlead bundle`; not to be edited. */",
        f"#ifndef {guard}",
        f"#define {guard}",
        "",
    ]
    checked = [f for f in functions if "tvm-ffi" in f["abi"]]
    if checked:
        lines += [
            "#include <stdint.h>",
            "",
            "#include <tvm/ffi/c_api.h>",
            "",
            "#ifdef __cplusplus",
            'extern "C" {',
            "#endif",
            "",
            "/* Each takes its arguments as an array of TVMFFIAny, checks them, and returns 0, or -1 with the error",
            "   raised (TVMFFIErrorMoveFromRaised). `self` is not used. */",
        ]
        for function in checked:
            targets = _targets(function)
            title = _signature(function) + (f" for {targets}" if targets else "")
            lines += [
                "",
                f"/* {title.replace('*/', '* /')} */",
                f"int __tvm_ffi_{function['name']}(void *self, const TVMFFIAny *args, int32_t num_args, "
                "TVMFFIAny *result);",
            ]
        lines += ["", "#ifdef __cplusplus", "}", "#endif"]
    for entry in (item for item in objects if item["header"]):
        with open(entry["header"], encoding="utf-8") as file:
            lines += ["", file.read().rstrip()]
    return "\n".join([*lines, "", f"#endif /* {guard} */", ""])


def _python_type(kind: str) -> str:
    """The type of an argument by the metadata: "Tensor float32", "int64", "Stream"."""
    if kind == "bool":
        return "bool"
    if " " not in kind and kind.startswith(("int", "uint")):
        return "int"
    return "float" if " " not in kind and kind.startswith(("float", "bfloat", "tfloat")) else "Any"


def _parameters(function: dict[str, Any]) -> str:
    """The parameters of a loaded function: structures as one, by the original names, with defaults."""
    import keyword

    details = (function["metadata"] or {}).get("fairlead") or {}
    names = details.get("arg_names")
    if names is None:
        return "*args: Any"
    kinds = dict(zip(names, details.get("arg_types") or [], strict=False))
    positional, optional = len(names), [False] * len(names)
    if "call" in details:
        call = CallDescription.from_text(details["call"])
        names, positional = call.names, call.num_positional
        optional = [default is not ... for default in call.defaults]
    parts = []
    for index, name in enumerate(names):
        kind = kinds.get(name, "")
        if index == positional:
            parts.append("*")
        if not str(name).isidentifier() or keyword.iskeyword(name):
            name = f"arg{index}"
        parts.append(f"{name}: {_python_type(kind)}" + (" = ..." if optional[index] else ""))
    return ", ".join(parts)


def _stub_text(library: str, functions: list[dict[str, Any]]) -> str:
    lines = [
        f'"""Functions of {library}, as ``cute.runtime.load_module`` gives them. Made by ``fairlead bundle``."""',
        "",
        "from typing import Any",
    ]
    for function in functions:
        targets = _targets(function)
        title = _signature(function) + (f" for {targets}" if targets else "")
        title = title.replace("\\", "\\\\").replace('"""', '\\"\\"\\"')
        lines += [
            "",
            f"def {function['name']}({_parameters(function)}) -> None:",
            f'    """``{title}``"""',
        ]
    return "\n".join([*lines, ""])


def _onnx_source(
    domain: str, functions: list[dict[str, Any]], outputs: Mapping[str, str | Iterable[str]]
) -> str:
    """The C source that registers functions as operators of ONNX Runtime."""
    by_name = {f["name"]: f for f in functions if "tvm-ffi" in f["abi"]}
    described = []
    for name, names in outputs.items():
        if name not in by_name:
            raise make_error(
                "FrameworkOption",
                option="onnxruntime",
                expected=f"functions of the open ABI ({', '.join(by_name) or 'none is given'})",
                got=repr(name),
            )
        details = (by_name[name]["metadata"] or {}).get("fairlead") or {}
        if "text" not in details:
            raise make_error("FrameworkFunction", got=f"`{name}`, which tells no signature")
        text = details["text"]
        targets = [
            part.strip() for target in details.get("targets", ()) for part in target.split(",")
        ]
        interface = interface_of_text(name + text[text.index("(") :], targets)
        described.append((interface, (names,) if isinstance(names, str) else tuple(names)))
    return registration(domain, described)


def _link(
    objects: list[dict[str, Any]],
    library: str,
    output: str,
    compiler: str,
    source: str | None,
    sign: str | os.PathLike[str] | None,
) -> None:
    program = shutil.which(compiler)
    if program is None:
        raise make_error("NoCompiler", path=library, compiler=compiler)
    native = objects[0]["machine"] == {"x86_64": 62, "aarch64": 183}.get(os.uname().machine)
    with tempfile.TemporaryDirectory() as folder:
        # Under names and in an order that depend on nothing but the functions.
        names = []
        for index, entry in enumerate(objects):
            names.append(f"{index}.o")
            with open(os.path.join(folder, names[-1]), "wb") as file:
                file.write(entry["data"])
        if source is not None:
            with open(os.path.join(folder, "operators.c"), "w") as file:
                file.write(source)
            names.append("operators.c")
        with open(os.path.join(folder, "objects"), "w") as file:
            file.write("\n".join(names))
        command = [
            program,
            "-shared",
            "-nostartfiles",
            "-o",
            "linked.so",
            "@objects",
            *(["-O1", "-fPIC", "-fvisibility=hidden", f"-I{include_dir()}"] if source else []),
            f"-Wl,-soname,{os.path.basename(library)}",
            "-Wl,--build-id=none",
            "-Wl,--hash-style=gnu",
            "-Wl,-O1",
            "-Wl,--strip-all",
            # The runtime of another machine is found there.
            *(runtime_libraries() if native else []),
        ]
        result = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
        if result.returncode:
            said = (result.stderr or result.stdout).strip()
            raise make_error("LinkFailed", path=library, compiler=compiler, output=said)
        seal(os.path.join(folder, "linked.so"), sign)
        shutil.copyfile(os.path.join(folder, "linked.so"), output)


def bundle(
    objects: Sequence[str | os.PathLike[str]],
    library: str | os.PathLike[str],
    *,
    header: str | os.PathLike[str] | None = None,
    stub: str | os.PathLike[str] | None = None,
    compiler: str = "gcc",
    onnxruntime: Mapping[str, str | Iterable[str]] | None = None,
    sign: str | os.PathLike[str] | None = None,
) -> Bundle:
    """Link exported objects into one library, and write its header and Python stub.

    Equal functions make equal bytes, independent of the objects' paths and order.

    Args:
        objects: files that ``export_to_c`` has written, and folders of such; of one kind of machine.
        library: the shared library to write.
        header, stub: by default next to the library: ``libkernels.so`` gets ``kernels.h`` and ``kernels.pyi``.
        compiler: the C compiler that links; for AArch64, such as aarch64-linux-gnu-gcc.
        onnxruntime: functions that the library also registers as custom operators of ONNX Runtime, each with the
            names of its outputs: ``{"scale": "out"}``. Their domain is the library's name without ``lib``.
        sign: a file with a signing key, which ``fairlead key new`` writes; default no signature.

    Raises DSLError for an input that is no exported object (BundleInput), two functions of one name
    (BundleClash), a linker that is missing or fails (NoCompiler, LinkFailed), a path that cannot be written
    (ExportPath); ValueError if the file `sign` holds no signing key. Then no file has changed.
    """
    require(
        bundle,
        objects=objects,
        library=library,
        header=header,
        stub=stub,
        compiler=compiler,
        onnxruntime=onnxruntime,
        sign=sign,
    )
    library = os.fspath(library)
    paths = _expand(objects)
    if not paths:
        raise _bad(library, "no objects are given")
    read = [_read(path) for path in paths]
    for entry in read[1:]:
        if entry["machine"] != read[0]["machine"]:
            first, other = (_MACHINES[e["machine"]] for e in (read[0], entry))
            raise _bad(entry["path"], f"it is for {other}, and {read[0]['path']} for {first}")
    functions = _functions(read)
    read.sort(key=lambda e: sorted([*(f["name"] for f in e["functions"]), *e["plain"]]))
    base = os.path.basename(library)
    stem = os.path.splitext(base)[0].removeprefix("lib")
    beside = os.path.join(os.path.dirname(library), stem)
    header = os.fspath(header) if header is not None else beside + ".h"
    stub = os.fspath(stub) if stub is not None else beside + ".pyi"
    source = _onnx_source(stem, functions, onnxruntime) if onnxruntime else None
    texts = {
        header: _header_text(stem, base, functions, read),
        stub: _stub_text(base, functions),
    }
    written: list[tuple[str, str]] = []  # (temporary, path): all files, or none
    try:
        for path in (library, header, stub):
            temporary = f"{path}.tmp{os.getpid()}"
            written.append((temporary, path))
            if path == library:
                with open(temporary, "wb"):
                    pass  # before the time that linking takes
                _link(read, library, temporary, compiler, source, sign)
                os.chmod(temporary, 0o755)
            else:
                with open(temporary, "w", encoding="utf-8") as file:
                    file.write(texts[path])
        for temporary, path in written:
            os.replace(temporary, path)
    except OSError as error:
        path = written[-1][1]
        raise make_error("ExportPath", path=path, reason=error.strerror or str(error)) from None
    finally:
        for temporary, _ in written:
            with contextlib.suppress(OSError):
                os.unlink(temporary)
    return Bundle(functions, library, header, stub)


name_keywords(__all__, globals())


def __dir__() -> list[str]:
    """The names that completion offers."""
    return sorted(__all__)
